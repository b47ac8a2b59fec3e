//! A paper's cells and plots as one HTML page that asks nothing of the network.

use waywarden_report_page::{Figure, Page, TableCell};

use crate::short;
use crate::table::{LEGEND, entry};
use crate::{Assumptions, Cell, CellVerdict, Class, FigurePlot, Paper, PaperTable, found, totals};

/// Writes the page: a summary, the figures drawn again, and a table a place; `assumed` is what the
/// cells and plots have in place of the paper's assumptions.
#[must_use]
pub fn page(paper: &Paper, cells: &[Cell], plots: &[FigurePlot], assumed: &Assumptions) -> String {
    let key = paper.key.to_uppercase();
    let mut page = Page::new(&format!("{key}: theirs and ours"), paper.subject);
    page.note(&format!(
        "[{key}] {}: {}. {}",
        paper.authors, paper.title, paper.published
    ));
    if !assumed.is_empty() {
        page.note(&assumed.sentence());
    }
    page.note(&format!(
        "{} numbers of {key} and ours. Only what a formula or a simulation of ours gives can \
         agree; a difference within the last printed digit is rounding, unless that digit is more \
         than a tenth of the number.",
        cells.len(),
    ));
    summary(&mut page, cells);
    page.heading("Figures");
    page.figures(plots.iter().map(|plot| Figure {
        name: plot.place,
        caption: plot.title,
        svg: &plot.svg,
    }));
    let (alone, tables) = paper.tables(cells);
    for group in alone.chunk_by(|a, b| a.place == b.place) {
        table(&mut page, group);
    }
    for table in &tables {
        pivoted(&mut page, table);
    }
    page.finish()
}

/// The verdicts by class.
fn summary(page: &mut Page, cells: &[Cell]) {
    let totals = totals(cells);
    let found = found(&totals);
    let verdicts = found.iter().map(ToString::to_string);
    let verdicts: Vec<String> = verdicts.collect();
    let headers = ["class"].into_iter();
    let headers = headers.chain(verdicts.iter().map(String::as_str));
    let rows = totals.iter().map(|total| {
        let counts = found.iter().map(|verdict| total.count(*verdict));
        let counts = counts.map(|count| TableCell::number(count.to_string()));
        [TableCell::words(total.name())]
            .into_iter()
            .chain(counts)
            .collect()
    });
    page.table(headers, rows);
}

fn table(page: &mut Page, cells: &[&Cell]) {
    let place = cells.first().map_or("", |cell| cell.place.as_str());
    page.heading(place);
    let headers = [
        "cell", "unit", "paper", "formula", "measured", "verdict", "class", "why",
    ];
    let number = |number: Option<f64>| TableCell::number(number.map_or(String::new(), short));
    let rows = cells.iter().map(|cell| {
        let paper = cell.paper.map_or(String::new(), |paper| paper.to_string());
        vec![
            TableCell::words(cell.cell.as_str()),
            TableCell::words(cell.unit.name()),
            TableCell::number(paper),
            number(cell.formula),
            number(cell.measured),
            TableCell::of(cell.verdict.to_string(), cell.verdict.name()),
            TableCell::words(cell.class.map_or("", Class::name)),
            TableCell::words(cell.why.as_str()),
        ]
    });
    page.table(headers, rows);
}

/// Cells by row and column: the paper's number and ours; on pointing at them, why.
fn pivoted(page: &mut Page, table: &PaperTable<'_>) {
    page.heading(table.place);
    let is_printed = table.is_printed();
    if is_printed {
        page.note(LEGEND);
    }
    let headers = [""].into_iter();
    let headers = headers.chain(table.columns.iter().map(String::as_str));
    let rows = table.rows.iter().zip(&table.cells).map(|(row, cells)| {
        let each = cells.iter().map(|cell| {
            let text = cell.map_or(String::new(), |cell| entry(cell, is_printed));
            let mut found = match cell.map(|cell| cell.verdict) {
                Some(CellVerdict::Differs) => TableCell::of(text, "number differs"),
                _ => TableCell::number(text),
            };
            found.hint = cell.map_or(String::new(), |cell| cell.why.clone());
            found
        });
        [TableCell::words(row.as_str())]
            .into_iter()
            .chain(each)
            .collect()
    });
    page.table(headers, rows);
}
