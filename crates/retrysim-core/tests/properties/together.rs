//! Runs for totals alone, which are made side by side where that is possible, give what each gives in the order of events.

use std::ops::ControlFlow;

use proptest::prelude::*;
use retrysim_core::{
    Generator, Plan, Policy, RunConfig, Scenario, Span,
    latency::Latency,
    record::Recorder,
    scenario::{Arrivals, Burst, Open, Workload},
    service::{Admission, AnswersAt, Crash, Outage, Service, TickCapacity},
    simulate,
    simulate::record,
};

use super::{bits, bundled, cases, generate, scenarios::any_scenario};

/// Somebody who looks on: then runs are made one by one, in the order of events.
struct Onlooker;

impl Recorder for Onlooker {}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn an_onlooker_changes_nothing_in_flight(
        delay in generate::stages(),
        attempts in proptest::option::of(1_u32..14),
        (clients, spread) in (1_u32..10, 0_i64..600),
        (capacity, call) in (0_u32..6, 20_i64..400),
        horizon in 100_i64..20_000,
        (runs, seed) in (1_u64..90, any::<u64>()),
    ) {
        let mut scenario = bundled("overload");
        let mut policy = Policy { delay, ..Policy::default() };
        policy.stop.attempts = attempts;
        scenario.policy.clear();
        scenario.policy.insert("mine".into(), policy);
        scenario.policy.insert("without_jitter".into(), Policy::exponential(Span::from_millis(call), 2.0));
        scenario.workload = Workload::Burst(Burst::new(clients, Span::from_millis(spread)));
        scenario.horizon = Span::from_millis(horizon);
        let Service::Overload(service) = &mut scenario.service else { unreachable!("overload") };
        (service.capacity, service.call) = (capacity, Span::from_millis(call));

        same_with_an_onlooker(&scenario, &Plan::Runs { seed, runs })?;
    }

    #[test]
    fn an_onlooker_changes_nothing_in_ticks(
        delay in generate::stages(),
        (is_simple, stop, hint) in (any::<bool>(), generate::stop(), proptest::option::of(generate::hint())),
        (clients, spread, is_open) in (1_u32..120, 0_i64..600, any::<bool>()),
        (tick, capacity, retry_after) in (3_i64..200, 0_u32..8, proptest::option::of(0_i64..900)),
        (is_random, at_end) in any::<(bool, bool)>(),
        (down_from, down_for) in (0_i64..500, 0_i64..2_000),
        crash in proptest::option::of((1_i64..6, 1_u32..60, 0_i64..700)),
        horizon in 100_i64..9_000,
        seed in any::<u64>(),
    ) {
        let millis = Span::from_millis;
        let mut scenario = bundled("herd");
        let mut policy = Policy { delay, ..Policy::default() };
        if !is_simple {
            (policy.stop, policy.hint) = (stop, hint);
        }
        scenario.policy.clear();
        scenario.policy.insert("mine".into(), policy);
        scenario.policy.insert("without_jitter".into(), Policy::exponential(millis(tick), 1.5));
        scenario.horizon = millis(horizon);
        scenario.workload = if is_open {
            let mut open = Open::new(1 + clients % 9, 20.0);
            open.arrivals = Arrivals::Poisson;
            Workload::Open(open)
        } else {
            Workload::Burst(Burst::new(clients, millis(spread)))
        };
        scenario.service = Service::TickCapacity(TickCapacity {
            tick: millis(tick),
            capacity,
            admission: if is_random { Admission::Random } else { Admission::InOrder },
            answers_at: if at_end { AnswersAt::TickEnd } else { AnswersAt::TickStart },
            outages: vec![Outage { from: millis(down_from), until: millis(down_from + down_for) }],
            crash: crash.map(|(ticks, limit, downtime)| Crash {
                window: millis(ticks * tick),
                limit,
                downtime: millis(downtime),
            }),
            retry_after: retry_after.map(millis),
        });
        // Several seeds, so that every run has a key of its own.
        same_with_an_onlooker(&scenario, &Plan::Seeds(vec![seed, seed ^ 1, 7]))?;
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn an_onlooker_changes_nothing_in_contention(
        delay in generate::stages(),
        attempts in proptest::option::of(1_u32..14),
        (clients, spread) in (1_u32..40, 0_i64..60),
        (mean, sd) in (1_i64..30, 0_i64..20),
        is_normal in any::<bool>(),
        horizon in 1_i64..20_000,
        (runs, seed) in (1_u64..5, any::<u64>()),
    ) {
        let mut scenario = bundled("contention");
        let mut policy = Policy { delay, ..Policy::default() };
        policy.stop.attempts = attempts;
        scenario.policy.clear();
        scenario.policy.insert("mine".into(), policy);
        scenario.policy.insert("without_jitter".into(), Policy::exponential(Span::from_millis(mean), 2.0));
        scenario.workload = Workload::Burst(Burst::new(clients, Span::from_millis(spread)));
        scenario.horizon = Span::from_millis(horizon);
        let Service::Contention(service) = &mut scenario.service else { unreachable!("contention") };
        let (mean, sd) = (Span::from_millis(mean), Span::from_millis(sd));
        service.network = if is_normal { Latency::Normal { mean, sd } } else { Latency::Exponential { mean } };
        same_with_an_onlooker(&scenario, &Plan::Runs { seed, runs })?;
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn an_onlooker_changes_nothing_anywhere(mut scenario in any_scenario(), seed: u64) {
        // More of them share nothing.
        scenario.probe = None;
        let limited = scenario.policy.values_mut().filter(|policy| policy.stop.max_attempts() < u32::MAX);
        limited.for_each(|policy| policy.budget.clear());
        same_with_an_onlooker(&scenario, &Plan::Runs { seed, runs: 3 })?;
    }
}

/// Runs with and without an onlooker, compared to the last bit.
fn same_with_an_onlooker(scenario: &Scenario, plan: &Plan) -> Result<(), TestCaseError> {
    let config =
        RunConfig { generator: Some(Generator::Philox), threads: Some(1), ..RunConfig::new(plan.clone()) };
    let policies: Vec<&String> = scenario.policy.keys().collect();
    let alone = simulate(scenario, &policies, &config).unwrap();
    let go_on = || ControlFlow::Continue(());
    let (watched, _) = record(scenario, &policies, &config, || Onlooker, &go_on).unwrap();
    prop_assert_eq!(bits(&alone.values), bits(&watched.values));
    Ok(())
}
