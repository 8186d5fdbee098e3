//! At least half of the clients make their first retry after exactly the same delay.

use super::{
    Finding, Lint, clients, duration,
    place::places,
    sample::{HALF, RETRIES, first_delays, typical_delays},
};
use crate::{
    measure::{Lumps, from_nanos},
    policy::Policy,
};

pub(super) fn check(policy: &Policy) -> Option<Finding> {
    let Lumps { commonest, share, .. } = Lumps::of(&first_delays(policy));
    if share < HALF {
        return None;
    }
    let wait = duration(from_nanos(commonest));
    let message = if places(policy).iter().any(|place| place.stage.draws()) {
        format!("{} wait exactly {wait} before the first retry", clients(share))
    } else if never_waits(policy) {
        format!("no retry waits: {} make all retries at once", clients(share))
    } else {
        format!("no retry is jittered: {} wait exactly {wait} before the first", clients(share))
    };
    Some(Finding {
        lint: Lint::UnjitteredFirstRetry,
        field: culprit(policy),
        number: share * 100.0,
        unit: "% of clients",
        message,
        cure: "a delay that ends with a random stage, such as { jitter = [0.5, 1] }".into(),
    })
}

/// The stage that takes the spread from the first delay; the whole delay if no stage gives it any.
fn culprit(policy: &Policy) -> String {
    let is_spread = |stages: &usize| {
        let delay = policy.delay[..*stages].to_vec();
        Lumps::of(&first_delays(&Policy { delay, ..policy.clone() })).share < HALF
    };
    let spread = (1..policy.delay.len()).rev().find(is_spread);
    spread.map_or_else(|| "delay".into(), |stages| format!("delay[{stages}]"))
}

/// Whether all delays of a policy that draws nothing are zero.
fn never_waits(policy: &Policy) -> bool {
    typical_delays(policy, RETRIES).all(|delay| delay == 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::tests::{all, delay, only};

    const LINT: Lint = Lint::UnjitteredFirstRetry;

    #[track_caller]
    fn finds(toml: &str, field: &str, message: &str) {
        let finding = only(&delay(toml), LINT);
        assert_eq!((finding.field.as_str(), finding.message.as_str()), (field, message));
    }

    #[test]
    fn a_floor_a_head_or_truncation_undo_the_jitter() {
        let half_a_second = "all clients wait exactly 500ms before the first retry";
        let stripe =
            r#"[{ exp = { base = "500ms" } }, { cap = "5s" }, { jitter = [0.5, 1] }, { floor = "500ms" }]"#;
        finds(stripe, "delay[3]", half_a_second);
        let urllib3 =
            r#"[{ exp = { base = "1s" } }, { add = ["0s", "2s"] }, { cap = "20s" }, { head = ["0s"] }]"#;
        finds(urllib3, "delay[3]", "all clients wait exactly 0s before the first retry");
        let tower = r#"[{ exp = { base = "1s" } }, { cap = "60s" }, { special = { split_seconds = [0, 0.5] } }, { cap = "60s" }]"#;
        finds(tower, "delay", "all clients wait exactly 1s before the first retry");
        let object_store = r#"[{ prev = { first = "100ms" } }, { only_n = { from = 2, stages =
            [{ uniform = { lo = { abs = "100ms" }, hi = { prev = 2 } } }, { cap = "15s" }] } }]"#;
        finds(object_store, "delay", "all clients wait exactly 100ms before the first retry");
    }

    #[test]
    fn half_of_the_clients() {
        let celery = r#"[{ exp = { base = "1s" } }, { cap = "600s" },
            { uniform = { lo = {}, hi = { abs = "1s", v = 1 } } }, { quantum = { unit = "1s", round = "floor" } }]"#;
        let finding = only(&delay(celery), LINT);
        assert!((finding.number - 50.0).abs() < 2.0, "{finding:?}");
        assert_eq!(finding.field, "delay[3]");
        let rust = r#"[{ exp = { base = "100ms" } }, { special = "rust_exponential_backoff_30" }, { floor = "100ms" }]"#;
        let finding = only(&delay(rust), LINT);
        assert!((finding.number - 50.0).abs() < 2.0, "{finding:?}");
        assert_eq!(finding.field, "delay[2]");
    }

    #[test]
    fn without_a_random_stage() {
        finds(
            r#"[{ exp = { base = "1s" } }, { cap = "100s" }]"#,
            "delay",
            "no retry is jittered: all clients wait exactly 1s before the first",
        );
        let at_once = "no retry waits: all clients make all retries at once";
        finds(r#"[{ const = "0s" }]"#, "delay", at_once);
        assert_eq!(only(&Policy::immediate().retries(1), LINT).message, at_once);
    }

    #[test]
    fn not_with_jitter() {
        assert_eq!(all(&delay(r#"[{ exp = { base = "1s" } }, { jitter = [0.8, 1.2] }]"#), LINT), []);
    }
}
