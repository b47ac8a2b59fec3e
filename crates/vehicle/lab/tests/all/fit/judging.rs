//! Verdicts: misses that grow, losses, guesses, and the rows that they are judged beside.

use waywarden_vehicle_lab::fit::{
    Candidate, CandidateCarrier, CandidateChoices, Fit, FitSetting, Preparation, Selection,
    Truncation, Unfit,
};

use super::{CAR, SETTING, fit_of, named, row, vehicle};

/// The profile's bits of one profile in all carriers.
fn of_profile(profile: &'static str) -> CandidateChoices {
    CandidateChoices {
        profiles: vec![profile],
        truncations: vec![Truncation::Profile],
        ..CandidateChoices::default()
    }
}

/// Accepts any guess, so that other reasons stand alone.
const CARELESS: FitSetting = FitSetting {
    risk: 1.0,
    ..SETTING
};

const PDU: &str = "secoc-autosar-1-8-24-cryptographic-pdu";
const ON_FD: &str = "secoc-autosar-1-8-24-can-fd";

/// A bus that is loaded by more than it carries in bursts: some deadlines are missed without codes.
fn strained(protected: &str) -> Fit {
    let text = CAR
        .replace("bitrate = \"500k\"", "bitrate = \"33k\"")
        .replace("period = \"10ms\"", "period = \"25ms\"")
        .replace(
            "period = \"20ms\", receivers",
            "period = \"40ms\", deadline = \"5ms\", receivers",
        );
    let car = vehicle(&text, &named(&[protected]));
    fit_of(&car, &of_profile("autosar-1"), &CARELESS)
}

#[test]
fn a_deadline_that_was_missed_and_is_missed_by_more_does_not_fit() {
    let fit = strained("Lock");
    let none = row(&fit, "none");
    assert!(!none.figures.missed.simulated.is_empty(), "{none:#?}");
    assert!(!none.fits && none.unfit.is_empty());
    let pdu = row(&fit, PDU);
    assert_eq!(pdu.judged_beside, [1]);
    assert!(pdu.newly_missed.is_empty(), "{:?}", pdu.newly_missed);
    assert_eq!(pdu.unfit, [Unfit::Late]);
    let text = pdu.missed_by_more_text.join("; ");
    assert!(text.contains("Window "), "{text}");
    assert!(
        text.contains("of its deadline in the simulation instead of"),
        "{text}"
    );
}

#[test]
fn rows_on_can_fd_are_judged_beside_the_bus_without_codes_on_can_fd() {
    let fit = strained("Mirror");
    let on_fd = row(&fit, ON_FD);
    assert_eq!(on_fd.judged_beside, [1, 2]);
    // Faster than the classic frames without codes, and slower than the same frames without.
    let bound = |name: &str| {
        let messages = &row(&fit, name).figures.messages;
        messages[0].bound_ms.unwrap()
    };
    assert!(bound(ON_FD) < bound("none") && bound(ON_FD) > bound("none-on-can-fd"));
    assert_eq!(
        on_fd.unfit,
        [Unfit::Late],
        "{:#?}",
        on_fd.missed_by_more_text
    );
}

#[test]
fn messages_that_are_refused_count_though_others_arrive() {
    // Freshness and code come more than 20 ms after the message, behind the frames of others.
    let text = CAR
        .replace("bitrate = \"500k\"", "bitrate = \"25k\"")
        .replace("period = \"10ms\"", "period = \"100ms\", offset = \"0ms\"")
        .replace("period = \"20ms\"", "period = \"200ms\", offset = \"0ms\"")
        .replace("id = 0x110", "id = 0x101")
        .replace("period = \"50ms\"", "period = \"200ms\", offset = \"0ms\"")
        .replace("id = 0x120", "id = 0x102")
        .replace(
            "name = \"light\"\nports = [\"main\"]\n",
            "name = \"light\"\nports = [\"main\"]\nsends = [\n  { name = \"A\", id = 0x103, length \
             = 8, period = \"200ms\", offset = \"0ms\", receivers = [\"door\"] },\n  { name = \
             \"B\", id = 0x104, length = 8, period = \"200ms\", offset = \"0ms\", receivers = \
             [\"door\"] },\n]\n",
        );
    let car = vehicle(&text, &named(&["Lock"]));
    let fit = fit_of(&car, &of_profile("autosar-1"), &CARELESS);
    let pdu = row(&fit, PDU);
    // Each other one of the five that are due is alone on the bus, and arrives.
    assert!(pdu.figures.messages[0].simulated_ms.is_some());
    assert_eq!(pdu.figures.missed.refused_or_lost, ["Lock"]);
    assert!(pdu.figures.refused_or_lost > 0);
    assert_eq!(pdu.figures.missed.by_bound, ["Lock"]);
    assert_eq!(pdu.figures.missed.may_be_refused, ["Lock"]);
    assert!(pdu.unfit.contains(&Unfit::Lost), "{:?}", pdu.unfit);
    let reason = pdu.figures.messages[0].no_bound_text.as_deref();
    assert!(
        reason.is_some_and(|why| why.contains("20 ms")),
        "{reason:?}"
    );
    assert_eq!(row(&fit, "none").figures.refused_or_lost, 0);
}

#[test]
fn what_is_withheld_before_the_first_announcement_is_no_loss() {
    let car = vehicle(CAR, &Preparation::default());
    let fit = fit_of(&car, &of_profile("jaspar"), &CARELESS);
    for row in &fit.rows {
        assert_eq!(row.figures.refused_or_lost, 0, "{}", row.name);
    }
    // Nor in a run that ends before there is another instance.
    let rare = CAR.replace("period = \"10ms\"", "period = \"400ms\"");
    let car = vehicle(&rare, &Preparation::default());
    let fit = fit_of(&car, &of_profile("jaspar"), &CARELESS);
    for row in &fit.rows {
        let missed = &row.figures.missed;
        assert!(
            missed.refused_or_lost.is_empty() && missed.simulated.is_empty(),
            "{}",
            row.name
        );
    }
}

#[test]
fn a_code_that_is_guessed_within_the_year_does_not_fit() {
    let car = vehicle(CAR, &Preparation::default());
    let choices = CandidateChoices {
        carriers: vec![CandidateCarrier::CryptographicPdu],
        ..of_profile("autosar-1")
    };
    let fit = fit_of(&car, &choices, &SETTING);
    assert!(!fit.fits);
    assert_eq!(row(&fit, PDU).unfit, [Unfit::Guessed]);
    assert!(fit.conclusion_text.contains("SecOC does not fit as asked"));
    let fit = fit_of(&car, &choices, &CARELESS);
    assert!(fit.fits && row(&fit, PDU).fits);
}

#[test]
fn the_attack_rate_does_not_fall_on_a_busier_bus() {
    let rate = |period: &str| {
        let text = CAR.replace("period = \"20ms\"", &format!("period = \"{period}\""));
        let car = vehicle(&text, &named(&["Lock"]));
        let fit = fit_of(&car, &of_profile("autosar-1"), &SETTING);
        row(&fit, PDU).figures.guess.as_ref().unwrap().per_second
    };
    // The last one is beyond what the bus carries.
    let rates = ["20ms", "1ms", "200us"].map(rate);
    assert_eq!(rates, [rates[0]; 3]);
}

#[test]
fn a_message_without_receivers_is_judged_whether_it_is_protected_or_not() {
    for names in [["Lock"], ["Mirror"]] {
        let car = vehicle(CAR, &named(&names));
        let received = |stream: &waywarden_vehicle_file::Stream| !stream.receivers.is_empty();
        assert!(car.file().streams.iter().all(received), "{names:?}");
        let stands_in =
            "1 message has no receivers: 1 ECU stands in for them, named from receiver-1";
        assert!(
            car.remarks().join("\n").contains(stands_in),
            "{:?}",
            car.remarks()
        );
    }
    // It has the lowest priority, and takes more than its deadline on a slow bus.
    let slow = CAR
        .replace("bitrate = \"500k\"", "bitrate = \"50k\"")
        .replace(
            "length = 8, period = \"50ms\"",
            "length = 8, period = \"50ms\", deadline = \"3ms\"",
        );
    let car = vehicle(&slow, &named(&["Lock"]));
    let fit = fit_of(&car, &of_profile("autosar-1"), &CARELESS);
    for row in &fit.rows {
        assert!(
            row.figures.missed.by_bound.contains(&"Mirror".to_owned()),
            "{}",
            row.name
        );
    }
}

#[test]
fn a_cryptographic_pdu_comes_after_its_message_or_not_at_all() {
    let last = CAR.replace("id = 0x120", "id = 0x7FF");
    let car = vehicle(&last, &Preparation::default());
    let fit = fit_of(&car, &of_profile("autosar-1"), &CARELESS);
    let pdu = row(&fit, PDU);
    assert_eq!(pdu.figures.protected, 2);
    assert_eq!(pdu.unfit, [Unfit::Unprotected]);
    let reason = pdu.figures.messages[2].reason_text.as_deref().unwrap();
    assert!(
        reason.starts_with("no identifier above that of message \"Mirror\" is free"),
        "{reason}"
    );
    // One below takes the last identifier.
    let last = CAR.replace("id = 0x120", "id = 0x7FE");
    let car = vehicle(&last, &Preparation::default());
    let fit = fit_of(&car, &of_profile("autosar-1"), &CARELESS);
    let pdu = row(&fit, PDU);
    assert!(pdu.fits, "{:?}", pdu.unfit);
    assert_eq!(pdu.figures.messages[2].pdu_id_hex.as_deref(), Some("7FF"));
}

#[test]
fn a_bus_that_cannot_be_can_fd_has_the_reason_for_each_candidate_that_needs_it() {
    let car = vehicle(CAR, &Preparation::default());
    let slow = FitSetting {
        data_bit_rate: 3,
        ..CARELESS
    };
    let fit = fit_of(&car, &of_profile("autosar-1"), &slow);
    let all: Vec<Candidate> = fit
        .impossible
        .iter()
        .flat_map(|one| one.candidates.clone())
        .collect();
    let names: Vec<String> = all.iter().map(|one| one.file_name()).collect();
    assert_eq!(names, ["none-on-can-fd", ON_FD]);
    assert!(fit.impossible.iter().all(|one| !one.reason_text.is_empty()));
}

#[test]
fn on_can_fd_already_both_carriers_in_the_message_are_one() {
    let text = CAR
        .replace(
            "bitrate = \"500k\"",
            "bitrate = \"500k\"\ndata_bitrate = \"2M\"",
        )
        .replace("period = ", "format = \"fd\", period = ")
        .replace("format = \"fd\", period = \"7ms\"", "period = \"7ms\"");
    let car = vehicle(
        &text.replace("\nformat = \"fd\", ", "\n"),
        &Preparation::default(),
    );
    let choices = CandidateChoices {
        carriers: vec![CandidateCarrier::CanFd],
        ..of_profile("autosar-1")
    };
    let fit = fit_of(&car, &choices, &CARELESS);
    let names: Vec<&str> = fit.rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["none", "secoc-autosar-1-8-24-in-message"]);
    let said = fit.assumptions_text.join("\n");
    assert!(
        said.contains("all messages to protect are CAN FD frames already"),
        "{said}"
    );
}

#[test]
fn the_freshness_master_of_the_file_stays() {
    let text = CAR.replace(
        "profile = \"autosar-1\"",
        "profile = \"jaspar\"\nmaster = \"light\"\nannounce = \"50ms\"",
    );
    for (text, master, period) in [(text.as_str(), "light", 50), (CAR, "door", 100)] {
        let car = vehicle(text, &Preparation::default());
        let candidates = car.candidates(&of_profile("jaspar"));
        let candidate = candidates.iter().find(|one| one.secoc().is_some()).unwrap();
        let text = car.toml(*candidate, &SETTING).unwrap();
        let file = waywarden_vehicle_file::VehicleFile::parse("row.toml", &text).unwrap();
        let place = file.authentications[0].freshness_master().unwrap();
        assert_eq!(file.ecu(place.ecu).name.value, master);
        assert_eq!(place.period.as_nanos(), period * 1_000_000);
        let is_said = car
            .remarks()
            .join("\n")
            .contains("freshness master of the file stays: light");
        assert_eq!(is_said, master == "light");
    }
}

#[test]
fn texts_say_message() {
    let car = vehicle(CAR, &Preparation::default());
    let fit = fit_of(&car, &CandidateChoices::default(), &SETTING);
    let reasons = fit.impossible.iter().map(|one| one.reason_text.clone());
    let all: Vec<String> = reasons.chain([fit.conclusion_text.clone()]).collect();
    assert!(all.len() > 1);
    for text in all {
        assert!(!text.contains("stream"), "{text}");
    }
    let error = waywarden_vehicle_lab::fit::FitVehicle::read(
        "car.toml",
        CAR,
        &Preparation {
            selection: Selection::Named(vec!["Loch".to_owned()]),
            ..Preparation::default()
        },
    );
    let text = error.err().unwrap().to_string();
    assert!(!text.contains("stream"), "{text}");
}
