//! How time and memory grow with clients, with the outage, and with runs.
//!
//! `cargo run --release -p retrysim --example growth` writes `out/growth.md` and `out/growth.png`. Each point is measured
//! by processes of its own, on one thread; the shortest time counts. Memory is known on Linux only.

use std::{env, error::Error, fs, process::Command};

use cpu_time::ProcessTime;
use retrysim::{
    Generator, RunConfig, Scenario, Span, bundled,
    figure::{Axis, Curve, Theme, curves},
    scenario::{Burst, Workload},
    service::Service,
    simulate,
};

const ROUNDS: usize = 3;

/// Scenario, what grows, and to what.
const SERIES: [(&str, &str, &[u32]); 4] = [
    ("herd", "clients", &[100, 1_000, 10_000, 100_000, 1_000_000]),
    ("contention", "clients", &[10, 100, 1_000, 10_000]),
    ("herd", "seconds of outage", &[1, 10, 100, 1_000, 10_000]),
    ("herd", "runs", &[10, 100, 1_000, 10_000, 100_000]),
];

/// What a process needed.
struct Cost {
    requests: f64,
    seconds: f64,
    megabytes: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [scenario, what, size] = arguments.as_slice() {
        let cost = measure(scenario, what, size.parse()?)?;
        println!("{} {} {}", cost.requests, cost.seconds, cost.megabytes);
        return Ok(());
    }
    // The program itself.
    let idle = apart("herd", "clients", 1)?.megabytes;
    let mut table = String::from(
        "Full jitter, keyed draws, one thread; memory beyond that of the program. The herd's service grows with its \
         clients; an outage is of 1,000 clients, runs are of 100.\n\n\
         | scenario | what grows | to | requests | ns a request | memory (MB) | bytes each |\n\
         |---|---|---:|---:|---:|---:|---:|\n",
    );
    let mut lines = Vec::new();
    for (scenario, what, sizes) in SERIES {
        let mut points = Vec::new();
        for size in sizes {
            let cost = apart(scenario, what, *size)?;
            let (ns, megabytes) = (1e9 * cost.seconds / cost.requests, (cost.megabytes - idle).max(0.0));
            // Below a megabyte it is the allocator that one sees.
            let each = if megabytes > 1.0 {
                format!("{:.0}", 1e6 * megabytes / f64::from(*size))
            } else {
                String::new()
            };
            let requests = cost.requests;
            table += &format!(
                "| {scenario} | {what} | {size} | {requests:.0} | {ns:.1} | {megabytes:.1} | {each} |\n"
            );
            points.push((f64::from(*size), ns));
        }
        lines.push(Curve::line(format!("{scenario}, {what}"), points));
    }
    print!("{table}");
    fs::create_dir_all("out")?;
    fs::write("out/growth.md", table)?;
    let x = Axis::log("clients, seconds of outage, or runs", "");
    let y = Axis::log("processor time a request", "ns");
    let figure = curves("What a request costs when there are more of them", x, y, lines);
    fs::write("out/growth.png", figure.to_png(2, Theme::Light, &[])?)?;
    Ok(())
}

/// [`measure`], in processes of their own.
fn apart(scenario: &str, what: &str, size: u32) -> Result<Cost, Box<dyn Error>> {
    let mut best: Option<Cost> = None;
    for _ in 0..ROUNDS {
        let output = Command::new(env::current_exe()?).args([scenario, what, &size.to_string()]).output()?;
        let text = String::from_utf8(output.stdout)?;
        let numbers = text.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>()?;
        let [requests, seconds, megabytes] = numbers[..] else {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        };
        if best.as_ref().is_none_or(|best| seconds < best.seconds) {
            best = Some(Cost { requests, seconds, megabytes });
        }
    }
    best.ok_or_else(|| "no rounds".into())
}

fn measure(scenario: &str, what: &str, size: u32) -> Result<Cost, Box<dyn Error>> {
    let mut scenario = bundled::scenario(scenario)?;
    let (mut clients, mut runs) = (1_000, 20);
    match what {
        "clients" => (clients, runs) = (size, (200_000 / size).clamp(1, 1_000)),
        "runs" => (clients, runs) = (100, size),
        _ => with_outage(&mut scenario, size),
    }
    with_clients(&mut scenario, clients);
    let config = RunConfig::runs(runs.into()).policies(["full"]).generator(Generator::Philox).threads(1);
    let begin = ProcessTime::now();
    let simulation = simulate(&scenario, &config)?;
    let seconds = begin.elapsed().as_secs_f64();
    let requests = simulation.metric("full", "attempts")?.iter().sum();
    Ok(Cost { requests, seconds, megabytes: peak_megabytes().unwrap_or(f64::NAN) })
}

/// So many clients, and a service of tick capacity that grows with them, so that each client lives as before.
fn with_clients(scenario: &mut Scenario, clients: u32) {
    scenario.workload = Workload::Burst(Burst::new(clients, Span::ZERO));
    if let Service::TickCapacity(service) = &mut scenario.service {
        service.capacity = (clients / 200).max(1);
        if let Some(crash) = &mut service.crash {
            crash.limit = (clients / 10).max(1);
        }
    }
}

/// An outage of so many seconds, and as long after it as before.
fn with_outage(scenario: &mut Scenario, seconds: u32) {
    if let Service::TickCapacity(service) = &mut scenario.service {
        service.outages[0].until = Span::from_secs(seconds.into());
        scenario.horizon = Span::from_secs(i64::from(seconds) + 120);
    }
}

/// The most memory that this process has held.
fn peak_megabytes() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()? / 1000.0)
}
