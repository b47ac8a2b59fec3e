//! Twenty nodes that compete: the unit's times are those of the vehicle with twenty simulated ECUs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use waywarden_can::Frame;
use waywarden_can_sim::Simulation;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::TraceEvent;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_fmu::Operation;
use waywarden_vehicle_resources::Resources as Named;
use waywarden_vehicle_sim::lower::lower;
use waywarden_vehicle_trace::Fact;

use crate::importer::{Importer, Messages, Resources};

const ECUS: usize = 20;

/// Twenty ECUs whose streams are due at the same times; the last one has the highest priority.
fn vehicle() -> String {
    let mut text = String::from(
        "[vehicle]\nname = \"twenty\"\nduration = \"1s\"\n[[bus]]\nname = \"a\"\n\
         bitrate = \"500k\"\n",
    );
    for ecu in 0..ECUS {
        let (id, length) = (0x200 - ecu, ecu % 9);
        let listener = (ecu + 1) % ECUS;
        let _ = write!(
            text,
            "[[ecu]]\nname = \"ecu{ecu}\"\nboard = \"ideal\"\nports = [\"a\"]\n[[stream]]\n\
             name = \"Stream{ecu}\"\nid = {id}\nsender = \"ecu{ecu}\"\nreceivers = \
             [\"ecu{listener}\"]\nlength = {length}\nperiod = \"10ms\"\n"
        );
    }
    text
}

/// A frame, the ECU that sends it, and a time.
type Sent = (u64, usize, Frame);

#[test]
fn twenty_nodes_compete_as_twenty_ecus_do() {
    let text = vehicle();
    let file = VehicleFile::parse("twenty.toml", &text).unwrap();
    let lowered = lower(&file, &Named::default(), None).unwrap();
    let mut simulation = Simulation::new(lowered.config).unwrap();
    let (mut requested, mut sent): (Vec<Sent>, Vec<Sent>) = (Vec::new(), Vec::new());
    let mut lost = 0;
    let mut sink = |at: Time, event: &TraceEvent<'_, Fact>| match *event {
        TraceEvent::Requested { ecu, frame, .. } => {
            requested.push((at.as_picos(), ecu.0, *frame));
        }
        TraceEvent::Sent { ecu, frame, .. } => sent.push((at.as_picos(), ecu.0, *frame)),
        TraceEvent::ArbitrationLost { .. } => lost += 1,
        _ => {}
    };
    let end = 1_000_000_000_000;
    simulation
        .run_until(Time::from_picos(end), &mut sink)
        .unwrap();
    assert!(sent.len() > 1_900 && lost > 10_000, "{} {lost}", sent.len());

    let names: Vec<String> = (0..ECUS).map(|ecu| format!("ecu{ecu}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (messages, resources) = (Messages::default(), Resources::new(&text, 0, &names));
    let mut importer = Importer::new(&resources, &messages, ECUS);
    let mut plan: BTreeMap<u64, Vec<(usize, Operation)>> = BTreeMap::new();
    for (at, ecu, frame) in requested {
        plan.entry(at)
            .or_default()
            .push((ecu, Operation::Transmit(frame)));
    }
    importer.run(&plan, end);
    let confirmed: Vec<(u64, usize, u32)> = importer
        .heard
        .iter()
        .filter_map(|(at, ecu, operation)| match operation {
            Operation::Confirm(id) => Some((*at, *ecu, *id)),
            _ => None,
        })
        .collect();
    let expected: Vec<(u64, usize, u32)> = sent
        .iter()
        .map(|(at, ecu, frame)| (*at, *ecu, frame.id().raw()))
        .collect();
    assert_eq!(confirmed, expected);
    assert_eq!(messages.take(), Vec::<String>::new());
    // Not many more steps than ends of frames.
    assert!(
        importer.steps < 4 * sent.len() as u64 + 1_000,
        "{}",
        importer.steps
    );
}
