//! Reports as one self-contained HTML page, with plots as SVG.
//!
//! [`Page`] puts headings, notes, figures, tiles, tables and plots one below the other;
//! [`LinePlot`] and [`Bars`] draw pictures that need no style sheet. Nothing here reads a file or a
//! clock, and a page asks nothing of the network: its content security policy allows its own style
//! sheet and its own script by their hashes, and no other. All text is escaped.
#![forbid(unsafe_code)]

mod axis;
mod bars;
mod drawing;
mod escaped;
mod head;
mod number;
mod page;
#[cfg(test)]
mod palette;
mod plot;
mod points;
mod sheet;
mod tiles;

pub use axis::{Linear, step};
pub use bars::{BarPart, BarRow, BarRows, LINE, fits, shortened};
pub use drawing::{Percent, Plot, STRETCHED, ZOOM_MAX};
pub use escaped::Escaped;
pub use head::Head;
pub use number::{grouped, short};
pub use page::{Figure, Page, TableCell};
pub use plot::{BarGroup, Bars, LinePlot, Series, put, text};
pub use points::{PlotPoint, Points};
pub use sheet::{ROWS_MAX, Sheet};
pub use tiles::{Standing, Tile};
