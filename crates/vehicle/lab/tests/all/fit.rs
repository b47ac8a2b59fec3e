//! Does SecOC fit a bus: candidates, their figures, the recommendation, and what cannot be.

mod equality;
mod judging;
mod page;
mod prepared;

use std::collections::HashMap;

use waywarden_can::{Id, StandardId};
use waywarden_vehicle_file::{FrameFormat, VehicleFile};
use waywarden_vehicle_lab::fit::{
    Candidate, CandidateCarrier, CandidateChoices, CandidateRow, CandidateTrial, Fit, FitError,
    FitSetting, FitVehicle, Preparation, RecordedStream, Selection, Truncation,
};
use waywarden_vehicle_resources::Resources;
use waywarden_work::Duration;

/// A classic bus: a short message, a full one, a full one that no ECU receives; and what disturbs
/// it and protects it in the file.
const CAR: &str = r#"
[vehicle]
name = "small"
seed = 5
duration = "500ms"

[[bus]]
name = "main"
bitrate = "500k"

[[ecu]]
name = "door"
ports = ["main"]
sends = [
  { name = "Lock",   id = 0x100, length = 4, period = "10ms", receivers = ["light"] },
  { name = "Window", id = 0x110, length = 8, period = "20ms", receivers = ["light"] },
  { name = "Mirror", id = 0x120, length = 8, period = "50ms" },
]

[[ecu]]
name = "light"
ports = ["main"]

[[attacker]]
kind = "spoof"
stream = "Lock"
bus = "main"
period = "7ms"

[[authentication]]
scheme = "secoc"
profile = "autosar-1"
protect = ["Lock"]
"#;

const SETTING: FitSetting = FitSetting {
    data_bit_rate: 2_000_000,
    attack_rate: None,
    risk: 0.01,
};

fn vehicle(text: &str, preparation: &Preparation) -> FitVehicle {
    let read = FitVehicle::read("car.toml", text, preparation);
    read.unwrap_or_else(|error| panic!("{error}"))
}

fn fit_of(vehicle: &FitVehicle, choices: &CandidateChoices, setting: &FitSetting) -> Fit {
    let candidates = vehicle.candidates(choices);
    let run = |candidate| vehicle.run(candidate, setting, &Resources::default());
    let trials: Vec<CandidateTrial> = candidates.into_iter().map(run).collect();
    Fit::new(vehicle, setting, trials)
}

fn row<'a>(fit: &'a Fit, name: &str) -> &'a CandidateRow {
    let found = fit.rows.iter().find(|row| row.name == name);
    found.unwrap_or_else(|| panic!("no row {name}"))
}

fn named(patterns: &[&str]) -> Preparation {
    Preparation {
        selection: Selection::Named(patterns.iter().map(|one| (*one).to_owned()).collect()),
        ..Preparation::default()
    }
}

#[test]
fn messages_go_where_there_is_room_for_their_codes() {
    let car = vehicle(CAR, &Preparation::default());
    let fit = fit_of(&car, &CandidateChoices::default(), &SETTING);
    assert_eq!((fit.messages, fit.to_protect), (3, 3));
    let protected = |name: &str| row(&fit, name).figures.protected;
    // 4 bytes of payload leave 4 of the frame, 8 leave none; a PDU has 8, a CAN FD frame 64.
    for (name, expected) in [
        ("none", 0),
        ("none-on-can-fd", 0),
        ("secoc-production-4-28-in-message", 1),
        ("secoc-production-4-28-cryptographic-pdu", 3),
        ("secoc-production-4-60-cryptographic-pdu", 3),
        ("secoc-autosar-1-8-56-cryptographic-pdu", 3),
        ("secoc-autosar-1-8-64-can-fd", 3),
    ] {
        assert_eq!(protected(name), expected, "{name}");
    }
    let impossible = |name: &str| {
        let mut all = fit.impossible.iter();
        all.find(|one| one.candidates.iter().any(|own| own.file_name() == name))
    };
    let none = impossible("secoc-production-4-60-in-message").unwrap();
    assert!(
        none.reason_text
            .contains("message \"Lock\" has 4 bytes, and freshness and code take 8"),
        "{}",
        none.reason_text
    );
    let none = impossible("secoc-autosar-1-8-64-cryptographic-pdu").unwrap();
    assert!(
        none.reason_text
            .contains("take 9 bytes; let at most 64 bits travel"),
        "{}",
        none.reason_text
    );
    // Each candidate is a row or has a reason.
    let reasons: usize = fit.impossible.iter().map(|one| one.candidates.len()).sum();
    let all = car.candidates(&CandidateChoices::default());
    assert_eq!(fit.rows.len() + reasons, all.len());
    assert_eq!(all.len(), 2 + 3 * 4 * 3);
}

#[test]
fn each_message_shows_what_it_loses() {
    let car = vehicle(CAR, &Preparation::default());
    let fit = fit_of(&car, &CandidateChoices::default(), &SETTING);
    let message = |name: &str, at: usize| row(&fit, name).figures.messages[at].clone();
    let own = message("secoc-production-4-28-in-message", 0);
    assert_eq!((own.payload_bytes, own.frame_bytes), (4, 8));
    assert_eq!(
        (own.payload_lost_bytes, own.extra_frames_per_second),
        (4, 0.0)
    );
    assert!(own.bound_ms.unwrap() >= own.simulated_ms.unwrap());
    let full = message("secoc-production-4-28-in-message", 1);
    assert!(!full.is_protected);
    assert!(full.reason_text.unwrap().contains("\"Window\" has 8 bytes"));
    let pdu = message("secoc-production-4-28-cryptographic-pdu", 1);
    assert_eq!((pdu.payload_lost_bytes, pdu.frame_bytes), (0, 8));
    assert_eq!(pdu.extra_frames_per_second, 50.0);
    assert_eq!(pdu.pdu_id_hex.as_deref(), Some("111"));
    let fd = message("secoc-autosar-1-8-64-can-fd", 1);
    assert!(fd.becomes_can_fd);
    // 8 bytes and 9 of freshness and code, padded to the next length.
    assert_eq!((fd.frame_bytes, fd.payload_lost_bytes), (20, 0));
}

#[test]
fn the_file_is_taken_without_attackers_and_authentication_and_with_stand_ins() {
    let car = vehicle(CAR, &Preparation::default());
    let file = car.file();
    assert!(file.attackers.is_empty() && file.authentications.is_empty());
    let mirror = file.streams.iter().find(|one| one.name.value == "Mirror");
    let receiver = file.ecu(mirror.unwrap().receivers[0].ecu);
    assert_eq!(receiver.name.value, "receiver-1");
    let remarks = car.remarks().join("\n");
    for part in [
        "1 [[attacker]], 1 [[authentication]]",
        "1 message has no receivers",
    ] {
        assert!(remarks.contains(part), "{remarks}");
    }
}

#[test]
fn messages_are_chosen_by_pattern_or_by_share() {
    let chosen = |selection| {
        let preparation = Preparation {
            selection,
            ..Preparation::default()
        };
        let car = vehicle(CAR, &preparation);
        let names = car.chosen().iter();
        let names = names.map(|at| car.file().stream(*at).name.value.clone());
        names.collect::<Vec<_>>()
    };
    let patterns = |all: &[&str]| Selection::Named(all.iter().map(|one| (*one).into()).collect());
    assert_eq!(chosen(patterns(&["*i*"])), ["Window", "Mirror"]);
    assert_eq!(chosen(patterns(&["Mirror", "L*"])), ["Lock", "Mirror"]);
    // The shortest periods; never none.
    assert_eq!(chosen(Selection::Share(0.5)), ["Lock", "Window"]);
    assert_eq!(chosen(Selection::Share(0.01)), ["Lock"]);
    let error = FitVehicle::read("car.toml", CAR, &named(&["Lock", "Loch"]));
    let Err(FitError::Choice(text)) = error else {
        panic!("accepted");
    };
    assert!(text.contains("Loch") && text.contains("Lock"), "{text}");
}

#[test]
fn recorded_periods_and_lengths_replace_those_of_the_file() {
    let id = |raw| Id::Standard(StandardId::new(raw).unwrap());
    let recorded = |period, length| RecordedStream { period, length };
    let preparation = Preparation {
        recorded: HashMap::from([
            (id(0x100), recorded(Some(Duration::from_millis(10)), 4)),
            (id(0x110), recorded(Some(Duration::from_millis(40)), 4)),
        ]),
        ..Preparation::default()
    };
    let car = vehicle(CAR, &preparation);
    let window = &car.file().streams[1];
    assert_eq!(
        (window.period, window.length),
        (Duration::from_millis(40), 4)
    );
    let remarks = car.remarks().join("\n");
    for part in [
        "Window as recorded: every 40 ms instead of 20 ms, 4 bytes instead of 8",
        "the recording lacks 1 message, which stays as the file has it: Mirror",
    ] {
        assert!(remarks.contains(part), "{remarks}");
    }
    assert!(!remarks.contains("Lock as recorded"), "{remarks}");
    // The offset of another period is unknown, and that of the only such message is 0.
    assert!(
        remarks.contains("1 message has unknown offsets"),
        "{remarks}"
    );
    assert_eq!(window.offset.or_zero(), Duration::ZERO);
}

#[test]
fn the_recommendation_protects_all_messages_with_codes_that_are_not_guessed() {
    let car = vehicle(CAR, &Preparation::default());
    let fit = fit_of(&car, &CandidateChoices::default(), &SETTING);
    let best = fit.best().unwrap();
    assert!(fit.fits && best.fits);
    assert_eq!(best.figures.protected, 3);
    assert!(best.guessed_in_a_year() <= 0.01, "{}", best.name);
    // A counter needs no announcements, a PDU no new controllers; none of these has a lower load.
    assert_eq!(best.name, "secoc-autosar-1-8-56-cryptographic-pdu");
    for row in &fit.rows {
        let is_as_good = row.fits
            && row.guessed_in_a_year() <= 0.01
            && row.profile == Some("autosar-1")
            && row.carrier != Some(CandidateCarrier::CanFd);
        assert!(
            !is_as_good || row.figures.load > best.figures.load - 0.001,
            "{} {}",
            row.name,
            best.name
        );
    }
    let text = &fit.conclusion_text;
    assert!(text.starts_with("SecOC fits. Recommended: "), "{text}");
    assert!(text.contains("protects all 3 messages"), "{text}");
    // Without CAN FD and PDUs only one message has room, and its code is guessed.
    let narrow = CandidateChoices {
        carriers: vec![CandidateCarrier::InMessage],
        ..CandidateChoices::default()
    };
    let fit = fit_of(&car, &narrow, &SETTING);
    assert!(!fit.fits);
    let text = &fit.conclusion_text;
    for part in [
        "SecOC does not fit as asked.",
        "protects 1 of 3 messages",
        "harder to guess",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn the_attack_rate_is_what_the_bus_carries_or_what_is_given() {
    let car = vehicle(CAR, &named(&["Lock"]));
    let choices = CandidateChoices {
        profiles: vec!["autosar-1"],
        truncations: vec![Truncation::Profile],
        carriers: vec![CandidateCarrier::InMessage],
    };
    let fit = fit_of(&car, &choices, &SETTING);
    let own = &fit.rows[1].figures;
    let guess = own.guess.as_ref().unwrap();
    // 8 bytes under 11 bits: 47 bits and 64, without stuff bits at the best.
    let fits = 500_000.0 / 111.0;
    assert!(
        (guess.per_second / fits - 1.0).abs() < 0.1,
        "{} {fits}",
        guess.per_second
    );
    assert!(
        guess.per_second <= fits * 1.001,
        "{} {fits}",
        guess.per_second
    );
    assert_eq!((guess.attempts, guess.code_bits), (2, 24));
    assert!(guess.in_a_year > 0.999_999);
    assert_eq!(guess.announcement_in_a_year, None);
    let slow = FitSetting {
        attack_rate: Some(0.01),
        ..SETTING
    };
    let fit = fit_of(&car, &choices, &slow);
    let guess = fit.rows[1].figures.guess.as_ref().unwrap();
    // 315,360 messages of which each is accepted with 2 / 2^24.
    let expected = 1.0 - (-315_360.0 * 2.0 / 16_777_216.0_f64).exp();
    assert!(
        (guess.in_a_year - expected).abs() < 1e-9,
        "{}",
        guess.in_a_year
    );
    assert!(fit.assumptions_text[0].contains("0.01 forged messages a second"));
}

#[test]
fn a_bus_that_is_overloaded_already_is_named_as_such() {
    let heavy = CAR.replace("bitrate = \"500k\"", "bitrate = \"10k\"");
    let car = vehicle(&heavy, &Preparation::default());
    let choices = CandidateChoices {
        truncations: vec![Truncation::Profile],
        ..CandidateChoices::default()
    };
    let fit = fit_of(&car, &choices, &SETTING);
    let text = &fit.conclusion_text;
    assert!(
        text.starts_with("The bus is overloaded without codes: "),
        "{text}"
    );
}

#[test]
fn only_the_chosen_messages_become_can_fd() {
    let car = vehicle(CAR, &named(&["Window"]));
    let text = car.toml(Candidate::NoneOnFd, &SETTING).unwrap();
    let file = VehicleFile::parse("fd.toml", &text).unwrap();
    let is_fd = |name: &str| {
        let stream = file.streams.iter().find(|one| one.name.value == name);
        stream.unwrap().format != FrameFormat::Classic
    };
    assert_eq!(
        [is_fd("Lock"), is_fd("Window"), is_fd("Mirror")],
        [false, true, false]
    );
    assert_eq!(file.buses[0].fd.as_ref().unwrap().data.bit_rate, 2_000_000);
    assert!(text.contains("name = \"small\""), "{text}");
}

#[test]
fn truncations_are_read_and_bad_ones_refused() {
    for (word, expected) in [
        ("profile", Truncation::Profile),
        ("fill", Truncation::Fill),
        ("28", Truncation::Bits(None, 28)),
        ("8/56", Truncation::Bits(Some(8), 56)),
    ] {
        assert_eq!(word.parse(), Ok(expected));
    }
    for word in ["", "/", "8/", "300", "-4", "eight"] {
        let error = word.parse::<Truncation>().unwrap_err();
        assert!(error.to_string().contains("8/56"), "{error}");
    }
    // Codes of 8 bits are refused with the reason.
    let car = vehicle(CAR, &Preparation::default());
    let choices = CandidateChoices {
        truncations: vec![Truncation::Bits(None, 8)],
        ..CandidateChoices::default()
    };
    let fit = fit_of(&car, &choices, &SETTING);
    assert!(fit.best().is_none());
    assert!(
        fit.impossible[0]
            .reason_text
            .starts_with("8 bits of code: 24 at least")
    );
    assert!(
        fit.conclusion_text
            .contains("No candidate protects a message")
    );
}
