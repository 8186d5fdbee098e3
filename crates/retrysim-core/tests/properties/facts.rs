//! Exact facts of the published models, for parameters and seeds that nobody published.

use proptest::prelude::*;
use retrysim_core::{
    Generator, Plan, Policy, RunConfig, Scenario, Span,
    draw::{Draws, Mulberry32, Philox, Purpose, Stream},
    policy::budget::{Bucket, Budget, Credit, Debit, Gate, Scope},
    record::{Attempt, Outcome, Recorder},
    scenario::{Burst, Workload},
    service::{Outage, Service},
    simulate,
};

use crate::{bundled, cases, run, watch};

/// When requests were served.
#[derive(Default)]
struct Served(Vec<f64>);

impl Recorder for Served {
    fn attempt(&mut self, attempt: &Attempt<'_>) {
        if attempt.outcome == Outcome::Ok {
            self.0.push(attempt.start);
        }
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn a_window_serves_its_capacity_and_an_outage_nobody(
        clients in 1_u32..300,
        spread in 0_i64..800,
        (window, capacity) in (10_i64..400, 0_u32..40),
        (from, length) in (0_i64..900, 0_i64..900),
        policy in 0_usize..3,
        seed: u64,
    ) {
        let mut scenario = bundled("burst");
        scenario.policy.swap_indices(0, policy);
        scenario.workload = Workload::Burst(Burst::new(clients, Span::from_millis(spread)));
        let Service::WindowCapacity(service) = &mut scenario.service else { unreachable!("burst") };
        service.window = Span::from_millis(window);
        service.capacity = capacity;
        let until = from + length;
        service.outages = vec![Outage { from: Span::from_millis(from), until: Span::from_millis(until) }];
        let mut served = Served::default();
        watch(&scenario, seed, &mut served);
        let mut windows = std::collections::BTreeMap::<i64, u32>::new();
        for at in served.0 {
            prop_assert!(at < ms(from) || at >= ms(until), "served at {} in the outage", at);
            let number = (0..).find(|k| at < ms(window * (k + 1))).unwrap();
            *windows.entry(number).or_default() += 1;
        }
        prop_assert!(windows.values().all(|served| *served <= capacity), "{:?}", windows);
    }

    #[test]
    fn a_request_budget_bounds_attempts_and_every_thousand_calls(
        (calls, probability) in (1_u32..4_000, 0.0..=1.0_f64),
        (size, share, refill) in (0.0..200.0_f64, 0.0..=1.0_f64, 0.0..1.0_f64),
        seed: u64,
    ) {
        let mut scenario = bundled("amplification");
        scenario.workload = Workload::Burst(Burst::new(calls, Span::ZERO));
        let Service::Failures(service) = &mut scenario.service else { unreachable!("failures") };
        service.probability = probability;
        let bucket = Bucket {
            size,
            start: Some(share * size),
            gate: Gate::Cost,
            debit: Debit::OnRetry,
            cost: 1.0.into(),
            credit: Credit { request: refill, ..Credit::default() },
            scope: Scope::Process,
        };
        let policy = Policy::constant(Span::from_millis(10)).attempts(4).budget(Budget::Bucket(bucket));
        scenario.policy = [("budget".to_owned(), policy)].into_iter().collect();
        let runs = run(&scenario, seed, 1, 1);
        let value = |column| runs.column("budget", column).unwrap()[0];
        let calls = f64::from(calls);
        // Sums of refills are rounded.
        let rounding = 1e-9 * calls;
        prop_assert!(value("attempts") <= calls * (1.0 + refill) + share * size + rounding);
        prop_assert!(value("busiest_1000") <= size + refill * calls.min(1_000.0) + rounding);
    }
}

fn ms(ms: i64) -> f64 {
    f64::from(i32::try_from(ms).unwrap())
}

/// Every run of `policy`: the named columns.
fn columns<const N: usize>(scenario: &Scenario, policy: &str, runs: u64, names: [&str; N]) -> Vec<[f64; N]> {
    let runs = simulate(scenario, &[policy], &RunConfig::new(Plan::Runs { seed: 31, runs })).unwrap();
    let columns = names.map(|name| runs.column(policy, name).unwrap());
    (0..columns[0].len()).map(|i| std::array::from_fn(|k| columns[k][i])).collect()
}

#[test]
fn six_clients_with_full_jitter() {
    let names = ["attempts", "successes", "first_success_attempt", "finish_s"];
    for [attempts, successes, first, finish] in columns(&bundled("overload"), "full", 20_000, names) {
        assert!((18.0..=30.0).contains(&attempts), "{attempts} attempts");
        assert!(first.is_nan() || first >= 3.0, "a success on attempt {first}");
        assert!(
            attempts > 22.0 || (successes - 6.0).abs() < 0.5,
            "{attempts} attempts, {successes} successes"
        );
        assert!(finish.is_nan() || finish <= 2.0, "finished after {finish} s");
    }
}

#[test]
fn two_hundred_clients_make_at_most_eight_attempts_each() {
    let scenario = bundled("burst");
    for policy in scenario.policy.keys() {
        let names = ["attempts", "successes", "gave_up", "last_success_s"];
        for [attempts, successes, gave_up, last] in columns(&scenario, policy, 100, names) {
            assert!((200.0..=1_600.0).contains(&attempts), "{policy}: {attempts} attempts");
            assert!((successes + gave_up - 200.0).abs() < 0.5, "{policy}: {successes} and {gave_up}");
            assert!(last >= 0.6, "{policy}: served at {last} s");
        }
    }
}

/// How many devices first send in each tick of 100 ms.
fn cohorts<D: Draws>(mut draws: D) -> Vec<u32> {
    let mut cohorts = vec![0; 21];
    for device in 0..2_000 {
        let due = 2_000.0 * draws.at(Purpose::Start, device, 0).unit();
        cohorts[(0..).find(|tick| 100.0 * f64::from(*tick) >= due).unwrap() as usize] += 1;
    }
    cohorts
}

/// Requests of `waves` waves when each wave serves 12 of a cohort.
fn sent(cohorts: &[u32], waves: u32) -> u32 {
    cohorts.iter().flat_map(|cohort| (0..waves).map(move |wave| cohort.saturating_sub(12 * wave))).sum()
}

#[test]
fn devices_without_jitter_stay_in_their_cohorts() {
    let scenario = bundled("devices");
    for seed in [1, 20, 300] {
        for (generator, cohorts) in [
            (Generator::Mulberry32, cohorts(Mulberry32::new(u32::try_from(seed).unwrap()))),
            (Generator::Philox, cohorts(Philox::new(seed, 0))),
        ] {
            let policies = ["fixed_5s", "exponential", "retry_after_obeyed", "exponential_cap_300s"];
            let config = RunConfig { generator: Some(generator), ..RunConfig::new(Plan::Seeds(vec![seed])) };
            let runs = simulate(&scenario, &policies, &config).unwrap();
            let peak = 10 * cohorts.iter().max().unwrap();
            for policy in policies {
                // A cap of 300 s leaves room for seven waves before the horizon.
                let waves = if policy == "exponential_cap_300s" { 7 } else { 100 };
                let value = |column| runs.column(policy, column).unwrap()[0];
                assert_eq!(
                    value("sent_after_recovery"),
                    f64::from(sent(&cohorts, waves)),
                    "{policy}, seed {seed}"
                );
                assert_eq!(value("peak_qps"), f64::from(peak), "{policy}, seed {seed}");
            }
            if cohorts[1..].iter().all(|cohort| *cohort >= 72) {
                assert_eq!(sent(&cohorts, 7), 8_960);
            }
        }
    }
}

#[test]
fn no_device_policy_beats_the_capacity() {
    let scenario = bundled("devices");
    for policy in scenario.policy.keys() {
        for [t50, t99] in columns(&scenario, policy, 4, ["t50_s", "t99_s"]) {
            assert!(t50 >= 38.3 - 1e-9, "{policy}: half after {t50} s");
            assert!(t99.is_nan() || t99 >= 46.4 - 1e-9, "{policy}: 99 % after {t99} s");
        }
    }
}
