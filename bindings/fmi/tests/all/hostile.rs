//! Nodes that send rubbish: each operation is answered, and the bus goes on.

use std::collections::BTreeMap;

use waywarden_can::{Frame, Id};
use waywarden_testkit::Random;
use waywarden_vehicle_fmu::Operation;

use crate::importer::{Importer, Messages, Resources};

const BUS: &str = "[vehicle]\nname = \"two\"\n[[bus]]\nname = \"a\"\nbitrate = \"500k\"\n";
const STEP: u64 = 1_000_000_000;

#[test]
fn what_only_a_bus_says_and_what_a_bus_cannot_carry_is_refused() {
    let (messages, resources) = (Messages::default(), Resources::new(BUS, 2, &[]));
    let mut importer = Importer::new(&resources, &messages, 2);
    let fd = Frame::fd(Id::standard(1).unwrap(), &[0; 12]).unwrap();
    for (operation, reason) in [
        (Operation::Confirm(1), "only a bus simulation"),
        (Operation::Transmit(fd), "a CAN FD frame on a classic bus"),
    ] {
        let at = importer.time();
        let plan = BTreeMap::from([(at, vec![(0, operation.clone())])]);
        importer.run(&plan, at + STEP);
        let answer = Operation::FormatError(operation.to_bytes());
        assert_eq!(importer.heard.last().unwrap().2, answer);
        let said = messages.take();
        assert!(said.len() == 1 && said[0].contains(reason), "{said:?}");
    }
}

#[test]
fn rubbish_is_answered_and_the_bus_goes_on() {
    let mut random = Random::of_test("hostile");
    let (messages, resources) = (Messages::default(), Resources::new(BUS, 3, &[]));
    let mut importer = Importer::new(&resources, &messages, 3);
    for _ in 0..2_000 {
        importer.begin_event();
        let length = random.index(60);
        let mut bytes = random.bytes(length);
        // Mostly with codes and lengths that exist.
        for at in [0, 4] {
            if random.below(4) > 0 && bytes.len() >= at + 4 {
                let number = [0x01, 0x10, 0x20, 0x40, 0x41, 0x42, 8, 16][random.index(8)];
                bytes[at..at + 4].copy_from_slice(&u32::to_le_bytes(number));
            }
        }
        importer.hand_in(random.index(3), &bytes);
        importer.end_event();
        let end = importer.time() + random.below(STEP);
        importer.run(&BTreeMap::new(), end);
        messages.take();
    }
    let answers = importer
        .heard
        .iter()
        .filter(|(_, _, operation)| matches!(operation, Operation::FormatError(_)));
    assert!(answers.count() > 500);
    let awake = Operation::Status(waywarden_can::node::BusState::Active);
    let frame = Operation::Transmit(Frame::classic(Id::standard(0).unwrap(), &[7]).unwrap());
    let at = importer.time() + STEP;
    let plan = BTreeMap::from([
        (
            at,
            (0..3).map(|terminal| (terminal, awake.clone())).collect(),
        ),
        (at + STEP, vec![(0, frame.clone())]),
    ]);
    importer.run(&plan, at + 100 * STEP);
    let last: Vec<_> = importer
        .heard
        .iter()
        .filter(|heard| heard.2 == frame)
        .collect();
    assert_eq!(last.len(), 2, "{last:?}");
}
