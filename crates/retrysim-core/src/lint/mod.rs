//! What can be said against a policy without simulating a service.
//!
//! ```
//! use retrysim_core::{Policy, lint::{Lint, lint}};
//!
//! let policy = Policy::from_toml(
//!     r#"delay = [{ exp = { base = "1s" } }, { jitter = [0.5, 1.5] }, { cap = "5s" }]"#,
//! )?;
//! let findings = lint(&policy);
//! assert_eq!(findings[0].lint, Lint::CapAfterJitter);
//! assert_eq!((findings[0].field.as_str(), findings[0].number), ("delay[2].cap", 4.0));
//! # Ok::<(), retrysim_core::Error>(())
//! ```

mod cap_after_jitter;
mod coarse_quantum;
mod floor_equals_first_value;
mod hint_without_limit;
mod no_cap_no_limit;
mod place;
mod prev_factor_below_e;
mod product_of_layers;
mod reserve_burst;
mod sample;
mod unjittered_first_retry;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    policy::{Policy, class::Class},
    span::Span,
};

/// The kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lint {
    /// A limit after the last random stage: clients that reach it wait exactly the same time.
    CapAfterJitter,
    /// At least half of the clients make their first retry after exactly the same delay.
    UnjitteredFirstRetry,
    /// A random walk whose typical step is no growth.
    PrevFactorBelowE,
    /// A delay that grows past a day, with nothing that ends it.
    NoCapNoLimit,
    /// Rounding that leaves few values of the jitter.
    CoarseQuantum,
    /// A floor that takes all jitter from the first retry.
    FloorEqualsFirstValue,
    /// The server's hint is obeyed, however long it is.
    HintWithoutLimit,
    /// A budget by the second whose reserve may be spent all at once.
    ReserveBurst,
    /// Layers that retry around each other: their attempts multiply.
    ProductOfLayers,
}

impl Lint {
    /// All lints, in the order of findings.
    pub const ALL: [Self; 9] = [
        Self::CapAfterJitter,
        Self::UnjitteredFirstRetry,
        Self::PrevFactorBelowE,
        Self::NoCapNoLimit,
        Self::CoarseQuantum,
        Self::FloorEqualsFirstValue,
        Self::HintWithoutLimit,
        Self::ReserveBurst,
        Self::ProductOfLayers,
    ];

    /// The name used in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CapAfterJitter => "cap-after-jitter",
            Self::UnjitteredFirstRetry => "unjittered-first-retry",
            Self::PrevFactorBelowE => "prev-factor-below-e",
            Self::NoCapNoLimit => "no-cap-no-limit",
            Self::CoarseQuantum => "coarse-quantum",
            Self::FloorEqualsFirstValue => "floor-equals-first-value",
            Self::HintWithoutLimit => "hint-without-limit",
            Self::ReserveBurst => "reserve-burst",
            Self::ProductOfLayers => "product-of-layers",
        }
    }
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Something about a policy that its author may not have meant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// What kind it is of.
    pub lint: Lint,
    /// Path of the field below the policy, such as `delay[2].cap`; for layers the names of the hops.
    pub field: String,
    /// How bad it is, in `unit`. Infinite (null in files) where attempts have no limit.
    pub number: f64,
    /// What the number counts: `retry` (the first one that is touched), `% of clients`, `s`, `values`,
    /// `factor`, `retries` or `attempts`.
    pub unit: &'static str,
    /// A sentence that holds the number.
    pub message: String,
    /// What would mend it.
    pub cure: String,
}

impl Finding {
    /// The same finding with `prefix.` before its field.
    fn within(self, prefix: &str) -> Self {
        Self { field: format!("{prefix}.{}", self.field), ..self }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}; cure: {}", self.field, self.lint, self.message, self.cure)
    }
}

/// All findings about one policy, in the order of [`Lint::ALL`]; then those that are there only after a class of
/// errors with rules of its own, their fields below `on.<class>`.
///
/// Retries count as far as the stop rules let a call come whose failures take no time, 64 at the most. Random
/// delays are sampled under a fixed seed, so that the same policy has the same findings. A policy that
/// [`Policy::validate`] refuses or that never retries has none.
#[must_use]
pub fn lint(policy: &Policy) -> Vec<Finding> {
    if policy.validate().is_err() {
        return Vec::new();
    }
    let own = check(policy);
    let by_class: Vec<Finding> = Class::ALL
        .into_iter()
        .filter(|class| policy.on.of(*class).is_some())
        .filter_map(|class| Some((class, policy.after(class)?)))
        .flat_map(|(class, other)| check(&other).into_iter().map(move |finding| (class, finding)))
        .filter(|(_, finding)| !own.contains(finding))
        .map(|(class, finding)| finding.within(&format!("on.{}", class.name())))
        .collect();
    own.into_iter().chain(by_class).collect()
}

/// All findings about the rules that a valid policy has for most classes of errors.
fn check(policy: &Policy) -> Vec<Finding> {
    let mut findings = Vec::new();
    if policy.stop.max_attempts() > 1 {
        findings.extend(cap_after_jitter::check(policy));
        findings.extend(unjittered_first_retry::check(policy));
        findings.extend(prev_factor_below_e::check(policy));
        findings.extend(no_cap_no_limit::check(policy));
        findings.extend(coarse_quantum::check(policy));
        findings.extend(floor_equals_first_value::check(policy));
        findings.extend(hint_without_limit::check(policy));
        findings.extend(reserve_burst::check(policy));
    }
    findings
}

/// What layers around each other do together, from the outermost hop to the innermost, by their names.
#[must_use]
pub fn lint_layers(hops: &[(&str, &Policy)]) -> Vec<Finding> {
    product_of_layers::check(hops).into_iter().collect()
}

/// A share of the clients, for messages.
fn clients(share: f64) -> String {
    let percent = (share * 100.0).round();
    if percent < 100.0 { format!("{percent} % of the clients") } else { "all clients".into() }
}

/// A number of seconds as a duration, for messages; at most 292 years.
#[expect(clippy::cast_possible_truncation, reason = "saturation is what is wanted")]
fn duration(secs: f64) -> Span {
    Span::from_nanos((secs * 1e9).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A policy from the right-hand side of `delay`.
    pub(super) fn delay(toml: &str) -> Policy {
        Policy::from_toml(&format!("delay = {toml}")).unwrap()
    }

    /// The only finding of one lint.
    pub(super) fn only(policy: &Policy, lint: Lint) -> Finding {
        let mut findings = all(policy, lint);
        assert_eq!(findings.len(), 1, "{findings:?}");
        findings.remove(0)
    }

    /// All findings of one lint.
    pub(super) fn all(policy: &Policy, lint: Lint) -> Vec<Finding> {
        super::lint(policy).into_iter().filter(|finding| finding.lint == lint).collect()
    }

    #[test]
    fn a_good_policy_has_no_findings() {
        let policy =
            delay(r#"[{ exp = { base = "100ms" } }, { cap = "20s" }, { jitter = [0, 1] }]"#).attempts(5);
        assert_eq!(lint(&policy), []);
    }

    #[test]
    fn a_policy_that_is_none_or_never_retries_has_no_findings() {
        assert_eq!(lint(&Policy::never()), []);
        assert_eq!(lint(&Policy::default().stage(crate::policy::stage::Stage::List(Vec::new()))), []);
    }

    #[test]
    fn what_differs_after_a_class_of_errors() {
        let policy = Policy::from_toml(
            r#"
            delay = [{ exp = { base = "50ms" } }, { cap = "20s" }, { jitter = [0, 1] }]
            stop = { attempts = 3 }
            budget = [{ deposits = { ratio = 0.2, min_per_s = 10 } }]
            on.throttle.delay = [{ const = "1s" }]
            on.timeout.retry = false
            "#,
        );
        let found: Vec<_> =
            lint(&policy.unwrap()).into_iter().map(|finding| (finding.lint, finding.field)).collect();
        let throttled = (Lint::UnjitteredFirstRetry, "on.throttle.delay".to_owned());
        assert_eq!(found, [(Lint::ReserveBurst, "budget[0].deposits.min_per_s".to_owned()), throttled]);
    }

    #[test]
    fn names_in_files_are_names() {
        for lint in Lint::ALL {
            assert_eq!(serde_json::to_value(lint).unwrap(), lint.name());
        }
    }
}
