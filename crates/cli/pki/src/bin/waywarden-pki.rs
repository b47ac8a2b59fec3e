//! The command pki as a program of its own, which the tests of this crate run.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use waywarden_command_pki::program::PkiArguments;

fn main() -> ExitCode {
    waywarden_command_line::program::run::<PkiArguments>()
}
