//! Random messages as others read them: pycrate in every field, tshark by what it dissects.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Map;
use waywarden_testkit::{Random, cases, dissect, first_seed, has_tshark, hex_of, python_with};

use super::random::Values;
use crate::Message;

pub(super) fn random_value(
    message: &Message,
    random: &mut Random,
    left: usize,
) -> serde_json::Value {
    let (layouts, of_type) = message.layout();
    let mut values = Values {
        layouts,
        random,
        left,
        has_unknown: false,
    };
    let mut value = values.value(of_type, &Map::new());
    if let Some(protocol) = message.protocol() {
        value["header"]["protocolVersion"] = protocol.into();
    }
    value
}

#[test]
fn pycrate_reads_and_writes_what_is_written_here() {
    let Some(python) = python_with("pycrate_asn1dir") else {
        return;
    };
    let seed = first_seed(58);
    let mut random = Random::new(seed);
    let mut lines = String::new();
    for message in messages_of_pycrate() {
        for _ in 0..cases(40) {
            let value = random_value(&message, &mut random, 150);
            // A list of large parts may be beyond what an open type holds without fragments.
            let Ok(bytes) = message.write(&value) else {
                continue;
            };
            let (kind, release) = (message.kind(), message.release().unwrap_or(0));
            let hex = hex_of(&bytes);
            lines += &format!("{kind} {release} {hex} {value}\n");
        }
    }
    let count = lines.lines().count();
    let mut child = Command::new(python)
        .args(["-c", include_str!("oracle.py")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python");
    let mut input = child.stdin.take().expect("its input");
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output().expect("its output");
    writer
        .join()
        .expect("a thread")
        .expect("lines that are read");
    let output = String::from_utf8(output.stdout).expect("text");
    let beyond = output
        .strip_prefix(&format!("{count} read, "))
        .and_then(|rest| {
            let number = rest.strip_suffix(" beyond constraints that PER does not see\n")?;
            number.parse::<usize>().ok()
        });
    let beyond = beyond.unwrap_or_else(|| panic!("seed {seed}: {output}"));
    println!("{count} messages, {beyond} beyond constraints that PER does not see");
    assert!(beyond * 4 < count, "seed {seed}: {beyond} of {count}");
}

/// Messages that pycrate brings along, and those whose modules are in `$WAYWARDEN_ASN1_MODULES`.
fn messages_of_pycrate() -> Vec<Message> {
    const OWN: [&str; 7] = ["CAM", "DENM", "SPATEM", "MAPEM", "IVIM", "SREM", "SSEM"];
    const OTHERS: [(&str, Option<u8>); 6] = [
        ("CAM", Some(2)),
        ("DENM", Some(2)),
        ("CPM", Some(1)),
        ("CPM", Some(2)),
        ("VAM", Some(2)),
        ("J2735-MessageFrame", None),
    ];
    let mut all: Vec<_> = OWN.iter().map(|kind| (*kind, Some(1))).collect();
    if std::env::var_os("WAYWARDEN_ASN1_MODULES").is_some() {
        all.extend(OTHERS);
    }
    let found = all
        .into_iter()
        .map(|(kind, release)| Message::find(kind, release));
    found.map(|message| message.expect("a layout")).collect()
}

/// A packet of GeoNetworking to all in range with a message behind BTP-B, in the clear
/// \[EN 302 636-4-1 §9\] \[EN 302 636-5-1 §7\].
fn packet(port: u16, message: &[u8]) -> Vec<u8> {
    let transport = [&port.to_be_bytes()[..], &[0, 0], message].concat();
    let length = (transport.len() as u16).to_be_bytes();
    let basic = [0x11, 0, 0x05, 1];
    let common = [0x20, 0x50, 2, 0x80, length[0], length[1], 1, 0];
    let mut source = [0_u8; 28];
    source[..8].copy_from_slice(&[0x94, 0, 2, 0, 0, 0, 0, 0x17]);
    [&basic[..], &common, &source, &transport].concat()
}

#[test]
fn tshark_dissects_what_is_written_here() {
    const GEONETWORKING: u16 = 0x8947;
    if !has_tshark() {
        return;
    }
    let seed = first_seed(58);
    let mut random = Random::new(seed);
    let (mut packets, mut wanted) = (Vec::new(), Vec::new());
    for message in DISSECTED
        .iter()
        .filter_map(|kind| Message::of_kind(kind).next())
    {
        for _ in 0..cases(10) {
            let (mut value, example) = (random_value(&message, &mut random, 30), message.example());
            value["header"]["messageID"] = example["header"]["messageID"].clone();
            let bytes = message.write(&value).expect("a message");
            if bytes.len() > 1_300 {
                continue;
            }
            let header = &value["header"];
            wanted.push(format!("{},{}", header["messageID"], header["stationID"]));
            packets.push(packet(message.port().expect("a port"), &bytes));
        }
    }
    let packets: Vec<(u16, &[u8])> = packets
        .iter()
        .map(|packet| (GEONETWORKING, packet.as_slice()))
        .collect();
    let name = "messages.pcap";
    let found = dissect(name, &packets, &["its.messageID", "its.stationID"]);
    assert_eq!(found, wanted, "seed {seed}");
}

/// Messages that tshark 4.0 has dissectors of.
const DISSECTED: [&str; 7] = ["CAM", "DENM", "SPATEM", "MAPEM", "IVIM", "SREM", "SSEM"];
