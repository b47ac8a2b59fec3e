//! Tiles: the main figures of a report, each with its requirement.

use crate::escaped::Escaped;
use crate::page::Page;

/// Comparison of a figure with its requirement. The page shows it by colour and always in words,
/// too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The figure meets the requirement.
    Good,
    /// The figure does not meet the requirement.
    Bad,
    /// The figure has no requirement.
    Neutral,
}

/// A main figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Name of the figure.
    pub label: String,
    /// The figure with its unit.
    pub value: String,
    /// Subject of the figure, and its requirement.
    pub detail: String,
    /// Comparison with the requirement.
    pub standing: Standing,
}

impl Standing {
    /// Returns the CSS class.
    #[must_use]
    pub const fn class(self) -> &'static str {
        match self {
            Standing::Good => "good",
            Standing::Bad => "bad",
            Standing::Neutral => "neutral",
        }
    }
}

impl Page {
    /// Adds tiles, side by side as far as there is room.
    pub fn tiles(&mut self, tiles: &[Tile]) {
        self.put("<dl class=\"tiles\">\n");
        for tile in tiles {
            self.put(format_args!(
                "<div class=\"tile {}\"><dt>{}</dt><dd class=\"value\">{}</dd>\
                 <dd class=\"detail\">{}</dd></div>\n",
                tile.standing.class(),
                Escaped(&tile.label),
                Escaped(&tile.value),
                Escaped(&tile.detail)
            ));
        }
        self.put("</dl>\n");
    }

    /// Adds a verdict: a symbol and words in the colour of its standing.
    pub fn verdict(&mut self, standing: Standing, words: &str) {
        let sign = match standing {
            Standing::Good => '\u{2713}',
            Standing::Bad => '\u{2717}',
            Standing::Neutral => '\u{2013}',
        };
        self.put(format_args!(
            "<p class=\"verdict {}\"><span aria-hidden=\"true\">{sign}</span> {}</p>\n",
            standing.class(),
            Escaped(words)
        ));
    }
}
