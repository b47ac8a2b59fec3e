//! Runs at the lowest bit rate of CAN: pings wait for long round trips, and a run that is not over
//! is named.

use waywarden_paper_tables::Assumptions;

use super::{nanos, study};
use crate::vulcan::data::Published;
use crate::vulcan::quantity::{Code, VulcanMetric, VulcanProtocol, VulcanRun};
use crate::vulcan::simulate::VulcanSimulator;

#[test]
fn pings_wait_for_long_round_trips() {
    let assumed = Assumptions {
        bit_rate: Some(5_000),
        ..Assumptions::default()
    };
    let study = study().assuming(&assumed).unwrap();
    let simulator = VulcanSimulator::of(study.clone(), &|_| {});
    let of = Published::Leia.run().count(VulcanMetric::RoundTrip);
    let formula = nanos(study.formula(&of).unwrap());
    assert!(formula > 100e6, "{formula}");
    let measured = nanos(simulator.measure(&of).unwrap().amount);
    assert!(
        (measured / formula - 1.0).abs() < 0.05,
        "{measured} {formula}"
    );
    // The hardened receivers' own timers are over before an answer is there.
    let run = VulcanRun::new(VulcanProtocol::PairedVatican, Code::Unit);
    assert_eq!(simulator.measure(&run.count(VulcanMetric::RoundTrip)), None);
    let failure = simulator.failure().unwrap();
    assert!(failure.is_too_slow());
    assert_eq!(
        failure.to_string(),
        "hardened in vatiCAN's frames, Sancus unit: 0 of 136 pings were answered in 120 s of \
         simulated time"
    );
}
