//! Boxes on a grid with arrows between them, as SVG: one element that needs nothing around it.

use waywarden_report_page::{Escaped, put, text};

/// Width of a picture, in user units.
const WIDTH: f64 = 640.0;
/// Height of a row, and of a line of words.
const ROW: f64 = 66.0;
const LINE: f64 = 14.0;
/// Space left free around a box, in user units: horizontal, vertical.
const MARGIN: (f64, f64) = (9.0, 12.0);
const COLOUR: &str = "#3d7fc4";

/// A picture of boxes.
pub struct Diagram<'a> {
    /// Title of the picture.
    pub title: &'a str,
    /// Heading of each column.
    pub columns: &'a [&'a str],
    /// Boxes of the picture.
    pub blocks: Vec<Block>,
    /// Arrows as pairs of boxes, from and to, counted from 0.
    pub arrows: Vec<(usize, usize)>,
}

/// A box.
pub struct Block {
    /// Its first column, from 0.
    pub column: usize,
    /// Number of columns it covers.
    pub span: usize,
    /// Its row, from 0.
    pub row: usize,
    /// Text in the box, at most three lines.
    pub lines: Vec<String>,
}

/// Left, top, width and height.
#[derive(Clone, Copy)]
struct Area(f64, f64, f64, f64);

impl Area {
    fn middle(self) -> (f64, f64) {
        (self.0 + self.2 / 2.0, self.1 + self.3 / 2.0)
    }
}

impl Diagram<'_> {
    fn area(&self, block: &Block) -> Area {
        let wide = WIDTH / self.columns.len().max(1) as f64;
        let (x, y) = MARGIN;
        Area(
            wide * block.column as f64 + x,
            self.top() + ROW * block.row as f64 + y,
            wide * block.span as f64 - 2.0 * x,
            ROW - 2.0 * y,
        )
    }

    fn top(&self) -> f64 {
        let is_named = self.columns.iter().any(|name| !name.is_empty());
        if is_named { 20.0 } else { 0.0 }
    }

    /// Draws the picture.
    pub fn svg(&self) -> String {
        let rows = self.blocks.iter().map(|block| block.row + 1).max();
        let height = self.top() + ROW * rows.unwrap_or(0) as f64;
        let mut svg = String::new();
        put(
            &mut svg,
            format_args!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
                 role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"11.5\" \
                 fill=\"currentColor\">\n<title>{}</title>\n",
                Escaped(self.title)
            ),
        );
        let wide = WIDTH / self.columns.len().max(1) as f64;
        for (at, name) in self.columns.iter().enumerate() {
            text(&mut svg, (wide * (at as f64 + 0.5), 14.0), "middle", name);
        }
        for (from, to) in &self.arrows {
            if let Some((from, to)) = self.blocks.get(*from).zip(self.blocks.get(*to)) {
                arrow(&mut svg, self.area(from), self.area(to));
            }
        }
        for block in &self.blocks {
            self.draw(&mut svg, block);
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn draw(&self, svg: &mut String, block: &Block) {
        let area = self.area(block);
        let Area(x, y, wide, high) = area;
        put(
            svg,
            format_args!(
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\" rx=\"4\" \
                 fill=\"{COLOUR}\" fill-opacity=\"0.12\" stroke=\"{COLOUR}\" />\n"
            ),
        );
        let (middle, centre) = area.middle();
        let first = centre + 4.0 - LINE * (block.lines.len().saturating_sub(1) as f64) / 2.0;
        for (line, words) in block.lines.iter().enumerate() {
            text(svg, (middle, first + LINE * line as f64), "middle", words);
        }
    }
}

/// From one box to another: from side to side in a row, else from below to above.
fn arrow(svg: &mut String, from: Area, to: Area) {
    let ((from_x, from_y), (to_x, to_y)) = (from.middle(), to.middle());
    let is_row = (from_y - to_y).abs() < 1.0;
    let towards = if is_row {
        (to_x - from_x).signum()
    } else {
        (to_y - from_y).signum()
    };
    let (begin, end) = if is_row {
        (
            (from_x + towards * from.2 / 2.0, from_y),
            (to_x - towards * to.2 / 2.0, to_y),
        )
    } else {
        // A wide box has its arrow where the narrow one is.
        let narrow = if from.2 < to.2 { from_x } else { to_x };
        let (begin, end) = match (from.2 - to.2).abs() < 1.0 {
            true => (from_x, to_x),
            false => (narrow, narrow),
        };
        (
            (begin, from_y + towards * from.3 / 2.0),
            (end, to_y - towards * to.3 / 2.0),
        )
    };
    let angle = (end.1 - begin.1).atan2(end.0 - begin.0);
    let wing = |turn: f64| {
        let angle = angle + turn;
        (end.0 - 8.0 * angle.cos(), end.1 - 8.0 * angle.sin())
    };
    let ((one_x, one_y), (other_x, other_y)) = (wing(0.4), wing(-0.4));
    put(
        svg,
        format_args!(
            "<path d=\"M{:.1},{:.1} L{:.1},{:.1} M{one_x:.1},{one_y:.1} L{:.1},{:.1} \
             L{other_x:.1},{other_y:.1}\" fill=\"none\" stroke=\"currentColor\" />\n",
            begin.0, begin.1, end.0, end.1, end.0, end.1
        ),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_and_arrows_lie_within_the_picture() {
        let block = |column, row, span| Block {
            column,
            span,
            row,
            lines: vec!["a < b".to_owned(), "0.1 ms".to_owned()],
        };
        let diagram = Diagram {
            title: "R & D",
            columns: &["one", "two"],
            blocks: vec![block(0, 0, 2), block(0, 1, 1), block(1, 1, 1)],
            arrows: vec![(0, 1), (1, 2), (2, 0), (7, 0)],
        };
        let svg = diagram.svg();
        assert_eq!(svg.matches("<rect").count(), 3);
        assert_eq!(svg.matches("<path").count(), 3);
        assert!(svg.contains("viewBox=\"0 0 640 152\""), "{svg}");
        assert!(svg.contains("a &lt; b") && svg.contains("R &amp; D"));
        // Below the wide box, above the narrow one.
        assert!(svg.contains("M160.0,74.0 L160.0,98.0"), "{svg}");
    }
}
