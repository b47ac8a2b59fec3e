//! The published attacks, each against every profile.

use std::collections::BTreeSet;

use waywarden_key_suites::{DiffieHellman, FourQ, Secret};
use waywarden_vehicle_lab::compare::{
    Attacks, AuthenticationChoice, ComparisonSetting, KeyChoice, KeyLocation, Original, Variant,
};
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_resources::Resources;
use waywarden_work::{Duration, NoMeter};

use super::{folder, report, text};

/// Returns the requirements that a run missed, with what was measured.
fn missed(report: &Report) -> Vec<String> {
    let missed = report.requirements.iter().filter(|verdict| !verdict.met);
    missed
        .map(|verdict| format!("{}: {}", verdict.title, verdict.measured_text))
        .collect()
}

/// Each file with what it misses as published, and what the report then says that ECUs took.
const ATTACKS: [(&str, &[&str], &[&str]); 9] = [
    (
        "gke-replayed-order.toml",
        &[
            "undeceived brakes: 0 messages, 1 key deception",
            "undeceived steering: 0 messages, 1 key deception",
        ],
        &[
            "order that the orchestrator did not give by brakes: 1",
            "order that the orchestrator did not give by steering: 1",
        ],
    ),
    (
        "gke-forged-share.toml",
        &["undeceived lights: 0 messages, 1 key deception"],
        &["group key that the orchestrator does not have by lights: 1"],
    ),
    (
        "gke-no-end.toml",
        &["group key drive: not agreed by the end"],
        &[],
    ),
    (
        "lasan-overheard-certificate.toml",
        &["undeceived gateway: 0 messages, 1 key deception"],
        &["session with an attacker by gateway: 1"],
    ),
    (
        "lasan-replayed-startup.toml",
        &["undeceived brakes: 0 messages, 1 key deception"],
        &["session with an attacker by brakes: 1"],
    ),
    (
        "lasan-man-in-the-middle.toml",
        &[
            "undeceived module: 0 messages, 1 key deception",
            "undeceived steering: 0 messages, 1 key deception",
        ],
        &[
            "session with an attacker by module: 1",
            "session with an attacker by steering: 1",
        ],
    ),
    (
        "lasan-role-confusion.toml",
        &["undeceived brakes: 0 messages, 1 key deception"],
        &["session with an attacker by brakes: 1"],
    ),
    (
        "lasan-replayed-request.toml",
        &["undeceived gateway: 0 messages, 1 key deception"],
        &["request that its sender did not make by gateway: 1"],
    ),
    // Its outcome is a count of sessions.
    ("lasan-endless-session.toml", &[], &[]),
];

/// Returns the profiles beside the published one.
fn other_profiles(name: &str) -> &'static [&'static str] {
    match name.starts_with("gke") {
        true => &["hardened"],
        false => &["hardened", "compact"],
    }
}

fn deceived(report: &Report) -> Vec<String> {
    let rows = report.attacks.iter();
    rows.flat_map(|row| &row.key_deceived)
        .map(ToString::to_string)
        .collect()
}

#[test]
fn attacks_on_keys_succeed_as_published_and_fail_otherwise() {
    for (name, expected, took) in ATTACKS {
        let text = text(name);
        let published = report(name, &text, "as-published");
        assert_eq!(missed(&published), expected, "{name}");
        assert_eq!(deceived(&published), took, "{name}");
        for profile in other_profiles(name) {
            let other = report(name, &text, profile);
            assert_eq!(missed(&other), [""; 0], "{name} {profile}");
            assert_eq!(deceived(&other), [""; 0], "{name} {profile}");
            // The attacker acted there, too.
            assert!(other.attacks.iter().all(|row| row.actions > 0), "{name}");
        }
    }
}

#[test]
fn attacks_are_the_same_under_other_identifiers() {
    for (name, expected, took) in ATTACKS {
        let text = text(name);
        let profile = "profile = \"as-published\"\n";
        let plan = "identifiers = { base = 0x03000000, mask = 0x03000000, extended = true }\n";
        let text = text.replace(profile, &format!("{plan}{profile}"));
        let published = report(name, &text, "as-published");
        assert_eq!(missed(&published), expected, "{name}");
        assert_eq!(deceived(&published), took, "{name}");
        let hardened = report(name, &text, "hardened");
        assert_eq!(missed(&hardened), [""; 0], "{name}");
        assert!(hardened.attacks.iter().all(|row| row.actions > 0), "{name}");
    }
}

/// The attacker of each file is what deceives: without it nothing of the kind is seen.
#[test]
fn no_ecu_is_deceived_about_keys_without_an_attacker() {
    for (name, ..) in ATTACKS {
        let text = text(name);
        let begin = text.find("[[attacker]]").unwrap_or(text.len());
        let end = text[begin..]
            .find("\n[")
            .map_or(text.len(), |end| begin + end);
        let calm = format!("{}{}", &text[..begin], &text[end..]);
        for profile in [&["as-published"], other_profiles(name)].concat() {
            let report = report(name, &calm, profile);
            assert_eq!(missed(&report), [""; 0], "{name} {profile}");
        }
    }
}

#[test]
fn every_file_of_attacks_on_keys_is_run_and_named_on_its_page() {
    let files = std::fs::read_dir(folder()).unwrap();
    let files = files.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let files: BTreeSet<String> = files.collect();
    let run: BTreeSet<String> = ATTACKS
        .iter()
        .map(|(name, ..)| (*name).to_owned())
        .collect();
    assert_eq!(files, run);
    for name in files {
        let (protocol, _) = name.split_once('-').unwrap();
        let page = folder().join(format!("../../../docs/protocols/{protocol}.md"));
        let page = std::fs::read_to_string(page).unwrap();
        let link = format!("](../../examples/attacks/keys/{name})");
        assert!(
            page.contains(&link),
            "{name} is not on the page of {protocol}"
        );
        let command = format!("waywarden run examples/attacks/keys/{name}\n");
        assert!(text(&name).contains(&command), "{name}");
    }
}

/// A variant with other keys has no attackers that name those of the file.
#[test]
fn a_vehicle_attacked_in_its_keys_is_compared_with_other_keys() {
    for (name, ..) in ATTACKS {
        let original = Original::read(name, &text(name)).unwrap_or_else(|e| panic!("{e}"));
        let group = KeyChoice::Group("tree-with-orchestrator", "fourq");
        for keys in [
            KeyChoice::File,
            KeyChoice::None,
            group,
            KeyChoice::Lasan("hardened", "fourq"),
        ] {
            let authentication = AuthenticationChoice::None;
            let variant = Variant {
                keys,
                authentication,
            };
            let setting = ComparisonSetting {
                seed: 1,
                duration: Duration::from_millis(50),
                key_store: KeyLocation::File,
                attacks: Attacks::File,
            };
            let trial = original.run(variant, &setting, &Resources::default());
            assert!(trial.result.is_ok(), "{name} {keys:?}: {:?}", trial.result);
        }
    }
}

/// As published an ECU has one session over all epochs.
#[test]
fn a_published_session_outlives_its_epoch() {
    let name = "lasan-endless-session.toml";
    let text = text(name);
    for (profile, sessions) in [("as-published", 1), ("hardened", 3), ("compact", 3)] {
        let report = report(name, &text, profile);
        let network = &report.security_modules[0];
        assert_eq!(network.epochs, 3, "{profile}");
        for ecu in &network.ecus[1..] {
            assert_eq!(ecu.sessions, sessions, "{profile} {}", ecu.ecu);
        }
    }
}

/// The attacker injects a share that it has the scalar of: it knows the key.
#[test]
fn the_forged_share_is_one_of_the_attackers() {
    let scalar = FourQ::scalar(&Secret::from_bytes([0xEE; 32]));
    let share = FourQ::share(&mut NoMeter, &scalar);
    let hexadecimal: String = share.iter().map(|byte| format!("{byte:02X}")).collect();
    assert!(text("gke-forged-share.toml").contains(&hexadecimal));
}
