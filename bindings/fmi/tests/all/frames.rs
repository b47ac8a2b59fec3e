//! Two nodes on one bus: each frame of the corpus takes exactly its bits.

use std::collections::BTreeMap;

use waywarden_can::{FdFlags, Frame, Id};
use waywarden_testkit::{bytes_of, corpus_text};
use waywarden_vehicle_fmu::Operation;
use waywarden_vehicle_fmu::operation::Configuration;

use crate::importer::{Importer, Messages, Resources};

const BUS: &str = "[vehicle]\nname = \"two\"\n[[bus]]\nname = \"a\"\nbitrate = \"500k\"\n\
                   data_bitrate = \"2M\"\n";
/// Keys of a bus and kinds of frames that it has.
const VARIANTS: [(&str, &[&str]); 2] = [
    ("", &["classic", "fd-iso"]),
    ("fd = \"non-iso\"\n", &["fd-non-iso"]),
];
/// Picoseconds of a nominal and of a data bit.
const NOMINAL: u64 = 2_000_000;
const DATA: u64 = 500_000;
/// One frame each millisecond; the longest takes 0.7.
const PERIOD: u64 = 1_000_000_000;
/// Frames of the corpus that the test sends.
const FRAMES: usize = 2_000;

/// A frame of the corpus, and the time it takes in picoseconds, intermission not included.
fn line(line: &str) -> (Frame, u64) {
    let fields: Vec<&str> = line.split(',').collect();
    let [kind, extended, id, brs, esi, data, nominal, fast, ..] = fields[..] else {
        panic!("{line}");
    };
    let raw = u32::from_str_radix(id, 16).unwrap();
    let id = match extended {
        "1" => Id::extended(raw).unwrap(),
        _ => Id::standard(raw as u16).unwrap(),
    };
    let data = bytes_of(data);
    let flags = FdFlags {
        bit_rate_switch: brs == "1",
        error_state_indicator: esi == "1",
    };
    let frame = match kind {
        "classic" => Frame::classic(id, &data),
        _ => Frame::fd_with(id, &data, flags),
    };
    let bits = |text: &str| text.parse::<u64>().unwrap();
    (frame.unwrap(), bits(nominal) * NOMINAL + bits(fast) * DATA)
}

#[test]
fn a_frame_takes_exactly_its_bits() {
    let Some(text) = corpus_text("can/frame_bits.csv") else {
        return;
    };
    for (keys, kinds) in VARIANTS {
        let is_there = |line: &&str| kinds.contains(&line.split(',').next().unwrap());
        let lines: Vec<&str> = text.lines().filter(is_there).collect();
        let frames = lines.iter().step_by(lines.len() / FRAMES + 1);
        let frames: Vec<(Frame, u64)> = frames.map(|text| line(text)).collect();
        assert!(frames.len() > 1_000);
        take_their_bits(&format!("{BUS}{keys}"), &frames);
    }
}

/// Sends frames from two nodes in turn, and compares when they end.
fn take_their_bits(bus: &str, frames: &[(Frame, u64)]) {
    let (messages, resources) = (Messages::default(), Resources::new(bus, 2, &[]));
    let mut importer = Importer::new(&resources, &messages, 2);
    let mut plan = BTreeMap::new();
    for (at, (frame, _)) in (1..).zip(frames) {
        // In turn.
        let sender = (at % 2) as usize;
        plan.insert(at * PERIOD, vec![(sender, Operation::Transmit(*frame))]);
    }
    importer.run(&plan, (frames.len() as u64 + 1) * PERIOD);
    let mut heard = importer.heard.iter();
    for (at, (frame, time)) in (1..).zip(frames) {
        let sender = (at % 2) as usize;
        let end = at * PERIOD + time;
        let id = frame.id().raw();
        // A receiver has a frame after its last bit but one, the sender after the last.
        let received = (end - NOMINAL, 1 - sender, Operation::Transmit(*frame));
        assert_eq!(heard.next(), Some(&received), "{frame:?}");
        let confirmed = (end, sender, Operation::Confirm(id));
        assert_eq!(heard.next(), Some(&confirmed), "{frame:?}");
    }
    assert_eq!(heard.next(), None);
    assert_eq!(messages.take(), Vec::<String>::new());
}

/// Of two nodes at one time the lower identifier wins; a loser waits, or is notified, as it asked.
#[test]
fn a_loser_waits_or_is_notified() {
    for discards in [false, true] {
        let (messages, resources) = (Messages::default(), Resources::new(BUS, 3, &[]));
        let mut importer = Importer::new(&resources, &messages, 3);
        let frame = |id| {
            let frame = Frame::classic(Id::standard(id).unwrap(), &[]).unwrap();
            Operation::Transmit(frame)
        };
        let configured = Operation::Configuration(Configuration::DiscardsLosers(discards));
        let plan = BTreeMap::from([
            (0, vec![(1, configured)]),
            (PERIOD, vec![(1, frame(0x200)), (0, frame(0x100))]),
        ]);
        importer.run(&plan, 2 * PERIOD);
        let confirmed: Vec<(usize, u32)> = importer
            .heard
            .iter()
            .filter_map(|(_, terminal, operation)| match operation {
                Operation::Confirm(id) => Some((*terminal, *id)),
                _ => None,
            })
            .collect();
        let lost = (PERIOD, 1, Operation::ArbitrationLost(0x200));
        match discards {
            true => assert_eq!(confirmed, [(0, 0x100)]),
            false => assert_eq!(confirmed, [(0, 0x100), (1, 0x200)]),
        }
        assert_eq!(importer.heard.contains(&lost), discards);
    }
}

/// The only controller on its bus gets no acknowledgement: it gets errors, and sends again.
#[test]
fn a_node_alone_gets_bus_errors() {
    let (messages, resources) = (Messages::default(), Resources::new(BUS, 1, &[]));
    let mut importer = Importer::new(&resources, &messages, 1);
    let frame = Frame::classic(Id::standard(0x123).unwrap(), &[]).unwrap();
    let plan = BTreeMap::from([(PERIOD, vec![(0, Operation::Transmit(frame))])]);
    importer.run(&plan, 100 * PERIOD);
    let Operation::BusError {
        id,
        error,
        primary,
        is_sender,
    } = importer.heard[0].2
    else {
        panic!("{:?}", importer.heard[0]);
    };
    assert_eq!(
        (id, error as u8, primary, is_sender),
        (0x123, 5, true, true)
    );
    assert!(importer.heard.len() > 100);
}
