//! A table as a notebook shows it: the first and the last rows.

use std::fmt::Write as _;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::values;

/// Number of rows that are shown of each end.
const SHOWN: usize = 5;

/// Columns that are shown; the rest are named.
const COLUMNS_MAX: usize = 20;

/// Returns the table as HTML, without any text of it acting as markup.
pub(super) fn table(
    py: Python<'_>,
    schema: &SchemaRef,
    batches: &[RecordBatch],
    rows: usize,
) -> PyResult<String> {
    let shown = schema.fields().len().min(COLUMNS_MAX);
    let heads = schema.fields().iter().take(shown);
    let mut html = String::from("<table><thead><tr>");
    for field in heads {
        let _ = write!(html, "<th>{}</th>", escaped(field.name()));
    }
    html.push_str("</tr></thead><tbody>");
    let ends = match rows <= 2 * SHOWN {
        true => vec![(0, rows)],
        false => vec![(0, SHOWN), (rows - SHOWN, SHOWN)],
    };
    for (at, (from, count)) in ends.into_iter().enumerate() {
        if at > 0 {
            let _ = write!(html, "<tr><td colspan=\"{shown}\">...</td></tr>");
        }
        append_rows(py, &mut html, (batches, shown), (from, count))?;
    }
    html.push_str("</tbody></table>");
    let left = schema.fields().len() - shown;
    let more = match left {
        0 => String::new(),
        left => format!(", {left} more columns"),
    };
    let _ = write!(html, "<p>{rows} rows{more}</p>");
    Ok(html)
}

fn append_rows(
    py: Python<'_>,
    html: &mut String,
    (batches, shown): (&[RecordBatch], usize),
    (from, count): (usize, usize),
) -> PyResult<()> {
    let mut first = 0;
    for batch in batches {
        let end = first + batch.num_rows();
        let (start, stop) = (from.max(first), (from + count).min(end));
        if start < stop {
            let part = batch.slice(start - first, stop - start);
            let columns: Vec<_> = part.columns().iter().take(shown).collect();
            let lists = columns.iter().map(|array| {
                let list = PyList::empty(py);
                values::append(&list, array).map(|()| list)
            });
            let lists: Vec<_> = lists.collect::<PyResult<_>>()?;
            for row in 0..part.num_rows() {
                html.push_str("<tr>");
                for list in &lists {
                    let value = list.get_item(row)?;
                    let text = match value.is_none() {
                        true => String::new(),
                        false => value.str()?.to_string(),
                    };
                    let _ = write!(html, "<td>{}</td>", escaped(&text));
                }
                html.push_str("</tr>");
            }
        }
        first = end;
    }
    Ok(())
}

/// Returns a text of which nothing acts as markup.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}
