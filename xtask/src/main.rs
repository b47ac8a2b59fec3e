//! Checks of the workspace that need more than cargo. `cargo xtask` lists them.

#![forbid(unsafe_code)]

mod constant_time;
mod docs;
mod layers;
mod no_std;
mod tidy;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask tidy      check the rules of the workspace (ARCHITECTURE.md, CONTRIBUTING.md)
cargo xtask layers    print the crates by layer, each with the crates that it imports
cargo xtask cites     print where each entry of BIBLIOGRAPHY.toml is cited
cargo xtask sizes [--format json]
                      print how large each crate is, and the files above 400 lines
cargo xtask docs MDBOOK
                      build the documentation as a site in target/docs-site, and check its links
cargo xtask no-std [--host]
                      prove that the no_std crates need neither std nor an allocator
cargo xtask constant-time memcheck|welch [--measurements N]
                      look for secrets in branches, addresses and times";

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["tidy"] => tidy::run(&root),
        ["layers"] => tidy::print_layers(&root).map(|()| true),
        ["cites"] => tidy::print_cites(&root).map(|()| true),
        ["sizes"] => tidy::print_sizes(&root, false).map(|()| true),
        ["sizes", "--format", "json"] => tidy::print_sizes(&root, true).map(|()| true),
        ["constant-time", ref words @ ..] => constant_time::run(&root, words),
        ["docs", mdbook] => docs::run(&root, mdbook),
        ["no-std"] => no_std::run(&root, false).map(|()| true),
        ["no-std", "--host"] => no_std::run(&root, true).map(|()| true),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}
