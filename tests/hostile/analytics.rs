//! What the library reads beside scenarios: expressions, manifests, designs, and files and folders that it has written.

use std::{fs, ops::ControlFlow, path::Path, sync::atomic::AtomicU64, sync::atomic::Ordering::Relaxed};

use fastrand::Rng;
use retrysim::{
    Design, Error, Manifest, Plan, Policy, Request,
    delays::{Delays, Draw},
    export::{self, Format, manifest_of},
    expression::{Expression, Resolve},
    matrix::Matrix,
    parts::{Parts, Survey, part_name},
    request::{FigureKind, FigureSpec, Job, Measurement, Product, RunJob, ShardJob, SweepJob},
    shard::Shard,
    unwatched,
};

use crate::{
    campaign::campaign,
    corpus::{good, kept},
    mutate::Seeds,
};

#[test]
fn expressions() {
    let expressions = [
        "p99(finish_s) < 20 and mean(attempts) < 3",
        "quantile(x, 0.5) >= 1e3 or not share(existing(x) > 2) == 1",
        "fill(x, -1) / (sum(x) - 3) * [1, 2, 3]",
        "abs(log(sqrt(x))) != missing(x) + first(x)",
        "chi_square_p([200, 212, 193]) + uniform_spread(10, 3, 0.5)",
        "delay(herd.full, 3, 0.5) + hinted(herd.full, 1, 0)",
        "all(count(x) <= median(x))",
    ];
    let seeds = Seeds::new(expressions.map(str::to_owned).into_iter().chain(kept("expression")));
    campaign("expression", |rng| seeds.damaged(rng), expression);
}

#[test]
fn manifests() {
    let tables = requests().into_iter().filter_map(|request| toml::to_string(&Manifest::new(request)).ok());
    let seeds = Seeds::new(tables.chain(kept("manifest")));
    let json = |rng: &mut Rng| {
        let mut json = serde_json::to_vec(&seeds.other_table(rng)).unwrap();
        if rng.u8(..4) == 0 {
            json.truncate(rng.usize(..=json.len()));
        }
        json
    };
    campaign("manifest", json, manifest);
}

#[test]
fn designs() {
    let designs = sweeps().into_iter().map(|job| toml::to_string(&job.design).unwrap());
    let seeds = Seeds::new(designs.chain(kept("design")).chain(good("scenarios").take(1)));
    campaign("design", |rng| seeds.hostile(rng), design);
}

#[test]
fn files() {
    let folder = tempfile::tempdir().unwrap();
    let figure = FigureSpec {
        figure: FigureKind::Ecdf,
        title: String::new(),
        metric: Some("attempts".into()),
        bin: None,
        until: None,
        retries: None,
        dark: false,
        scale: 1,
    };
    let run = Job::Run(Box::new(run_job()));
    let png = Request { job: run.clone(), product: Product::Figure(figure) };
    let files: Vec<(Format, Vec<u8>)> =
        [(Format::Parquet, Request { job: run, product: Product::Runs }), (Format::Png, png)]
            .map(|(format, request)| {
                let output = request.make(Some(1), &unwatched).unwrap();
                (format, export::bytes(&output, format, &Manifest::new(request)).unwrap())
            })
            .into();
    let which = |bytes: &[u8]| if bytes.first() == Some(&1) { "figure.png" } else { "runs.parquet" };
    let make = |rng: &mut Rng| {
        let (format, bytes) = &files[rng.usize(..2)];
        let mut input = vec![u8::from(*format == Format::Png)];
        input.extend(damaged(bytes, rng));
        input
    };
    campaign("file", make, |input, _| {
        let path = folder.path().join(which(input));
        fs::write(&path, &input[1..]).unwrap();
        if let Err(error) = manifest_of(&path) {
            assert!(!error.to_string().is_empty());
        }
        fs::remove_file(path).unwrap();
    });
}

/// A part of a folder is damaged: its seal tells, before anything reads it.
///
/// Whoever seals a footer that lies makes polars ask for any amount of memory: see SECURITY.md.
#[test]
fn folders() {
    let folder = tempfile::tempdir().unwrap();
    let [sweep, ..] = sweeps();
    let parts = Parts::open(folder.path(), &sweep, 2).unwrap();
    for k in 0..2 {
        parts.make(k, Some(1), &unwatched).unwrap();
    }
    let path = folder.path().join(part_name(1));
    let whole = fs::read(&path).unwrap();
    campaign(
        "folder",
        |rng| damaged(&whole, rng),
        |input, _| {
            fs::remove_file(&path).unwrap();
            fs::write(&path, input).unwrap();
            survey(folder.path());
        },
    );
}

fn survey(folder: &Path) {
    match Survey::of(folder) {
        Ok(mut survey) => match survey.gather() {
            Ok(whole) => assert_eq!(whole.is_some(), survey.is_whole()),
            Err(error) => assert!(!error.to_string().is_empty()),
        },
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// The same bytes with some changed: few, so that most of a file is what it was.
fn damaged(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..rng.usize(1..4) {
        // What describes a file stands at its end, or at its beginning.
        let near = rng.usize(..bytes.len().max(1)).min(rng.usize(..bytes.len().max(1)));
        let at = if rng.bool() { bytes.len().saturating_sub(near + 1) } else { near };
        match rng.u8(..6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..(at + 4).min(bytes.len()))),
            2 => bytes.insert(at, rng.u8(..)),
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = rng.u8(..);
                }
            }
        }
    }
    bytes
}

fn run_job() -> RunJob {
    let scenario = retrysim::bundled::scenario("overload").unwrap();
    let policies = vec!["full".to_owned()];
    RunJob {
        generator: scenario.generator,
        scenario,
        policies,
        plan: Plan::Runs { seed: 1, runs: 2 },
        metrics: None,
    }
}

fn sweeps() -> [SweepJob; 2] {
    let grid = Design::new("contention", 4).policies(["full"]).vary("workload.clients", [2, 3]);
    let mut list = Design::new("overload", 2).vary("service.capacity", [3]);
    list.vary.clear();
    list.point = vec![toml::toml! { "service.capacity" = 3 "workload.spread" = "1s" }];
    [grid, list].map(|mut design| {
        design.scenario = toml::Value::Table(design.table().unwrap());
        SweepJob { design, metrics: Some(vec!["attempts".into()]) }
    })
}

fn requests() -> Vec<Request> {
    let policy = || Policy::from_toml("delay = [{ exp = { base = '1s' } }, { jitter = [0, 1] }]").unwrap();
    let [grid, list] = sweeps();
    let shard = ShardJob { sweep: grid.clone(), shard: Shard { k: 1, n: 2 } };
    let drawn =
        Delays { policy: policy(), retries: 3, hint: None, draw: Draw::Sequences { draws: 20, seed: 1 } };
    let fixed = Delays { draw: Draw::Fixed(0.5), ..drawn.clone() };
    let measured = Measurement { policy: policy(), retries: 3, clients: 20, seed: 1 };
    let mut matrix = Matrix::of(vec![("mine".into(), policy())]);
    matrix.situations.truncate(1);
    let figure = |figure| {
        let metric = Some("attempts".to_owned());
        Product::Figure(FigureSpec {
            figure,
            title: "x".into(),
            metric,
            bin: None,
            until: None,
            retries: Some(3),
            dark: true,
            scale: 1,
        })
    };
    let run = || Job::Run(Box::new(run_job()));
    let bin = retrysim::Span::from_millis(100);
    let of = |job, product| Request { job, product };
    vec![
        of(run(), Product::Runs),
        of(run(), Product::Attempts),
        of(run(), Product::Timeline { bin }),
        of(run(), Product::Summary { confidence: 0.95 }),
        of(run(), Product::Comparison { baseline: "full".into(), confidence: 0.95 }),
        of(run(), figure(FigureKind::Arrivals)),
        of(run(), figure(FigureKind::Waits)),
        of(run(), figure(FigureKind::Dots)),
        of(run(), figure(FigureKind::Bars)),
        of(run(), figure(FigureKind::Levels)),
        of(Job::Sweep(Box::new(grid.clone())), Product::Summary { confidence: 0.9 }),
        of(Job::Sweep(Box::new(grid)), figure(FigureKind::Curves)),
        of(Job::Sweep(Box::new(list)), Product::Runs),
        of(Job::Shard(Box::new(shard)), Product::Runs),
        of(Job::Delays(Box::new(drawn)), Product::Delays),
        of(Job::Delays(Box::new(fixed)), Product::Delays),
        of(Job::Measure(Box::new(measured.clone())), Product::Measured),
        of(Job::Measure(Box::new(measured)), Product::Density),
        of(Job::Matrix(Box::new(matrix)), Product::Matrix),
    ]
}

/// Three runs of any column, of which one has no value.
struct Runs;

impl Resolve for Runs {
    fn column(&mut self, _: &str) -> Result<Vec<f64>, Error> {
        Ok(vec![1.0, f64::NAN, 3.0])
    }

    fn delay(&mut self, _: &str, retry: u32, u: f64, _: Option<f64>) -> Result<f64, Error> {
        Ok(f64::from(retry) * u)
    }
}

pub fn expression(input: &[u8], _: &mut Rng) {
    let Ok(text) = str::from_utf8(input) else { return };
    // Half a second each, and nothing else.
    if text.contains("uniform_spread") && text.len() % 16 != 0 {
        return;
    }
    match Expression::parse(text).and_then(|expression| expression.number(&mut Runs)) {
        Ok(_) => {}
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

pub fn manifest(input: &[u8], rng: &mut Rng) {
    let Ok(manifest) = Manifest::from_json(&String::from_utf8_lossy(input)) else { return };
    let again = Manifest::from_json(&manifest.to_json().unwrap()).unwrap();
    assert_eq!(again, manifest, "written and read again");
    let mut request = manifest.request;
    if let Job::Run(job) = &mut request.job {
        match crate::engine::tamed(job.scenario.clone(), false) {
            Some(scenario) => job.scenario = scenario,
            None => return,
        }
    }
    if let Job::Reproduce { .. } | Job::Matrix(_) = request.job
        && rng.u8(..) > 0
    {
        return;
    }
    // No more than a few runs; what is refused is refused before them.
    let left = AtomicU64::new(40);
    let few = |_: u64, _: u64| {
        if left.fetch_sub(1, Relaxed) == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    if small(&request.job) && rng.u8(..4) == 0 {
        match request.make(Some(1), &few) {
            Ok(_) => {}
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// Whether a job takes milliseconds, or is refused.
fn small(job: &Job) -> bool {
    let most = |plan: &Plan| plan.len() <= 20 || plan.len() > 1_000_000_000;
    match job {
        Job::Run(job) => most(&job.plan) && job.policies.len() <= 5,
        Job::Sweep(job) => is_small(&job.design),
        Job::Shard(job) => is_small(&job.sweep.design),
        Job::Delays(job) => {
            job.retries < 1_000 && !matches!(job.draw, Draw::Sequences { draws, .. } if draws > 1_000)
        }
        Job::Measure(job) => u64::from(job.retries) * u64::from(job.clients) < 100_000,
        Job::Matrix(job) => job.policies.len() * job.situations.len() <= 2 && job.runs <= 2,
        Job::Reproduce { ids } => ids.len() == 1,
    }
}

/// Few points of few clients, as far as the table says it.
fn is_small(design: &Design) -> bool {
    let clients = |value: &toml::Value| value.as_integer().is_some_and(|n| n <= 20);
    let table = design.table().unwrap_or_default();
    let few = table.get("workload").and_then(|workload| workload.get("clients")).is_some_and(clients);
    let varied =
        design.vary.values().all(|value| value.as_array().is_some_and(|list| list.iter().all(clients)));
    few && varied && design.runs <= 20 && design.points().is_ok_and(|points| points.len() <= 10)
}

pub fn design(input: &[u8], _: &mut Rng) {
    let Ok(text) = str::from_utf8(input) else { return };
    let Ok(table) = retrysim::text::parse(text) else { return };
    let Ok(design) = retrysim::text::read::<Design>(table) else { return };
    let points = design.points();
    let sweep = SweepJob { design, metrics: None };
    for n in [1, 3, 100_000, u32::MAX] {
        if sweep.check_shards(n).is_ok() {
            assert!(points.as_ref().is_ok_and(|points| !points.is_empty()));
        }
    }
}
