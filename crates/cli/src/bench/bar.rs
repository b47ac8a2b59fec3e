//! The bar that shows on a terminal how far a measurement is.

use indicatif::{ProgressBar, ProgressStyle};

/// Begins a bar of this length.
pub(crate) fn bar(length: u64) -> ProgressBar {
    let bar = ProgressBar::new(length);
    match ProgressStyle::with_template("{bar:30} {elapsed} {msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
