//! A delay that grows past a day, with nothing that ends it.

use super::{Finding, Lint, duration, place::places, sample::typical_delays};
use crate::policy::{Policy, stage::Stage, stop::Stop};

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// Retries that are looked at.
const FAR: u32 = 10_000;

pub(super) fn check(policy: &Policy) -> Option<Finding> {
    if is_limited(policy) {
        return None;
    }
    let (n, delay) = (1_u32..).zip(typical_delays(policy, FAR)).find(|(_, delay)| *delay > DAY)?;
    Some(Finding {
        lint: Lint::NoCapNoLimit,
        field: "delay".into(),
        number: f64::from(n),
        unit: "retry",
        message: format!(
            "nothing ends the retries, and the delay before retry {n} is {}",
            duration(delay.round())
        ),
        cure: "a cap before the jitter, or a stop rule: attempts, elapsed or deadline".into(),
    })
}

fn is_limited(policy: &Policy) -> bool {
    let Stop { elapsed, deadline, .. } = policy.stop;
    let is_bound = |stage: &Stage| match stage {
        Stage::Cap(_) | Stage::Latch(_) => true,
        Stage::Uniform(uniform) => uniform.hi.max.is_some(),
        _ => false,
    };
    policy.stop.max_attempts() < u32::MAX
        || elapsed.is_some()
        || deadline.is_some()
        || places(policy).iter().any(|place| is_bound(place.stage))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::tests::{all, delay, only};

    const LINT: Lint = Lint::NoCapNoLimit;

    #[test]
    fn doubling_from_a_second_passes_a_day_at_the_eighteenth_retry() {
        let finding = only(&delay(r#"[{ exp = { base = "1s" } }]"#), LINT);
        assert_eq!(finding.number, 18.0);
        assert_eq!(finding.message, "nothing ends the retries, and the delay before retry 18 is 36h 24m 32s");
    }

    #[test]
    fn tokio_retrys_from_millis_passes_it_at_the_fifth() {
        assert_eq!(
            only(&delay(r#"[{ exp = { base = "100ms", factor = 100 } }, { jitter = [0, 1] }]"#), LINT).number,
            5.0
        );
    }

    #[test]
    fn not_with_a_limit_nor_without_growth() {
        let endless = r#"[{ exp = { base = "1s" } }]"#;
        let second = std::time::Duration::from_secs(1);
        assert_eq!(all(&delay(endless).attempts(100), LINT), []);
        assert_eq!(all(&delay(endless).deadline(second), LINT), []);
        assert_eq!(all(&delay(endless).cap(second), LINT), []);
        assert_eq!(all(&delay(r#"[{ const = "5s" }]"#), LINT), []);
    }
}
