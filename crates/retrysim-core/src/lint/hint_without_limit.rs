//! The server's hint is obeyed, however long it is.

use super::{Finding, Lint, duration};
use crate::{
    draw::Fixed,
    policy::{Policy, class::Class},
    span::Unit,
};

/// The hint that is tried: a day, in seconds.
const HINT: f64 = 86_400.0;

/// The smallest and the largest number that is drawn.
const DRAWS: [f64; 2] = [0.0, 1.0 - f64::EPSILON / 2.0];

pub(super) fn check(policy: &Policy) -> Option<Finding> {
    let hint = policy.hint.as_ref()?;
    if hint.over.is_some() {
        return None;
    }
    let compiled = policy.compile(Unit::S);
    let class = hint.after.as_ref().and_then(|classes| classes.first()).copied().unwrap_or(Class::Throttle);
    let longest = |hint: f64| {
        let wait = |u| compiled.own.delay(1, class, Some(hint), &mut compiled.memory(), &mut Fixed(u));
        DRAWS.into_iter().filter_map(wait).max_by(f64::total_cmp)
    };
    let wait = longest(HINT)?;
    // Where a longer hint changes nothing, something limits it: a clamp to the own delay, or a cap after it.
    if longest(2.0 * HINT)? <= wait {
        return None;
    }
    Some(Finding {
        lint: Lint::HintWithoutLimit,
        field: "hint".into(),
        number: duration(wait).secs(),
        unit: "s",
        message: format!("Retry-After: {HINT} makes the client wait up to {}", duration(wait)),
        cure: r#"a limit, such as over = { limit = "120s", do = "stop" }"#.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        lint::tests::{all, only},
        policy::hint::{Combine, Hint, Over, Then},
        span::Span,
    };

    const LINT: Lint = Lint::HintWithoutLimit;

    fn with(combine: Combine, over: Option<Over>) -> Policy {
        Policy::constant(Span::from_secs(1)).hint(Hint { over, ..Hint::new(combine) })
    }

    #[test]
    fn a_day_is_waited_for() {
        let finding = only(&with(Combine::Replace, None), LINT);
        assert_eq!((finding.number, finding.unit), (86_400.0, "s"));
        assert_eq!(finding.message, "Retry-After: 86400 makes the client wait up to 24h");
        assert_eq!(only(&with(Combine::Floor, None), LINT).number, 86_400.0);
        assert_eq!(only(&with(Combine::Uniform([1.0, 1.5]), None), LINT).number, 129_600.0);
        let axios = with(Combine::FloorBeforeJitter, None).jitter(1.0, 1.2);
        assert_eq!(only(&axios, LINT).number, 103_680.0);
        let mut after_timeouts = with(Combine::Replace, None);
        if let Some(hint) = &mut after_timeouts.hint {
            hint.after = Some(vec![Class::Timeout]);
        }
        assert_eq!(only(&after_timeouts, LINT).number, 86_400.0);
    }

    #[test]
    fn not_with_a_limit_or_a_clamp_or_where_hints_are_ignored() {
        let over = Over { limit: Span::from_secs(120), then: Then::Stop };
        assert_eq!(all(&with(Combine::Replace, Some(over)), LINT), []);
        assert_eq!(all(&with(Combine::Clamp([Span::ZERO, Span::from_secs(5)]), None), LINT), []);
        assert_eq!(all(&with(Combine::Ignore, None), LINT), []);
        assert_eq!(all(&Policy::constant(Span::from_secs(1)), LINT), []);
        let capped = with(Combine::FloorBeforeJitter, None).jitter(1.0, 1.2).cap(Span::from_secs(30));
        assert_eq!(all(&capped, LINT), []);
    }
}
