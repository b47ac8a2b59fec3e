//! The tables of a run as CSV.

use std::io::{self, Write};

use waywarden_command_line::csv_table::print_csv;
use waywarden_vehicle_report::report::Report;

/// A table of a run; its columns are the fields of the JSON document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum RunTable {
    /// By stream: deliveries and latencies.
    #[default]
    Streams,
    /// By ECU: processor load and lost frames.
    Ecus,
    /// By bus: frames and load.
    Buses,
    /// By requirement: bound, measured value, verdict.
    Requirements,
    /// By attacker, interferer and fault: how often it acted, what ECUs took of it.
    Attacks,
    /// By attack, stream and ECU: messages that the ECU took and their sender did not send.
    TakenMessages,
    /// By attack and ECU: what the ECU took of the attacker in the exchange of keys.
    KeyDeceptions,
    /// By authenticated stream and ECU that checks it: how many messages had which verdict.
    Verdicts,
    /// By authentication: protocol, code, where the keys are.
    Authentication,
    /// By authenticated stream: how long receivers waited for a first authentic message.
    FirstAuthentic,
    /// By group that agrees on a key.
    Groups,
    /// By ECU of each group.
    GroupEcus,
    /// By network of each group that is merged of several.
    GroupNetworks,
    /// By logical ECU of each group.
    Subgroups,
    /// By step of each group's exchanges: frames.
    GroupSteps,
    /// By security module.
    SecurityModules,
    /// By boot of each security module.
    SecurityModuleBoots,
    /// By ECU under each security module.
    SecurityModuleEcus,
    /// By key that a security module grants.
    GrantedKeys,
    /// By receiver of each stream that a security module protects.
    GrantedKeyReceivers,
    /// By hardware security module in use.
    HardwareSecurityModules,
    /// By bus: what streams and what security load it with.
    SecurityLoad,
    /// By display: where its changes came from.
    Displays,
    /// By figure that costs were taken from, with its origin.
    Costs,
}

impl RunTable {
    /// Prints the table of a run.
    pub(super) fn print(self, out: &mut impl Write, report: &Report) -> io::Result<()> {
        let groups = report.groups.iter();
        let modules = report.security_modules.iter();
        let grants = modules.clone().flat_map(|one| &one.streams);
        match self {
            RunTable::Streams => print_csv(out, &report.streams),
            RunTable::Ecus => print_csv(out, &report.ecus),
            RunTable::Buses => print_csv(out, &report.buses),
            RunTable::Requirements => print_csv(out, &report.requirements),
            RunTable::Attacks => print_csv(out, &report.attacks),
            RunTable::TakenMessages => {
                print_csv(out, report.attacks.iter().flat_map(|one| &one.taken_by))
            }
            RunTable::KeyDeceptions => {
                print_csv(out, report.attacks.iter().flat_map(|one| &one.key_deceived))
            }
            RunTable::Verdicts => print_csv(
                out,
                report.authentication.iter().flat_map(|one| &one.checks),
            ),
            RunTable::Authentication => print_csv(out, &report.authentication),
            RunTable::FirstAuthentic => print_csv(out, &report.first_authentic),
            RunTable::Groups => print_csv(out, groups),
            RunTable::GroupEcus => print_csv(out, groups.flat_map(|one| &one.ecus)),
            RunTable::GroupNetworks => print_csv(out, groups.flat_map(|one| &one.networks)),
            RunTable::Subgroups => print_csv(out, groups.flat_map(|one| &one.subgroups)),
            RunTable::GroupSteps => print_csv(out, groups.flat_map(|one| &one.steps)),
            RunTable::SecurityModules => print_csv(out, modules),
            RunTable::SecurityModuleBoots => print_csv(out, modules.flat_map(|one| &one.boots)),
            RunTable::SecurityModuleEcus => print_csv(out, modules.flat_map(|one| &one.ecus)),
            RunTable::GrantedKeys => print_csv(out, grants),
            RunTable::GrantedKeyReceivers => print_csv(out, grants.flat_map(|one| &one.receivers)),
            RunTable::HardwareSecurityModules => print_csv(out, &report.hardware_security_modules),
            RunTable::SecurityLoad => print_csv(out, &report.security_load),
            RunTable::Displays => print_csv(out, &report.displays),
            RunTable::Costs => print_csv(out, &report.costs),
        }
    }
}
