//! A budget by the second whose reserve may be spent all at once.

use super::{Finding, Lint};
use crate::policy::{
    Policy,
    budget::{Bucket, Budget, Gate},
    class::Class,
};

/// What a budget grants when it has been left alone.
struct Reserve {
    field: &'static str,
    /// Retries at once.
    burst: f64,
    /// Retries per second that time alone brings back.
    per_s: f64,
}

pub(super) fn check(policy: &Policy) -> Vec<Finding> {
    policy.budget.iter().enumerate().filter_map(|(i, budget)| finding(i, reserve(budget)?)).collect()
}

fn finding(index: usize, Reserve { field, burst, per_s }: Reserve) -> Option<Finding> {
    (burst > per_s).then(|| Finding {
        lint: Lint::ReserveBurst,
        field: format!("budget[{index}].{field}"),
        number: burst,
        unit: "retries",
        message: format!(
            "{burst} retries may be made at once after a quiet time, where {per_s} per second are meant"
        ),
        cure: "a smaller reserve: a lower rate, a shorter time or a smaller bucket".into(),
    })
}

/// The reserve of a budget that time fills up; others are filled by calls, or hold none.
fn reserve(budget: &Budget) -> Option<Reserve> {
    match budget {
        Budget::Deposits(deposits) => Some(Reserve {
            field: "deposits.min_per_s",
            burst: deposits.reserve(),
            per_s: f64::from(deposits.min_per_s),
        }),
        Budget::Bucket(bucket) if bucket.credit.per_s > 0.0 => full(bucket),
        Budget::Bucket(_) | Budget::Window(_) | Budget::Concurrency(_) | Budget::Sre(_) => None,
    }
}

/// What a full bucket pays for; nothing is said of one that takes no tokens.
fn full(bucket: &Bucket) -> Option<Reserve> {
    let cost = bucket.cost.after(Class::Error);
    let usable = match bucket.gate {
        Gate::Cost => bucket.size,
        Gate::AboveHalf => bucket.size / 2.0,
    };
    let reserve =
        Reserve { field: "bucket.size", burst: (usable / cost).floor(), per_s: bucket.credit.per_s / cost };
    (cost > 0.0 && reserve.burst.is_finite()).then_some(reserve)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::tests::{all, only};

    const LINT: Lint = Lint::ReserveBurst;

    fn budget(toml: &str) -> Policy {
        Policy::from_toml(&format!("budget = [{toml}]")).unwrap()
    }

    #[test]
    fn towers_ten_a_second_are_a_burst_of_a_hundred() {
        let finding = only(&budget("{ deposits = { ratio = 0.2, min_per_s = 10 } }"), LINT);
        assert_eq!((finding.field.as_str(), finding.number), ("budget[0].deposits.min_per_s", 100.0));
        assert_eq!(
            finding.message,
            "100 retries may be made at once after a quiet time, where 10 per second are meant"
        );
    }

    #[test]
    fn a_bucket_that_time_fills() {
        let finding = only(&budget("{ bucket = { size = 500, cost = 5, credit = { per_s = 10 } } }"), LINT);
        assert_eq!((finding.field.as_str(), finding.number), ("budget[0].bucket.size", 100.0));
    }

    #[test]
    fn not_without_a_reserve_nor_for_one_of_a_second() {
        for toml in [
            "{ bucket = { size = 500, cost = 14 } }",
            "{ bucket = { size = 10, credit = { per_s = 10 } } }",
            r#"{ window = { ratio = 0.1, window = "10s" } }"#,
            "{ deposits = { ratio = 0.2 } }",
            "{ concurrency = { min = 3 } }",
        ] {
            assert_eq!(all(&budget(toml), LINT), [], "{toml}");
        }
    }
}
