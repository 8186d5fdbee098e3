//! What is too large is refused before memory is taken for it, and what would not end is ended.

use retrysim::{Design, Error, request::SweepJob};
use retrysim_core::{Catalogue, Plan, Policy, RunConfig, Scenario, Unit, simulate, text};

/// A scenario of `clients` with a service and a policy, as TOML.
fn toml(workload: &str, service: &str, policy: &str) -> String {
    format!(
        "name = 'x'\nhorizon = '100s'\nworkload = {{ {workload} }}\nservice = {{ {service} }}\n[policy.p]\n{policy}"
    )
}

/// What is said of a scenario when it is read, or else when it is run on one thread.
fn refusal(toml: &str) -> String {
    let config = RunConfig { threads: Some(1), ..RunConfig::new(Plan::Seeds(vec![1])) };
    let runs = Scenario::from_toml(toml).and_then(|scenario| simulate(&scenario, &["p"], &config));
    runs.map(|_| "nothing".to_owned()).unwrap_or_else(|error| error.to_string())
}

#[track_caller]
fn says(message: &str, part: &str) {
    assert!(message.contains(part), "{part:?} is not in: {message}");
}

#[test]
fn lists() {
    let burst = "kind = 'burst', clients = 2";
    let failures = "kind = 'failures', probability = 1";
    let many = |item: &str, n: usize| item.repeat(n);
    let budgets = format!("budget = [{}]", many("{ bucket = { size = 1 } },", 9));
    says(&refusal(&toml(burst, failures, &budgets)), "policy.p.budget = 9 items");
    let stages = format!("delay = [{}]", many("{ fib = { unit = '1ns' } },", 101));
    says(&refusal(&toml(burst, failures, &stages)), "policy.p.delay = 101 items");
    let within = format!(
        "delay = [{{ const = '1s' }}, {{ only_n = {{ from = 2, stages = [{}] }} }}]",
        many("{ cap = '1s' },", 100)
    );
    says(&refusal(&toml(burst, failures, &within)), "policy.p.delay = 102 items");
    let outages: String = (0..10_001).map(|i| format!("{{ from = '{i}ms', until = '{i}ms' }},")).collect();
    for service in [
        "kind = 'window_capacity', window = '1s', capacity = 1",
        "kind = 'workers', work = { constant = '1s' }",
    ] {
        let service = format!("{service}, outages = [{outages}]");
        says(&refusal(&toml(burst, &service, "")), "service.outages = 10001 items");
    }
    let service = format!(
        "kind = 'workers', work = {{ constant = '1s' }}, brownouts = [{}]",
        outages.replace(" }", ", workers = 1 }")
    );
    says(&refusal(&toml(burst, &service, "")), "service.brownouts = 10001 items");
    let policies: String = (0..1_001).map(|i| format!("[policy.p{i}]\n")).collect();
    says(&refusal(&toml(burst, failures, &policies)), "policy = 1002 items");
}

/// A stack has an end, and so has what leads to each other.
#[test]
fn depths() {
    let deep = "a.".repeat(30_000) + "a";
    let mut table = toml::Table::new();
    says(&text::set(&mut table, &deep, toml::Value::Integer(1)).unwrap_err().to_string(), "at most 32");
    text::set(&mut table, &("a.".repeat(31) + "a"), toml::Value::Integer(1)).unwrap();
    for deep in [format!("{deep} = 1"), format!("[{deep}]"), format!("a = {}", "[".repeat(100_000))] {
        assert!(text::parse(&deep).is_err());
    }
    let chain: String = (0..20_000).map(|i| format!("[p{i}]\nextends = 'p{}'\n", i + 1)).collect();
    let error =
        Catalogue::default().with_files(&[("mine.toml", (chain + "[p20000]\n").as_str())]).unwrap_err();
    says(&error.to_string(), "extends = 33 items");
}

#[test]
fn texts() {
    let long = format!("name = '{}'", "x".repeat(4 << 20));
    says(&text::parse(&long).unwrap_err().to_string(), "are too many");
    // A device never ends.
    let error = retrysim::file::read_table("/dev/zero".as_ref()).unwrap_err();
    says(&error.to_string(), "more than 4194304 bytes");
}

#[test]
fn memory_is_refused_beforehand() {
    let crowd = "kind = 'burst', clients = 10000000";
    let by_client = format!("budget = [{}]", "{ deposits = { ratio = 1 } },".repeat(8));
    says(&refusal(&toml(crowd, "kind = 'failures'", &by_client)), "at most 8 GiB");
    let open = "kind = 'open', clients = 1000, rate = 1000";
    let ticks = "kind = 'tick_capacity', tick = '10ms', capacity = 1";
    says(&refusal(&toml(open, ticks, "stop = { attempts = 1 }")), "at most 8 GiB");
    let many = "kind = 'open', clients = 10000000, rate = 0";
    says(&refusal(&toml(many, ticks, "")), "clients times ticks");
    let scenario =
        Scenario::from_toml(&toml("kind = 'burst', clients = 2", "kind = 'failures'", "")).unwrap();
    for threads in [0, 1_025, usize::MAX] {
        let config = RunConfig { threads: Some(threads), ..RunConfig::new(Plan::Seeds(vec![1])) };
        says(&simulate(&scenario, &["p"], &config).unwrap_err().to_string(), "1 to 1024");
    }
}

/// Calls pile up at a worker who is busy for ever.
#[test]
fn what_is_under_way() {
    let open = "kind = 'open', clients = 1, rate = 1000000";
    let message = refusal(&toml(open, "kind = 'workers', workers = 1, work = { constant = '1h' }", ""));
    says(&message, "10000000 attempts under way");
}

/// Whether the curve reaches the cap is looked for over 100,000 retries, and each has 98 large numbers.
#[test]
fn compiling_takes_no_time() {
    let stages = "{ fib = { unit = '1ns' } },".repeat(98);
    let policy =
        format!("delay = [{stages} {{ const = '1ns' }}, {{ cap = '1h' }}]\nstop = {{ at_cap = true }}");
    let begin = std::time::Instant::now();
    assert_eq!(Policy::from_toml(&policy).unwrap().compile(Unit::S).fixed_delays(1, None, 0.0), [1e-9]);
    assert!(begin.elapsed().as_secs() < 10);
}

#[test]
fn designs_of_too_many_bytes() {
    let refused = |design: Design| match (SweepJob { design, metrics: None }).check_shards(1) {
        Err(Error::Core(error)) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let range = |range: &str| {
        let mut design = Design::new("herd", 1);
        design.vary.insert("workload.clients".into(), range.into());
        design
    };
    let step = range("1..2:9223372036854775807");
    assert!((SweepJob { design: step, metrics: None }).check_shards(1).is_ok(), "one point");
    let name = toml::Value::String("x".repeat(100_000));
    let wide = range("1..300").vary("name", vec![name; 300]);
    says(&refused(wide), "at most 1073741824 bytes in all");
    let mut long = range("1..100000");
    let mut table = long.table().unwrap();
    table.insert("about".into(), "x".repeat(100_000).into());
    long.scenario = toml::Value::Table(table);
    says(&refused(long), "at most 1073741824 bytes in all");
}
