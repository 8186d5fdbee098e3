//! One client under throttling: its tokens after every tick, the only trace of a budget in the article.

use retrysim::{
    callers::Decision,
    draw::CPython,
    record::{Attempt, Recorder},
};

use crate::support::{number, numbers, run, scenario, vectors};

/// Watches client 0: tokens after each tick, and the times at which it schedules a retry.
#[derive(Default)]
struct Client0 {
    tokens: Vec<f64>,
    open: Vec<bool>,
    retries_at: Vec<f64>,
}

impl Recorder for Client0 {
    fn attempt(&mut self, attempt: &Attempt<'_>) {
        if attempt.call.client == 0 && matches!(attempt.decision, Some(Decision::Retry(_))) {
            self.retries_at.push(attempt.start);
        }
    }

    fn level(&mut self, client: u32, _: f64, tokens: f64, open: bool) {
        assert_eq!(client, 0);
        self.tokens.push(tokens);
        self.open.push(open);
    }

    fn watched(&self) -> Option<u32> {
        Some(0)
    }
}

fn watch() -> Client0 {
    let mut client = Client0::default();
    run(&scenario("budget", &[]), "grpc_throttling", &mut CPython::new(0), &mut client);
    client
}

#[test]
fn tokens_every_100_ms() {
    let tokens = watch().tokens;
    assert_eq!(tokens.len(), 4_000);
    let target =
        numbers(&vectors("herd")["budget"]["seed0_client0_throttle"]["tokens_every_100ms_end_of_tick"]);
    assert_eq!(target.len(), 400);
    // The target has one decimal. Tenths add up to within 1e-12 of it, far from the next tenth.
    for (i, target) in target.iter().enumerate() {
        let ours = tokens[FIRST + 10 * i];
        assert!((ours - target).abs() < 1e-9, "after tick {}: {ours}, not {target}", FIRST + 10 * i);
    }
}

/// Which tick of ten the trace shows.
const FIRST: usize = 0;

#[test]
fn no_retry_in_the_outage_and_tokens_back_after_it() {
    let (client, vectors) = (watch(), vectors("herd"));
    let target = &vectors["budget"]["seed0_client0_throttle"];
    let in_outage = client.retries_at.iter().filter(|at| (5.0..15.0).contains(*at)).count();
    assert_eq!(in_outage as f64, number(&target["retries_5_15"]));
    let open = (1500..4000).find(|tick| client.tokens[*tick] > 5.0).unwrap();
    assert_eq!(open as f64, number(&target["first_tick_from_1500_with_tokens_above_5"]));
    for (tokens, open) in client.tokens.iter().zip(&client.open) {
        assert_eq!(*open, *tokens > 5.0, "the gate opens above half of ten tokens");
    }
}
