//! A random walk whose typical step is no growth.
//!
//! A walk multiplies the last delay by a random number. Its mean grows with the mean of that number, but the
//! typical client's delay with `exp` of the mean of its logarithm, which for `U(0, f)` is `ln f - 1`.

use super::{Finding, Lint, place::places};
use crate::policy::{
    Policy,
    stage::{Stage, Uniform},
};

/// What a walk multiplies the last delay by.
struct Walk {
    path: String,
    /// The largest multiplier.
    factor: f64,
    /// The mean of the multiplier's logarithm.
    log: f64,
    /// Whether it is random at all.
    draws: bool,
}

pub(super) fn check(policy: &Policy) -> Option<Finding> {
    let Walk { path, factor, log, .. } = walk(policy).filter(|walk| walk.draws && walk.log <= 0.0)?;
    let growth = libm::exp(log);
    Some(Finding {
        lint: Lint::PrevFactorBelowE,
        field: path,
        number: factor,
        unit: "factor",
        message: format!(
            "at most {factor} times the last delay is typically {growth:.3} times per retry: no backoff"
        ),
        cure: "a factor above e = 2.718 (3 gives 1.104 per retry), or exp, whose growth no draw takes back"
            .into(),
    })
}

/// The multiplier that the stages make up together; `None` if the delay isn't one of the last delay.
fn walk(policy: &Policy) -> Option<Walk> {
    let mut walk: Option<Walk> = None;
    for place in places(policy) {
        let path = place.path;
        walk = match (place.stage, walk) {
            (Stage::Prev(prev), _) if !prev.pow_n => {
                let path = format!("{path}.prev.factor");
                Some(Walk { path, factor: prev.factor, log: libm::log(prev.factor), draws: false })
            }
            (Stage::Uniform(Uniform { lo, hi, .. }), _) if lo.v == 0.0 && hi.v == 0.0 && hi.prev > 0.0 => {
                let path = format!("{path}.uniform.hi.prev");
                Some(Walk { path, factor: hi.prev, log: mean_log(lo.prev, hi.prev), draws: true })
            }
            (Stage::Uniform(Uniform { lo, hi, .. }), walk) if lo.prev == 0.0 && hi.prev == 0.0 => {
                walk.map(|walk| walk.times(lo.v, hi.v))
            }
            (Stage::Jitter([lo, hi]), walk) => walk.map(|walk| walk.times(*lo, *hi)),
            (Stage::Scale(factor), walk) => walk.map(|walk| Walk {
                factor: walk.factor * factor,
                log: walk.log + libm::log(*factor),
                ..walk
            }),
            (stage, _) if stage.is_source() || matches!(stage, Stage::Uniform(_) | Stage::Special(_)) => None,
            (_, walk) => walk,
        };
    }
    walk
}

impl Walk {
    /// The multiplier times `U(lo, hi)`.
    fn times(self, lo: f64, hi: f64) -> Self {
        Self { factor: self.factor * lo.max(hi), log: self.log + mean_log(lo, hi), draws: true, ..self }
    }
}

/// The mean of the logarithm of `U(lo, hi)`: `(hi ln hi - lo ln lo) / (hi - lo) - 1`.
fn mean_log(lo: f64, hi: f64) -> f64 {
    let part = |x: f64| if x > 0.0 { x * libm::log(x) } else { 0.0 };
    let equal = (hi - lo).abs() <= 1e-9 * hi;
    if equal { libm::log(hi) } else { (part(hi) - part(lo)) / (hi - lo) - 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::tests::{all, delay, only};

    const LINT: Lint = Lint::PrevFactorBelowE;

    fn decorrelated(factor: f64) -> Policy {
        delay(&format!(
            r#"[{{ prev = {{ first = "100ms" }} }}, {{ only_n = {{ from = 2, stages =
                [{{ uniform = {{ lo = {{ abs = "100ms" }}, hi = {{ prev = {factor} }} }} }}, {{ cap = "15s" }}] }} }}]"#
        ))
    }

    #[test]
    fn object_store_does_not_back_off() {
        let finding = only(&decorrelated(2.0), LINT);
        assert_eq!(
            (finding.field.as_str(), finding.number),
            ("delay[1].only_n.stages[0].uniform.hi.prev", 2.0)
        );
        assert_eq!(
            finding.message,
            "at most 2 times the last delay is typically 0.736 times per retry: no backoff"
        );
    }

    #[test]
    fn aws_grows_by_a_tenth() {
        assert_eq!(all(&decorrelated(3.0), LINT), []);
        assert!((libm::exp(mean_log(0.0, 3.0)) - 1.104).abs() < 5e-4);
    }

    #[test]
    fn full_jitter_on_the_last_delay_shrinks_it() {
        let finding = only(&delay(r#"[{ prev = { first = "1s", factor = 2 } }, { jitter = [0, 1] }]"#), LINT);
        assert_eq!((finding.field.as_str(), finding.number), ("delay[0].prev.factor", 2.0));
    }

    #[test]
    fn walks_that_grow() {
        let grpc_js =
            r#"[{ prev = { first = "1s", factor = 1.6 } }, { cap = "120s" }, { jitter = [0.8, 1.2] }]"#;
        let finagle = r#"[{ prev = { first = "5ms" } },
            { uniform = { lo = { prev = 1 }, hi = { prev = 3, max = "200ms" } } }]"#;
        for toml in [grpc_js, finagle, r#"[{ prev = { first = "1s" } }]"#, r#"[{ exp = { base = "1s" } }]"#] {
            assert_eq!(all(&delay(toml), LINT), []);
        }
    }
}
