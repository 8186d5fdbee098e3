//! Deposits that expire, and a reserve: the retry budget of Finagle, Linkerd and tower.

use serde::{Deserialize, Serialize};

use super::{Account, Event, Scope, Verdict};
use crate::{
    error::{Error, in_range},
    span::{Span, Unit},
};

/// Slots of the window at the most, beside the one that is being written.
const SLOTS: usize = 10;

/// Every request deposits `scale`, a retry withdraws `trunc(scale / ratio)`, and both are forgotten after `ttl`.
/// A reserve of `min_per_s * ttl` retries is always there.
///
/// With `scale = 1` (tower) the truncation bites: a ratio of 0.4 grants 0.5, one of 0.6 grants 1. The balance is
/// kept in slots of `ttl / 10`; a slot ends with the first use after its time, so that what was withdrawn in one
/// burst comes back as one burst: see [`Slots`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deposits {
    /// Retries over requests.
    pub ratio: f64,
    /// How long a deposit or a withdrawal counts.
    #[serde(default = "ten_seconds")]
    pub ttl: Span,
    /// Retries a second without any deposit; the whole reserve may be spent at once.
    #[serde(default)]
    pub min_per_s: u32,
    /// Units of one deposit.
    #[serde(default = "thousand")]
    pub scale: u32,
    /// How slots follow each other.
    #[serde(default)]
    pub slots: Slots,
    /// What makes a deposit.
    #[serde(default)]
    pub deposit: Deposit,
    /// Of the balance, one call may spend no more than this share on its retries, rounded up; no such limit
    /// unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_call: Option<f64>,
    /// Who shares the balance.
    #[serde(default)]
    pub scope: Scope,
}

/// How slots of a tenth of `ttl` follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slots {
    /// Ten, beside the one that is being written; a slot that ends late, by however little, skips one. A burst comes
    /// back 1.1 `ttl` later under a clock that ticks in slots, and after about half of `ttl` under real traffic.
    #[default]
    Tower,
    /// Nine, beside the one that is being written; only whole slots without any use are skipped.
    Finagle,
}

/// What makes a deposit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deposit {
    /// A call, when its first attempt is sent.
    #[default]
    Request,
    /// An attempt that succeeds.
    Success,
}

const fn ten_seconds() -> Span {
    Span::from_secs(10)
}

const fn thousand() -> u32 {
    1000
}

impl Deposits {
    /// Retries that may be made at once without any deposit.
    #[must_use]
    pub fn reserve(&self) -> f64 {
        f64::from(self.min_per_s) * self.ttl.secs().floor()
    }

    pub(super) fn validate(&self) -> Result<(), Error> {
        in_range("ratio", self.ratio, 0.0, 1000.0)?;
        self.ttl.at_least("ttl", Span::from_millis(1))?;
        if self.scale == 0 {
            return Err(Error::invalid("scale", 0, "1 or more"));
        }
        in_range("per_call", self.per_call.unwrap_or(1.0), 0.0, f64::MAX)
    }

    /// Units of a deposit and of a withdrawal.
    fn amounts(&self) -> (f64, f64) {
        if self.ratio == 0.0 {
            return (0.0, f64::from(self.scale));
        }
        // Above 1, a unit is too coarse for a withdrawal: tower counts in thousandths there.
        let scale = f64::from(if self.ratio > 1.0 { self.scale.max(1000) } else { self.scale });
        (scale, (scale / self.ratio).trunc())
    }
}

/// [`Deposits`] in the scenario's unit.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    slot: f64,
    deposit: f64,
    withdrawal: f64,
    reserve: f64,
    slots: Slots,
    deposits_on: Deposit,
    per_call: Option<f64>,
}

/// The balance.
#[derive(Clone, Debug, Default)]
pub(crate) struct Balance {
    /// When the slot that is being written began.
    since: f64,
    place: usize,
    current: f64,
    slots: [f64; SLOTS],
}

impl Compiled {
    pub fn new(budget: &Deposits, unit: Unit) -> Self {
        let (deposit, withdrawal) = budget.amounts();
        Self {
            slot: budget.ttl.in_unit(unit) / 10.0,
            deposit,
            withdrawal,
            reserve: budget.reserve() * withdrawal,
            slots: budget.slots,
            deposits_on: budget.deposit,
            per_call: budget.per_call,
        }
    }

    /// Closes the slot that is being written if its time is over, and empties those that were missed.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few slots")]
    fn turn(&self, balance: &mut Balance, now: f64) {
        // Sums of times are not exact: what is this close to a whole number of slots is that number.
        const SLACK: f64 = 1e-9;
        let slots = (now - balance.since) / self.slot;
        if slots < 1.0 - SLACK {
            return;
        }
        let (count, missed) = match self.slots {
            Slots::Tower => (SLOTS, (slots - SLACK).ceil() - 1.0),
            Slots::Finagle => (SLOTS - 1, (slots + SLACK).floor() - 1.0),
        };
        balance.slots[balance.place] = std::mem::take(&mut balance.current);
        balance.place = (balance.place + 1) % count;
        for _ in 0..missed.min(SLOTS as f64) as usize {
            balance.slots[balance.place] = 0.0;
            balance.place = (balance.place + 1) % count;
        }
        balance.since = now;
    }

    /// Retries that the balance pays for.
    fn retries(&self, balance: &Balance) -> f64 {
        let units = balance.current + balance.slots.iter().sum::<f64>() + self.reserve;
        if self.withdrawal > 0.0 { (units / self.withdrawal).floor() } else { f64::INFINITY }
    }

    fn deposit(&self, balance: &mut Balance, now: f64) {
        self.turn(balance, now);
        balance.current += self.deposit;
    }
}

impl Account for Compiled {
    type State = Balance;

    fn start(&self) -> Balance {
        Balance::default()
    }

    fn on_send(&self, balance: &mut Balance, event: Event) {
        if self.deposits_on == Deposit::Request && !event.is_retry() {
            self.deposit(balance, event.now);
        }
    }

    fn on_success(&self, balance: &mut Balance, event: Event) {
        if self.deposits_on == Deposit::Success {
            self.deposit(balance, event.now);
        }
    }

    fn on_failure(&self, balance: &mut Balance, event: Event) {
        self.turn(balance, event.now);
    }

    fn catch_up(&self, balance: &mut Balance, now: f64) {
        self.turn(balance, now);
    }

    fn on_retry(&self, balance: &mut Balance, _: Event) {
        balance.current -= self.withdrawal;
    }

    fn allows(&self, balance: &Balance, event: Event) -> Verdict {
        let (left, spent) = (self.retries(balance), f64::from(event.attempt - 1));
        let of_one_call = self.per_call.map_or(f64::INFINITY, |share| (share * (left + spent)).ceil());
        (left >= 1.0 && spent < of_one_call).into()
    }
}
