//! retrysim in a notebook.
//!
//! `cargo lab` builds this crate as a dynamic library and hands it to the evcxr kernel, whose cells then see
//! everything in [`prelude`] without compiling it. Beside the library itself that is: how values are shown
//! ([`display`]), runs with progress that an interrupt stops ([`run`]), files ([`files`]) and [`help`](prelude::help).

pub mod display;
pub mod files;
mod help;
pub mod run;
pub mod session;

pub use retrysim;

/// As the standard one, but what is written is also shown when it is the last thing that a cell does. The kernel
/// writes the errors that `?` meets with whatever macro of this name a cell sees.
#[macro_export]
macro_rules! eprintln {
    ($($what:tt)*) => { $crate::session::complain(::std::format_args!($($what)*)) };
}

/// What every cell sees.
pub mod prelude {
    pub use retrysim::{
        Catalogue, Design, Error, Generator, Plan, Policy, Precision, Record, RunConfig, Scenario,
        Simulation, Span, Sweep, Unit, bundled, catalogue, checks, delays, experiment,
        farm::{Crew, Farm},
        figure,
        figure::{Axis, Curve, Figure},
        frame,
        frame::{Cells, column, of_columns},
        lint::lint,
        measure::{Measured, measure_policy},
        picture, polars,
        polars::prelude::{DataFrame, IntoLazy, LazyFrame, NamedFrom, Series, col, len, lit},
        published,
        request::Job,
        stats,
        stats::Estimate,
        text,
    };

    pub use crate::{
        display::EvcxrDisplay,
        files::{Files, out},
        help::{Help, help},
        run::{farm, runs, simulate, sweep},
    };
}
