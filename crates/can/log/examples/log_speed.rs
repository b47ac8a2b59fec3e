//! Makes logs of random frames in each format, and measures how fast they are read.
//!
//! `log_speed make DIRECTORY FRAMES` writes them, `log_speed read FILE` prints the frames and the
//! seconds of the processor. `bench/python/log_speed.py` compares them with those of python-can and
//! others.

use std::error::Error;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use waywarden_can::{Frame, Id};
use waywarden_can_log::{
    Channel, Channels, Direction, LogEntry, Record, asc, blf, candump, mf4, open_at_any_place,
    pcapng, python_can_csv, trc,
};
use waywarden_testkit::Random;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["make", directory, frames] => make(Path::new(directory), frames.parse()?),
        ["read", file] => read(Path::new(file)),
        _ => Err("usage: log_speed make DIRECTORY FRAMES | log_speed read FILE".into()),
    }
}

fn read(path: &Path) -> Result<()> {
    let begun = Busy::now();
    let file = File::open(path)?;
    let as_stream = |file| BufReader::with_capacity(1 << 16, file);
    let mut frames = 0_u64;
    for record in open_at_any_place(file, as_stream)? {
        frames += u64::from(record?.entry.frame().is_some());
    }
    println!("{frames} {:.6}", begun.seconds());
    Ok(())
}

/// The time that this process has kept the processor busy; that of the clock where the system does
/// not tell.
enum Busy {
    Clock(Instant),
    Nanoseconds(u64),
}

impl Busy {
    fn now() -> Self {
        busy_ns().map_or_else(|| Busy::Clock(Instant::now()), Busy::Nanoseconds)
    }

    fn seconds(&self) -> f64 {
        match (self, busy_ns()) {
            (Busy::Nanoseconds(before), Some(now)) => (now - before) as f64 * 1e-9,
            (Busy::Clock(begun), _) => begun.elapsed().as_secs_f64(),
            (Busy::Nanoseconds(_), None) => f64::NAN,
        }
    }
}

/// Reads the time of Linux' scheduler: nanoseconds on a processor, then two other numbers.
fn busy_ns() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    text.split_ascii_whitespace().next()?.parse().ok()
}

/// Makes a frame like those of a car: most of 8 bytes, some shorter, a few of 29 bits.
fn record(random: &mut Random, at_ns: u64, channels: &[Channel; 2]) -> Result<Record> {
    let id = match random.below(8) {
        0 => Id::extended(random.below(1 << 29) as u32)?,
        _ => Id::standard(random.below(0x800) as u16)?,
    };
    let length = [8, 8, 8, 8, 8, 8, 4, 2][random.index(8)];
    let frame = Frame::classic(id, &random.bytes(length)).map_err(|error| error.to_string())?;
    let direction = Some(Direction::Rx);
    Ok(Record {
        at_ns,
        channel: channels[random.index(2)],
        entry: LogEntry::Frame { frame, direction },
    })
}

macro_rules! write_all {
    ($directory:expr, $frames:expr, $(($name:literal, $writer:expr)),+ $(,)?) => {{
        let mut names = Channels::default();
        let channels = [names.intern(b"can0")?, names.intern(b"can1")?];
        $({
            let output = BufWriter::new(File::create($directory.join($name))?);
            let mut writer = $writer(output);
            let mut random = Random::new(1);
            let mut at_ns = 1_620_692_699_796_000_000;
            for _ in 0..$frames {
                at_ns += random.below(500) * 1_000;
                writer.write(&record(&mut random, at_ns, &channels)?, &names)?;
            }
            writer.finish()?;
        })+
    }};
}

fn make(directory: &Path, frames: u64) -> Result<()> {
    write_all!(
        directory,
        frames,
        ("frames.log", candump::Writer::new),
        ("frames.asc", asc::Writer::new),
        ("frames.trc", trc::Writer::new),
        ("frames.csv", python_can_csv::Writer::new),
        ("frames.pcapng", pcapng::Writer::new),
        ("frames.mf4", mf4::Writer::new),
    );
    write_all!(directory, frames, ("frames.blf", BlfFile::new));
    Ok(())
}

/// A BLF log whose header is completed in the end.
struct BlfFile(blf::Writer<BufWriter<File>>);

impl BlfFile {
    fn new(output: BufWriter<File>) -> Self {
        BlfFile(blf::Writer::new(output))
    }

    fn write(&mut self, record: &Record, channels: &Channels) -> std::io::Result<()> {
        self.0.write(record, channels)
    }

    fn finish(self) -> Result<()> {
        use std::io::Seek as _;

        let finished = self.0.finish()?;
        let mut file = finished.output.into_inner()?;
        file.rewind()?;
        Ok(file.write_all(&finished.header)?)
    }
}
