//! A page, piece by piece.

use std::fmt::Write as _;

use crate::escaped::Escaped;
use crate::plot::put;

/// A page that is written.
#[derive(Clone, Debug)]
pub struct Page {
    text: String,
}

/// A figure with its caption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure<'a> {
    /// What the caption begins with, in bold.
    pub name: &'a str,
    /// The rest of the caption.
    pub caption: &'a str,
    /// One SVG element.
    pub svg: &'a str,
}

/// A cell of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableCell {
    /// What stands in it.
    pub text: String,
    /// Its class in the style sheet: `number`, `agrees`, `differs`, `better` or `worse`.
    pub class: &'static str,
    /// What is shown on pointing at it.
    pub hint: String,
}

impl TableCell {
    /// A cell with words.
    #[must_use]
    pub fn words(text: impl Into<String>) -> Self {
        Self::of(text, "")
    }

    /// A cell with a number.
    #[must_use]
    pub fn number(text: impl Into<String>) -> Self {
        Self::of(text, "number")
    }

    /// A cell of a class.
    #[must_use]
    pub fn of(text: impl Into<String>, class: &'static str) -> Self {
        Self {
            text: text.into(),
            class,
            hint: String::new(),
        }
    }
}

impl Page {
    /// Begins a page. `title` is that of the window, `heading` the first line.
    #[must_use]
    pub fn new(title: &str, heading: &str) -> Self {
        let mut text = String::new();
        put(
            &mut text,
            format_args!(
                concat!(
                    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n",
                    "<meta http-equiv=\"Content-Security-Policy\" ",
                    "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\" />\n",
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n",
                    "<link rel=\"icon\" href=\"data:,\" />\n",
                    "<title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n",
                    "<main>\n<h1>{heading}</h1>\n"
                ),
                title = Escaped(title),
                style = include_str!("page.css"),
                heading = Escaped(heading),
            ),
        );
        Self { text }
    }

    /// Adds a heading.
    pub fn heading(&mut self, words: &str) {
        put(
            &mut self.text,
            format_args!("<h2>{}</h2>\n", Escaped(words)),
        );
    }

    /// Adds a paragraph.
    pub fn note(&mut self, words: &str) {
        let words = Escaped(words);
        put(
            &mut self.text,
            format_args!("<p class=\"note\">{words}</p>\n"),
        );
    }

    /// Adds figures, side by side where there is room.
    pub fn figures<'a>(&mut self, figures: impl IntoIterator<Item = Figure<'a>>) {
        self.text += "<div class=\"grid\">\n";
        for figure in figures {
            put(
                &mut self.text,
                format_args!(
                    "<figure>\n<figcaption><b>{}</b> {}</figcaption>\n{}</figure>\n",
                    Escaped(figure.name),
                    Escaped(figure.caption),
                    figure.svg,
                ),
            );
        }
        self.text += "</div>\n";
    }

    /// Adds a table.
    pub fn table<'a>(
        &mut self,
        headers: impl IntoIterator<Item = &'a str>,
        rows: impl IntoIterator<Item = Vec<TableCell>>,
    ) {
        self.text += "<div class=\"scroll\"><table>\n<tr>";
        for header in headers {
            put(&mut self.text, format_args!("<th>{}</th>", Escaped(header)));
        }
        self.text += "</tr>\n";
        for row in rows {
            self.text += "<tr>";
            row.iter().for_each(|cell| self.cell(cell));
            self.text += "</tr>\n";
        }
        self.text += "</table></div>\n";
    }

    fn cell(&mut self, cell: &TableCell) {
        self.text += "<td";
        for (name, value) in [("class", cell.class), ("title", &cell.hint)] {
            if !value.is_empty() {
                // Writing into memory has no way to fail.
                let _ = write!(self.text, " {name}=\"{}\"", Escaped(value));
            }
        }
        put(
            &mut self.text,
            format_args!(">{}</td>", Escaped(&cell.text)),
        );
    }

    /// Ends the page.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.text += "</main>\n</body>\n</html>\n";
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_text_of_a_page_is_escaped() {
        let mut page = Page::new("a<b", "\"A\" & B");
        page.note("<script>");
        let mut cell = TableCell::of("<td>", "worse");
        cell.hint = "\" onload=\"".to_owned();
        page.table(["<th>"], [vec![cell]]);
        let text = page.finish();
        assert!(
            !text.contains("<script>") && !text.contains("<td>"),
            "{text}"
        );
        assert!(text.contains("title=\"&quot; onload=&quot;\""), "{text}");
        assert!(text.contains("<h1>&quot;A&quot; &amp; B</h1>"), "{text}");
        assert!(text.ends_with("</html>\n"), "{text}");
    }
}
