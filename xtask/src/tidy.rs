//! `cargo xtask tidy`: the rules of the workspace that a compiler does not check.
//!
//! Each rule is one file under `tidy/`: what it wants, how it looks, and a test that shows it
//! failing on a bad input. A rule reads a [`Tree`] and touches no file itself.

mod arrows;
mod bans;
mod blobs;
mod chain;
mod cites;
mod crate_size;
mod cycles;
mod dead;
mod header;
mod leftovers;
mod length;
pub(crate) mod links;
mod modules;
mod msrv;
mod names;
mod openings;
pub(crate) mod pages;
mod places;
mod rust;
mod size;
mod targets;
pub(crate) mod tree;
mod unsafety;
mod width;
mod words;

use std::fmt;
use std::path::Path;

use anyhow::Result;

use tree::Tree;

/// One place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    /// Counted from 1.
    line: usize,
    /// The fault.
    wrong: String,
    /// The remedy.
    right: String,
}

impl Finding {
    fn error(path: &str, line: usize, wrong: impl Into<String>, right: impl Into<String>) -> Self {
        Finding {
            path: path.to_owned(),
            line,
            wrong: wrong.into(),
            right: right.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding {
            path,
            line,
            wrong,
            right,
        } = self;
        write!(f, "{path}:{line}: {wrong}: {right}")
    }
}

/// A rule, which looks at the whole tree and returns its findings.
type Rule = fn(&Tree) -> Vec<Finding>;

/// Every rule, by the name of its file.
const RULES: &[(&str, Rule)] = &[
    ("arrows", arrows::check),
    ("bans", bans::check),
    ("blobs", blobs::check),
    ("chain", chain::check),
    ("cites", cites::check),
    ("crate_size", crate_size::check),
    ("cycles", cycles::check),
    ("dead", dead::check),
    ("header", header::check),
    ("leftovers", leftovers::check),
    ("length", length::check),
    ("links", links::check),
    ("msrv", msrv::check),
    ("names", names::check),
    ("openings", openings::check),
    ("pages", pages::check),
    ("places", places::check),
    ("targets", targets::check),
    ("unsafety", unsafety::check),
    ("width", width::check),
    ("words", words::check),
];

/// Runs every rule on the project at `root`, prints the findings, and returns true if there are
/// none.
///
/// # Errors
/// When the tree cannot be read: git or cargo missing or failing, a file that vanished.
pub(crate) fn run(root: &Path) -> Result<bool> {
    let tree = Tree::read(root)?;
    let mut errors = 0;
    for (name, rule) in RULES {
        let mut findings = rule(&tree);
        findings.sort();
        for finding in findings {
            errors += 1;
            println!("{finding} [{name}]");
        }
    }
    println!(
        "tidy: {} files, {} rules, {errors} errors",
        tree.files.len(),
        RULES.len()
    );
    Ok(errors == 0)
}

/// Prints the crates by layer, the highest first.
///
/// # Errors
/// As [`run`].
pub(crate) fn print_layers(root: &Path) -> Result<()> {
    print!("{}", arrows::table(&Tree::read(root)?));
    Ok(())
}

/// Prints, for each key of the bibliography, the places that cite it.
///
/// # Errors
/// As [`run`].
pub(crate) fn print_cites(root: &Path) -> Result<()> {
    for (key, places) in cites::back_references(&Tree::read(root)?) {
        println!("{key}");
        for (path, line, place) in places {
            println!("  {path}:{line} {place}");
        }
    }
    Ok(())
}

/// Prints how large each crate is and which files are too long, for people or as JSON.
///
/// # Errors
/// As [`run`].
pub(crate) fn print_sizes(root: &Path, as_json: bool) -> Result<()> {
    let tree = Tree::read(root)?;
    let write = if as_json {
        crate_size::json
    } else {
        crate_size::table
    };
    print!("{}", write(&tree));
    Ok(())
}
