//! Cells as text for people: tables, counts of verdicts, findings.

use std::io::{self, Write};

use waywarden_command_line::table::Rows;
use waywarden_papers::table::{LEGEND, entry};
use waywarden_papers::{
    Assumptions, Cell, CellVerdict, Class, Paper, PaperTable, found, short, totals,
};

/// Greatest width of a line, in letters.
const WIDTH: usize = 100;

/// The cells, those that are one table as such, and below them the reasons: a column of them would
/// be wider than any terminal.
pub(super) fn print(
    out: &mut impl Write,
    paper: &Paper,
    cells: &[Cell],
    assumed: &Assumptions,
) -> io::Result<()> {
    head(out, paper)?;
    if !assumed.is_empty() {
        wrapped(out, "", &assumed.sentence())?;
        writeln!(out)?;
    }
    let (alone, tables) = paper.tables(cells);
    let number = |number: Option<f64>| number.map_or("-".to_owned(), short);
    let row = |cell: &Cell| {
        vec![
            cell.place.clone(),
            cell.cell.clone(),
            cell.unit.name().to_owned(),
            cell.paper.map_or("-".to_owned(), |paper| paper.to_string()),
            number(cell.formula),
            number(cell.measured),
            cell.verdict.to_string(),
            cell.class.map_or("-", Class::name).to_owned(),
        ]
    };
    let rows = Rows {
        headers: vec![
            "place", "cell", "unit", "paper", "formula", "measured", "verdict", "class",
        ],
        rows: alone.iter().map(|cell| row(cell)).collect(),
        numbers: 3..6,
    };
    if !alone.is_empty() {
        rows.print(out)?;
    }
    for (at, table) in tables.iter().enumerate() {
        if at > 0 || !alone.is_empty() {
            writeln!(out)?;
        }
        print_table(out, table)?;
    }
    writeln!(
        out,
        "\n{}: the verdicts by class of our numbers:",
        paper.key
    )?;
    print_totals(out, cells)?;
    let mut explained = cells.iter().filter(|cell| paper.explains(cell)).peekable();
    if explained.peek().is_some() {
        writeln!(out, "\nWhat was found out:")?;
    }
    for cell in explained {
        writeln!(out)?;
        wrapped(out, "", &format!("{}, {}:", cell.place, cell.cell))?;
        for finding in cell.why.split("; ") {
            wrapped(out, "  ", finding)?;
        }
    }
    Ok(())
}

/// Prints which paper it is.
fn head(out: &mut impl Write, paper: &Paper) -> io::Result<()> {
    let key = paper.key.to_uppercase();
    wrapped(out, "", &format!("[{key}] {}:", paper.authors))?;
    wrapped(out, "", &format!("{}.", paper.title))?;
    wrapped(out, "", paper.published)?;
    writeln!(out)
}

/// Prints words in lines of at most [`WIDTH`] letters, those after the first indented by two more.
/// A word that is longer stands alone.
fn wrapped(out: &mut impl Write, indent: &str, words: &str) -> io::Result<()> {
    let mut line = indent.to_owned();
    let mut is_empty = true;
    for word in words.split(' ') {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            writeln!(out, "{line}")?;
            line = format!("{indent}  ");
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    writeln!(out, "{line}")
}

/// Prints the number of cells with each verdict that some cell has, by class.
fn print_totals(out: &mut impl Write, cells: &[Cell]) -> io::Result<()> {
    let totals = totals(cells);
    let found = found(&totals);
    let rows = totals.iter().map(|total| {
        let counts = found
            .iter()
            .map(|verdict| total.count(*verdict).to_string());
        [total.name().to_owned()]
            .into_iter()
            .chain(counts)
            .collect()
    });
    let verdicts = found.iter().copied().map(CellVerdict::name);
    let rows = Rows {
        headers: ["class"].into_iter().chain(verdicts).collect(),
        rows: rows.collect(),
        numbers: 1..found.len() + 1,
    };
    rows.print(out)
}

/// Prints a table: the paper's numbers, and what was measured, or by formula in brackets where
/// nothing was.
fn print_table(out: &mut impl Write, table: &PaperTable<'_>) -> io::Result<()> {
    let is_printed = table.is_printed();
    match is_printed {
        true => writeln!(out, "{} ({LEGEND}):", table.place)?,
        false => writeln!(out, "{}:", table.place)?,
    }
    let number = |cell: &Option<&Cell>| cell.map_or(String::new(), |cell| entry(cell, is_printed));
    let rows = table.rows.iter().zip(&table.cells);
    let rows = Rows {
        headers: [String::new()]
            .into_iter()
            .chain(table.columns.iter().cloned())
            .collect(),
        rows: rows
            .map(|(name, cells)| {
                let cells = cells.iter().map(number);
                [name.clone()].into_iter().chain(cells).collect()
            })
            .collect(),
        numbers: 1..table.columns.len() + 1,
    };
    rows.print(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped_and_none_is_lost() {
        let words: Vec<String> = (0..80).map(|number| "x".repeat(number % 23 + 1)).collect();
        let mut text = Vec::new();
        wrapped(&mut text, "  ", &words.join(" ")).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert!(
            text.lines().skip(1).all(|line| line.starts_with("    x")),
            "{text}"
        );
        assert_eq!(text.split_whitespace().collect::<Vec<_>>(), words);
        let mut long = Vec::new();
        wrapped(&mut long, "", &"y".repeat(200)).unwrap();
        assert_eq!(long.len(), 201);
    }
}
