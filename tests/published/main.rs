//! Published numbers.
fn main() {}
