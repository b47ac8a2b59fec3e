//! python-can's virtual bus, run by `python/virtual_bus.py`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

use crate::race::Contestant;

/// Messages of one turn.
const MESSAGES: u32 = 500;

/// Output of the script.
#[derive(serde::Deserialize)]
struct Report {
    /// CPU time of the loop alone.
    cpu_ns: u64,
    sent: u32,
    received: u32,
}

/// Python with python-can: `$WAYWARDEN_PYTHON`, or what `make oracles` installed.
fn interpreter() -> PathBuf {
    std::env::var_os("WAYWARDEN_PYTHON").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/oracles/bin/python"),
        PathBuf::from,
    )
}

/// Sends messages through `nodes` virtual buses on one channel; `receivers` nodes receive each.
pub(super) fn virtual_bus(nodes: u16, receivers: u16) -> Contestant {
    Contestant::timed("python-can virtual bus", move || {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/virtual_bus.py");
        let output = Command::new(interpreter())
            .arg(script)
            .args([u32::from(nodes), MESSAGES, u32::from(receivers)].map(|word| word.to_string()))
            .output()
            .context("no python; `make oracles` installs one, or set WAYWARDEN_PYTHON")?;
        let complaint = String::from_utf8_lossy(&output.stderr);
        ensure!(
            output.status.success(),
            "virtual_bus.py: {}",
            complaint.trim()
        );
        let report: Report = serde_json::from_slice(&output.stdout)?;
        let expected = MESSAGES * u32::from(receivers);
        ensure!(
            (report.sent, report.received) == (MESSAGES, expected),
            "virtual_bus.py sent {} and received {}, not {MESSAGES} and {expected}",
            report.sent,
            report.received
        );
        Ok(report.cpu_ns as f64 / f64::from(MESSAGES))
    })
}
