//! Whether the service is up: outages, and crashes under load.

use super::{Crash, kernel::Prepared};
use crate::service::outage::down_until;

/// The load that a service has had of late, and the crash that it led to.
#[derive(Debug)]
pub(super) struct Health<'h> {
    outages: &'h [(usize, usize)],
    limit: u64,
    downtime: usize,
    /// Arrivals of the last ticks, the place of the next one, and their sum.
    window: &'h mut [u32],
    next: usize,
    in_window: u64,
    up_at: usize,
}

/// What a tick finds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// An outage.
    pub outage: bool,
    /// Until when nobody answers, for this reason or another.
    pub down: Option<usize>,
    /// The end of the crash that the tick's requests have brought about.
    pub crash: Option<usize>,
}

impl<'h> Health<'h> {
    /// Nothing has arrived; `window` is room for the arrivals of the last ticks.
    pub fn new(service: &'h Prepared<'_>, window: &'h mut Vec<u32>) -> Self {
        window.clear();
        window.resize(service.window, 0);
        Self {
            outages: &service.outages,
            limit: service.service.crash.map_or(u64::MAX, |Crash { limit, .. }| u64::from(limit)),
            downtime: service.downtime,
            window,
            next: 0,
            in_window: 0,
            up_at: 0,
        }
    }

    /// Requests arrive in a tick, the one after the last.
    #[inline]
    pub fn arrive(&mut self, tick: usize, requests: usize) -> Found {
        let slot = &mut self.window[self.next];
        self.in_window = self.in_window + requests as u64 - u64::from(*slot);
        *slot = u32::try_from(requests).unwrap_or(u32::MAX);
        self.next = if self.next + 1 == self.window.len() { 0 } else { self.next + 1 };

        let outage = down_until(self.outages, &tick);
        let crashes = outage.is_none() && tick >= self.up_at && self.in_window > self.limit;
        if crashes {
            self.up_at = tick + self.downtime;
        }
        let down = outage.max((tick < self.up_at).then_some(self.up_at));
        Found { outage: outage.is_some(), down, crash: crashes.then_some(self.up_at) }
    }
}
