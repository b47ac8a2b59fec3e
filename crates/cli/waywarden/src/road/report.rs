//! The figures of a drive, for people and for programs.

use std::collections::BTreeMap;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_command_line::table::Rows;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_road::{BrakeRequest, LatencyParts, RequestCause, RoadOutcome};

/// A drive.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RoadReport {
    /// Vehicles of the trace that were on the road at a time, at most.
    vehicles: usize,
    /// Frames of all vehicles on the radio.
    frames: u64,
    /// Frames of attackers on the road.
    attack_frames: u64,
    cars: Vec<CarReport>,
    /// Messages that went from a wheel to a brake.
    messages: usize,
    /// Times from wheel to brake: the whole, then its parts in their order.
    latency: Vec<PartReport>,
    /// Requests that brake ECUs accepted.
    requests: Vec<RequestReport>,
    /// The requirement `end_to_end`; null if there is none.
    end_to_end: Option<EndToEnd>,
    /// Sentences on what never arrived.
    remarks: Vec<String>,
}

/// A car in full detail.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CarReport {
    vehicle: String,
    /// Times that it began to brake hard, as the trace has it.
    hard_brakings: usize,
    /// Messages of signals that its telematics ECU accepted.
    signals_accepted: u64,
    /// Those of them that their sender had not sent.
    signals_forged: u64,
    /// Those that it refused.
    signals_refused: u64,
    /// CAM and DENM that it sent.
    sent: u64,
    /// CAM without a speed.
    sent_without_speed: u64,
    /// Messages of other cars and of attackers.
    received: u64,
    verified: u64,
    /// Refused messages, by the result code of IEEE 1609.2.
    refused: BTreeMap<String, u64>,
    /// Messages that were dropped because too many waited for verification.
    dropped: u64,
    /// Messages of the request stream that its brake ECU accepted.
    requests_accepted: u64,
    /// Those that it refused.
    requests_refused: u64,
    /// Brake requests of vehicles that braked.
    requests_true: usize,
    /// Brake requests of vehicles that did not, and of attackers.
    requests_false: usize,
    /// Time of the first true one, in s from the begin of the trace.
    first_true_s: Option<f64>,
    /// Time of the first false one.
    first_false_s: Option<f64>,
}

/// A part of the time from wheel to brake, in ms.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PartReport {
    part: &'static str,
    ms_least: f64,
    ms_median: f64,
    ms_most: f64,
}

/// A brake request.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RequestReport {
    /// Vehicle whose brake ECU accepted it.
    receiver: String,
    /// Time in s from the begin of the trace.
    at_s: f64,
    /// The vehicle that caused it; null for an attacker.
    sender: Option<String>,
    /// `car`, `road-attacker` or `bus-attacker`.
    cause: &'static str,
    /// True if the sender braked hard, as the trace has it.
    is_true: bool,
    /// Metres that the receiver drove from the wheel's message to its brake.
    metres: Option<f64>,
}

/// The requirement on the time from wheel to brake.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EndToEnd {
    required_ms: f64,
    /// The longest time; null if nothing arrived, which misses it.
    measured_ms: Option<f64>,
    met: bool,
    /// Location of the requirement, as `file:line:column`.
    place: String,
}

impl RoadReport {
    pub(super) fn new(file: &VehicleFile, outcome: &RoadOutcome, names: &[String]) -> Self {
        let name = |number: usize| names.get(number).cloned().unwrap_or_default();
        let named = |car: usize| name(outcome.cars[car].vehicle);
        let request = |one: &BrakeRequest| RequestReport {
            receiver: named(one.receiver),
            at_s: seconds(one.at_ns),
            sender: match one.cause {
                RequestCause::Car(car) => Some(named(car)),
                _ => None,
            },
            cause: match one.cause {
                RequestCause::Car(_) => "car",
                RequestCause::RoadAttacker => "road-attacker",
                RequestCause::BusAttacker => "bus-attacker",
            },
            is_true: one.is_true,
            metres: one.metres.map(|metres| (metres * 1e3).round() / 1e3),
        };
        let end_to_end = file.v2x.as_ref().and_then(|v2x| v2x.end_to_end.as_ref());
        let end_to_end = end_to_end.map(|required| {
            let longest = outcome.longest_ns();
            let (name, place) = (file.source.file_name(), file.source.place(&required.span));
            EndToEnd {
                required_ms: ms(required.value.as_nanos()),
                measured_ms: longest.map(ms),
                met: longest.is_some_and(|longest| longest <= required.value.as_nanos()),
                place: format!("{name}:{place}"),
            }
        });
        Self {
            vehicles: outcome.vehicles,
            frames: outcome.frames,
            attack_frames: outcome.attack_frames,
            cars: (0..outcome.cars.len())
                .map(|at| car(outcome, at, named(at)))
                .collect(),
            messages: outcome.latencies.len(),
            latency: parts(&outcome.latencies),
            requests: outcome.requests.iter().map(request).collect(),
            end_to_end,
            remarks: outcome.remarks(named),
        }
    }

    pub(super) fn is_met(&self) -> bool {
        self.end_to_end.as_ref().is_none_or(|required| required.met)
    }

    /// Returns the table of times.
    pub(super) fn latencies(&self) -> Rows {
        let ms = |ms: f64| format!("{ms:.3}");
        let row = |one: &PartReport| {
            let times = [one.ms_least, one.ms_median, one.ms_most];
            [one.part.replace('-', " ")]
                .into_iter()
                .chain(times.map(ms))
                .collect()
        };
        Rows {
            headers: vec!["wheel to brake", "least ms", "median ms", "most ms"],
            rows: self.latency.iter().map(row).collect(),
            numbers: 1..4,
        }
    }

    /// Prints for people.
    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "{} vehicles at a time, {} frames, {} of attackers on the road",
            self.vehicles, self.frames, self.attack_frames
        )?;
        self.cars_table().print(out)?;
        if !self.latency.is_empty() {
            writeln!(out, "\n{} messages from wheel to brake", self.messages)?;
            self.latencies().print(out)?;
        }
        if !self.requests.is_empty() {
            writeln!(out, "\nBrake requests that were accepted")?;
            self.requests_table().print(out)?;
        }
        for remark in &self.remarks {
            writeln!(out, "{remark}")?;
        }
        if let Some(required) = &self.end_to_end {
            let measured = required.measured_ms;
            let measured =
                measured.map_or("nothing arrived".to_owned(), |ms| format!("{ms:.3} ms"));
            let verdict = if required.met { "met" } else { "missed" };
            writeln!(
                out,
                "\nend_to_end {} ms ({}): {measured}, {verdict}",
                required.required_ms, required.place
            )?;
        }
        Ok(())
    }

    fn cars_table(&self) -> Rows<String> {
        type Cell = fn(&CarReport) -> String;
        let lines: [(&str, Cell); 14] = [
            ("hard brakings in the trace", |car| {
                car.hard_brakings.to_string()
            }),
            ("signals accepted", |car| car.signals_accepted.to_string()),
            ("signals accepted, forged", |car| {
                car.signals_forged.to_string()
            }),
            ("signals refused", |car| car.signals_refused.to_string()),
            ("CAM and DENM sent", |car| car.sent.to_string()),
            ("CAM sent without speed", |car| {
                car.sent_without_speed.to_string()
            }),
            ("received", |car| car.received.to_string()),
            ("verified", |car| car.verified.to_string()),
            ("refused", |car| {
                car.refused.values().sum::<u64>().to_string()
            }),
            ("dropped before verification", |car| car.dropped.to_string()),
            ("brake requests, true", |car| car.requests_true.to_string()),
            ("brake requests, false", |car| {
                car.requests_false.to_string()
            }),
            ("first true one", |car| time(car.first_true_s)),
            ("first false one", |car| time(car.first_false_s)),
        ];
        let row = |(name, cell): &(&str, Cell)| {
            let cells = self.cars.iter().map(cell);
            [(*name).to_owned()].into_iter().chain(cells).collect()
        };
        let names = self.cars.iter().map(|car| car.vehicle.clone());
        Rows {
            headers: ["car".to_owned()].into_iter().chain(names).collect(),
            rows: lines.iter().map(row).collect(),
            numbers: 1..self.cars.len() + 1,
        }
    }

    fn requests_table(&self) -> Rows {
        let row = |one: &RequestReport| {
            vec![
                one.receiver.clone(),
                time(Some(one.at_s)),
                match &one.sender {
                    Some(sender) => format!("car {sender}"),
                    None => one.cause.replace('-', " "),
                },
                if one.is_true { "true" } else { "false" }.to_owned(),
                one.metres
                    .map_or("-".to_owned(), |metres| format!("{metres:.2}")),
            ]
        };
        Rows {
            headers: vec!["car", "time", "cause", "braking", "metres meanwhile"],
            rows: self.requests.iter().map(row).collect(),
            numbers: 4..5,
        }
    }
}

fn car(outcome: &RoadOutcome, at: usize, vehicle: String) -> CarReport {
    let own = &outcome.cars[at];
    let requests = |is_true| {
        let all = outcome.requests.iter();
        all.filter(move |one| one.receiver == at && one.is_true == is_true)
    };
    let first = |is_true| requests(is_true).next().map(|one| seconds(one.at_ns));
    CarReport {
        vehicle,
        hard_brakings: own.hard_brakings,
        signals_accepted: own.signals_accepted,
        signals_forged: own.signals_forged,
        signals_refused: own.signals_refused,
        sent: own.sent,
        sent_without_speed: own.sent_without_speed,
        received: own.received,
        verified: own.verified,
        refused: own.refused.clone(),
        dropped: own.dropped,
        requests_accepted: own.requests_accepted,
        requests_refused: own.requests_refused,
        requests_true: requests(true).count(),
        requests_false: requests(false).count(),
        first_true_s: first(true),
        first_false_s: first(false),
    }
}

fn parts(latencies: &[LatencyParts]) -> Vec<PartReport> {
    if latencies.is_empty() {
        return Vec::new();
    }
    let report = |part, mut times: Vec<u64>| {
        times.sort_unstable();
        PartReport {
            part,
            ms_least: ms(times[0]),
            ms_median: ms(times[times.len() / 2]),
            ms_most: ms(times[times.len() - 1]),
        }
    };
    let whole = latencies.iter().map(LatencyParts::total).collect();
    let mut all = vec![report("whole", whole)];
    for (at, name) in LatencyParts::NAMES.into_iter().enumerate() {
        let times = latencies.iter().map(|one| one.parts()[at]).collect();
        all.push(report(name, times));
    }
    all
}

fn ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

fn time(seconds: Option<f64>) -> String {
    seconds.map_or("-".to_owned(), |seconds| format!("{seconds:.3} s"))
}
