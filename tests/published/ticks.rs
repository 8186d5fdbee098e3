//! A recorder for services that count in ticks: who came when, what became of it, and crashes.

use retrysim::record::{Attempt, Outcome, Recorder};

/// Counts by tick, and the crashes.
#[derive(Debug)]
pub struct Ticks {
    length: f64,
    /// Requests by tick.
    pub arrivals: Vec<u32>,
    /// First attempts by tick.
    pub first: Vec<u32>,
    /// Successes by tick.
    pub ok: Vec<u32>,
    /// Ticks at which the service crashed.
    pub crashes: Vec<usize>,
}

impl Ticks {
    /// `ticks` ticks of `length` in the scenario's unit.
    pub fn new(ticks: usize, length: f64) -> Self {
        let zeros = vec![0; ticks];
        Self { length, arrivals: zeros.clone(), first: zeros.clone(), ok: zeros, crashes: Vec::new() }
    }

    fn tick(&self, time: f64) -> usize {
        // Times are products `tick * length`, at most an ulp away from a whole number of ticks.
        (time / self.length).round() as usize
    }

    /// CRC-32 of the first `ticks` arrivals in decimal, joined by commas.
    pub fn crc32(&self, ticks: usize) -> String {
        let text: Vec<String> = self.arrivals[..ticks].iter().map(u32::to_string).collect();
        format!("{:08x}", crc32fast::hash(text.join(",").as_bytes()))
    }
}

/// Sums over bins of `size` ticks.
pub fn binned(counts: &[u32], size: usize) -> Vec<u32> {
    counts.chunks(size).map(|bin| bin.iter().sum()).collect()
}

impl Recorder for Ticks {
    fn attempt(&mut self, attempt: &Attempt<'_>) {
        let tick = self.tick(attempt.start);
        self.arrivals[tick] += 1;
        self.first[tick] += u32::from(attempt.call.attempt == 1);
        self.ok[tick] += u32::from(attempt.outcome == Outcome::Ok);
    }

    fn crash(&mut self, at: f64) {
        let tick = self.tick(at);
        self.crashes.push(tick);
    }
}
