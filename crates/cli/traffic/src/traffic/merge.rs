//! `waywarden traffic merge`: many seeds in one table.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use waywarden_traffic_lab::Mean;

use super::failed;
use super::kept::{Manifest, SUMMARY};
use super::numbers::gather;
use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema, Listed};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files;
use waywarden_command_line::table::{OutputFormat, Rows};
use waywarden_command_line::terminal::plain;

/// Combine the runs of several seeds into one table: for each figure the mean, and how far the true
/// mean may be from it with a confidence of 95 % (Student's t).
///
/// Takes folders that `waywarden traffic run --out` has written, in any order.
#[derive(Debug, clap::Args)]
pub(crate) struct TrafficMerge {
    /// Folders of the runs.
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// The form of the table.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// A figure over all runs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Merged {
    /// Name of the figure.
    pub figure: String,
    /// Number of runs that have it.
    pub runs: usize,
    /// Mean over the runs.
    pub mean: f64,
    /// Half of the 95 % confidence interval; `None` of one run.
    pub confidence_95: Option<f64>,
    least: f64,
    most: f64,
}

fn merged(figure: String, values: &[f64]) -> Merged {
    let Mean {
        mean,
        confidence_95,
    } = Mean::of(values.iter().copied());
    Merged {
        runs: values.len(),
        mean,
        confidence_95,
        least: values.iter().copied().fold(mean, f64::min),
        most: values.iter().copied().fold(mean, f64::max),
        figure,
    }
}

/// Refuses a run whose options differ from those of the runs before in more than the seed.
fn check_options(folder: &Path, before: &mut Option<(PathBuf, Value)>) -> Result<(), Failure> {
    let Some(manifest) = Manifest::read(folder) else {
        return Ok(());
    };
    let mut options = manifest.options;
    if let Some(options) = options.as_object_mut() {
        options.remove("seed");
    }
    let Some((other, expected)) = before else {
        *before = Some((folder.to_owned(), options));
        return Ok(());
    };
    let names = expected.as_object().into_iter().flatten();
    let differs = names
        .map(|(name, _)| name)
        .find(|name| options.get(name) != expected.get(name));
    match differs {
        None => Ok(()),
        Some(name) => {
            let what = format!(
                "its option {name} differs from that of {}; only runs that differ by their seeds \
                 can be folded",
                other.display()
            );
            Err(failed(folder, &what))
        }
    }
}

/// Folds the runs in folders, by the names of figures.
pub(crate) fn merge(folders: &[PathBuf]) -> Result<Vec<Merged>, Failure> {
    let mut all: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut options = None;
    let mut known = BTreeSet::new();
    for folder in folders {
        let path = folder.join(SUMMARY);
        let summary: Value = serde_json::from_str(&files::text(&path)?)
            .map_err(|error| failed(&path, &error.to_string()))?;
        if !known.insert(fs::canonicalize(folder).ok()) {
            return Err(failed(folder, "given twice; each run counts once"));
        }
        check_options(folder, &mut options)?;
        let mut own = BTreeMap::new();
        gather("", &summary, &mut own);
        if own.is_empty() {
            return Err(failed(
                &path,
                "no figure in it; `waywarden traffic run --out` writes one",
            ));
        }
        for (figure, mut values) in own {
            if values.len() > 1 {
                let what = format!("the figure {figure} stands in it twice");
                return Err(failed(&path, &what));
            }
            all.entry(figure).or_default().append(&mut values);
        }
    }
    let all = all.into_iter();
    let merged = all.map(|(figure, values)| merged(figure, &values));
    Ok(merged.collect())
}

/// Folds all runs of a folder by the beginning of their names: each run is a folder that is named
/// by its column, a hyphen and its seed, such as `grapes-rush-1`.
pub fn by_column(folder: &Path) -> Result<BTreeMap<String, Vec<Merged>>, Failure> {
    let wrong = |error: io::Error| Failure::file(folder.display(), &error);
    let mut columns: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let column = name.and_then(|name| name.rsplit_once('-'));
        if let Some((column, _)) = column.filter(|_| path.join(SUMMARY).is_file()) {
            let column = column.to_owned();
            columns.entry(column).or_default().push(path);
        }
    }
    if columns.is_empty() {
        let what = "no run in it; a run is a folder such as grapes-rush-1, by traffic run --out";
        return Err(failed(folder, what));
    }
    let merged = |(column, folders): (String, Vec<PathBuf>)| Ok((column, merge(&folders)?));
    columns.into_iter().map(merged).collect()
}

const DOCUMENT: DocumentFormat<Listed<Merged>> = DocumentFormat::new(
    "traffic-merge",
    1,
    "waywarden traffic merge DIR --format json",
);

/// The schema of what programs read.
pub(crate) const SCHEMA: DocumentSchema = DOCUMENT.schema();

impl TrafficMerge {
    pub(super) fn execute(&self) -> Result<Answer, Failure> {
        files::refuse_pipes();
        let merged = merge(&self.folders)?;
        let mut out = io::stdout().lock();
        match self.format {
            OutputFormat::Csv => print_csv(&mut out, &merged)?,
            OutputFormat::Json => DOCUMENT.print(&mut out, &Listed::new(merged))?,
            OutputFormat::Table => rows(&merged).print(&mut out)?,
        }
        out.flush()?;
        Ok(Answer::Yes)
    }
}

fn rows(merged: &[Merged]) -> Rows {
    let number = |number: f64| format!("{number:.4}");
    let row = |one: &Merged| {
        vec![
            plain(&one.figure).to_string(),
            one.runs.to_string(),
            number(one.mean),
            one.confidence_95.map_or_else(String::new, number),
            number(one.least),
            number(one.most),
        ]
    };
    Rows {
        headers: vec!["figure", "runs", "mean", "95 % +-", "least", "most"],
        rows: merged.iter().map(row).collect(),
        numbers: 1..6,
    }
}
