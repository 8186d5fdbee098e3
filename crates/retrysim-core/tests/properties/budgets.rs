//! Tokens stay between nothing and the bucket's size.

use proptest::prelude::*;
use retrysim_core::{
    Policy, Span,
    policy::{
        budget::{Bucket, Budget, Debit, Gate, Scope},
        class::Class,
    },
    record::Recorder,
    scenario::{Burst, Open, Workload},
    service::{Outage, Service},
};

use crate::{bundled, cases, generate, watch};

/// Token levels of a client, step by step.
struct Levels(u32, Vec<(f64, bool)>);

impl Recorder for Levels {
    fn level(&mut self, client: u32, _: f64, tokens: f64, open: bool) {
        assert_eq!(client, self.0);
        self.1.push((tokens, open));
    }

    fn watched(&self) -> Option<u32> {
        Some(self.0)
    }
}

/// Levels of client `watched` in a short herd or stream of calls.
fn levels(bucket: &Bucket, clients: u32, watched: u32, rate: Option<f64>, seed: u64) -> Vec<(f64, bool)> {
    let mut scenario = bundled("budget");
    scenario.horizon = Span::from_secs(8);
    let Service::TickCapacity(service) = &mut scenario.service else { unreachable!("budget") };
    service.outages = vec![Outage { from: Span::ZERO, until: Span::from_secs(3) }];
    scenario.workload = match rate {
        Some(rate) => Workload::Open(Open::new(clients, rate)),
        None => Workload::Burst(Burst::new(clients, Span::from_secs(1))),
    };
    let budget = Budget::Bucket(bucket.clone());
    budget.validate().unwrap();
    let policy = Policy::constant(Span::from_millis(50)).attempts(12).budget(budget);
    scenario.policy = [("budget".to_owned(), policy)].into_iter().collect();
    let mut levels = Levels(watched, Vec::new());
    watch(&scenario, seed, &mut levels);
    assert!(!levels.1.is_empty());
    levels.1
}

proptest! {
    #![proptest_config(cases(80))]

    #[test]
    fn tokens_stay_in_the_bucket(
        bucket in generate::bucket(),
        clients in 1_u32..12,
        rate in proptest::option::of(0.0..40.0_f64),
        seed: u64,
    ) {
        // What each call has of its own is no level of a client.
        prop_assume!(!may_overdraw(&bucket) && bucket.scope != Scope::Call);
        for (tokens, open) in levels(&bucket, clients, clients - 1, rate, seed) {
            prop_assert!((0.0..=bucket.size).contains(&tokens), "{} tokens", tokens);
            let expected = match bucket.gate {
                Gate::Cost => tokens >= bucket.cost.after(Class::Error),
                Gate::AboveHalf => tokens > bucket.size / 2.0,
            };
            prop_assert_eq!(open, expected);
        }
    }
}

/// A gate at half the tokens, each retry taking more than half.
fn may_overdraw(bucket: &Bucket) -> bool {
    bucket.gate == Gate::AboveHalf
        && bucket.debit == Debit::OnRetry
        && bucket.cost.after(Class::Error) > bucket.size / 2.0
}

#[test]
fn a_retry_that_costs_more_than_there_is_leaves_nothing() {
    let bucket = Bucket {
        size: 10.0,
        start: Some(6.0),
        gate: Gate::AboveHalf,
        debit: Debit::OnRetry,
        cost: 9.0.into(),
        credit: retrysim_core::policy::budget::Credit::default(),
        scope: retrysim_core::policy::budget::Scope::Client,
    };
    assert!(may_overdraw(&bucket));
    let levels = levels(&bucket, 3, 0, None, 1);
    assert!(levels.iter().all(|(tokens, _)| (0.0..=10.0).contains(tokens)), "{:?}", levels.last());
}
