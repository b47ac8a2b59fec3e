//! A paper's cells and plots as one HTML page that asks nothing of the network.

use std::fmt::Write;

use crate::amount::short;
use crate::plot::Escaped;
use crate::{Cell, Class, Paper, Plot, Table, Verdict, totals};

/// Writes the page: a summary, the figures drawn anew, and a table a place.
#[must_use]
pub fn page(paper: &Paper, cells: &[Cell], plots: &[Plot]) -> String {
    let mut page = String::new();
    // Writing into memory has no way to fail.
    let _ = write(&mut page, paper, cells, plots);
    page
}

fn write(page: &mut String, paper: &Paper, cells: &[Cell], plots: &[Plot]) -> std::fmt::Result {
    let key = paper.key.to_uppercase();
    let title = Escaped(paper.title);
    writeln!(
        page,
        concat!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n",
            "<meta http-equiv=\"Content-Security-Policy\" ",
            "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\" />\n",
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n",
            "<link rel=\"icon\" href=\"data:,\" />\n",
            "<title>{key}: theirs and ours</title>\n<style>\n{style}</style>\n</head>\n<body>\n",
            "<main>\n<h1>{title}</h1>"
        ),
        key = key,
        style = include_str!("page.css"),
        title = title,
    )?;
    writeln!(
        page,
        "<p class=\"note\">{} numbers of {key} and ours. Only what a formula or a simulation of \
         ours gives can agree; a difference within the last printed digit is rounding.</p>",
        cells.len(),
    )?;
    summary(page, cells)?;
    writeln!(page, "<h2>Figures</h2>\n<div class=\"grid\">")?;
    for plot in plots {
        writeln!(
            page,
            "<figure>\n<figcaption><b>{}</b> {}</figcaption>\n{}</figure>",
            Escaped(plot.place),
            Escaped(plot.title),
            plot.svg,
        )?;
    }
    writeln!(page, "</div>")?;
    let (alone, tables) = paper.tables(cells);
    for group in alone.chunk_by(|a, b| a.place == b.place) {
        table(page, group)?;
    }
    for table in &tables {
        pivoted(page, table)?;
    }
    writeln!(page, "</main>\n</body>\n</html>")
}

/// The verdicts by class.
fn summary(page: &mut String, cells: &[Cell]) -> std::fmt::Result {
    write!(page, "<div class=\"scroll\"><table>\n<tr><th>class</th>")?;
    for verdict in Verdict::ALL {
        write!(page, "<th>{verdict}</th>")?;
    }
    writeln!(page, "</tr>")?;
    for total in totals(cells) {
        write!(page, "<tr><td>{}</td>", total.name())?;
        for count in total.counts {
            write!(page, "<td class=\"number\">{count}</td>")?;
        }
        writeln!(page, "</tr>")?;
    }
    writeln!(page, "</table></div>")
}

fn table(page: &mut String, cells: &[&Cell]) -> std::fmt::Result {
    let place = cells.first().map_or("", |cell| cell.place.as_str());
    writeln!(
        page,
        "<h2>{}</h2>\n<div class=\"scroll\"><table>\n<tr><th>cell</th><th>unit</th>\
         <th>paper</th><th>formula</th><th>measured</th><th>verdict</th><th>class</th>\
         <th>why</th></tr>",
        Escaped(place)
    )?;
    let number = |number: Option<f64>| number.map_or(String::new(), short);
    for cell in cells {
        writeln!(
            page,
            "<tr><td>{}</td><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td><td class=\"{}\">{}</td><td>{}</td><td>{}</td></tr>",
            Escaped(&cell.cell),
            cell.unit.name(),
            cell.paper.map_or(String::new(), |paper| paper.to_string()),
            number(cell.formula),
            number(cell.measured),
            cell.verdict.name(),
            cell.verdict,
            cell.class.map_or("", Class::name),
            Escaped(&cell.why),
        )?;
    }
    writeln!(page, "</table></div>")
}

/// Cells by row and column: what was measured, else what the formula gives; on pointing at it, why.
fn pivoted(page: &mut String, table: &Table<'_>) -> std::fmt::Result {
    write!(
        page,
        "<h2>{}</h2>\n<div class=\"scroll\"><table>\n<tr><th></th>",
        Escaped(table.place)
    )?;
    for column in &table.columns {
        write!(page, "<th>{}</th>", Escaped(column))?;
    }
    writeln!(page, "</tr>")?;
    for (row, cells) in table.rows.iter().zip(&table.cells) {
        write!(page, "<tr><td>{}</td>", Escaped(row))?;
        for cell in cells {
            let number = cell.and_then(|cell| cell.measured.or(cell.formula));
            write!(
                page,
                "<td class=\"number\" title=\"{}\">{}</td>",
                Escaped(cell.map_or("", |cell| cell.why.as_str())),
                number.map_or(String::new(), short),
            )?;
        }
        writeln!(page, "</tr>")?;
    }
    writeln!(page, "</table></div>")
}
