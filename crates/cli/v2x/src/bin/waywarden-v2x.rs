//! The commands for V2X messages as a program of its own, which the tests of this crate run.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use waywarden_command_v2x::program::V2xArguments;

fn main() -> ExitCode {
    waywarden_command_line::program::run::<V2xArguments>()
}
