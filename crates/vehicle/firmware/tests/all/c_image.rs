//! The image in C, over the C library and its AUTOSAR-shaped module: its frames are those of the
//! image in Rust and of the simulated ECU.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use waywarden_can::{FdFlags, Frame};
use waywarden_testkit::{first_seed, output_of, seeds};
use waywarden_vehicle_firmware::QemuImage;
use waywarden_vehicle_resources::ImageFault;
use waywarden_work::{Duration, Instant};

use crate::budgets::{hold, measure};
use crate::image::{M4F, both, built, dashboard, run, run_native, sensor};
use crate::vehicles::{of, simulated};
use crate::world::World;

/// The end of a run of a hundred messages: a counter is retained more than once.
const END: Instant = Instant::from_nanos(1_005_000_000);

/// The compiler of the row in the table.
const COMPILER: &str = "12.2.1";

/// Returns the image, built once; none, with a message, where it cannot be built or run.
fn image() -> Option<QemuImage> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let file = BUILT.get_or_init(|| built(&["c"])).clone()?;
    Some(QemuImage::new(file, M4F.machine).expect("our own image"))
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn a_sensor_in_c_sends_what_the_library_sends() {
    let Some(image) = image() else { return };
    for seed in 0..20 {
        let (mut own, mut native) = (World::new(&sensor(), END), World::new(&sensor(), END));
        (own.seed, native.seed) = ([seed; 32], [seed; 32]);
        run(&image, &mut own).expect("a run");
        run_native(&mut native);
        assert_eq!(own.sent.len(), 100, "seed {seed}");
        assert_eq!(own.sent, native.sent, "seed {seed}");
        assert_eq!(own.reports, native.reports, "seed {seed}");
        let stack = own.stack.expect("said at the end");
        assert!((500..32 * 1_024).contains(&stack), "{stack}");
    }
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn the_image_in_c_keeps_its_budget() {
    let Some(image) = image() else { return };
    let version = output_of(Command::new("arm-none-eabi-gcc").arg("-dumpversion"));
    if version.trim() != COMPILER {
        println!("skipped: the row is not for arm-none-eabi-gcc {version}");
        return;
    }
    hold("secoc-c", &measure(&image), &image);
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn a_dashboard_in_c_takes_genuine_frames_and_refuses_others() {
    let Some(image) = image() else { return };
    let mut sending = World::new(&sensor(), END);
    run_native(&mut sending);
    let flags = FdFlags {
        bit_rate_switch: true,
        error_state_indicator: false,
    };
    let changed = sending.sent.iter().map(|frame| {
        let mut data = frame.data().to_vec();
        data[3] ^= 0x10;
        let changed = Frame::fd_with(frame.id(), &data, flags).expect("a frame");
        changed.with_message(frame.message())
    });
    // Each changed one first, then the genuine one, and that once more.
    let all = changed.zip(&sending.sent);
    let all = all.flat_map(|(changed, genuine)| [changed, *genuine, *genuine]);
    let times = (1..).map(|at| Instant::ZERO + Duration::from_millis(at));
    let arrivals: VecDeque<(Instant, Frame)> = times.zip(all).collect();
    let mut world = World::new(&dashboard(), END);
    world.arrivals = arrivals.clone();
    run(&image, &mut world).expect("a run");
    let mut native = World::new(&dashboard(), END);
    native.arrivals = arrivals;
    run_native(&mut native);
    assert_eq!(world.reports, native.reports);
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn an_image_in_c_that_is_reset_reuses_no_freshness_value() {
    let Some(image) = image() else { return };
    let mut stored = Default::default();
    let mut sent: Vec<Vec<u8>> = Vec::new();
    for boot in 0..40 {
        let mut world = World::new(&both(), END);
        world.stored = stored;
        world.fails_at = Some(3 + boot);
        world.fails_after_effect = boot % 2 == 0;
        run(&image, &mut world).expect("a run");
        stored = world.stored;
        sent.extend(world.handed.iter().map(|frame| frame.data()[8..].to_vec()));
    }
    let count = sent.len();
    sent.sort_unstable();
    sent.dedup();
    assert!(count > 20 && sent.len() == count, "{count}, {}", sent.len());
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn a_bad_record_ends_an_image_in_c_with_its_reason() {
    let Some(image) = image() else { return };
    for (length, reason) in [
        (0, "the record of the ECU: of another kind than SecOC"),
        (20, "the record of the ECU: "),
        (usize::MAX, "the retained values are damaged"),
    ] {
        let mut world = World::new(&sensor(), END);
        world.record.truncate(length);
        if length == usize::MAX {
            world.stored.insert(0, [0xA5; 32]);
        }
        let end = run(&image, &mut world);
        let Err(ImageFault::Panicked(text)) = end else {
            panic!("{length}: {end:?}");
        };
        assert!(text.starts_with(reason), "{text}");
    }
}

/// A sensor and a dashboard in C, and a simulated ECU that checks as well.
const VEHICLE: &str = "[vehicle]
name = 'c'
duration = '2s'
[[bus]]
name = 'a'
bitrate = '500k'
data_bitrate = '2M'
[[ecu]]
name = 'pedal'
ports = ['a']
firmware = 'secoc-c.elf'
clock = '80MHz'
[[ecu.sends]]
name = 'Pedal'
id = 0x0B8
length = 4
period = '10ms'
offset = '5ms'
receivers = ['dashboard', 'rx']
[[ecu]]
name = 'dashboard'
ports = ['a']
firmware = 'secoc-c.elf'
clock = '80MHz'
[[ecu.sends]]
name = 'Speed'
id = 0x1A0
length = 4
period = '20ms'
offset = '8ms'
receivers = ['rx']
[[ecu]]
name = 'rx'
ports = ['a']
[[authentication]]
name = 'tags'
scheme = 'secoc'
profile = 'autosar-1'
protect = ['Pedal', 'Speed']
[[attacker]]
name = 'recorder'
kind = 'replay'
stream = 'Pedal'
delay = '105ms'
";

#[test]
#[ignore = "some minutes: make soak has it"]
fn images_in_c_send_what_simulated_ecus_send() {
    let Some(image) = image() else { return };
    for seed in first_seed(1)..first_seed(1) + seeds(3) {
        let (frames, report, trace) = of(VEHICLE, &image, seed);
        let (expected, ..) = of(&simulated(VEHICLE), &image, seed);
        for row in &report.images {
            assert_eq!(row.failure, None, "seed {seed}: {}", row.ecu);
        }
        for (ecu, expected) in &expected {
            let own = frames.get(ecu).map(Vec::as_slice).unwrap_or_default();
            let difference = own.len().abs_diff(expected.len());
            assert!(difference <= 1, "seed {seed}: {difference} of ECU {ecu}");
            for (at, (one, other)) in own.iter().zip(expected).enumerate() {
                assert_eq!(one, other, "seed {seed}: frame {at} of ECU {ecu}");
            }
        }
        assert_eq!(report.forgeries, 0, "seed {seed}");
        let checks = report.authentication.iter().flat_map(|one| &one.checks);
        for check in checks {
            assert!(check.authentic > 90, "{} at {}", check.stream, check.ecu);
        }
        assert!(of(VEHICLE, &image, seed).2 == trace, "seed {seed}");
    }
}
