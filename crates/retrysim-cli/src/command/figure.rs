//! `retrysim figure`

use anyhow::{Result, bail};
use retrysim::request::{FigureKind, FigureSpec, Job, Product, Request, SweepJob};

use crate::{
    Answer,
    cli::{FigureArgs, FigureName},
    load, show,
};

pub fn figure(args: &FigureArgs) -> Result<Answer> {
    if !retrysim::export::Format::of(&args.output)?.is_figure() {
        bail!("output = {} is not allowed; allowed: a name that ends in .png or .svg", args.output.display());
    }
    let figure = kind(args.figure);
    let metric = args.what.metrics.first().cloned();
    let is_sweep = matches!(figure, FigureKind::Curves | FigureKind::HeatMap);
    let job = if is_sweep {
        Job::Sweep(Box::new(SweepJob {
            design: load::design(&args.what, &args.vary)?,
            metrics: load::metrics(&args.what),
        }))
    } else {
        Job::Run(Box::new(load::job(&args.what)?))
    };
    let title = args.title.clone().unwrap_or_else(|| plain_title(args, metric.as_deref()));
    let spec = FigureSpec {
        figure,
        title,
        metric,
        bin: args.bin,
        until: args.until,
        retries: args.retries,
        dark: args.dark,
        scale: args.scale,
    };
    let request = Request { job, product: Product::Figure(spec) };
    show::save(request, args.what.threads, &args.output, args.quiet)
}

const fn kind(name: FigureName) -> FigureKind {
    match name {
        FigureName::Arrivals => FigureKind::Arrivals,
        FigureName::Waits => FigureKind::Waits,
        FigureName::Ecdf => FigureKind::Ecdf,
        FigureName::Dots => FigureKind::Dots,
        FigureName::Bars => FigureKind::Bars,
        FigureName::Levels => FigureKind::Levels,
        FigureName::Fingerprint => FigureKind::Fingerprint,
        FigureName::Curves => FigureKind::Curves,
        FigureName::HeatMap => FigureKind::HeatMap,
    }
}

fn plain_title(args: &FigureArgs, metric: Option<&str>) -> String {
    let scenario = args.what.scenario.file_stem().and_then(|stem| stem.to_str()).unwrap_or("scenario");
    let metric = metric.unwrap_or("metric").trim_end_matches("_s").replace('_', " ");
    match args.figure {
        FigureName::Arrivals => format!("Arrivals over time: {scenario}"),
        FigureName::Waits => format!("Waits by retry: {scenario}"),
        FigureName::Ecdf | FigureName::Dots => format!("Distribution of {metric}: {scenario}"),
        FigureName::Bars => format!("Mean {metric}: {scenario}"),
        FigureName::Levels => format!("Tokens of one client: {scenario}"),
        FigureName::Fingerprint => format!("Delays by retry: {scenario}"),
        FigureName::Curves | FigureName::HeatMap => format!("Mean {metric}: {scenario}"),
    }
}
