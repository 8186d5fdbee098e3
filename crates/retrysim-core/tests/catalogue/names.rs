//! Names of the catalogue in scenarios, `extends`, and folders of one's own.

use std::{fs, path::PathBuf};

use retrysim_core::{Catalogue, Policy, Scenario, text};
use toml::Table;

/// The herd with other policies.
fn herd(policy: &str) -> Table {
    let toml = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/data/scenarios/herd.toml")).unwrap();
    let mut table = text::parse(&toml).unwrap();
    table.remove("policy");
    table.extend(text::parse(policy).unwrap());
    table
}

fn scenario(policy: &str) -> Result<Scenario, String> {
    Scenario::from_table(herd(policy)).map_err(|error| error.to_string())
}

fn named(name: &str) -> Policy {
    Catalogue::bundled().policy(name).unwrap().clone()
}

#[test]
fn scenarios_name_policies() {
    let one = scenario("policy = 'stripe'").unwrap();
    assert_eq!(one.policy.iter().collect::<Vec<_>>(), [(&"stripe".to_owned(), &named("stripe"))]);
    let two = scenario("policy = ['aws-standard-2.1', 'kafka-java/reconnect']").unwrap();
    assert_eq!(two.policy.keys().collect::<Vec<_>>(), ["aws-standard-2.1", "kafka-java/reconnect"]);
    assert_eq!(two.policy[1], named("kafka-java/reconnect"));
    let mine = "[policy]\nmine = 'got'\n[policy.longer]\nextends = 'got'\nstop = { attempts = 9 }";
    let mine = scenario(mine).unwrap();
    assert_eq!(mine.policy["mine"], named("got"));
    assert_eq!(mine.policy["longer"], attempts("got", 9));
    let written = text::write(&two).unwrap();
    assert!(!written.contains("extends"), "{written}");
    assert_eq!(Scenario::from_toml(&written).unwrap(), two);
}

/// The policy with so many attempts.
fn attempts(name: &str, attempts: u32) -> Policy {
    let mut policy = named(name).attempts(attempts);
    policy.stop.retries = None;
    policy
}

#[test]
fn policies_extend() {
    let own = "extends = 'aws-standard-2.1'\nhint = 'none'\nbudget = []\n\
               [on]\nthrottle = { stop = { attempts = 8 } }\ntimeout = { retry = false }";
    let policy = Policy::from_toml(own).unwrap();
    let base = named("aws-standard-2.1");
    assert_eq!((&policy.delay, &policy.stop), (&base.delay, &base.stop));
    assert!(policy.hint.is_none() && policy.budget.is_empty());
    let throttle = policy.on.throttle.unwrap();
    assert_eq!(throttle.delay, base.on.throttle.unwrap().delay);
    assert_eq!(throttle.stop.unwrap().attempts, Some(8));
    assert_eq!(policy.on.timeout.unwrap().retry, Some(false));
}

#[test]
fn names_that_are_not_there() {
    let cases = [
        (
            "[policy.mine]\nextends = 'aws-standrd-2.1'",
            "policy.mine.extends = \"aws-standrd-2.1\" is not allowed; allowed: a policy of the catalogue, \"id\" or \
             \"id/variant\"; did you mean \"aws-standard-2.1\", \"aws-standard-2.0\" or \"aws-standard-2.1/dynamodb\"?",
        ),
        (
            "policy = 'xyzzy'",
            "policy = \"xyzzy\" is not allowed; allowed: a policy of the catalogue, \"id\" or \"id/variant\"",
        ),
        (
            "policy = ['stripe', 'kafka-java/reconect']",
            "policy[1] = \"kafka-java/reconect\" is not allowed; allowed: a policy of the catalogue, \"id\" or \
             \"id/variant\"; did you mean \"kafka-java/reconnect\", \"kafka-java\" or \"kafkajs\"?",
        ),
        ("policy = ['stripe', 'stripe']", "policy[1] = \"stripe\" is not allowed; allowed: each policy once"),
        (
            "policy = ['stripe', 7]",
            "policy[1] = 7 is not allowed; allowed: the name of a policy of the catalogue in quotes",
        ),
        (
            "[policy.mine]\nextends = []",
            "policy.mine.extends = [] is not allowed; allowed: the name of a policy of the catalogue in quotes",
        ),
        (
            "[policy.mine]\nextends = 'stripe'\nstop = { attempts = 0 }",
            "policy.mine.stop.attempts = 0 is not allowed; allowed: 1 or more (1 means no retry)",
        ),
    ];
    for (policy, message) in cases {
        assert_eq!(scenario(policy).unwrap_err(), message);
    }
    assert_eq!(
        Catalogue::bundled().entry("strip").unwrap_err().to_string(),
        "no entry of the catalogue named \"strip\"; there are: stripe and 103 more"
    );
    assert_eq!(
        Catalogue::bundled().policy("got/limit").unwrap_err().to_string(),
        "no policy of the catalogue named \"got/limit\"; there are: got/limit5s, got and 180 more"
    );
}

/// A folder with one file, for one test.
fn folder(test: &str, toml: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("mine.toml"), toml).unwrap();
    folder
}

#[test]
fn a_folder_overrides_and_adds() {
    let toml = r#"
[stripe]
name = "Stripe, as we set it"
extends = "stripe"
stop = { attempts = 9 }

[ours]
extends = "ours-base/slow"
stop = { elapsed = "1m" }
variants.twice = { about = "Two attempts.", stop = { attempts = 2 } }

[ours-base]
delay = [{ const = "1s" }]
variants.slow = { delay = [{ const = "10s" }] }
"#;
    let catalogue = Catalogue::with_folder(folder("overrides", toml)).unwrap();
    assert_eq!(catalogue.entries().len(), 106);
    let stripe = catalogue.entry("stripe").unwrap();
    assert_eq!(stripe.name, "Stripe, as we set it");
    assert_eq!(stripe.policy, attempts("stripe", 9));
    let twice = catalogue.policy("ours/twice").unwrap();
    let expected = "delay = [{ const = '10s' }]\nstop = { attempts = 2, elapsed = '1m' }";
    assert_eq!(*twice, Policy::from_toml(expected).unwrap());
    let table = herd("policy = 'ours/twice'");
    assert_eq!(Scenario::from_table_in(&catalogue, table.clone()).unwrap().policy[0], *twice);
    let error = Scenario::from_table(table).unwrap_err().to_string();
    assert!(error.starts_with("policy = \"ours/twice\" is not allowed"), "{error}");
}

#[test]
fn faulty_entries_name_file_field_and_value() {
    let cases = [
        ("[a]\nextends = 'b'\n[b]\nextends = 'a'", "a -> b -> a"),
        ("[a]\nextends = 'a'", "a.extends = \"a\" is not allowed; allowed: a policy of the catalogue"),
        (
            "[a]\nextends = 'a/v'\nvariants.v = {}",
            "a.extends = \"a/v\" is not allowed; allowed: a policy that does not lead back here (a/v -> a -> a/v)",
        ),
        (
            "[a]\nextends = 'strpe'",
            "a.extends = \"strpe\" is not allowed; allowed: a policy of the catalogue, \"id\" or \"id/variant\"; did you mean \"stripe\"?",
        ),
        ("[a]\nextends = 1", "a.extends = 1 is not allowed; allowed: the name of a policy in quotes"),
        (
            "[a]\nstop = { attempts = 0 }",
            "a.stop.attempts = 0 is not allowed; allowed: 1 or more (1 means no retry)",
        ),
        ("[a]\nvariants.v = { stop = { attempts = 0 } }", "a.variants.v.stop.attempts = 0 is not allowed"),
        ("[a]\ndely = []", "a.dely: unknown field `dely`, expected one of `delay`, `stop`"),
        ("[a]\nkind = 'cat'", "a.kind: unknown variant `cat`, expected one of `client`"),
        ("a = 1", "a = 1 is not allowed; allowed: a table"),
        ("['a/b']", "\"a/b\" is not allowed; allowed: an id without a slash"),
        ("[a", "the file is not TOML"),
    ];
    for (i, (toml, message)) in cases.iter().enumerate() {
        let folder = folder(&format!("faulty{i}"), toml);
        let error = Catalogue::with_folder(&folder).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{}", folder.join("mine.toml").display())), "{error}");
        assert!(error.contains(message), "{error}\ndoes not say {message}");
    }
    let nowhere = folder("nowhere", "").join("at-all");
    let error = Catalogue::with_folder(&nowhere).unwrap_err().to_string();
    assert!(error.starts_with(&nowhere.display().to_string()), "{error}");
}
