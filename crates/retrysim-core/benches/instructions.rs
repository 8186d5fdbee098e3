//! Instructions a run of each kernel, counted by valgrind's callgrind and compared with `instructions.txt`.
//!
//! Time depends on what else a machine does, instructions hardly do. Fails where a kernel needs 10 % more than
//! was kept. To keep new counts: `cargo bench -p retrysim-core --bench instructions -- --keep`.
//!
//! Another compiler makes other instructions, so the kept counts name theirs; under another one what needs more is
//! shown and nothing fails. Then keep new counts, in a commit that changes nothing else. The C library matters little:
//! what a program does once drops out, and runs call it for hardly more than moves of memory.

mod cases;

use std::{collections::HashMap, env, fmt::Write as _, fs, process::Command, process::ExitCode};

use cases::Case;

const SLACK: f64 = 0.10;
const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/instructions.txt");

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().collect();
    if let Some(place) = arguments.iter().position(|argument| argument == "--case") {
        let (name, runs) = (&arguments[place + 1], &arguments[place + 2]);
        let case = cases::all().into_iter().find(|case| case.name == *name).expect("a case");
        case.run(runs.parse().expect("a number"));
        return ExitCode::SUCCESS;
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        eprintln!(
            "valgrind is not installed (Debian and Ubuntu: apt-get install valgrind; Fedora: dnf install valgrind)"
        );
        return ExitCode::FAILURE;
    }
    let compiler = compiler();
    let text = fs::read_to_string(KEPT).unwrap_or_default();
    let same_compiler = text.lines().next() == Some(&compiler);
    let kept = read(&text);
    let mut lines = format!("{compiler}\n");
    let mut worse = 0;
    println!("{:28} {:>12} {:>12} {:>7} {:>12}", "kernel", "kept", "a run", "ratio", "a request");
    for case in cases::all().iter().filter(|case| case.runs > 1) {
        let (a_run, a_request) = count(case);
        let before = kept.get(&case.name).copied();
        let ratio = before.map_or(f64::NAN, |before| a_run / before);
        worse += u32::from(ratio > 1.0 + SLACK);
        println!(
            "{:28} {:12.0} {a_run:12.0} {ratio:7.3} {a_request:12.1}",
            case.name,
            before.unwrap_or(f64::NAN)
        );
        writeln!(lines, "{} {a_run:.0}", case.name).expect("a string takes everything");
    }
    if arguments.iter().any(|argument| argument == "--keep") {
        fs::write(KEPT, lines).expect("a file of the repository");
    } else if worse > 0 {
        eprintln!("{worse} kernels need more than {:.0} % more instructions than kept", SLACK * 100.0);
        if same_compiler {
            return ExitCode::FAILURE;
        }
        eprintln!("but the counts were kept with another compiler, this is {compiler}: keep new ones");
    }
    ExitCode::SUCCESS
}

/// The compiler, the first line of what is kept.
fn compiler() -> String {
    let output = Command::new("rustc").arg("--version").output().expect("cargo found it too");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Kept counts by name.
fn read(text: &str) -> HashMap<String, f64> {
    text.lines()
        .skip(1)
        .filter_map(|line| line.rsplit_once(' '))
        .map(|(name, count)| (name.to_owned(), count.parse().expect("a count")))
        .collect()
}

/// Instructions a run and a request: what twice as many runs need more, so that the start of the program drops out.
#[allow(clippy::cast_precision_loss, reason = "counts")]
fn count(case: &Case) -> (f64, f64) {
    let runs = (case.runs / 8).max(1);
    let more = callgrind(case, 2 * runs) - callgrind(case, runs);
    let requests = case.run(2 * runs) - case.run(runs);
    (more / runs as f64, more / requests as f64)
}

/// Instructions of this program when it makes so many runs.
fn callgrind(case: &Case, runs: u64) -> f64 {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(env::current_exe().expect("a path to this program"))
        .args(["--case", &case.name, &runs.to_string()])
        .output()
        .expect("valgrind was there a moment ago");
    let text = String::from_utf8_lossy(&output.stderr);
    let collected = text.lines().find_map(|line| line.split_once("Collected : "));
    collected
        .and_then(|(_, count)| count.trim().parse().ok())
        .unwrap_or_else(|| panic!("callgrind said: {text}"))
}
