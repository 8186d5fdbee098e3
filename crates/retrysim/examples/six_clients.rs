//! The six clients: the median of 20,000 runs, and how close it is to being another number.
//!
//! `cargo run --release -p retrysim --example six_clients`

use retrysim::{Error, experiment::median_of_runs};

fn main() -> Result<(), Error> {
    let six = median_of_runs(20_000)?;
    println!("median attempts {} (95 %: {} to {})", six.median.value, six.median.low, six.median.high);
    println!(
        "all six succeed in {:.4} of runs (95 %: {:.4} to {:.4})",
        six.all_six.value, six.all_six.low, six.all_six.high
    );
    println!("{}", six.pmf()?);
    Ok(())
}
