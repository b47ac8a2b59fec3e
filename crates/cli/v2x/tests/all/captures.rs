//! Captures as they are found: with other traffic in them, with packets that are broken, and cut
//! off. What can be read is verified, and the rest is reported.

use std::fs;
use std::process::Output;

use serde_json::Value;

use crate::support::capture::{
    block, ethernet, example, pcap, pcap_header, pcap_packet, pcapng, pcapng_header, pcapng_packet,
    words, wsm,
};
use crate::support::waywarden;

/// Verifies a capture: exit code, answer, and what is said beside it.
fn verify(bytes: &[u8]) -> (Option<i32>, Value, String) {
    let output = run("verify", bytes, &["--format", "json"]);
    let answer = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), answer, words)
}

fn run(command: &str, bytes: &[u8], more: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, bytes).unwrap();
    let mut run = waywarden();
    run.arg(command).arg(&path);
    if command == "verify" {
        run.args(["--trust", "examples/v2x/trust", "--at", "capture"]);
    }
    run.args(more).output().unwrap()
}

fn counts(all: &Value) -> [u64; 3] {
    ["inputs", "accepted", "passed_over"].map(|name| all[name].as_u64().unwrap_or(u64::MAX))
}

/// Two messages, each in a frame.
fn messages() -> [Vec<u8>; 2] {
    [wsm(36, &example(0)), wsm(36, &example(1))]
}

#[test]
fn a_broken_packet_is_reported_and_the_next_is_read() {
    let [first, second] = messages();
    let length = first.len() as u32;
    let pcap_with = |head: [u32; 4]| {
        let broken = [words(&head), first.clone()].concat();
        let parts = [pcap_header(), pcap_packet(&first), broken];
        [parts.concat(), pcap_packet(&second)].concat()
    };
    let whole = |frame: &[u8]| pcapng_packet(0, frame, frame.len());
    let pcapng_with = |broken: Vec<u8>| {
        let parts = [pcapng_header(), whole(&first), broken];
        [parts.concat(), whole(&second)].concat()
    };
    let mut two_lengths = whole(&first);
    let end = two_lengths.len() - 4;
    two_lengths[end] ^= 4;
    let cases: [(Vec<u8>, &str); 6] = [
        (
            pcap_with([0, 1_000_000, length, length]),
            "1000000 of 1000000 parts",
        ),
        (
            pcap_with([0, 0, length, length - 1]),
            "captured of a packet of",
        ),
        (
            pcapng_with(pcapng_packet(7, &first, 8)),
            "of interface 7, which is not described",
        ),
        (
            pcapng_with(pcapng_packet(0, &first, 60_000)),
            "60000 bytes captured",
        ),
        (
            pcapng_with(block(6, &[0; 4])),
            "a block with 4 bytes of a packet's header",
        ),
        (pcapng_with(two_lengths), "two lengths"),
    ];
    for (bytes, expected) in cases {
        let (code, all, _) = verify(&bytes);
        assert_eq!(
            (code, counts(&all)),
            (Some(1), [3, 2, 0]),
            "{expected}: {all}"
        );
        let broken = &all["messages"][1];
        assert_eq!(broken["verdict"], "spduParsingInvalidInput");
        let place = broken["input"].as_str().unwrap();
        assert!(place.ends_with("file, packet 2"), "{place}");
        let reason = broken["reason"].as_str().unwrap();
        assert!(reason.contains(expected), "{reason}");
        let shown = run("inspect", &bytes, &["--format", "json"]);
        assert_eq!(shown.status.code(), Some(1), "{expected}");
        let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
        assert_eq!(shown["rows"].as_array().unwrap().len(), 3);
        assert!(
            shown["rows"][1]["error"]
                .as_str()
                .unwrap()
                .contains(expected)
        );
    }
}

/// Cut off anywhere: what was read before stands, and the exit code says that there is more.
#[test]
fn of_a_capture_that_is_cut_off_the_beginning_is_reported() {
    let [first, second] = messages();
    let frames = [first, second];
    for (whole, header) in [(pcap(&frames), 24), (pcapng(&frames), 48)] {
        let (code, all, _) = verify(&whole);
        assert_eq!((code, counts(&all)), (Some(0), [2, 2, 0]), "{all}");
        let cut = &whole[..whole.len() - 3];
        let (code, all, words) = verify(cut);
        assert_eq!((code, counts(&all)), (Some(2), [1, 1, 0]), "{all}");
        assert!(
            words.contains("packet 2: the capture ends in the middle"),
            "{words}"
        );
        let shown = run("inspect", cut, &["--format", "json"]);
        assert_eq!(shown.status.code(), Some(2));
        let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
        // The packet that is whole, and where the file ends.
        assert_eq!(shown["rows"].as_array().unwrap().len(), 2);
        assert!(shown["rows"][0]["error"].is_null() && shown["rows"][1]["error"].is_string());
        // Of nothing but a header nothing can be said but that.
        let (code, all, words) = verify(&whole[..header]);
        assert_eq!((code, counts(&all)), (Some(2), [0, 0, 0]), "{words}");
        assert_eq!(all["errors"][0]["error"], "a capture without a packet");
        for length in (4..whole.len()).step_by(31) {
            let (code, ..) = verify(&whole[..length]);
            assert_ne!(code, None, "{length}: a panic");
        }
    }
    // A length that no writer wrote: where the next packet begins is not known.
    let lost = words(&[0, 0, u32::MAX, u32::MAX]);
    let lost = [pcap(&frames), lost, pcap_packet(&frames[0])].concat();
    let (code, all, words) = verify(&lost);
    assert_eq!((code, counts(&all)), (Some(2), [2, 2, 0]), "{all}");
    assert!(
        words.contains("packet 3: a packet of 4294967295 bytes"),
        "{words}"
    );
    // Other files are read all the same.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.pcap");
    fs::write(&path, &lost).unwrap();
    let mut both = waywarden();
    both.arg("verify")
        .arg(&path)
        .arg("examples/v2x/altered.hex");
    both.args([
        "--trust",
        "examples/v2x/trust",
        "--at",
        "capture",
        "--format",
        "json",
    ]);
    let output = both.output().unwrap();
    let all: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (output.status.code(), counts(&all)),
        (Some(2), [3, 2, 0]),
        "{all}"
    );
}

/// Other traffic on the air or on the wire does not count as a refused message.
#[test]
fn other_traffic_is_passed_over() {
    let [first, second] = messages();
    let arp = ethernet(0x0806, &[0; 28]);
    let ip = ethernet(0x0800, &[0x45; 40]);
    // An IEEE 802.3 frame of spanning trees: LLC without SNAP.
    let bridges = ethernet(3, &[0x42, 0x42, 3]);
    // Of GeoNetworking, and no message for all that.
    let broken = ethernet(0x8947, &[0xFF; 20]);
    let frames = [arp.clone(), first, ip, bridges, second];
    for bytes in [pcap(&frames), pcapng(&frames)] {
        let (code, all, _) = verify(&bytes);
        assert_eq!((code, counts(&all)), (Some(0), [2, 2, 3]), "{all}");
        let table = run("verify", &bytes, &[]);
        let table = String::from_utf8_lossy(&table.stdout).into_owned();
        let words = "passed over: 3 frames that are no V2X message";
        assert!(table.contains(words), "{table}");
        let shown = run("inspect", &bytes, &[]);
        assert_eq!(shown.status.code(), Some(0));
        assert!(String::from_utf8_lossy(&shown.stderr).contains(words));
    }
    let (code, all, _) = verify(&pcap(&[arp.clone(), broken]));
    assert_eq!((code, counts(&all)), (Some(1), [1, 0, 1]), "{all}");
    let (code, _, words) = verify(&pcap(&[arp]));
    assert_eq!(code, Some(2));
    assert!(
        words.contains("passed over: 1 frame that is no V2X message"),
        "{words}"
    );
}

/// A beacon of an access point, and an encrypted frame: management and data of IEEE 802.11.
#[test]
fn other_traffic_on_the_air_is_passed_over() {
    let mut header = pcap_header();
    header[20] = 105;
    let frame = |kind: u8, flags: u8| [vec![kind, flags], vec![0; 40]].concat();
    let beacon = pcap_packet(&frame(0x80, 0));
    let encrypted = pcap_packet(&frame(0x08, 0x40));
    let acknowledgement = pcap_packet(&frame(0xD4, 0));
    let mut vehicle = frame(0x88, 0)[..26].to_vec();
    vehicle.extend([0xAA, 0xAA, 3, 0, 0, 0]);
    vehicle.extend(&messages()[0][12..]);
    let all = [
        header,
        beacon,
        encrypted,
        acknowledgement,
        pcap_packet(&vehicle),
    ]
    .concat();
    let (code, all, _) = verify(&all);
    assert_eq!((code, counts(&all)), (Some(0), [1, 1, 3]), "{all}");
}

/// A long frame that the capturing program cut is reported as such; other traffic is recognized by
/// its beginning.
#[test]
fn frames_that_were_cut_by_the_capture() {
    let first = &messages()[0];
    let cut = |frame: &[u8], kept: usize| {
        let head = words(&[1_772_915_196, 0, kept as u32, frame.len() as u32]);
        [head, frame[..kept].to_vec()].concat()
    };
    let ip = ethernet(0x0800, &[0x45; 1_400]);
    let bytes = [pcap_header(), cut(first, 96), cut(&ip, 96)].concat();
    let (code, all, _) = verify(&bytes);
    assert_eq!((code, counts(&all)), (Some(1), [1, 0, 1]), "{all}");
    let reason = all["messages"][0]["reason"].as_str().unwrap();
    let expected = format!("the capture has 96 of the frame's {} bytes", first.len());
    assert!(reason.contains(&expected), "{reason}");
}
