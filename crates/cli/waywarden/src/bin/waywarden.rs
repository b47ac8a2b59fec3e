//! The `waywarden` command.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(waywarden_cli::run(std::env::args_os()))
}
