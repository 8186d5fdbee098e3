//! Makes the runs: one after the other, or some of them together where the kernel can and nobody looks on.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::{Plan, Tick, probe};
use crate::{
    draw::{CPython, Draws, Generator, Mulberry32, Philox, Purpose},
    policy::Compiled,
    record::Recorder,
    scenario::Scenario,
    service::Kernel,
};

/// Everything that a run is made from.
pub(super) struct Maker<'m, K, F> {
    pub kernel: &'m K,
    pub scenario: &'m Scenario,
    pub policies: &'m [Compiled],
    pub plan: &'m Plan,
    pub generator: Generator,
    /// Columns that a run has, and the places of those that are kept.
    pub width: usize,
    pub kept: &'m [usize],
    pub make: &'m F,
    pub tick: &'m Tick<'m>,
    /// Whether somebody has asked to stop.
    pub stopped: AtomicBool,
}

/// What a worker keeps from run to run: the kernel's room, and a row.
type Room<K> = (<K as Kernel>::Scratch, Vec<f64>);

impl<K: Kernel, R: Recorder + Send, F: Fn() -> R + Sync> Maker<'_, K, F> {
    /// Makes all runs and fills `values`, for each policy in turn a row a run; says of each run whether it came to an end.
    pub fn all(&self, values: &mut [f64]) -> Vec<(bool, R)> {
        let (runs, kept) = (self.plan.len(), self.kept.len());
        let block = if self.may_be_together() { K::TOGETHER } else { 1 };
        let blocks = values.par_chunks_mut(runs * kept).zip(self.policies).flat_map(|(rows, policy)| {
            let blocks = rows.par_chunks_mut(block * kept).enumerate();
            blocks.map(move |(i, rows)| (policy, i * block, rows))
        });
        let room = || (K::Scratch::default(), Vec::new());
        let made = blocks.map_init(room, |room, (policy, first, rows)| self.block(policy, first, room, rows));
        made.flatten_iter().collect()
    }

    /// Where nobody looks on, and draws don't depend on it, runs may be made in any order.
    fn may_be_together(&self) -> bool {
        K::TOGETHER > 0 && self.generator == Generator::Philox && !R::WATCHES && self.scenario.probe.is_none()
    }

    /// Runs of a policy, from number `first` of the plan on, a row each.
    fn block(&self, policy: &Compiled, first: usize, room: &mut Room<K>, rows: &mut [f64]) -> Vec<(bool, R)> {
        if self.may_be_together() && self.together(policy, first, room, rows) {
            return rows.chunks(self.kept.len()).map(|_| (true, (self.make)())).collect();
        }
        let rows = rows.chunks_mut(self.kept.len());
        rows.zip(first..).map(|(keep, i)| self.one(policy, i, room, keep)).collect()
    }

    fn together(&self, policy: &Compiled, first: usize, room: &mut Room<K>, rows: &mut [f64]) -> bool {
        if self.stopped.load(Ordering::Relaxed) {
            return true;
        }
        let runs = first..first + rows.len() / self.kept.len();
        let draws: Vec<Philox> =
            runs.map(|i| self.plan.key(i)).map(|(seed, run)| Philox::new(seed, run)).collect();
        self.kernel.run_together(policy, &draws, &mut room.0, &mut |run, row| {
            self.keep(row, &mut rows[run * self.kept.len()..]);
        })
    }

    fn one(&self, policy: &Compiled, i: usize, room: &mut Room<K>, keep: &mut [f64]) -> (bool, R) {
        let (scratch, row) = room;
        row.clear();
        row.resize(self.width, f64::NAN);
        let mut recorder = (self.make)();
        if self.stopped.load(Ordering::Relaxed) {
            return (true, recorder);
        }
        let keyed = !matches!(self.plan, Plan::Seeds(_));
        let source = Source { generator: self.generator, key: self.plan.key(i), keyed };
        let fine = one_run(self.kernel, self.scenario, policy, source, scratch, row, &mut recorder);
        self.keep(row, keep);
        (fine, recorder)
    }

    /// Keeps what is wanted of a run that is over.
    fn keep(&self, row: &[f64], keep: &mut [f64]) {
        for (place, column) in keep.iter_mut().zip(self.kept) {
            *place = row[*column];
        }
        if (self.tick)().is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        }
    }
}

/// Where a run's random numbers come from.
#[derive(Clone, Copy)]
struct Source {
    generator: Generator,
    key: (u64, u64),
    /// Whether the run is one of many under one seed.
    keyed: bool,
}

impl Source {
    /// The words from which a sequential generator starts a keyed run: a Philox block of (seed, run).
    fn words(self) -> [u32; 4] {
        Philox::new(self.key.0, self.key.1).block(Purpose::Statistics, 0, 0)
    }
}

/// One run: `row` has the kernel's columns, then the probe's.
#[expect(clippy::cast_possible_truncation, reason = "mulberry32 has a seed of 32 bits")]
fn one_run<K: Kernel, R: Recorder>(
    kernel: &K,
    scenario: &Scenario,
    policy: &Compiled,
    source: Source,
    scratch: &mut K::Scratch,
    row: &mut [f64],
    recorder: &mut R,
) -> bool {
    let (seed, run) = source.key;
    let mut recorded = Recorded { kernel, scenario, policy, scratch, row, recorder };
    match source.generator {
        Generator::Philox => recorded.run(&mut Philox::new(seed, run)),
        Generator::CPython if source.keyed => recorded.run(&mut CPython::from_words(&source.words())),
        Generator::CPython => recorded.run(&mut CPython::new(seed)),
        Generator::Mulberry32 if source.keyed => recorded.run(&mut Mulberry32::new(source.words()[0])),
        Generator::Mulberry32 => recorded.run(&mut Mulberry32::new(seed as u32)),
    }
}

struct Recorded<'a, K: Kernel, R> {
    kernel: &'a K,
    scenario: &'a Scenario,
    policy: &'a Compiled,
    scratch: &'a mut K::Scratch,
    row: &'a mut [f64],
    recorder: &'a mut R,
}

impl<K: Kernel, R: Recorder> Recorded<'_, K, R> {
    fn run<D: Draws>(&mut self, draws: &mut D) -> bool {
        let Some(watched) = &self.scenario.probe else {
            return self.kernel.run(self.policy, draws, self.recorder, self.scratch, self.row);
        };
        let (row, probed) = self.row.split_at_mut(self.row.len() - probe::columns().len());
        let mut both = (probe::Probe::new(watched.client, self.scenario), &mut *self.recorder);
        let fine = self.kernel.run(self.policy, draws, &mut both, self.scratch, row);
        both.0.write(probed);
        fine
    }
}
