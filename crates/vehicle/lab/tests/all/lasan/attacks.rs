//! Forged and replayed frames.

use std::collections::BTreeSet;

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::Serial;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_trace::{TraceSink, VehicleEvent};

use super::{CAR, KEYS, at, outcome, requested, stream};

/// Counts what reaches an ECU of a sender's frames.
#[derive(Default)]
struct Reached {
    sender: usize,
    receiver: usize,
    under_way: BTreeSet<Serial>,
    frames: u64,
}

impl TraceSink for Reached {
    fn record(&mut self, _at: Time, event: &VehicleEvent<'_>) {
        match event {
            VehicleEvent::Requested { ecu, serial, .. } if ecu.0 == self.sender => {
                self.under_way.insert(*serial);
            }
            VehicleEvent::Delivered { ecu, serial, .. } if ecu.0 == self.receiver => {
                self.frames += u64::from(self.under_way.contains(serial));
            }
            _ => {}
        }
    }
}

#[test]
fn forged_and_replayed_frames_are_refused_and_would_pass_without() {
    let attackers = "[[attacker]]\nname = \"liar\"\nkind = \"spoof\"\nstream = \"A\"\n\
                     period = \"7ms\"\nfrom = \"1s\"\nuntil = \"2s\"\n";
    let replay = "[[attacker]]\nname = \"parrot\"\nkind = \"replay\"\nstream = \"B\"\n\
                  delay = \"45ms\"\nfrom = \"1s\"\nuntil = \"2s\"\n";
    let car = CAR.replace("\"m4\"", "\"ideal\"");
    // The ECUs of the car, then the attackers.
    let reached = |keys: &str, attack: &str, receiver: usize| {
        let mut reached = Reached {
            sender: 4,
            receiver,
            ..Reached::default()
        };
        let (file, outcome) = outcome(&format!("{car}{keys}{attack}"), &mut reached);
        (Report::new(&file, 0, &outcome), reached.frames)
    };
    let (_, accepted) = reached("", attackers, 2);
    let (report, arrived) = reached(KEYS, attackers, 2);
    assert!(accepted > 130 && arrived > 130, "{accepted} {arrived}");
    let b = at(stream(&report.security_modules[0], "A"), "b");
    // By chance one of 256 may name the key and be tried; none has the tag.
    assert_eq!(b.wrong_tag + b.unknown_key + b.replay, arrived, "{b:?}");
    assert!(report.security_modules[0].stopped >= arrived);
    // What is the sender's own is believed all the same.
    let all = stream(&report.security_modules[0], "A");
    let early = ((all.keyed_ms.unwrap() - all.sender_ms.unwrap()) / 10.0).ceil() as u64;
    assert!(
        requested(&report, "A") - b.authentic <= 1 + early,
        "{all:?}"
    );
    let (_, accepted) = reached("", replay, 1);
    let (report, arrived) = reached(KEYS, replay, 1);
    assert!(accepted > 40 && arrived > 40, "{accepted} {arrived}");
    let a = at(stream(&report.security_modules[0], "B"), "a");
    assert_eq!((a.replay, a.wrong_tag), (arrived, 0), "{a:?}");
}
