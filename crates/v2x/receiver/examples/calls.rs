//! The time of a call, for `bench/python/verify_speed.py`, which takes turns with it:
//!
//! ```text
//! calls make FOLDER COUNT    writes root.oer, authority.oer and messages.hex
//! calls run FOLDER           answers each line `one` or `many` with nanoseconds of the processor
//!                            for all messages, by a receiver that knows the authorities alone
//! ```

use std::io::{self, BufRead as _, Write as _};
use std::path::Path;
use std::{env, fs};

use rustix::time::{ClockId, clock_gettime};
use waywarden_testkit_v2x::world::{Holder, MessageContents, Named, Spec, now};
use waywarden_v2x_input::certificates::{SignerKeys, Trust};
use waywarden_v2x_input::record::InputRecord;
use waywarden_v2x_input::records;
use waywarden_v2x_input::time::At;
use waywarden_v2x_input::unread::UnreadFile;
use waywarden_v2x_receiver::{Receiver, ReceiverSettings, Reception};
use waywarden_v2x_wire::ieee1609dot2::Time64;

/// Stations that send in turn.
const STATIONS: usize = 50;
/// Of so many messages of a station one has the certificate.
const CERTIFICATE_EVERY: usize = 10;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["make", folder, count] => make(Path::new(folder), count.parse().expect("a count")),
        ["run", folder] => run(Path::new(folder)),
        _ => panic!("calls make FOLDER COUNT, or calls run FOLDER"),
    }
}

fn make(folder: &Path, count: usize) {
    let root = Holder::issue(&Spec::authority(1), None);
    let authority = Holder::issue(&Spec::authority(2), Some(&root));
    fs::write(folder.join("root.oer"), &root.certificate).unwrap();
    fs::write(folder.join("authority.oer"), &authority.certificate).unwrap();
    let station = |number| Holder::issue(&Spec::station(10 + number), Some(&authority));
    let stations: Vec<Holder> = (0..STATIONS as u8).map(station).collect();
    let mut lines = String::new();
    for number in 0..count {
        let payload = format!("message {number} of a station that tells where it is");
        let contents = MessageContents {
            psid: 32,
            made: Some(Time64(now().0 + number as u64 * 1_000)),
            payload: payload.as_bytes(),
            named: match (number / STATIONS) % CERTIFICATE_EVERY {
                0 => Named::Certificates(&[]),
                _ => Named::Digest,
            },
            ..MessageContents::new()
        };
        let message = contents.sign(&stations[number % STATIONS]);
        lines.extend(message.iter().map(|byte| format!("{byte:02x}")));
        lines.push('\n');
    }
    fs::write(folder.join("messages.hex"), lines).unwrap();
}

fn run(folder: &Path) {
    let certificates = ["root.oer", "authority.oer"].map(|name| fs::read(folder.join(name)));
    let [root, authority] = certificates.map(|bytes| bytes.expect("a certificate"));
    let text = io::Cursor::new(fs::read(folder.join("messages.hex")).expect("messages"));
    let mut messages = Vec::new();
    let read = records::read::<UnreadFile>("messages", Box::new(text), |record| {
        messages.push(InputRecord::of(record.place, record.bytes));
        Ok(())
    });
    assert!(read.expect("messages").wrong.is_empty());
    for line in io::stdin().lock().lines() {
        let receiver = receiver(&root, &authority);
        let begun = spent();
        let verdicts = match line.expect("a line").as_str() {
            "many" => receiver.verify_many(messages.clone(), &Reception::default(), 1),
            _ => messages
                .iter()
                .map(|message| receiver.verify(message, &Reception::default()))
                .collect(),
        };
        let took = spent() - begun;
        assert!(verdicts.iter().flatten().all(|verdict| verdict.accepted));
        assert_eq!(verdicts.iter().flatten().count(), messages.len());
        println!("{took}");
        io::stdout().flush().unwrap();
    }
}

fn receiver(root: &[u8], authority: &[u8]) -> Receiver {
    let settings = ReceiverSettings {
        at: At::Generation,
        threads: 1,
        ..ReceiverSettings::default()
    };
    let mut verifier = settings.verifier();
    verifier.add_trust_anchor(root).unwrap();
    verifier.add_certificate(authority).unwrap();
    Receiver::new(&settings, verifier, Trust::default(), SignerKeys::default())
}

/// Returns the nanoseconds of the processor that this process has used.
fn spent() -> u64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}
