//! Circuit breakers: after too many failures nothing is sent for a while, then a few probes.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{
    delay::{Delay, Memory},
    scope::Scope,
    stage::{Stage, validate_all},
};
use crate::{
    draw::Stream,
    error::{Error, in_range},
    span::{Span, Unit},
};

/// A circuit breaker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Breaker {
    /// When it opens.
    pub after: Trip,
    /// How long it stays open: a duration, or stages of a delay whose `n` counts the openings since it was last
    /// closed.
    pub open: Open,
    /// Attempts that are let through to see whether it may close.
    #[serde(default = "one")]
    pub probes: u32,
    /// What becomes of a call that it refuses.
    #[serde(default)]
    pub refused: Refused,
    /// Who shares it.
    #[serde(default)]
    pub scope: Scope,
}

/// When a breaker opens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Trip {
    /// After so many failures in a row.
    Consecutive(u32),
    /// When this share of the attempts has failed.
    Ratio(Ratio),
}

/// A share of failures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ratio {
    /// Failures over attempts from which on it opens.
    pub share: f64,
    /// Attempts that must have been answered.
    #[serde(default = "one")]
    pub min_calls: u32,
    /// Answers within this time count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Span>,
    /// The last so many answers count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u32>,
}

/// How long a breaker stays open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "a duration such as \"5s\", or a list of stages")]
pub enum Open {
    /// Always the same.
    For(Span),
    /// By the number of the opening.
    Stages(Vec<Stage>),
}

/// What becomes of a call whose attempt was refused by its own side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refused {
    /// It fails at once.
    #[default]
    Fail,
    /// It is retried as after an error, as if an attempt had been made.
    Retry,
}

const fn one() -> u32 {
    1
}

impl Breaker {
    pub(super) fn validate(&self) -> Result<(), Error> {
        let positive = |field: &str, n: u32| {
            if n == 0 { Err(Error::invalid(field, 0, "1 or more")) } else { Ok(()) }
        };
        positive("probes", self.probes)?;
        match &self.after {
            Trip::Consecutive(failures) => positive("after.consecutive", *failures)?,
            Trip::Ratio(ratio) => {
                in_range("after.ratio.share", ratio.share, 0.0, 1.0)?;
                positive("after.ratio.min_calls", ratio.min_calls)?;
                match (ratio.window, ratio.calls) {
                    (Some(window), None) => window.at_least("after.ratio.window", Span::from_nanos(1))?,
                    (None, Some(calls)) => positive("after.ratio.calls", calls)?,
                    (None, None) => {
                        return Err(Error::invalid("after.ratio", "no window", "window or calls"));
                    }
                    (Some(window), Some(_)) => {
                        return Err(Error::invalid("after.ratio.window", window, "either window or calls"));
                    }
                }
            }
        }
        match &self.open {
            Open::For(span) => span.at_least("open", Span::ZERO),
            Open::Stages(stages) => {
                super::begins_with_a_source(stages).map_err(|error| error.within("open"))?;
                validate_all(stages, "open")
            }
        }
    }
}

/// A breaker in the scenario's unit.
#[derive(Clone, Debug)]
pub(crate) struct BreakerRule {
    after: Trip,
    window: f64,
    open: Delay,
    probes: u32,
    pub refused: Refused,
    pub scope: Scope,
}

/// What a breaker has seen, and what it lets through.
#[derive(Clone, Debug)]
pub(crate) struct Circuit {
    position: Position,
    /// Changes of its position so far. What was let through before the last one tells nothing of now.
    turn: u32,
    /// Openings since it was last closed.
    openings: u32,
    memory: Memory,
    in_a_row: u32,
    answers: VecDeque<(f64, bool)>,
    failures: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Position {
    Closed,
    /// Open from then on; how long is drawn when somebody wants to send.
    Tripped {
        at: f64,
    },
    Open {
        until: f64,
    },
    HalfOpen {
        sent: u32,
        answered: u32,
        failed: u32,
    },
}

impl BreakerRule {
    pub fn compile(breaker: &Breaker, unit: Unit) -> Self {
        let window = match &breaker.after {
            Trip::Ratio(Ratio { window: Some(window), .. }) => window.in_unit(unit),
            _ => f64::INFINITY,
        };
        let open = match &breaker.open {
            Open::For(span) => Delay::compile(&[Stage::Const(*span)], unit),
            Open::Stages(stages) => Delay::compile(stages, unit),
        };
        Self {
            after: breaker.after.clone(),
            window,
            open,
            probes: breaker.probes,
            refused: breaker.refused,
            scope: breaker.scope,
        }
    }

    pub fn start(&self) -> Circuit {
        Circuit {
            position: Position::Closed,
            turn: 0,
            openings: 0,
            memory: self.open.memory(),
            in_a_row: 0,
            answers: VecDeque::new(),
            failures: 0,
        }
    }

    /// Whether an attempt may be sent now. If so, it counts as sent, and its answer belongs to this turn.
    pub fn lets_through<S: Stream>(&self, circuit: &mut Circuit, now: f64, stream: &mut S) -> Option<u32> {
        if let Position::Tripped { at } = circuit.position {
            let memory = &mut circuit.memory;
            memory.previous = self.open.before_retry(circuit.openings, memory, stream);
            circuit.position = Position::Open { until: at + memory.previous };
        }
        let is_open = match &mut circuit.position {
            Position::Closed | Position::Tripped { .. } => true,
            Position::Open { until } if now < *until => false,
            Position::Open { .. } => {
                circuit.position = Position::HalfOpen { sent: 1, answered: 0, failed: 0 };
                circuit.turn = circuit.turn.wrapping_add(1);
                true
            }
            Position::HalfOpen { sent, .. } if *sent < self.probes => {
                *sent += 1;
                true
            }
            Position::HalfOpen { .. } => false,
        };
        is_open.then_some(circuit.turn)
    }

    /// An attempt that was let through in `turn` will never be answered: another one may be sent in its place.
    pub fn on_abandoned(circuit: &mut Circuit, turn: u32) {
        if let Position::HalfOpen { sent, .. } = &mut circuit.position
            && turn == circuit.turn
        {
            *sent = sent.saturating_sub(1);
        }
    }

    /// An attempt that was let through in `turn` has been answered.
    pub fn on_answer(&self, circuit: &mut Circuit, now: f64, turn: u32, failed: bool) {
        if turn != circuit.turn {
            return;
        }
        match &mut circuit.position {
            Position::Tripped { .. } | Position::Open { .. } => {}
            Position::HalfOpen { answered, failed: failures, .. } => {
                *answered += 1;
                *failures += u32::from(failed);
                let (answered, failures) = (*answered, *failures);
                if self.fails_probe(answered, failures) {
                    self.trip(circuit, now);
                } else if answered >= self.probes {
                    *circuit = Circuit { turn: circuit.turn.wrapping_add(1), ..self.start() };
                }
            }
            Position::Closed => {
                self.count(circuit, now, failed);
                if self.is_too_much(circuit) {
                    self.trip(circuit, now);
                }
            }
        }
    }

    /// Whether so many failed probes open the breaker again.
    fn fails_probe(&self, answered: u32, failed: u32) -> bool {
        match &self.after {
            Trip::Consecutive(_) => failed > 0,
            Trip::Ratio(ratio) => {
                answered >= self.probes && f64::from(failed) >= ratio.share * f64::from(answered)
            }
        }
    }

    fn count(&self, circuit: &mut Circuit, now: f64, failed: bool) {
        circuit.in_a_row = if failed { circuit.in_a_row + 1 } else { 0 };
        let Trip::Ratio(ratio) = &self.after else { return };
        circuit.answers.push_back((now, failed));
        circuit.failures += u32::from(failed);
        let most = ratio.calls.map_or(usize::MAX, |calls| calls as usize);
        while let Some((at, failed)) = circuit.answers.front().copied()
            && (circuit.answers.len() > most || at < now - self.window)
        {
            circuit.answers.pop_front();
            circuit.failures -= u32::from(failed);
        }
    }

    fn is_too_much(&self, circuit: &Circuit) -> bool {
        match &self.after {
            Trip::Consecutive(failures) => circuit.in_a_row >= *failures,
            #[expect(clippy::cast_precision_loss, reason = "a count of answers")]
            Trip::Ratio(ratio) => {
                let answers = circuit.answers.len();
                circuit.failures > 0
                    && answers >= ratio.min_calls as usize
                    && f64::from(circuit.failures) >= ratio.share * answers as f64
            }
        }
    }

    fn trip(&self, circuit: &mut Circuit, now: f64) {
        *circuit = Circuit {
            position: Position::Tripped { at: now },
            turn: circuit.turn.wrapping_add(1),
            openings: circuit.openings.saturating_add(1),
            memory: circuit.memory,
            ..self.start()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Fixed;

    fn rule(toml: &str) -> BreakerRule {
        let policy = crate::Policy::from_toml(&format!("breaker = {{ {toml} }}")).unwrap();
        BreakerRule::compile(&policy.breaker.unwrap(), Unit::S)
    }

    impl BreakerRule {
        fn asks(&self, circuit: &mut Circuit, now: f64) -> Option<u32> {
            self.lets_through(circuit, now, &mut Fixed(0.0))
        }
    }

    #[test]
    fn failures_in_a_row_open_it_and_probes_close_it() {
        let rule = rule("after = { consecutive = 3 }, open = '2s', probes = 2");
        let mut circuit = rule.start();
        for (now, failed) in [(0.0, true), (0.1, true), (0.2, false), (0.3, true), (0.4, true), (0.5, true)] {
            let turn = rule.asks(&mut circuit, now).expect("closed");
            rule.on_answer(&mut circuit, now, turn, failed);
        }
        assert!(rule.asks(&mut circuit, 0.6).is_none() && rule.asks(&mut circuit, 2.4).is_none());
        let probes = [rule.asks(&mut circuit, 2.5), rule.asks(&mut circuit, 2.5)].map(Option::unwrap);
        assert!(rule.asks(&mut circuit, 2.5).is_none(), "two probes");
        // One that nobody will ever answer makes room for another.
        BreakerRule::on_abandoned(&mut circuit, probes[0]);
        let third = rule.asks(&mut circuit, 2.6).unwrap();
        rule.on_answer(&mut circuit, 2.7, probes[1], false);
        assert!(rule.asks(&mut circuit, 2.8).is_none(), "not closed yet");
        rule.on_answer(&mut circuit, 2.9, third, false);
        assert!(rule.asks(&mut circuit, 3.0).is_some() && rule.asks(&mut circuit, 3.0).is_some());
    }

    #[test]
    fn answers_from_before_do_not_count() {
        let rule = rule("after = { consecutive = 1 }, open = '1s'");
        let mut circuit = rule.start();
        let slow = rule.asks(&mut circuit, 0.0).unwrap();
        let quick = rule.asks(&mut circuit, 0.0).unwrap();
        rule.on_answer(&mut circuit, 0.1, quick, true);
        let probe = rule.asks(&mut circuit, 1.1).unwrap();
        rule.on_answer(&mut circuit, 1.2, slow, false);
        assert!(rule.asks(&mut circuit, 1.2).is_none(), "half open still");
        rule.on_answer(&mut circuit, 1.3, probe, true);
        rule.on_answer(&mut circuit, 1.3, slow, false);
        assert!(rule.asks(&mut circuit, 2.2).is_none() && rule.asks(&mut circuit, 2.3).is_some());
    }

    #[test]
    fn a_longer_opening_each_time() {
        let rule = rule("after = { consecutive = 1 }, open = [{ exp = { base = '1s' } }, { cap = '4s' }]");
        let (mut circuit, mut now) = (rule.start(), 0.0);
        let turn = rule.asks(&mut circuit, now).unwrap();
        rule.on_answer(&mut circuit, now, turn, true);
        for length in [1.0, 2.0, 4.0, 4.0] {
            assert!(rule.asks(&mut circuit, now + length - 0.01).is_none());
            now += length;
            let turn = rule.asks(&mut circuit, now).unwrap();
            rule.on_answer(&mut circuit, now, turn, true);
        }
    }

    /// Half of at least four answers within three seconds.
    #[test]
    fn a_share_of_the_last_answers() {
        let rule = rule("after = { ratio = { share = 0.5, min_calls = 4, window = '3s' } }, open = '5s'");
        let mut circuit = rule.start();
        for (now, failed) in [(0.0, true), (0.5, true), (1.0, false), (3.2, false), (3.4, true)] {
            let turn = rule.asks(&mut circuit, now).unwrap();
            rule.on_answer(&mut circuit, now, turn, failed);
        }
        // Of those within three seconds (0.5 s on), two of four have failed.
        assert!(rule.asks(&mut circuit, 3.5).is_none() && rule.asks(&mut circuit, 8.4).is_some());
    }
}
