//! What the engine reads: scenarios, policies, catalogues, headers, settings. What is accepted is written and read
//! again, linted, measured, compiled and run.

use fastrand::Rng;
use retrysim_core::{
    Catalogue, Plan, Policy, RunConfig, Scenario, Span, Unit,
    latency::Latency,
    lint::{lint, lint_layers},
    measure::measure_policy,
    policy::header::{Form, Odd, Reads},
    scenario::{self, Workload},
    service::Service,
    simulate,
    simulate::columns,
    text,
};

use crate::{
    campaign::campaign,
    corpus::{good, kept},
    mutate::Seeds,
};

/// How often what takes milliseconds is done.
const RARE: u32 = 50;

#[test]
fn scenarios() {
    let seeds = Seeds::new(good("scenarios").chain(good("situations")).chain(kept("scenario")));
    campaign("scenario", |rng| seeds.hostile(rng), scenario);
}

#[test]
fn policies() {
    let bundled = Catalogue::bundled().entries().filter_map(|entry| text::write(&entry.policy).ok());
    let seeds = Seeds::new(bundled.chain(kept("policy")));
    campaign("policy", |rng| seeds.hostile(rng), policy);
}

#[test]
fn catalogues() {
    // Whole files are long: entry by entry, and only the first file as it is.
    let entries = good("policies").flat_map(|text| {
        let table = text::parse(&text).unwrap();
        table.into_iter().map(|entry| toml::to_string(&toml::Table::from_iter([entry])).unwrap())
    });
    let seeds = Seeds::new(entries.chain(good("policies").take(1)).chain(kept("catalogue")));
    campaign("catalogue", |rng| seeds.hostile(rng), catalogue);
}

#[test]
fn headers() {
    let headers = [
        "120",
        "0.2",
        "inf",
        "-1",
        "1500",
        "1764504000",
        "2026-12-01",
        "Mon, 30 Nov 2026 12:01:00 GMT",
        "Monday, 30-Nov-26 12:01:00 GMT",
        "Mon Nov 30 12:01:00 2026",
        "Sun, 06 Nov 1994 08:49:37 +1400",
        "1e308",
        "٣",
    ];
    let seeds = Seeds::new(headers.map(str::to_owned).into_iter().chain(kept("header")));
    campaign("header", |rng| seeds.damaged(rng), header);
}

#[test]
fn settings() {
    let settings = [
        "service.capacity=3",
        "workload.spread=\"500ms\"",
        "policy.full.delay=[{ exp = { base = '50ms' } }]",
        "a.b.c=x",
        "probe={ client = 0 }",
        "name=\"\"\"x\"\"\"",
        "seeds=[1, 2]",
        "x=1979-05-27T07:32:00Z",
        "horizon=1e3",
    ];
    let seeds = Seeds::new(settings.map(str::to_owned).into_iter().chain(kept("setting")));
    campaign("setting", |rng| seeds.damaged(rng), setting);
}

pub fn scenario(input: &[u8], rng: &mut Rng) {
    let Ok(toml) = str::from_utf8(input) else { return };
    let scenario = match Scenario::from_toml(toml) {
        Ok(scenario) => scenario,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let again = Scenario::from_toml(&text::write(&scenario).unwrap());
    assert_eq!(again.as_ref(), Ok(&scenario), "written and read again");
    columns(&scenario, None).unwrap();
    let rare = rng.u32(..RARE) == 0;
    if rare
        && let Service::Layers(layers) = &scenario.service
        && let Some(policy) = scenario.policy.values().next()
    {
        let own = |tier: &String| layers.own_policy(tier, &scenario).unwrap_or(policy).clone();
        let hops: Vec<Policy> = layers.tiers.iter().map(own).collect();
        let hops: Vec<(&str, &Policy)> = layers.tiers.iter().map(String::as_str).zip(&hops).collect();
        assert!(lint_layers(&hops).iter().all(|finding| !finding.to_string().is_empty()));
    }
    let is_endless = rng.u32(..100 * RARE) == 0;
    if let Some(scenario) = tamed(scenario, is_endless) {
        run(&scenario, rng.u64(..));
    }
}

/// The same scenario for few clients and not too long; none if it can't be so. Calls have few attempts unless they may
/// be endless.
pub fn tamed(mut scenario: Scenario, may_be_endless: bool) -> Option<Scenario> {
    const CLIENTS: u32 = 8;
    match &mut scenario.workload {
        Workload::Burst(burst) => burst.clients = burst.clients.min(CLIENTS),
        Workload::Open(open) => {
            open.clients = open.clients.min(CLIENTS);
            open.rate = open.rate.min(10.0);
        }
        Workload::Closed(closed) => {
            closed.clients = closed.clients.min(CLIENTS);
            let think = &mut closed.think;
            if think.mean_s() < 0.01 {
                *think = Latency::Constant(Span::from_millis(10));
            }
        }
    }
    let clients = scenario.workload.clients();
    let (Workload::Burst(scenario::Burst { processes, .. })
    | Workload::Open(scenario::Open { processes, .. })
    | Workload::Closed(scenario::Closed { processes, .. })) = &mut scenario.workload;
    *processes = clients.min(*processes);
    if let Some(probe) = &mut scenario.probe {
        probe.client = probe.client.min(clients - 1);
    }
    if !matches!(scenario.workload, Workload::Burst(_)) {
        scenario.horizon = scenario.horizon.min(Span::from_secs(5));
    }
    let tick = match &scenario.service {
        Service::TickCapacity(service) => service.tick,
        Service::WindowCapacity(service) => service.window,
        _ => scenario.horizon,
    };
    scenario.horizon = scenario.horizon.min(Span::from_nanos(tick.nanos().saturating_mul(2_000)));
    let layers = if let Service::Layers(layers) = &scenario.service { layers.tiers.len() } else { 1 };
    let most = if layers > 3 { 2 } else { 12 };
    for policy in scenario.policy.values_mut() {
        let stops = policy.on.throttle.iter_mut().chain(&mut policy.on.timeout).chain(&mut policy.on.error);
        for stop in stops.filter_map(|own| own.stop.as_mut()).chain([&mut policy.stop]) {
            if stop.max_attempts() > most && (layers > 1 || !may_be_endless) {
                (stop.attempts, stop.retries) = (Some(most), None);
            }
        }
    }
    scenario.validate().ok().map(|()| scenario)
}

fn run(scenario: &Scenario, seed: u64) {
    let names: Vec<&String> = scenario.policy.keys().take(2).collect();
    let config = RunConfig { threads: Some(1), ..RunConfig::new(Plan::Runs { seed, runs: 1 }) };
    match simulate(scenario, &names, &config) {
        Ok(runs) => {
            let attempts = runs.column(names[0], "attempts").unwrap();
            assert!(attempts.iter().all(|n| *n >= 0.0), "{attempts:?}");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

pub fn policy(input: &[u8], rng: &mut Rng) {
    let Ok(toml) = str::from_utf8(input) else { return };
    let Ok(policy) = Policy::from_toml(toml) else { return };
    assert_eq!(Policy::from_toml(&policy.to_toml().unwrap()).as_ref(), Ok(&policy), "written and read again");
    for unit in [Unit::S, Unit::Ms] {
        let compiled = policy.compile(unit);
        for (u, hint) in [(0.0, None), (0.999_999, Some(rng.f64() * 1e3)), (0.5, Some(0.0))] {
            let delays = compiled.fixed_delays(70, hint, u);
            assert!(delays.iter().all(|delay| delay.is_finite() && *delay >= 0.0), "{delays:?}");
        }
    }
    if rng.u32(..RARE) == 0 {
        assert!(lint(&policy).iter().all(|finding| !finding.to_string().is_empty()));
        measure_policy("x", &policy, 20, 0, 5).unwrap();
    }
}

pub fn catalogue(input: &[u8], rng: &mut Rng) {
    let Ok(toml) = str::from_utf8(input) else { return };
    let files = [("mine.toml", toml)];
    let Ok(catalogue) = Catalogue::default().with_files(&files) else { return };
    for name in catalogue.names().iter().take(3) {
        catalogue.policy(name).unwrap().validate().unwrap();
    }
    let words = String::from_utf8_lossy(&input[..input.len().min(rng.usize(..20))]).into_owned();
    assert!(catalogue.search(&words).len() <= catalogue.entries().len());
}

pub fn header(input: &[u8], rng: &mut Rng) {
    let text = String::from_utf8_lossy(input);
    let now = "2026-11-30T12:00:00Z".parse().unwrap();
    let mut forms =
        vec![Form::Seconds, Form::Fraction, Form::Millis, Form::Date, Form::Epoch, Form::LeadingNumber];
    rng.shuffle(&mut forms);
    forms.truncate(rng.usize(..=6));
    let odd = [Odd::NoHint, Odd::Now, Odd::OneMillisecond, Odd::Stop];
    let reads = Reads { forms, past: odd[rng.usize(..4)], junk: odd[rng.usize(..4)] };
    if let retrysim_core::policy::header::Said::Wait(span) = reads.read(&text, now) {
        assert!(span >= Span::ZERO);
    }
}

pub fn setting(input: &[u8], _: &mut Rng) {
    let pair = String::from_utf8_lossy(input);
    let Some((path, value)) = pair.split_once('=') else { return };
    let mut table = text::parse("name = 'x'\nservice = { capacity = 1 }").unwrap();
    if let Ok(value) = text::value(value) {
        // Refused or not, what is left is a table that can be written.
        let _ = text::set(&mut table, path, value);
        toml::to_string(&table).unwrap();
    }
}
