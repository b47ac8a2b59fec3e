//! Simulated traffic beside the tables of \[ECQV-CITS\].

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use waywarden_papers::{Cell, ecqv};

use waywarden_command_line::exit::Failure;
use waywarden_command_traffic::traffic::merge::{Merged, by_column};

/// Folder in a folder of simulated traffic that has the traffic of other assumptions.
const VARIANTS: &str = "variants";

/// Puts the runs of a folder beside the paper's figures; those of its folder `variants` beside what
/// differs much.
pub(super) fn cells(folder: &Path) -> Result<Vec<Cell>, Failure> {
    let columns = by_column(folder)?;
    let mut variants = Vec::new();
    for path in folders(&folder.join(VARIANTS))? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        variants.push(ecqv::EcqvVariant {
            name: name.replace('-', " "),
            traffic: figures(by_column(&path)?),
        });
    }
    let study = ecqv::EcqvStudy::load().map_err(Failure::new)?;
    let cells = study.simulated(&*figures(columns), &variants);
    cells.map_err(Failure::new)
}

/// Returns the folders in a folder by their names; none if it is not there.
fn folders(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let wrong = |error: io::Error| Failure::file(folder.display(), &error);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        if path.is_dir() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn figures(columns: BTreeMap<String, Vec<Merged>>) -> Box<ecqv::SimulatedTraffic<'static>> {
    Box::new(move |column, figure| {
        let all = columns.get(column)?;
        let found = all.iter().find(|one| one.figure == figure)?;
        Some(ecqv::Simulated {
            mean: found.mean,
            confidence_95: found.confidence_95,
            runs: found.runs,
        })
    })
}
