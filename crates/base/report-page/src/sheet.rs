//! Tables of text: all figures of a report, for readers who want the numbers or cannot see plots.

use std::ops::Range;

use crate::escaped::Escaped;
use crate::page::Page;

/// Limit on the rows of a table; the rest is counted.
pub const ROWS_MAX: usize = 2_000;

/// Caption, heads and form of a table.
#[derive(Clone, Debug, Default)]
pub struct Sheet<'a> {
    /// Caption of the table.
    pub caption: &'a str,
    /// The heads of the columns.
    pub headers: &'a [&'a str],
    /// Columns that hold numbers.
    pub numbers: Range<usize>,
    /// True if it is folded until the reader opens it.
    pub folded: bool,
}

impl Page {
    /// Adds a table that scrolls inside its own container if it is wide, and whose first column
    /// stays in view.
    pub fn sheet(&mut self, sheet: &Sheet<'_>, rows: &[Vec<String>]) {
        let Sheet {
            caption,
            headers,
            numbers,
            folded,
        } = sheet;
        let title = Escaped(caption);
        if *folded {
            self.put(format_args!("<details><summary>{title}</summary>\n"));
        }
        self.put(format_args!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{title}\"><table>\n"
        ));
        if !folded {
            self.put(format_args!("<caption>{title}</caption>\n"));
        }
        let class = |column| match numbers.contains(&column) {
            true => " class=\"number\"",
            false => "",
        };
        self.put("<thead><tr>");
        for (column, header) in headers.iter().enumerate() {
            let (class, header) = (class(column), Escaped(header));
            self.put(format_args!("<th scope=\"col\"{class}>{header}</th>"));
        }
        self.put("</tr></thead>\n<tbody>\n");
        for row in rows.iter().take(ROWS_MAX) {
            self.put("<tr>");
            for (column, cell) in row.iter().enumerate() {
                self.put(format_args!("<td{}>{}</td>", class(column), Escaped(cell)));
            }
            self.put("</tr>\n");
        }
        self.put("</tbody></table></div>\n");
        if rows.len() > ROWS_MAX {
            let more = rows.len() - ROWS_MAX;
            self.note(&format!("{more} more rows are left out."));
        }
        if *folded {
            self.put("</details>\n");
        }
    }
}
