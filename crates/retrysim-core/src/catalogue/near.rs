//! Names that somebody may have meant.

/// How alike two names must be, from 0 to 1.
const ALIKE: f64 = 0.75;

/// Names at the most.
const FEW: usize = 3;

/// The names most like `name`, the likest first; perhaps none.
fn few<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let likeness = |other: &str| {
        if !name.is_empty() && other.contains(name) { 1.0 } else { strsim::jaro_winkler(name, other) }
    };
    let mut alike: Vec<_> = known.map(|other| (likeness(other), other)).collect();
    alike.retain(|(likeness, _)| *likeness >= ALIKE);
    alike.sort_by(|a, b| b.0.total_cmp(&a.0));
    alike.into_iter().take(FEW).map(|(_, name)| name).collect()
}

/// Some names, and how many there are beside them.
pub(super) fn and_more<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let mut some = few(name, known.clone());
    if some.is_empty() {
        some = known.clone().take(FEW).collect();
    }
    let more = known.count() - some.len();
    let some = some.join(", ");
    if more == 0 { some } else { format!("{some} and {more} more") }
}

/// `; did you mean "a" or "b"?`, or nothing.
pub(super) fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    match few(name, known).as_slice() {
        [] => String::new(),
        [one] => format!("; did you mean {one:?}?"),
        [some @ .., last] => {
            let some: Vec<_> = some.iter().map(|name| format!("{name:?}")).collect();
            format!("; did you mean {} or {last:?}?", some.join(", "))
        }
    }
}
