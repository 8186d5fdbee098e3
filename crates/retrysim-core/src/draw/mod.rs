//! Where random numbers come from.
//!
//! A kernel asks for a *stream* by what it is for (who, which attempt, which purpose). The default
//! generator computes the stream from that key alone, so that results do not depend on the order of
//! events, on threads or on shards, and two policies under one seed meet the same luck. The generators
//! of published programs are one sequence for everything: they ignore the key and answer in order.

mod ahead;
mod batch;
mod cpython;
mod fixed;
mod mulberry32;
mod philox;
mod replay;
mod ziggurat;

use serde::{Deserialize, Serialize};

pub(crate) use self::batch::{mark_smallest, unit};
pub(crate) use self::philox::{Abreast, Common};
pub(crate) use self::ziggurat::normals;
pub use self::{
    ahead::Ahead, batch::Batch, cpython::CPython, fixed::Fixed, mulberry32::Mulberry32, philox::Philox,
    replay::Replay,
};

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
    /// Whether an attempt is held back by its own side.
    Sending = 6,
    /// How long a service works on an attempt.
    Work = 7,
}

/// Attempts of a call whose streams are begun together: more would often be in vain.
pub const BEGUN: usize = 4;

/// Attempts of a client that are drawn together with their network delays, which are more work.
pub(crate) const SENDS: usize = 2;

/// The random numbers of one run.
pub trait Draws {
    /// The kind of stream.
    type Stream<'a>: Stream
    where
        Self: 'a;

    /// Whether a stream depends on nothing but its key, so that streams may be opened in any order, or not at all.
    const KEYED: bool;

    /// The stream for `purpose` of `owner` (a call or a client) at `index` (an attempt or a tick).
    fn at(&mut self, purpose: Purpose, owner: u32, index: u32) -> Self::Stream<'_>;

    /// The first number of a stream.
    #[inline]
    fn number(&mut self, purpose: Purpose, owner: u32, index: u32) -> f64 {
        self.at(purpose, owner, index).unit()
    }

    /// Draws for a batch of attempts, side by side: lottery numbers and the beginnings of their streams.
    /// A generator that isn't keyed draws nothing ahead.
    fn open(&mut self, _batch: &mut Batch) {}

    /// The first 64 bits of the streams of a call's attempts from `attempt` on, for [`Draws::resume`]; 0 if streams have
    /// no beginning.
    fn begin(&mut self, _call: u32, _attempt: u32) -> [u64; BEGUN] {
        [0; BEGUN]
    }

    /// The stream that [`Draws::at`] gives, its beginning drawn already.
    fn resume(&mut self, purpose: Purpose, owner: u32, index: u32, _bits: u64) -> Self::Stream<'_> {
        self.at(purpose, owner, index)
    }

    /// Marks `min(k, n)` of `n` attempts at random, all equally likely. The batch needs to be open only for `k < n`.
    fn choose(&mut self, batch: &mut Batch, k: usize, marks: &mut [bool]);
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
