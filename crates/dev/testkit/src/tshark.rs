//! tshark as oracle: it dissects packets by their Ethernet protocol.

use std::fs;
use std::process::Command;

use crate::output_of;

/// A capture of Ethernet frames, one for each packet and its Ethernet protocol.
fn capture(packets: &[(u16, &[u8])]) -> Vec<u8> {
    const ETHERNET: u32 = 1;
    let mut file = Vec::new();
    file.extend(0xA1B2_C3D4_u32.to_le_bytes());
    // Version 2.4: two halves.
    file.extend([2, 0, 4, 0]);
    for word in [0, 0, 65_535, ETHERNET] {
        file.extend(word.to_le_bytes());
    }
    for (protocol, packet) in packets {
        let protocol = protocol.to_be_bytes();
        let frame = [&[0xFF; 6], &[2, 0, 0, 0, 0, 0x17][..], &protocol, packet].concat();
        let length = (frame.len() as u32).to_le_bytes();
        file.extend([[0; 4], [0; 4], length, length].concat());
        file.extend(frame);
    }
    file
}

/// Returns what tshark finds in each packet, a line of fields with commas between them; a field
/// that occurs more than once has `+` between its values.
///
/// # Panics
///
/// If tshark fails, or calls a packet malformed, or warns of one.
#[must_use]
pub fn dissect(name: &str, packets: &[(u16, &[u8])], fields: &[&str]) -> Vec<String> {
    let folder = std::env::temp_dir().join(format!("waywarden-tshark-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for temporary files");
    let path = folder.join(name);
    fs::write(&path, capture(packets)).expect("a capture that can be written");
    let run =
        |arguments: &[&str]| output_of(Command::new("tshark").arg("-r").arg(&path).args(arguments));
    let all = run(&["-V"]);
    for wrong in [
        "Malformed",
        "Expert Info (Error",
        "Expert Info (Warning",
        "Dissector bug",
    ] {
        assert!(!all.contains(wrong), "{name}: {wrong}\n{all}");
    }
    let mut arguments = vec!["-T", "fields"];
    for option in ["separator=,", "occurrence=a", "aggregator=+"] {
        arguments.extend(["-E", option]);
    }
    arguments.extend(fields.iter().flat_map(|field| ["-e", field]));
    let lines: Vec<String> = run(&arguments).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), packets.len(), "{name}");
    fs::remove_file(&path).expect("the capture");
    // Another test may still be at work in it.
    let _ = fs::remove_dir(&folder);
    lines
}
