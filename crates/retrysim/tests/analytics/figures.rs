//! Every figure of the source documents by one call each, drawn.

use retrysim::{
    Design, Record, RunConfig, Span, bundled, experiment,
    figure::{Figure, Theme},
    picture, simulate, sweep,
};

/// A PNG of the figure's size in which more than one colour occurs, and an SVG with the title.
fn assert_drawn(name: &str, figure: &Figure) {
    for theme in [Theme::Light, Theme::Dark] {
        let png = figure.to_png(1, theme, &[]).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut reader = png::Decoder::new(std::io::Cursor::new(&png)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let paper = &pixels[..3];
        let ink = pixels.chunks(3).filter(|pixel| *pixel != paper).count();
        assert!(ink > 1_000, "{name} is blank");
    }
    assert!(figure.to_svg(Theme::Light).unwrap().contains("<text"), "{name}");
}

#[test]
fn figures_over_time() {
    let herd = bundled::scenario("herd").unwrap();
    let policies = ["exponential", "full", "equal", "decorrelated"];
    let config = RunConfig::seeds([0]).policies(policies);
    let line = simulate(&herd, &config.clone().record(Record::Timeline(Span::from_millis(100)))).unwrap();
    assert_drawn("arrivals", &picture::arrivals(&line, Some(Span::from_secs(15)), "Arrivals").unwrap());
    let attempts = simulate(&herd, &config.record(Record::Attempts)).unwrap();
    assert_drawn("waits", &picture::waits(&attempts, "Waits").unwrap());
    let (totals, budget) = experiment::budget_experiment().unwrap();
    assert_drawn("budget arrivals", &picture::arrivals(&budget, None, "Arrivals").unwrap());
    assert_drawn("tokens", &picture::levels(&budget, "Tokens of one client").unwrap());
    assert!(picture::levels(&totals, "Tokens").is_err(), "nothing was recorded");
}

#[test]
fn figures_over_runs() {
    let herd = bundled::scenario("herd").unwrap();
    let config = RunConfig::runs(60).policies(["full", "equal", "decorrelated"]);
    let runs = simulate(&herd, &config).unwrap();
    assert_drawn("ecdf", &picture::ecdf(&runs, "finish_s", "Finish").unwrap());
    assert_drawn("dots", &picture::dots(&runs, "finish_s", "Finish").unwrap());
    assert_drawn("bars", &picture::bars(&runs, "attempts", "Requests").unwrap());
    let policies = ["full", "decorrelated", "exponential"].map(String::from);
    assert_drawn("fingerprint", &picture::fingerprint(&herd, &policies, 8, "Delays").unwrap());
}

#[test]
fn figures_of_sweeps() {
    let curves = experiment::contention_curves(&[10, 40, 100], 20).unwrap();
    assert_drawn("calls", &picture::curves(&curves, "attempts", "Calls").unwrap());
    assert_drawn("time", &picture::curves(&curves, "finish_s", "Time").unwrap());
    let design = Design::new("herd", 5)
        .policies(["full"])
        .vary("service.capacity", [3, 5])
        .vary("workload.spread", ["0s", "1s"]);
    let grid = sweep(&design).unwrap();
    assert_drawn("heat map", &picture::heat_map(&grid, "finish_s", "full", "Finish").unwrap());
    assert!(picture::curves(&grid, "finish_s", "Finish").is_err(), "two parameters are no curve");
}
