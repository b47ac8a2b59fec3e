//! Each cell equals what `run` and `bus bound` have for the vehicle file that is written for its
//! row: on random vehicles by seed, and on message matrices of cars.

use waywarden_can_sim::trace::Discard;
use waywarden_response_time::NoBound;
use waywarden_testkit::{Random, corpus_bytes, number, only_seed, seeds};
use waywarden_vehicle_bound::{BoundOptions, bounds, covered};
use waywarden_vehicle_file::{VehicleFile, dbc};
use waywarden_vehicle_lab::fit::{
    CandidateChoices, CandidateRow, Fit, FitVehicle, Preparation, Selection, Truncation,
};
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::phases::in_phase;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::DeliveryOutcome as Ended;
use waywarden_work::Duration;

use super::{SETTING, fit_of};

/// Demands that a row has the figures of its vehicle file.
fn demand_equal(name: &str, row: &CandidateRow, text: &str) {
    let name = format!("{name}, {}", row.name);
    let file = VehicleFile::parse("row.toml", text).unwrap_or_else(|errors| {
        panic!("{name}: {errors}\n{text}");
    });
    demand_equal_to_run(&name, row, &file);
    demand_equal_to_bounds(&name, row, &file);
}

/// Demands the figures of `run`.
fn demand_equal_to_run(name: &str, row: &CandidateRow, file: &VehicleFile) {
    let resources = Resources::default();
    let drawn = in_phase(file, file.seed, 0);
    let lowered = lower(&drawn, &resources, Some(file.seed)).unwrap();
    let outcome = run(lowered, &mut Discard, &mut |_| ()).unwrap();
    let report = Report::new(&drawn, file.seed, &outcome);
    let own = &row.figures;
    let load = report.buses.iter().map(|bus| bus.load).fold(0.0, f64::max);
    assert_eq!(own.load, load, "{name}");
    let up = match report.is_keyed() {
        true => report
            .keys_ms
            .zip(report.start_up_ms)
            .map(|(a, b)| a.max(b)),
        false => report.start_up_ms,
    };
    assert_eq!(own.start_up_ms, up, "{name}");
    for message in &own.messages {
        let stream = report
            .streams
            .iter()
            .find(|one| one.stream == message.stream);
        assert_eq!(message.simulated_ms, stream.unwrap().worst_ms, "{name}");
    }
    let received = |stream: &str| {
        let stream = file.streams.iter().find(|one| one.name.value == stream);
        !stream.unwrap().receivers.is_empty()
    };
    let streams = report.streams.iter().filter(|one| received(&one.stream));
    let shares = streams.filter_map(|one| Some(one.worst_ms? / one.deadline_ms));
    let simulated = own.simulated.as_ref().map_or(0.0, |one| one.share);
    assert_eq!(simulated, shares.fold(0.0, f64::max), "{name}");
    let mut lost = 0;
    for receiver in outcome
        .measure
        .streams
        .iter()
        .flat_map(|one| &one.receivers)
    {
        // A single instance may be one of the start.
        if receiver.delivered == 0 && receiver.due.values().sum::<u64>() < 2 {
            continue;
        }
        for (ended, number) in &receiver.due {
            let at_start = receiver.due_at_start.get(ended).unwrap_or(&0);
            if matches!(ended, Ended::Refused(_) | Ended::Lost(_)) {
                lost += number - at_start;
            }
        }
    }
    assert_eq!(own.refused_or_lost, lost, "{name}");
}

/// Demands the figures of `bus bound`.
fn demand_equal_to_bounds(name: &str, row: &CandidateRow, file: &VehicleFile) {
    let (own, resources) = (&row.figures, Resources::default());
    let covered = covered(file, true);
    let options = BoundOptions {
        keys: covered.keys,
        ..BoundOptions::default()
    };
    let mut worst = 0.0_f64;
    let (mut without, mut missed, mut refusable) = (0, 0, 0);
    for bound in bounds(&covered.file, &resources, &options).unwrap() {
        let stream = covered.file.stream(bound.stream);
        if stream.receivers.is_empty() {
            continue;
        }
        let deadline = stream.deadline.as_nanos() as f64 / 1e6;
        match bound.bound {
            Ok(bound) => {
                let ms = bound.div_ceil(1_000_000) as f64 / 1e3;
                worst = worst.max(ms / deadline);
                missed += usize::from(bound > stream.deadline.as_nanos() * 1_000);
            }
            Err(cause) => {
                without += 1;
                refusable += usize::from(matches!(cause, NoBound::LateCode | NoBound::EarlyCode));
            }
        }
    }
    let may_be_refused = &own.missed.may_be_refused;
    assert!(may_be_refused.len() <= refusable, "{name}");
    assert_eq!(may_be_refused.is_empty(), refusable == 0, "{name}");
    let bound = own.bound.as_ref().map_or(0.0, |one| one.share);
    assert_eq!(bound, worst, "{name}");
    // A message on several buses counts once.
    assert!(own.missed.by_bound.len() <= missed + without, "{name}");
    assert_eq!(
        own.missed.by_bound.is_empty(),
        missed + without == 0,
        "{name}"
    );
}

fn demand_all_equal(name: &str, vehicle: &FitVehicle, choices: &CandidateChoices) -> Fit {
    let fit = fit_of(vehicle, choices, &SETTING);
    for row in &fit.rows {
        let text = vehicle.toml(row.candidate, &SETTING);
        demand_equal(
            name,
            row,
            &text.unwrap_or_else(|why| panic!("{name}: {why}")),
        );
    }
    fit
}

#[test]
fn rows_of_random_vehicles_equal_run_and_bound_of_their_files() {
    const FEW: u64 = 5;
    // In soak more, but not as many as of quick tests.
    const MANY: u64 = 50;
    let range = only_seed().map_or(0..seeds(FEW).min(MANY), |seed| seed..seed + 1);
    for seed in range {
        let name = format!("WAYWARDEN_SEED={seed} repeats it");
        let text = random_vehicle(seed);
        let preparation = Preparation {
            selection: match seed % 3 {
                0 => Selection::Share(0.5),
                _ => Selection::All,
            },
            ..Preparation::default()
        };
        let vehicle = FitVehicle::read("random.toml", &text, &preparation);
        let vehicle = vehicle.unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        demand_all_equal(&name, &vehicle, &CandidateChoices::default());
    }
}

#[test]
fn rows_of_matrices_of_cars_equal_run_and_bound_of_their_files() {
    // Of 113 messages, which have no periods.
    for (name, period) in [("toyota_secoc_pt", 20), ("vw_mqb", 100)] {
        let Some(bytes) = corpus_bytes(&format!("can/dbc/{name}.dbc")) else {
            return;
        };
        let matrix = dbc::import(&dbc::decode(&bytes)).unwrap();
        let options = dbc::DbcOptions {
            vehicle: name.to_owned(),
            assumed: Some(Duration::from_millis(period)),
            ..dbc::DbcOptions::default()
        };
        let text = dbc::to_vehicle_toml(&matrix, &options);
        // Soak takes every truncation and the whole duration.
        let mut choices = CandidateChoices::default();
        let mut duration = None;
        if number("WAYWARDEN_CASES").is_none() {
            choices.truncations = vec![Truncation::Profile, Truncation::Fill];
            duration = Some(Duration::from_millis(300));
        }
        let preparation = Preparation {
            duration,
            ..Preparation::default()
        };
        let vehicle = FitVehicle::read("car.toml", &text, &preparation).unwrap();
        let fit = demand_all_equal(name, &vehicle, &choices);
        println!("{name}: {} rows; {}", fit.rows.len(), fit.conclusion_text);
        // Every message can be protected, and no ECU loses one.
        assert!(fit.fits, "{name}: {}", fit.conclusion_text);
        assert!(fit.rows.len() >= 12, "{name}: {}", fit.rows.len());
    }
}

/// Writes a random vehicle: one or two buses, classic or CAN FD, a gateway that forwards some
/// messages, boards that take time.
fn random_vehicle(seed: u64) -> String {
    let mut random = Random::new(seed);
    let buses = 1 + random.index(2);
    let mut text = String::from("[vehicle]\nname = \"random\"\nduration = \"300ms\"\n");
    for bus in 0..buses {
        let rate = ["125k", "250k", "500k"][random.index(3)];
        let data = ["", "data_bitrate = \"2M\"\n"][random.index(2)];
        text += &format!("[[bus]]\nname = \"b{bus}\"\nbitrate = \"{rate}\"\n{data}");
    }
    let ecus = 2 + random.index(4);
    for ecu in 0..=ecus {
        let ports = match ecu {
            0 if buses == 2 => "\"b0\", \"b1\"".to_owned(),
            _ => format!("\"b{}\"", ecu % buses),
        };
        let board = ["ideal", "tc297"][random.index(2)];
        text += &format!("[[ecu]]\nname = \"E{ecu}\"\nports = [{ports}]\nboard = \"{board}\"\n");
    }
    let mut routed = Vec::new();
    for stream in 0..3 + random.index(12) {
        let sender = random.index(ecus + 1);
        let bus = sender % buses;
        let period = [10, 20, 50, 100][random.index(4)];
        let length = 1 + random.index(8);
        let is_routed = buses == 2 && bus == 0 && random.once_in(3);
        let hears = |ecu: &usize| *ecu != sender && (ecu % buses == bus || is_routed);
        let heard_by = (0..=ecus).filter(hears).filter(|_| random.once_in(2));
        let receivers: Vec<String> = heard_by.map(|ecu| format!("\"E{ecu}\"")).collect();
        text += &format!(
            "[[stream]]\nname = \"S{stream}\"\nid = {}\nsender = \"E{sender}\"\nbus = \"b{bus}\"\n\
             length = {length}\nformat = \"classic\"\nperiod = \"{period}ms\"\n\
             offset = \"{}ms\"\nreceivers = [{}]\n",
            0x80 + 3 * stream,
            random.below(10),
            receivers.join(", ")
        );
        if is_routed {
            routed.push(format!("\"S{stream}\""));
        }
    }
    if !routed.is_empty() {
        let all = routed.join(", ");
        text += &format!(
            "[[route]]\ngateway = \"E0\"\nfrom = \"b0\"\nto = \"b1\"\nstreams = [{all}]\n"
        );
    }
    text
}
