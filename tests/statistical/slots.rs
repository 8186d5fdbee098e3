//! Clients that pick one of so many slots: first sends of a burst over the ticks of its spread.
//!
//! Two comparisons at 4.5 standard errors: a false alarm in 1 of 70,000.

use retrysim::{
    Scenario,
    draw::Philox,
    record::{Attempt, Recorder},
};

use crate::{
    support::{run, scenario},
    z::{Sample, Zs, runs, share},
};

/// A service that takes whatever comes.
fn slots(clients: u32, slots: u32) -> Scenario {
    let set = [
        ("generator", "philox"),
        ("workload.clients", &*clients.to_string()),
        ("workload.spread", &format!("'{}ms'", slots * 10)),
        ("service.capacity", "1000"),
        ("service.outages", "[]"),
        ("service.crash.limit", "1000000"),
    ];
    scenario("herd", &set)
}

/// Arrivals by slot.
struct Slots(Vec<u32>);

impl Recorder for Slots {
    fn attempt(&mut self, attempt: &Attempt<'_>) {
        self.0[(attempt.start / 0.01).round() as usize] += 1;
    }
}

/// 100 clients in 500 slots: n (1 - 1/m)^(n - 1) = 82.02 are alone on average.
#[test]
fn alone_in_a_slot() {
    let exact = 100.0 * (1.0 - 1.0 / 500.0_f64).powi(99);
    assert!((exact - 82.02).abs() < 5e-3);
    let scenario = slots(100, 500);
    let alone = |i| {
        let mut slots = Slots(vec![0; 500]);
        run(&scenario, "fixed_1s", &mut Philox::new(0, i), &mut slots);
        slots.0.iter().filter(|n| **n == 1).count() as f64
    };
    let mut zs = Zs::default();
    zs.mean("alone", Sample::of(&(0..2_000).map(alone).collect::<Vec<_>>()), exact);
    zs.check();
}

/// 23 clients and 365 slots: nobody shares one in 0.492703 of the runs.
#[test]
fn birthdays() {
    let exact: f64 = (0..23).map(|taken| f64::from(365 - taken) / 365.0).product();
    assert!((exact - 0.492_703).abs() < 5e-7);
    let runs = runs(&slots(23, 365), "fixed_1s", 20_000);
    let none_shared = share(&runs.column("fixed_1s", "peak_arrivals").unwrap(), |peak| peak == 1.0);
    let mut zs = Zs::default();
    zs.share("no collision", none_shared, 20_000.0, exact, 0.0);
    zs.check();
}
