//! What is refused, and what must not panic.

use super::test_figures::cost;
use super::*;

#[test]
fn nothing_to_draw_is_refused() {
    let empty = curves("t", Axis::linear("x", ""), Axis::linear("y", ""), vec![]);
    assert!(matches!(empty.to_svg(Theme::Light), Err(Error::Empty { .. })));
    let empty = curves("t", Axis::linear("x", ""), Axis::linear("y", ""), vec![Curve::line("full", vec![])]);
    assert_eq!(
        empty.to_svg(Theme::Light).unwrap_err().to_string(),
        "line `full` is empty: a figure needs at least one value there"
    );
    let none: [Figure; 4] = [
        bars("t", Axis::linear("x", ""), &[]),
        ecdf("t", Axis::linear("x", ""), 0.95, &[Sample { name: "full".into(), values: vec![] }]),
        quantile_dots("t", Axis::linear("x", ""), 20, &[]),
        fingerprint("t", Axis::linear("x", "s"), &[]),
    ];
    for figure in none {
        assert!(matches!(figure.to_png(1, Theme::Light, &[]), Err(Error::Empty { .. })));
    }
}

#[test]
fn numbers_without_a_place_are_refused() {
    let with = |y: f64, axis: Axis| {
        curves("t", Axis::linear("x", ""), axis, vec![Curve::line("full", vec![(1.0, 1.0), (2.0, y)])])
    };
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let refused = with(bad, Axis::linear("y", "")).to_svg(Theme::Light);
        assert!(matches!(refused, Err(Error::NonFinite { index: 1, .. })));
    }
    let refused = with(0.0, Axis::log("y", "")).to_svg(Theme::Light);
    assert!(matches!(refused, Err(Error::NotPositive { index: 1, .. })));
    let refused = with(1.0, Axis::linear("y", "").between(2.0, 2.0)).to_svg(Theme::Light);
    assert!(matches!(refused, Err(Error::Range { .. })));
    assert!(matches!(cost().to_png(5, Theme::Light, &[]), Err(Error::Magnification(5))));
    assert!(matches!(cost().size(10, 10).to_svg(Theme::Light), Err(Error::Size { .. })));
}

#[test]
fn ragged_matrices_are_refused() {
    let sweep = Sweep {
        x: ("base".into(), "s".into()),
        y: ("cap".into(), "s".into()),
        xs: vec![1.0, 2.0],
        ys: vec![1.0, 2.0],
        z: vec![vec![1.0, 2.0], vec![1.0]],
        measure: "calls".into(),
        scale: Scale::Linear,
    };
    assert!(matches!(
        heat_map("t", &sweep).to_svg(Theme::Light),
        Err(Error::Shape { found: 1, expected: 2, .. })
    ));
}

#[test]
fn extreme_values_are_drawn_without_panic() {
    let x = || Axis::linear("x", "");
    for points in [
        vec![(0.0, 0.0)],
        vec![(0.0, 1e300), (1.0, -1e300)],
        vec![(5.0, 5.0), (5.0, 5.0)],
        vec![(0.0, 1e-300), (1e-300, 0.0)],
        vec![(1e15, 1.0), (1e15 + 1.0, 2.0)],
    ] {
        let figure = curves("t", x(), x(), vec![Curve::line("full", points.clone())]);
        assert!(figure.to_png(1, Theme::Light, &[]).is_ok(), "{points:?}");
    }
    let figure = curves(
        "t",
        Axis::log("x", ""),
        Axis::log("y", ""),
        vec![Curve::line("full", vec![(1e-300, 1e300), (1.0, 1.0)])],
    );
    assert!(figure.to_png(1, Theme::Light, &[]).is_ok());
    let zoomed = curves(
        "t",
        x().between(0.4, 0.5),
        x().between(0.0, 1e-9),
        vec![Curve::line("full", vec![(0.0, 0.0), (1.0, 1e9)])],
    );
    assert!(zoomed.to_png(1, Theme::Light, &[]).is_ok());
}
