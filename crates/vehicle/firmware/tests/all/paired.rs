//! The image with vatiCAN or LeiA: on its bus, in whole vehicles, under hostile frames and resets.

mod on_record;

use std::collections::VecDeque;

use waywarden_can::{Frame, Id, StandardId};
use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_can_auth::mac::MacKey;
use waywarden_can_auth::paired::{PairedConnection, WireForm};
use waywarden_ecu::{PayloadContent, StreamFormat};
use waywarden_firmware_link::{KeyRecord, PairedRecord};
use waywarden_firmware_paired as paired;
use waywarden_testkit::{Random, cases, seeds};
use waywarden_vehicle_firmware::QemuImage;
use waywarden_work::{Duration, Instant};

use crate::budgets::{END, boot, hold_all, median, off, rounds};
use crate::image::{Core, M4F, OTHERS, STREAM, run, sensor};
use crate::resets::boots;
use crate::vehicles::{compare, named, of, on};
use crate::world::{Native, World};

const WIRES: [WireForm; 2] = [WireForm::Vatican, WireForm::Leia];

/// Returns the image, built; none, with a message, where it cannot be built or run.
fn image() -> Option<QemuImage> {
    image_for(&M4F)
}

/// Returns the image for a core.
fn image_for(core: &Core) -> Option<QemuImage> {
    core.of_set("paired", "paired")
}

fn run_native(world: &mut World) {
    let answer = Vec::new();
    paired::run(Native { world, answer });
}

fn id(raw: u16) -> StandardId {
    StandardId::new(raw).expect("11 bits")
}

fn stream(wire: WireForm, raw: u16, key: u16) -> PairedConnection {
    PairedConnection::new(wire, id(raw), KeyId(key)).expect("an even identifier")
}

fn empty(usage: Usage) -> PairedRecord {
    let mut record = PairedRecord {
        streams: Default::default(),
        asks_under: None,
        senders: Default::default(),
        receivers: Default::default(),
        keys: Default::default(),
    };
    let (id, key) = (KeyId(1), MacKey::from_bytes(*b"a key of a test!"));
    let _ = record.keys.push(KeyRecord { id, usage, key });
    record
}

/// The record of an ECU that sends 8 bytes each 10 ms.
fn sender(wire: WireForm) -> PairedRecord {
    let mut record = empty(Usage::Protect);
    let _ = record.senders.push(stream(wire, STREAM, 1));
    record.streams = sensor().streams;
    record.streams[0].format = StreamFormat::Classic;
    record
}

/// The record of an ECU that checks them.
fn receiver(wire: WireForm) -> PairedRecord {
    let mut record = empty(Usage::Check);
    record.asks_under = Some(id(0x7F0));
    let _ = record.receivers.push(stream(wire, STREAM, 1));
    record
}

/// The record of an ECU that checks them, and sends a stream of its own.
fn both(wire: WireForm) -> PairedRecord {
    let mut record = receiver(wire);
    let _ = record.senders.push(stream(wire, STREAM + 4, 2));
    record.streams = sender(wire).streams;
    record.streams[0].id = Id::standard(STREAM + 4).expect("11 bits");
    let (id, usage) = (KeyId(2), Usage::Protect);
    let key = MacKey::from_bytes(*b"another test key");
    let _ = record.keys.push(KeyRecord { id, usage, key });
    record
}

/// The first question of a receiver, which its seed determines.
fn question(wire: WireForm) -> Frame {
    let mut asking = World::new(&receiver(wire), Instant::ZERO + Duration::from_millis(2));
    run_native(&mut asking);
    asking.sent[0]
}

/// The frames of a sender that is asked before its first message.
fn asked(wire: WireForm, end: Instant, run: impl Fn(&mut World)) -> World {
    let mut world = World::new(&sender(wire), end);
    let at = Instant::ZERO + Duration::from_millis(3);
    world.arrivals = VecDeque::from([(at, question(wire))]);
    run(&mut world);
    world
}

/// A receiver to which frames come, one each 300 us from 4 ms on: its questions are on their way.
fn checking(record: &PairedRecord, frames: impl IntoIterator<Item = Frame>, end: Instant) -> World {
    let mut world = World::new(record, end);
    let first = Instant::ZERO + Duration::from_millis(4);
    let times = (0..).map(|at| first + Duration::from_micros(300).times(at));
    world.arrivals = times.zip(frames).collect();
    world
}

fn count(world: &World, part: &str) -> usize {
    let reports = world.reports.iter();
    reports.filter(|text| text.contains(part)).count()
}

#[test]
fn the_library_takes_what_it_has_asked_for() {
    for wire in WIRES {
        let sent = asked(wire, END, run_native).sent;
        // An answer of two frames, and twenty messages with their tags.
        assert_eq!(sent.len(), 42, "{wire:?}");
        let mut world = checking(&receiver(wire), sent, END);
        run_native(&mut world);
        assert_eq!(count(&world, "Resynced"), 1, "{:#?}", world.reports);
        assert_eq!(count(&world, "Authentic"), 20, "{:#?}", world.reports);
    }
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn a_pair_of_images_does_what_the_library_does() {
    let Some(image) = image() else { return };
    let run = |world: &mut World| run(&image, world).expect("a run");
    for wire in WIRES {
        let (own, native) = (asked(wire, END, run), asked(wire, END, run_native));
        assert_eq!(own.sent, native.sent, "{wire:?}");
        assert_eq!(own.reports, native.reports, "{wire:?}");
        assert_eq!(own.stored, native.stored, "{wire:?}");
        // Each message once changed, then as it is, and its tag twice.
        let frames = own.sent[2..].chunks(2).flat_map(|pair| {
            let mut data = pair[0].data().to_vec();
            data[0] ^= 1;
            let changed = Frame::classic(pair[0].id(), &data).expect("8 bytes");
            [changed, pair[0], pair[1], pair[1]]
        });
        let frames: Vec<Frame> = own.sent[..2].iter().copied().chain(frames).collect();
        let mut taking = checking(&receiver(wire), frames.iter().copied(), END);
        run(&mut taking);
        assert_eq!(count(&taking, "Authentic"), 20, "{wire:?}");
        let mut native = checking(&receiver(wire), frames, END);
        run_native(&mut native);
        assert_eq!(taking.reports, native.reports, "{wire:?}");
        assert_eq!(taking.sent, native.sent, "{wire:?}");
    }
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn a_record_for_another_image_names_it() {
    let Some(image) = image() else { return };
    let mut world = World::new(&sensor(), END);
    let fault = run(&image, &mut world).expect_err("another kind");
    let text = fault.to_string();
    assert!(text.contains("it is for SecOC"), "{text}");
    assert!(text.contains("use secoc.elf"), "{text}");
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn the_frames_of_paired_images_are_those_of_simulated_ecus() {
    let Some(image) = image() else { return };
    compare(&named("paired.toml"), &image, seeds(1), 2);
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn the_frames_of_paired_images_are_the_same_on_the_other_cores() {
    for core in OTHERS {
        let Some(image) = image_for(&core) else {
            return;
        };
        compare(&on(&core, &named("paired.toml")), &image, seeds(1), 2);
    }
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn paired_images_take_no_message_of_an_attacker() {
    let Some(image) = image() else { return };
    let (_, report, _) = of(&named("paired.toml"), &image, 1);
    assert_eq!(report.forgeries, 0);
    let checks = report.authentication.iter().flat_map(|one| &one.checks);
    for check in checks {
        assert!(check.authentic > 100, "{} at {}", check.stream, check.ecu);
    }
    assert!(report.is_met());
}

/// The tag of a frame, with the counter that it is for; none for data, which show neither epoch nor
/// counter.
fn tag(frame: &Frame) -> Option<Vec<u8>> {
    let is_tag = match frame.id() {
        Id::Standard(id) => id.raw() % 2 == 1,
        Id::Extended(id) => id.raw() >> 16 & 3 == 1,
    };
    is_tag.then(|| [&frame.id().raw().to_le_bytes(), frame.data()].concat())
}

fn constant(wire: WireForm) -> PairedRecord {
    let mut record = sender(wire);
    record.streams[0].content = PayloadContent::Constant([0x5A; 64]);
    record
}

#[test]
fn resets_of_the_paired_library_reuse_no_epoch() {
    let mut random = Random::of_test("resets_of_the_paired_library");
    for wire in WIRES {
        let record = constant(wire);
        let all = (cases(500), true);
        assert_eq!(boots(&record, all, &mut random, tag, run_native), 0);
        // The control: an ECU that forgets does.
        assert!(boots(&record, (20, false), &mut random, tag, run_native) > 10);
    }
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn a_thousand_resets_of_the_paired_image_reuse_no_epoch() {
    let Some(image) = image() else { return };
    let mut random = Random::of_test("resets_of_the_paired_image");
    let run = |world: &mut World| run(&image, world).expect("a run");
    for wire in WIRES {
        let all = (cases(500), true);
        assert_eq!(boots(&constant(wire), all, &mut random, tag, run), 0);
    }
}

/// Makes a frame of a genuine one: it as it is, changed, or under another identifier; or one of
/// random bytes.
fn hostile(random: &mut Random, model: &Frame) -> Frame {
    let mut data = model.data().to_vec();
    let other = match random.below(2) {
        0 => Id::standard(random.below(0x800) as u16),
        // Of any command of LeiA, about the stream or its tags.
        _ => Id::extended(u32::from(STREAM) << 18 | random.below(1 << 19) as u32),
    };
    let other = other.expect("an identifier");
    match random.below(8) {
        0 | 1 => *model,
        2 | 3 => {
            let at = random.index(data.len());
            data[at] ^= 1 << random.below(8);
            Frame::classic(model.id(), &data).expect("8 bytes")
        }
        4 => Frame::classic(other, &data).expect("8 bytes"),
        5 => Frame::classic(model.id(), &data[..random.index(9)]).expect("at most 8 bytes"),
        6 => Frame::remote(model.id(), random.below(9) as u8).expect("at most 8"),
        _ => {
            let lengths = [0, 1, 7, 8, 12, 16, 64];
            let length = lengths[random.index(lengths.len())];
            let bytes: Vec<u8> = (0..length).map(|_| random.u64() as u8).collect();
            let id = [model.id(), other][random.index(2)];
            Frame::fd(id, &bytes).expect("a length of CAN FD")
        }
    }
}

/// A receiver that is in step, and to which these many frames come then.
fn flooded(wire: WireForm, random: &mut Random, count: usize) -> World {
    let end = Instant::ZERO + Duration::from_millis(4_005);
    let genuine = asked(wire, end, run_native).sent;
    let (answer, messages) = genuine.split_at(2);
    let frames = (0..count).map(|at| hostile(random, &messages[at * messages.len() / count]));
    let frames: Vec<Frame> = answer.iter().copied().chain(frames).collect();
    let end = Duration::from_micros(300).times(frames.len() as u64 + 20);
    checking(
        &both(wire),
        frames,
        Instant::ZERO + Duration::from_millis(4) + end,
    )
}

#[test]
fn the_paired_library_takes_any_frame() {
    let mut random = Random::of_test("the_paired_library_takes_any_frame");
    for wire in WIRES {
        let mut world = flooded(wire, &mut random, cases(2_000));
        run_native(&mut world);
        assert!(world.arrivals.is_empty());
        let (taken, wrong) = (count(&world, "Authentic"), count(&world, "WrongTag"));
        assert!(taken > 10 && wrong > 10, "{wire:?}: {taken}, {wrong}");
    }
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn the_paired_image_takes_a_million_frames() {
    let Some(image) = image() else { return };
    let mut random = Random::of_test("the_paired_image_takes_a_million_frames");
    let (mut left, mut stack) = (cases(1_000_000), 0);
    while left > 0 {
        let count = left.min(50_000);
        left -= count;
        let mut world = flooded(WIRES[left / 50_000 % 2], &mut random, count);
        run(&image, &mut world).expect("no fault");
        assert!(world.arrivals.is_empty());
        stack = stack.max(world.stack.expect("a stack"));
    }
    println!("stack: {stack} bytes");
    // Half of the memory that is linked for it.
    assert!(stack <= 16 * 1_024, "{stack}");
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn the_paired_image_keeps_its_budget() {
    let cores = [M4F].into_iter().chain(OTHERS);
    let rows = cores.filter_map(|core| row_if_off(&core));
    hold_all(&rows.collect::<Vec<_>>());
}

/// Measures the image on a core; returns its row if it is off.
fn row_if_off(core: &Core) -> Option<String> {
    let image = image_for(core)?;
    let run = |world: &mut World| run(&image, world).expect("a run");
    let wire = WireForm::Vatican;
    let sending = asked(wire, END, run);
    let mut taking = checking(&receiver(wire), sending.sent.iter().copied(), END);
    run(&mut taking);
    let foreign = Frame::classic(Id::standard(0x555).expect("11 bits"), &[0; 8]).expect("a frame");
    let answer = sending.sent[..2].iter().copied();
    let mut ignoring = checking(&receiver(wire), answer.chain([foreign; 30]), END);
    run(&mut ignoring);
    let mut idling = checking(&receiver(wire), sending.sent[..2].iter().copied(), END);
    idling.wakes_every = Some(Duration::from_millis(10));
    run(&mut idling);
    let worlds = [&sending, &taking, &ignoring, &idling];
    let stacks = worlds.into_iter().filter_map(|world| world.stack);
    let footprint = image.footprint();
    // An answer of two frames first, then data and tag in turn.
    let sends = rounds(&sending, "Send", "Send");
    let every_second = |from: usize| sends[from..].iter().copied().step_by(2).collect();
    let measured = [
        ("flash_bytes", footprint.flash.into()),
        ("ram_bytes", footprint.ram.into()),
        ("stack_bytes", stacks.max().expect("a stack").into()),
        ("boot", boot(&sending)),
        ("send", median(every_second(2))),
        ("send_tag", median(every_second(3))),
        ("check", median(rounds(&taking, "Wait", "Checked"))),
        ("ignore", median(rounds(&ignoring, "Wait", "Receive"))),
        ("idle", median(rounds(&idling, "Wait", "Wait"))),
    ];
    off(&core.row("paired"), &measured, &image)
}
