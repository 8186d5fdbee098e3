//! What every entry must have.

use std::collections::BTreeMap;

use retrysim_core::{
    Catalogue, Policy, Unit,
    catalogue::{Evidence, Kind},
    text,
};
use serde_json::Value;

use super::vectors;

#[test]
fn there_are_104_entries_with_sources() {
    let catalogue = Catalogue::bundled();
    assert_eq!(catalogue.entries().len(), 104);
    assert_eq!(catalogue.names().len(), 104 + 78);
    for entry in catalogue.entries() {
        let id = &entry.id;
        assert!(!entry.name.is_empty() && !entry.about.is_empty() && !entry.source.is_empty(), "{id}");
        assert!(entry.source.iter().all(|source| !source.is_empty()), "{id}");
        assert!(entry.not_expressed.as_ref().is_none_or(|what| !what.is_empty()), "{id}");
        assert!(entry.variants.values().all(|variant| !variant.about.is_empty()), "{id}");
        if let Some(version) = &entry.version {
            let version = version.trim_start_matches('@');
            assert!(entry.source.iter().any(|source| source.contains(version)), "{id}: {version}");
        }
    }
}

#[test]
fn evidence_and_kinds() {
    let mut evidence = BTreeMap::new();
    let mut kinds = BTreeMap::new();
    for entry in Catalogue::bundled().entries() {
        *evidence.entry(format!("{:?}", entry.evidence)).or_insert(0) += 1;
        *kinds.entry(format!("{:?}", entry.kind)).or_insert(0) += 1;
    }
    let expected =
        [(Evidence::Documented, 16), (Evidence::Read, 25), (Evidence::Run, 59), (Evidence::RunPort, 4)];
    assert_eq!(evidence, expected.map(|(evidence, count)| (format!("{evidence:?}"), count)).into());
    assert_eq!(kinds[&format!("{:?}", Kind::Link)], 5);
    assert_eq!(kinds.values().sum::<i32>(), 104);
}

/// A library that was run has a vector, or one that notes name is missing.
#[test]
fn what_was_run_has_vectors() {
    let file = vectors::file();
    let named: Vec<Value> =
        ["vectors", "missing"].iter().flat_map(|list| file[*list].as_array().unwrap().clone()).collect();
    for entry in Catalogue::bundled().entries() {
        if matches!(entry.evidence, Evidence::Run | Evidence::RunPort) {
            let is_of = |vector: &Value| {
                vector["policy"].as_str().is_some_and(|name| name.split('/').next() == Some(&entry.id))
            };
            assert!(named.iter().any(is_of), "{} has no vector", entry.id);
        }
    }
    for vector in &named {
        if let Some(name) = vector["policy"].as_str() {
            Catalogue::bundled().policy(name).unwrap();
        }
    }
}

#[test]
fn every_policy_is_valid_compiles_and_survives_being_written() {
    let catalogue = Catalogue::bundled();
    for name in catalogue.names() {
        let policy = catalogue.policy(&name).unwrap();
        policy.validate().unwrap_or_else(|error| panic!("{name}: {error}"));
        let delays = policy.compile(Unit::S).fixed_delays(12, None, 0.5);
        assert!(delays.iter().all(|delay| delay.is_finite() && *delay >= 0.0), "{name}: {delays:?}");
        let written = text::write(policy).unwrap();
        assert_eq!(Policy::from_toml(&written).unwrap(), *policy, "{written}");
    }
}

/// A policy that retries for ever without a wait would never end in an outage.
#[test]
fn nothing_retries_for_ever_at_once() {
    let catalogue = Catalogue::bundled();
    for name in catalogue.names() {
        let policy = catalogue.policy(&name).unwrap();
        let waits = policy.compile(Unit::S).fixed_delays(200, None, 0.5).iter().any(|delay| *delay > 0.0);
        let stops = policy.stop.max_attempts() < u32::MAX;
        assert!(waits || stops || !policy.budget.is_empty(), "{name}");
    }
}

#[test]
fn search_finds_by_words() {
    let ids =
        |text| Catalogue::bundled().search(text).iter().map(|entry| entry.id.as_str()).collect::<Vec<_>>();
    assert_eq!(ids("Kafka java"), ["kafka-java"]);
    assert_eq!(ids("kafka"), ["kafka-java", "kafka-python", "kafkajs"]);
    assert_eq!(ids("finagle decorrelated")[0], "finagle-decorrelated");
    assert_eq!(ids("botocore quota.py"), ["aws-standard-2.1"]);
    assert_eq!(ids("unheard-of"), Vec::<&str>::new());
    assert_eq!(ids("").len(), 104);
}

/// Every kind of stage is met by some policy, so that vectors and samples speak for all of them.
#[test]
fn every_kind_of_stage_occurs() {
    let catalogue = Catalogue::bundled();
    let written: String =
        catalogue.names().iter().map(|name| text::write(catalogue.policy(name).unwrap()).unwrap()).collect();
    let stages = "exp const linear poly fib list doublings prev polly_v2 cap floor scale jitter add uniform latch \
                  quantum head only_n split_seconds backo2_half rust_exponential_backoff_30";
    for stage in stages.split_whitespace() {
        assert!(written.contains(stage), "no policy has {stage}");
    }
}
