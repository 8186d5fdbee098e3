//! `retrysim measure`

use std::{
    io::{BufRead, BufReader, Read},
    path::Path,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use retrysim::{
    checks,
    measure::{Measured, measure as measure_sequences},
    request::{Job, Measurement, Product, Request},
};

use crate::{
    Answer,
    cli::{Format, Measure, MeasureFrame},
    load, show,
};

pub fn measure(args: &Measure) -> Result<Answer> {
    let Some(path) = &args.sequences else {
        let name = args.policy.clone().unwrap_or_default();
        let policy = load::policy(&name)?;
        let measurement = Measurement { policy, retries: args.retries, clients: args.draws, seed: args.seed };
        if args.out.output.is_none() && args.out.format == Format::Table {
            return answer(&measurement.measure(&name)?, args);
        }
        let product = match args.frame {
            MeasureFrame::Retries => Product::Measured,
            MeasureFrame::Density => Product::Density,
        };
        return show::answer(Request { job: Job::Measure(Box::new(measurement)), product }, None, &args.out);
    };
    if let Some(output) = &args.out.output {
        bail!(
            "--output {} is not allowed with --sequences, which nothing could read again; allowed: --format csv > FILE",
            output.display()
        );
    }
    let sequences = read(path)?;
    let name = path.display().to_string();
    answer(&measure_sequences(&name, sequences, args.retries as usize)?, args)
}

fn answer(measured: &Measured, args: &Measure) -> Result<Answer> {
    let frame = match args.frame {
        MeasureFrame::Retries => checks::measured(measured)?,
        MeasureFrame::Density => checks::density(measured)?,
    };
    let mut text = show::print(&frame, args.out.format)?;
    if args.out.format == Format::Table && args.frame == MeasureFrame::Retries {
        text += &in_words(measured);
    }
    Ok(Answer { text, passed: true })
}

/// What a table of retries doesn't say.
fn in_words(measured: &Measured) -> String {
    let total = &measured.total;
    let lost = match measured.lost_jitter {
        Some(retry) => format!(
            "Jitter is lost at retry {retry}: half of the clients or more wait exactly the same there."
        ),
        None => "No retry after a spread one has a lump of half of the clients.".into(),
    };
    format!(
        "\n{lost}\nAll waits of a client: mean {:.3} s, 5 % {:.3} s, median {:.3} s, 95 % {:.3} s.\n",
        total.mean_s, total.p05_s, total.p50_s, total.p95_s
    )
}

/// Bytes of a file of delays, at the most.
const MOST_BYTES: u64 = 4 << 30;

/// Delays in seconds, a line a client.
fn read(path: &Path) -> Result<Vec<Vec<Duration>>> {
    let input: Box<dyn BufRead> = if path.as_os_str() == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(BufReader::new(std::fs::File::open(path).with_context(|| path.display().to_string())?))
    };
    let mut sequences = Vec::new();
    let mut held = 0;
    // A line that never ends is one that is too long.
    let mut input = input.take(MOST_BYTES);
    for (number, line) in (1..).zip(input.by_ref().lines()) {
        let line = line.with_context(|| format!("{}, line {number}", path.display()))?;
        let delays = line
            .split(|c: char| c == ',' || c.is_whitespace())
            .filter(|text| !text.is_empty())
            .map(|text| delay(text).with_context(|| format!("{}, line {number}", path.display())))
            .collect::<Result<Vec<Duration>>>()?;
        held += delays.len().max(1);
        if held > retrysim::measure::MOST_DELAYS {
            bail!("{}: too many delays; allowed: at most {}", path.display(), retrysim::measure::MOST_DELAYS);
        }
        sequences.push(delays);
    }
    if input.limit() == 0 {
        bail!("{}: too long; allowed: less than {MOST_BYTES} bytes", path.display());
    }
    if sequences.is_empty() {
        bail!("{}: no line; allowed: a line a client, its delays in seconds", path.display());
    }
    Ok(sequences)
}

fn delay(text: &str) -> Result<Duration> {
    let secs: f64 = text
        .parse()
        .ok()
        .with_context(|| format!("{text:?} is no number; allowed: seconds, such as 0.25"))?;
    Duration::try_from_secs_f64(secs)
        .ok()
        .with_context(|| format!("{text} is not allowed; allowed: seconds, 0 or more and below 584 years"))
}
