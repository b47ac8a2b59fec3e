//! Finds the corpus and the outside oracles for the integration tests; random records by seed.
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use waywarden_can::{Format, Frame, Id, frame::FD_LENGTHS};
use waywarden_can_log::{Channels, Direction, Entry, ErrorFrame, Record};

fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn required(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| value == "1")
}

/// Returns a corpus file's bytes; `None` (with a message) where there is no corpus.
pub(crate) fn corpus(name: &str) -> Option<Vec<u8>> {
    let root = std::env::var_os("WAYWARDEN_CORPUS")
        .map_or_else(|| workspace().join("../shared/corpus"), PathBuf::from);
    match std::fs::read(root.join(name)) {
        Ok(bytes) => Some(bytes),
        Err(error) if required("WAYWARDEN_REQUIRE_CORPUS") => panic!("corpus {name}: {error}"),
        Err(_) => {
            println!("skipped: corpus not found");
            None
        }
    }
}

/// python-can behind `python_can_oracle.py`.
pub(crate) struct PythonCan {
    interpreter: PathBuf,
}

impl PythonCan {
    /// Returns the oracle; `None` (with a message) where it is not installed.
    pub(crate) fn find() -> Option<Self> {
        let interpreter = std::env::var_os("WAYWARDEN_PYTHON").map_or_else(
            || workspace().join("target/oracles/bin/python"),
            PathBuf::from,
        );
        let oracle = PythonCan { interpreter };
        let works = Command::new(&oracle.interpreter)
            .args(["-c", "import can"])
            .output()
            .is_ok_and(|output| output.status.success());
        found(works, "python-can").then_some(oracle)
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

/// Whether tshark can be run; prints a message where not.
pub(crate) fn has_tshark() -> bool {
    let works = Command::new("tshark")
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success());
    found(works, "tshark")
}

/// Runs a command to its end and returns what it printed.
pub(crate) fn output_of(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn found(works: bool, name: &str) -> bool {
    assert!(
        works || !required("WAYWARDEN_REQUIRE_ORACLES"),
        "{name} is required and does not run"
    );
    if !works {
        println!("skipped: {name} not found");
    }
    works
}

/// Tells records as `python_can_oracle.py` does.
pub(crate) fn lines(records: &[Record], channels: &Channels) -> String {
    // Half a microsecond up, as the oracle rounds.
    let micros = |record: &Record| (record.at_ns + 500) / 1000;
    let start = records.first().map_or(0, micros);
    let mut text = String::new();
    for record in records {
        let at = micros(record) - start;
        let Entry::Frame { frame, direction } = record.entry else {
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

/// SplitMix64: small, seeded, good enough to pick test cases.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number below a bound above zero.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next() as u8).collect()
    }
}

/// What random records may contain beyond what every format carries.
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

/// Makes records of every kind on channels can0 to can3, times rising by whole microseconds.
pub(crate) fn random_records(seed: u64, count: usize, allow: Allow) -> (Vec<Record>, Channels) {
    println!("seed {seed:#x}");
    let mut random = Random(seed);
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

fn random_entry(random: &mut Random, allow: Allow) -> Entry {
    let id = match random.below(2) {
        0 => Id::standard(random.below(0x800) as u16).unwrap(),
        _ => Id::extended(random.below(0x2000_0000) as u32).unwrap(),
    };
    let most = if allow.raw_length_codes { 16 } else { 9 };
    let dlc = random.below(most) as u8;
    let frame = match random.below(16) {
        0 if allow.error_details => {
            let class = random.below(0x2000_0000) as u32;
            let data = random.next().to_le_bytes();
            return Entry::ErrorFrame(ErrorFrame { class, data });
        }
        0 => return Entry::ErrorFrame(ErrorFrame::BUS_ERROR),
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
            Frame::fd_with(id, &data, random.below(2) == 0, random.below(4) == 0)
        }
    };
    let direction = match random.below(2) {
        0 => Direction::Rx,
        _ => Direction::Tx,
    };
    Entry::Frame {
        frame: frame.unwrap(),
        direction: Some(direction),
    }
}
