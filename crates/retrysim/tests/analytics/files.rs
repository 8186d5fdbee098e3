//! Files: whole or not there, with what made them.

use std::fs;

use retrysim::{
    Generator, Manifest, Plan, Request, bundled,
    export::{self, Rerun, manifest_of, rerun, save, sidecar},
    polars::prelude::DataFrame,
    request::{Job, Output, Product, RunJob},
    unwatched,
};

fn request(product: Product) -> Request {
    let job = RunJob {
        scenario: bundled::scenario("overload").unwrap(),
        policies: vec!["full".into(), "exponential".into()],
        plan: Plan::Runs { seed: 3, runs: 40 },
        generator: Generator::Philox,
        metrics: None,
    };
    Request { job: Job::Run(Box::new(job)), product }
}

fn make(request: &Request) -> Output {
    request.make(None, &unwatched).unwrap()
}

fn frame(request: &Request) -> DataFrame {
    match make(request) {
        Output::Frame(frame) => frame,
        Output::Figure(_) => panic!("a figure"),
    }
}

#[test]
fn every_format_is_made_again_from_its_manifest() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["runs.csv", "runs.parquet", "runs.json", "runs.md"] {
        let path = folder.path().join(name);
        let request = request(Product::Runs);
        save(&make(&request), &Manifest::new(request.clone()), &path).unwrap();
        assert_eq!(manifest_of(&path).unwrap().request, request, "{name}");
        for threads in [1, 2, 7] {
            assert_eq!(
                rerun(&path, Some(threads), &unwatched).unwrap(),
                Rerun::Same,
                "{name}, {threads} threads"
            );
        }
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&path, bytes).unwrap();
        if !name.ends_with("parquet") {
            assert_eq!(rerun(&path, None, &unwatched).unwrap(), Rerun::Different, "{name}");
        }
    }
}

#[test]
fn csv_and_parquet_hold_the_same_values() {
    use retrysim::export::csv;
    let folder = tempfile::tempdir().unwrap();
    let request = request(Product::Runs);
    let frame = frame(&request);
    let path = folder.path().join("runs.parquet");
    save(&Output::Frame(frame.clone()), &Manifest::new(request), &path).unwrap();
    let read = export::read_parquet(&path).unwrap();
    assert!(read.equals_missing(&frame));
    assert_eq!(csv(&read).unwrap(), csv(&frame).unwrap());
}

#[test]
fn an_old_file_survives_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no").join("such").join("runs.csv");
    let request = request(Product::Runs);
    let (output, manifest) = (make(&request), Manifest::new(request.clone()));
    let message = save(&output, &manifest, &missing).unwrap_err().to_string();
    assert!(message.contains("runs.csv"), "{message}");
    assert!(!sidecar(&missing).exists());
    let path = folder.path().join("runs.csv");
    fs::write(&path, "old").unwrap();
    assert!(save(&output, &manifest, &folder.path().join("runs.txt")).is_err());
    assert!(save(&output, &manifest, &folder.path().join("runs.png")).is_err(), "a table is no picture");
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    save(&output, &manifest, &path).unwrap();
    let names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "nothing temporary is left: {names:?}");
}

#[test]
fn a_file_without_a_manifest_says_so() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in
        [("x.csv", "a,b\n1,2\n"), ("x.parquet", "PAR1 nonsense PAR1"), ("x.png", "no picture")]
    {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        assert!(manifest_of(&path).is_err(), "{name}");
    }
    let path = folder.path().join("y.csv");
    fs::write(&path, "a\n").unwrap();
    fs::write(sidecar(&path), "{\"software\": 1}").unwrap();
    let message = manifest_of(&path).unwrap_err().to_string();
    assert!(message.contains("software"), "{message}");
}
