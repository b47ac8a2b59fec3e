//! Hostile frames on the receive path of an image in a group: key frames, genuine and changed, and
//! random ones.

use std::collections::VecDeque;
use std::sync::Arc;

use waywarden_can::{FdFlags, Frame, Id};
use waywarden_firmware_link::Answer;
use waywarden_testkit::{Random, cases};
use waywarden_work::{Duration, Instant};

use crate::group_vehicles::{SUITES, car, on_board};
use crate::image::{M4F, empty_record, group_image, run};
use crate::tap::{Answers, Tap};
use crate::world::World;

/// Returns the record of an image, and the frames that it received.
fn heard(answers: &Answers) -> (Vec<u8>, Vec<Frame>) {
    let (mut bytes, mut frames) = (Vec::new(), Vec::new());
    for answer in answers {
        match Answer::decode(answer).expect("our own") {
            Answer::Boot { record, .. } => bytes = record.to_vec(),
            Answer::Received { frame, .. } => frames.extend(frame),
            _ => {}
        }
    }
    (bytes, frames)
}

/// Makes a frame: a genuine one as it is or changed; one under the identifier of a genuine one; or
/// one of random bytes.
fn frame(random: &mut Random, genuine: &[Frame]) -> Frame {
    let model = &genuine[random.index(genuine.len())];
    let mut data = model.data().to_vec();
    let flags = FdFlags {
        bit_rate_switch: true,
        error_state_indicator: random.below(8) == 0,
    };
    match random.below(8) {
        0 => *model,
        1 | 2 => {
            for _ in 0..=random.below(3) {
                let at = random.index(data.len().max(1));
                if let Some(byte) = data.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            Frame::fd_with(model.id(), &data, flags).expect("the length of a genuine one")
        }
        3 | 4 => {
            // Another step, another address or another priority.
            let id = model.id().raw() ^ 1 << random.below(29);
            let id = Id::extended(id & 0x1FFF_FFFF).expect("29 bits");
            Frame::fd_with(id, &data, flags).expect("the length of a genuine one")
        }
        5 => {
            let id = Id::standard(random.below(0x800) as u16).expect("11 bits");
            Frame::classic(id, &data[..data.len().min(8)]).expect("at most 8 bytes")
        }
        _ => {
            let lengths = [0, 1, 7, 8, 12, 16, 20, 24, 32, 48, 64];
            let length = lengths[random.index(lengths.len())];
            let bytes: Vec<u8> = (0..length).map(|_| random.u64() as u8).collect();
            let other = Id::extended(random.below(0x2000_0000) as u32).expect("29 bits");
            let id = [model.id(), other][random.index(2)];
            Frame::fd_with(id, &bytes, flags).expect("a length of CAN FD")
        }
    }
}

/// A million frames into each image, half of them as member and half as orchestrator: no fault, and
/// a stack within its bound.
#[test]
#[ignore = "some minutes: make soak has it"]
fn images_in_groups_take_a_million_frames() {
    let mut random = Random::of_test("images_in_groups_take_a_million_frames");
    for suite in SUITES {
        let Some(image) = group_image(&M4F, suite) else {
            return;
        };
        for orchestrator in ["one", "two"] {
            let tap = Tap::new(image.clone());
            on_board(
                &car(suite, orchestrator, ""),
                &(Arc::new(tap.clone()) as _),
                1,
            );
            let (record, genuine) = heard(&tap.answers(0));
            assert!(genuine.len() > 4, "{}", genuine.len());
            let (mut left, mut stack, mut events) = (cases(1_000_000) / 2, 0, 0);
            while left > 0 {
                let count = left.min(50_000);
                left -= count;
                let gap = Duration::from_micros(300);
                let times = std::iter::successors(Some(Instant::ZERO + gap), |at| Some(*at + gap));
                let frames = (0..count).map(|_| frame(&mut random, &genuine));
                let arrivals: VecDeque<_> = times.zip(frames).collect();
                let last = arrivals.back().map_or(Instant::ZERO, |(at, _)| *at);
                let mut world = World::new(&empty_record(), last + Duration::from_millis(5));
                world.record.clone_from(&record);
                world.arrivals = arrivals;
                run(&image, &mut world).expect("no fault");
                assert!(world.arrivals.is_empty());
                stack = stack.max(world.stack.expect("a stack"));
                let reports = world.reports.iter();
                events += reports.filter(|text| text.contains("Group")).count();
            }
            println!("{suite}, orchestrator {orchestrator}: {events} events, stack {stack} bytes");
            // Some frames begin exchanges, which then fail.
            assert!(events > 0);
            // Seven eighths of the memory that is linked for it; the boot is the deepest.
            assert!(stack <= 28 * 1_024, "{stack}");
        }
    }
}
