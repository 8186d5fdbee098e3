//! What a run leaves behind: a row of totals, and whatever a recorder picks up on the way.

use crate::callers::{Call, Decision};

/// What a column of totals counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number.
    Count,
    /// Seconds; the name ends in `_s`.
    Seconds,
    /// Per second.
    PerSecond,
    /// A ratio.
    Ratio,
}

/// A column of totals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What it counts.
    pub kind: Kind,
}

/// Shorthand for a column.
#[must_use]
pub fn column(name: impl Into<String>, kind: Kind) -> Column {
    Column { name: name.into(), kind }
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It succeeded.
    Ok,
    /// The service would not take it: down, full, or throttling.
    Refused,
    /// It took too long.
    Timeout,
    /// The service took it and failed, or lost a race.
    Error,
}

/// One attempt, times in units of the scenario.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// The call as it was when the attempt was sent.
    pub call: &'a Call,
    /// When it was sent (the tick, where the model has ticks).
    pub start: f64,
    /// When its answer arrived.
    pub end: f64,
    /// How it ended.
    pub outcome: Outcome,
    /// What followed; `None` after a success, and while copies of the attempt are under way.
    pub decision: Option<Decision>,
}

/// Picks up what happens in a run. Every method does nothing unless a recorder wants it, so that a run
/// for totals alone pays nothing.
pub trait Recorder {
    /// Whether anything is picked up at all. If not, a kernel need not keep to the order of answers within a moment.
    const WATCHES: bool = true;

    /// An attempt has been answered.
    fn attempt(&mut self, _attempt: &Attempt<'_>) {}
    /// The service has crashed.
    fn crash(&mut self, _at: f64) {}
    /// Tokens of a client's bucket after a step, and whether its budgets would let a retry through.
    fn level(&mut self, _client: u32, _at: f64, _tokens: f64, _open: bool) {}
    /// The client whose token level is wanted after every step.
    fn watched(&self) -> Option<u32> {
        None
    }
}

/// Two recorders at once; the first that watches a client decides which one is watched.
impl<A: Recorder, B: Recorder> Recorder for (A, B) {
    const WATCHES: bool = A::WATCHES || B::WATCHES;

    fn attempt(&mut self, attempt: &Attempt<'_>) {
        self.0.attempt(attempt);
        self.1.attempt(attempt);
    }

    fn crash(&mut self, at: f64) {
        self.0.crash(at);
        self.1.crash(at);
    }

    fn level(&mut self, client: u32, at: f64, tokens: f64, open: bool) {
        self.0.level(client, at, tokens, open);
        self.1.level(client, at, tokens, open);
    }

    fn watched(&self) -> Option<u32> {
        self.0.watched().or(self.1.watched())
    }
}

impl<R: Recorder> Recorder for &mut R {
    const WATCHES: bool = R::WATCHES;

    fn attempt(&mut self, attempt: &Attempt<'_>) {
        (**self).attempt(attempt);
    }

    fn crash(&mut self, at: f64) {
        (**self).crash(at);
    }

    fn level(&mut self, client: u32, at: f64, tokens: f64, open: bool) {
        (**self).level(client, at, tokens, open);
    }

    fn watched(&self) -> Option<u32> {
        (**self).watched()
    }
}

/// Records nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals;

impl Recorder for Totals {
    const WATCHES: bool = false;
}

/// Times at which shares of a fixed number of calls have succeeded.
#[derive(Clone, Debug)]
pub struct Completion {
    calls: u64,
    successes: u64,
    /// Successes at each mark.
    needed: [u64; 4],
    marks: [f64; 4],
    /// Marks that have been reached.
    reached: usize,
    last: f64,
}

impl Completion {
    /// Per mille of the calls at each mark: half, nine tenths, 99 of 100, all.
    const SHARES: [u64; 4] = [500, 900, 990, 1000];

    /// Columns of the first three marks.
    #[must_use]
    pub fn columns() -> [Column; 3] {
        ["t50_s", "t90_s", "t99_s"].map(|name| column(name, Kind::Seconds))
    }

    /// Nothing has succeeded; `calls` is 0 where their number isn't fixed.
    #[must_use]
    pub fn new(calls: u64) -> Self {
        Self {
            calls,
            successes: 0,
            needed: Self::needed(calls),
            marks: [f64::NAN; 4],
            reached: 0,
            last: f64::NAN,
        }
    }

    /// Successes at each mark; more than there can be, where no share has a meaning.
    pub(crate) fn needed(calls: u64) -> [u64; 4] {
        Self::SHARES.map(|share| if calls == 0 { u64::MAX } else { (calls * share).div_ceil(1000) })
    }

    /// A call has succeeded. Successes are reported in order of time.
    #[inline]
    pub fn success(&mut self, at: f64) {
        self.successes_at(1, at);
    }

    /// Calls have succeeded at one time.
    #[inline]
    pub fn successes_at(&mut self, calls: u64, at: f64) {
        if calls == 0 {
            return;
        }
        self.successes += calls;
        self.last = at;
        while self.reached < self.needed.len() && self.successes >= self.needed[self.reached] {
            self.marks[self.reached] = at;
            self.reached += 1;
        }
    }

    /// Successes so far.
    #[must_use]
    pub const fn successes(&self) -> u64 {
        self.successes
    }

    /// Whether every call has succeeded.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.calls > 0 && self.successes == self.calls
    }

    /// When every call had succeeded; NaN if that never happened.
    #[must_use]
    pub const fn finish(&self) -> f64 {
        self.marks[3]
    }

    /// When 50 %, 90 % and 99 % of the calls had succeeded, and the last success; NaN where that never happened.
    #[must_use]
    pub const fn times(&self) -> [f64; 4] {
        [self.marks[0], self.marks[1], self.marks[2], self.last]
    }
}
