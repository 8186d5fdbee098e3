//! Layers that retry around each other: their attempts multiply.

use super::{Finding, Lint};
use crate::{policy::Policy, span::Unit};

pub(super) fn check(hops: &[(&str, &Policy)]) -> Option<Finding> {
    if hops.iter().any(|(_, policy)| policy.validate().is_err()) {
        return None;
    }
    let attempts: Vec<f64> = hops.iter().map(|(_, policy)| attempts(policy)).collect();
    if attempts.iter().filter(|attempts| **attempts > 1.0).count() < 2 {
        return None;
    }
    let product: f64 = attempts.iter().product();
    let joined = |words: Vec<String>| words.join(" x ");
    let factors = joined(attempts.iter().map(|attempts| count(*attempts)).collect());
    Some(Finding {
        lint: Lint::ProductOfLayers,
        field: joined(hops.iter().map(|(name, _)| (*name).to_owned()).collect()),
        number: product,
        unit: "attempts",
        message: format!("one call is up to {factors} = {} attempts at the innermost hop", count(product)),
        cure: "retry in one layer alone, or give every layer a budget".into(),
    })
}

/// Attempts of one call at the most; infinite without a limit of attempts.
fn attempts(policy: &Policy) -> f64 {
    match policy.compile(Unit::S).own.limits.max_attempts {
        u32::MAX => f64::INFINITY,
        attempts => f64::from(attempts),
    }
}

fn count(attempts: f64) -> String {
    if attempts.is_finite() { attempts.to_string() } else { "unlimited".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_layers_of_three_three_and_five_are_forty_five() {
        let (three, five) = (Policy::immediate().attempts(3), Policy::immediate().retries(4));
        let finding = check(&[("job", &three), ("sdk", &three), ("mesh", &five)]).unwrap();
        assert_eq!((finding.field.as_str(), finding.number), ("job x sdk x mesh", 45.0));
        assert_eq!(finding.message, "one call is up to 3 x 3 x 5 = 45 attempts at the innermost hop");
    }

    #[test]
    fn a_layer_without_a_limit_makes_the_product_unlimited() {
        let (two, endless) = (Policy::immediate().attempts(2), Policy::immediate());
        let finding = check(&[("sdk", &two), ("mesh", &endless)]).unwrap();
        assert_eq!(finding.number, f64::INFINITY);
        assert_eq!(
            finding.message,
            "one call is up to 2 x unlimited = unlimited attempts at the innermost hop"
        );
    }

    #[test]
    fn one_layer_that_retries_is_no_product() {
        assert_eq!(check(&[("sdk", &Policy::immediate().attempts(3)), ("mesh", &Policy::never())]), None);
        assert_eq!(check(&[]), None);
    }
}
