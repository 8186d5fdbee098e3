//! Parts: a folder with a file a shard, such as `part-00003.parquet`, so that any scheduler can make a sweep.
//!
//! [`Parts`] makes them, [`Survey`] says what is there and what is missing, and gathers a sweep of them.

mod folder;
mod gather;
mod part;
mod survey;

pub use self::{
    folder::{Made, Parts, SHARDS, shards_for},
    part::part_name,
    survey::{Survey, ranges},
};
