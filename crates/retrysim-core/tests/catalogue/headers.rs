//! What libraries make of Retry-After and its like.

use jiff::Timestamp;
use retrysim_core::{
    callers::{Callers, Decision, Failure},
    draw::Fixed,
    policy::{Compiled, class::Class, header::Said},
};

use super::{
    delays::RELATIVE,
    vectors::{ALONE, class, covered, delays_alone, name, policy, report, rows},
};

fn decision(policy: &Compiled, class: Class, hint: Option<f64>, u: f64) -> Decision {
    let mut callers = Callers::new(policy, ALONE);
    let mut call = callers.call(0, 0, 0.0);
    callers.on_send(&call, 0.0);
    callers.on_failure(&mut call, 0.0, Failure { class, hint, sent: 0.0 }, &mut Fixed(u))
}

#[test]
fn headers_as_text() {
    let now: Timestamp = "2026-11-29T12:00:00Z".parse().unwrap();
    let all = covered("hints");
    assert_eq!(all.len(), 12);
    let mut problems = Vec::new();
    for vector in &all {
        let (policy, class) = (policy(vector), class(vector));
        let reads = policy.hint.clone().unwrap().reads;
        let policy = delays_alone(&policy);
        for row in rows(vector).iter().filter(|row| row["skip"].is_null()) {
            let (header, u) = (row["header"].as_str().unwrap(), row["u"].as_f64().unwrap());
            let ours = match reads.read(header, now) {
                Said::Wait(span) => decision(&policy, class, Some(span.secs()), u),
                Said::Nothing => decision(&policy, class, None, u),
                Said::Stop => Decision::Exhausted,
            };
            let agrees = match (ours, row["delay_s"].as_f64()) {
                (Decision::Retry(ours), Some(theirs)) => (ours - theirs).abs() <= RELATIVE * theirs,
                (ours, None) if row["own"] == true => ours == decision(&policy, class, None, u),
                (ours, None) => row["stop"] == true && ours == Decision::Exhausted,
                (_, Some(_)) => false,
            };
            if !agrees {
                problems.push(format!("{}: {ours:?} for {row}", name(vector)));
            }
        }
    }
    report(&problems);
}
