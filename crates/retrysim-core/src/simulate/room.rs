//! What runs hold while they are made, as far as it is known before.

use crate::{
    callers,
    error::Error,
    limits::MAX_ROOM,
    policy::Compiled,
    scenario::{Scenario, Workload},
    service::Service,
};

/// Bytes of a client with its call, its event, its attempt and those that are drawn ahead; workers know more of attempts.
const CLIENT: f64 = 320.0;

/// Bytes of a call, where none is forgotten; vectors double.
const CALL: f64 = 2.0 * size_of::<callers::Call>() as f64;

/// Bytes of a tick or a window: calls due, arrivals, successes. A row of calls comes on top of it, where ticks are few.
const TICK: f64 = 16.0;

/// Refuses runs that would hold too much, `at_once` of them.
pub(super) fn check(scenario: &Scenario, policies: &[Compiled], at_once: usize) -> Result<(), Error> {
    let shared = policies
        .iter()
        .map(|policy| callers::room(policy, scenario.workload.population()))
        .fold(0.0, f64::max);
    let client = if let Service::Workers(_) = scenario.service { 2.0 * CLIENT } else { CLIENT };
    let run = f64::from(scenario.workload.clients()) * client
        + calls(scenario) * CALL
        + ticks(scenario) * TICK
        + shared;
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let (most, all) = (MAX_ROOM as f64, run * at_once as f64);
    if all <= most {
        return Ok(());
    }
    const GIB: f64 = 1_073_741_824.0;
    let value =
        format!("{} (with {at_once} runs at once: {:.1} GiB)", scenario.workload.clients(), all / GIB);
    let allowed = format!(
        "what takes at most {:.0} GiB: fewer clients, calls, ticks or budgets by client, or fewer threads",
        most / GIB
    );
    Err(Error::invalid("workload.clients", value, allowed))
}

/// Calls that are kept until the end: those of an open workload in ticks.
fn calls(scenario: &Scenario) -> f64 {
    match (&scenario.service, &scenario.workload) {
        (Service::TickCapacity(_), Workload::Open(open)) => {
            f64::from(open.clients) * open.rate * scenario.horizon.secs()
        }
        _ => 0.0,
    }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn ticks(scenario: &Scenario) -> f64 {
    let tick = match &scenario.service {
        Service::TickCapacity(service) => service.tick,
        Service::WindowCapacity(service) => service.window,
        _ => return 0.0,
    };
    // Open workloads are counted by seconds as well.
    scenario.horizon.nanos() as f64 / tick.nanos() as f64 + scenario.horizon.secs().min(1e8)
}
