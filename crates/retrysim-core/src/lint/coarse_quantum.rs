//! Rounding that leaves few values of the jitter.

use super::{
    Finding, Lint, duration,
    place::{Place, places, without},
    sample::{Retry, sample},
};
use crate::{
    measure::{Lumps, from_nanos, spread},
    policy::{
        Policy,
        stage::{Quantum, Stage},
    },
};

/// A unit may be this much of the spread (5 to 95 %) that the delay has without rounding.
const SHARE: f64 = 0.1;

pub(super) fn check(policy: &Policy) -> Vec<Finding> {
    places(policy).iter().filter_map(|place| finding(policy, place)).collect()
}

fn finding(policy: &Policy, place: &Place) -> Option<Finding> {
    let Stage::Quantum(Quantum { unit, .. }) = place.stage else { return None };
    let (n, values) = sample(policy, &without(policy, &[place.stage]))
        .into_iter()
        .filter(|retry| is_coarse(unit.secs(), &retry.other))
        .map(values)
        .min_by_key(|(_, values)| *values)?;
    let (values_are, unit) = (if values == 1 { "value is" } else { "values are" }, duration(unit.secs()));
    Some(Finding {
        lint: Lint::CoarseQuantum,
        field: format!("{}.quantum", place.path),
        number: f64::from(values),
        unit: "values",
        message: format!("{values} different {values_are} left before retry {n}, in steps of {unit}"),
        cure: "a finer unit, at most a tenth of the jitter".into(),
    })
}

/// Whether a unit is large beside the spread of delays that aren't rounded.
fn is_coarse(unit: f64, delays: &[u64]) -> bool {
    let mut sorted: Vec<f64> = delays.iter().copied().map(from_nanos).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let spread = spread(&sorted);
    spread > 0.0 && unit > SHARE * spread
}

/// A retry's number and how many different delays it has.
fn values(mut retry: Retry) -> (u32, u32) {
    retry.own.sort_unstable();
    (retry.n, u32::try_from(Lumps::of(&retry.own).distinct).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::tests::{all, delay, only};

    const LINT: Lint = Lint::CoarseQuantum;

    #[test]
    fn sidekiq_has_ten_values_before_its_first_retry() {
        let sidekiq = r#"[{ poly = { power = 4, offset = "15s" } },
            { uniform = { lo = { v = 1 }, hi = { v = 1, n = "10s" } } }, { quantum = { unit = "1s", round = "floor" } }]"#;
        let finding = only(&delay(sidekiq), LINT);
        assert_eq!((finding.field.as_str(), finding.number), ("delay[2].quantum", 10.0));
        assert_eq!(finding.message, "10 different values are left before retry 1, in steps of 1s");
    }

    #[test]
    fn celery_has_two() {
        let celery = r#"[{ exp = { base = "1s" } }, { cap = "600s" },
            { uniform = { lo = {}, hi = { abs = "1s", v = 1 } } }, { quantum = { unit = "1s", round = "floor" } }]"#;
        assert_eq!(only(&delay(celery), LINT).number, 2.0);
    }

    #[test]
    fn milliseconds_are_fine_even_where_a_cap_leaves_one_value() {
        let envoy = r#"[{ exp = { base = "25ms" } }, { cap = "250ms" }, { jitter = [0, 1] },
            { quantum = { unit = "1ms", round = "floor" } }]"#;
        let p_retry = r#"[{ exp = { base = "1s" } }, { jitter = [1, 2] },
            { quantum = { unit = "1ms", round = "round" } }, { cap = "30s" }]"#;
        let unjittered = r#"[{ exp = { base = "1s" } }, { quantum = { unit = "1s", round = "floor" } }]"#;
        for toml in [envoy, p_retry, unjittered] {
            assert_eq!(all(&delay(toml), LINT), []);
        }
    }
}
