//! Shards: whatever is killed, cut, mixed up or in the way, what comes of them is what one process writes, or refused.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant, SystemTime},
};

use retrysim::{
    Manifest, export,
    parts::{Survey, part_name},
    request::Output as Made,
};

use crate::{Folder, refuses, retrysim, says};

/// Six points of 20 runs, in a moment.
const SMALL: &str = r#"
scenario = "contention"
policies = ["full", "none"]
runs = 20
seed = 7

[vary]
"workload.clients" = [5, 9, 12]
"service.network.normal.sd" = ["2ms", "5ms"]
"#;

/// The same model, so long that it can be killed in the middle.
const LONG: &str = r#"
scenario = "contention"
policies = ["full", "decorrelated"]
runs = 200
seed = 7

[vary]
"workload.clients" = [60, 90, 120]
"#;

fn program() -> &'static Path {
    assert_cmd::cargo::cargo_bin!("retrysim")
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A folder with a design, and what one process makes of it.
struct World {
    folder: Folder,
    design: PathBuf,
}

impl World {
    fn new(design: &str) -> Self {
        let folder = Folder::new();
        let design = folder.file("design.toml", design);
        Self { folder, design }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn parts(&self) -> PathBuf {
        self.path("parts")
    }

    fn part(&self, k: u32) -> PathBuf {
        self.parts().join(part_name(k))
    }

    /// What one process writes.
    fn single(&self, name: &str, args: &[&str]) -> Vec<u8> {
        let file = self.path(name);
        let first = ["sweep", text(&self.design), "-o", text(&file)];
        works(&[first.as_slice(), args].concat());
        std::fs::read(file).unwrap()
    }

    fn shard_args(&self, shard: &str) -> Vec<String> {
        let (design, parts) = (text(&self.design).to_owned(), text(&self.parts()).to_owned());
        vec!["sweep".into(), design, "--shard".into(), shard.into(), "-o".into(), parts]
    }

    fn shard(&self, shard: &str) -> String {
        works(&self.shard_args(shard))
    }

    fn shards(&self, n: u32) {
        (0..n).rev().for_each(|k| drop(self.shard(&format!("{k}/{n}"))));
    }

    fn gathered(&self, name: &str, args: &[&str]) -> Vec<u8> {
        let file = self.path(name);
        works(&[&["gather", text(&self.parts()), "-o", text(&file)], args].concat());
        std::fs::read(file).unwrap()
    }

    /// Exit code 1, nothing on stdout: the lines on stderr.
    fn gaps(&self) -> String {
        let output = retrysim([OsStr::new("gather"), self.parts().as_os_str()]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(output.stdout.is_empty() && !stderr.contains("panicked"), "{stderr}");
        stderr
    }

    /// What `--missing` prints.
    fn missing(&self) -> String {
        let output = retrysim(["gather", text(&self.parts()), "--missing"]);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stdout).unwrap()
    }

    fn spawn(&self, args: &[&str]) -> Child {
        let mut command = Command::new(program());
        command.arg("sweep").arg(&self.design).args(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn checkpointed(&self) -> Child {
        let (parts, file) = (self.parts(), self.path("out.parquet"));
        self.spawn(&["--frame", "runs", "-o", text(&file), "--checkpoint", text(&parts), "--threads", "1"])
    }

    /// How many parts are there; each is whole.
    fn whole_parts(&self) -> u32 {
        match Survey::of(&self.parts()) {
            Ok(survey) => {
                assert!(survey.damaged.is_empty() && survey.foreign.is_empty(), "{:?}", survey.lines());
                survey.n - u32::try_from(survey.missing.len()).unwrap()
            }
            Err(_) => 0,
        }
    }

    /// Waits until there are more parts than `before`, or the process is over.
    fn wait_for_parts(&self, before: u32, child: &mut Child) {
        let begun = Instant::now();
        while self.whole_parts() <= before && child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < Duration::from_secs(60), "no part in a minute");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Exit code 0: what is on stdout.
fn works<A: AsRef<OsStr> + std::fmt::Debug>(args: &[A]) -> String {
    let output = retrysim(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn stderr(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!stderr.contains("panicked"), "{stderr}");
    stderr
}

#[test]
fn any_number_of_shards_is_one_process() {
    let world = World::new(SMALL);
    let (runs, summary) = (world.single("a.parquet", &["--frame", "runs"]), world.single("a.csv", &[]));
    let manifest = std::fs::read(world.path("a.csv.manifest.json")).unwrap();
    for n in [1, 5, 24, 120] {
        world.shards(n);
        assert_eq!(world.gathered("b.parquet", &["--frame", "runs"]), runs, "{n} shards");
        assert_eq!(world.gathered("b.csv", &[]), summary, "{n} shards");
        assert_eq!(std::fs::read(world.path("b.csv.manifest.json")).unwrap(), manifest, "{n} shards");
        std::fs::remove_dir_all(world.parts()).unwrap();
    }
}

#[test]
fn a_part_depends_on_the_design_and_its_number_alone() {
    let world = World::new(SMALL);
    let made = world.shard("3/7");
    says(&made, &["part-00003.parquet: made"]);
    let first = std::fs::read(world.part(3)).unwrap();
    says(&world.shard("3/7"), &["part-00003.parquet: was there"]);
    says(&works(&["rerun", text(&world.part(3))]), &["the same bytes again"]);
    std::fs::remove_file(world.part(3)).unwrap();
    let mut args = world.shard_args("3/7");
    args.extend(["--threads".into(), "2".into()]);
    works(&args);
    assert_eq!(std::fs::read(world.part(3)).unwrap(), first);
    let frame = export::read_parquet(&world.part(3)).unwrap();
    let names: Vec<&str> = frame.columns().iter().map(|column| column.name().as_str()).take(6).collect();
    let expected = ["scenario", "workload.clients", "service.network.normal.sd_s", "policy", "seed", "run"];
    assert_eq!((names.as_slice(), frame.height()), (expected.as_slice(), 34));
}

#[test]
fn what_is_missing_is_said() {
    let world = World::new(SMALL);
    ["1/24", "2/24", "8/24"].iter().for_each(|shard| drop(world.shard(shard)));
    assert_eq!(world.gaps(), "retrysim: missing: 0, 3..7, 9..23 of 24\n");
    assert_eq!(world.missing(), "0,3-7,9-23\n");
    world.shards(24);
    assert_eq!(works(&["gather", text(&world.parts()), "--missing"]), "");
    std::fs::remove_file(world.part(5)).unwrap();
    assert_eq!(world.gaps(), "retrysim: missing: 5 of 24\n");
}

#[test]
fn a_part_that_was_cut() {
    let world = World::new(SMALL);
    world.shards(4);
    let runs = world.single("a.parquet", &["--frame", "runs"]);
    let whole = std::fs::read(world.part(2)).unwrap();
    for length in [0, 3, whole.len() / 2, whole.len() - 1] {
        std::fs::write(world.part(2), &whole[..length]).unwrap();
        says(&world.gaps(), &["damaged: ", "part-00002.parquet", "not as it was written"]);
        assert_eq!(world.missing(), "2\n");
        says(&world.shard("2/4"), &["made"]);
        assert_eq!(std::fs::read(world.part(2)).unwrap(), whole, "{length}");
    }
    assert_eq!(world.gathered("b.parquet", &["--frame", "runs"]), runs);
}

#[test]
fn another_design_or_number() {
    let world = World::new(SMALL);
    world.shards(3);
    let before = std::fs::read(world.part(0)).unwrap();
    let refused = |args: &[String]| {
        let message = refuses(args);
        assert_eq!(std::fs::read(world.part(0)).unwrap(), before, "is as it was");
        says(&message, &["part-00000.parquet", "allowed: a folder without parts of anything else"]);
        message
    };
    let args = |shard: &str, more: &[&str]| {
        [world.shard_args(shard), more.iter().map(|arg| (*arg).to_owned()).collect()].concat()
    };
    says(&refused(&args("0/3", &["--seed", "8"])), &["design.seed = 7 there, 8 here"]);
    says(
        &refused(&args("0/3", &["--metric", "attempts"])),
        &["metrics = nothing there, [\"attempts\"] here"],
    );
    says(&refused(&args("0/3", &["--set", "horizon=\"2h\""])), &["design.scenario.horizon", "1h", "2h"]);
    says(&refused(&args("3/4", &[])), &["one of 3 shards, not of 4"]);
    let other = world.path("elsewhere");
    let mut elsewhere = args("1/3", &["--seed", "8"]);
    elsewhere[5] = text(&other).to_owned();
    works(&elsewhere);
    std::fs::copy(other.join(part_name(1)), world.part(1)).unwrap();
    says(&world.gaps(), &["foreign: ", "part-00001.parquet", "design.seed = 8 there, 7 here"]);
    std::fs::copy(world.part(2), world.part(1)).unwrap();
    says(&world.gaps(), &["foreign: ", "part-00001.parquet", "shard 2 by what it says, 1 by its name"]);
}

#[test]
fn another_version() {
    let world = World::new(SMALL);
    world.shards(2);
    let manifest = export::manifest_of(&world.part(1)).unwrap();
    let old = Manifest { version: "0.0.1".into(), ..manifest };
    let frame = Made::Frame(export::read_parquet(&world.part(1)).unwrap());
    export::save(&frame, &old, &world.part(1)).unwrap();
    let this = env!("CARGO_PKG_VERSION");
    let difference = format!("made by version 0.0.1, this is {this}");
    says(&refuses(&world.shard_args("1/2")), &["part-00001.parquet", &difference]);
    says(&world.gaps(), &["foreign: ", "part-00001.parquet", &difference]);
    std::fs::remove_file(world.part(0)).unwrap();
    says(&refuses(&["gather", text(&world.parts())]), &["part-00001.parquet", "0.0.1", this]);
}

#[test]
fn what_is_no_folder_of_parts() {
    let world = World::new(SMALL);
    says(&refuses(&["gather", text(&world.parts())]), &["parts", "No such file"]);
    std::fs::create_dir(world.parts()).unwrap();
    says(&refuses(&["gather", text(&world.parts())]), &["no parts are in it", "allowed: a folder in which"]);
    std::fs::write(world.part(0), "junk").unwrap();
    says(&refuses(&["gather", text(&world.parts())]), &["part-00000.parquet can't be read"]);
}

#[test]
fn killed_again_and_again() {
    let world = World::new(LONG);
    let runs = world.single("a.parquet", &["--frame", "runs"]);
    let mut kills = 0;
    loop {
        let before = world.whole_parts();
        let mut child = world.checkpointed();
        if kills < 6 {
            world.wait_for_parts(before, &mut child);
            child.kill().unwrap();
            kills += 1;
        }
        let status = child.wait().unwrap();
        if status.success() {
            break;
        }
        assert!(world.whole_parts() >= before, "a part was lost");
    }
    assert!(kills >= 3, "killed {kills} times");
    assert_eq!(std::fs::read(world.path("out.parquet")).unwrap(), runs);
    assert!(!world.parts().exists(), "the folder is removed");
}

#[test]
fn a_killed_shard_is_made_again() {
    let world = World::new(LONG);
    let parts = world.parts();
    for milliseconds in [5, 30, 60] {
        let mut child = world.spawn(&["--shard", "0/2", "-o", text(&parts), "--threads", "1"]);
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(world.whole_parts() <= 1);
    }
    world.shards(2);
    assert_eq!(
        world.gathered("b.parquet", &["--frame", "runs"]),
        world.single("a.parquet", &["--frame", "runs"])
    );
}

/// Sends a signal by the program that every Unix has for it.
#[cfg(unix)]
fn signal(child: &Child, signal: &str) {
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[test]
#[cfg(unix)]
fn asked_to_stop() {
    for name in ["-TERM", "-INT"] {
        let world = World::new(LONG);
        let mut child = world.checkpointed();
        world.wait_for_parts(2, &mut child);
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(130), "{message}");
        let kept = format!("{} of 100 parts are in {}", world.whole_parts(), text(&world.parts()));
        let expected = format!("retrysim: interrupted: {kept}; the same command goes on from there\n");
        assert_eq!(message, expected);
        assert!(!world.path("out.parquet").exists());
        let output = world.checkpointed().wait_with_output().unwrap();
        assert_eq!(stderr(&output), format!("retrysim: going on: {kept}\n"));
        let runs = world.single("a.parquet", &["--frame", "runs"]);
        assert_eq!(std::fs::read(world.path("out.parquet")).unwrap(), runs);
    }
}

#[test]
#[cfg(unix)]
fn a_shard_asked_to_stop() {
    let world = World::new(&LONG.replace("runs = 200", "runs = 20000"));
    let parts = world.parts();
    let child = world.spawn(&["--shard", "0/2", "-o", text(&parts), "--threads", "1"]);
    let begun = Instant::now();
    while !parts.exists() && begun.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(2));
    }
    signal(&child, "-TERM");
    let output = child.wait_with_output().unwrap();
    says(&stderr(&output), &["interrupted", "part-00000.parquet is not made, finished parts are kept"]);
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(std::fs::read_dir(parts).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn a_checkpoint_takes_what_shards_have_made() {
    let world = World::new(SMALL);
    ["0/7", "3/7"].iter().for_each(|shard| drop(world.shard(shard)));
    world.folder.file("parts/notes.txt", "mine");
    let (file, parts) = (world.path("b.csv"), world.parts());
    let args = ["sweep", text(&world.design), "-o", text(&file), "--checkpoint", text(&parts)];
    let output = retrysim([args.as_slice(), &["--keep"]].concat());
    assert_eq!(stderr(&output), format!("retrysim: going on: 2 of 7 parts are in {}\n", text(&parts)));
    assert_eq!(world.whole_parts(), 7, "kept");
    works(&args);
    assert_eq!(std::fs::read(file).unwrap(), world.single("a.csv", &[]));
    let left: Vec<_> = std::fs::read_dir(&parts).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["notes.txt"], "what isn't ours stays");
}

#[test]
fn many_at_once() {
    let world = World::new(SMALL);
    let parts = world.parts();
    let one = |shard: &str| world.spawn(&["--shard", shard, "-o", text(&parts)]);
    let children: Vec<Child> = ["0/3", "0/3", "1/3", "2/3", "1/3", "0/3"].map(one).into();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
    }
    assert_eq!(std::fs::read_dir(&parts).unwrap().count(), 3, "parts and nothing else");
    assert_eq!(
        world.gathered("b.parquet", &["--frame", "runs"]),
        world.single("a.parquet", &["--frame", "runs"])
    );
}

#[test]
fn a_folder_that_cannot_be_written_to() {
    let world = World::new(SMALL);
    let mut args = world.shard_args("0/2");
    // Not even root makes files there.
    args[5] = if cfg!(target_os = "linux") { "/proc/1".into() } else { "/dev/null/parts".into() };
    says(&refuses(&args), &[&args[5]]);
    args[5] = text(&world.design).to_owned();
    says(&refuses(&args), &["design.toml", "exists"]);
    assert_eq!(std::fs::read_to_string(&world.design).unwrap(), SMALL);
}

/// A limit on the size of files is what can be had of a full disk without being root.
#[test]
#[cfg(unix)]
fn a_disk_that_is_full() {
    let world = World::new(SMALL);
    world.shard("1/2");
    let whole = std::fs::read(world.part(1)).unwrap();
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"";
    let mut command = Command::new("bash");
    command.args(["-c", script]).arg(program()).args(world.shard_args("0/2"));
    let output = command.output().unwrap();
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    says(&message, &["part-00000.parquet", "too large"]);
    let names: Vec<_> =
        std::fs::read_dir(world.parts()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["part-00001.parquet"], "nothing is left behind");
    assert_eq!(std::fs::read(world.part(1)).unwrap(), whole);
}

/// What a kill has left is removed by who comes next; what somebody else writes just now is not.
#[test]
fn what_was_left_behind() {
    let world = World::new(SMALL);
    world.shard("0/2");
    let file = |name: &str, age: u64| {
        let path = world.parts().join(name);
        let file = std::fs::File::create(&path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        (path, file)
    };
    let (left, _) = file(".retrysim-left", 3_600);
    let (at_work, held) = file(".retrysim-at-work", 3_600);
    held.try_lock().unwrap();
    let (new, _) = file(".retrysim-new", 0);
    let (other, _) = file("notes.txt", 3_600);
    let (future, handle) = file(".retrysim-future", 0);
    handle.set_modified(SystemTime::now() + Duration::from_secs(3_600)).unwrap();
    world.shard("1/2");
    assert!(!left.exists());
    assert!([at_work, new, other, future].iter().all(|path| path.exists()));
    assert_eq!(world.gathered("b.csv", &[]), world.single("a.csv", &[]));
}

/// Nothing depends on what clocks say.
#[test]
fn a_clock_that_jumps() {
    let world = World::new(SMALL);
    world.shard("0/2");
    for jump in [SystemTime::UNIX_EPOCH, SystemTime::now() + Duration::from_secs(400_000_000)] {
        std::fs::File::options().append(true).open(world.part(0)).unwrap().set_modified(jump).unwrap();
        world.shard("1/2");
        assert_eq!(world.gathered("b.csv", &[]), world.single("a.csv", &[]));
    }
}

/// Between the look at a folder and its gathering.
#[test]
fn a_part_that_vanishes() {
    let world = World::new(SMALL);
    for shard in ["0/2", "1/2"] {
        world.shard(shard);
    }
    let mut survey = Survey::of(&world.parts()).unwrap();
    let whole = std::fs::read(world.part(0)).unwrap();
    std::fs::remove_file(world.part(1)).unwrap();
    assert!(survey.is_whole() && survey.gather().unwrap().is_none());
    assert_eq!(survey.lines(), ["missing: 1 of 2"]);
    assert_eq!(std::fs::read(world.part(0)).unwrap(), whole, "what is finished is as it was");
    world.shard("1/2");
    assert_eq!(world.gathered("b.csv", &[]), world.single("a.csv", &[]));
}

#[test]
fn nobody_reads() {
    let world = World::new(SMALL);
    let parts = world.parts();
    let mut child = world.spawn(&["--shard", "0/2", "-o", text(&parts)]);
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(world.whole_parts(), 1);
    let mut gather = Command::new(program());
    gather.arg("gather").arg(&parts).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = gather.spawn().unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn what_cannot_be_held_or_cut() {
    let world = World::new(&SMALL.replace("runs = 20", "runs = 4000000000000"));
    says(
        &refuses(&world.shard_args("0/4")),
        &["runs = 4000000000000", "at most 500000000 numbers", "shards"],
    );
    assert!(!world.parts().exists(), "refused beforehand");
    let file = world.path("a.csv");
    says(&refuses(&["sweep", text(&world.design), "-o", text(&file)]), &["at most 500000000 numbers"]);
    let world = World::new(SMALL);
    says(&refuses(&world.shard_args("0/121")), &["shards = 121", "allowed: 1 to 120"]);
    for shard in ["3/3", "0/0", "x", "1", "-1/3", "0/100001"] {
        let message = refuses(&["sweep", text(&world.design), &format!("--shard={shard}"), "-o", "parts"]);
        says(&message, &["--shard", shard, "K/N with K from 0 to N - 1"]);
    }
    says(&refuses(&["sweep", text(&world.design), "--shard", "0/3"]), &["--output"]);
    let mixed = SMALL.replace("[5, 9, 12]", "[5, 9, 12.5]");
    says(&refuses(&World::new(&mixed).shard_args("0/2")), &["12.5"]);
}

fn bash(script: &Path, path: &str, args: &[&str]) -> Output {
    let folder = program().parent().unwrap();
    let path = format!("{path}:{}:{}", folder.display(), std::env::var("PATH").unwrap());
    Command::new("bash").args(args).arg(script).env("PATH", path).env("JOBS", "2").output().unwrap()
}

/// A script in a folder whose name needs quoting, with the world that it works on.
fn emitted(scheduler: &str, shards: &str) -> (World, PathBuf) {
    let mut world = World::new("");
    std::fs::create_dir(world.path("Ann's $(sweep)")).unwrap();
    world.design = world.folder.file("Ann's $(sweep)/design.toml", SMALL);
    let parts = world.parts();
    let script = works(&["emit", scheduler, text(&world.design), "--shards", shards, "-o", text(&parts)]);
    let path = world.folder.file("script", script);
    (world, path)
}

#[test]
#[cfg(unix)]
fn the_script_for_one_machine() {
    let (world, script) = emitted("parallel", "6");
    let output = bash(&script, "", &[]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(std::fs::read(world.path("parts.csv")).unwrap(), world.single("a.csv", &[]));
}

/// With an `sbatch` that runs the tasks at once, one after another, and loses two of them the first time.
#[test]
#[cfg(unix)]
fn the_script_for_slurm() {
    use std::os::unix::fs::PermissionsExt;
    let (world, script) = emitted("slurm", "6");
    assert!(bash(&script, "", &["-n"]).status.success());
    let sbatch = r#"#!/bin/bash
        for arg in "$@"; do case $arg in --array=*) list=${arg#--array=} ;; esac; done
        echo "$list" >>"$0.log"
        IFS=,
        for range in $list; do
            for ((k = ${range%-*}; k <= ${range#*-}; k++)); do
                if [ "$list" = 0-5 ] && { [ "$k" = 1 ] || [ "$k" = 4 ]; }; then continue; fi
                SLURM_ARRAY_TASK_ID=$k bash "${@: -1}"
            done
        done
    "#;
    let sbatch = world.folder.file("sbatch", sbatch);
    std::fs::set_permissions(&sbatch, std::fs::Permissions::from_mode(0o755)).unwrap();
    let output = bash(&script, text(world.folder.path()), &[]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(world.path("sbatch.log")).unwrap(), "0-5\n1,4\n");
    assert_eq!(std::fs::read(world.path("parts.csv")).unwrap(), world.single("a.csv", &[]));
}

#[test]
fn the_manifest_for_kubernetes() {
    let (_world, path) = emitted("kubernetes", "6");
    let manifest = std::fs::read_to_string(path).unwrap();
    says(
        &manifest,
        &[
            "completionMode: Indexed\n",
            "completions: 6\n",
            "$JOB_COMPLETION_INDEX/6\"",
            "Ann''s $$(sweep)/design.toml'",
        ],
    );
    assert!(!manifest.contains("{{") && !manifest.contains('\t'));
}

#[test]
fn scripts_that_could_not_run() {
    let world = World::new(SMALL);
    let emit = |design: &Path, shards: &str| {
        refuses(&["emit", "slurm", text(design), "--shards", shards, "-o", "parts"])
    };
    says(&emit(&world.design, "121"), &["design.toml", "shards = 121", "allowed: 1 to 120"]);
    says(&emit(&world.design, "0"), &["shards = 0", "allowed: 1 to 120"]);
    says(&emit(&world.path("no.toml"), "2"), &["no.toml", "No such file"]);
    says(&emit(&world.folder.file("bad.toml", "runs = 3\n[vary]\n"), "2"), &["bad.toml", "scenario"]);
    says(&emit(Path::new("herd"), "2"), &["vary", "at least one dotted path"]);
}
