//! Runs that are made together, for totals, give what each gives by itself.

use std::ops::ControlFlow;

use proptest::prelude::*;
use retrysim_core::{
    Plan, Policy, RunConfig, Span,
    record::Recorder,
    scenario::{Burst, Workload},
    service::Service,
    simulate,
    simulate::record,
};

use super::{bits, bundled, cases, generate};

/// Somebody who looks on: then runs are made one by one, in the order of events.
struct Onlooker;

impl Recorder for Onlooker {}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn an_onlooker_changes_nothing(
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

        let config = RunConfig::new(Plan::Runs { seed, runs });
        let config = RunConfig { generator: Some(retrysim_core::Generator::Philox), threads: Some(1), ..config };
        let policies = ["mine", "without_jitter"];
        let together = simulate(&scenario, &policies, &config).unwrap();
        let (each, _) =
            record(&scenario, &policies, &config, || Onlooker, &|| ControlFlow::Continue(())).unwrap();
        prop_assert_eq!(bits(&together.values), bits(&each.values));
    }
}
