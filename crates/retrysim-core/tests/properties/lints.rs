//! Every policy can be linted and measured.

use proptest::prelude::*;
use retrysim_core::{
    Policy,
    lint::{lint, lint_layers},
    measure::measure_policy,
};

use crate::{cases, generate};

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn findings_name_a_field_and_a_number(policy in generate::policy()) {
        let findings = lint(&policy);
        for finding in &findings {
            let part = ["delay", "hint", "budget", "on."].iter().any(|part| finding.field.starts_with(part));
            prop_assert!(part && finding.number.is_finite(), "{}", finding);
        }
        let own = findings.iter().take_while(|finding| !finding.field.starts_with("on."));
        prop_assert!(own.map(|finding| finding.lint).is_sorted());
        prop_assert_eq!(lint(&policy), findings, "under the same seed");
        prop_assert!(lint_layers(&[("outer", &policy), ("inner", &policy)]).len() <= 1);
    }

    #[test]
    fn quantiles_of_measured_delays_are_in_order(delay in generate::stages(), seed: u64) {
        let policy = Policy { delay, ..Policy::default() };
        let measured = measure_policy("any", &policy, 50, seed, 70).unwrap();
        prop_assert_eq!((measured.clients, measured.retries.len()), (50, 70));
        for retry in &measured.retries {
            let quantiles = [retry.min_s, retry.p05_s, retry.p25_s, retry.p50_s, retry.p75_s, retry.p95_s, retry.max_s];
            prop_assert!(quantiles.is_sorted(), "{:?}", retry);
            prop_assert_eq!(retry.density.counts.iter().sum::<usize>(), 50);
            prop_assert!(retry.correlation.is_nan() || retry.correlation.abs() < 1.0 + 1e-9, "{:?}", retry);
            prop_assert!((1..=50).contains(&retry.distinct) && retry.jitter.is_finite(), "{:?}", retry);
        }
    }
}
