//! A floor that takes all jitter from the first retry.

use super::{
    Finding, Lint,
    place::{Place, places, without},
    sample::first_delays,
};
use crate::{
    measure::Lumps,
    policy::{Policy, stage::Stage},
};

pub(super) fn check(policy: &Policy) -> Vec<Finding> {
    places(policy).iter().filter_map(|place| finding(policy, place)).collect()
}

fn finding(policy: &Policy, place: &Place) -> Option<Finding> {
    let Stage::Floor(floor) = place.stage else { return None };
    let values = |policy: &Policy| Lumps::of(&first_delays(policy)).distinct;
    if values(policy) != 1 || values(&without(policy, &[place.stage])) < 2 {
        return None;
    }
    Some(Finding {
        lint: Lint::FloorEqualsFirstValue,
        field: format!("{}.floor", place.path),
        number: floor.secs(),
        unit: "s",
        message: format!(
            "no first delay that is drawn is longer than the floor of {floor}: all clients wait the same"
        ),
        cure: "a lower floor, or the floor before the jitter".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::tests::{all, delay, only};

    const LINT: Lint = Lint::FloorEqualsFirstValue;

    #[test]
    fn stripes_floor_is_the_first_ceiling() {
        let stripe =
            r#"[{ exp = { base = "500ms" } }, { cap = "5s" }, { jitter = [0.5, 1] }, { floor = "500ms" }]"#;
        let finding = only(&delay(stripe).retries(2), LINT);
        assert_eq!((finding.field.as_str(), finding.number, finding.unit), ("delay[3].floor", 0.5, "s"));
    }

    #[test]
    fn tenacitys_minimum_is_both_ends_of_the_draw() {
        let tenacity = r#"[{ exp = { base = "1s" } }, { cap = "10s" }, { floor = "4s" },
            { uniform = { lo = { abs = "4s" }, hi = { v = 1 } } }]"#;
        assert_eq!(only(&delay(tenacity), LINT).number, 4.0);
    }

    #[test]
    fn not_for_a_lower_floor_nor_without_jitter() {
        let lower = r#"[{ exp = { base = "500ms" } }, { jitter = [0.5, 1] }, { floor = "400ms" }]"#;
        let unjittered = r#"[{ exp = { base = "500ms" } }, { floor = "500ms" }]"#;
        let headed = r#"[{ exp = { base = "500ms" } }, { jitter = [0.5, 1] }, { floor = "500ms" }, { head = ["1s"] }]"#;
        for toml in [lower, unjittered, headed] {
            assert_eq!(all(&delay(toml), LINT), []);
        }
    }
}
