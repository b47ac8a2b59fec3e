//! Origin of the costs of a run: each figure that was used, with its source.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_work::Operation;

use crate::RunOutcome;

/// A figure that costs were taken from.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FigureRow {
    /// The board, and its hardware security module if that did it.
    pub board: String,
    /// Kind of operation.
    pub operation: &'static str,
    /// Its algorithm or frame format.
    pub algorithm: &'static str,
    /// Number of jobs, on all ECUs with this board.
    pub jobs: u64,
    /// Mean duration, pre-emption not counted.
    pub mean_us: f64,
    /// Source of the figure: a paper's table, a measurement, a scaling rule, an assumption.
    pub origin: String,
}

pub(super) fn rows(outcome: &RunOutcome) -> Vec<FigureRow> {
    // A board may have a figure for one length of message and another for all others, of another
    // origin: each is a row.
    let mut rows: BTreeMap<(String, &str, &str, String), FigureRow> = BTreeMap::new();
    let mut busy: BTreeMap<(String, &str, &str, String), u64> = BTreeMap::new();
    let by_ecu = outcome.boards.iter().zip(&outcome.measure.work);
    let all = by_ecu.flat_map(|(board, work)| work.iter().map(move |work| (board, work)));
    for (board, (&(on_module, kind, algorithm, bytes), &(jobs, picos))) in all {
        let operation = Operation::new(kind, algorithm, bytes);
        let module = board.security_module().filter(|_| on_module);
        let name = module.map_or(board.name().to_owned(), |module| {
            format!("{}: {}", board.name(), module.name())
        });
        let computing = module.and_then(|module| module.cost(&operation));
        let origin = computing.map_or_else(|| board.cost(&operation), Ok);
        let origin = origin.map_or_else(
            |missing| missing.to_string(),
            |cost| cost.provenance.to_string(),
        );
        let (kind, algorithm) = (kind.name(), algorithm.name());
        let key = (name.clone(), kind, algorithm, origin.clone());
        *busy.entry(key.clone()).or_default() += picos;
        let row = rows.entry(key).or_insert_with(|| FigureRow {
            board: name,
            operation: kind,
            algorithm,
            jobs: 0,
            mean_us: 0.0,
            origin,
        });
        row.jobs += jobs;
    }
    rows.into_iter()
        .map(|(key, row)| FigureRow {
            mean_us: busy[&key] as f64 * 1e-6 / row.jobs.max(1) as f64,
            ..row
        })
        .collect()
}
