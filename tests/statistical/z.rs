//! Comparisons in standard errors, gathered so that one failure shows all of them.

use retrysim_core::{Plan, RunConfig, Runs, Scenario, simulate::simulate};

/// A comparison fails beyond this many standard errors: 6.8e-6, two-sided.
pub const LIMIT: f64 = 4.5;

/// Runs of one policy under seed 0, on all cores.
pub fn runs(scenario: &Scenario, policy: &str, runs: u64) -> Runs {
    simulate(scenario, &[policy], &RunConfig::new(Plan::Runs { seed: 0, runs })).unwrap()
}

/// Mean, standard deviation and size of a sample; values that don't exist are left out.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub mean: f64,
    pub sd: f64,
    pub n: f64,
}

impl Sample {
    pub fn of(values: &[f64]) -> Self {
        let existing = || values.iter().copied().filter(|value| !value.is_nan());
        let n = existing().count() as f64;
        let mean = existing().sum::<f64>() / n;
        let squares: f64 = existing().map(|value| (value - mean).powi(2)).sum();
        Self { mean, sd: (squares / (n - 1.0)).sqrt(), n }
    }

    /// One column of one policy.
    pub fn column(runs: &Runs, policy: &str, column: &str) -> Self {
        Self::of(&runs.column(policy, column).unwrap())
    }

    /// Standard error of the mean.
    pub fn se(&self) -> f64 {
        self.sd / self.n.sqrt()
    }
}

/// Share of values for which a statement is true.
pub fn share(values: &[f64], statement: impl Fn(f64) -> bool) -> f64 {
    values.iter().filter(|value| statement(**value)).count() as f64 / values.len() as f64
}

/// Pearson's statistic of counts against probabilities that were themselves estimated from `reference` draws.
pub fn chi_square(counts: &[f64], probabilities: &[f64], reference: f64) -> f64 {
    let n: f64 = counts.iter().sum();
    let cell = |(count, p): (&f64, &f64)| (count - n * p).powi(2) / (n * p * (1.0 + n / reference));
    counts.iter().zip(probabilities).map(cell).sum()
}

/// Differences in standard errors.
#[derive(Debug, Default)]
pub struct Zs(Vec<(String, f64)>);

impl Zs {
    /// A difference whose standard error is `se`. Without any error left it must vanish.
    pub fn push(&mut self, label: impl Into<String>, difference: f64, se: f64) {
        let label = label.into();
        if se < 1e-12 {
            assert!(difference.abs() < 1e-9, "{label}: {difference} off, and no chance in it");
        } else {
            self.0.push((label, difference / se));
        }
    }

    /// A sample mean against an exact one, with the sample's own standard error.
    pub fn mean(&mut self, label: impl Into<String>, sample: Sample, exact: f64) {
        self.push(label, sample.mean - exact, sample.se());
    }

    /// A share of `n` against a probability known to within `se`.
    pub fn share(&mut self, label: impl Into<String>, share: f64, n: f64, p: f64, se: f64) {
        self.push(label, share - p, (p * (1.0 - p) / n + se * se).sqrt());
    }

    /// Fails if any comparison is beyond the limit; gives the mean of the squares, which is about 1.
    pub fn check(self) -> f64 {
        let far: Vec<_> = self.0.iter().filter(|(_, z)| z.is_nan() || z.abs() >= LIMIT).collect();
        assert!(far.is_empty(), "{} of {} are too far: {far:?}", far.len(), self.0.len());
        assert!(!self.0.is_empty(), "nothing was compared");
        let squares: f64 = self.0.iter().map(|(_, z)| z * z).sum();
        squares / self.0.len() as f64
    }
}
