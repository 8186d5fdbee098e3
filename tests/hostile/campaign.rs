//! Runs many hostile inputs through a check: none may panic, and none may take longer than [`PATIENCE`].
//!
//! `RETRYSIM_CASES=1000000` makes a campaign of a test, `RETRYSIM_SEED=7` another one, `RETRYSIM_FIRST=41` begins with
//! case 41. The inputs of a seed are always the same. What fails is written to `target/tmp/hostile`; the number of the
//! case under way stands there in `NAME.case`, since an abort or a stack that overflows leaves nobody to say it.

use std::{
    env,
    fs::{self, File},
    os::unix::fs::FileExt,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    process,
    sync::{
        Mutex,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use fastrand::Rng;

/// Cases of a test, unless the environment asks for more.
const CASES: u64 = 1_500;

/// How long a case may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Failures that are collected before a campaign ends.
const FAILURES: usize = 10;

fn asked(name: &str, default: u64) -> u64 {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Checks inputs that `make` makes, each of random numbers of its own.
pub fn campaign(name: &str, make: impl Fn(&mut Rng) -> Vec<u8>, check: impl Fn(&[u8], &mut Rng)) {
    let (cases, seed) = (asked("RETRYSIM_CASES", CASES), asked("RETRYSIM_SEED", 0));
    let first = asked("RETRYSIM_FIRST", 0);
    let number = File::create(path(name, "case")).unwrap();
    let under_way = Mutex::new((Instant::now(), Vec::new()));
    let (over, ended) = mpsc::channel::<()>();
    let mut failures = Vec::new();
    thread::scope(|scope| {
        let under_way = &under_way;
        scope.spawn(move || watch(name, under_way, &ended));
        for case in first..first + cases {
            let mut rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ case);
            let input = make(&mut rng);
            number.write_all_at(format!("{case:>12}").as_bytes(), 0).unwrap();
            *under_way.lock().unwrap() = (Instant::now(), input.clone());
            if catch_unwind(AssertUnwindSafe(|| check(&input, &mut rng))).is_err() {
                failures.push((case, keep(name, &case.to_string(), &input)));
                if failures.len() == FAILURES {
                    break;
                }
            }
        }
        drop(over);
    });
    assert!(failures.is_empty(), "{name}: (case, input) {failures:?}");
}

/// Ends the process when a case takes too long.
fn watch(name: &str, under_way: &Mutex<(Instant, Vec<u8>)>, ended: &mpsc::Receiver<()>) {
    while ended.recv_timeout(Duration::from_millis(500)) == Err(RecvTimeoutError::Timeout) {
        let Ok(case) = under_way.lock() else { return };
        if case.0.elapsed() > PATIENCE {
            eprintln!("{name}: more than {PATIENCE:?} for {}", keep(name, "slow", &case.1).display());
            process::exit(101);
        }
    }
}

/// Writes an input to `target/tmp/hostile`.
fn keep(name: &str, what: &str, input: &[u8]) -> PathBuf {
    let path = path(name, what);
    fs::write(&path, input).unwrap();
    path
}

fn path(name: &str, what: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hostile");
    fs::create_dir_all(&folder).unwrap();
    folder.join(format!("{name}.{what}"))
}
