//! Totals of a run on [`super::TickCapacity`]: what arrived when, crashes, and the return to normal.

use crate::{
    record::{Column, Completion, Kind, column},
    scenario::Workload,
    service::Base,
    span::Span,
};

/// Running totals.
#[derive(Debug)]
pub(super) struct Tally {
    tick_s: f64,
    per_s: f64,
    ticks: usize,
    is_open: bool,
    outage: Option<(usize, usize)>,
    recovery: usize,
    attempts: u64,
    gave_up: u64,
    completion: Completion,
    peak: usize,
    smallest: usize,
    peak_after: usize,
    after_recovery: u64,
    in_outage: [u64; 2],
    while_crashed: u64,
    crashes: u64,
    crashes_after: u64,
    first_crash: Option<usize>,
    last_up: Option<usize>,
    new_per_s: Vec<u32>,
    ok_per_s: Vec<u32>,
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts stay far below 2^53"
)]
impl Tally {
    pub fn columns() -> Vec<Column> {
        Base::columns_and(Completion::columns().into_iter().chain([
            column("last_success_s", Kind::Seconds),
            column("sent_after_recovery", Kind::Count),
            column("peak_qps", Kind::PerSecond),
            column("smallest_wave", Kind::Count),
            column("first_crash_s", Kind::Seconds),
            column("last_up_s", Kind::Seconds),
            column("arrivals_while_crashed", Kind::Count),
            column("crashes_after", Kind::Count),
            column("arrivals_in_outage", Kind::Count),
            column("calls_in_outage", Kind::Count),
            column("load", Kind::Ratio),
            column("back_to_normal_s", Kind::Seconds),
        ]))
    }

    /// Nothing has happened yet. The first outage is the one that "in outage" means; the last one's end is recovery.
    pub fn new(workload: &Workload, outages: &[(usize, usize)], tick: Span, ticks: usize) -> Self {
        let is_open = matches!(workload, Workload::Open(_));
        let tick_s = tick.secs();
        let seconds = if is_open { (ticks as f64 * tick_s).ceil() as usize } else { 0 };
        Self {
            tick_s,
            per_s: 1e9 / tick.nanos() as f64,
            ticks,
            is_open,
            outage: outages.first().copied(),
            recovery: outages.last().map_or(0, |(_, until)| *until),
            attempts: 0,
            gave_up: 0,
            completion: Completion::new(if is_open { 0 } else { u64::from(workload.clients()) }),
            peak: 0,
            smallest: usize::MAX,
            peak_after: 0,
            after_recovery: 0,
            in_outage: [0; 2],
            while_crashed: 0,
            crashes: 0,
            crashes_after: 0,
            first_crash: None,
            last_up: None,
            new_per_s: vec![0; seconds],
            ok_per_s: vec![0; seconds],
        }
    }

    fn second(&self, tick: usize) -> usize {
        // Half a tick keeps the boundary of a second on its own side of the rounding.
        ((tick as f64 + 0.5) * self.tick_s) as usize
    }

    /// `size` requests arrived in a tick, `new` of them first attempts (of an open workload).
    pub fn batch(&mut self, tick: usize, size: usize, new: usize, outage: bool, down: bool) {
        self.attempts += size as u64;
        self.peak = self.peak.max(size);
        if size > 0 {
            self.smallest = self.smallest.min(size);
        }
        if self.outage.is_some_and(|(from, until)| (from..until).contains(&tick)) {
            self.in_outage[0] += size as u64;
            self.in_outage[1] += new as u64;
        }
        if tick >= self.recovery {
            self.after_recovery += size as u64;
            self.peak_after = self.peak_after.max(size);
        }
        if down && !outage {
            self.while_crashed += size as u64;
        }
        if self.is_open {
            let second = self.second(tick);
            self.new_per_s[second] += new as u32;
        }
    }

    pub fn crash(&mut self, tick: usize, up_at: usize) {
        self.crashes += 1;
        self.crashes_after += u64::from(tick >= self.recovery);
        self.first_crash = self.first_crash.or(Some(tick));
        self.last_up = Some(up_at);
    }

    pub fn successes(&mut self, tick: usize, calls: usize, at_s: f64) {
        self.completion.successes_at(calls as u64, at_s);
        if self.is_open {
            let second = self.second(tick);
            self.ok_per_s[second] += calls as u32;
        }
    }

    pub fn gave_up(&mut self, calls: usize) {
        self.gave_up += calls as u64;
    }

    /// The first second after the outage from which three in a row serve 90 % of their new calls; the horizon if none.
    fn back_to_normal(&self) -> f64 {
        let Some((_, until)) = self.outage.filter(|_| self.is_open) else { return f64::NAN };
        let good = |s: usize| f64::from(self.ok_per_s[s]) >= 0.9 * f64::from(self.new_per_s[s]);
        let first = (until as f64 * self.tick_s).round() as usize;
        let last = self.ok_per_s.len().saturating_sub(2);
        (first..last).find(|s| (*s..s + 3).all(good)).map_or(self.ticks as f64 * self.tick_s, |s| s as f64)
    }

    pub fn write(&self, calls: u64, row: &mut [f64]) {
        let seconds = |tick: Option<usize>| tick.map_or(f64::NAN, |tick| tick as f64 * self.tick_s);
        let base = Base {
            attempts: self.attempts,
            successes: self.completion.successes(),
            gave_up: self.gave_up,
            finish_s: self.completion.finish(),
            crashes: self.crashes as f64,
            peak_arrivals: self.peak as f64,
            calls,
        };
        let [t50, t90, t99, last] = self.completion.times();
        let [arrivals, new] = self.in_outage.map(|n| n as f64);
        let has_outage = self.outage.is_some();
        let smallest = if self.attempts == 0 { 0.0 } else { self.smallest as f64 };
        base.write(row).copy_from_slice(&[
            t50,
            t90,
            t99,
            last,
            self.after_recovery as f64,
            self.peak_after as f64 * self.per_s,
            smallest,
            seconds(self.first_crash),
            seconds(self.last_up),
            self.while_crashed as f64,
            self.crashes_after as f64,
            if has_outage { arrivals } else { f64::NAN },
            if has_outage && self.is_open { new } else { f64::NAN },
            if has_outage && self.is_open { arrivals / new } else { f64::NAN },
            self.back_to_normal(),
        ]);
    }
}
