//! Power that fails at any exchange: no freshness value serves twice.
//!
//! Between two exchanges an image changes nothing outside itself, so a reset at any instruction is
//! one at an exchange. The payload is constant: two frames are alike only if their freshness values
//! are.

use std::collections::BTreeSet;

use waywarden_can::Frame;
use waywarden_ecu::PayloadContent;
use waywarden_firmware_link::{EcuRecord, Record};
use waywarden_testkit::{Random, cases};
use waywarden_work::{Duration, Instant};

use crate::image::{image, run, run_native, sensor};
use crate::world::World;

/// Boots an ECU this many times, each until its power fails, or sometimes until the end. Returns
/// the number of frames whose freshness, as `value` shows it, is like that of one before.
pub(crate) fn boots(
    record: &impl Record,
    (count, remembers): (usize, bool),
    random: &mut Random,
    value: impl Fn(&Frame) -> Option<Vec<u8>>,
    mut run: impl FnMut(&mut World),
) -> usize {
    let (mut stored, mut seen, mut frames) = (Default::default(), BTreeSet::new(), 0);
    for _ in 0..count {
        let mut world = World::new(record, Instant::ZERO + Duration::from_millis(105));
        if remembers {
            world.stored = stored;
        }
        world.fails_at = Some(2 + random.index(60));
        world.fails_after_effect = random.below(2) == 0;
        run(&mut world);
        let values: Vec<_> = world.handed.iter().filter_map(&value).collect();
        frames += values.len();
        seen.extend(values);
        stored = world.stored;
    }
    assert!(frames > count, "{frames} frames in {count} boots");
    frames - seen.len()
}

/// A sensor with SecOC whose frames are alike only if their freshness values are.
fn constant() -> EcuRecord {
    let mut record = sensor();
    record.streams[0].content = PayloadContent::Constant([0x5A; 64]);
    record
}

fn data(frame: &Frame) -> Option<Vec<u8>> {
    Some(frame.data().to_vec())
}

#[test]
fn a_thousand_resets_of_the_library_reuse_no_freshness_value() {
    let mut random = Random::of_test("a_thousand_resets_of_the_library");
    assert_eq!(
        boots(
            &constant(),
            (cases(1_000), true),
            &mut random,
            data,
            run_native
        ),
        0
    );
    // The control: an ECU that forgets does.
    assert!(boots(&constant(), (20, false), &mut random, data, run_native) > 20);
}

#[test]
fn resets_of_the_image_reuse_no_freshness_value() {
    let Some(image) = image() else { return };
    let mut random = Random::of_test("resets_of_the_image");
    let run = |world: &mut World| run(&image, world).expect("a run");
    assert_eq!(boots(&constant(), (12, true), &mut random, data, run), 0);
}

#[test]
#[ignore = "takes minutes; xtask/soak/firmware runs it"]
fn a_thousand_resets_of_the_image_reuse_no_freshness_value() {
    let Some(image) = image() else { return };
    let mut random = Random::of_test("a_thousand_resets_of_the_image");
    let run = |world: &mut World| run(&image, world).expect("a run");
    assert_eq!(
        boots(&constant(), (cases(1_000), true), &mut random, data, run),
        0
    );
}
