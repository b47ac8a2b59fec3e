//! The image with SecOC on its bus.

use waywarden_can::{FdFlags, Frame};
use waywarden_firmware_link::MESSAGE_MAX;
use waywarden_testkit_firmware::{KnownAnswers, KnownFrame, KnownParty};
use waywarden_vehicle_resources::ImageFault;
use waywarden_work::{Duration, Instant};

use crate::image::{Core, M4F, OTHERS, dashboard, image, run, run_native, sensor};
use crate::known_answers::are_on_record;
use crate::world::World;

/// The end of a run of ten messages.
const END: Instant = Instant::from_nanos(105_000_000);

fn flags() -> FdFlags {
    FdFlags {
        bit_rate_switch: true,
        error_state_indicator: false,
    }
}

/// The frames of a sensor, as the image sends them.
fn frames(core: &Core) -> Option<Vec<Frame>> {
    let mut world = World::new(&sensor(), END);
    run(&core.secoc()?, &mut world).expect("a run");
    Some(world.sent)
}

/// Lets frames arrive, one each millisecond.
fn arriving(world: &mut World, frames: impl IntoIterator<Item = Frame>) {
    let times = (1..).map(|at| Instant::ZERO + Duration::from_millis(at));
    world.arrivals = times.zip(frames).collect();
}

/// A sensor sends what the library sends on this machine, byte for byte.
fn sends_what_the_library_sends(core: &Core) {
    let Some(image) = core.secoc() else { return };
    let mut world = World::new(&sensor(), END);
    run(&image, &mut world).expect("a run");
    assert_eq!(world.sent.len(), 10);
    assert!(
        world
            .stack
            .is_some_and(|bytes| (500..32 * 1_024).contains(&bytes)),
        "{:?}",
        world.stack
    );

    let mut native = World::new(&sensor(), END);
    run_native(&mut native);
    assert_eq!(world.sent, native.sent);
    assert_eq!(world.reports, native.reports);
    assert_eq!(world.stored, native.stored);

    // The same boot again: the same bytes, and the same instructions.
    let mut again = World::new(&sensor(), END);
    run(&image, &mut again).expect("a run");
    assert_eq!((again.sent, again.costs), (world.sent, world.costs));

    // Another boot, which remembers: other bytes.
    let mut later = World::new(&sensor(), END);
    later.stored = again.stored;
    later.seed = [8; 32];
    run(&image, &mut later).expect("a run");
    assert!(later.sent.iter().all(|frame| !native.sent.contains(frame)));
    let mut native_later = World::new(&sensor(), END);
    native_later.stored = native.stored;
    native_later.seed = [8; 32];
    run_native(&mut native_later);
    assert_eq!(later.sent, native_later.sent);
}

/// A dashboard takes genuine frames and refuses changed ones, as the library does.
fn takes_genuine_frames_alone(core: &Core) {
    let (Some(image), Some(frames)) = (core.secoc(), frames(core)) else {
        return;
    };
    let changed = frames.iter().map(|frame| {
        let mut data = frame.data().to_vec();
        data[3] ^= 0x10;
        let message = frame.message();
        let changed = Frame::fd_with(frame.id(), &data, flags());
        changed.expect("a frame").with_message(message)
    });
    // Each changed one first, then the genuine one, and that once more.
    let all = changed
        .zip(&frames)
        .flat_map(|(changed, genuine)| [changed, *genuine, *genuine]);
    let mut world = World::new(&dashboard(), END);
    arriving(&mut world, all.clone());
    run(&image, &mut world).expect("a run");
    let count = |part: &str| {
        world
            .reports
            .iter()
            .filter(|text| text.contains(part))
            .count()
    };
    assert_eq!(count("Authentic"), 10, "{:#?}", world.reports);
    assert_eq!(
        count("WrongTag") + count("Replay"),
        20,
        "{:#?}",
        world.reports
    );

    let mut native = World::new(&dashboard(), END);
    arriving(&mut native, all);
    run_native(&mut native);
    assert_eq!(world.reports, native.reports);
}

#[test]
fn a_sensor_sends_what_the_library_sends() {
    sends_what_the_library_sends(&M4F);
}

#[test]
fn a_dashboard_takes_genuine_frames_and_refuses_changed_ones() {
    takes_genuine_frames_alone(&M4F);
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn the_frames_are_the_same_on_the_other_cores() {
    for core in &OTHERS {
        println!("{}", core.machine);
        sends_what_the_library_sends(core);
        takes_genuine_frames_alone(core);
    }
}

#[test]
fn a_bad_record_ends_with_its_reason() {
    let Some(image) = image() else { return };
    let mut world = World::new(&sensor(), END);
    world.record.truncate(20);
    let Err(ImageFault::Panicked(text)) = run(&image, &mut world) else {
        panic!("it did not panic");
    };
    assert!(
        text.starts_with("the record of the ECU: it ends within a field"),
        "{text}"
    );
    assert!(text.contains("firmware-ecu/src/lib.rs:"), "{text}");
    assert!(world.record.len() < MESSAGE_MAX);
}

#[test]
fn retained_values_that_are_damaged_are_reported() {
    let (Some(image), Some(frames)) = (image(), frames(&M4F)) else {
        return;
    };
    let mut world = World::new(&dashboard(), END);
    world.stored.insert(0, [0xA5; 32]);
    arriving(&mut world, frames);
    run(&image, &mut world).expect("a run");
    assert_eq!(world.reports.len(), 10);
    assert!(
        world
            .reports
            .iter()
            .all(|text| text == "NotChecked { is_full: false }")
    );
}

/// The frames of a sensor, with what makes them.
fn known_sensor(run: impl FnOnce(&mut World)) -> KnownAnswers {
    let mut record = sensor();
    // A computer that runs other programs as well sends them in time, too.
    record.streams[0].offset = Duration::from_millis(200);
    record.streams[0].period = Duration::from_millis(50);
    let mut world = World::new(&record, Instant::from_nanos(675_000_000));
    run(&mut world);
    let frames = world.sent.iter().map(|frame| KnownFrame {
        sent: None,
        frame: *frame,
    });
    let frames = frames.collect();
    KnownAnswers {
        parties: vec![KnownParty {
            name: "sensor".to_owned(),
            boot: None,
            record: world.record,
            seed: world.seed,
            frames,
        }],
    }
}

#[test]
fn the_frames_of_a_sensor_are_those_on_record() {
    are_on_record("firmware-secoc", "sensor", &known_sensor(run_native));
}

#[test]
fn the_frames_of_the_image_of_a_sensor_are_those_on_record() {
    let Some(image) = image() else { return };
    let own = known_sensor(|world| run(&image, world).expect("a run"));
    are_on_record("firmware-secoc", "sensor", &own);
}
