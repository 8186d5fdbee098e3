//! The library for `cargo lab --infer`: cells get it as it is, rust-analyzer gets signatures.
//!
//! evcxr asks rust-analyzer for the type of every `let` without one, and rust-analyzer knows no crate that cargo
//! doesn't. This one it knows, and can read at once: the paths of what follows exist in the library as well.

#[cfg(not(rust_analyzer))]
pub use retrysim_nb::*;

#[cfg(rust_analyzer)]
pub mod prelude {
    pub struct DataFrame;
    pub struct LazyFrame;
    pub struct Design;
    pub struct Error;
    pub struct Estimate { pub value: f64, pub low: f64, pub high: f64 }
    pub struct Figure;
    pub struct Files;
    pub struct Help;
    pub struct Policy;
    pub struct Scenario { pub name: String, pub about: String }
    pub struct Simulation;
    pub struct Span;
    pub struct Sweep { pub points: Vec<Point> }
    pub struct RunConfig;
    pub struct Axis;
    pub struct Catalogue;
    pub struct Measured;
    pub struct Point { pub simulation: Simulation }
    pub enum Crew { Local(u32), Scheduler(String) }
    pub struct Farm { pub crew: Crew }
    pub enum Generator { Philox, CPython, Mulberry32 }
    pub enum Record { Totals, Timeline(Span), Attempts }
    pub enum Plan { Seeds(Vec<u64>), Runs { seed: u64, runs: u64 } }

    impl core::fmt::Display for Error {
        fn fmt(&self, _: &mut core::fmt::Formatter<'_>) -> core::fmt::Result { loop {} }
    }
    impl core::str::FromStr for Span {
        type Err = Error;
        fn from_str(_: &str) -> Result<Self, Error> { loop {} }
    }

    pub fn help() -> Help { loop {} }
    pub fn runs(_: u64) -> u64 { loop {} }
    pub fn simulate(_: &Scenario, _: &RunConfig) -> Result<Simulation, Error> { loop {} }
    pub fn sweep(_: &Design) -> Result<Sweep, Error> { loop {} }

    pub fn farm(_: &Farm) -> Result<Sweep, Error> { loop {} }
    pub fn out(_: &str) -> std::path::PathBuf { loop {} }

    impl Farm {
        pub fn new(_: Design, _: impl Into<std::path::PathBuf>) -> Self { loop {} }
    }
    impl Scenario {
        pub fn from_toml(_: &str) -> Result<Self, Error> { loop {} }
        pub fn policy(&self, _: &str) -> Result<&Policy, Error> { loop {} }
    }
    impl Clone for Scenario { fn clone(&self) -> Self { loop {} } }
    impl Clone for Simulation { fn clone(&self) -> Self { loop {} } }
    impl Clone for DataFrame { fn clone(&self) -> Self { loop {} } }
    impl Clone for Policy { fn clone(&self) -> Self { loop {} } }

    impl RunConfig {
        pub fn runs(_: u64) -> Self { loop {} }
        pub fn seeds(_: impl IntoIterator<Item = u64>) -> Self { loop {} }
        pub fn published(_: &Scenario) -> Self { loop {} }
        pub fn plan(_: Plan) -> Self { loop {} }
        pub fn seed(self, _: u64) -> Self { loop {} }
        pub fn policies<S: Into<String>>(self, _: impl IntoIterator<Item = S>) -> Self { loop {} }
        pub fn metrics<S: Into<String>>(self, _: impl IntoIterator<Item = S>) -> Self { loop {} }
        pub fn generator(self, _: Generator) -> Self { loop {} }
        pub fn record(self, _: Record) -> Self { loop {} }
        pub fn threads(self, _: usize) -> Self { loop {} }
    }
    impl Simulation {
        pub fn metric(&self, _: &str, _: &str) -> Result<Vec<f64>, Error> { loop {} }
        pub fn runs_frame(&self) -> Result<DataFrame, Error> { loop {} }
        pub fn attempts_frame(&self) -> Result<DataFrame, Error> { loop {} }
        pub fn timeline_frame(&self) -> Result<DataFrame, Error> { loop {} }
        pub fn summary_frame(&self, _: f64) -> Result<DataFrame, Error> { loop {} }
        pub fn overview_frame(&self, _: &[(&str, &str)], _: f64) -> Result<DataFrame, Error> { loop {} }
        pub fn compare_frame(&self, _: &str, _: f64) -> Result<DataFrame, Error> { loop {} }
    }
    impl Sweep {
        pub fn runs_frame(&self) -> Result<DataFrame, Error> { loop {} }
        pub fn summary_frame(&self, _: f64) -> Result<DataFrame, Error> { loop {} }
    }
    impl Design {
        pub fn new(_: &str, _: u64) -> Self { loop {} }
        pub fn vary<V>(self, _: &str, _: impl IntoIterator<Item = V>) -> Self { loop {} }
        pub fn policies<S: Into<String>>(self, _: impl IntoIterator<Item = S>) -> Self { loop {} }
    }
    impl Catalogue {
        pub fn bundled() -> &'static Self { loop {} }
        pub fn entry(&self, _: &str) -> Result<&catalogue::Entry, Error> { loop {} }
        pub fn policy(&self, _: &str) -> Result<&Policy, Error> { loop {} }
    }
    pub fn measure_policy(_: &str, _: &Policy, _: u32, _: u64, _: u32) -> Result<Measured, Error> { loop {} }
    impl Policy {
        pub fn from_toml(_: &str) -> Result<Self, Error> { loop {} }
        pub fn exponential(_: impl Into<Span>, _: f64) -> Self { loop {} }
        pub fn cap(self, _: impl Into<Span>) -> Self { loop {} }
        pub fn jitter(self, _: f64, _: f64) -> Self { loop {} }
    }
    impl Files {
        pub fn of(_: &str) -> Self { loop {} }
        pub fn table(self, _: &str, _: &DataFrame) -> Result<Self, Error> { loop {} }
        pub fn figure(self, _: &str, _: &Figure) -> Result<Self, Error> { loop {} }
    }
    impl DataFrame {
        pub fn height(&self) -> usize { loop {} }
        pub fn width(&self) -> usize { loop {} }
        pub fn lazy(self) -> LazyFrame { loop {} }
    }
    impl LazyFrame {
        pub fn filter<E>(self, _: E) -> Self { loop {} }
        pub fn select<E>(self, _: E) -> Self { loop {} }
        pub fn collect(self) -> Result<DataFrame, Error> { loop {} }
    }

    pub mod bundled {
        pub fn scenario(_: &str) -> Result<super::Scenario, super::Error> { loop {} }
        pub fn scenario_text(_: &str) -> Result<&'static str, super::Error> { loop {} }
    }
    pub mod frame {
        use super::{DataFrame, Error};
        pub fn facts<S: Into<String>>(_: impl IntoIterator<Item = (S, f64)>) -> Result<DataFrame, Error> { loop {} }
        pub fn stack<S: Into<String>>(_: &str, _: impl IntoIterator<Item = (S, DataFrame)>) -> Result<DataFrame, Error> { loop {} }
        pub fn side_by_side(_: &[super::published::Row]) -> Result<DataFrame, Error> { loop {} }
        pub fn verdicts(_: &[super::published::Row]) -> Result<DataFrame, Error> { loop {} }
    }
    pub mod published {
        pub struct Row { pub id: String, pub published: String, pub reproduced: String }
        pub struct Listed<'a> { pub id: &'a str, pub source: &'a str, pub document: &'a str }
        pub fn reproduce(_: impl Fn(Listed<'_>) -> bool) -> Result<Vec<Row>, super::Error> { loop {} }
    }
    pub mod experiment {
        pub struct SixClients { pub simulation: super::Simulation, pub median: super::Estimate, pub all_six: super::Estimate }
        pub fn median_of_runs(_: u64) -> Result<SixClients, super::Error> { loop {} }
        pub fn retry_after_devices() -> Result<super::Simulation, super::Error> { loop {} }
        pub fn budget_experiment() -> Result<(super::Simulation, super::Simulation), super::Error> { loop {} }
        pub fn contention_curves(_: &[u32], _: u64) -> Result<super::Sweep, super::Error> { loop {} }
    }
    pub mod picture {
        use super::{Error, Figure, Scenario, Simulation, Span, Sweep};
        pub fn arrivals(_: &Simulation, _: Option<Span>, _: &str) -> Result<Figure, Error> { loop {} }
        pub fn waits(_: &Simulation, _: &str) -> Result<Figure, Error> { loop {} }
        pub fn levels(_: &Simulation, _: &str) -> Result<Figure, Error> { loop {} }
        pub fn ecdf(_: &Simulation, _: &str, _: &str) -> Result<Figure, Error> { loop {} }
        pub fn dots(_: &Simulation, _: &str, _: &str) -> Result<Figure, Error> { loop {} }
        pub fn bars(_: &Simulation, _: &str, _: &str) -> Result<Figure, Error> { loop {} }
        pub fn curves(_: &Sweep, _: &str, _: &str) -> Result<Figure, Error> { loop {} }
        pub fn heat_map(_: &Sweep, _: &str, _: &str, _: &str) -> Result<Figure, Error> { loop {} }
        pub fn relative(_: &[(&str, &Simulation, &str)], _: &[&str], _: &str, _: &str) -> Result<Figure, Error> { loop {} }
        pub fn fingerprint(_: &Scenario, _: &[String], _: u32, _: &str) -> Result<Figure, Error> { loop {} }
        pub fn fingerprint_of(_: &[(String, super::Policy)], _: u32, _: &str) -> Figure { loop {} }
    }
    pub mod catalogue {
        use super::{DataFrame, Error};
        pub struct Entry { pub id: String, pub about: String, pub policy: super::Policy }
        pub fn frame(_: &[&Entry]) -> Result<DataFrame, Error> { loop {} }
    }
    pub mod delays {
        use super::{DataFrame, Error, Policy, Span};
        pub fn after_hints(_: &[(String, Policy)], _: &[Span], _: f64) -> Result<DataFrame, Error> { loop {} }
    }
}
