//! Preparation: recordings on the buses that they are of, and what is left out is said.

use std::collections::HashMap;

use waywarden_can::{Id, StandardId};
use waywarden_vehicle_lab::fit::{
    CandidateChoices, FitError, FitVehicle, Preparation, RecordedStream, Selection,
};
use waywarden_work::Duration;

use super::{CAR, SETTING, fit_of, row, vehicle};

fn id(raw: u16) -> Id {
    Id::Standard(StandardId::new(raw).unwrap())
}

fn recorded(raw: u16, ms: u64, length: u8) -> (Id, RecordedStream) {
    let period = Some(Duration::from_millis(ms));
    (id(raw), RecordedStream { period, length })
}

#[test]
fn a_share_is_of_the_recorded_periods() {
    let preparation = Preparation {
        selection: Selection::Share(0.3),
        recorded: HashMap::from([recorded(0x100, 90, 4), recorded(0x120, 5, 8)]),
        ..Preparation::default()
    };
    let car = vehicle(CAR, &preparation);
    let name = |at: &_| car.file().stream(*at).name.value.clone();
    let names: Vec<String> = car.chosen().iter().map(name).collect();
    assert_eq!(names, ["Mirror"]);
}

#[test]
fn a_recording_for_several_buses_is_refused_with_the_remedy() {
    let text = CAR.replace(
        "[[ecu]]\nname = \"light\"",
        "[[bus]]\nname = \"other\"\nbitrate = \"500k\"\n\n[[ecu]]\nname = \"light\"",
    );
    let preparation = Preparation {
        recorded: HashMap::from([recorded(0x100, 20, 4)]),
        ..Preparation::default()
    };
    let Err(FitError::Choice(said)) = FitVehicle::read("car.toml", &text, &preparation) else {
        panic!("accepted");
    };
    for part in ["of one bus", "2: main, other", "leave the recording out"] {
        assert!(said.contains(part), "{said}");
    }
    vehicle(&text, &Preparation::default());
}

#[test]
fn what_routes_and_requirements_lose_is_said() {
    let text = format!(
        "{}\n[[bus]]\nname = \"other\"\nbitrate = \"500k\"\n\n[[ecu]]\nname = \"gateway\"\n\
         ports = [\"main\", \"other\"]\n\n[[route]]\ngateway = \"gateway\"\nfrom = \"main\"\n\
         to = \"other\"\nstreams = [\"Lock\"]\nverify = true\n\n[require]\n\
         authentic_within = {{ default = \"50ms\" }}\n",
        CAR.replace(
            "protect = [\"Lock\"]",
            "protect = [\"Lock\"]\nunchecked = [\"light\"]"
        )
    );
    let remarks = vehicle(&text, &Preparation::default()).remarks().join("\n");
    for part in [
        "`unchecked` of 1 of them",
        "`verify` of 1 [[route]]",
        "`authentic_within` of [require]",
    ] {
        assert!(remarks.contains(part), "{remarks}");
    }
    let remarks = vehicle(CAR, &Preparation::default()).remarks().join("\n");
    assert!(!remarks.contains("verify") && !remarks.contains("unchecked"));
}

#[test]
fn a_bound_that_equals_its_deadline_meets_it() {
    let bound_ms = |deadline: &str| {
        let text = CAR
            .replace("bitrate = \"500k\"", "bitrate = \"800k\"")
            .replace(
                "length = 4, period = \"10ms\"",
                &format!("length = 4, period = \"10ms\", deadline = \"{deadline}\""),
            );
        let car = vehicle(&text, &super::named(&["Lock"]));
        let fit = fit_of(&car, &CandidateChoices::default(), &SETTING);
        for row in &fit.rows {
            let missed = &row.figures.missed.by_bound;
            let is_newly = row.newly_missed.contains(&"Lock".to_owned());
            assert!(!is_newly || missed.contains(&"Lock".to_owned()), "{row:#?}");
        }
        let row = row(&fit, "secoc-autosar-1-8-24-in-message");
        row.figures.messages[0].bound_ms.unwrap()
    };
    let with_code = bound_ms("10ms");
    // Bits of 1.25 us: the bound has a part of a microsecond, and is shown as the next one.
    for below in 0..4_u32 {
        let deadline = (with_code * 1e6).round() as u64 - u64::from(below) * 250;
        bound_ms(&format!("{deadline}ns"));
    }
}

#[test]
fn a_message_that_is_late_on_an_idle_bus_is_no_overload() {
    let tight = CAR.replace(
        "length = 8, period = \"20ms\"",
        "length = 8, period = \"20ms\", deadline = \"200us\"",
    );
    let car = vehicle(&tight, &Preparation::default());
    let fit = fit_of(&car, &CandidateChoices::default(), &SETTING);
    let text = &fit.conclusion_text;
    assert!(
        text.starts_with(
            "1 message is late or lost already without codes in the simulation (Window)"
        ),
        "{text}"
    );
    assert!(!text.contains("overloaded"), "{text}");
}

#[test]
fn bounds_without_the_traffic_of_keys_are_said_to_be_so() {
    let keys = |more: &str| {
        format!(
            "{CAR}\n[[keys]]\nname = \"g\"\norchestrator = \"door\"\nmembers = [\"light\"]\n{more}"
        )
    };
    let own = "identifiers = { base = 0x07000000, mask = 0x07000000, extended = true }\n";
    for (more, is_left_out) in [("", false), (own, true)] {
        let car = vehicle(&keys(more), &Preparation::default());
        let fit = fit_of(&car, &CandidateChoices::default(), &SETTING);
        let said = "Bounds leave out the traffic of the file";
        assert_eq!(fit.conclusion_text.contains(said), is_left_out, "{more}");
        let page = waywarden_vehicle_lab::fit::page(&fit);
        assert_eq!(page.contains(said), is_left_out, "{more}");
        for row in &fit.rows {
            assert_eq!(
                row.figures.bounds_leave_out_keys, is_left_out,
                "{}",
                row.name
            );
            for message in &row.figures.messages {
                let both = message.simulated_ms.zip(message.bound_ms);
                let is_above = both.is_some_and(|(simulated, bound)| simulated > bound);
                assert!(is_left_out || !is_above, "{} {}", row.name, message.stream);
            }
        }
    }
}

#[test]
fn messages_without_a_period_and_unknown_identifiers_are_said() {
    let preparation = Preparation {
        without_period: vec!["Brake".to_owned()],
        recorded: HashMap::from([recorded(0x100, 10, 4), recorded(0x7A0, 10, 4)]),
        ..Preparation::default()
    };
    let remarks = vehicle(CAR, &preparation).remarks().join("\n");
    for part in [
        "left out of the file: 1 message has no period: Brake",
        "1 identifier of the recording belongs to no message, and its load is not counted: 0x7A0",
    ] {
        assert!(remarks.contains(part), "{remarks}");
    }
    let chosen = Preparation {
        without_period: vec!["Brake".to_owned()],
        ..super::named(&["Lock", "Bra*"])
    };
    let Err(FitError::Choice(said)) = FitVehicle::read("car.toml", CAR, &chosen) else {
        panic!("accepted");
    };
    assert!(
        said.contains("message \"Brake\" has no period: --log"),
        "{said}"
    );
}
