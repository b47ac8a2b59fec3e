//! Frames on record: those of simulated ECUs, of the images for them, and of the same nodes on CAN
//! sockets, which the tests of `waywarden-can-linux` compare with the same files in `make guest`.

use std::fs;
use std::path::Path;

use waywarden_testkit::workspace;
use waywarden_testkit_firmware::KnownAnswers;

fn text(role: &str, name: &str) -> String {
    let file = workspace().join(format!("crates/onboard/{role}/known-answers/{name}.txt"));
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Compares known answers with those on record, byte for byte.
pub(crate) fn are_on_record(role: &str, name: &str, own: &KnownAnswers) {
    let recorded = text(role, name);
    let recorded = recorded.lines().filter(|line| !line.starts_with('#'));
    let recorded: String = recorded.map(|line| format!("{line}\n")).collect();
    let own = own.to_string();
    if recorded != own {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{role}-{name}.txt"));
        fs::write(&file, own).expect("a file");
        panic!(
            "{role}, {name}: other frames than on record: {}",
            file.display()
        );
    }
}
