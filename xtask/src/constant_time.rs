//! `cargo xtask constant-time`: do operations with secrets run in constant time? Those of FourQ,
//! and those that V2X computes with private keys of P-256.
//!
//! The harness in `xtask/constant-time/` is built into a package of its own under the target
//! folder, as a release like any user's, once for each backend. Then
//!
//! * `memcheck` runs each operation under valgrind with its secret marked as uninitialised, and
//!   judges what is reported: a branch or an address that depends on the secret fails, save what
//!   [`findings`] lists as declared public;
//! * `welch` has the harness time the operations and compare a fixed secret with random ones.
//!
//! Both also run operations that leak on purpose, and fail unless those are caught. What none of
//! this covers stands in `ASSURANCE.md`.

mod findings;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use self::findings::Finding;

/// Options of the command.
const USAGE: &str = "constant-time memcheck | constant-time welch [--measurements N]";

/// Default number of measurements of an operation.
const MEASUREMENTS: &str = "1000000";

/// Operations that take secrets.
const OPERATIONS: &[&str] = &["share", "extract", "public-key", "sign"];

/// Operations with V2X keys, which have one backend: run beside FourQ's with 64 bits.
const KEY_OPERATIONS: &[&str] = &[
    "p256-sign",
    "p256-contribute",
    "p256-reconstruct",
    "p256-agree",
    "p256-expand",
    "p256-cocoon",
];

/// Operations that leak on purpose, each with the kind of leak that must be found.
const LEAKY: &[(&str, &str)] = &[
    ("leaky-branch", findings::JUMP),
    ("leaky-early-exit", findings::JUMP),
    ("leaky-index", findings::ADDRESS),
];

/// Runs one of the two checks; returns true if it passed.
///
/// # Errors
/// What keeps the check from being made.
pub(crate) fn run(root: &Path, words: &[&str]) -> Result<bool> {
    let root = root.canonicalize()?;
    let harnesses = |root| -> Result<Vec<Harness>> {
        ["64", "32"]
            .iter()
            .map(|bits| Harness::build(root, bits))
            .collect()
    };
    let mut passed = true;
    match *words {
        ["memcheck"] => {
            valgrind()?;
            for harness in harnesses(&root)? {
                passed &= memcheck(&root, &harness)?;
            }
        }
        ["welch"] | ["welch", "--measurements", _] => {
            let measurements = words.get(2).copied().unwrap_or(MEASUREMENTS);
            for harness in harnesses(&root)? {
                println!(
                    "welch: {}-bit backend, {measurements} measurements each",
                    harness.bits
                );
                let status = Command::new(&harness.program)
                    .args(["welch", measurements])
                    .status()?;
                ensure!(status.code() != Some(2), "the harness could not measure");
                passed &= status.success();
            }
        }
        _ => bail!("cargo xtask {USAGE}"),
    }
    Ok(passed)
}

fn valgrind() -> Result<()> {
    Command::new("valgrind")
        .arg("--version")
        .output()
        .context("valgrind is missing (Debian: apt-get install valgrind)")?;
    Ok(())
}

/// The built harness.
struct Harness {
    /// Width of the backend's limbs.
    bits: &'static str,
    program: PathBuf,
    folder: PathBuf,
}

impl Harness {
    fn build(root: &Path, bits: &&'static str) -> Result<Self> {
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let folder = target.join("constant-time").join(bits);
        fs::create_dir_all(&folder)?;
        let main = root.join("xtask/constant-time/main.rs");
        let [fourq, ecverify, keys] = ["crypto/fourq", "crypto/ecverify", "v2x/keys"]
            .map(|folder| root.join("crates").join(folder));
        // The profile is the workspace's own; line tables do not change the code.
        let manifest = format!(
            "[package]\nname = \"harness\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [[bin]]\nname = \"harness\"\npath = {main:?}\n\n\
             [dependencies]\nwaywarden-fourq = {{ path = {fourq:?} }}\n\
             waywarden-ecverify = {{ path = {ecverify:?} }}\n\
             waywarden-v2x-keys = {{ path = {keys:?}, default-features = false, \
             features = [\"p256\"] }}\n\n\
             [profile.release]\ncodegen-units = 1\nlto = \"thin\"\ndebug = \"line-tables-only\"\n\n\
             [workspace]\n",
        );
        fs::write(folder.join("Cargo.toml"), manifest)?;
        // The versions that the project is tested with.
        fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
        let flags = if *bits == "32" {
            "--cfg waywarden_fourq_bits=\"32\""
        } else {
            ""
        };
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args(["build", "--quiet", "--release"])
            .current_dir(&folder)
            .env("CARGO_TARGET_DIR", folder.join("target"))
            .env("RUSTFLAGS", flags)
            .status()?;
        ensure!(status.success(), "the harness does not build");
        Ok(Harness {
            bits,
            program: folder.join("target/release/harness"),
            folder,
        })
    }

    /// Runs one operation under memcheck; returns what memcheck reports.
    fn findings(&self, operation: &str) -> Result<Vec<Finding>> {
        let report = self.folder.join(format!("{operation}.xml"));
        let output = Command::new("valgrind")
            .args(["--quiet", "--xml=yes", "--child-silent-after-fork=yes"])
            .arg(format!("--xml-file={}", report.display()))
            .arg(&self.program)
            .args(["memcheck", operation])
            .output()?;
        let complaint = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{operation}: {}", complaint.trim());
        findings::parse(&fs::read_to_string(&report)?)
            .with_context(|| format!("{} is not memcheck's report", report.display()))
    }
}

/// Judges all operations of one backend.
fn memcheck(root: &Path, harness: &Harness) -> Result<bool> {
    let mut passed = true;
    let keys: &[&str] = match harness.bits {
        "64" => KEY_OPERATIONS,
        _ => &[],
    };
    for operation in OPERATIONS.iter().chain(keys) {
        let findings = harness.findings(operation)?;
        let leaks = findings
            .iter()
            .filter(|one| one.declared(root).is_none())
            .count();
        let verdict = match leaks {
            0 => "no branch and no address depends on the secret",
            _ => "LEAK",
        };
        println!("memcheck: {}-bit {operation}: {verdict}", harness.bits);
        let mut declared = BTreeMap::new();
        for finding in &findings {
            match finding.declared(root) {
                Some(why) => *declared.entry(why).or_insert(0) += 1,
                None => println!("    {finding}"),
            }
        }
        for (why, count) in declared {
            println!("    but {count}, by design: {why}");
        }
        passed &= leaks == 0;
    }
    for (operation, kind) in LEAKY {
        let findings = harness.findings(operation)?;
        let caught = findings.iter().any(|one| one.kind == *kind);
        let verdict = if caught {
            "caught, as it must be"
        } else {
            "NOT caught: the check is blind"
        };
        println!("memcheck: {}-bit {operation}: {verdict}", harness.bits);
        passed &= caught;
    }
    Ok(passed)
}
