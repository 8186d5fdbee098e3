//! Random workers, met by clients that use every slot of a policy.

use proptest::{collection::vec, option, prelude::*};
use retrysim_core::{
    Generator, Policy, Scenario, Span,
    latency::Latency,
    policy::{
        budget::Budget,
        hedge::Hedge,
        state::{Anchor, From},
    },
    scenario::{self, Arrivals, Burst, Closed, Workload},
    service::{Brownout, Cold, Down, Notices, Order, Service, Workers},
};

use super::{
    Setting, by_class, latency, ms, outages, policy, seeds,
    slots::{breaker, concurrency, deposits, gates, limiter, sre, state},
};

fn budget() -> impl Strategy<Value = Budget> {
    prop_oneof![deposits(), concurrency(), sre(gates())]
}

fn hedge() -> impl Strategy<Value = Hedge> {
    (ms(0..400), 1_u32..4, any::<[bool; 2]>()).prop_map(|(delay, max, [cancel_losers, on_failure])| Hedge {
        delay,
        max,
        cancel_losers,
        on_failure,
    })
}

/// A policy with any of its slots set.
fn whole_policy() -> impl Strategy<Value = Policy> {
    let anchor = (any::<bool>(), option::of(ms(0..2_000))).prop_map(|(at_start, min_timeout)| Anchor {
        from: if at_start { From::AttemptStart } else { From::Failure },
        min_timeout,
    });
    let slots = (
        option::weighted(0.3, breaker()),
        option::weighted(0.3, limiter()),
        option::weighted(0.4, hedge()),
        vec(budget(), 0..2),
        option::weighted(0.3, anchor),
        option::weighted(0.3, state()),
        option::weighted(0.3, by_class()),
        prop_oneof![3 => Just(0.0), 1 => 0.0..=1.0_f64],
    );
    (policy(), slots).prop_map(|(mut policy, slots)| {
        let (breaker, limiter, hedge, budgets, anchor, state, on, gives_up) = slots;
        policy.budget.extend(budgets);
        policy.stop.gives_up = gives_up;
        Policy {
            breaker,
            limiter,
            hedge,
            anchor: anchor.unwrap_or_default(),
            state: state.unwrap_or_default(),
            on: on.unwrap_or_default(),
            ..policy
        }
    })
}

fn brownouts() -> impl Strategy<Value = Vec<Brownout>> {
    (outages(), option::of(0_u32..4), 0.1..3.0_f64).prop_map(|(outages, workers, speed)| {
        let speed = workers.is_none_or(|workers| workers > 1).then_some(speed);
        outages
            .into_iter()
            .map(|outage| Brownout { from: outage.from, until: outage.until, workers, speed })
            .collect()
    })
}

/// Workers of which every attempt's end is noticed by somebody.
fn service() -> impl Strategy<Value = Workers> {
    let work = prop_oneof![
        3 => ms(0..500).prop_map(|mean| Latency::Exponential { mean }),
        2 => ms(0..500).prop_map(Latency::Constant),
        1 => latency(),
    ];
    let network = prop_oneof![2 => Just(Latency::Constant(Span::ZERO)), 1 => latency()];
    let size = (option::of(1_u32..6), option::of(0_u32..10), any::<bool>(), ms(0..50));
    let patience = (option::of(ms(1..2_000)), any::<bool>(), any::<[bool; 3]>(), option::of(ms(0..900)));
    let trouble = (outages(), any::<bool>(), brownouts(), option::of((0_u32..20, 0.0..10.0_f64)));
    let answers = (prop_oneof![Just(0.0), 0.0..=1.0_f64], option::of(ms(0..3_000)));
    ((work, network), size, patience, trouble, answers).prop_map(
        |((work, network), size, patience, trouble, answers)| {
            let (workers, queue, is_lifo, poll) = size;
            let (timeout, waits_for_answers, [cancels, propagates_deadline, _], shed) = patience;
            let (outages, is_silent, brownouts, cold) = trouble;
            let has_timers = timeout.is_none() || !waits_for_answers;
            Workers {
                workers,
                queue,
                order: if is_lifo { Order::Lifo } else { Order::Fifo },
                poll,
                network,
                timeout,
                notices: if has_timers { Notices::Timer } else { Notices::Answer },
                cancels: cancels && has_timers,
                propagates_deadline: propagates_deadline && has_timers,
                shed,
                failure: answers.0,
                outages,
                down: if is_silent && has_timers && timeout.is_some() { Down::Silent } else { Down::Refuse },
                brownouts,
                cold: cold.map(|(attempts, factor)| Cold { attempts, factor }),
                retry_after: answers.1,
                ..Workers::new(1, work)
            }
        },
    )
}

fn workload() -> impl Strategy<Value = Workload> {
    let think = prop_oneof![
        ms(10..2_000).prop_map(Latency::Constant),
        ms(10..2_000).prop_map(|mean| Latency::Exponential { mean }),
    ];
    prop_oneof![
        (1_u32..25, ms(0..1_500)).prop_map(|(clients, spread)| Workload::Burst(Burst::new(clients, spread))),
        (1_u32..25, 0.0..20.0_f64, any::<bool>()).prop_map(|(clients, rate, is_regular)| {
            let arrivals = if is_regular { Arrivals::Regular } else { Arrivals::Poisson };
            Workload::Open(scenario::Open { arrivals, ..scenario::Open::new(clients, rate) })
        }),
        (1_u32..25, think).prop_map(|(clients, think)| Workload::Closed(Closed::new(clients, think))),
    ]
}

/// A small scenario of workers.
pub fn scenario() -> impl Strategy<Value = Scenario> {
    let setting =
        (ms(1..6_000), 0_usize..3, any::<[bool; 2]>()).prop_map(|(horizon, generator, [in_ms, probed])| {
            Setting { horizon, generator: Generator::ALL[generator], in_ms, probed }
        });
    (setting, workload(), service(), vec(whole_policy(), 1..4), seeds()).prop_map(
        |(setting, workload, service, policies, seeds)| {
            setting.scenario(workload, Service::Workers(service), policies, seeds)
        },
    )
}
