//! The constant-time harness: secret operations of FourQ under memcheck and under a clock, those of
//! V2X keys under memcheck.
//!
//! `cargo xtask constant-time` builds it, as a package of its own with nothing in it but
//! `waywarden-fourq` and `waywarden-v2x-keys`, and runs it:
//!
//! * `harness memcheck OPERATION`, under valgrind ([`memcheck`]);
//! * `harness welch MEASUREMENTS` ([`welch`]).
//!
//! Beside the true operations stand leaky ones ([`leaky`]): a check that lets them pass is none.
//! Unsafe code is for the client requests and the time stamp counter.

mod keys;
mod leaky;
mod memcheck;
mod random;
mod stamp;
mod welch;

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["memcheck", operation] => memcheck::run(operation).map(|()| true),
        ["welch", measurements] => match measurements.parse() {
            Ok(measurements) => welch::run(measurements),
            Err(_) => Err(format!("{measurements} is no number of measurements")),
        },
        _ => Err("harness memcheck OPERATION | harness welch MEASUREMENTS".to_owned()),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("harness: {error}");
            ExitCode::from(2)
        }
    }
}
