//! Where random numbers come from.
//!
//! A kernel asks for a *stream* by what it is for (who, which attempt, which purpose). The default
//! generator computes the stream from that key alone, so that results do not depend on the order of
//! events, on threads or on shards, and two policies under one seed meet the same luck. The generators
//! of published programs are one sequence for everything: they ignore the key and answer in order.

mod cpython;
mod fixed;
mod mulberry32;
mod philox;

use serde::{Deserialize, Serialize};

pub use self::{cpython::CPython, fixed::Fixed, mulberry32::Mulberry32, philox::Philox};

/// Random numbers for one purpose.
pub trait Stream: rand_core::Rng {
    /// The next number, uniform in `[0, 1)`.
    fn unit(&mut self) -> f64;
}

/// What a stream is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Everything about one attempt of one call: its place in the lottery and the delay after it.
    Attempt = 0,
    /// When a client starts.
    Start = 1,
    /// New calls of a client at a moment.
    Arrival = 2,
    /// Network delays of one attempt.
    Network = 3,
    /// Whether an attempt fails by itself.
    Outcome = 4,
    /// Statistics over runs, such as a simulated interval.
    Statistics = 5,
}

/// A request that takes part in a lottery for capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// The call's number.
    pub call: u32,
    /// The attempt, 1-based.
    pub attempt: u32,
}

/// The random numbers of one run.
pub trait Draws {
    /// The kind of stream.
    type Stream<'a>: Stream
    where
        Self: 'a;

    /// The stream for `purpose` of `owner` (a call or a client) at `index` (an attempt or a tick).
    fn at(&mut self, purpose: Purpose, owner: u32, index: u32) -> Self::Stream<'_>;

    /// Picks `min(k, n)` of the tickets at random, all equally likely; their indices go to `picked`.
    fn choose(&mut self, tickets: &[Ticket], k: usize, picked: &mut Vec<u32>);
}

/// A generator by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Generator {
    /// Philox4x32-10, keyed: the default.
    #[default]
    Philox,
    /// `CPython`'s `random.Random`: the Mersenne Twister, in the order of events.
    CPython,
    /// mulberry32, in the order of events.
    Mulberry32,
}

impl Generator {
    /// All generators.
    pub const ALL: [Self; 3] = [Self::Philox, Self::CPython, Self::Mulberry32];

    /// The name used in scenarios and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Philox => "philox",
            Self::CPython => "cpython",
            Self::Mulberry32 => "mulberry32",
        }
    }
}
