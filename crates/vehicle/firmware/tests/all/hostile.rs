//! Hostile frames on the receive path: on this machine by the image's library, and many of them by
//! the image in QEMU.

use std::collections::VecDeque;

use waywarden_can::{FdFlags, Frame, Id};
use waywarden_firmware_link::EcuRecord;
use waywarden_testkit::{Random, cases};
use waywarden_work::{Duration, Instant};

use crate::image::{STREAM, both, image, run, run_native, sensor};
use crate::world::World;

/// Frames that a sensor sent, to be changed.
fn genuine() -> Vec<Frame> {
    let mut world = World::new(&sensor(), Instant::ZERO + Duration::from_millis(2_005));
    run_native(&mut world);
    world.sent
}

/// Makes a frame of a genuine one: it as it is, changed, or under another identifier; or one of
/// random bytes.
fn frame(random: &mut Random, model: &Frame) -> Frame {
    let mut data = model.data().to_vec();
    let flags = FdFlags {
        bit_rate_switch: random.below(2) == 1,
        error_state_indicator: random.below(8) == 0,
    };
    let own = Id::standard(STREAM).expect("11 bits");
    let other = match random.below(2) {
        0 => Id::standard(random.below(0x800) as u16),
        _ => Id::extended(random.below(0x2000_0000) as u32),
    };
    let other = other.expect("an identifier");
    match random.below(8) {
        0 => *model,
        1..=3 => {
            for _ in 0..=random.below(3) {
                let at = random.index(data.len());
                data[at] ^= 1 << random.below(8);
            }
            Frame::fd_with(own, &data, flags).expect("the length of a genuine one")
        }
        4 => Frame::fd_with(other, &data, flags).expect("the length of a genuine one"),
        5 => Frame::classic(own, &data[..random.index(9)]).expect("at most 8 bytes"),
        6 => Frame::remote(own, random.below(9) as u8).expect("at most 8"),
        _ => {
            let lengths = [0, 1, 7, 8, 12, 16, 20, 24, 32, 48, 64];
            let length = lengths[random.index(lengths.len())];
            let bytes: Vec<u8> = (0..length).map(|_| random.u64() as u8).collect();
            let id = [own, other][random.index(2)];
            Frame::fd_with(id, &bytes, flags).expect("a length of CAN FD")
        }
    }
}

/// Makes a world in which these many frames arrive, one each 300 us.
fn world(record: &EcuRecord, random: &mut Random, count: usize) -> World {
    let genuine = genuine();
    let time = Duration::from_micros(300);
    let times = std::iter::successors(Some(Instant::ZERO + time), |at| Some(*at + time));
    let frames =
        times.zip((0..count).map(|at| frame(random, &genuine[at * genuine.len() / count])));
    let arrivals: VecDeque<_> = frames.collect();
    let last = arrivals.back().map_or(Instant::ZERO, |(at, _)| *at);
    let mut world = World::new(record, last + Duration::from_millis(5));
    world.arrivals = arrivals;
    world
}

#[test]
fn the_library_takes_any_frame() {
    let mut random = Random::of_test("the_library_takes_any_frame");
    let mut world = world(&both(), &mut random, cases(4_000));
    run_native(&mut world);
    assert!(world.arrivals.is_empty());
    let count = |part: &str| {
        world
            .reports
            .iter()
            .filter(|text| text.contains(part))
            .count()
    };
    assert!(
        count("Authentic") > 10 && count("WrongTag") > 100,
        "{}",
        world.reports.len()
    );
}

/// A million frames into the image, in some minutes: `xtask/soak/firmware`.
#[test]
#[ignore = "takes minutes; xtask/soak/firmware runs it"]
fn the_image_takes_a_million_frames() {
    let Some(image) = image() else { return };
    let mut random = Random::of_test("the_image_takes_a_million_frames");
    let (mut left, mut stack) = (cases(1_000_000), 0);
    while left > 0 {
        let count = left.min(50_000);
        left -= count;
        let mut world = world(&both(), &mut random, count);
        run(&image, &mut world).expect("no fault");
        assert!(world.arrivals.is_empty());
        stack = stack.max(world.stack.expect("a stack"));
    }
    println!("stack: {stack} bytes");
    // Half of the memory that is linked for it.
    assert!(stack <= 16 * 1_024, "{stack}");
}
