//! Mistakes in the tables of attacks on keys, each with its place.

use waywarden_vehicle_file::VehicleFile;

use super::{CLASSIC, text};

/// Key frames, what in them is wrong, and the message.
type Mistake = (&'static str, &'static str, &'static str);

const IN_KEY_FRAMES: [Mistake; 7] = [
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
];

/// Tables with key frames, and what is wrong with them.
const BESIDE_KEY_FRAMES: [(&str, &str); 3] = [
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

fn errors(text: &str) -> String {
    let errors = VehicleFile::parse("car.toml", text).unwrap_err();
    errors.to_string()
}

/// Errors in `key_frames` have their place, and list the names that exist.
#[test]
fn mistakes_in_key_frames_are_placed() {
    let attack = "[[attacker]]\nkind = 'suppress'\ngateway = 'gateway'\n";
    for (frames, at, expected) in IN_KEY_FRAMES {
        let line = "key_frames = ";
        let text = format!("{CLASSIC}{attack}{line}{frames}\n");
        let errors = errors(&text);
        let column = 1 + line.len() + frames.find(at).unwrap();
        let place = format!("car.toml:29:{column}: {expected}");
        assert!(errors.starts_with(&place), "{place}\n{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
}

#[test]
fn key_frames_that_do_not_fit_their_attacker_are_refused() {
    for (keys, expected) in BESIDE_KEY_FRAMES {
        let text = format!("{CLASSIC}[[attacker]]\nkind = 'suppress'\n{keys}");
        let errors = errors(&text);
        assert!(errors.contains(expected), "{keys}\n{errors}");
    }
}

#[test]
fn a_change_behind_the_end_of_a_key_frame_is_refused() {
    let long = "[[attacker]]\nkind = 'modify'\ngateway = 'gateway'\nat = 30\nset = '000000'\n\
                key_frames = { steps = ['share-a'] }\n";
    let errors = errors(&format!("{CLASSIC}{long}"));
    assert!(
        errors.contains("bytes 30 to 32 are changed, but a share-a has 32"),
        "{errors}"
    );
}

/// Errors of attackers that play a part have their place.
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
        let errors = errors(&text);
        assert!(errors.contains(expected), "{attacker}\n{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
}
