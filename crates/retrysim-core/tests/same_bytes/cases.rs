//! Bundled scenarios as they are, and variations of them with policies that nobody would choose.

use retrysim_core::{
    Policy, Scenario, Span,
    latency::Latency,
    scenario::{Burst, Open, Workload},
    service::{Admission, AnswersAt, Crash, Outage, Service},
};

/// Policies that use every stage, stop rule, hint and budget.
const ODD: &[(&str, &str)] = &[
    ("at_once", "stop = { attempts = 9 }"),
    (
        "two_draws",
        "delay = [{ exp = { base = '90ms' } }, { cap = '3s' }, { jitter = [0.5, 1] }, { add = ['0s', '33ms'] }]\nstop = { attempts = 12 }",
    ),
    (
        "grown_prev",
        "delay = [{ prev = { first = '70ms', factor = 3 } }, { jitter = [0.2, 1] }, { cap = '4s' }, { floor = '11ms' }]\nstop = { retries = 15 }",
    ),
    (
        "pow_prev",
        "delay = [{ prev = { first = '70ms', factor = 1.3, pow_n = true } }, { jitter = [0.5, 1.5] }, { cap = '9s' }]\nstop = { attempts = 11 }",
    ),
    (
        "decorrelated_caps",
        "delay = [{ prev = { first = '100ms' } }, { uniform = { lo = { abs = '100ms' }, hi = { prev = 3, max = '2s' } } }]\nstop = { attempts = 20 }",
    ),
    (
        "uniform_of_all",
        "delay = [{ exp = { base = '20ms' } }, { uniform = { lo = { abs = '5ms', v = 0.5 }, hi = { abs = '10ms', v = 1, prev = 0.5, n = '7ms', max = '5s' } } }]\nstop = { attempts = 14 }",
    ),
    (
        "latch",
        "delay = [{ exp = { base = '100ms' } }, { jitter = [0.5, 1.5] }, { latch = '1s' }, { scale = 0.9 }]\nstop = { attempts = 10 }",
    ),
    ("polly", "delay = [{ polly_v2 = { base = '100ms' } }, { cap = '5s' }]\nstop = { attempts = 9 }"),
    (
        "split",
        "delay = [{ linear = { base = '900ms', step = '700ms' } }, { special = { split_seconds = [0.5, 1] } }]\nstop = { attempts = 8 }",
    ),
    (
        "backo2",
        "delay = [{ exp = { base = '100ms' } }, { special = 'backo2_half' }, { cap = '5s' }]\nstop = { attempts = 8 }",
    ),
    (
        "thirty",
        "delay = [{ exp = { base = '100ms' } }, { cap = '5s' }, { special = 'rust_exponential_backoff_30' }]\nstop = { attempts = 8 }",
    ),
    (
        "only_later",
        "delay = [{ fib = { unit = '30ms' } }, { only_n = { from = 3, stages = [{ jitter = [0, 1] }, { add = ['1ms', '2ms'] }] } }, { quantum = { unit = '7ms', round = 'ceil' } }]\nstop = { attempts = 9 }",
    ),
    (
        "head",
        "delay = [{ poly = { power = 1.5, offset = '10ms', unit = '50ms' } }, { head = ['5ms', '15ms'] }, { jitter = [1, 1.1] }]\nstop = { attempts = 9 }",
    ),
    (
        "clipped",
        "delay = [{ doublings = { base = '40ms', max_doublings = 4 } }, { jitter = [0, 1] }]\nstop = { elapsed = '2s', check = 'clip' }",
    ),
    (
        "would_exceed",
        "delay = [{ list = ['20ms', '150ms', '300ms'] }, { jitter = [0, 1] }]\nstop = { elapsed = '3s', check = 'would_exceed', attempts = 30 }",
    ),
    ("before", "delay = [{ const = '130ms' }, { jitter = [0.9, 1.1] }]\nstop = { elapsed = '2s' }"),
    (
        "deadline",
        "delay = [{ exp = { base = '60ms' } }, { jitter = [0, 1] }]\nstop = { deadline = '2500ms', attempts = 40 }",
    ),
    (
        "hint_floor",
        "delay = [{ exp = { base = '60ms' } }, { jitter = [0, 1] }]\nstop = { attempts = 9 }\nhint = { use = 'floor', over = { limit = '700ms', do = 'clamp' } }",
    ),
    (
        "hint_clamp",
        "delay = [{ exp = { base = '60ms' } }, { jitter = [0, 1] }]\nstop = { attempts = 9 }\nhint = { use = { clamp = ['10ms', '900ms'] } }",
    ),
    (
        "hint_uniform",
        "delay = [{ prev = { first = '60ms', factor = 2 } }]\nstop = { attempts = 9 }\nhint = { use = { uniform = [1, 2] } }",
    ),
    (
        "hint_stop",
        "delay = [{ const = '60ms' }, { jitter = [0, 2] }]\nstop = { attempts = 9 }\nhint = { use = 'replace', over = { limit = '500ms', do = 'stop' } }",
    ),
    (
        "grpc",
        "delay = [{ exp = { base = '50ms' } }, { jitter = [0.8, 1.2] }]\nstop = { attempts = 6 }\nbudget = [{ bucket = { size = 10, gate = 'above_half', debit = 'on_failure', credit = { success = 0.1 } } }]",
    ),
    (
        "shared",
        "delay = [{ exp = { base = '50ms' } }, { jitter = [0, 1] }]\nstop = { attempts = 6 }\nbudget = [{ bucket = { size = 40, start = 5, credit = { request = 0.3, first_success = 0.5, retried_success = 0.2 }, scope = 'process' } }]",
    ),
    (
        "windows",
        "delay = [{ const = '0s' }, { add = ['0s', '400ms'] }]\nstop = { attempts = 6 }\nbudget = [{ window = { ratio = 0.4, window = '1s' } }, { window = { ratio = 0.7, window = '500ms', rule = 'below', scope = 'process' } }]",
    ),
];

/// Scenarios with names and numbers of runs.
pub fn all() -> Vec<(String, Scenario, u64)> {
    // Who retries at once makes 600,000 requests in a run of the herd.
    let runs = |name: &str| if name.starts_with("herd") { 3 } else { 12 };
    let mut all: Vec<_> = NAMES.iter().map(|name| ((*name).to_owned(), bundled(name), runs(name))).collect();
    for (name, base, change) in VARIATIONS {
        let mut scenario = bundled(base);
        // `layers` multiplies attempts.
        if *base != "layers" {
            let odd = ODD.iter().map(|(name, toml)| ((*name).to_owned(), Policy::from_toml(toml).unwrap()));
            scenario.policy.extend(odd);
        }
        change(&mut scenario);
        scenario.validate().unwrap();
        all.push((format!("{base}.{name}"), scenario, 5));
    }
    all
}

const NAMES: [&str; 10] = [
    "amplification",
    "budget",
    "burst",
    "contention",
    "devices",
    "herd",
    "herd_spread",
    "layers",
    "overload",
    "overload_step1",
];

fn bundled(name: &str) -> Scenario {
    let path = format!("{}/../../data/scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    Scenario::from_toml(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn ms(millis: i64) -> Span {
    Span::from_millis(millis)
}

/// A burst of so many clients over so many milliseconds, and a horizon in milliseconds.
fn crowd(scenario: &mut Scenario, clients: u32, spread: i64, horizon: i64) {
    scenario.workload = Workload::Burst(Burst::new(clients, ms(spread)));
    scenario.horizon = ms(horizon);
}

/// The parts of a `tick_capacity` service.
fn ticks(
    scenario: &mut Scenario,
    tick: i64,
    capacity: u32,
    (admission, answers_at): (Admission, AnswersAt),
    crash: Option<(i64, u32, i64)>,
    retry_after: Option<i64>,
) {
    let Service::TickCapacity(service) = &mut scenario.service else { unreachable!("tick_capacity") };
    service.tick = Span::from_nanos(tick);
    service.capacity = capacity;
    service.admission = admission;
    service.answers_at = answers_at;
    service.crash = crash.map(|(ticks, limit, downtime)| Crash {
        window: Span::from_nanos(tick * ticks),
        limit,
        downtime: ms(downtime),
    });
    service.retry_after = retry_after.map(ms);
}

type Variation = (&'static str, &'static str, fn(&mut Scenario));

const VARIATIONS: &[Variation] = &[
    ("odd", "herd", |s| crowd(s, 300, 0, 30_000)),
    ("in_order", "herd", |s| {
        crowd(s, 150, 400, 20_000);
        ticks(s, 7_000_000, 3, (Admission::InOrder, AnswersAt::TickEnd), Some((5, 40, 333)), Some(600));
    }),
    ("tick_start", "herd", |s| {
        crowd(s, 90, 1_500, 9_000);
        ticks(s, 13_333_333, 2, (Admission::Random, AnswersAt::TickStart), None, Some(450));
    }),
    ("no_capacity", "herd", |s| {
        crowd(s, 20, 0, 3_000);
        ticks(s, 10_000_000, 0, (Admission::Random, AnswersAt::TickEnd), Some((1, 5, 0)), None);
    }),
    ("roomy", "herd", |s| {
        crowd(s, 700, 2_000, 4_000);
        ticks(s, 500_000_000, 400, (Admission::Random, AnswersAt::TickEnd), None, None);
    }),
    ("one_client", "herd", |s| crowd(s, 1, 0, 3_000)),
    ("two_outages", "herd", |s| {
        crowd(s, 120, 3_000, 8_000);
        ticks(s, 1_000_000, 1, (Admission::Random, AnswersAt::TickEnd), Some((20, 30, 100)), Some(80));
        let Service::TickCapacity(service) = &mut s.service else { unreachable!("tick_capacity") };
        service.outages =
            vec![Outage { from: ms(500), until: ms(900) }, Outage { from: ms(2_000), until: ms(2_700) }];
    }),
    ("odd", "devices", |s| crowd(s, 260, 2_000, 300_000)),
    ("random", "devices", |s| {
        crowd(s, 200, 500, 60_000);
        ticks(s, 50_000_000, 2, (Admission::Random, AnswersAt::TickEnd), None, Some(7_000));
    }),
    ("odd", "budget", |s| s.horizon = ms(20_000)),
    ("in_order", "budget", |s| {
        s.workload = Workload::Open(Open::new(4, 60.0));
        s.horizon = ms(12_000);
        s.probe = None;
        ticks(s, 20_000_000, 3, (Admission::InOrder, AnswersAt::TickStart), Some((10, 90, 1_000)), Some(300));
    }),
    ("odd", "burst", |s| crowd(s, 120, 50, 20_000)),
    ("wide", "burst", |s| {
        crowd(s, 61, 1_700, 6_000);
        let Service::WindowCapacity(service) = &mut s.service else { unreachable!("window_capacity") };
        (service.window, service.capacity, service.retry_after) = (ms(70), 3, Some(ms(650)));
    }),
    ("odd", "overload", |s| crowd(s, 6, 0, 6_000)),
    ("crowded", "overload", |s| {
        crowd(s, 41, 700, 5_000);
        let Service::Overload(service) = &mut s.service else { unreachable!("overload") };
        (service.capacity, service.call) = (9, ms(35));
    }),
    ("odd", "contention", |s| crowd(s, 40, 30, 60_000)),
    ("one_client", "contention", |s| crowd(s, 1, 0, 60_000)),
    ("constant", "contention", |s| {
        crowd(s, 17, 0, 20_000);
        let Service::Contention(service) = &mut s.service else { unreachable!("contention") };
        service.network = Latency::Constant(ms(10));
    }),
    ("uniform", "contention", |s| {
        crowd(s, 23, 0, 20_000);
        let Service::Contention(service) = &mut s.service else { unreachable!("contention") };
        service.network = Latency::Uniform([ms(3), ms(30)]);
    }),
    ("exponential", "contention", |s| {
        crowd(s, 130, 5, 5_000);
        let Service::Contention(service) = &mut s.service else { unreachable!("contention") };
        service.network = Latency::Exponential { mean: ms(6) };
    }),
    ("log_normal", "contention", |s| {
        crowd(s, 33, 0, 20_000);
        let Service::Contention(service) = &mut s.service else { unreachable!("contention") };
        service.network = Latency::LogNormal { median: ms(8), sigma: 0.7 };
    }),
    ("odd", "amplification", |s| {
        crowd(s, 700, 1_000, 1_000_000);
        let Service::Failures(service) = &mut s.service else { unreachable!("failures") };
        (service.probability, service.call) = (0.6, ms(20));
    }),
    ("odd", "overload_step1", |s| crowd(s, 25, 300, 9_000)),
    ("likely", "layers", |s| {
        crowd(s, 40, 0, 60_000);
        let Service::Layers(service) = &mut s.service else { unreachable!("layers") };
        service.probability = 0.55;
    }),
];
