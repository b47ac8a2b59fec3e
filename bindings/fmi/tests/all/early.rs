//! Steps that are longer than the time to the next operation: with early returns nothing is lost
//! and each time is exact; without them nothing is lost.

use std::collections::BTreeMap;

use waywarden_can::{Frame, Id};
use waywarden_vehicle_fmu::Operation;

use crate::importer::{Heard, Importer, Messages, Resources};

const BUS: &str = "[vehicle]\nname = \"three\"\n[[bus]]\nname = \"a\"\nbitrate = \"500k\"\n";
const NODES: usize = 3;
const MICROSECOND: u64 = 1_000_000;
const FRAMES: u64 = 600;
/// Answers have identifiers from here on.
const ANSWERS: u16 = 0x400;

/// Frames of two nodes, closer together at first than the bus takes them, and then farther apart.
fn plan() -> (BTreeMap<u64, Vec<(usize, Operation)>>, u64) {
    let (mut plan, mut at) = (BTreeMap::new(), 0);
    for number in 1..=FRAMES {
        at += (97 + 7 * (number % 13) + number) * MICROSECOND;
        let data = vec![number as u8; number as usize % 9];
        let id = Id::standard((number * 37 % 0x200) as u16).unwrap();
        let frame = Frame::classic(id, &data).unwrap();
        plan.insert(
            at,
            vec![((number % 2) as usize, Operation::Transmit(frame))],
        );
    }
    (plan, at + 10_000 * MICROSECOND)
}

/// The third node answers a frame in the event in which it hears of it.
fn answer(terminal: usize, operation: &Operation) -> Option<Operation> {
    match operation {
        Operation::Transmit(frame) if terminal == 2 && frame.id().raw() < u32::from(ANSWERS) => {
            let id = Id::standard(ANSWERS + frame.id().raw() as u16).unwrap();
            Some(Operation::Transmit(Frame::classic(id, &[]).unwrap()))
        }
        _ => None,
    }
}

/// Orders operations of one time by terminal: which clock ticks first is the importer's choice.
fn sorted(mut heard: Vec<Heard>) -> Vec<Heard> {
    heard.sort_by_key(|(at, terminal, _)| (*at, *terminal));
    heard
}

/// Operations of an importer that steps to each tick of a clock.
fn exact(answer: fn(usize, &Operation) -> Option<Operation>) -> Vec<Heard> {
    let (messages, resources) = (Messages::default(), Resources::new(BUS, NODES, &[]));
    let mut importer = Importer::new(&resources, &messages, NODES);
    importer.answer = answer;
    let (plan, end) = plan();
    importer.run(&plan, end);
    sorted(std::mem::take(&mut importer.heard))
}

#[test]
fn an_early_return_loses_nothing_and_has_the_exact_time() {
    let expected = exact(answer);
    // Each frame of the two nodes and its answer: a confirmation, and two nodes that receive it.
    assert_eq!(expected.len() as u64, 2 * FRAMES * NODES as u64);
    let (plan, end) = plan();
    for length in [17 * MICROSECOND, 1_000 * MICROSECOND, end, 3 * end] {
        let (messages, resources) = (Messages::default(), Resources::new(BUS, NODES, &[]));
        let mut importer = Importer::with(&resources, &messages, NODES, true);
        importer.answer = answer;
        importer.run_in_steps(&plan, length, end);
        assert!(importer.early > FRAMES, "{}", importer.early);
        assert!(
            sorted(std::mem::take(&mut importer.heard)) == expected,
            "{length}"
        );
        assert_eq!(messages.take(), Vec::<String>::new());
    }
}

#[test]
fn a_long_step_without_early_returns_loses_nothing() {
    let expected = exact(|_, _| None);
    let (plan, end) = plan();
    for length in [17 * MICROSECOND, 1_000 * MICROSECOND, 50_000 * MICROSECOND] {
        let (messages, resources) = (Messages::default(), Resources::new(BUS, NODES, &[]));
        let mut importer = Importer::new(&resources, &messages, NODES);
        importer.run_in_steps(&plan, length, end);
        assert_eq!(importer.early, 0);
        for terminal in 0..NODES {
            let of = |heard: &[Heard]| -> Vec<Heard> {
                let own = heard.iter().filter(|(_, to, _)| *to == terminal);
                own.cloned().collect()
            };
            let (late, exact) = (of(&importer.heard), of(&expected));
            assert_eq!(late.len(), exact.len());
            for ((at, _, operation), (earliest, _, wanted)) in late.iter().zip(&exact) {
                assert_eq!(operation, wanted);
                // The end of a step, which a node that hands operations in makes shorter.
                let is_end = at.is_multiple_of(length) || *at == end || plan.contains_key(at);
                assert!(is_end && (*earliest..*earliest + length).contains(at));
            }
        }
    }
}
