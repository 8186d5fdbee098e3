//! Your outage: two policies against a service that is down for five seconds.
//!
//! `cargo run --release -p retrysim --example your_outage` writes `out/your_outage.png` and `out/your_outage.csv`.

use std::{error::Error, fs, path::Path, time::Duration};

use retrysim::{
    Generator, Manifest, Plan, Policy, Request, Scenario, export,
    request::{FigureKind, FigureSpec, Job, Product, RunJob},
    unwatched,
};

const OUTAGE: &str = r#"
    name = "your outage"
    horizon = "60s"
    workload = { kind = "burst", clients = 2000, spread = "1s" }
    [service]
    kind = "tick_capacity"
    tick = "10ms"
    capacity = 10
    outages = [{ from = "0s", until = "5s" }]
    crash = { window = "100ms", limit = 400, downtime = "2s" }
    [policy.fixed_1s]
    delay = [{ const = "1s" }]
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let mut scenario = Scenario::from_toml(OUTAGE)?;
    let full =
        Policy::exponential(Duration::from_millis(200), 2.0).cap(Duration::from_secs(20)).jitter(0.0, 1.0);
    scenario.policy.insert("full".into(), full);
    let policies: Vec<String> = scenario.policy.keys().cloned().collect();
    let plan = Plan::Runs { seed: 0, runs: 200 };
    let job = RunJob { scenario, policies, plan, generator: Generator::Philox, metrics: None };
    let job = Job::Run(Box::new(job));

    fs::create_dir_all("out")?;
    let picture = FigureSpec {
        figure: FigureKind::Arrivals,
        title: "Jitter gets more people through the same door".into(),
        metric: None,
        bin: None,
        until: None,
        retries: None,
        dark: false,
        scale: 2,
    };
    let products = [
        ("out/your_outage.csv", Product::Summary { confidence: 0.95 }),
        ("out/your_outage.png", Product::Figure(picture)),
    ];
    for (path, product) in products {
        let request = Request { job: job.clone(), product };
        export::save(&request.make(None, &unwatched)?, &Manifest::new(request), Path::new(path))?;
        println!("wrote {path}");
    }
    Ok(())
}
