//! Progress of `waywarden verify`'s reading, for people who watch a long input.

use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};

use waywarden_command_line::messages;
use waywarden_v2x_receiver::ExpansionObserver;

/// Shorter inputs are read before a bar is of use: 1 MiB.
const LONG: u64 = 1 << 20;
/// Fewer parts of an expansion take less than a tenth of a second, mostly.
const EXPANSION_LONG: usize = 32;

/// A bar over the bytes of the files; without an end where a file does not say how long it is. It
/// is hidden unless standard error is a terminal, and where output that is written meanwhile would
/// go through it on one.
pub(super) fn bar(files: &[PathBuf], writes_meanwhile: bool) -> ProgressBar {
    let mixes = writes_meanwhile && io::stdout().is_terminal();
    if mixes || !messages::shows_progress() {
        return ProgressBar::hidden();
    }
    let (bar, template) = match length(files) {
        Some(bytes) if bytes < LONG => return ProgressBar::hidden(),
        Some(bytes) => {
            let template = "{bar:40} {percent} % {elapsed} ({eta} to go) {msg}";
            (ProgressBar::new(bytes), template)
        }
        None => (ProgressBar::no_length(), "{bytes} read, {elapsed} {msg}"),
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// Has a bar show how many bytes of an input were read.
pub(super) fn watch(bar: &ProgressBar, input: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
    Box::new(bar.wrap_read(input))
}

/// Shows expansions of revocation lists in the place of the bar that shows the reading.
pub(super) struct ExpansionBar(pub(super) ProgressBar);

impl ExpansionObserver for ExpansionBar {
    fn expand(&self, parts: usize, work: &mut dyn FnMut(&(dyn Fn() + Sync))) {
        self.0.suspend(|| {
            let bar = expansion(parts);
            work(&|| bar.inc(1));
            bar.finish_and_clear();
        });
    }
}

/// A bar over the parts of an expansion; hidden where it is short, or where standard error is no
/// terminal.
fn expansion(parts: usize) -> ProgressBar {
    if parts < EXPANSION_LONG || !messages::shows_progress() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(parts as u64);
    let template = "expanding revocation lists {bar:40} {percent} % {elapsed} ({eta} to go)";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// Bytes of all files, if each is one that says so.
fn length(files: &[PathBuf]) -> Option<u64> {
    let of = |path: &PathBuf| match path.as_path() == Path::new("-") {
        true => None,
        // What cannot be opened is not read.
        false => match fs::metadata(path) {
            Ok(metadata) => metadata.is_file().then_some(metadata.len()),
            Err(_) => Some(0),
        },
    };
    files.iter().map(of).sum()
}
