//! Columns and frames from iterators.

use polars::prelude::{
    ChunkFull, ChunkFullNull, ChunkedArray, Column, DataFrame, Float64Type, Int64Type, IntoColumn,
    IntoSeries, NamedFrom, NewChunkedArray, PolarsNumericType, Series, StringChunked,
};
use retrysim_core::stats::Estimate;

use crate::error::Error;

/// A text column.
pub(super) fn names<'a>(name: &str, values: impl Iterator<Item = &'a str>) -> Column {
    Series::new(name.into(), values.collect::<Vec<_>>()).into_column()
}

/// A text column of stretches: each of the texts so many times.
pub(super) fn stretches<'a>(
    name: &str,
    mut texts: impl Iterator<Item = &'a str>,
    times: usize,
) -> Result<Column, Error> {
    let first = texts.next().map(|text| StringChunked::full(name.into(), text, times));
    let mut column = first.unwrap_or_else(|| StringChunked::full_null(name.into(), 0));
    for text in texts {
        column.append_owned(StringChunked::full(name.into(), text, times)).map_err(Error::Frame)?;
    }
    Ok(column.rechunk().into_owned().into_column())
}

/// A column of numbers; NaN becomes null.
pub(super) fn floats(name: &str, values: Vec<f64>) -> Column {
    with_nulls::<Float64Type>(name, values, |x| x)
}

/// A column of whole numbers; NaN becomes null.
#[expect(clippy::cast_possible_truncation, reason = "counts are whole and below 2^53")]
pub(super) fn counts(name: &str, values: Vec<f64>) -> Column {
    with_nulls::<Int64Type>(name, values, |x| x as i64)
}

/// Most columns have no null, or nothing else: those are not built value by value.
fn with_nulls<T: PolarsNumericType>(name: &str, values: Vec<f64>, of: impl Fn(f64) -> T::Native) -> Column
where
    ChunkedArray<T>: IntoSeries,
{
    let nulls = values.iter().filter(|x| x.is_nan()).count();
    let column: ChunkedArray<T> = if nulls == 0 {
        ChunkedArray::from_vec(name.into(), values.into_iter().map(of).collect())
    } else if nulls == values.len() {
        ChunkedArray::full_null(name.into(), nulls)
    } else {
        let values = values.into_iter().map(|x| (!x.is_nan()).then(|| of(x)));
        ChunkedArray::from_iter_options(name.into(), values)
    };
    column.into_series().into_column()
}

/// A frame of columns that are equally long.
///
/// ```
/// use retrysim::frame::{Cells, column, of_columns};
///
/// let frame = of_columns(vec![column("x", Cells::Number(vec![1.0, f64::NAN])), column("n", Cells::Whole(vec![1, 2]))])?;
/// assert_eq!(frame.column("x").map(|x| x.null_count()).ok(), Some(1));
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Frame`] if they aren't, or if two have one name.
pub fn of_columns(columns: Vec<Column>) -> Result<DataFrame, Error> {
    DataFrame::new_infer_height(columns).map_err(Error::Frame)
}

/// Frames of the same columns below each other, with a column in front that says which is which.
///
/// ```
/// use retrysim::frame::{Cells, column, of_columns, stack};
///
/// let frame = |x| of_columns(vec![column("x", Cells::Whole(vec![x]))]);
/// let both = stack("world", [("burst", frame(1)?), ("herd", frame(2)?)])?;
/// assert_eq!((both.height(), both.width()), (2, 2));
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// [`Error::Frame`] if their columns differ.
pub fn stack<S: Into<String>>(
    name: &str,
    parts: impl IntoIterator<Item = (S, DataFrame)>,
) -> Result<DataFrame, Error> {
    below_each_other(parts.into_iter().map(|(which, part)| {
        let which = vec![which.into(); part.height()];
        of_columns([&[column(name, Cells::Text(which))], part.columns()].concat())
    }))
}

/// Frames of the same columns below each other.
pub(crate) fn below_each_other(
    parts: impl IntoIterator<Item = Result<DataFrame, Error>>,
) -> Result<DataFrame, Error> {
    let mut stacked: Option<DataFrame> = None;
    for part in parts {
        let part = part?;
        match &mut stacked {
            None => stacked = Some(part),
            Some(stacked) => stacked.vstack_mut(&part).map(drop).map_err(Error::Frame)?,
        }
    }
    Ok(stacked.unwrap_or_default())
}

/// A frame of texts, row by row.
///
/// # Errors
/// [`Error::Frame`] if two columns have one name.
pub fn texts<const N: usize, S: Into<String>>(
    names: [&str; N],
    rows: impl IntoIterator<Item = [S; N]>,
) -> Result<DataFrame, Error> {
    let mut columns = [const { Vec::new() }; N];
    for row in rows {
        columns.iter_mut().zip(row).for_each(|(column, cell)| column.push(cell.into()));
    }
    of_columns(names.iter().zip(columns).map(|(name, cells)| column(name, Cells::Text(cells))).collect())
}

/// Numbers with what they are: a column `what`, a column `value`.
///
/// ```
/// let facts = retrysim::frame::facts([("share below 19", 0.49), ("share up to 19", 0.51)])?;
/// assert_eq!(facts.shape(), (2, 2));
/// # Ok::<(), retrysim::Error>(())
/// ```
///
/// # Errors
/// Never; the columns are of one length.
pub fn facts<S: Into<String>>(rows: impl IntoIterator<Item = (S, f64)>) -> Result<DataFrame, Error> {
    let (what, values) = rows.into_iter().map(|(what, value)| (what.into(), value)).unzip();
    of_columns(vec![column("what", Cells::Text(what)), column("value", Cells::Number(values))])
}

/// Estimates as three columns: `name`, and the ends of the intervals as `name_low` and `name_high`.
#[must_use]
pub fn estimates(name: &str, estimates: &[Estimate]) -> [Column; 3] {
    let part = |end: &str, of: fn(&Estimate) -> f64| {
        column(&format!("{name}{end}"), Cells::Number(estimates.iter().map(of).collect()))
    };
    [part("", |x| x.value), part("_low", |x| x.low), part("_high", |x| x.high)]
}

/// Values of a column under construction.
#[derive(Clone, Debug)]
pub enum Cells {
    /// Text.
    Text(Vec<String>),
    /// Numbers; NaN becomes null.
    Number(Vec<f64>),
    /// Whole numbers.
    Whole(Vec<i64>),
    /// True or false.
    Bool(Vec<bool>),
}

/// A column of cells.
#[must_use]
pub fn column(name: &str, cells: Cells) -> Column {
    match cells {
        Cells::Text(values) => Series::new(name.into(), values).into_column(),
        Cells::Number(values) => floats(name, values),
        Cells::Whole(values) => Series::new(name.into(), values).into_column(),
        Cells::Bool(values) => Series::new(name.into(), values).into_column(),
    }
}
