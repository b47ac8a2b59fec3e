//! The attacks on the exchange of keys in examples/attacks/keys/: each succeeds as published and
//! fails against the other profiles, which `profile` alone tells apart.

#![expect(
    clippy::too_many_lines,
    reason = "a list of cases is read in one piece"
)]

use std::collections::BTreeSet;
use std::path::PathBuf;

use waywarden_can_sim::trace::Discard;
use waywarden_key_suites::{DiffieHellman, FourQ, Meter, Secret};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::resources::Resources;
use waywarden_vehicle_lab::compare::{
    Attacks, AuthenticationChoice, KeyChoice, Original, Setting, Variant, Vault,
};
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::Report;
use waywarden_work::Duration;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/attacks/keys")
}

fn text(name: &str) -> String {
    let path = folder().join(name);
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Runs a vehicle, once the profile of its keys is another one.
fn report(name: &str, text: &str, profile: &str) -> Report {
    let published = "profile = \"as-published\"\n";
    assert_eq!(text.matches(published).count(), 1, "{name}");
    let text = text.replace(published, &format!("profile = \"{profile}\"\n"));
    let file = VehicleFile::parse(name, &text).unwrap_or_else(|errors| panic!("{errors}"));
    let lowered = lower(&file, &Resources::default(), None).unwrap_or_else(|e| panic!("{e}"));
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    Report::new(&file, 0, &outcome)
}

/// Returns the requirements that a run missed, with what was measured.
fn missed(report: &Report) -> Vec<String> {
    let missed = report.requirements.iter().filter(|verdict| !verdict.met);
    missed
        .map(|verdict| format!("{}: {}", verdict.requirement, verdict.measured))
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
    rows.flat_map(|row| row.key_deceived.clone()).collect()
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
            let setting = Setting {
                seed: 1,
                duration: Duration::from_millis(50),
                vault: Vault::File,
                attacks: Attacks::File,
            };
            let row = original.run(variant, &setting, &Resources::default());
            assert!(row.figures.is_some(), "{name} {keys:?}: {:?}", row.reason);
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
        let network = &report.lasan[0];
        assert_eq!(network.epochs, 3, "{profile}");
        for ecu in &network.ecus[1..] {
            assert_eq!(ecu.sessions, sessions, "{profile} {}", ecu.ecu);
        }
    }
}

/// What the attacker puts in is a share that it has the scalar of: it knows the key.
#[test]
fn the_forged_share_is_one_of_the_attackers() {
    let scalar = FourQ::scalar(&Secret::from_bytes([0xEE; 32]));
    let share = FourQ::share(&mut Meter::new(), &scalar);
    let hexadecimal: String = share.iter().map(|byte| format!("{byte:02X}")).collect();
    assert!(text("gke-forged-share.toml").contains(&hexadecimal));
}

/// Two buses in classic CAN, where a share has four frames.
const CLASSIC: &str = "\
[vehicle]
name = 'car'
duration = '500ms'
[[bus]]
name = 'front'
bitrate = '500k'
[[bus]]
name = 'rear'
bitrate = '500k'
[[ecu]]
name = 'orchestrator'
ports = ['front']
[[ecu]]
name = 'lights'
ports = ['rear']
[[ecu]]
name = 'gateway'
ports = ['front', 'rear']
[[keys]]
name = 'drive'
orchestrator = 'orchestrator'
members = ['lights']
buses = ['front', 'rear']
gateway = 'gateway'
profile = 'as-published'
";

fn classic(attack: &str) -> Report {
    let text = format!("{CLASSIC}{attack}");
    let file = VehicleFile::parse("car.toml", &text).unwrap_or_else(|errors| panic!("{errors}"));
    let lowered = lower(&file, &Resources::default(), None).unwrap_or_else(|e| panic!("{e}"));
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    Report::new(&file, 0, &outcome)
}

#[test]
fn key_frames_are_dropped_changed_and_repeated_as_messages() {
    let gateway = "[[attacker]]\nname = 'a'\ngateway = 'gateway'\n";
    for (attack, actions) in [
        // One message of four frames, out of the order, the shares and the confirmations.
        (
            "kind = 'suppress'\nkey_frames = { steps = ['share-a'], occurrence = 1 }\n",
            4,
        ),
        (
            "kind = 'suppress'\nkey_frames = { steps = ['share-a'] }\nbus = 'front'\n",
            12,
        ),
        (
            "kind = 'suppress'\nkey_frames = { steps = ['share-a'] }\nbus = 'rear'\n",
            0,
        ),
        // Bytes 14 to 17 are in its second and its third frame.
        (
            "kind = 'modify'\nat = 14\nxor = 'FFFFFFFF'\n\
             key_frames = { steps = ['share-a'], occurrence = 1 }\n",
            2,
        ),
    ] {
        let report = classic(&format!("{gateway}optional = true\n{attack}"));
        assert_eq!(report.attacks[0].actions, actions, "{attack}");
    }
    let replay = "[[attacker]]\nkind = 'replay'\ndelay = '100ms'\nbus = 'rear'\n\
                  key_frames = { steps = ['share-a', 'share-b'], result = ['lights'] }\n";
    assert_eq!(classic(replay).attacks[0].actions, 8);
}

/// The sender is driven error-passive, and each frame is overwritten once.
#[test]
fn key_frames_are_overwritten_once_their_sender_is_error_passive() {
    let overwrite = "[[interferer]]\nkind = 'error-passive-overwrite'\nbus = 'front'\n\
                     key_frames = { steps = ['orchestration'], occurrence = 1 }\ndata = 'zero'\n";
    let calm = classic("");
    let report = classic(overwrite);
    assert!(report.attacks[0].actions > 16, "{:?}", report.attacks);
    assert!(calm.keys[0].agreed_at_end);
    // The members had an order with a wrong signature, before the genuine frame came again.
    assert!(report.keys[0].retries > 0, "{:?}", report.keys[0]);
}

/// What is wrong with `key_frames` is placed, and the names that there are stand behind it.
#[test]
fn mistakes_in_key_frames_are_placed() {
    let attack = "[[attacker]]\nkind = 'suppress'\ngateway = 'gateway'\n";
    for (frames, at, expected) in [
        (
            "{ steps = ['share-c'] }",
            "'share-c'",
            "there is no step \"share-c\"; did you mean \"share-a\"?",
        ),
        (
            "{ steps = ['zzzzzzz'] }",
            "'zzzzzzz'",
            "there is no step \"zzzzzzz\"; possible: \
             \"freshness\", \"orchestration\", \"share-a\", \"share-b\", \
             \"confirmation-a\", \"confirmation-b\", \"master-signature\", \
             \"master-secret\", \"finish\", \"acknowledge\", \"start\", \"end\", \
             \"report\"",
        ),
        (
            "{ messages = ['request'] }",
            "messages",
            "`key_frames` of [[attacker]] of kind \"suppress\" has no key `messages`",
        ),
        (
            "{ keys = 'drove' }",
            "'drove'",
            "there is no group of keys \"drove\"; did you mean \"drive\"?",
        ),
        (
            "{ participants = ['gateway'] }",
            "'gateway'",
            "this ECU takes no part in these keys; those that do are orchestrator, lights",
        ),
        (
            "{ result = ['orchestrator'] }",
            "['orchestrator']",
            "no logical ECU is of these and no others; there are [lights]",
        ),
        (
            "{ occurrence = 0 }",
            "0",
            "occurrence 0 is out of range: 1 to 4294967296",
        ),
    ] {
        let line = "key_frames = ";
        let text = format!("{CLASSIC}{attack}{line}{frames}\n");
        let errors = VehicleFile::parse("car.toml", &text)
            .unwrap_err()
            .to_string();
        let column = 1 + line.len() + frames.find(at).unwrap();
        let place = format!("car.toml:29:{column}: {expected}");
        assert!(errors.starts_with(&place), "{place}\n{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
    let more = [
        (
            "gateway = 'lights'\nkey_frames = {}\n",
            "the gateway of these key frames is \"gateway\"",
        ),
        (
            "gateway = 'gateway'\nkey_frames = {}\nstreams = []\n",
            "exclude each other",
        ),
        (
            "gateway = 'gateway'\nkey_frames = 3\n",
            "expected a table such as",
        ),
    ];
    for (keys, expected) in more {
        let text = format!("{CLASSIC}[[attacker]]\nkind = 'suppress'\n{keys}");
        let errors = VehicleFile::parse("car.toml", &text)
            .unwrap_err()
            .to_string();
        assert!(errors.contains(expected), "{keys}\n{errors}");
    }
    let long = "[[attacker]]\nkind = 'modify'\ngateway = 'gateway'\nat = 30\nset = '000000'\n\
                key_frames = { steps = ['share-a'] }\n";
    let errors = VehicleFile::parse("car.toml", &format!("{CLASSIC}{long}"));
    let errors = errors.unwrap_err().to_string();
    assert!(
        errors.contains("bytes 30 to 32 are changed, but a share-a has 32"),
        "{errors}"
    );
}

/// What is wrong with attackers that play a part is placed.
#[test]
fn mistakes_in_masquerades_are_placed() {
    let text = text("lasan-man-in-the-middle.toml");
    let begin = text.find("[[attacker]]").unwrap();
    for (attacker, expected) in [
        (
            "kind = 'masquerade'\nbus = 'front'\necu = 'gateway'\n",
            "this ECU takes no part in these keys; those that do are module, brakes, steering",
        ),
        (
            "kind = 'masquerade'\nbus = 'front'\necu = 'brakes'\ncertificate = 'of-an-ecu'\n",
            "the certificate of an ECU with this name makes it that ECU",
        ),
        (
            "kind = 'man-in-the-middle'\ngateway = 'gateway'\necu = 'brakes'\n",
            "this ECU is on the security module's bus",
        ),
        (
            "kind = 'man-in-the-middle'\ngateway = 'brakes'\necu = 'steering'\n",
            "this ECU only forwards the messages of no security module",
        ),
    ] {
        let text = format!("{}[[attacker]]\n{attacker}", &text[..begin]);
        let errors = VehicleFile::parse("car.toml", &text)
            .unwrap_err()
            .to_string();
        assert!(errors.contains(expected), "{attacker}\n{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
}
