//! Parts into a sweep, as if one process had made it.

use std::{
    io::{Cursor, ErrorKind},
    panic::{AssertUnwindSafe, catch_unwind},
};

use polars::prelude::{DataFrame, DataType};
use polars_io::{SerReader, parquet::read::ParquetReader};
use retrysim_core::{Plan, Runs, limits::read, record::Column, simulate::columns};

use super::{Survey, part::MAX_PART, part_name};
use crate::{
    error::Error,
    shard::{Shard, plans},
    simulation::{RunConfig, Simulation},
    stamp::is_sealed,
    sweep::{Point, Ready, Sweep},
};

/// Why a part's rows can't be taken.
enum Fault {
    Missing,
    Damaged(String),
}

impl Survey {
    /// The whole sweep, or `None` if parts are missing, damaged or foreign; what is found to be damaged only now is
    /// added to [`Survey::damaged`]. One part at a time is held beside the result.
    ///
    /// # Errors
    /// [`Error::Core`] for a sweep that can't be held.
    pub fn gather(&mut self) -> Result<Option<Sweep>, Error> {
        if !self.is_whole() {
            return Ok(None);
        }
        let ready = self.sweep.ready(self.n)?;
        let (seed, runs) = (ready.design.seed, ready.design.runs);
        let plan = Plan::Runs { seed, runs };
        ready.check_size(&vec![plan.clone(); ready.points.len()])?;
        let mut points = ready
            .points
            .iter()
            .map(|(values, scenario)| {
                let policies = ready.policies(scenario);
                let columns = columns(scenario, ready.metrics.as_deref())?;
                let room = vec![f64::NAN; plan.len() * policies.len() * columns.len()];
                let config = RunConfig { metrics: ready.metrics.clone(), ..RunConfig::plan(plan.clone()) };
                let simulation = Simulation {
                    scenario: scenario.clone(),
                    config: config.policies(policies.clone()),
                    runs: Runs { policies, plan: plan.clone(), columns, values: room },
                    attempts: Vec::new(),
                    timelines: Vec::new(),
                };
                Ok(Point { values: values.clone(), simulation })
            })
            .collect::<Result<Vec<Point>, Error>>()?;
        for k in 0..self.n {
            match self.take(k, &ready, &mut points) {
                Ok(()) => {}
                Err(Fault::Missing) => self.missing.push(k),
                Err(Fault::Damaged(reason)) => self.damaged.push((k, reason)),
            }
        }
        Ok(self.is_whole().then_some(Sweep { design: ready.design, points }))
    }

    /// Puts the rows of part `k` where they belong.
    fn take(&self, k: u32, ready: &Ready, points: &mut [Point]) -> Result<(), Fault> {
        // Into memory first: a file that is cut while it is mapped would end the program.
        let bytes = read(&self.folder.join(part_name(k)), MAX_PART).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Fault::Missing,
            _ => Fault::Damaged(error.to_string()),
        })?;
        if !is_sealed(&bytes) {
            return Err(Fault::Damaged("it has changed since it was looked at".into()));
        }
        let frame = frame(&bytes)?;
        let shard = Shard { k, n: self.n };
        let mut rows = Vec::with_capacity(frame.height());
        for (i, (point, plan)) in points.iter().zip(plans(ready, shard)).enumerate() {
            for policy in 0..point.simulation.runs.policies.len() {
                rows.extend((0..plan.len()).map(|run| (i, policy, plan.key(run).1)));
            }
        }
        check_runs(&frame, &rows)?;
        let Some(metrics) = points.first().map(|point| point.simulation.runs.columns.clone()) else {
            return Ok(());
        };
        for (place, metric) in metrics.iter().enumerate() {
            for ((i, policy, run), value) in rows.iter().zip(numbers(&frame, metric)?) {
                let runs = &mut points[*i].simulation.runs;
                let run = usize::try_from(*run).unwrap_or(usize::MAX);
                runs.values[(policy * runs.plan.len() + run) * metrics.len() + place] = value;
            }
        }
        Ok(())
    }
}

/// The frame in a part. Who seals what no writer of Parquet would write makes its reader panic.
fn frame(bytes: &[u8]) -> Result<DataFrame, Fault> {
    let read = || ParquetReader::new(Cursor::new(bytes)).finish();
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(frame) => frame.map_err(|error| Fault::Damaged(error.to_string().replace('\n', " "))),
        Err(_) => Err(Fault::Damaged("it is sealed, but no Parquet".into())),
    }
}

/// Refuses a frame with other runs than the shard has.
fn check_runs(frame: &DataFrame, rows: &[(usize, usize, u64)]) -> Result<(), Fault> {
    let fits = frame.height() == rows.len()
        && frame
            .column("run")
            .and_then(|column| Ok(column.u64()?.clone()))
            .is_ok_and(|runs| runs.iter().zip(rows).all(|(found, (_, _, run))| found == Some(*run)));
    if fits { Ok(()) } else { Err(Fault::Damaged("its rows are not those of its shard".into())) }
}

/// A metric's values; NaN where there is none.
fn numbers(frame: &DataFrame, metric: &Column) -> Result<Vec<f64>, Fault> {
    let damaged = |error: polars::prelude::PolarsError| Fault::Damaged(error.to_string().replace('\n', " "));
    let column = frame.column(&metric.name).map_err(damaged)?.cast(&DataType::Float64).map_err(damaged)?;
    let values = column.f64().map_err(damaged)?.iter().map(|value| value.unwrap_or(f64::NAN)).collect();
    Ok(values)
}
