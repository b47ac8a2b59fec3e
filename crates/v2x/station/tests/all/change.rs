//! Changes of a station's pseudonym, and an eavesdropper's view of them.

use std::collections::BTreeSet;

use waywarden_testkit::{Random, each_seed};
use waywarden_v2x_signing::Seed;
use waywarden_v2x_station::denm::DenmEvent;
use waywarden_v2x_station::pseudonym::{ChangeRules, PseudonymPhase};
use waywarden_v2x_station::{
    MessageService, Motion, Station, StationIdentifiers, StationMessage, StationSettings,
    StationTask, VehicleType,
};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use crate::drive::{Drive, START, STEP_US, place};

fn seed(random: &mut Random) -> Seed {
    Seed::new(random.bytes(32).try_into().unwrap())
}

fn settings(service: MessageService, change: ChangeRules) -> StationSettings {
    StationSettings {
        vehicle: VehicleType::CAR,
        service,
        change,
    }
}

const RULES: ChangeRules = ChangeRules {
    period_us: Some(20_000_000),
    distance_m: None,
    spread: 0.5,
    silence_us: 2_000_000,
    lock_max_us: 30_000_000,
};

/// A change: when it was, and until when the station said nothing.
type Change = (Time64, Time64);

/// Messages and changes of a drive.
struct Driven {
    /// Each message with its time.
    messages: Vec<(Time64, StationMessage)>,
    changes: Vec<Change>,
    /// Identifiers of the station before each change, and at the end.
    names: Vec<StationIdentifiers>,
}

fn drive(number: u64, rules: ChangeRules, service: MessageService, seconds: u64) -> Driven {
    let mut random = Random::new(number);
    let mut drive = Drive::new(number);
    let mut station = Station::new(settings(service, rules), START, &seed(&mut random));
    let (mut messages, mut changes, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..seconds * 1_000_000 / STEP_US {
        let motion = drive.step();
        while let Some(due) = station.poll(&motion, motion.time).unwrap() {
            match due {
                StationTask::Message(message) => messages.push((motion.time, message)),
                StationTask::PseudonymChange => {
                    names.push(*station.identifiers());
                    let until = station.change_pseudonym(motion.time, &seed(&mut random));
                    changes.push((motion.time, until));
                }
            }
        }
    }
    names.push(*station.identifiers());
    Driven {
        messages,
        changes,
        names,
    }
}

#[test]
fn station_is_silent_after_each_change_and_speaks_again() {
    each_seed(20, |number| {
        let driven = drive(number, RULES, MessageService::CamOverGeoNetworking, 90);
        let Driven {
            messages, changes, ..
        } = driven;
        assert!(changes.len() >= 2);
        let mut begun = START;
        for (at, until) in &changes {
            let age = at.0 - begun.0;
            assert!((20_000_000..=30_000_000 + STEP_US).contains(&age), "{age}");
            assert!((2_000_000..=4_000_000).contains(&(until.0 - at.0)));
            begun = *until;
            assert!(!messages.iter().any(|(sent, _)| sent >= at && sent < until));
            let again = messages.iter().find(|(sent, _)| sent >= until);
            if let Some((again, _)) = again {
                assert!(again.0 - until.0 <= 100_000 + STEP_US);
            }
        }
        let ages: BTreeSet<_> = changes.iter().map(|(at, until)| until.0 - at.0).collect();
        assert_eq!(ages.len(), changes.len(), "silences are drawn");
    });
}

/// Returns true if a number of 32 bits occurs anywhere in a frame, at any bit offset.
fn has_number(frame: &[u8], number: u32) -> bool {
    let words = frame.windows(5).map(|bytes| {
        let bytes = bytes.iter();
        bytes.fold(0_u64, |word, byte| word << 8 | u64::from(*byte))
    });
    words.into_iter().any(|word| {
        let mut shifts = (0..=8).map(|shift| (word >> shift) as u32);
        shifts.any(|other| other == number)
    })
}

/// No name of the station before a change stands in a frame after it, on any bit, and no counter
/// goes on. Certificates are the caller's to change.
#[test]
fn nothing_in_the_frames_links_two_pseudonyms() {
    for service in [
        MessageService::CamOverGeoNetworking,
        MessageService::CamOverWsmp,
        MessageService::BsmOverWsmp,
    ] {
        each_seed(10, |number| {
            let Driven {
                messages,
                changes,
                names,
            } = drive(number, RULES, service, 60);
            let frame =
                |message: &StationMessage| message.envelope.frame(&message.payload).unwrap();
            for ((at, until), name) in changes.iter().zip(&names) {
                let before = messages.iter().filter(|(sent, _)| sent < at);
                let after = messages.iter().filter(|(sent, _)| sent >= until);
                let before: Vec<_> = before.map(|(_, one)| frame(one)).collect();
                let after: Vec<_> = after.map(|(_, one)| frame(one)).collect();
                let id = match service {
                    MessageService::BsmOverWsmp => name.temporary_id,
                    _ => name.station_id,
                };
                // The search finds what is there.
                assert!(before.iter().any(|frame| has(frame, &name.mac)));
                assert!(before.iter().any(|frame| has_number(frame, id)));
                for frame in &after {
                    assert!(!has(frame, &name.mac));
                    assert!(!has_number(frame, name.station_id));
                    assert!(!has_number(frame, name.temporary_id));
                }
            }
            for two in names.windows(2) {
                assert_ne!(two[1].phase_us, two[0].phase_us);
                assert_ne!(two[1].udp_port, two[0].udp_port);
                assert_ne!(two[1].event_number, two[0].event_number);
            }
        });
    }
}

fn has(frame: &[u8], part: &[u8]) -> bool {
    frame.windows(part.len()).any(|window| window == part)
}

#[test]
fn identifiers_are_drawn_independently() {
    let mut random = Random::new(5);
    let drawn: Vec<_> = (0..500)
        .map(|_| StationIdentifiers::new(&seed(&mut random)))
        .collect();
    let distinct = |read: fn(&StationIdentifiers) -> u64| {
        drawn.iter().map(read).collect::<BTreeSet<_>>().len()
    };
    assert_eq!(distinct(|one| u64::from(one.station_id)), 500);
    assert_eq!(distinct(|one| u64::from(one.temporary_id)), 500);
    let mac = |one: &StationIdentifiers| {
        one.mac
            .iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte))
    };
    assert_eq!(distinct(mac), 500);
    // Half of 65,536, or of 16,384, drawn 500 times: a few come twice.
    assert!(distinct(|one| u64::from(one.packet_number)) > 480);
    assert!(distinct(|one| u64::from(one.event_number)) > 480);
    assert!(distinct(|one| u64::from(one.udp_port)) > 460);
    assert!(distinct(|one| u64::from(one.message_count)) > 100);
    assert!(distinct(|one| u64::from(one.phase_us)) > 480);
    for one in &drawn {
        assert_eq!(
            one.mac[0] & 0x03,
            0x02,
            "locally administered, of one station"
        );
        assert!(one.udp_port >= 49_152 && one.message_count < 128 && one.phase_us < 100_000);
        // No identifier is part of another one.
        let id = one.station_id.to_be_bytes();
        assert!(!has(&one.mac, &id) && one.station_id != one.temporary_id);
        assert!(!has(&one.mac, &one.temporary_id.to_be_bytes()));
    }
}

#[test]
fn event_puts_a_change_off_for_a_while() {
    let mut random = Random::new(8);
    let rules = ChangeRules::ON_DEMAND;
    let settings = settings(MessageService::CamOverGeoNetworking, rules);
    let mut station = Station::new(settings, START, &seed(&mut random));
    let at = |seconds: u64| {
        let time = Time64(START.0 + seconds * 1_000_000);
        Motion::at(place(0.0, 0.0), time)
    };
    let motion = at(1);
    station
        .trigger(DenmEvent::new(94, 0), &motion, motion.time)
        .unwrap();
    station.ask_for_change();
    let is_change = |station: &mut Station, motion: &Motion| {
        let mut is_change = false;
        while let Some(due) = station.poll(motion, motion.time).unwrap() {
            if due == StationTask::PseudonymChange {
                is_change = true;
                break;
            }
        }
        is_change
    };
    assert!(!is_change(&mut station, &motion));
    assert!(!is_change(&mut station, &at(255)));
    assert!(is_change(&mut station, &at(256)));
    assert_eq!(station.phase(), PseudonymPhase::Due);
    // Until the caller has changed, nothing is sent.
    assert!(is_change(&mut station, &at(257)));
    station.change_pseudonym(at(257).time, &seed(&mut random));
    assert!(!station.events().is_any());
    assert!(station.poll(&at(258), at(258).time).unwrap().is_none());
}

#[test]
fn way_is_a_reason_as_well() {
    let rules = ChangeRules {
        period_us: None,
        distance_m: Some(500.0),
        spread: 0.0,
        ..RULES
    };
    let mut random = Random::new(9);
    let settings = settings(MessageService::BsmOverWsmp, rules);
    let mut station = Station::new(settings, START, &seed(&mut random));
    let mut changed_at = None;
    for step in 0..10_000_u64 {
        let way = step as f64 * 0.2;
        let motion = Motion::at(place(way, 0.0), Time64(START.0 + step * STEP_US));
        if station.poll(&motion, motion.time).unwrap() == Some(StationTask::PseudonymChange) {
            changed_at = Some(way);
            break;
        }
    }
    let way = changed_at.unwrap();
    assert!((495.0..=510.0).contains(&way), "{way}");
}
