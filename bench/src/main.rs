//! Waywarden and its peers side by side: ratios, taken interleaved, on CPU time, as medians.
//!
//! What each suite compares stands in its module; how it is measured in [`race`]; what came out
//! in `docs/performance.md`. Figures of this program are claims about ratios on one machine, never
//! conditions: no test depends on them.

// One module of the peers calls C functions, and says why that is sound.
#![deny(unsafe_code)]

mod batch;
mod bus;
mod clock;
mod ecverify;
mod fourq;
mod race;
mod report;
mod run;
mod secoc;
mod sign;
mod wire;

use anyhow::{Result, ensure};
use clap::{Parser, ValueEnum};

use crate::race::Case;

/// Compares Waywarden with its peers.
#[derive(Parser)]
#[command(name = "waywarden-bench", version)]
struct Arguments {
    /// Suite to compare.
    suite: SuiteName,
    /// Format of the result.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Measurements of each contestant; more is steadier and slower.
    #[arg(long, default_value_t = 201, value_parser = clap::value_parser!(u32).range(3..))]
    rounds: u32,
    /// Measures this case only; may be given several times.
    #[arg(long = "case", value_name = "CASE")]
    cases: Vec<String>,
    /// Lists cases and peers, and measures nothing.
    #[arg(long)]
    list: bool,
}

/// A group of cases.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SuiteName {
    /// V2X messages verified together, against the same one by one.
    Batch,
    /// The simulated bus against python-can's virtual one.
    Bus,
    /// Verification on elliptic curves against OpenSSL, AWS-LC, ring and RustCrypto.
    Ecverify,
    /// FourQ against P-256, X25519 and Ed25519.
    Fourq,
    /// A whole car, against its simulation alone.
    Run,
    /// SecOC against the bare code of the same bytes.
    Secoc,
    /// Signing, encrypting and issuing with private keys, against OpenSSL, AWS-LC and RustCrypto.
    Sign,
    /// IEEE 1609.2 read and written, against rasn-its.
    Wire,
    /// Every suite.
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal.
    Table,
    /// A list of `{"case","peer","ours_ns","peer_ns","ratio"}`.
    Json,
}

impl SuiteName {
    fn cases(self) -> Result<Vec<Case>> {
        Ok(match self {
            SuiteName::Batch => batch::cases(),
            SuiteName::Ecverify => ecverify::cases(),
            SuiteName::Fourq => fourq::cases(),
            SuiteName::Bus => bus::cases()?,
            SuiteName::Run => run::cases()?,
            SuiteName::Secoc => secoc::cases(),
            SuiteName::Sign => sign::cases(),
            SuiteName::Wire => wire::cases()?,
            SuiteName::All => {
                let mut cases = fourq::cases();
                cases.extend(batch::cases());
                cases.extend(bus::cases()?);
                cases.extend(run::cases()?);
                cases.extend(secoc::cases());
                cases.extend(ecverify::cases());
                cases.extend(sign::cases());
                cases.extend(wire::cases()?);
                cases
            }
        })
    }
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let mut cases = arguments.suite.cases()?;
    for wanted in &arguments.cases {
        let known: Vec<&str> = cases.iter().map(|case| case.name).collect();
        ensure!(
            known.contains(&wanted.as_str()),
            "there is no case {wanted}; there are: {}",
            known.join(", ")
        );
    }
    if !arguments.cases.is_empty() {
        cases.retain(|case| arguments.cases.iter().any(|wanted| wanted == case.name));
    }
    if arguments.list {
        print!("{}", report::list(&cases));
        return Ok(());
    }
    let rows = race::run(cases, arguments.rounds)?;
    match arguments.format {
        Format::Table => print!("{}", report::table(&rows)),
        Format::Json => println!("{}", report::json(&rows)?),
    }
    Ok(())
}
