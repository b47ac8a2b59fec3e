//! Faults of ECUs.

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{Fault, FaultKind};

use super::{at, port_on};
use waywarden_vehicle_file::{self as file, EcuIndex, VehicleFile};

/// Returns what goes wrong with an ECU.
pub(super) fn of(file: &VehicleFile, ecu: EcuIndex) -> Vec<Fault> {
    let mut faults = Vec::new();
    for fault in file.faults.iter().filter(|fault| fault.ecu == ecu) {
        let from = at(fault.window.from);
        let until = fault.window.until.map_or(Time::NEVER, at);
        let mut add = |kind| faults.push(Fault { from, until, kind });
        match &fault.kind {
            file::FaultKind::Reset => add(FaultKind::Reset),
            // A part that is new at power-on boots as any other: nothing is retained then.
            file::FaultKind::Replaced if fault.is_new_at_power_on() => {}
            file::FaultKind::Replaced => add(FaultKind::Replace),
            file::FaultKind::ClockDrift { ppm } => {
                let ppb = file
                    .ecu(ecu)
                    .clock_ppm
                    .saturating_add(*ppm)
                    .saturating_mul(1_000);
                add(FaultKind::Drift { ppb });
            }
            file::FaultKind::BusOpen { buses } => {
                for &bus in buses {
                    add(FaultKind::Open {
                        port: usize::from(port_on(file, ecu, bus).0),
                    });
                }
            }
        }
    }
    for lasan in &file.lasan {
        // The part boots for the first time.
        faults.extend(lasan.replacements(ecu).map(|replaced| Fault {
            from: at(replaced),
            until: at(replaced + file::SHORT_RESET),
            kind: FaultKind::Reset,
        }));
    }
    faults
}
