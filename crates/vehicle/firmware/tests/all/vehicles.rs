//! Images in whole vehicles: their frames are those of simulated ECUs, a run repeats byte for byte,
//! and resets reuse no freshness value.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can::Frame;
use waywarden_can_sim::clock::Time;
use waywarden_testkit::{Random, first_seed, seeds, workspace};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_firmware::QemuImage;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_resources::{FirmwareImage, Resources};
use waywarden_vehicle_trace::VehicleEvent;

use crate::image::{Core, M4F, OTHERS, image};

/// The file of a board that is as `m4f-emulated` at 1 GHz, the fastest clock of an image.
pub(crate) const FAST: &str = "fast.toml";

/// The file of a board that is as `m4f-emulated` at 1,000 GHz: it computes in no time to speak of.
pub(crate) const INSTANT: &str = "instant.toml";

/// The frames that each ECU asked for, by its place in the file, and the report.
pub(crate) type Run = (BTreeMap<usize, Vec<Frame>>, Report, String);

pub(crate) fn of(text: &str, image: &QemuImage, seed: u64) -> Run {
    driven(
        text,
        &(Arc::new(image.clone()) as _),
        image.machine().name,
        seed,
    )
}

/// Runs a vehicle of which each image is this one, for a machine.
pub(crate) fn driven(
    text: &str,
    image: &Arc<dyn FirmwareImage>,
    machine: &'static str,
    seed: u64,
) -> Run {
    let mut frames: BTreeMap<usize, Vec<Frame>> = BTreeMap::new();
    let mut trace = String::new();
    let mut sink = |at: Time, event: &VehicleEvent<'_>| {
        writeln!(trace, "{at:?} {event:?}").unwrap();
        if let VehicleEvent::Requested { ecu, frame, .. } = event {
            frames.entry(ecu.0).or_default().push(**frame);
        }
    };
    let report = simulate(text, (image, machine), seed, &mut sink);
    (frames, report, trace)
}

/// Simulates a vehicle all of whose images are this one, for a machine.
pub(crate) fn simulate(
    text: &str,
    (image, machine): (&Arc<dyn FirmwareImage>, &'static str),
    seed: u64,
    sink: &mut dyn FnMut(Time, &VehicleEvent<'_>),
) -> Report {
    let file = VehicleFile::parse("car.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    let mut resources = Resources::default();
    for ecu in file.ecus.iter().filter_map(|ecu| ecu.firmware.as_ref()) {
        let named = (ecu.image.value.clone(), machine);
        resources.images.insert(named, image.clone());
    }
    for (name, clock) in [(FAST, "1 GHz"), (INSTANT, "1000 GHz")] {
        let board = Board::builtin_text("m4f-emulated").expect("a built-in board");
        let board = board.replace("80 MHz", clock);
        let board = Board::parse(name, &board).unwrap_or_else(|error| panic!("{error}"));
        resources.boards.insert(name.to_owned(), Arc::new(board));
    }
    let lowered = lower(&file, &resources, Some(seed)).unwrap_or_else(|error| panic!("{error}"));
    let mut sink = |at: Time, event: &VehicleEvent<'_>| sink(at, event);
    let outcome = run(lowered, &mut sink, &mut |_| {}).unwrap();
    Report::new(&file, seed, &outcome)
}

fn example() -> String {
    named("secoc.toml")
}

/// Returns an example of vehicles with images.
pub(crate) fn named(name: &str) -> String {
    let folder = workspace().join("examples/firmware");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// The same vehicle with simulated software in place of images.
pub(crate) fn simulated(text: &str) -> String {
    let of_images = ["firmware =", "clock =", "receive_mailbox =", "machine ="];
    let kept = text
        .lines()
        .filter(|line| !of_images.iter().any(|key| line.starts_with(key)));
    kept.collect::<Vec<_>>().join("\n")
}

/// The same vehicle with its images on the machine of a core.
pub(crate) fn on(core: &Core, text: &str) -> String {
    let machine = format!("machine = {:?}\nclock =", core.machine);
    text.replace("clock =", &machine)
}

/// The frames of images are those of simulated ECUs.
fn has_the_frames_of_simulated_ecus(core: &Core) {
    let Some(image) = core.secoc() else { return };
    compare(&on(core, &example()), &image, seeds(2), 1);
}

/// Compares the frames of each ECU of a vehicle with images and with simulated software, for this
/// many seeds, and a second run with the first. A message has up to `frames_of_one` frames.
pub(crate) fn compare(text: &str, image: &QemuImage, seeds: u64, frames_of_one: usize) {
    for seed in first_seed(1)..first_seed(1) + seeds {
        let (frames, report, trace) = of(text, image, seed);
        let (expected, ..) = of(&simulated(text), image, seed);
        for row in &report.images {
            assert_eq!(row.failure, None, "seed {seed}: {}", row.ecu);
            assert!(row.instructions > 100_000, "seed {seed}: {}", row.ecu);
        }
        for (ecu, expected) in &expected {
            let own = frames.get(ecu).map(Vec::as_slice).unwrap_or_default();
            for (at, (one, other)) in own.iter().zip(expected).enumerate() {
                assert_eq!(one, other, "seed {seed}: frame {at} of ECU {ecu}");
            }
            // The last one may still be computed when the run ends.
            let difference = own.len().abs_diff(expected.len());
            assert!(
                difference <= frames_of_one,
                "seed {seed}: ECU {ecu}: {difference} frames"
            );
        }
        // And once more, byte for byte.
        assert!(of(text, image, seed).2 == trace, "seed {seed}");
    }
}

#[test]
fn the_frames_of_images_are_those_of_simulated_ecus() {
    has_the_frames_of_simulated_ecus(&M4F);
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn the_frames_of_images_on_the_other_cores_are_those_of_simulated_ecus() {
    for core in &OTHERS {
        println!("{}", core.machine);
        has_the_frames_of_simulated_ecus(core);
    }
}

#[test]
fn images_take_no_message_of_an_attacker_and_lose_none_of_their_own() {
    let Some(image) = image() else { return };
    let (_, report, _) = of(&example(), &image, 1);
    assert_eq!(report.forgeries, 0);
    let checks = report.authentication.iter().flat_map(|one| &one.checks);
    for check in checks {
        assert!(check.authentic > 100, "{} at {}", check.stream, check.ecu);
    }
    assert!(report.is_met());
}

/// A pedal that is reset again and again, and a simulated ECU that checks it.
fn resets(random: &mut Random) -> String {
    let mut text = "[vehicle]\nname = 'resets'\nduration = '600ms'\n\
         [[bus]]\nname = 'a'\nbitrate = '500k'\n\
         [[ecu]]\nname = 'pedal'\nports = ['a']\nfirmware = 'secoc.elf'\nclock = '80MHz'\n\
         sends = [{ name = 'Pedal', id = 0x0B8, length = 4, period = '5ms', receivers = ['rx'] }]\n\
         [[ecu]]\nname = 'rx'\nports = ['a']\n\
         [[authentication]]\nname = 'tags'\nscheme = 'secoc'\nprofile = 'autosar-1'\n\
         protect = ['Pedal']\n"
        .to_owned();
    let mut at = 0;
    for number in 0..10 {
        at += 300 + random.below(40_000);
        let until = at + 1 + random.below(500);
        writeln!(
            text,
            "[[fault]]\nname = 'f{number}'\nkind = 'reset'\necu = 'pedal'\nfrom = '{at}us'\n\
             until = '{until}us'"
        )
        .unwrap();
        at = until;
    }
    text
}

#[test]
fn resets_at_any_instruction_reuse_no_freshness_value() {
    let Some(image) = image() else { return };
    for seed in first_seed(1)..first_seed(1) + seeds(3) {
        let text = resets(&mut Random::new(seed));
        let (frames, report, _) = of(&text, &image, seed);
        assert_eq!(report.images[0].failure, None, "seed {seed}");
        assert_eq!(report.images[0].boots, 11, "seed {seed}");
        let sent = &frames[&0];
        let mut values: Vec<&[u8]> = sent.iter().map(|frame| &frame.data()[4..]).collect();
        let count = values.len();
        values.sort_unstable();
        values.dedup();
        // Freshness and code of one key: equal only if a freshness value was used twice, or by
        // chance for one pair in 2^24.
        assert_eq!(values.len(), count, "seed {seed}");
        let own = &report.authentication[0].checks[0];
        // A receiver may be out of step after boots of which it has heard nothing; a value that was
        // used twice would be a replay.
        assert_eq!((own.wrong_tag, own.replay), (0, 0), "seed {seed}: {own:?}");
        assert!(own.authentic > 20, "seed {seed}: {}", own.authentic);
    }
}
