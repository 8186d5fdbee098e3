//! Time of the kernels, one thread, default generator: an element is a request.

mod cases;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use retrysim_core::{
    Policy, Span, Unit,
    draw::{Draws, Philox, Purpose},
};

fn kernels(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("runs");
    group.sample_size(20);
    for case in cases::all() {
        group.throughput(Throughput::Elements(case.run(case.runs)));
        let id = BenchmarkId::new(&case.name, case.runs);
        group.bench_function(id, |bencher| bencher.iter(|| case.run(case.runs)));
    }
}

/// The twelve delays of a call, a thousand times.
fn delays(criterion: &mut Criterion) {
    let policies = [
        ("exponential", Policy::exponential(Span::from_millis(100), 2.0).cap(Span::from_secs(10))),
        ("full", Policy::exponential(Span::from_millis(100), 2.0).cap(Span::from_secs(10)).jitter(0.0, 1.0)),
        (
            "decorrelated",
            Policy::from_toml(
                "delay = [{ prev = { first = '100ms' } }, { uniform = { lo = { abs = '100ms' }, hi = { prev = 3 } } }, { cap = '10s' }]",
            )
            .expect("a valid policy"),
        ),
        (
            "polly_v2",
            Policy::from_toml("delay = [{ polly_v2 = { base = '100ms' } }, { cap = '10s' }]").expect("a valid policy"),
        ),
    ];
    let mut group = criterion.benchmark_group("delays");
    group.throughput(Throughput::Elements(12_000));
    for (name, policy) in policies {
        let compiled = policy.compile(Unit::S);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut draws = Philox::new(1, 0);
                for call in 0..1_000 {
                    let mut memory = compiled.memory();
                    for n in 1..=12 {
                        let mut stream = draws.at(Purpose::Attempt, call, n);
                        black_box(compiled.delay(n, None, &mut memory, &mut stream));
                    }
                }
            });
        });
    }
}

criterion_group!(benches, kernels, delays);
criterion_main!(benches);
