//! Random records, written in each format and read back.

use crate::support::{Allow, random_records};
use waywarden_can::{FdFlags, Format, Frame};
use waywarden_can_log::{
    Channels, Direction, ErrorFrame, LogEntry, LogFormat, Record, asc, blf, candump, open, pcapng,
    python_can_csv, trc,
};
use waywarden_testkit::{Random, each_seed};

const COUNT: usize = 300;

/// A format with its writer, and the content that it keeps of a record.
struct Written {
    format: LogFormat,
    write: fn(&[Record], &Channels) -> Vec<u8>,
    keeps: fn(Record) -> Record,
    /// True if times count from the whole second of the first record.
    is_relative: bool,
    has_channels: bool,
}

macro_rules! writer {
    ($writer:expr) => {
        |records, channels| {
            let mut writer = $writer;
            for record in records {
                writer.write(record, channels).unwrap();
            }
            writer.finish().unwrap()
        }
    };
}

fn formats() -> [Written; 6] {
    let written = |format, write, keeps, is_relative| Written {
        format,
        write,
        keeps,
        is_relative,
        has_channels: format != LogFormat::PythonCanCsv,
    };
    [
        written(
            LogFormat::Candump,
            writer!(candump::Writer::new(Vec::new())),
            |record| record,
            false,
        ),
        written(
            LogFormat::Capture,
            writer!(pcapng::Writer::new(Vec::new())),
            |record| record,
            false,
        ),
        written(
            LogFormat::Asc,
            writer!(asc::Writer::new(Vec::new())),
            with_direction,
            true,
        ),
        written(
            LogFormat::Trc,
            writer!(trc::Writer::new(Vec::new())),
            with_direction,
            true,
        ),
        written(
            LogFormat::Blf,
            |records, channels| {
                let mut writer = blf::Writer::new(Vec::new());
                for record in records {
                    writer.write(record, channels).unwrap();
                }
                writer.finish().unwrap().output
            },
            with_direction,
            true,
        ),
        written(
            LogFormat::PythonCanCsv,
            writer!(python_can_csv::Writer::new(Vec::new())),
            without_flags,
            false,
        ),
    ]
}

/// A record without the details of an error, and received unless it was sent.
fn with_direction(record: Record) -> Record {
    let entry = match record.entry {
        LogEntry::Frame { frame, direction } => LogEntry::Frame {
            frame,
            direction: direction.or(Some(Direction::Rx)),
        },
        LogEntry::ErrorFrame(_) => LogEntry::ErrorFrame(ErrorFrame::BUS_ERROR),
    };
    Record { entry, ..record }
}

/// A record without direction and flags, a CAN FD frame of 8 bytes as a classic one.
fn without_flags(record: Record) -> Record {
    let entry = match record.entry {
        LogEntry::Frame { frame, .. } => LogEntry::Frame {
            frame: match (frame.format(), frame.data_len()) {
                (Format::Fd { .. }, ..9) => Frame::classic(frame.id(), frame.data()).unwrap(),
                (Format::Fd { .. }, _) => Frame::fd_with(
                    frame.id(),
                    frame.data(),
                    FdFlags {
                        bit_rate_switch: false,
                        error_state_indicator: false,
                    },
                )
                .unwrap(),
                _ => frame,
            },
            direction: None,
        },
        LogEntry::ErrorFrame(error) => LogEntry::ErrorFrame(ErrorFrame {
            // A class of zero stands for none.
            class: if error.class == 0 { 0x80 } else { error.class },
            ..error
        }),
    };
    Record { entry, ..record }
}

/// Gives records nanoseconds and names that do not end on their numbers, and takes directions.
fn vary(records: &mut [Record], seed: u64) -> Channels {
    let mut random = Random::new(seed);
    let mut channels = Channels::default();
    let names = ["body", "can3", "vcan3", "can0"].map(|name| channels.intern(name.as_bytes()));
    for record in records {
        record.at_ns += random.below(1_000);
        record.channel = names[random.below(4) as usize].unwrap();
        if let LogEntry::Frame { direction, .. } = &mut record.entry
            && random.below(3) == 0
        {
            *direction = None;
        }
    }
    channels
}

#[test]
fn what_each_format_carries_is_read_back_the_same() {
    each_seed(8, |seed| {
        let (mut records, _) = random_records(seed, COUNT, Allow::ALL);
        let channels = vary(&mut records, seed);
        records.sort_by_key(|record| record.at_ns);
        let start = records[0].at_ns / 1_000_000_000 * 1_000_000_000;
        for written in formats() {
            let bytes = (written.write)(&records, &channels);
            let mut reader = open(bytes.as_slice()).unwrap();
            assert_eq!(reader.format(), written.format);
            for (n, record) in records.iter().enumerate() {
                let read = reader.next().unwrap().unwrap();
                let expected = (written.keeps)(*record);
                let zero = if written.is_relative { start } else { 0 };
                let what = format!("{:?}, record {n}", written.format);
                assert_eq!(read.entry, expected.entry, "{what}");
                assert_eq!(read.at_ns + zero, expected.at_ns, "{what}");
                if written.has_channels {
                    let name = channels.name(record.channel);
                    assert_eq!(reader.channels().name(read.channel), name, "{what}");
                }
            }
            assert!(reader.next().is_none());
            // The line `Start of measurement` of ASC.
            let events = u64::from(written.format == LogFormat::Asc);
            assert_eq!((reader.skipped(), reader.padded()), (events, 0));
            if written.is_relative {
                assert_eq!(reader.start_ns(), Some(start));
            }
        }
    });
}
