//! Waits by retry number: how jitter spreads the clients, and what is left of it at the cap.

use super::layer::Layer;
use super::model::{Axis, Figure, Panel};

/// The waits of one policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Waits {
    /// Policy name: decides heading and colour.
    pub policy: String,
    /// Retry number from 1 and the wait before that retry in seconds, for about 40 clients.
    pub waits: Vec<(u32, f64)>,
    /// The same backoff without jitter, by retry number.
    pub no_jitter: Vec<(u32, f64)>,
}

/// A scatter of waits, a panel a policy: x is the retry number, y the wait in seconds on the given axis. The
/// dashed line is the wait without jitter. Dots are moved aside by up to 0.3 of a retry number, in a fixed
/// golden-ratio order, so that equal waits can be told apart; only their height carries meaning.
///
/// ```
/// # use retrysim::figure;
/// use figure::{waits, Axis, Waits};
///
/// let full = Waits { policy: "full".into(), waits: vec![(1, 0.3), (2, 1.7)], no_jitter: vec![(1, 1.0), (2, 2.0)] };
/// assert_eq!(waits("Waits", Axis::linear("wait", "s"), &[full]).panels.len(), 1);
/// ```
pub fn waits(title: &str, y: Axis, policies: &[Waits]) -> Figure {
    let panels: Vec<Panel> = policies.iter().map(panel).collect();
    let last = policies
        .iter()
        .flat_map(|policy| policy.waits.iter().chain(&policy.no_jitter))
        .map(|wait| wait.0)
        .max();
    let x = Axis::categories("retry number", (0..=last.unwrap_or(1)).map(|retry| retry.to_string()))
        .between(0.5, f64::from(last.unwrap_or(1)) + 0.5);
    let columns = if panels.len() > 1 { 2 } else { 1 };
    let mut figure = Figure::new(title, x, y, panels);
    figure.legend.retain(|key| policies.iter().all(|policy| policy.policy != key.name));
    figure.columns(columns)
}

fn panel(data: &Waits) -> Panel {
    let points = data
        .waits
        .iter()
        .enumerate()
        .map(|(i, &(retry, wait))| (f64::from(retry) + aside(i), wait))
        .collect();
    let line = data.no_jitter.iter().map(|&(retry, wait)| (f64::from(retry), wait)).collect();
    let without = Layer::Line { name: "no_jitter".into(), points: line, dashed: true, marked: false };
    let scatter = Layer::Points { name: data.policy.clone(), points, size: 5.5 };
    let layers = if data.no_jitter.is_empty() { vec![scatter] } else { vec![without, scatter] };
    Panel { title: data.policy.clone(), remark: String::new(), layers }
}

/// Between -0.3 and 0.3, evenly spread for any run of consecutive `i`.
fn aside(i: usize) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    ((i as f64 * GOLDEN).fract() - 0.5) * 0.6
}
