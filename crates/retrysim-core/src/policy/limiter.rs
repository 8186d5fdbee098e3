//! Rate limiters: a send waits until there is a token for it.

use serde::{Deserialize, Serialize};

use super::{budget::Gates, scope::Scope};
use crate::{
    error::{Error, in_range},
    span::{Span, Unit},
};

/// One limiter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Limiter {
    /// Tokens at a fixed rate.
    TokenBucket(TokenBucket),
    /// A rate that falls with each throttling answer and grows along a cubic curve (AWS adaptive mode).
    Cubic(Cubic),
}

/// Tokens at a fixed rate; a send takes one, and waits for its turn if there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenBucket {
    /// Tokens a second.
    pub rate: f64,
    /// Tokens at the most, and at the start.
    pub burst: f64,
    /// What waits.
    #[serde(default)]
    pub gates: Gates,
    /// How the wait of a retry and its delay are combined; both wait side by side unless said.
    #[serde(default)]
    pub combine: Together,
    /// Who shares the tokens.
    #[serde(default)]
    pub scope: Scope,
}

/// How two waits are combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Together {
    /// The longer one.
    #[default]
    Max,
    /// One after the other.
    Sum,
}

/// The rate limiter of the AWS SDKs' adaptive mode. It sleeps until the first throttling answer, then every send
/// takes a token. Who finds none waits as long as the rate of that moment makes it, and then asks again: waiters have
/// no order.
///
/// A throttling answer at rate `r` sets `w = r`, `K = (w (1 - beta) / scale)^(1/3)` and the rate to `beta r`; `r` is
/// the measured rate, and later no more than the limit. A success `t` seconds after the last throttling answer sets
/// the rate to `scale (t - K)^3 + w`. The limit is `max(min_rate, min(rate, 2 measured))`, and as many tokens
/// (at least 1) may be saved. The measured rate counts answers by `slot` and smooths them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cubic {
    /// What is left of the rate after a throttling answer.
    #[serde(default = "cubic::beta")]
    pub beta: f64,
    /// Steepness of the curve.
    #[serde(default = "cubic::scale")]
    pub scale: f64,
    /// Tokens a second at the least.
    #[serde(default = "cubic::min_rate")]
    pub min_rate: f64,
    /// Weight of the latest slot in the measured rate.
    #[serde(default = "cubic::smooth")]
    pub smooth: f64,
    /// Length of a slot.
    #[serde(default = "cubic::slot")]
    pub slot: Span,
    /// Who shares the rate.
    #[serde(default)]
    pub scope: Scope,
}

mod cubic {
    use crate::span::Span;

    pub const fn beta() -> f64 {
        0.7
    }
    pub const fn scale() -> f64 {
        0.4
    }
    pub const fn min_rate() -> f64 {
        0.5
    }
    pub const fn smooth() -> f64 {
        0.8
    }
    pub const fn slot() -> Span {
        Span::from_millis(500)
    }
}

impl Limiter {
    /// Who shares it.
    #[must_use]
    pub const fn scope(&self) -> Scope {
        match self {
            Self::TokenBucket(limiter) => limiter.scope,
            Self::Cubic(limiter) => limiter.scope,
        }
    }

    /// Whether first attempts wait as well.
    #[must_use]
    pub const fn acts_on_sends(&self) -> bool {
        match self {
            Self::TokenBucket(limiter) => matches!(limiter.gates, Gates::EverySend),
            Self::Cubic(_) => true,
        }
    }

    pub(super) fn validate(&self) -> Result<(), Error> {
        const LEAST: f64 = 1e-9;
        match self {
            Self::TokenBucket(limiter) => {
                in_range("token_bucket.rate", limiter.rate, LEAST, 1e12)?;
                in_range("token_bucket.burst", limiter.burst, 1.0, 1e12)
            }
            Self::Cubic(limiter) => {
                in_range("cubic.beta", limiter.beta, 0.0, 1.0)?;
                in_range("cubic.scale", limiter.scale, LEAST, 1e12)?;
                in_range("cubic.min_rate", limiter.min_rate, LEAST, 1e12)?;
                in_range("cubic.smooth", limiter.smooth, 0.0, 1.0)?;
                limiter.slot.at_least("cubic.slot", Span::from_nanos(1))
            }
        }
    }
}

/// What a token may lack after a sum of refills.
const SLACK: f64 = 1e-9;

/// A limiter; it counts in seconds, as its rates do.
#[derive(Clone, Debug)]
pub(crate) struct LimiterRule {
    limiter: Limiter,
    second: f64,
}

/// The state of a limiter.
#[derive(Clone, Debug)]
pub(crate) struct Rate {
    /// Whether sends take tokens at all.
    is_on: bool,
    /// Tokens; below 0, so many sends wait already.
    tokens: f64,
    /// When they were counted.
    at: f64,
    fill: f64,
    capacity: f64,
    curve: Curve,
    measured: Measured,
}

/// The cubic curve since the last throttling answer.
#[derive(Clone, Copy, Debug, Default)]
struct Curve {
    w: f64,
    k: f64,
    since: f64,
}

/// The measured rate.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    rate: f64,
    slot_start: f64,
    count: f64,
}

impl Rate {
    fn refill(&mut self, now: f64) {
        self.tokens = (self.tokens + self.fill * (now - self.at)).min(self.capacity);
        self.at = now;
    }

    /// Takes a token and says when there is one: those who wait have reserved theirs.
    fn reserve(&mut self, now: f64) -> f64 {
        self.refill(now);
        self.tokens -= 1.0;
        if self.tokens >= 0.0 { now } else { now - self.tokens / self.fill }
    }

    /// Takes a token if there is one, and else says when there might be, at this rate.
    fn take(&mut self, now: f64) -> f64 {
        self.refill(now);
        if self.tokens < 1.0 - SLACK {
            return now + (1.0 - self.tokens) / self.fill;
        }
        self.tokens -= 1.0;
        now
    }
}

impl Cubic {
    fn on_answer(&self, rate: &mut Rate, now: f64, is_throttled: bool) {
        let measured = self.measure(&mut rate.measured, now);
        let calculated = if is_throttled {
            let w = if rate.is_on { measured.min(rate.fill) } else { measured };
            rate.curve = self.fall(w, now);
            rate.is_on = true;
            self.beta * w
        } else {
            self.rise(&rate.curve, now)
        };
        rate.refill(now);
        rate.fill = calculated.min(2.0 * measured).max(self.min_rate);
        rate.capacity = rate.fill.max(1.0);
        rate.tokens = rate.tokens.min(rate.capacity);
    }

    /// The curve that begins with a throttling answer at rate `w`.
    fn fall(&self, w: f64, now: f64) -> Curve {
        Curve { w, k: libm::cbrt(w * (1.0 - self.beta) / self.scale), since: now }
    }

    /// The rate that the curve has reached.
    fn rise(&self, curve: &Curve, now: f64) -> f64 {
        let past = now - curve.since - curve.k;
        self.scale * past * past * past + curve.w
    }

    fn measure(&self, measured: &mut Measured, now: f64) -> f64 {
        let slot = self.slot.secs();
        measured.count += 1.0;
        let start = (now / slot).floor() * slot;
        if start > measured.slot_start {
            let latest = measured.count / (start - measured.slot_start);
            *measured = Measured {
                rate: self.smooth * latest + (1.0 - self.smooth) * measured.rate,
                slot_start: start,
                count: 0.0,
            };
        }
        measured.rate
    }
}

impl LimiterRule {
    pub fn compile(limiter: &Limiter, unit: Unit) -> Self {
        Self { limiter: limiter.clone(), second: unit.to_secs(1.0) }
    }

    pub const fn scope(&self) -> Scope {
        self.limiter.scope()
    }

    pub const fn acts_on_sends(&self) -> bool {
        self.limiter.acts_on_sends()
    }

    pub fn start(&self) -> Rate {
        let (is_on, fill, burst) = match &self.limiter {
            Limiter::TokenBucket(limiter) => (true, limiter.rate, limiter.burst),
            Limiter::Cubic(limiter) => (false, limiter.min_rate, 1.0),
        };
        Rate {
            is_on,
            tokens: if is_on { burst } else { 0.0 },
            at: 0.0,
            fill,
            capacity: burst,
            curve: Curve::default(),
            measured: Measured::default(),
        }
    }

    /// Whether who has to wait has a token already, and need not ask again.
    pub const fn reserves(&self) -> bool {
        matches!(self.limiter, Limiter::TokenBucket(_))
    }

    /// Takes a token for a send and says when it may be made; or, of a limiter that does not reserve, when to ask
    /// again.
    pub fn take(&self, rate: &mut Rate, now: f64) -> f64 {
        if !rate.is_on {
            return now;
        }
        let at = now * self.second;
        let next = if self.reserves() { rate.reserve(at) } else { rate.take(at) };
        if next > at { next / self.second } else { now }
    }

    /// The delay of a retry, with the wait for a token if only retries wait.
    pub fn delay(&self, rate: &mut Rate, now: f64, delay: f64) -> f64 {
        match &self.limiter {
            Limiter::TokenBucket(limiter) if limiter.gates == Gates::Retries => {
                let wait = self.take(rate, now) - now;
                match limiter.combine {
                    Together::Max => delay.max(wait),
                    Together::Sum => delay + wait,
                }
            }
            _ => delay,
        }
    }

    /// An answer has come.
    pub fn on_answer(&self, rate: &mut Rate, now: f64, is_throttled: bool) {
        if let Limiter::Cubic(limiter) = &self.limiter {
            limiter.on_answer(rate, now * self.second, is_throttled);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cubic() -> Cubic {
        let text = "limiter = { cubic = {} }";
        match crate::Policy::from_toml(text).unwrap().limiter {
            Some(Limiter::Cubic(cubic)) => cubic,
            other => panic!("{other:?}"),
        }
    }

    fn is_close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9 * b.abs().max(1.0)
    }

    /// What botocore 1.44.8 computes when it is throttled at 100 a second, and again ten seconds later at 80.
    #[test]
    fn the_curve_of_botocore() {
        let cubic = cubic();
        for (at, w, k, rates) in [
            (
                0.0,
                100.0,
                4.217_163_326_508_746,
                &[
                    (0.5, 79.455_530_915_517_57),
                    (1.0, 86.680_763_835_129_88),
                    (2.0, 95.640_335_686_638_78),
                    (3.0, 99.278_715_554_526_67),
                    (4.0, 99.995_903_438_793_58),
                    (4.217_163_326_508_746, 100.0),
                    (5.0, 100.191_899_339_439_5),
                    (8.0, 121.652_735_139_651_31),
                    (10.0, 177.353_999_088_354_27),
                ][..],
            ),
            (
                10.0,
                80.0,
                3.914_867_641_168_863_4,
                &[
                    (11.0, 70.093_585_208_042_64),
                    (14.0, 80.000_246_799_338_91),
                    (16.0, 83.626_276_166_176_74),
                ],
            ),
        ] {
            let curve = cubic.fall(w, at);
            assert!(is_close(curve.k, k), "{} of {k}", curve.k);
            assert!(is_close(cubic.rise(&curve, at), 0.7 * w), "the curve begins at 70 %");
            for (now, rate) in rates {
                assert!(is_close(cubic.rise(&curve, *now), *rate), "at {now}: {rate}");
            }
        }
    }

    /// Ten answers in each slot of half a second are 20 a second: four fifths of that after the first slot, then four
    /// fifths of the rest.
    #[test]
    fn sends_wait_after_the_first_throttling_answer() {
        let rule = LimiterRule::compile(&Limiter::Cubic(cubic()), Unit::Ms);
        let mut rate = rule.start();
        for answer in 0..21 {
            assert_eq!(rule.take(&mut rate, 50.0 * f64::from(answer)), 50.0 * f64::from(answer));
            rule.on_answer(&mut rate, 50.0 * f64::from(answer), false);
        }
        // The first slot has the answer at its end as well: 11 in half a second, then 10.
        let measured = 0.8 * 20.0 + 0.2 * 0.8 * 22.0;
        assert!(is_close(rate.measured.rate, measured), "{}", rate.measured.rate);
        rule.on_answer(&mut rate, 1_010.0, true);
        assert!(rate.is_on && is_close(rate.fill, 0.7 * measured), "{}", rate.fill);
        // Who asks again when told gets the token; the next one is a token's time away.
        let first = rule.take(&mut rate, 1_010.0);
        assert!(first > 1_010.0 && is_close(rule.take(&mut rate, 1_010.0), first), "{first}");
        assert!(is_close(rule.take(&mut rate, first), first));
        let later = rule.take(&mut rate, first);
        assert!(is_close(later - first, 1_000.0 / rate.fill), "{first}, {later}");
        // A second throttling answer counts from the limit, which is lower than what was measured.
        let before = rate.fill;
        rule.on_answer(&mut rate, first + 10.0, true);
        assert!(is_close(rate.fill, 0.7 * before), "{}", rate.fill);
    }

    #[test]
    fn tokens_come_at_the_rate() {
        let limiter = crate::Policy::from_toml("limiter = { token_bucket = { rate = 2, burst = 3 } }");
        let rule = LimiterRule::compile(&limiter.unwrap().limiter.unwrap(), Unit::S);
        let mut rate = rule.start();
        let times: Vec<f64> = (0..6).map(|_| rule.take(&mut rate, 0.0)).collect();
        assert_eq!(times, [0.0, 0.0, 0.0, 0.5, 1.0, 1.5]);
        assert_eq!([rule.take(&mut rate, 10.0), rule.take(&mut rate, 10.0)], [10.0, 10.0]);
    }
}
