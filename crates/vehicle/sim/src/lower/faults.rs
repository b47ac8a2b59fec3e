//! Faults of ECUs.

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{EcuFault, EcuFaultKind};

use super::{at, port_on};
use waywarden_vehicle_file::{self as file, EcuIndex, VehicleFile};

/// Returns what goes wrong with an ECU.
pub(super) fn of(file: &VehicleFile, ecu: EcuIndex) -> Vec<EcuFault> {
    let mut faults = Vec::new();
    for fault in file.faults.iter().filter(|fault| fault.ecu == ecu) {
        let from = at(fault.window.from);
        let until = fault.window.until.map_or(Time::NEVER, at);
        let mut add = |kind| faults.push(EcuFault { from, until, kind });
        match &fault.kind {
            file::EcuFailureKind::Reset => add(EcuFaultKind::Reset),
            // A part that is new at power-on boots as any other: nothing is retained then.
            file::EcuFailureKind::Replaced if fault.is_new_at_power_on() => {}
            file::EcuFailureKind::Replaced => add(EcuFaultKind::Replace),
            file::EcuFailureKind::ClockDrift { ppm } => {
                let ppb = file
                    .ecu(ecu)
                    .clock_ppm
                    .saturating_add(*ppm)
                    .saturating_mul(1_000);
                add(EcuFaultKind::Drift { ppb });
            }
            file::EcuFailureKind::BusOpen { buses } => {
                for &bus in buses {
                    add(EcuFaultKind::Open {
                        port: usize::from(port_on(file, ecu, bus).0),
                    });
                }
            }
        }
    }
    for lasan in &file.lasan {
        // The part boots for the first time.
        faults.extend(lasan.replacements(ecu).map(|replaced| EcuFault {
            from: at(replaced),
            until: at(replaced + file::SHORT_RESET),
            kind: EcuFaultKind::Reset,
        }));
    }
    faults
}
