//! A page, piece by piece.

use std::fmt::{Display, Write as _};

use crate::escaped::Escaped;
use crate::head::Head;

/// A page that is written.
#[derive(Clone, Debug)]
pub struct Page {
    text: String,
    /// Text that ends it.
    end: String,
    /// Number of plots begun; makes their identifiers.
    plots: usize,
}

/// A figure with its caption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure<'a> {
    /// Beginning of the caption, in bold.
    pub name: &'a str,
    /// The rest of the caption.
    pub caption: &'a str,
    /// One SVG element.
    pub svg: &'a str,
}

/// A cell of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableCell {
    /// Its text.
    pub text: String,
    /// Its class in the style sheet: `number`, `agrees`, `differs`, `better` or `worse`.
    pub class: &'static str,
    /// Text that is shown on pointing at it.
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
        let mut page = Self::begin(&Head {
            title,
            ..Head::default()
        });
        page.put(format_args!("<h1>{}</h1>\n", Escaped(heading)));
        page
    }

    /// Begins a page with this head.
    #[must_use]
    pub fn begin(head: &Head<'_>) -> Self {
        Self {
            text: format!("{head}<body>\n<main>\n"),
            end: format!("</main>\n{}</body>\n</html>\n", head.script()),
            plots: 0,
        }
    }

    /// Adds markup, as it is: text from a file belongs into [`Escaped`].
    pub fn put(&mut self, part: impl Display) {
        // Writing into memory has no way to fail.
        let _ = write!(self.text, "{part}");
    }

    /// Returns the number of the next plot, from 1.
    pub(crate) fn next_plot(&mut self) -> usize {
        self.plots += 1;
        self.plots
    }

    /// Begins a section with its heading, and a paragraph below it unless that is empty;
    /// [`Page::end_section`] ends it. `id` names it for links.
    pub fn section(&mut self, id: &str, title: &str, explanation: &str) {
        self.put(format_args!(
            "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{}</h2>\n",
            Escaped(title)
        ));
        if !explanation.is_empty() {
            self.note(explanation);
        }
    }

    /// Ends a section.
    pub fn end_section(&mut self) {
        self.put("</section>\n");
    }

    /// Adds a heading.
    pub fn heading(&mut self, words: &str) {
        self.put(format_args!("<h2>{}</h2>\n", Escaped(words)));
    }

    /// Adds a paragraph.
    pub fn note(&mut self, words: &str) {
        let words = Escaped(words);
        self.put(format_args!("<p class=\"note\">{words}</p>\n"));
    }

    /// Adds figures, side by side where there is room.
    pub fn figures<'a>(&mut self, figures: impl IntoIterator<Item = Figure<'a>>) {
        self.text += "<div class=\"grid\">\n";
        for figure in figures {
            self.put(format_args!(
                "<figure>\n<figcaption><b>{}</b> {}</figcaption>\n{}</figure>\n",
                Escaped(figure.name),
                Escaped(figure.caption),
                figure.svg,
            ));
        }
        self.text += "</div>\n";
    }

    /// Adds a table.
    pub fn table<'a>(
        &mut self,
        headers: impl IntoIterator<Item = &'a str>,
        rows: impl IntoIterator<Item = Vec<TableCell>>,
    ) {
        self.text += "<div class=\"scroll\" tabindex=\"0\"><table class=\"words\">\n<thead><tr>";
        for header in headers {
            self.put(format_args!("<th>{}</th>", Escaped(header)));
        }
        self.text += "</tr></thead>\n<tbody>\n";
        for row in rows {
            self.text += "<tr>";
            row.iter().for_each(|cell| self.cell(cell));
            self.text += "</tr>\n";
        }
        self.text += "</tbody></table></div>\n";
    }

    fn cell(&mut self, cell: &TableCell) {
        self.text += "<td";
        for (name, value) in [("class", cell.class), ("title", &cell.hint)] {
            if !value.is_empty() {
                // Writing into memory has no way to fail.
                let _ = write!(self.text, " {name}=\"{}\"", Escaped(value));
            }
        }
        self.put(format_args!(">{}</td>", Escaped(&cell.text)));
    }

    /// Ends the page.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.text += &self.end;
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
