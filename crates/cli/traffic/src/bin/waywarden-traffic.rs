//! The command traffic as a program of its own, which the tests of this crate run.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use waywarden_command_traffic::program::TrafficArguments;

fn main() -> ExitCode {
    waywarden_command_line::program::run::<TrafficArguments>()
}
