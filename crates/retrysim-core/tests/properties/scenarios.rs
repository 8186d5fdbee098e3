//! Results depend on the scenario, the seed and the run, and on nothing else.

use proptest::prelude::*;
use retrysim_core::{
    Policy, Scenario, Unit,
    scenario::{Burst, Closed, Open, Workload},
    service::Service,
};

use crate::{all_bundled, bits, cases, generate, run};

/// A bundled scenario made small.
fn small() -> impl Strategy<Value = Scenario> {
    (prop::sample::select(all_bundled()), 1_u32..30, 0_i64..2_000, 1_i64..8_000).prop_map(
        |(mut scenario, clients, spread, horizon)| {
            scenario.horizon = retrysim_core::Span::from_millis(horizon);
            scenario.workload = match scenario.workload {
                Workload::Open(Open { rate, .. }) => Workload::Open(Open::new(clients, rate.min(50.0))),
                Workload::Closed(Closed { think, .. }) => Workload::Closed(Closed::new(clients, think)),
                Workload::Burst(_) => {
                    Workload::Burst(Burst::new(clients, retrysim_core::Span::from_millis(spread)))
                }
            };
            if let Some(probe) = &mut scenario.probe {
                probe.client = clients - 1;
            }
            scenario.validate().unwrap();
            scenario
        },
    )
}

pub(super) fn any_scenario() -> impl Strategy<Value = Scenario> {
    prop_oneof![small(), generate::scenario()]
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn threads_do_not_matter(scenario in any_scenario(), seed: u64) {
        let one = run(&scenario, seed, 5, 1);
        for threads in [1, 2, 7] {
            prop_assert_eq!(bits(&run(&scenario, seed, 5, threads).values), bits(&one.values));
        }
    }

    #[test]
    fn a_run_does_not_depend_on_how_many_are_made(scenario in any_scenario(), seed: u64) {
        let (few, many) = (run(&scenario, seed, 3, 2), run(&scenario, seed, 8, 2));
        for policy in scenario.policy.keys() {
            for column in &few.columns {
                let (few, many) =
                    (few.column(policy, &column.name).unwrap(), many.column(policy, &column.name).unwrap());
                prop_assert_eq!(bits(&few), bits(&many[..3]), "{} of {}", column.name, policy);
            }
        }
    }

    #[test]
    fn another_policy_changes_nothing_for_the_others(
        scenario in any_scenario(),
        other in generate::policy(),
        seed: u64,
        first: bool,
    ) {
        let alone = run(&scenario, seed, 4, 2);
        let mut joined = scenario.clone();
        joined.policy.shift_insert(if first { 0 } else { scenario.policy.len() }, "other".into(), other);
        let joined = run(&joined, seed, 4, 2);
        for policy in scenario.policy.keys() {
            for column in &alone.columns {
                let (alone, joined) =
                    (alone.column(policy, &column.name).unwrap(), joined.column(policy, &column.name).unwrap());
                prop_assert_eq!(bits(&alone), bits(&joined), "{} of {}", column.name, policy);
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(250))]

    #[test]
    fn totals_add_up(scenario in any_scenario(), seed: u64) {
        let runs = run(&scenario, seed, 2, 1);
        for policy in scenario.policy.keys() {
            let [attempts, successes, gave_up, calls, amplification] =
                ["attempts", "successes", "gave_up", "calls", "amplification"].map(|name| runs.column(policy, name).unwrap());
            let finish = runs.column(policy, "finish_s").unwrap();
            for i in 0..2 {
                prop_assert!(successes[i] + gave_up[i] <= calls[i]);
                prop_assert!(attempts[i] >= successes[i]);
                prop_assert!(finish[i].is_nan() || (successes[i] - calls[i]).abs() < 0.5);
                prop_assert!(calls[i] == 0.0 || (amplification[i] - attempts[i] / calls[i]).abs() < 1e-12);
                if everybody_starts(&scenario) && !scenario.policy[policy].compile(Unit::S).acts_on_sends() {
                    prop_assert!(attempts[i] >= calls[i]);
                }
                if let Some(attempts_allowed) = most_attempts(&scenario.policy[policy], &scenario) {
                    prop_assert!(attempts[i] <= attempts_allowed * calls[i]);
                }
            }
        }
    }
}

/// Whether all first sends come before the horizon, in a service of continuous time.
fn everybody_starts(scenario: &Scenario) -> bool {
    let burst = matches!(&scenario.workload, Workload::Burst(burst) if burst.spread < scenario.horizon);
    burst && matches!(scenario.service, Service::WindowCapacity(_) | Service::Overload(_))
}

/// Requests at the last tier that one call can lead to.
fn most_attempts(policy: &Policy, scenario: &Scenario) -> Option<f64> {
    let attempts = policy.max_attempts();
    let tiers = if let Service::Layers(layers) = &scenario.service { layers.tiers.len() } else { 1 };
    (attempts < u32::MAX).then(|| f64::from(attempts).powi(i32::try_from(tiers).unwrap()))
}
