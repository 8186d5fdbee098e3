//! ALOHA: who overlaps is lost.
//!
//! Two comparisons at 4.5 standard errors: a false alarm in 1 of 70,000.

use std::f64::consts::E;

use retrysim::draw::{Draws, Philox, Purpose, Stream};

use crate::{
    support::scenario,
    z::{Sample, Zs, runs, share},
};

/// Slotted: n users who each send with probability 1/n, and a slot succeeds if one sends: (1 - 1/n)^(n - 1),
/// which is 0.37735 for n = 20. No service has such users; this tests the streams of users and slots.
#[test]
fn slotted() {
    const SLOTS: u32 = 50_000;
    let exact = (1.0 - 1.0 / 20.0_f64).powi(19);
    assert!((exact - 0.377_35).abs() < 5e-6 && exact > 1.0 / E);
    let mut draws = Philox::new(0, 0);
    let mut senders = |slot| {
        (0..20).filter(|user| draws.at(Purpose::Outcome, *user, slot).unit() < 1.0 / 20.0).count() as f64
    };
    let senders: Vec<f64> = (0..SLOTS).map(&mut senders).collect();
    let mut zs = Zs::default();
    zs.share("one sender", share(&senders, |n| n == 1.0), f64::from(SLOTS), exact, 0.0);
    zs.check();
}

/// Pure: a service that bears one call at a time and loses all that overlap. Of n calls of length d that
/// start uniformly in a time S, one in the middle survives with (1 - 2 d / S)^(n - 1); the calls within d of
/// an end have fewer neighbours. At half a call in flight the throughput is 1 / (2 e).
#[test]
fn pure() {
    let (n, length, spread) = (1000, 1.0, 2000.0);
    let survives = |width: f64| (1.0 - width / spread).powi(n - 1);
    let ends = 2.0 / f64::from(n) * ((1.0 - length / spread).powi(n) - (1.0 - 2.0 * length / spread).powi(n));
    let exact = (1.0 - 2.0 * length / spread) * survives(2.0 * length) + ends;
    let throughput = exact * f64::from(n) * length / spread;
    assert!((throughput - 1.0 / (2.0 * E)).abs() < 3e-4, "{throughput}");
    let set = [
        ("workload.clients", "1000"),
        ("workload.spread", "'2s'"),
        ("horizon", "'3s'"),
        ("service.capacity", "1"),
        ("service.call", "'1ms'"),
        ("policy.once.stop.attempts", "1"),
    ];
    let runs = runs(&scenario("overload", &set), "once", 2_000);
    let mut zs = Zs::default();
    zs.mean("survivors", Sample::column(&runs, "once", "successes"), exact * f64::from(n));
    zs.check();
}
