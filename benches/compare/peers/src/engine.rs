//! The engine of retrysim: a bundled scenario, full jitter, one thread, keyed draws, every column kept.

use std::{error::Error, fs};

use retrysim_core::{Generator, Plan, RunConfig, Scenario, simulate};

use crate::Run;

/// Gives the next so many runs at each call; a call takes some hundredths of a second.
pub fn runs(model: &str, seed: u64) -> Result<impl FnMut() -> Vec<Run> + use<>, Box<dyn Error>> {
    let path = format!("{}/../../../data/scenarios/{model}.toml", env!("CARGO_MANIFEST_DIR"));
    let scenario = Scenario::from_toml(&fs::read_to_string(path)?)?;
    let runs = match model {
        "overload" => 50_000,
        _ => 1_000,
    };
    let mut block = seed << 32;
    Ok(move || {
        block += 1;
        let config = RunConfig {
            generator: Some(Generator::Philox),
            threads: Some(1),
            ..RunConfig::new(Plan::Runs { seed: block, runs })
        };
        let runs = simulate(&scenario, &["full"], &config).expect("a bundled scenario");
        let column = |name| runs.column("full", name).expect("every service has it");
        let finish = column("finish_s").into_iter().map(|second| (!second.is_nan()).then_some(second));
        column("attempts").into_iter().zip(finish).collect()
    })
}
