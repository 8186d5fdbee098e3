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

/// Wherever a byte is wrong, gathering ends: with the sweep, or with that part's name.
#[test]
fn a_wrong_byte_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    made(folder.path(), 2);
    let path = folder.path().join(part_name(1));
    let whole = std::fs::read(&path).unwrap();
    for i in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[i] ^= 0xff;
        std::fs::write(&path, bytes).unwrap();
        if let Ok(mut survey) = Survey::of(folder.path()) {
            let whole = survey.gather().unwrap();
            assert_eq!(whole.is_none(), !survey.is_whole(), "byte {i}");
            assert!(survey.to_make().iter().all(|k| *k == 1), "byte {i}: {:?}", survey.lines());
        }
    }
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
