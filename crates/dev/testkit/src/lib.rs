//! Shared code of the tests of several crates: seeds and how many of them, random values,
//! hexadecimal, the corpus, a message matrix, ECU images, and outside programs to compare with.
//!
//! A development dependency only: no crate may import it otherwise. It imports `waywarden-random`
//! alone, so that all others can test with it. `CONTRIBUTING.md` lists the variables that it reads.

mod command_world;
mod corpus;
mod elf;
mod hex;
mod matrix;
mod oracle;
mod random;
mod random_bytes;
mod seeds;
mod softhsm;
mod tshark;
mod vectors;

pub use command_world::{CommandWorld, Ended, OtherCommands, snapshot};
pub use corpus::{corpus, corpus_bytes, corpus_text, workspace};
pub use elf::elf_image;
pub use hex::{bytes_of, hex_of};
pub use matrix::DBC;
pub use oracle::{gpsd, has_program, has_tshark, output_of, python_with};
pub use random::Random;
pub use random_bytes::each_random_bytes;
pub use seeds::{cases, each_seed, first_seed, number, only_seed, seeds};
pub use softhsm::SoftHsm;
pub use tshark::dissect;
pub use vectors::{blocks, flipped, seeded_bytes, spread_bits};

/// Returns true if a variable makes a missing tool or file a failure: only `1` does.
fn required(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| value == "1")
}
