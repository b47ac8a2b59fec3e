//! Many signed messages, each another one: written to a folder for `waywarden verify`, and verified
//! in memory, one by one and together, so that the command can be compared with the verifier.
//!
//! ```text
//! cargo bench -p waywarden-v2x-security --bench many -- write DIR 200000
//! cargo bench -p waywarden-v2x-security --bench many -- rate DIR
//! waywarden verify DIR/messages.hex --trust DIR/trust --at generation
//! ```
//!
//! Times are processor time of the one thread that there is (Linux), else those of a clock.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use waywarden_testkit_v2x::world::{Holder, MessageContents, Named, Spec, now};
use waywarden_v2x_security::{Capacity, IncomingMessage, ReceptionContext, Verifier};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Ieee1609Dot2Data, Time64};

/// Stations that send in turn, each ten times a second; half of them have implicit certificates.
const STATIONS: u8 = 100;
/// Of so many messages of a station one has the certificate.
const CERTIFICATE_EVERY: u64 = 10;
/// Messages that are verified together.
const TOGETHER: usize = 256;
/// The numbers of messages that `rate` takes at most, one by one and together.
const RATED: [usize; 2] = [20_000, 200_000];

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["write", folder, count] => write(Path::new(folder), count.parse().unwrap()),
        ["rate", folder] => rate(Path::new(folder)),
        _ => println!("write DIR COUNT, or rate DIR; see the beginning of benches/many.rs"),
    }
}

fn write(folder: &Path, count: u64) {
    let root = Holder::issue(&Spec::authority(1), None);
    let authority = Holder::issue(&Spec::authority(2), Some(&root));
    let station = |number: u8| {
        let spec = Spec {
            implicit: number % 2 == 1,
            ..Spec::station(10 + number)
        };
        Holder::issue(&spec, Some(&authority))
    };
    let stations: Vec<Holder> = (0..STATIONS).map(station).collect();
    fs::create_dir_all(folder.join("trust")).unwrap();
    fs::write(folder.join("trust/root.oer"), &root.certificate).unwrap();
    fs::write(folder.join("trust/authority.oer"), &authority.certificate).unwrap();
    let mut file = BufWriter::new(fs::File::create(folder.join("messages.hex")).unwrap());
    let mut line = String::new();
    for number in 0..count {
        let turn = number / u64::from(STATIONS);
        let payload = format!("message {number} of a station that tells where it is");
        let message = MessageContents {
            psid: 32,
            made: Some(Time64(now().0 + number * 1_000)),
            payload: payload.as_bytes(),
            named: match turn % CERTIFICATE_EVERY {
                0 => Named::Certificates(&[]),
                _ => Named::Digest,
            },
            ..MessageContents::new()
        };
        line.clear();
        for byte in message.sign(&stations[number as usize % stations.len()]) {
            write!(line, "{byte:02x}").unwrap();
        }
        writeln!(file, "{line}").unwrap();
    }
    file.flush().unwrap();
}

/// A verifier that knows the authorities of a folder.
fn verifier(folder: &Path, table_bytes: usize) -> Verifier {
    let read = |name: &str| fs::read(folder.join("trust").join(name)).unwrap();
    let mut verifier = Verifier::new(Capacity {
        table_bytes,
        ..Capacity::DEFAULT
    });
    verifier.add_trust_anchor(&read("root.oer")).unwrap();
    verifier.add_certificate(&read("authority.oer")).unwrap();
    verifier
}

fn bytes(line: &str) -> Vec<u8> {
    let digits = (0..line.len()).step_by(2);
    let byte = |at: usize| u8::from_str_radix(&line[at..at + 2], 16).unwrap();
    digits.map(byte).collect()
}

fn received(message: &[u8]) -> IncomingMessage<'_, '_> {
    let data: Ieee1609Dot2Data<'_> = parse(message).unwrap();
    let Ieee1609Dot2Content::Signed(data) = data.content else {
        panic!("not signed");
    };
    let made = data.tbs_data.header_info.generation_time.unwrap();
    IncomingMessage {
        message,
        context: ReceptionContext::at(made),
    }
}

fn rate(folder: &Path) {
    let text = fs::read_to_string(folder.join("messages.hex")).unwrap();
    let messages: Vec<Vec<u8>> = text.lines().map(bytes).collect();
    let received: Vec<IncomingMessage<'_, '_>> = messages.iter().map(|one| received(one)).collect();
    for (name, tables) in [("without tables", 0), ("tables of 1 MiB", 1 << 20)] {
        let some = &received[..received.len().min(RATED[0])];
        let mut single = verifier(folder, tables);
        let time = microseconds(some.len(), || {
            for one in some {
                single.verify(one.message, &one.context).unwrap();
            }
        });
        println!("{name}: one by one {time:.2} us a message");
        let some = &received[..received.len().min(RATED[1])];
        let mut together = verifier(folder, tables);
        let time = microseconds(some.len(), || {
            for batch in some.chunks(TOGETHER) {
                let verdicts = together.verify_many(batch);
                assert!(verdicts.iter().all(Result::is_ok));
            }
        });
        println!("{name}: verify_many, {TOGETHER} together {time:.2} us a message");
    }
}

/// The time of each of so many, in microseconds.
fn microseconds(count: usize, run: impl FnOnce()) -> f64 {
    let (begun, used) = (Instant::now(), processor_time());
    run();
    let used = || Some(processor_time()? - used?);
    used().unwrap_or_else(|| begun.elapsed()).as_secs_f64() * 1e6 / count as f64
}

/// Returns the processor time of this thread so far.
fn processor_time() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_whitespace().next()?;
    Some(Duration::from_nanos(nanoseconds.parse().ok()?))
}
