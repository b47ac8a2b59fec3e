//! tshark as oracle: it opens the pcapng we write and reads the same frames.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use crate::support::{Allow, assert_same_lines, random_records};
use waywarden_can::Format;
use waywarden_can_log::{Channels, Direction, LogEntry, Record, open, pcapng};
use waywarden_testkit::{corpus_bytes, has_tshark, output_of};

const FIELDS: [&str; 16] = [
    "frame.time_epoch",
    "frame.interface_name",
    "frame.p2p_dir",
    "can.id",
    "can.flags.xtd",
    "can.flags.rtr",
    "can.flags.err",
    "can.len",
    "canfd.flags.brs",
    "canfd.flags.esi",
    "data.data",
    "can.err.tx_timeout",
    "can.err.lostarb",
    "can.err.busoff",
    "can.err.buserror",
    "can.err.restarted",
];

/// Tells a record as tshark's fields.
fn line(record: &Record, channels: &Channels) -> String {
    let (seconds, nanos) = (record.at_ns / 1_000_000_000, record.at_ns % 1_000_000_000);
    let mut line = format!("{seconds}.{nanos:09}|{}|", channels.name(record.channel));
    match &record.entry {
        LogEntry::Frame { frame, direction } => {
            line += match direction {
                Some(Direction::Rx) => "1",
                Some(Direction::Tx) => "0",
                None => "",
            };
            let extended = u8::from(frame.id().is_extended());
            write!(line, "|{}|{extended}|", frame.id().raw()).unwrap();
            let (flags, length) = match frame.format() {
                Format::Classic => ("0|0|{}||".to_owned(), frame.data_len()),
                Format::Remote => ("1|0|{}||".to_owned(), usize::from(frame.dlc().min(8))),
                Format::Fd {
                    bit_rate_switch,
                    error_state_indicator,
                } => {
                    let (brs, esi) = (u8::from(bit_rate_switch), u8::from(error_state_indicator));
                    (format!("||{{}}|{brs}|{esi}"), frame.data_len())
                }
            };
            line += &flags.replace("{}", &length.to_string());
            line.push('|');
            // tshark shows the (zero) data field of a remote frame as far as its length says.
            let padding = if frame.format() == Format::Remote {
                length
            } else {
                0
            };
            frame
                .data()
                .iter()
                .chain(&[0; 8][..padding])
                .for_each(|byte| write!(line, "{byte:02x}").unwrap());
            line += "|||||";
        }
        LogEntry::ErrorFrame(error) => {
            line += "1||||1|8||||";
            for class in [0x01, 0x02, 0x40, 0x80, 0x100] {
                write!(line, "{}|", u8::from(error.class & class != 0)).unwrap();
            }
            line.pop();
        }
    }
    line
}

fn read_by_tshark(file: &Path) -> String {
    let mut command = Command::new("tshark");
    command.arg("-r").arg(file);
    // Name resolution off; heuristics off, so that no other protocol claims the data.
    command.args([
        "-n",
        "-T",
        "fields",
        "-E",
        "separator=|",
        "-E",
        "occurrence=f",
    ]);
    FIELDS.iter().for_each(|field| {
        command.args(["-e", field]);
    });
    output_of(&mut command)
}

fn compare(records: &[Record], channels: &Channels, what: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ours.pcapng");
    let mut writer = pcapng::Writer::new(Vec::new());
    for record in records {
        writer.write(record, channels).unwrap();
    }
    std::fs::write(&file, writer.finish().unwrap()).unwrap();
    let ours: Vec<_> = records
        .iter()
        .map(|record| line(record, channels))
        .collect();
    assert_same_lines(&ours.join("\n"), &read_by_tshark(&file), what);
}

#[test]
fn corpus_logs_exported_as_pcapng_are_the_same_to_tshark() {
    if !has_tshark() {
        return;
    }
    for name in ["css-94c49784", "savvycan-candump"] {
        let Some(packed) = corpus_bytes(&format!("can/logs/{name}.log.gz")) else {
            return;
        };
        let mut reader = open(packed.as_slice()).unwrap();
        let records: Vec<_> = reader.by_ref().map(Result::unwrap).collect();
        compare(&records, reader.channels(), name);
    }
}

#[test]
fn every_kind_of_frame_is_the_same_to_tshark() {
    if !has_tshark() {
        return;
    }
    let (mut records, channels) = random_records(0x227, 6_000, Allow::ALL);
    for (nanos, record) in records.iter_mut().enumerate() {
        record.at_ns += nanos as u64 % 1000;
        if let LogEntry::Frame { direction, .. } = &mut record.entry
            && nanos % 3 == 0
        {
            *direction = None;
        }
    }
    compare(&records, &channels, "pcapng");
}

/// Cooked captures, whose identifiers are in the byte order of the machine, and pcap, which
/// Wireshark makes of our pcapng.
#[test]
fn captures_of_wireshark_are_the_same_to_both() {
    if !has_tshark() {
        return;
    }
    let (mut records, channels) = random_records(0x113, 500, Allow::ALL);
    // A pcap file has one interface and no directions.
    for record in &mut records {
        record.channel = channels.iter().next().unwrap().0;
        if let LogEntry::Frame { direction, .. } = &mut record.entry {
            *direction = None;
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let ours = folder.path().join("ours.pcapng");
    let mut writer = pcapng::Writer::new(Vec::new());
    for record in &records {
        writer.write(record, &channels).unwrap();
    }
    std::fs::write(&ours, writer.finish().unwrap()).unwrap();
    for form in ["nsecpcap", "pcapng"] {
        let theirs = folder.path().join(form);
        let mut command = Command::new("tshark");
        command.arg("-r").arg(&ours).arg("-w").arg(&theirs);
        output_of(command.args(["-F", form]));
        let bytes = std::fs::read(&theirs).unwrap();
        let mut reader = open(bytes.as_slice()).unwrap();
        for record in &records {
            let read = reader.next().unwrap().unwrap();
            assert_eq!(
                (read.at_ns, read.entry),
                (record.at_ns, record.entry),
                "{form}"
            );
        }
        assert!(reader.next().is_none(), "{form}");
    }
    let cooked = folder.path().join("cooked.pcap");
    let mut bytes = b"\xD4\xC3\xB2\xA1\x02\0\x04\0".to_vec();
    bytes.extend([0; 8]);
    bytes.extend([0, 0, 4, 0, 113, 0, 0, 0]);
    bytes.extend([1, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0, 32, 0, 0, 0]);
    bytes.extend([0, 4, 1, 24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0C]);
    bytes.extend([
        0x56, 0x34, 0x12, 0x80, 2, 0, 0, 0, 0xAA, 0xBB, 0, 0, 0, 0, 0, 0,
    ]);
    std::fs::write(&cooked, &bytes).unwrap();
    let read = open(bytes.as_slice()).unwrap().next().unwrap().unwrap();
    let frame = read.entry.frame().unwrap();
    let mut command = Command::new("tshark");
    command.arg("-r").arg(&cooked);
    let id = output_of(command.args(["-T", "fields", "-e", "can.id"]));
    assert_eq!(id.trim(), frame.id().raw().to_string());
    assert_eq!(frame.to_string(), "00123456#AABB");
}
