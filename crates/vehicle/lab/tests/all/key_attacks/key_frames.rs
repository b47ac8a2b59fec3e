//! Key frames that an attacker drops, changes, repeats and overwrites.

use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_resources::Resources;

use super::CLASSIC;

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
    assert!(calm.groups[0].agreed_at_end);
    // The members had an order with a wrong signature, before the genuine frame came again.
    assert!(report.groups[0].retries > 0, "{:?}", report.groups[0]);
}
