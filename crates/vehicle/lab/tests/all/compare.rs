//! Variants of a car: what they cover, what reaches them, how they rank.

mod carriers;
mod page;
mod ranking;

use std::path::PathBuf;

use waywarden_can_sim::trace::Discard;
use waywarden_testkit::number;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::compare::{
    Attacks, AuthenticationChoice, ComparisonSetting, Coverage, KeyChoice, KeyLocation, Original,
    Variant, VariantFigures, VariantTrial,
};
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_resources::Resources;
use waywarden_work::Duration;

/// Two buses and a gateway. On the classic one: a stream that all protocols can carry, one of 8
/// bytes, one with an odd identifier. On the CAN FD one: a classic one of 8 bytes, and one of 16.
const CAR: &str = r#"
[vehicle]
name = "small"
seed = 5

[[bus]]
name = "body"
bitrate = "500k"

[[bus]]
name = "drive"
bitrate = "500k"
data_bitrate = "2M"

[[ecu]]
name = "gateway"
ports = ["body", "drive"]

[[ecu]]
name = "door"
ports = ["body"]
sends = [
  { name = "Lock",   id = 0x100, length = 4, period = "10ms", receivers = ["light", "gateway"] },
  { name = "Window", id = 0x110, length = 8, period = "20ms", receivers = ["light"] },
  { name = "Mirror", id = 0x121, length = 2, period = "20ms", receivers = ["light"] },
]

[[ecu]]
name = "light"
ports = ["body"]

[[ecu]]
name = "brakes"
ports = ["drive"]
sends = [
  { name = "Speed",    id = 0x200, length = 8,  period = "20ms", receivers = ["steering"], format = "classic" },
  { name = "Pressure", id = 0x210, length = 16, period = "20ms", receivers = ["steering"] },
  { name = "Unheard",  id = 0x220, length = 8,  period = "20ms" },
]

[[ecu]]
name = "steering"
ports = ["drive"]

[require]
startup = "200ms"
"#;

const NONE: Variant = Variant::BASELINE;

fn original(text: &str) -> Original {
    Original::read("car.toml", text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn setting(attacks: Attacks) -> ComparisonSetting {
    ComparisonSetting {
        seed: 5,
        duration: Duration::from_millis(1_000),
        key_store: KeyLocation::File,
        attacks,
    }
}

fn with(authentication: AuthenticationChoice) -> Variant {
    Variant {
        authentication,
        ..NONE
    }
}

fn trial(car: &Original, variant: Variant, setting: &ComparisonSetting) -> VariantTrial {
    car.run(variant, setting, &Resources::default())
}

fn figures_of(car: &Original, variant: Variant, setting: &ComparisonSetting) -> VariantFigures {
    let result = trial(car, variant, setting).result;
    result.unwrap_or_else(|reason| panic!("{variant:?}: {reason}"))
}

fn figures(text: &str, variant: Variant, setting: &ComparisonSetting) -> VariantFigures {
    figures_of(&original(text), variant, setting)
}

fn names(figures: &VariantFigures) -> Vec<&str> {
    let open = figures.open.iter();
    open.map(|one| one.split(':').next().unwrap_or_default())
        .collect()
}

#[test]
fn a_scheme_covers_what_it_can_carry() {
    let covered = |authentication, streams: &[&str]| {
        let (car, setting) = (original(CAR), setting(Attacks::File));
        let text = car.toml(with(authentication), &setting);
        let file = VehicleFile::parse("variant", &text).unwrap();
        let tables = file.authentications.iter();
        let named = tables.flat_map(|table| &table.streams);
        let named: Vec<&str> = named
            .map(|at| file.stream(*at).name.value.as_str())
            .collect();
        assert_eq!(named, streams, "{authentication:?}");
        let figures = figures(CAR, with(authentication), &setting);
        let expected = Coverage {
            covered: streams.len(),
            session_keys: 0,
            streams: 5,
        };
        assert_eq!(figures.coverage, expected);
        file
    };
    covered(AuthenticationChoice::None, &[]);
    // Classic, with an even identifier whose neighbour is free.
    covered(AuthenticationChoice::Vatican, &["Lock", "Window", "Speed"]);
    covered(AuthenticationChoice::Leia, &["Lock", "Window", "Speed"]);
    // Where there is room; on the CAN FD bus room is made.
    let secoc = ["Lock", "Mirror", "Speed", "Pressure"];
    for profile in ["production", "jaspar", "autosar-1"] {
        let file = covered(AuthenticationChoice::Secoc(profile), &secoc);
        let speed = file.streams.iter().find(|one| one.name.value == "Speed");
        assert!(speed.unwrap().wire_length() > 8, "{profile}");
    }
}

#[test]
fn tags_stop_who_has_no_keys_and_modules_those_beside_them() {
    let setting = setting(Attacks::Standard);
    let open = figures(CAR, NONE, &setting);
    // An intruder, and three on each of two buses: all of them reach an ECU.
    assert_eq!((open.attacks, open.stopped), (7, 0), "{open:?}");
    let all = [
        "intruder", "spoof-1", "replay-1", "flood-1", "spoof-2", "replay-2", "flood-2",
    ];
    assert_eq!(names(&open), all);
    // Without attackers the same car is the same car.
    assert_eq!((open.met, open.requirements), (1, 1));
    for authentication in [
        AuthenticationChoice::Vatican,
        AuthenticationChoice::Leia,
        AuthenticationChoice::Secoc("production"),
    ] {
        let tagged = figures(CAR, with(authentication), &setting);
        assert_eq!(names(&tagged), ["intruder"], "{authentication:?}");
        assert_eq!((tagged.attacks, tagged.stopped), (7, 6));
    }
}

#[test]
fn a_module_keeps_its_keys_from_who_runs_code_beside_it() {
    let setting = ComparisonSetting {
        key_store: KeyLocation::Module,
        ..setting(Attacks::Standard)
    };
    for authentication in [
        AuthenticationChoice::Vatican,
        AuthenticationChoice::Secoc("production"),
    ] {
        // Without streams that are in clear on the ECU of the intruder.
        let text = CAR.replace("0x121", "0x122").replace(
            "length = 8, period = \"20ms\", receivers = [\"light\"]",
            "length = 4, period = \"20ms\", receivers = [\"light\"]",
        );
        let tagged = figures(&text, with(authentication), &setting);
        assert_eq!(names(&tagged), [""; 0], "{authentication:?}");
    }
}

#[test]
fn the_attackers_of_the_file_count_too_and_alone_if_so_wished() {
    let text = format!(
        "{CAR}\n[[attacker]]\nkind = \"spoof\"\nstream = \"Window\"\nperiod = \"7ms\"\n\
         [[attacker]]\nkind = \"flood\"\nbus = \"drive\"\nrate = \"100/s\"\n"
    );
    let own = figures(&text, NONE, &setting(Attacks::File));
    // The flood is under an identifier that no ECU listens to.
    assert_eq!((own.attacks, own.stopped), (1, 0));
    assert!(own.open[0].starts_with("attacker-1: "), "{:?}", own.open);
    let both = figures(&text, NONE, &setting(Attacks::Standard));
    assert_eq!(both.attacks, 8);
}

#[test]
fn keys_are_part_of_the_start_up_and_of_the_requirements() {
    let text = CAR.replace(
        "startup = \"200ms\"",
        "startup = \"200ms\"\ngroup_key_within = \"900ms\"",
    );
    let setting = setting(Attacks::File);
    let without = figures(&text, NONE, &setting);
    assert_eq!(without.missed, ["keys"]);
    assert_eq!((without.met, without.requirements), (1, 2));
    assert_eq!(without.key_frames, 0);
    for keys in [
        KeyChoice::Group("tree-with-orchestrator", "fourq"),
        KeyChoice::Lasan("hardened", "p256"),
    ] {
        let keyed = figures(&text, Variant { keys, ..NONE }, &setting);
        assert!(keyed.missed.is_empty(), "{keys:?}: {:?}", keyed.missed);
        // One for each bus, and the start-up.
        assert_eq!(keyed.met, 3, "{keys:?}");
        assert!(keyed.key_frames > 20, "{keys:?}: {}", keyed.key_frames);
        assert!(keyed.start_up_ms.unwrap() > without.start_up_ms.unwrap());
    }
}

#[test]
fn a_security_module_protects_what_has_room() {
    let variant = Variant {
        keys: KeyChoice::Lasan("hardened", "p256"),
        authentication: AuthenticationChoice::Lasan,
    };
    let own = figures(CAR, variant, &setting(Attacks::File));
    assert_eq!(own.coverage.covered, 1);
}

#[test]
fn every_variant_of_the_examples_is_a_vehicle_file() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../examples");
    let mut files = 0;
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        // Board files stand beside.
        let Ok(car) = Original::read("example", &text) else {
            continue;
        };
        let variants = car.variants(KeyChoice::ALL, AuthenticationChoice::ALL);
        assert!(
            variants.len() > 50,
            "{}: {}",
            path.display(),
            variants.len()
        );
        // One in four of each file, other ones in the next: soak takes all of every file.
        let every = if number("WAYWARDEN_CASES").is_some() {
            1
        } else {
            4
        };
        for variant in variants.into_iter().skip(files % every).step_by(every) {
            let text = car.toml(variant, &setting(Attacks::File));
            if let Err(errors) = VehicleFile::parse("variant", &text) {
                panic!("{}, {variant:?}: {errors}", path.display());
            }
        }
        files += 1;
    }
    assert!(files >= 4, "{files}");
}

/// Messages leave while others are handled, if tags wait for a processor that computes keys.
#[test]
fn what_was_found_authentic_was_delivered() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../examples/compact-car.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let variant = Variant {
        keys: KeyChoice::Group("tree-without-orchestrator", "fourq"),
        authentication: AuthenticationChoice::Secoc("autosar-1"),
    };
    let text = original(&text).toml(variant, &setting(Attacks::File));
    let file = VehicleFile::parse("variant", &text).unwrap();
    let lowered = lower(&file, &Resources::default(), None).unwrap();
    let outcome = run(lowered, &mut Discard, &mut |_| ()).unwrap();
    let report = Report::new(&file, file.seed, &outcome);
    let checks = report.authentication.iter().flat_map(|one| &one.checks);
    let checks: Vec<_> = checks.collect();
    assert!(checks.len() > 50);
    for stream in &report.streams {
        let own = checks.iter().filter(|one| one.stream == stream.stream);
        let authentic: u64 = own.clone().map(|one| one.authentic).sum();
        if own.count() > 0 {
            assert_eq!(stream.delivered, authentic, "{}", stream.stream);
        }
    }
}

#[test]
fn the_page_names_every_choice() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../docs/compare.md");
    let page = std::fs::read_to_string(path).unwrap();
    let keys = KeyChoice::ALL.iter().map(|one| one.name());
    let authentications = AuthenticationChoice::ALL.iter().map(|one| one.name());
    for name in keys.chain(authentications) {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
}

/// Under other keys, the keys that followed a group's are in place at the start.
#[test]
fn streams_under_a_groups_key_keep_their_tags_without_that_group() {
    let keys = "[[keys]]\nname = \"body\"\norchestrator = \"gateway\"\nbuses = [\"body\"]\n\
                [[authentication]]\nscheme = \"vatican\"\nprotect = [\"Lock\"]\n\
                group = \"body\"\n";
    let text = format!("{CAR}{keys}");
    let (car, setting) = (original(&text), setting(Attacks::File));
    for (keys, follows) in [
        (KeyChoice::File, true),
        (KeyChoice::None, false),
        (KeyChoice::Group("symmetric-distribution", "fourq"), false),
    ] {
        let variant = Variant {
            keys,
            authentication: AuthenticationChoice::File,
        };
        let file = VehicleFile::parse("variant", &car.toml(variant, &setting));
        let file = file.unwrap_or_else(|errors| panic!("{keys:?}: {errors}"));
        let of_group = file.authentications[0].keys.group_key().is_some();
        assert_eq!(of_group, follows, "{keys:?}");
    }
}
