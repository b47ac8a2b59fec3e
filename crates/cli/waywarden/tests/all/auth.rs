//! `waywarden auth`: logs come back as they were, what an attacker did to them is found, and what
//! cannot be protected or read is refused.

mod attacks;
mod production;
mod recordings;
mod refused;
mod round_trip;
mod tables;

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{waywarden, workspace};
use serde_json::Value;

const KEY: &str = "key = \"00112233445566778899aabbccddeeff\"\n";

/// A folder with a configuration and logs.
struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new(table: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let bench = Bench { folder };
        bench.write("auth.toml", &format!("[[authentication]]\n{table}\n{KEY}"));
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs a command on a log; returns the exit code, what it printed and what it complained
    /// about.
    fn auth(&self, word: &str, log: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
        let mut command = waywarden();
        command.args(["auth", word]).arg(log);
        command.arg("--config").arg(self.path("auth.toml"));
        let output = command.args(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    }

    /// Protects a log; returns it line by line.
    fn protect(&self, log: &Path) -> Vec<String> {
        let (code, printed, complaint) = self.auth("protect", log, &["--nanoseconds"]);
        assert_eq!(code, Some(0), "{complaint}");
        printed.lines().map(str::to_owned).collect()
    }

    /// Checks a log; returns the exit code, the table and the messages.
    fn check(&self, lines: &[String]) -> (Option<i32>, Value, String) {
        self.write("p.log", &(lines.join("\n") + "\n"));
        let out = self.path("back.log");
        let out = ["--out", out.to_str().unwrap(), "--nanoseconds"];
        let arguments = [&["--format", "json"][..], &out].concat();
        let (code, printed, complaint) = self.auth("check", &self.path("p.log"), &arguments);
        let table = serde_json::from_str(&printed).unwrap_or_else(|_| panic!("{complaint}"));
        (code, table, self.read("back.log"))
    }

    fn comes_back(&self, log: &Path, original: &str) {
        let lines = self.protect(log);
        let (code, table, messages) = self.check(&lines);
        assert_eq!(code, Some(0), "{table}");
        assert_eq!(table["refused"], 0);
        assert!(messages == original, "another log came back");
        assert!(lines.join("\n") + "\n" != original, "nothing was protected");
    }

    fn refused(&self, word: &str, log: &Path, arguments: &[&str], remedies: &[&str]) {
        let (code, printed, complaint) = self.auth(word, log, arguments);
        assert_eq!(code, Some(2), "{complaint}");
        assert_eq!(printed, "");
        for remedy in remedies {
            assert!(complaint.contains(remedy), "{remedy}: {complaint}");
        }
    }
}

fn drive() -> PathBuf {
    workspace().join("examples/drive.log")
}

const SECOC: [&str; 5] = [
    "production",
    "jaspar",
    "autosar-1",
    "autosar-2",
    "autosar-2-as-published",
];

/// A short log: 0x280 ten times, 10 ms apart, and a frame of no stream behind each.
fn short() -> String {
    let line = |at: usize| {
        format!(
            "(1.{:06}) can0 280#00112233445566{at:02X}\n(1.{:06}) can0 281#{at:02X}\n",
            10_000 * at,
            10_000 * at + 500
        )
    };
    (0..10).map(line).collect()
}

fn row<'a>(table: &'a Value, stream: &str) -> &'a Value {
    let rows = table["streams"].as_array().unwrap();
    let found = rows.iter().find(|row| row["stream"] == stream);
    found.unwrap_or_else(|| panic!("{stream}: {table}"))
}
