//! Reports as one self-contained HTML page, with plots as SVG.
//!
//! [`Page`] puts headings, notes, figures and tables one below the other; [`Lines`] and [`Bars`]
//! draw. Nothing here reads a file or a clock, and a page asks nothing of the network. All text is
//! escaped.
#![forbid(unsafe_code)]

mod escaped;
mod number;
mod page;
mod plot;

pub use escaped::Escaped;
pub use number::{grouped, short};
pub use page::{Figure, Page, TableCell};
pub use plot::{Bars, Group, Lines, Series, put, text};
