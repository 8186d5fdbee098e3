//! Random policies and scenarios that are valid, extremes included.

mod slots;
pub mod workers;

use indexmap::IndexMap;
use proptest::{collection::vec, option, prelude::*};
use retrysim_core::{
    Generator, Policy, Scenario, Seeds, Span, Unit,
    latency::Latency,
    policy::{
        breaker::Breaker,
        budget::{Bucket, Budget, Credit, Debit, Gate, Gates, Rule, Scope, Window},
        class::{ByClass, Class, Override},
        hint::{Combine, Hint, Over, Then},
        limiter::Limiter,
        stage::{
            Bound, Doublings, Exp, Fib, Linear, OnlyN, PollyV2, Poly, Prev, Quantum, Round, Special, Stage,
            Uniform,
        },
        state::{Anchor, From},
        stop::{Check, Stop},
    },
    scenario::{Burst, Open, Probe, Workload},
    service::{
        Admission, AnswersAt, Contention, Crash, Failures, Layers, Outage, Overload, Response, Service,
        TickCapacity, WindowCapacity,
    },
};

use self::slots::{breaker, concurrency, deposits, limiter, sre, state};

/// Whole milliseconds in a range.
pub fn ms(range: std::ops::Range<i64>) -> impl Strategy<Value = Span> + Clone {
    range.prop_map(Span::from_millis)
}

/// Any length: mostly everyday ones, sometimes nothing, nanoseconds or centuries.
pub fn span() -> impl Strategy<Value = Span> + Clone {
    prop_oneof![
        6 => ms(0..20_000),
        1 => Just(Span::ZERO),
        2 => (1_i64..5_000_000_000).prop_map(Span::from_nanos),
        1 => (1_i64..=i64::MAX).prop_map(Span::from_nanos),
    ]
}

/// Any factor: mostly everyday ones, sometimes nothing or enormous.
pub fn factor() -> impl Strategy<Value = f64> + Clone {
    prop_oneof![6 => 0.0..4.0_f64, 1 => Just(0.0), 1 => Just(2.0), 1 => 0.0..1e6_f64, 1 => Just(f64::MAX)]
}

fn source() -> BoxedStrategy<Stage> {
    prop_oneof![
        (span(), factor(), prop_oneof![Just(0.0), -3.0..3.0_f64], -2_000_i64..2_000).prop_map(
            |(base, factor, shift, offset)| {
                Stage::Exp(Exp { base, factor, shift, offset: Span::from_millis(offset) })
            }
        ),
        span().prop_map(Stage::Const),
        (span(), span()).prop_map(|(base, step)| Stage::Linear(Linear { base, step })),
        (0.0..100.0_f64, span(), span()).prop_map(|(power, offset, unit)| Stage::Poly(Poly {
            power,
            offset,
            unit
        })),
        span().prop_map(|unit| Stage::Fib(Fib { unit })),
        vec(span(), 1..6).prop_map(Stage::List),
        (span(), prop_oneof![0_u32..20, Just(u32::MAX)])
            .prop_map(|(base, max_doublings)| Stage::Doublings(Doublings { base, max_doublings })),
        (span(), factor(), any::<bool>()).prop_map(|(first, factor, pow_n)| Stage::Prev(Prev {
            first,
            factor,
            pow_n
        })),
        span().prop_map(|base| Stage::PollyV2(PollyV2 { base })),
    ]
    .boxed()
}

fn bound() -> impl Strategy<Value = Bound> {
    (span(), factor(), factor(), span(), option::of(span())).prop_map(|(abs, v, prev, n, max)| Bound {
        abs,
        v,
        prev,
        n,
        max,
    })
}

fn transform() -> BoxedStrategy<Stage> {
    prop_oneof![
        span().prop_map(Stage::Cap),
        span().prop_map(Stage::Floor),
        factor().prop_map(Stage::Scale),
        (factor(), factor()).prop_map(|(lo, hi)| Stage::Jitter([lo, hi])),
        (span(), span()).prop_map(|(lo, hi)| Stage::Add([lo, hi])),
        (bound(), bound(), option::of(1_u32..20)).prop_map(|(lo, hi, steps)| Stage::Uniform(Uniform {
            lo,
            hi,
            steps
        })),
        span().prop_map(Stage::Latch),
        (1_i64..2_000_000_000, prop_oneof![Just(Round::Floor), Just(Round::Ceil), Just(Round::Round)])
            .prop_map(|(unit, round)| Stage::Quantum(Quantum { unit: Span::from_nanos(unit), round })),
        vec(span(), 1..4).prop_map(Stage::Head),
        (factor(), factor()).prop_map(|(lo, hi)| Stage::Special(Special::SplitSeconds([lo, hi]))),
        Just(Stage::Special(Special::Exponential)),
        Just(Stage::Special(Special::Backo2Half)),
        Just(Stage::Special(Special::RustExponentialBackoff30)),
    ]
    .boxed()
}

/// Stages in any order that begins with one that makes a value.
pub fn stages() -> BoxedStrategy<Vec<Stage>> {
    let inner = prop_oneof![4 => transform(), 1 => source()];
    let only =
        (1_u32..80, vec(inner.clone(), 0..3)).prop_map(|(from, stages)| Stage::OnlyN(OnlyN { from, stages }));
    (source(), vec(prop_oneof![6 => inner, 1 => only], 0..5))
        .prop_map(|(first, rest)| std::iter::once(first).chain(rest).collect())
        .boxed()
}

pub fn bucket() -> impl Strategy<Value = Bucket> {
    let credit = [0.0..1.5_f64, 0.0..1.5, 0.0..1.5, 0.0..1.5].prop_map(
        |[request, first_success, retried_success, success]| Credit {
            request,
            first_success,
            retried_success,
            success,
            ..Credit::default()
        },
    );
    let gate = prop_oneof![Just(Gate::Cost), Just(Gate::AboveHalf)];
    let debit = prop_oneof![Just(Debit::OnRetry), Just(Debit::OnFailure)];
    (
        prop_oneof![Just(0.0), 0.0..30.0_f64],
        option::of(0.0..=1.0_f64),
        gate,
        debit,
        0.0..5.0_f64,
        credit,
        scope(),
    )
        .prop_map(|(size, share, gate, debit, cost, credit, scope)| Bucket {
            size,
            start: share.map(|share| share * size),
            gate,
            debit,
            cost: cost.into(),
            credit,
            scope,
        })
}

pub fn scope() -> impl Strategy<Value = Scope> {
    prop_oneof![Just(Scope::Call), Just(Scope::Client), Just(Scope::Process), Just(Scope::Fleet)]
}

fn budget() -> impl Strategy<Value = Budget> {
    let window = (0.0..1.0_f64, ms(1..3_000), prop_oneof![Just(Rule::AtMost), Just(Rule::Below)], scope())
        .prop_map(|(ratio, window, rule, scope)| Budget::Window(Window { ratio, window, rule, scope }));
    prop_oneof![2 => bucket().prop_map(Budget::Bucket), 2 => window, 1 => deposits(), 1 => concurrency(), 1 => sre(Just(Gates::Retries))]
}

/// A limiter, a breaker and a throttle that act on first attempts, for services that have a place for them.
pub fn gates() -> impl Strategy<Value = (Option<Limiter>, Option<Breaker>, Option<Budget>)> {
    (option::of(limiter()), option::of(breaker()), option::of(sre(Just(Gates::EverySend))))
}

pub fn by_class() -> impl Strategy<Value = ByClass> {
    let other = (option::of(any::<bool>()), option::of(stages()), option::of(stop()), option::of(hint()))
        .prop_map(|(retry, delay, stop, hint)| Override { retry, delay, stop, hint })
        .boxed();
    (option::of(other.clone()), option::of(other.clone()), option::of(other))
        .prop_map(|(throttle, timeout, error)| ByClass { throttle, timeout, error })
}

pub(super) fn hint() -> impl Strategy<Value = Hint> {
    let combine = prop_oneof![
        Just(Combine::Ignore),
        Just(Combine::Replace),
        Just(Combine::Floor),
        Just(Combine::FloorBeforeJitter),
        (ms(0..3_000), ms(0..3_000))
            .prop_map(|(lo, more)| { Combine::Clamp([lo, Span::from_nanos(lo.nanos() + more.nanos())]) }),
        (0.0..3.0_f64, 0.0..3.0_f64).prop_map(|(lo, hi)| Combine::Uniform([lo, hi])),
    ];
    let then = prop_oneof![Just(Then::Clamp), Just(Then::Ignore), Just(Then::Stop)];
    let over = option::of((span(), then).prop_map(|(limit, then)| Over { limit, then }));
    let after = option::of(Just(vec![Class::Throttle]));
    (combine, over, after, any::<[bool; 3]>()).prop_map(
        |(combine, over, after, [ignores_zero, required, resets_backoff])| Hint {
            over,
            after,
            ignores_zero,
            required,
            resets_backoff,
            ..Hint::new(combine)
        },
    )
}

/// Stop rules with at most six attempts.
pub(super) fn stop() -> impl Strategy<Value = Stop> {
    let check = prop_oneof![Just(Check::Before), Just(Check::WouldExceed), Just(Check::Clip)];
    (1_u32..=6, any::<bool>(), option::of((span(), option::of(check))), option::of(span())).prop_map(
        |(attempts, as_retries, elapsed, deadline)| Stop {
            attempts: (!as_retries).then_some(attempts),
            retries: as_retries.then_some(attempts - 1),
            elapsed: elapsed.map(|(elapsed, _)| elapsed),
            check: elapsed.and_then(|(_, check)| check),
            deadline,
            ..Stop::default()
        },
    )
}

/// A policy that stops.
pub fn policy() -> impl Strategy<Value = Policy> {
    let plain =
        (prop_oneof![9 => stages(), 1 => Just(Vec::new())], stop(), option::of(hint()), vec(budget(), 0..3))
            .prop_map(|(delay, stop, hint, budget)| Policy { delay, stop, hint, budget, ..Policy::default() })
            .boxed();
    let from = prop_oneof![Just(From::Failure), Just(From::AttemptStart)];
    let rich = (plain.clone(), from, state(), by_class()).prop_map(|(policy, from, state, on)| Policy {
        anchor: Anchor { from, min_timeout: None },
        state,
        on,
        ..policy
    });
    prop_oneof![2 => plain, 1 => rich]
}

pub fn outages() -> impl Strategy<Value = Vec<Outage>> {
    vec((ms(0..2_000), ms(0..2_000)), 0..3).prop_map(|lengths| {
        let mut now = 0;
        let mut after = |span: Span| {
            now += span.nanos();
            Span::from_nanos(now)
        };
        lengths.into_iter().map(|(up, down)| Outage { from: after(up), until: after(down) }).collect()
    })
}

/// Services of the kinds that exist, small.
pub fn service() -> BoxedStrategy<Service> {
    let crash = (1_i64..20, 0_u32..60, ms(0..1_000));
    let tick = (1_i64..200, 0_u32..20, any::<[bool; 2]>(), outages(), option::of(crash), option::of(span()))
        .prop_map(|(tick, capacity, [random, at_end], outages, crash, retry_after)| {
            Service::TickCapacity(TickCapacity {
                tick: Span::from_millis(tick),
                capacity,
                admission: if random { Admission::Random } else { Admission::InOrder },
                answers_at: if at_end { AnswersAt::TickEnd } else { AnswersAt::TickStart },
                outages,
                crash: crash.map(|(ticks, limit, downtime)| Crash {
                    window: Span::from_millis(ticks * tick),
                    limit,
                    downtime,
                }),
                retry_after,
            })
        });
    let window = (ms(1..500), 0_u32..20, outages(), option::of(span())).prop_map(
        |(window, capacity, outages, retry_after)| {
            Service::WindowCapacity(WindowCapacity { window, capacity, outages, retry_after })
        },
    );
    let response = prop_oneof![
        Just(Response::Ok),
        Just(Response::Error),
        Just(Response::Throttle),
        Just(Response::Timeout),
        Just(Response::Rejected)
    ];
    let failures = (0.0..=1.0_f64, span(), vec(vec(response, 1..4), 0..3), option::of(span())).prop_map(
        |(probability, call, script, retry_after)| {
            Service::Failures(Failures { probability, call, script, retry_after })
        },
    );
    prop_oneof![
        2 => tick,
        1 => window,
        1 => (0_u32..10, ms(1..300)).prop_map(|(capacity, call)| Service::Overload(Overload { capacity, call })),
        1 => latency().prop_map(|network| Service::Contention(Contention { network })),
        1 => failures,
        1 => layers().prop_map(Service::Layers),
    ]
    .boxed()
}

fn layers() -> impl Strategy<Value = Layers> {
    (1_usize..=3, 0.0..=1.0_f64, ms(0..80), option::of(ms(1..300)), any::<bool>()).prop_map(
        |(tiers, probability, call, timeout, propagates_deadline)| {
            let tiers = (0..tiers).map(|tier| format!("tier{tier}")).collect();
            Layers { call, timeout, propagates_deadline, ..Layers::new(tiers, probability) }
        },
    )
}

pub fn latency() -> impl Strategy<Value = Latency> {
    prop_oneof![
        span().prop_map(Latency::Constant),
        (ms(0..50), ms(50..90)).prop_map(|ends| Latency::Uniform(ends.into())),
        (span(), ms(0..50)).prop_map(|(mean, sd)| Latency::Normal { mean, sd }),
        span().prop_map(|mean| Latency::Exponential { mean }),
        (span(), 0.0..20.0_f64).prop_map(|(median, sigma)| Latency::LogNormal { median, sigma }),
    ]
}

fn seeds() -> impl Strategy<Value = Seeds> {
    prop_oneof![
        (0..u64::MAX / 4, 0_u64..5).prop_map(|(from, more)| Seeds((from..=from + more).collect())),
        vec(0..u64::MAX / 4, 1..4).prop_map(Seeds),
    ]
}

/// A small scenario of any kind with one to three policies.
pub fn scenario() -> impl Strategy<Value = Scenario> {
    let setting =
        (1_u32..25, ms(0..1_500), option::of(0.0..20.0_f64), ms(1..6_000), 0_usize..3, any::<[bool; 2]>());
    let policies = vec((policy(), gates()), 1..4);
    let others = (setting, service(), policies, seeds(), 1_u32..4);
    let others = others.prop_map(|(setting, service, policies, seeds, processes)| {
        let (clients, spread, rate, horizon, generator, [in_ms, probed]) = setting;
        let workload = match (rate, &service) {
            (Some(rate), Service::TickCapacity(_)) => Workload::Open(Open::new(clients, rate)),
            _ => {
                let processes = processes.min(clients);
                Workload::Burst(Burst { processes, ..Burst::new(clients, spread) })
            }
        };
        let policies = policies.into_iter().map(|(plain, (limiter, breaker, sre))| {
            let gated = Policy { limiter, breaker, ..plain.clone() };
            let gated = sre.map_or(gated.clone(), |sre| gated.budget(sre));
            if service.hosts(&gated).is_ok() { gated } else { plain }
        });
        let policies = policies.collect();
        let setting = Setting { horizon, generator: Generator::ALL[generator], in_ms, probed };
        setting.scenario(workload, service, policies, seeds)
    });
    prop_oneof![2 => others, 1 => workers::scenario()]
}

/// What a scenario has beside its parts.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub horizon: Span,
    pub generator: Generator,
    pub in_ms: bool,
    pub probed: bool,
}

impl Setting {
    pub fn scenario(
        self,
        workload: Workload,
        service: Service,
        policies: Vec<Policy>,
        seeds: Seeds,
    ) -> Scenario {
        let Self { horizon, generator, in_ms, probed } = self;
        Scenario {
            name: "random".into(),
            about: "a \"random\" one".into(),
            generator,
            seeds,
            unit: if in_ms { Unit::Ms } else { Unit::S },
            horizon,
            probe: probed.then_some(Probe { client: workload.clients() / 2 }),
            workload,
            service,
            policy: (0..).map(|i| format!("p{i}")).zip(policies).collect::<IndexMap<_, _>>(),
        }
    }
}
