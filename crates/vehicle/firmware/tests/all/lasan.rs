//! The images under a LASAN security module: in whole vehicles, on a bus of their own, under
//! hostile frames and resets.

mod recorded;

use std::collections::BTreeSet;
use std::fmt::Write;

use recorded::{Party, hostile, on_record, recorded, run_native};
use waywarden_testkit::{Random, cases, first_seed, seeds};
use waywarden_vehicle_firmware::QemuImage;
use waywarden_work::{Duration, Instant};

use crate::budgets::{boot, hold_all, median, off, rounds};
use crate::image::{Core, M4F, MACHINE, OTHERS, built, run};
use crate::known_answers::{are_on_record, known, of_simulated};
use crate::vehicles::{FAST, INSTANT, compare, named, of, on};
use crate::world::World;

/// The crate of the role, with its frames on record.
const ROLE: &str = "firmware-lasan";

const SUITES: [&str; 2] = ["fourq", "p256"];

/// Returns the image with a suite, built; none, with a message, where it cannot be built or run.
fn image(suite: &str) -> Option<QemuImage> {
    image_for(&M4F, suite)
}

/// Returns the image for a core.
fn image_for(core: &Core, suite: &str) -> Option<QemuImage> {
    core.of_set("lasan", &format!("lasan-{suite}"))
}

/// Returns the image with a post-quantum suite, which is for a part with more memory.
fn post_quantum() -> Option<QemuImage> {
    let file = built(&["lasan-post-quantum"])?;
    Some(QemuImage::new(file, MACHINE).expect("our own image"))
}

/// The quiet vehicle with it. Certificates of this suite are longer than a record.
fn post_quantum_vehicle() -> String {
    let text = quiet("ml-kem-768+ml-dsa-44");
    text.replace(
        "scheme = 'lasan'",
        "scheme = 'lasan'\ncredentials = 'digests'",
    )
}

/// The example with a suite.
fn example(suite: &str) -> String {
    let line = format!("suite = \"{suite}\"");
    let text = named("lasan.toml").replace("suite = \"fourq\"", &line);
    match suite {
        "fourq" => text,
        // An answer takes longer, so that a key has to last.
        _ => {
            let text = text.replace("stream_key = \"1500ms\"", "stream_key = \"10s\"");
            text.replace("duration = \"4s\"", "duration = \"8s\"")
        }
    }
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn parties_under_a_security_module_are_granted_their_keys() {
    for suite in SUITES {
        let Some(image) = image(suite) else { return };
        let (_, report, _) = of(&example(suite), &image, 1);
        for row in &report.images {
            assert_eq!(row.failure, None, "{suite}: {}", row.ecu);
        }
        assert_eq!(report.forgeries, 0);
        // The images' own reports, in the tables of simulated ECUs.
        let network = &report.security_modules[0];
        assert!(network.authorized_ms.is_some(), "{suite}");
        let ecus = network.ecus.iter().filter(|row| row.ecu != "security");
        for row in ecus {
            assert!(row.authenticated_ms.is_some(), "{suite}: {}", row.ecu);
        }
        let checks = report.authentication.iter().flat_map(|one| &one.checks);
        for check in checks {
            let place = format!("{suite}: {} at {}", check.stream, check.ecu);
            assert!(check.authentic > 100, "{place}: {}", check.authentic);
        }
        assert!(report.is_met());
    }
}

/// A security module and two ECUs that boot one after the other, so that what each says does not
/// depend on how long the others compute.
fn quiet(suite: &str) -> String {
    let ecu = |name: &str, start: &str, sends: &str| {
        format!(
            "[[ecu]]\nname = '{name}'\nports = ['drive']\nboard = '{FAST}'\nstart = '{start}'\n\
             firmware = 'lasan.elf'\nclock = '1000MHz'\n{sends}\n"
        )
    };
    let ecus = [
        ecu("security", "10ms", ""),
        ecu("cluster", "20ms", ""),
        ecu(
            "steering",
            "2500ms",
            "sends = [{ name = 'Angle', id = 0x0C4, length = 8, period = '10ms', offset = '4ms', \
             receivers = ['cluster'] }]",
        ),
    ];
    format!(
        "[vehicle]\nname = 'quiet'\nduration = '6s'\n\
         [[bus]]\nname = 'drive'\nbitrate = '500k'\ndata_bitrate = '2M'\n{}\
         [[keys]]\nname = 'access'\nscheme = 'lasan'\nsuite = '{suite}'\nstart = '50ms'\n\
         security_module = 'security'\n\
         [[authentication]]\nname = 'drive'\nscheme = 'secoc'\nprofile = 'autosar-1'\n\
         granted_by = 'access'\nprotect = ['Angle']\n",
        ecus.concat()
    )
}

/// The quiet vehicle, whose ECUs compute in no time: what they say of milliseconds then follows
/// from the times of the frames alone.
fn quiet_on_record(suite: &str) -> String {
    let text = quiet(suite).replace(FAST, INSTANT);
    let text = text.replace("'6s'", "'3s'").replace("2500ms", "1500ms");
    text.replace("10ms', offset", "200ms', offset")
}

#[test]
fn the_frames_under_a_security_module_are_those_on_record() {
    for suite in SUITES {
        let own = of_simulated(&quiet_on_record(suite));
        are_on_record(ROLE, suite, &own);
    }
}

/// Runs each ECU on record in a world of its own, in which the others' frames come at the times on
/// record and an instruction takes a picosecond, and compares its frames, with the milliseconds in
/// them. That an ECU which takes its time comes to the same milliseconds is not compared.
fn sends_what_is_on_record(suite: &str, run: impl Fn(&mut World)) {
    let known = known(ROLE, suite);
    let all = known.in_order();
    let (last, ..) = all.last().expect("a frame");
    for (party, known) in on_record(&known).iter().zip(&known.parties) {
        let mut world = party.world();
        let boot = known.boot.expect("a boot");
        world.end = Instant::ZERO + last.since(boot) + Duration::from_millis(1);
        run(&mut world);
        known.assert_sent(&world.sent);
        assert_eq!(world.sent.len(), known.frames.len(), "{}", known.name);
    }
}

#[test]
fn the_library_sends_what_is_on_record_under_a_security_module() {
    for suite in SUITES {
        sends_what_is_on_record(suite, |world| run_native(suite, world));
    }
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn lasan_images_send_what_is_on_record() {
    for suite in SUITES {
        let Some(image) = image(suite) else { return };
        sends_what_is_on_record(suite, |world| run(&image, world).expect("a run"));
    }
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn the_frames_of_lasan_images_are_those_of_simulated_ecus() {
    for suite in SUITES {
        let Some(image) = image(suite) else { return };
        compare(&quiet(suite), &image, seeds(1), 1);
    }
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn lasan_images_say_what_their_library_says() {
    // On each core: what they say depends on milliseconds, so the library gets what the image got.
    let cores = [M4F].into_iter().chain(OTHERS);
    for (core, suite) in cores.flat_map(|core| SUITES.map(|suite| (core.clone(), suite))) {
        let Some(image) = image_for(&core, suite) else {
            return;
        };
        for party in recorded(&on(&core, &quiet(suite)), &image) {
            let (mut own, mut native) = (party.world(), party.world());
            run(&image, &mut own).expect("a run");
            run_native(suite, &mut native);
            let what = core.row(&format!("{suite}, {}", party.name));
            assert!(own.sent.len() > 4, "{what}");
            assert_eq!(own.sent, native.sent, "{what}");
            assert_eq!(own.reports, native.reports, "{what}");
            assert_eq!(own.stored, native.stored, "{what}");
        }
    }
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn lasan_images_take_a_million_frames() {
    let mut random = Random::of_test("lasan_images_take_a_million_frames");
    // A forged start-up message costs a verification, which takes five times as long with P-256.
    for (suite, count) in [("fourq", cases(1_000_000)), ("p256", cases(1_000_000) / 20)] {
        let Some(image) = image(suite) else { return };
        let parties = recorded(&quiet(suite), &image);
        let mut stack = 0;
        for party in &parties {
            let mut left = count / parties.len();
            while left > 0 {
                let now = left.min(20_000);
                left -= now;
                let mut world = hostile(party, &mut random, now);
                run(&image, &mut world).expect("no fault");
                assert!(world.arrivals.is_empty());
                stack = stack.max(world.stack.expect("a stack"));
            }
        }
        println!("{suite}: stack: {stack} bytes");
        // The memory that is linked for it, less what no run has ever needed.
        assert!(stack <= 56 * 1_024, "{stack}");
    }
}

/// The quiet vehicle, whose sender and security module are reset again and again.
fn resets(random: &mut Random) -> String {
    let mut text = quiet("fourq").replace("6s", "12s");
    let mut at = 2_600_000;
    for number in 0..16 {
        at += 300 + random.below(1_000_000);
        let until = at + 1 + random.below(500);
        let ecu = if number % 4 == 3 {
            "security"
        } else {
            "steering"
        };
        write!(
            text,
            "[[fault]]\nname = 'f{number}'\nkind = 'reset'\necu = '{ecu}'\nfrom = '{at}us'\n\
             until = '{until}us'\n"
        )
        .expect("a string");
        at = until;
    }
    text
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn resets_of_lasan_images_reuse_no_freshness_value() {
    let Some(image) = image("fourq") else { return };
    for seed in first_seed(1)..first_seed(1) + seeds(3) {
        let text = resets(&mut Random::new(seed));
        let (frames, report, _) = of(&text, &image, seed);
        for row in &report.images {
            assert_eq!(row.failure, None, "seed {seed}: {}", row.ecu);
        }
        assert!(report.images[2].boots > 8, "seed {seed}");
        let messages = frames[&2].iter().filter(|frame| !frame.id().is_extended());
        let values: Vec<&[u8]> = messages.map(|frame| &frame.data()[8..]).collect();
        let different: BTreeSet<&[u8]> = values.iter().copied().collect();
        // Freshness and code: equal only if a freshness value was used twice under one key, or by
        // chance for one pair in 2^24.
        assert_eq!(values.len(), different.len(), "seed {seed}");
        let own = &report.authentication[0].checks[0];
        assert_eq!((own.wrong_tag, own.replay), (0, 0), "seed {seed}: {own:?}");
        assert!(own.authentic > 50, "seed {seed}: {}", own.authentic);
        // No epoch begins twice.
        let startups = frames[&0]
            .iter()
            .filter(|frame| frame.id().raw() >> 20 & 0xF == 2);
        let firsts = startups.filter(|frame| frame.id().raw() >> 16 & 0xF == 0);
        let epochs: BTreeSet<&[u8]> = firsts.map(|frame| &frame.data()[..16]).collect();
        let numbers: BTreeSet<&[u8]> = epochs.iter().map(|fields| &fields[..8]).collect();
        assert_eq!(epochs.len(), numbers.len(), "seed {seed}");
        assert!(numbers.len() > 3, "seed {seed}: {} epochs", numbers.len());
    }
}

/// Instructions from the first wait until an ECU is authenticated.
fn authentication(world: &World) -> u64 {
    let first = world.costs.iter().position(|(name, _)| name == "Wait");
    let until = world
        .costs
        .iter()
        .position(|(name, _)| name == "Authorized");
    let costs = &world.costs[first.expect("a wait") + 1..=until.expect("an event")];
    costs.iter().map(|(_, cost)| cost).sum()
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn lasan_images_keep_their_budgets() {
    let cores = [M4F].into_iter().chain(OTHERS);
    let rows = cores.flat_map(|core| SUITES.map(|suite| row_if_off(&core, suite)));
    hold_all(&rows.flatten().collect::<Vec<_>>());
}

/// Measures the image on a core; returns its row if it is off.
fn row_if_off(core: &Core, suite: &str) -> Option<String> {
    let image = image_for(core, suite)?;
    let parties = recorded(&on(core, &quiet(suite)), &image);
    let worlds = parties.iter().map(|party: &Party| {
        let mut world = party.world();
        run(&image, &mut world).expect("a run");
        world
    });
    let [module, receiver, sender] = &worlds.collect::<Vec<World>>()[..] else {
        panic!("three parties");
    };
    let stack = |world: &World| u64::from(world.stack.expect("a stack"));
    let footprint = image.footprint();
    let measured = [
        ("flash_bytes", footprint.flash.into()),
        ("ram_bytes", footprint.ram.into()),
        ("stack_bytes", stack(receiver).max(stack(sender))),
        ("stack_bytes_module", stack(module)),
        ("boot", boot(receiver)),
        ("authenticate", authentication(receiver)),
        ("send", median(rounds(sender, "Send", "Sampled"))),
        ("check", median(rounds(receiver, "Wait", "Checked"))),
    ];
    off(&core.row(&format!("lasan-{suite}")), &measured, &image)
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn a_post_quantum_image_needs_more_memory_than_an_stm32f405() {
    let Some(image) = post_quantum() else { return };
    let text = post_quantum_vehicle();
    let (_, report, _) = of(&text, &image, 1);
    for row in &report.images {
        assert_eq!(row.failure, None, "{}", row.ecu);
    }
    assert!(report.authentication[0].checks[0].authentic > 100);
    let mut stacks = Vec::new();
    for party in recorded(&text, &image) {
        let (mut own, mut native) = (party.world(), party.world());
        run(&image, &mut own).expect("a run");
        run_native("ml-kem-768+ml-dsa-44", &mut native);
        assert_eq!(own.sent, native.sent, "{}", party.name);
        println!("{}: {:?} bytes of stack", party.name, own.stack);
        stacks.extend(own.stack);
    }
    println!("{:?}", image.footprint());
    // 128 KB of RAM, for stack and statics.
    let stack = stacks.into_iter().max().expect("a stack");
    assert!(stack > 128 * 1_024, "{stack}");
}
