//! A delay, compiled: the deterministic prefix of its stages becomes a table by retry number, so that a
//! retry costs a table read, a draw and a multiplication.

mod columns;

use std::{
    iter,
    ops::ControlFlow::{self, Break, Continue},
    sync::LazyLock,
};

pub(crate) use self::columns::Retries;
use super::stage::{Round, Special, Stage};
use crate::{
    draw::{Fixed, Stream},
    span::{Span, Unit},
};

/// No delay is longer than this many seconds; a curve without a cap saturates here instead of overflowing.
pub const LONGEST_SECS: f64 = 1e18;

/// Retries among which the one that reaches the cap is looked for.
const MOST_STEPS: u32 = 100_000;

/// The last retry for which backo2, from 1 s on, has a number: 1000 * 2^1014 ms.
const BACKO2_OVERFLOW: u32 = 1_015;

/// Retries whose deterministic prefix is kept in a table.
const TABLE: u32 = 64;

/// What a delay remembers between two retries of one call, in units of the scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// The delay that was last returned.
    pub previous: f64,
    /// The running sum of [`Stage::PollyV2`], uncapped.
    pub telescope: f64,
}

/// The stages of a delay with every length in the scenario's unit.
#[derive(Clone, Debug)]
pub struct Delay {
    table: [f64; TABLE as usize],
    /// The value of the prefix beyond the table, if it no longer changes there.
    settled: Option<f64>,
    prefix: Vec<Op>,
    rest: Vec<Op>,
    first_previous: f64,
    longest: f64,
}

/// A stage with its lengths in the scenario's unit.
#[derive(Clone, Debug)]
enum Op {
    Exp { base: f64, factor: f64, shift: f64, offset: f64 },
    Const(f64),
    Linear { base: f64, step: f64 },
    Poly { offset: f64, power: f64, unit: f64 },
    Fib(f64),
    List(Vec<f64>),
    Doublings { base: f64, max: u32 },
    Prev { first: f64, factor: f64, pow_n: bool },
    PollyV2(f64),
    Cap(f64),
    Floor(f64),
    Scale(f64),
    Jitter { lo: f64, width: f64 },
    Add { lo: f64, width: f64 },
    Uniform { lo: End, hi: End },
    Steps { lo: End, hi: End, steps: f64 },
    Latch(f64),
    Quantum { unit: f64, round: Round },
    Head(Vec<f64>),
    OnlyN { from: u32, ops: Vec<Op> },
    Exponential,
    SplitSeconds { lo: f64, width: f64, second: f64 },
    Backo2Half { milli: f64 },
    RustExponentialBackoff30,
}

#[derive(Clone, Debug)]
struct End {
    abs: f64,
    v: f64,
    prev: f64,
    n: f64,
    max: f64,
}

impl End {
    #[inline]
    fn at(&self, v: f64, previous: f64, n: u32) -> f64 {
        (self.abs + self.v * v + self.prev * previous + self.n * f64::from(n)).min(self.max)
    }
}

impl Delay {
    /// Compiles stages; an empty list is a delay of zero.
    #[must_use]
    pub fn compile(stages: &[Stage], unit: Unit) -> Self {
        let split = stages.iter().take_while(|stage| stage.is_deterministic()).count();
        let ops = |stages: &[Stage]| stages.iter().map(|stage| Op::compile(stage, unit)).collect::<Vec<_>>();
        let mut delay = Self {
            table: [0.0; TABLE as usize],
            settled: None,
            prefix: ops(&stages[..split]),
            rest: ops(&stages[split..]),
            first_previous: first_previous(stages).in_unit(unit),
            longest: LONGEST_SECS * 1e9 / unit.nanos(),
        };
        delay.table = std::array::from_fn(|i| delay.prefix(i as u32 + 1));
        delay.settled = settles(&delay.prefix).then(|| delay.prefix(TABLE));
        delay
    }

    /// What a new call remembers: the first delay of `prev`, or the fixed lower end of `uniform`.
    #[must_use]
    pub const fn memory(&self) -> Memory {
        Memory { previous: self.first_previous, telescope: 0.0 }
    }

    /// The delay before retry `n` (1 = the first), in units of the scenario: finite and not negative.
    ///
    /// Draws only what its stages need; `memory.previous` is left for the caller to set, since a hint
    /// of the server may still replace the delay.
    #[inline(always)]
    pub fn before_retry<S: Stream>(&self, n: u32, memory: &mut Memory, stream: &mut S) -> f64 {
        let value = run(&self.rest, n, self.known(n), memory, stream).unwrap_or_else(|latched| latched);
        self.bounded(value)
    }

    /// The delay before retry `n` if the value that reaches the first random stage is at least `floor`.
    pub(super) fn at_least_before_jitter<S: Stream>(
        &self,
        floor: f64,
        n: u32,
        memory: &mut Memory,
        stream: &mut S,
    ) -> f64 {
        let value = run(&self.rest, n, self.known(n).max(floor), memory, stream);
        self.bounded(value.unwrap_or_else(|latched| latched))
    }

    /// The value of the deterministic stages.
    #[inline]
    fn known(&self, n: u32) -> f64 {
        let known = self.table.get(n as usize - 1).copied().or(self.settled);
        known.unwrap_or_else(|| self.prefix(n))
    }

    /// Retries before the curve, were it not capped, would be above the first cap.
    pub(super) fn retries_below_cap(&self) -> u32 {
        let Some((at, cap)) = self.prefix.iter().zip(0..).find_map(|(op, at)| match op {
            Op::Cap(cap) => Some((at, *cap)),
            _ => None,
        }) else {
            return u32::MAX;
        };
        let curve = |n| run(&self.prefix[..at], n, 0.0, &mut Memory::default(), &mut Fixed(0.0));
        (1..MOST_STEPS).find(|n| curve(n + 1).is_ok_and(|value| value > cap)).map_or(u32::MAX, |n| n - 1)
    }

    /// Whether a delay may need a random number.
    #[must_use]
    pub fn draws(&self) -> bool {
        self.rest.iter().any(Op::draws)
    }

    /// The deterministic stages, which draw nothing.
    fn prefix(&self, n: u32) -> f64 {
        let value = run(&self.prefix, n, 0.0, &mut Memory::default(), &mut Fixed(0.0));
        self.bounded(value.unwrap_or_else(|latched| latched))
    }

    /// Inside `0..=longest`, where an overflow saturates.
    #[inline]
    pub(super) fn bounded(&self, value: f64) -> f64 {
        if value.is_nan() { self.longest } else { value.clamp(0.0, self.longest) }
    }
}

/// Whether deterministic ops give the same value for every retry from the table's end on: a source that is
/// constant there or lies above the cap that follows it, and then nothing that looks at `n`.
fn settles(ops: &[Op]) -> bool {
    let at_end = |op: &Op| run(std::slice::from_ref(op), TABLE, 0.0, &mut Memory::default(), &mut Fixed(0.0));
    let ends_by = |length: usize| length < TABLE as usize;
    let (source, rest) = match ops {
        [] => return true,
        [Op::Const(_), rest @ ..] => (true, rest),
        [Op::List(values), rest @ ..] => (ends_by(values.len()), rest),
        [Op::Exp { factor, .. }, Op::Cap(_), ..] if *factor < 1.0 => (false, ops),
        [source, Op::Cap(cap), rest @ ..] => (at_end(source).is_ok_and(|value| value >= *cap), rest),
        _ => (false, ops),
    };
    source
        && rest.iter().all(|op| match op {
            Op::Cap(_) | Op::Floor(_) | Op::Scale(_) | Op::Quantum { .. } => true,
            Op::Head(values) => ends_by(values.len()),
            _ => false,
        })
}

/// Applies ops in order; `Err` holds a latched value that skips the rest.
#[inline(always)]
fn run<S: Stream>(ops: &[Op], n: u32, start: f64, memory: &mut Memory, stream: &mut S) -> Result<f64, f64> {
    let mut value = start;
    for op in ops {
        match op.apply(n, value, memory, stream) {
            // Kept finite, so that nothing times an overflow stays nothing.
            Continue(next) => value = next.clamp(f64::MIN, f64::MAX),
            Break(latched) => return Err(latched),
        }
    }
    Ok(value)
}

fn first_previous(stages: &[Stage]) -> Span {
    let find = |pick: fn(&Stage) -> Option<Span>| stages.iter().find_map(pick);
    find(|stage| if let Stage::Prev(prev) = stage { Some(prev.first) } else { None })
        .or_else(|| {
            find(|stage| if let Stage::Uniform(uniform) = stage { Some(uniform.lo.abs) } else { None })
        })
        .unwrap_or_default()
}

/// `2^t tanh(sqrt(4 t))`, the curve whose differences are Polly's second decorrelated jitter.
fn polly_curve(t: f64) -> f64 {
    libm::exp2(t) * libm::tanh((4.0 * t).sqrt())
}

/// A power that stays finite: nothing times it must stay nothing.
fn power(base: f64, exponent: f64) -> f64 {
    libm::pow(base, exponent).min(f64::MAX)
}

/// Fibonacci's numbers from the first on; the 1,477th and all that follow are too large for a number.
fn fibonacci(n: u32) -> f64 {
    static NUMBERS: LazyLock<Vec<f64>> = LazyLock::new(|| {
        let next = |pair: &(f64, f64)| Some((pair.1, pair.0 + pair.1));
        iter::successors(Some((0.0, 1.0)), next)
            .map(|(_, number)| number)
            .take_while(|n| n.is_finite())
            .collect()
    });
    NUMBERS.get(n as usize - 1).copied().unwrap_or(f64::MAX)
}

impl Op {
    fn compile(stage: &Stage, unit: Unit) -> Self {
        let len = |span: Span| span.in_unit(unit);
        let all = |spans: &[Span]| spans.iter().map(|span| len(*span)).collect();
        match stage {
            Stage::Exp(exp) => Self::Exp {
                base: len(exp.base),
                factor: exp.factor,
                shift: exp.shift,
                offset: len(exp.offset),
            },
            Stage::Const(span) => Self::Const(len(*span)),
            Stage::Linear(linear) => Self::Linear { base: len(linear.base), step: len(linear.step) },
            Stage::Poly(poly) => {
                Self::Poly { offset: len(poly.offset), power: poly.power, unit: len(poly.unit) }
            }
            Stage::Fib(fib) => Self::Fib(len(fib.unit)),
            Stage::List(spans) => Self::List(all(spans)),
            Stage::Doublings(d) => Self::Doublings { base: len(d.base), max: d.max_doublings },
            Stage::Prev(prev) => {
                Self::Prev { first: len(prev.first), factor: prev.factor, pow_n: prev.pow_n }
            }
            Stage::PollyV2(polly) => Self::PollyV2(len(polly.base)),
            Stage::Cap(span) => Self::Cap(len(*span)),
            Stage::Floor(span) => Self::Floor(len(*span)),
            Stage::Scale(factor) => Self::Scale(*factor),
            Stage::Jitter([lo, hi]) => Self::Jitter { lo: *lo, width: hi - lo },
            Stage::Add([lo, hi]) => Self::Add { lo: len(*lo), width: len(*hi) - len(*lo) },
            Stage::Uniform(uniform) => {
                let end = |bound: &super::stage::Bound| End {
                    abs: len(bound.abs),
                    v: bound.v,
                    prev: bound.prev,
                    n: len(bound.n),
                    max: bound.max.map_or(f64::INFINITY, len),
                };
                let (lo, hi) = (end(&uniform.lo), end(&uniform.hi));
                match uniform.steps {
                    None => Self::Uniform { lo, hi },
                    Some(steps) => Self::Steps { lo, hi, steps: f64::from(steps) },
                }
            }
            Stage::Latch(span) => Self::Latch(len(*span)),
            Stage::Quantum(q) => Self::Quantum { unit: len(q.unit), round: q.round },
            Stage::Head(spans) => Self::Head(all(spans)),
            Stage::OnlyN(only) => Self::OnlyN {
                from: only.from,
                ops: only.stages.iter().map(|stage| Self::compile(stage, unit)).collect(),
            },
            Stage::Special(Special::Exponential) => Self::Exponential,
            Stage::Special(Special::SplitSeconds([lo, hi])) => {
                Self::SplitSeconds { lo: *lo, width: hi - lo, second: len(Span::from_secs(1)) }
            }
            Stage::Special(Special::Backo2Half) => Self::Backo2Half { milli: len(Span::from_millis(1)) },
            Stage::Special(Special::RustExponentialBackoff30) => Self::RustExponentialBackoff30,
        }
    }

    fn draws(&self) -> bool {
        match self {
            Self::PollyV2(_)
            | Self::Jitter { .. }
            | Self::Add { .. }
            | Self::Uniform { .. }
            | Self::Steps { .. }
            | Self::Exponential
            | Self::SplitSeconds { .. }
            | Self::Backo2Half { .. }
            | Self::RustExponentialBackoff30 => true,
            Self::OnlyN { ops, .. } => ops.iter().any(Self::draws),
            _ => false,
        }
    }

    #[inline(always)]
    fn apply<S: Stream>(&self, n: u32, v: f64, memory: &mut Memory, stream: &mut S) -> ControlFlow<f64, f64> {
        Continue(match self {
            Self::Prev { first, .. } if n == 1 => *first,
            Self::Prev { factor, pow_n: false, .. } => factor * memory.previous,
            Self::Cap(cap) => v.min(*cap),
            Self::Floor(floor) => v.max(*floor),
            Self::Scale(factor) => v * factor,
            Self::Jitter { lo, width } => v * (lo + width * stream.unit()),
            Self::Add { lo, width } => v + (lo + width * stream.unit()),
            Self::Uniform { lo, hi } => {
                let (lo, hi) = (lo.at(v, memory.previous, n), hi.at(v, memory.previous, n));
                lo + (hi - lo) * stream.unit()
            }
            _ => return self.apply_rare(n, v, memory, stream),
        })
    }

    /// Stages that are long or not met in the middle of a run; apart, so that the others are compiled into it.
    #[inline(never)]
    fn apply_rare<S: Stream>(
        &self,
        n: u32,
        v: f64,
        memory: &mut Memory,
        stream: &mut S,
    ) -> ControlFlow<f64, f64> {
        let retries_before = f64::from(n - 1);
        Continue(match self {
            Self::Exp { base, factor, shift, offset } => {
                offset + base * power(*factor, retries_before + shift)
            }
            Self::Const(value) => *value,
            Self::Linear { base, step } => base + step * retries_before,
            Self::Poly { offset, power: exponent, unit } => offset + unit * power(retries_before, *exponent),
            Self::Fib(unit) => unit * fibonacci(n),
            Self::List(values) => values[(n as usize).min(values.len()) - 1],
            Self::Doublings { base, max } => {
                let doubled = base * libm::exp2(f64::from(n - 1).min(f64::from(*max))).min(f64::MAX);
                doubled * f64::from((n - 1).saturating_sub(*max) + 1)
            }
            Self::Prev { factor, .. } => memory.previous * power(*factor, retries_before),
            Self::PollyV2(base) => {
                let curve = polly_curve(retries_before + stream.unit());
                // Beyond 2^1024 the difference of two infinities is an overflow, too.
                let step = if curve.is_finite() { curve - memory.telescope } else { f64::MAX };
                memory.telescope = curve;
                step / 1.4 * base
            }
            Self::Steps { lo, hi, steps } => {
                let (lo, hi) = (lo.at(v, memory.previous, n), hi.at(v, memory.previous, n));
                lo + (hi - lo) * (steps * stream.unit()).floor() / steps
            }
            Self::Latch(limit) => {
                let latched = v >= *limit || (n > 1 && memory.previous >= *limit);
                return if latched { Break(*limit) } else { Continue(v) };
            }
            Self::Quantum { unit, round } => {
                // 0.3 s is 299.99... ms in binary: a count this close to a whole number is that number.
                const SLACK: f64 = 1e-9;
                let count = v / unit;
                unit * match round {
                    Round::Floor => (count + SLACK).floor(),
                    Round::Ceil => (count - SLACK).ceil(),
                    Round::Round => count.round(),
                }
            }
            Self::Head(values) => values.get(n as usize - 1).copied().unwrap_or(v),
            Self::OnlyN { from, .. } if n < *from => v,
            Self::OnlyN { ops, .. } => match run(ops, n, v, memory, stream) {
                Ok(value) => value,
                Err(latched) => return Break(latched),
            },
            Self::Exponential => v * -libm::log1p(-stream.unit()),
            Self::SplitSeconds { lo, width, second } => {
                let r = lo + width * stream.unit();
                let whole = (v / second).floor();
                v + second * (whole * r).floor() + (v - second * whole) * r
            }
            Self::Backo2Half { milli } => {
                let u = stream.unit();
                let takes_away = (10.0 * u).floor() % 2.0 == 0.0;
                // 1000 * 2^(n-1) ms is infinite there: infinity minus infinity is no number, and counts as 0.
                if n > BACKO2_OVERFLOW {
                    return Continue(if takes_away { 0.0 } else { v });
                }
                let deviation = (u * 0.5 * (v / milli)).floor() * milli;
                if takes_away { v - deviation } else { v + deviation }
            }
            Self::RustExponentialBackoff30 => {
                let r = (60.0 * stream.unit()).floor();
                v * if r < 30.0 { 1.0 - r / 100.0 } else { 1.0 + (r / 2.0).floor() / 100.0 }
            }
            Self::Cap(_)
            | Self::Floor(_)
            | Self::Scale(_)
            | Self::Jitter { .. }
            | Self::Add { .. }
            | Self::Uniform { .. } => v,
        })
    }
}
