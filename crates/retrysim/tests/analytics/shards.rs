//! Parts of sweeps that were hurt.

use std::path::Path;

use retrysim::{
    Design,
    parts::{Made, Parts, Survey, part_name},
    request::SweepJob,
    unwatched,
};

fn sweep() -> SweepJob {
    let design = Design::new("contention", 6).policies(["full"]).vary("workload.clients", [3, 5]);
    SweepJob { design, metrics: Some(vec!["attempts".into(), "finish_s".into()]) }
}

fn made(folder: &Path, n: u32) -> Parts {
    let parts = Parts::open(folder, &sweep(), n).unwrap();
    (0..n).for_each(|k| assert_eq!(parts.make(k, None, &unwatched).unwrap(), Made::Now));
    parts
}

/// Wherever a byte is wrong, that part is damaged, and made again it is what it was.
#[test]
fn a_wrong_byte_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    made(folder.path(), 2);
    let path = folder.path().join(part_name(1));
    let whole = std::fs::read(&path).unwrap();
    for i in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[i] ^= 1 << (i % 8);
        std::fs::write(&path, bytes).unwrap();
        let mut survey = Survey::of(folder.path()).unwrap();
        assert!(survey.gather().unwrap().is_none(), "byte {i}");
        assert_eq!((survey.to_make(), survey.damaged.len()), (vec![1], 1), "byte {i}");
        let parts = Parts::open(folder.path(), &sweep(), 2).unwrap();
        assert_eq!(parts.unfinished().unwrap(), [1], "byte {i}");
    }
    let damaged = std::fs::read(&path).unwrap();
    assert_ne!(damaged, whole);
    let parts = Parts::open(folder.path(), &sweep(), 2).unwrap();
    assert_eq!(parts.make(1, None, &unwatched).unwrap(), Made::Now);
    assert_eq!(std::fs::read(&path).unwrap(), whole);
}

#[test]
fn a_part_that_vanishes() {
    let folder = tempfile::tempdir().unwrap();
    let parts = made(folder.path(), 3);
    let mut survey = Survey::of(folder.path()).unwrap();
    std::fs::remove_file(folder.path().join(part_name(1))).unwrap();
    assert!(survey.gather().unwrap().is_none());
    assert_eq!((survey.missing.as_slice(), survey.lines()), ([1].as_slice(), vec!["missing: 1 of 3".into()]));
    assert_eq!(parts.unfinished().unwrap(), [1]);
    parts.make(1, None, &unwatched).unwrap();
    assert!(Survey::of(folder.path()).unwrap().gather().unwrap().is_some());
    parts.remove().unwrap();
    assert!(!folder.path().exists());
}
