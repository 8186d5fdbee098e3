use retrysim_core::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let s = Scenario::from_toml(&std::fs::read_to_string(&a[1]).unwrap()).unwrap_or_else(|e| panic!("{e}"));
    let names: Vec<String> = s.policy.keys().cloned().collect();
    let plan = match a.get(2) { Some(n) => Plan::Runs { seed: 0, runs: n.parse().unwrap() }, None => Plan::Seeds(s.seeds.0.clone()) };
    let t = std::time::Instant::now();
    let runs = simulate(&s, &names, &RunConfig::new(plan)).unwrap_or_else(|e| panic!("{e}"));
    eprintln!("{:?}", t.elapsed());
    for name in &names {
        print!("{name}: ");
        for c in &runs.columns {
            let v = runs.column(name, &c.name).unwrap();
            let (m, sd, n) = stats::mean_sd(&v);
            let so = stats::sorted(&v);
            if n>0 { print!("{}={:.4}±{:.3} [{:.3},{:.3},{:.3}] n{n}; ", c.name, m, sd, so[0], stats::quantile_lower(&so,0.5), so[so.len()-1]); }
        }
        println!();
    }
}
