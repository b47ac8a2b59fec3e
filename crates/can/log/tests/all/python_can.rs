//! python-can as oracle: it reads what we write, we read what it writes, message by message.

use std::io::{self, Read as _};

use crate::support::{Allow, PythonCan, assert_same_lines, lines, random_records};
use waywarden_can::{Format, Frame};
use waywarden_can_log::{
    Channels, Direction, LogEntry, LogFormat, Record, asc, blf, candump, open, python_can_csv, trc,
};
use waywarden_testkit::corpus_bytes;

const COUNT: usize = 4_000;

/// Records that every format carries.
const PLAIN: Allow = Allow {
    raw_length_codes: false,
    empty_fd: true,
    remote_lengths: true,
    error_details: false,
};

/// Reads a log without faults.
fn records_of(bytes: &[u8], format: LogFormat) -> (Vec<Record>, Channels) {
    let mut reader = open(bytes).unwrap();
    assert_eq!(reader.format(), format);
    let records = reader.by_ref().map(Result::unwrap).collect();
    (records, reader.channels().clone())
}

fn written_candump(records: &[Record], channels: &Channels) -> io::Result<Vec<u8>> {
    let mut writer = candump::Writer::new(Vec::new());
    records
        .iter()
        .try_for_each(|record| writer.write(record, channels))?;
    writer.finish()
}

fn written_blf(records: &[Record], channels: &Channels) -> io::Result<Vec<u8>> {
    let mut writer = blf::Writer::new(Vec::new());
    records
        .iter()
        .try_for_each(|record| writer.write(record, channels))?;
    let finished = writer.finish()?;
    let mut file = finished.output;
    file[..blf::HEADER_SIZE].copy_from_slice(&finished.header);
    Ok(file)
}

fn written_trc(records: &[Record], channels: &Channels) -> io::Result<Vec<u8>> {
    let mut writer = trc::Writer::new(Vec::new());
    records
        .iter()
        .try_for_each(|record| writer.write(record, channels))?;
    writer.finish()
}

fn written_csv(records: &[Record], channels: &Channels) -> io::Result<Vec<u8>> {
    let mut writer = python_can_csv::Writer::new(Vec::new());
    records
        .iter()
        .try_for_each(|record| writer.write(record, channels))?;
    writer.finish()
}

fn written_asc(records: &[Record], channels: &Channels) -> io::Result<Vec<u8>> {
    let mut writer = asc::Writer::new(Vec::new());
    records
        .iter()
        .try_for_each(|record| writer.write(record, channels))?;
    writer.finish()
}

#[test]
fn corpus_logs_are_the_same_messages_to_both() {
    let Some(oracle) = PythonCan::find() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for name in ["css-94c49784", "savvycan-candump"] {
        let Some(packed) = corpus_bytes(&format!("can/logs/{name}.log.gz")) else {
            return;
        };
        let mut plain = Vec::new();
        flate2::read::MultiGzDecoder::new(packed.as_slice())
            .read_to_end(&mut plain)
            .unwrap();
        let (records, channels) = records_of(&packed, LogFormat::Candump);
        let ours = lines(&records, &channels);

        let original = folder.path().join("original.log");
        std::fs::write(&original, plain).unwrap();
        assert_same_lines(&ours, &oracle.read("candump", &original), name);

        let log = folder.path().join("ours.log");
        std::fs::write(&log, written_candump(&records, &channels).unwrap()).unwrap();
        assert_same_lines(&ours, &oracle.read("candump", &log), "candump export");
    }
}

#[test]
fn corpus_log_exported_as_asc_is_the_same_to_python_can() {
    let Some(oracle) = PythonCan::find() else {
        return;
    };
    let Some(packed) = corpus_bytes("can/logs/css-94c49784.log.gz") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (records, channels) = records_of(&packed, LogFormat::Candump);
    let file = folder.path().join("ours.asc");
    std::fs::write(&file, written_asc(&records, &channels).unwrap()).unwrap();
    assert_same_lines(
        &lines(&records, &channels),
        &oracle.read("asc", &file),
        "asc export",
    );
}

#[test]
fn every_kind_of_frame_we_write_is_read_by_python_can() {
    let Some(oracle) = PythonCan::find() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ours");
    // Not compared, for python-can goes its own way there: length codes above 8, which it refuses
    // in candump and reads as FD lengths in ASC; FD frames without data, remote to it in ASC.
    let allow = |empty_fd| Allow {
        raw_length_codes: false,
        empty_fd,
        remote_lengths: true,
        error_details: false,
    };

    let (records, channels) = random_records(0x0A5C, COUNT, allow(false));
    std::fs::write(&file, written_asc(&records, &channels).unwrap()).unwrap();
    assert_same_lines(
        &lines(&records, &channels),
        &oracle.read("asc", &file),
        "asc",
    );

    let (records, channels) = random_records(0xCD, COUNT, allow(true));
    std::fs::write(&file, written_candump(&records, &channels).unwrap()).unwrap();
    assert_same_lines(
        &lines(&records, &channels),
        &oracle.read("candump", &file),
        "candump",
    );

    let (records, channels) = random_records(0xB1F2, 4 * COUNT, allow(true));
    std::fs::write(&file, written_blf(&records, &channels).unwrap()).unwrap();
    assert_same_lines(
        &lines(&records, &channels),
        &oracle.read("blf", &file),
        "blf",
    );
}

/// python-can reads no error frames from TRC, takes FE for BRS with ESI and BI for ESI alone, and
/// the length code of a CAN FD frame for its length.
#[test]
fn trc_we_write_is_read_by_python_can_but_for_its_own_ways() {
    let Some(oracle) = PythonCan::find() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ours.trc");
    let (mut records, channels) = random_records(0x79C, COUNT, PLAIN);
    records.retain(|record| {
        record.entry.frame().is_some_and(|frame| {
            !matches!(
                frame.format(),
                Format::Fd {
                    error_state_indicator: true,
                    ..
                }
            )
        })
    });
    std::fs::write(&file, written_trc(&records, &channels).unwrap()).unwrap();
    let theirs = oracle.read("trc", &file);
    let ours = lines(&records, &channels);
    let ours = ours.lines().zip(&records).map(|(line, record)| {
        let mut words: Vec<_> = line.split(' ').map(str::to_owned).collect();
        let code = record.entry.frame().map(Frame::dlc);
        words[5] = code.unwrap_or_default().to_string();
        words.join(" ") + "\n"
    });
    assert_same_lines(&ours.collect::<String>(), &theirs, "trc");
}

/// CSV has neither channels nor directions, and no mark of CAN FD.
#[test]
fn csv_is_the_same_to_both_as_far_as_it_carries() {
    let Some(oracle) = PythonCan::find() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ours.csv");
    let (records, channels) = random_records(0xC57, COUNT, PLAIN);
    std::fs::write(&file, written_csv(&records, &channels).unwrap()).unwrap();
    let bare = |lines: &str| -> String {
        let bare = |line: &str| {
            let mut words: Vec<_> = line.split(' ').collect();
            // Channel and direction; kinds of data frames; ESI.
            (words[1], words[6]) = ("-", "-");
            if "cfb".contains(words[2]) {
                (words[2], words[3]) = ("d", "-");
            }
            words.join(" ") + "\n"
        };
        lines.lines().map(bare).collect()
    };
    let ours = bare(&lines(&records, &channels));
    assert_same_lines(
        &ours,
        &bare(&oracle.read("csv", &file)),
        "csv read by python-can",
    );
    oracle.write("csv", &file, &lines(&records, &channels));
    let (read, names) = records_of(&std::fs::read(&file).unwrap(), LogFormat::PythonCanCsv);
    assert_same_lines(&bare(&lines(&read, &names)), &ours, "csv of python-can");
}

/// python-can writes classic data frames alone to TRC.
#[test]
fn trc_of_python_can_is_read_by_us() {
    let Some(oracle) = PythonCan::find() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("theirs.trc");
    let (mut records, channels) = random_records(0x79D, COUNT, PLAIN);
    records.retain(|record| {
        let frame = record.entry.frame();
        frame.is_some_and(|frame| frame.format() == Format::Classic)
    });
    let expected = lines(&records, &channels);
    oracle.write("trc", &file, &expected);
    let (read, channels) = records_of(&std::fs::read(&file).unwrap(), LogFormat::Trc);
    assert_same_lines(&lines(&read, &channels), &expected, "trc");
}

#[test]
fn every_kind_of_frame_python_can_writes_is_read_by_us() {
    let Some(oracle) = PythonCan::find() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for (format, name, remote_lengths, seed) in [
        (LogFormat::Blf, "blf", true, 0xB1F),
        (LogFormat::Asc, "asc", true, 0xA5C),
        (LogFormat::Candump, "candump", false, 0xC),
    ] {
        let allow = Allow {
            raw_length_codes: false,
            empty_fd: true,
            remote_lengths,
            error_details: false,
        };
        // Enough for several BLF containers, with objects across their borders.
        let (records, channels) = random_records(seed, 2 * COUNT, allow);
        let expected_lines = lines(&records, &channels);
        let file = folder.path().join(name);
        oracle.write(name, &file, &expected_lines);
        let (read, channels) = records_of(&std::fs::read(&file).unwrap(), format);
        assert_same_lines(&lines(&read, &channels), &expected_lines, name);
    }
}

/// Lays out records as CAN_MESSAGE2 and CAN_FD_MESSAGE_64 objects, which python-can reads but does
/// not write, in one plain container.
fn blf_of_the_other_objects(records: &[Record], channels: &Channels) -> Vec<u8> {
    let mut content = Vec::new();
    for record in records {
        let Some(frame) = record.entry.frame() else {
            continue;
        };
        let channel = channels.name(record.channel)[3..].parse::<u8>().unwrap() + 1;
        let extended = u32::from(frame.id().is_extended()) << 31;
        let id = (frame.id().raw() | extended).to_le_bytes();
        let sent = matches!(
            record.entry,
            LogEntry::Frame {
                direction: Some(Direction::Tx),
                ..
            }
        );
        let (kind, body) = match frame.format() {
            Format::Fd {
                bit_rate_switch,
                error_state_indicator,
            } => {
                let flags = 1 << 12
                    | u32::from(bit_rate_switch) << 13
                    | u32::from(error_state_indicator) << 14;
                let mut body = vec![channel, frame.dlc(), frame.data_len() as u8, 0];
                body.extend(id);
                body.extend([0xEE; 4]);
                body.extend(flags.to_le_bytes());
                body.extend([0xEE; 18]);
                body.extend([u8::from(sent), 0, 0xEE, 0xEE, 0xEE, 0xEE]);
                body.extend(frame.data());
                (101u32, body)
            }
            format => {
                let remote = u8::from(format == Format::Remote) << 7;
                let mut body = vec![channel, 0, u8::from(sent) | remote, frame.dlc()];
                body.extend(id);
                body.extend(frame.data());
                body.resize(24, 0);
                (86u32, body)
            }
        };
        content.extend(b"LOBJ\x20\0\x01\0");
        content.extend((32 + body.len() as u32).to_le_bytes());
        content.extend(kind.to_le_bytes());
        content.extend([2, 0, 0, 0, 0, 0, 0, 0]);
        content.extend((record.at_ns - records[0].at_ns).to_le_bytes());
        content.extend(&body);
        content.resize(content.len() + body.len() % 4, 0);
    }
    let mut bytes = b"LOGG\x90\0\0\0".to_vec();
    bytes.resize(144, 0);
    bytes.extend(b"LOBJ\x10\0\x01\0");
    bytes.extend((32 + content.len() as u32).to_le_bytes());
    bytes.extend([10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend((content.len() as u32).to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(content);
    bytes
}

#[test]
fn the_blf_objects_python_can_does_not_write_are_the_same_to_both() {
    let Some(oracle) = PythonCan::find() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.blf");
    let allow = Allow {
        raw_length_codes: false,
        empty_fd: true,
        remote_lengths: true,
        error_details: false,
    };
    let (mut records, channels) = random_records(0x101, COUNT, allow);
    records.retain(|record| record.entry.frame().is_some());
    std::fs::write(&file, blf_of_the_other_objects(&records, &channels)).unwrap();
    let expected_lines = lines(&records, &channels);
    assert_same_lines(&oracle.read("blf", &file), &expected_lines, "python-can");
    let (read, channels) = records_of(&std::fs::read(&file).unwrap(), LogFormat::Blf);
    assert_same_lines(&lines(&read, &channels), &expected_lines, "waywarden");
}

#[test]
fn records_with_plain_length_codes_are_read_by_python_can_in_both_text_formats() {
    let Some(oracle) = PythonCan::find() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("plain");
    for (name, remote_lengths, written) in [
        ("asc", true, written_asc as fn(&[Record], &Channels) -> _),
        ("candump", true, written_candump),
    ] {
        let allow = Allow {
            raw_length_codes: true,
            empty_fd: false,
            remote_lengths,
            error_details: false,
        };
        let (mut records, channels) = random_records(0x1299, COUNT, allow);
        let mut changed = 0;
        for record in &mut records {
            let (plain, is_changed) = record.with_plain_length_code();
            changed += usize::from(is_changed);
            *record = plain;
        }
        assert!(changed > COUNT / 20, "{changed} records had such a code");
        std::fs::write(&file, written(&records, &channels).unwrap()).unwrap();
        let expected_lines = lines(&records, &channels);
        assert_same_lines(&expected_lines, &oracle.read(name, &file), name);
    }
}
