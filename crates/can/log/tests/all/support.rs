//! python-can as an oracle, and random records by seed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use waywarden_can::{FdFlags, Format, Frame, Id, frame::FD_LENGTHS};
use waywarden_can_log::{Channels, Direction, ErrorFrame, LogEntry, Record};
use waywarden_testkit::{Random, output_of, python_with};

/// python-can behind `python_can_oracle.py`.
pub(crate) struct PythonCan {
    interpreter: PathBuf,
}

impl PythonCan {
    /// Returns the oracle; `None` (with a message) where it is not installed.
    pub(crate) fn find() -> Option<Self> {
        python_with("can").map(|interpreter| PythonCan { interpreter })
    }

    /// Returns the oracle with asammdf, without which python-can has no MF4: the Python that
    /// `$WAYWARDEN_MF4_ORACLE` names, as `xtask/soak/mf4` installs it. `None` (with a message)
    /// without that variable, whatever else is required: asammdf is too heavy for every test run.
    pub(crate) fn with_asammdf() -> Option<Self> {
        let Some(python) = std::env::var_os("WAYWARDEN_MF4_ORACLE") else {
            println!("skipped: no WAYWARDEN_MF4_ORACLE; xtask/soak/mf4 installs asammdf");
            return None;
        };
        Some(PythonCan {
            interpreter: python.into(),
        })
    }

    /// Reads a file and returns its messages as lines.
    pub(crate) fn read(&self, format: &str, file: &Path) -> String {
        let mut command = self.command("read", format, file);
        output_of(command.stdin(Stdio::null()))
    }

    /// Writes a file of the messages that lines tell.
    pub(crate) fn write(&self, format: &str, file: &Path, lines: &str) {
        // Through a file: a pipe could fill on both sides.
        let input = file.with_extension("lines");
        std::fs::write(&input, lines).unwrap();
        let mut command = self.command("write", format, file);
        output_of(command.stdin(std::fs::File::open(input).unwrap()));
    }

    fn command(&self, what: &str, format: &str, file: &Path) -> Command {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/python_can_oracle.py");
        let mut command = Command::new(&self.interpreter);
        command.arg(script).args([what, format]).arg(file);
        command
    }
}

/// Tells records as `python_can_oracle.py` does.
pub(crate) fn lines(records: &[Record], channels: &Channels) -> String {
    // Half a microsecond up, as the oracle rounds.
    let micros = |record: &Record| (record.at_ns + 500) / 1000;
    let start = records.first().map_or(0, micros);
    let mut text = String::new();
    for record in records {
        let at = micros(record) - start;
        let LogEntry::Frame { frame, direction } = record.entry else {
            writeln!(text, "{at} - e - - - - -").unwrap();
            continue;
        };
        let (kind, esi) = match frame.format() {
            Format::Classic => ('c', '-'),
            Format::Remote => ('r', '-'),
            Format::Fd {
                bit_rate_switch,
                error_state_indicator,
            } => (
                if bit_rate_switch { 'b' } else { 'f' },
                if error_state_indicator { 'p' } else { '-' },
            ),
        };
        let mark = if frame.id().is_extended() { "x" } else { "" };
        let length = match frame.format() {
            Format::Remote => usize::from(frame.dlc()),
            _ => frame.data_len(),
        };
        let direction = match direction {
            Some(Direction::Tx) => 'T',
            _ => 'R',
        };
        let mut data: String = frame.data().iter().map(|b| format!("{b:02X}")).collect();
        if data.is_empty() {
            data.push('-');
        }
        let (channel, id) = (channels.name(record.channel), frame.id().raw());
        writeln!(
            text,
            "{at} {channel} {kind} {esi} {id:X}{mark} {length} {direction} {data}"
        )
        .unwrap();
    }
    text
}

/// Fails with the first line that differs, not with megabytes of text.
pub(crate) fn assert_same_lines(ours: &str, theirs: &str, what: &str) {
    for (n, (ours, theirs)) in ours.lines().zip(theirs.lines()).enumerate() {
        assert_eq!(ours, theirs, "{what}: message {n}");
    }
    let counts = (ours.lines().count(), theirs.lines().count());
    assert_eq!(counts.0, counts.1, "{what}: number of messages");
}

/// Content that random records may have beyond what every format carries.
#[derive(Clone, Copy)]
pub(crate) struct Allow {
    /// Length codes above 8 in classic frames.
    pub(crate) raw_length_codes: bool,
    /// CAN FD frames without data, which python-can reads from ASC as remote frames.
    pub(crate) empty_fd: bool,
    /// Remote frames with a length code, which python-can does not write to candump logs.
    pub(crate) remote_lengths: bool,
    /// Details in error frames.
    pub(crate) error_details: bool,
}

impl Allow {
    /// All that a record may have.
    pub(crate) const ALL: Allow = Allow {
        raw_length_codes: true,
        empty_fd: true,
        remote_lengths: true,
        error_details: true,
    };
}

/// Makes records of every kind on channels can0 to can3, times rising by whole microseconds.
pub(crate) fn random_records(seed: u64, count: usize, allow: Allow) -> (Vec<Record>, Channels) {
    println!("seed {seed:#x}");
    let mut random = Random::new(seed);
    let mut channels = Channels::default();
    let names: Vec<_> = (0..4)
        .map(|n| channels.intern(format!("can{n}").as_bytes()).unwrap())
        .collect();
    let mut at_ns = 1_620_692_699_796_000_000;
    let records = (0..count)
        .map(|_| {
            at_ns += random.below(5_000) * 1_000;
            Record {
                at_ns,
                channel: names[random.below(4) as usize],
                entry: random_entry(&mut random, allow),
            }
        })
        .collect();
    (records, channels)
}

fn random_entry(random: &mut Random, allow: Allow) -> LogEntry {
    let id = match random.below(2) {
        0 => Id::standard(random.below(0x800) as u16).unwrap(),
        _ => Id::extended(random.below(0x2000_0000) as u32).unwrap(),
    };
    let most = if allow.raw_length_codes { 16 } else { 9 };
    let dlc = random.below(most) as u8;
    let frame = match random.below(16) {
        0 if allow.error_details => {
            let class = random.below(0x2000_0000) as u32;
            let data = random.u64().to_le_bytes();
            return LogEntry::ErrorFrame(ErrorFrame { class, data });
        }
        0 => return LogEntry::ErrorFrame(ErrorFrame::BUS_ERROR),
        1 | 2 => Frame::remote(id, if allow.remote_lengths { dlc } else { 0 }),
        3..=8 => {
            let frame = Frame::classic(id, &random.bytes(usize::from(dlc.min(8))));
            if dlc > 8 {
                frame.unwrap().with_raw_dlc(dlc)
            } else {
                frame
            }
        }
        _ => {
            let first = u64::from(!allow.empty_fd);
            let code = first + random.below(16 - first);
            let data = random.bytes(usize::from(FD_LENGTHS[code as usize]));
            Frame::fd_with(
                id,
                &data,
                FdFlags {
                    bit_rate_switch: random.below(2) == 0,
                    error_state_indicator: random.below(4) == 0,
                },
            )
        }
    };
    let direction = match random.below(2) {
        0 => Direction::Rx,
        _ => Direction::Tx,
    };
    LogEntry::Frame {
        frame: frame.unwrap(),
        direction: Some(direction),
    }
}
