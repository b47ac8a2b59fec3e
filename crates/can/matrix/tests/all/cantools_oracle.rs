//! cantools reads the same messages, signals and lengths of SecOC.

use std::path::PathBuf;
use std::process::Command;

use super::{ARXML, KCD, SYM, read};
use waywarden_can_matrix::{AuthenticatorPlace, ByteOrder, MatrixMessage, MessageKind};
use waywarden_testkit::{output_of, python_with};

/// Messages that differ by intent: cantools takes a cryptographic I-PDU for one that carries its
/// payload.
const CANTOOLS_DIFFERS: [&str; 2] = ["Steering", "SteeringCode"];

fn python_bool(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

/// The same lines as `cantools_oracle.py` prints.
fn lines(message: &MatrixMessage, has_receivers: bool) -> Vec<String> {
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort();
        names.join(",")
    };
    let name = &message.name;
    let cycle = message
        .cycle_time
        .map_or(0, |time| time.as_nanos() / 1_000_000);
    let receivers = match has_receivers {
        true => sorted(&message.receivers),
        false => String::new(),
    };
    let mut lines = vec![format!(
        "{}|{}|{name}|{}|{}|{receivers}|{cycle}",
        message.id.raw(),
        python_bool(message.id.is_extended()),
        message.length,
        sorted(&message.senders),
    )];
    for signal in &message.signals {
        lines.push(format!(
            "{name}|{}|{}|{}|{}|{}|{:.6}|{:.6}",
            signal.name,
            signal.start,
            signal.length,
            python_bool(signal.byte_order == ByteOrder::BigEndian),
            python_bool(signal.is_signed),
            signal.factor,
            signal.offset
        ));
    }
    if let Some(own) = message.protection.as_ref()
        && own.carrier == AuthenticatorPlace::Trailer
    {
        let shown = |number: Option<u64>| number.map_or("None".to_owned(), |one| one.to_string());
        lines.push(format!(
            "{name}|secured|{}|{}|{}|{}|{}",
            own.payload_length,
            shown(own.data_id),
            shown(own.freshness_bits),
            shown(own.freshness_tx_bits),
            shown(own.authenticator_bits)
        ));
    }
    lines
}

#[test]
fn cantools_reads_the_same() {
    let Some(python) = python_with("cantools") else {
        return;
    };
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/all/cantools_oracle.py");
    let folder = std::env::temp_dir().join(format!("waywarden-matrix-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // cantools has no J1939 clusters, and takes ends from groups of PDUs, which a test below has.
    let (arxml, rest) = ARXML.split_once("<J-1939-CLUSTER>").unwrap();
    let arxml = [arxml, rest.split_once("</J-1939-CLUSTER>").unwrap().1].concat();
    // It refuses identifiers above 11 bits, and two of one.
    let kcd = KCD
        .replace("<Message id=\"0x800\" name=\"TooHigh\" length=\"1\"/>", "")
        .replace("<Message id=\"256\" name=\"Again\" length=\"1\"/>", "");
    // It keeps the first multiplexer of a symbol.
    let sym = SYM.replace("Mux=Second", "Mux=First");
    for (name, text) in [("arxml", arxml), ("kcd", kcd), ("sym", sym)] {
        let path = folder.join(format!("matrix.{name}"));
        std::fs::write(&path, &text).unwrap();
        let output = output_of(Command::new(&python).arg(&script).arg(&path));
        let is_own = |line: &&str| {
            let named = |name: &str| line.split('|').any(|part| part == name);
            !CANTOOLS_DIFFERS.iter().any(|one| named(one))
        };
        let mut theirs: Vec<String> = output.lines().filter(is_own).map(str::to_owned).collect();
        let matrix = read(&text);
        let is_arxml = name == "arxml";
        let mut ours: Vec<String> = matrix
            .messages()
            .filter(|message| message.kind != MessageKind::Cryptographic)
            .filter(|message| !CANTOOLS_DIFFERS.contains(&message.name.as_str()))
            .flat_map(|message| {
                let mut message = message.clone();
                if is_arxml {
                    message.senders.clear();
                }
                lines(&message, name == "kcd")
            })
            .collect();
        theirs.sort();
        ours.sort();
        ours.dedup();
        theirs.dedup();
        assert!(!ours.is_empty(), "{name}");
        assert_eq!(ours, theirs, "{name}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
