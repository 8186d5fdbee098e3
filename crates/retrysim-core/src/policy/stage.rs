//! The stages of a delay, as data. Their order is their meaning: `cap` before `jitter` and `jitter`
//! before `cap` are different policies.
//!
//! A *source* gives a value for retry `n` (1 = the first retry); a *transform* changes the value that
//! reaches it. Every random stage draws its own `u`, uniform in `[0, 1)`.

use serde::{Deserialize, Serialize};

use crate::{
    error::{Error, in_range},
    limits::{MAX_STAGES, at_most},
    span::Span,
};

/// One step of a delay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Stage {
    /// Source: `offset + base * factor^(n - 1 + shift)`.
    Exp(Exp),
    /// Source: the same delay every time.
    Const(Span),
    /// Source: `base + step * (n - 1)`.
    Linear(Linear),
    /// Source: `offset + unit * (n - 1)^power`.
    Poly(Poly),
    /// Source: Fibonacci numbers 1, 1, 2, 3, 5, ... times `unit`.
    Fib(Fib),
    /// Source: the delays in order; the last one repeats.
    List(Vec<Span>),
    /// Source: doubles `max_doublings` times from `base`, then grows by the last doubled value.
    Doublings(Doublings),
    /// Source: `factor` times the delay that was last returned; `first` for the first retry.
    Prev(Prev),
    /// Random source: difference of `f(t) = 2^t tanh(sqrt(4 t))` at `t = n - 1 + u`, over 1.4, times `base`.
    PollyV2(PollyV2),
    /// At most this.
    Cap(Span),
    /// At least this.
    Floor(Span),
    /// Times this factor.
    Scale(f64),
    /// Random: times `lo + (hi - lo) * u`. Full jitter is `[0, 1]`, equal jitter `[0.5, 1]`.
    Jitter([f64; 2]),
    /// Random: plus `lo + (hi - lo) * u`.
    Add([Span; 2]),
    /// Random: `lo + (hi - lo) * u` with both ends affine in the value, the previous delay and `n`; with `steps`, `u`
    /// is one of `0, 1/steps, 2/steps, ...` below 1.
    Uniform(Uniform),
    /// Sticky maximum: once the value reaches it, exactly this for ever, and later stages are skipped.
    Latch(Span),
    /// A whole number of units.
    Quantum(Quantum),
    /// Fixed delays for the first retries, whatever the stages before computed.
    Head(Vec<Span>),
    /// Stages that apply from retry `from` on.
    OnlyN(OnlyN),
    /// A named distribution that the other stages can't express.
    Special(Special),
}

/// Parameters of [`Stage::Exp`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exp {
    /// Value at `n = 1` when `shift` is 0.
    pub base: Span,
    /// Growth per retry.
    #[serde(default = "two")]
    pub factor: f64,
    /// Retries by which the curve is ahead: 1 makes the first delay `base * factor`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub shift: f64,
    /// Added to the product; may be negative.
    #[serde(default, skip_serializing_if = "is_none")]
    pub offset: Span,
}

/// Parameters of [`Stage::Linear`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Linear {
    /// The first delay.
    pub base: Span,
    /// Growth per retry.
    pub step: Span,
}

/// Parameters of [`Stage::Poly`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Poly {
    /// The power of `n - 1`.
    pub power: f64,
    /// Added to the power.
    #[serde(default, skip_serializing_if = "is_none")]
    pub offset: Span,
    /// What `(n - 1)^power` counts.
    #[serde(default = "one_second")]
    pub unit: Span,
}

/// Parameters of [`Stage::Fib`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fib {
    /// The first two delays.
    pub unit: Span,
}

/// Parameters of [`Stage::Doublings`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Doublings {
    /// The first delay.
    pub base: Span,
    /// Doublings before growth turns linear.
    pub max_doublings: u32,
}

/// Parameters of [`Stage::Prev`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prev {
    /// The value for the first retry, and the "previous delay" that later stages see there.
    pub first: Span,
    /// Growth of what was returned last.
    #[serde(default = "one")]
    pub factor: f64,
    /// Grow by `factor^(n - 1)` instead of by `factor`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pow_n: bool,
}

/// Parameters of [`Stage::PollyV2`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PollyV2 {
    /// About the median of the first delay.
    pub base: Span,
}

/// Parameters of [`Stage::Uniform`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Uniform {
    /// Lower end.
    pub lo: Bound,
    /// Upper end.
    pub hi: Bound,
    /// How many different values there are; as many as there are numbers unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
}

/// An end of [`Stage::Uniform`]: `min(max, abs + v * value + prev * previous + n * retry)`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// A fixed part.
    #[serde(default, skip_serializing_if = "is_none")]
    pub abs: Span,
    /// Times the value that reaches the stage.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub v: f64,
    /// Times the delay that was last returned.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub prev: f64,
    /// Times the number of the retry.
    #[serde(default, skip_serializing_if = "is_none")]
    pub n: Span,
    /// No more than this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Span>,
}

/// Parameters of [`Stage::Quantum`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quantum {
    /// The unit.
    pub unit: Span,
    /// Which way to round.
    pub round: Round,
}

/// How [`Stage::Quantum`] rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Round {
    /// Down.
    Floor,
    /// Up.
    Ceil,
    /// To the nearest unit, halves away from zero.
    Round,
}

/// Parameters of [`Stage::OnlyN`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnlyN {
    /// The first retry to which the stages apply.
    pub from: u32,
    /// What applies from there on.
    pub stages: Vec<Stage>,
}

/// The named distributions of [`Stage::Special`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Special {
    /// `v * -ln(1 - u)`: an exponential delay whose mean is the value that reaches the stage, as retries have that
    /// come at a constant rate.
    Exponential,
    /// tower 0.5: with `r = lo + (hi - lo) u`, adds `floor(S r) + f r` to a value of `S` whole seconds and a rest `f`.
    SplitSeconds([f64; 2]),
    /// backo2 (socket.io): one draw gives both the size `floor(u v / 2)` ms and, by the parity of
    /// `floor(10 u)`, the sign: even takes away, odd adds. From the 1,016th retry on, as if its base were 1 s, the
    /// power overflows: even gives 0.
    #[serde(rename = "backo2_half")]
    Backo2Half,
    /// exponential-backoff 2.1: `r` whole in `[0, 60)`; below 30 takes `r` % away, else adds `floor(r / 2)` %.
    #[serde(rename = "rust_exponential_backoff_30")]
    RustExponentialBackoff30,
}

const fn one() -> f64 {
    1.0
}
const fn two() -> f64 {
    2.0
}
const fn one_second() -> Span {
    Span::from_secs(1)
}
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero(x: &f64) -> bool {
    *x == 0.0
}
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_none(span: &Span) -> bool {
    *span == Span::ZERO
}

impl Stage {
    /// Whether the stage makes a value rather than transforming one.
    #[must_use]
    pub const fn is_source(&self) -> bool {
        matches!(
            self,
            Self::Exp(_)
                | Self::Const(_)
                | Self::Linear(_)
                | Self::Poly(_)
                | Self::Fib(_)
                | Self::List(_)
                | Self::Doublings(_)
                | Self::Prev(_)
                | Self::PollyV2(_)
        )
    }

    /// Whether the stage's result depends on `n` and the value that reaches it alone.
    #[must_use]
    pub fn is_deterministic(&self) -> bool {
        match self {
            Self::Prev(_)
            | Self::PollyV2(_)
            | Self::Jitter(_)
            | Self::Add(_)
            | Self::Uniform(_)
            | Self::Latch(_)
            | Self::Special(_) => false,
            Self::OnlyN(only) => only.stages.iter().all(Self::is_deterministic),
            _ => true,
        }
    }

    /// Whether the stage draws a random number.
    #[must_use]
    pub fn draws(&self) -> bool {
        match self {
            Self::PollyV2(_) | Self::Jitter(_) | Self::Add(_) | Self::Uniform(_) | Self::Special(_) => true,
            Self::OnlyN(only) => only.stages.iter().any(Self::draws),
            _ => false,
        }
    }

    /// Refuses parameters that no delay can be made of.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the field's path below the stage.
    pub fn validate(&self) -> Result<(), Error> {
        let zero = Span::ZERO;
        match self {
            Self::Exp(exp) => {
                exp.base.at_least("exp.base", zero)?;
                in_range("exp.factor", exp.factor, 0.0, f64::MAX)?;
                in_range("exp.shift", exp.shift, -1e6, 1e6)
            }
            Self::Const(span) => span.at_least("const", zero),
            Self::Linear(linear) => {
                linear.base.at_least("linear.base", zero)?;
                linear.step.at_least("linear.step", zero)
            }
            Self::Poly(poly) => {
                in_range("poly.power", poly.power, 0.0, 100.0)?;
                poly.offset.at_least("poly.offset", zero)?;
                poly.unit.at_least("poly.unit", zero)
            }
            Self::Fib(fib) => fib.unit.at_least("fib.unit", zero),
            Self::List(spans) => spans_at_least_zero("list", spans),
            Self::Head(spans) => spans_at_least_zero("head", spans),
            Self::Doublings(doublings) => doublings.base.at_least("doublings.base", zero),
            Self::Prev(prev) => {
                prev.first.at_least("prev.first", zero)?;
                in_range("prev.factor", prev.factor, 0.0, f64::MAX)
            }
            Self::PollyV2(polly) => polly.base.at_least("polly_v2.base", zero),
            Self::Cap(span) => span.at_least("cap", zero),
            Self::Floor(span) => span.at_least("floor", zero),
            Self::Latch(span) => span.at_least("latch", zero),
            Self::Scale(factor) => in_range("scale", *factor, 0.0, f64::MAX),
            Self::Jitter([lo, hi]) => {
                in_range("jitter[0]", *lo, 0.0, f64::MAX)?;
                in_range("jitter[1]", *hi, 0.0, f64::MAX)
            }
            Self::Add([lo, hi]) => {
                lo.at_least("add[0]", zero)?;
                hi.at_least("add[1]", zero)
            }
            Self::Uniform(uniform) => {
                if uniform.steps == Some(0) {
                    return Err(Error::invalid("uniform.steps", 0, "1 or more"));
                }
                uniform.lo.validate("uniform.lo")?;
                uniform.hi.validate("uniform.hi")
            }
            Self::Quantum(quantum) => quantum.unit.at_least("quantum.unit", Span::from_nanos(1)),
            Self::OnlyN(only) => {
                if only.from == 0 {
                    return Err(Error::invalid("only_n.from", 0, "a retry's number, 1 or more"));
                }
                validate_all(&only.stages, "only_n.stages")
            }
            Self::Special(Special::SplitSeconds([lo, hi])) => {
                in_range("special.split_seconds[0]", *lo, 0.0, f64::MAX)?;
                in_range("special.split_seconds[1]", *hi, 0.0, f64::MAX)
            }
            Self::Special(_) => Ok(()),
        }
    }
}

impl Bound {
    fn validate(&self, field: &str) -> Result<(), Error> {
        self.abs.at_least(&format!("{field}.abs"), Span::ZERO)?;
        in_range(&format!("{field}.v"), self.v, 0.0, f64::MAX)?;
        in_range(&format!("{field}.prev"), self.prev, 0.0, f64::MAX)?;
        self.n.at_least(&format!("{field}.n"), Span::ZERO)?;
        self.max.map_or(Ok(()), |max| max.at_least(&format!("{field}.max"), Span::ZERO))
    }
}

/// Stages, and those within them.
fn count(stages: &[Stage]) -> usize {
    let within = |stage: &Stage| if let Stage::OnlyN(only) = stage { count(&only.stages) } else { 0 };
    stages.iter().map(|stage| 1 + within(stage)).sum()
}

/// Validates stages in order; an error names `field[index]`.
pub(super) fn validate_all(stages: &[Stage], field: &str) -> Result<(), Error> {
    at_most(field, count(stages), MAX_STAGES)?;
    stages.iter().enumerate().try_for_each(|(index, stage)| {
        stage.validate().map_err(|error| error.within(&format!("{field}[{index}]")))
    })
}

fn spans_at_least_zero(field: &str, spans: &[Span]) -> Result<(), Error> {
    if spans.is_empty() {
        return Err(Error::invalid(field, "[]", "at least one duration"));
    }
    spans.iter().enumerate().try_for_each(|(i, span)| span.at_least(&format!("{field}[{i}]"), Span::ZERO))
}
