//! A limit after the last random stage: clients that reach it wait exactly the same time.

use super::{
    Finding, Lint, clients, duration,
    place::{Place, places, without},
    sample::{HALF, Retry, sample},
};
use crate::{
    measure::{Lumps, from_nanos},
    policy::{Policy, stage::Stage},
};

/// A share below this is no mass.
const LITTLE: f64 = 0.05;

/// A share from here on is everybody.
const ALL: f64 = 0.995;

/// Clients that a limit makes wait the same time before one retry.
struct Mass {
    n: u32,
    share: f64,
    secs: f64,
}

pub(super) fn check(policy: &Policy) -> Option<Finding> {
    let places = places(policy);
    let limits = limits(&places);
    let last = limits.last()?;
    let stages: Vec<&Stage> = limits.iter().map(|limit| limit.stage).collect();
    let masses: Vec<Mass> = sample(policy, &without(policy, &stages)).iter().filter_map(mass).collect();
    let first = |share: f64| masses.iter().find(|mass| mass.share >= share);
    let largest = masses.iter().max_by(|a, b| a.share.total_cmp(&b.share))?;
    let at = first(HALF).unwrap_or(largest);
    let Mass { n, share, secs } = at;
    let waiting = format!("{} wait exactly {}", clients(*share), duration(*secs));
    let all = first(ALL).filter(|all| all.n > *n).map(|all| format!(", all at retry {}", all.n));
    let (number, unit, message) = if *share >= HALF {
        let message = format!("{waiting} at retry {n}{}", all.unwrap_or_default());
        (f64::from(*n), "retry", message)
    } else {
        (share * 100.0, "% of clients", format!("up to {waiting} (retry {n})"))
    };
    Some(Finding {
        lint: Lint::CapAfterJitter,
        field: format!(
            "{}.{}",
            last.path,
            if matches!(last.stage, Stage::Latch(_)) { "latch" } else { "cap" }
        ),
        number,
        unit,
        message,
        cure: "put the cap before the jitter, divided by the jitter's upper end if it must not be exceeded"
            .into(),
    })
}

/// Caps after the last random stage, and sticky maxima wherever they are, since they skip what follows.
fn limits<'p, 'a>(places: &'p [Place<'a>]) -> Vec<&'p Place<'a>> {
    let Some(random) = places.iter().rposition(|place| place.stage.draws()) else { return Vec::new() };
    let is_limit = |(index, place): &(usize, &Place)| match place.stage {
        Stage::Cap(_) => *index > random,
        Stage::Latch(_) => true,
        _ => false,
    };
    places.iter().enumerate().filter(is_limit).map(|(_, place)| place).collect()
}

/// The commonest delay, if some of those who wait it would wait longer without the limits.
fn mass(retry: &Retry) -> Option<Mass> {
    let mut sorted = retry.own.clone();
    sorted.sort_unstable();
    let Lumps { commonest, share, .. } = Lumps::of(&sorted);
    let is_limited = |(own, other): (&u64, &u64)| *own == commonest && other > own;
    let made = share >= LITTLE && retry.own.iter().zip(&retry.other).any(is_limited);
    made.then_some(Mass { n: retry.n, share, secs: from_nanos(commonest) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::tests::{all, delay, only};

    const LINT: Lint = Lint::CapAfterJitter;

    fn found(toml: &str) -> (f64, String) {
        let finding = only(&delay(toml), LINT);
        assert_eq!(finding.unit, "retry");
        (finding.number, finding.message)
    }

    #[test]
    fn socket_io_loses_all_jitter_at_the_fifth_retry() {
        let (number, message) =
            found(r#"[{ exp = { base = "1s" } }, { special = "backo2_half" }, { cap = "5s" }]"#);
        assert_eq!(
            (number, message.as_str()),
            (4.0, "90 % of the clients wait exactly 5s at retry 4, all at retry 5")
        );
    }

    #[test]
    fn kafkajs_resilience4j_stamina_tower() {
        let kafkajs = r#"[{ prev = { first = "300ms", factor = 1 } }, { jitter = [0.8, 1.2] },
            { quantum = { unit = "1ms", round = "ceil" } },
            { only_n = { from = 2, stages = [{ scale = 2 }, { cap = "30s" }] } }]"#;
        let masses: Vec<f64> = masses(kafkajs);
        assert!((masses[8] - 0.99).abs() < 0.01, "{}", masses[8]);
        assert_eq!(only(&delay(kafkajs), LINT).field, "delay[3].only_n.stages[1].cap");
        let (number, message) = found(
            r#"[{ exp = { base = "500ms", factor = 1.5 } }, { jitter = [0.5, 1.5] }, { cap = "10s" }]"#,
        );
        assert_eq!(number, 9.0);
        assert!(message.contains("all at retry 11"), "{message}");
        let (_, message) = found(r#"[{ exp = { base = "100ms" } }, { add = ["0s", "1s"] }, { cap = "5s" }]"#);
        assert!(message.contains("at retry 7"), "{message}");
        let (number, message) = found(
            r#"[{ exp = { base = "1s" } }, { cap = "60s" }, { special = { split_seconds = [0, 0.99] } }, { cap = "60s" }]"#,
        );
        assert_eq!(number, 7.0, "{message}");
    }

    fn masses(toml: &str) -> Vec<f64> {
        let policy = delay(toml);
        let places = places(&policy);
        let stages: Vec<&Stage> = limits(&places).iter().map(|limit| limit.stage).collect();
        let retries = sample(&policy, &without(&policy, &stages));
        retries.iter().map(|retry| mass(retry).map_or(0.0, |mass| mass.share)).collect()
    }

    #[test]
    fn half_of_kafkas_clients_for_ever() {
        let (number, message) = found(
            r#"[{ exp = { base = "100ms" } }, { cap = "1s" }, { jitter = [0.8, 1.2] }, { cap = "1s" }]"#,
        );
        assert_eq!(number, 5.0, "{message}");
        assert!(!message.contains("all at"), "{message}");
    }

    #[test]
    fn a_latch_before_the_jitter_skips_it() {
        let finagle = r#"[{ prev = { first = "1s", factor = 2, pow_n = true } },
            { only_n = { from = 2, stages = [{ latch = "32s" }, { jitter = [0, 1] }] } }]"#;
        let (number, message) = found(finagle);
        assert_eq!(number, 5.0);
        assert!(message.contains("exactly 32s"), "{message}");
        assert!((masses(finagle)[4] - 0.68).abs() < 0.02);
    }

    #[test]
    fn a_third_of_decorrelated_clients_is_a_share() {
        let policy = delay(
            r#"[{ prev = { first = "5ms" } }, { uniform = { lo = { abs = "5ms" }, hi = { prev = 3 } } }, { cap = "200ms" }]"#,
        );
        let finding = only(&policy, LINT);
        assert_eq!(finding.unit, "% of clients");
        assert!((finding.number - 36.0).abs() < 2.0, "{}", finding.number);
    }

    #[test]
    fn not_within_few_attempts_nor_for_caps_before_jitter_or_without_any() {
        let capped = r#"[{ exp = { base = "1s" } }, { jitter = [0.5, 1.5] }, { cap = "10s" }]"#;
        assert_eq!(all(&delay(capped).attempts(4), LINT), []);
        let secs = std::time::Duration::from_secs;
        assert_eq!(all(&delay(capped).deadline(secs(8)), LINT), []);
        assert_eq!(
            all(&delay(r#"[{ exp = { base = "1s" } }, { cap = "10s" }, { jitter = [0.5, 1.5] }]"#), LINT),
            []
        );
        assert_eq!(all(&delay(r#"[{ exp = { base = "1s" } }, { cap = "10s" }]"#), LINT), []);
    }
}
