//! The tables of a run by column, for CSV and for programs.

use waywarden_documents::table::Table;

use crate::report::Report;

/// A table of a run; its columns are the fields of the JSON document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunTable {
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
    /// By ECU whose software is an image.
    Images,
    /// By bus: what streams and what security load it with.
    SecurityLoad,
    /// By display: where its changes came from.
    Displays,
    /// By figure that costs were taken from, with its origin.
    Costs,
}

impl RunTable {
    /// All of them.
    pub const ALL: [RunTable; 25] = [
        RunTable::Streams,
        RunTable::Ecus,
        RunTable::Buses,
        RunTable::Requirements,
        RunTable::Attacks,
        RunTable::TakenMessages,
        RunTable::KeyDeceptions,
        RunTable::Verdicts,
        RunTable::Authentication,
        RunTable::FirstAuthentic,
        RunTable::Groups,
        RunTable::GroupEcus,
        RunTable::GroupNetworks,
        RunTable::Subgroups,
        RunTable::GroupSteps,
        RunTable::SecurityModules,
        RunTable::SecurityModuleBoots,
        RunTable::SecurityModuleEcus,
        RunTable::GrantedKeys,
        RunTable::GrantedKeyReceivers,
        RunTable::HardwareSecurityModules,
        RunTable::Images,
        RunTable::SecurityLoad,
        RunTable::Displays,
        RunTable::Costs,
    ];

    /// Returns its name, such as `granted-keys`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RunTable::Streams => "streams",
            RunTable::Ecus => "ecus",
            RunTable::Buses => "buses",
            RunTable::Requirements => "requirements",
            RunTable::Attacks => "attacks",
            RunTable::TakenMessages => "taken-messages",
            RunTable::KeyDeceptions => "key-deceptions",
            RunTable::Verdicts => "verdicts",
            RunTable::Authentication => "authentication",
            RunTable::FirstAuthentic => "first-authentic",
            RunTable::Groups => "groups",
            RunTable::GroupEcus => "group-ecus",
            RunTable::GroupNetworks => "group-networks",
            RunTable::Subgroups => "subgroups",
            RunTable::GroupSteps => "group-steps",
            RunTable::SecurityModules => "security-modules",
            RunTable::SecurityModuleBoots => "security-module-boots",
            RunTable::SecurityModuleEcus => "security-module-ecus",
            RunTable::GrantedKeys => "granted-keys",
            RunTable::GrantedKeyReceivers => "granted-key-receivers",
            RunTable::HardwareSecurityModules => "hardware-security-modules",
            RunTable::Images => "images",
            RunTable::SecurityLoad => "security-load",
            RunTable::Displays => "displays",
            RunTable::Costs => "costs",
        }
    }

    /// Returns the contents of its rows in words.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            RunTable::Streams => "By stream: deliveries and latencies",
            RunTable::Ecus => "By ECU: processor load and lost frames",
            RunTable::Buses => "By bus: frames and load",
            RunTable::Requirements => "By requirement: bound, measured value, verdict",
            RunTable::Attacks => {
                "By attacker, interferer and fault: how often it acted, what ECUs took of it"
            }
            RunTable::TakenMessages => {
                "By attack, stream and ECU: messages that the ECU took and their sender did \
                 not send"
            }
            RunTable::KeyDeceptions => {
                "By attack and ECU: what the ECU took of the attacker in the exchange of keys"
            }
            RunTable::Verdicts => {
                "By authenticated stream and ECU that checks it: how many messages had which \
                 verdict"
            }
            RunTable::Authentication => "By authentication: protocol, code, where the keys are",
            RunTable::FirstAuthentic => {
                "By authenticated stream: how long receivers waited for a first authentic message"
            }
            RunTable::Groups => "By group that agrees on a key",
            RunTable::GroupEcus => "By ECU of each group",
            RunTable::GroupNetworks => "By network of each group that is merged of several",
            RunTable::Subgroups => "By logical ECU of each group",
            RunTable::GroupSteps => "By step of each group's exchanges: frames",
            RunTable::SecurityModules => "By security module",
            RunTable::SecurityModuleBoots => "By boot of each security module",
            RunTable::SecurityModuleEcus => "By ECU under each security module",
            RunTable::GrantedKeys => "By key that a security module grants",
            RunTable::GrantedKeyReceivers => {
                "By receiver of each stream that a security module protects"
            }
            RunTable::HardwareSecurityModules => "By hardware security module in use",
            RunTable::Images => "By ECU whose software is an image: instructions, time, failures",
            RunTable::SecurityLoad => "By bus: what streams and what security load it with",
            RunTable::Displays => "By display: where its changes came from",
            RunTable::Costs => "By figure that costs were taken from, with its origin",
        }
    }

    /// Returns the table of a run.
    ///
    /// # Errors
    /// None of reports of this crate, whose rows all serialise as objects.
    pub fn of(self, report: &Report) -> serde_json::Result<Table> {
        let groups = report.groups.iter();
        let modules = report.security_modules.iter();
        let grants = modules.clone().flat_map(|one| &one.streams);
        match self {
            RunTable::Streams => Table::of(&report.streams),
            RunTable::Ecus => Table::of(&report.ecus),
            RunTable::Buses => Table::of(&report.buses),
            RunTable::Requirements => Table::of(&report.requirements),
            RunTable::Attacks => Table::of(&report.attacks),
            RunTable::TakenMessages => {
                Table::of(report.attacks.iter().flat_map(|one| &one.taken_by))
            }
            RunTable::KeyDeceptions => {
                Table::of(report.attacks.iter().flat_map(|one| &one.key_deceived))
            }
            RunTable::Verdicts => {
                Table::of(report.authentication.iter().flat_map(|one| &one.checks))
            }
            RunTable::Authentication => Table::of(&report.authentication),
            RunTable::FirstAuthentic => Table::of(&report.first_authentic),
            RunTable::Groups => Table::of(groups),
            RunTable::GroupEcus => Table::of(groups.flat_map(|one| &one.ecus)),
            RunTable::GroupNetworks => Table::of(groups.flat_map(|one| &one.networks)),
            RunTable::Subgroups => Table::of(groups.flat_map(|one| &one.subgroups)),
            RunTable::GroupSteps => Table::of(groups.flat_map(|one| &one.steps)),
            RunTable::SecurityModules => Table::of(modules),
            RunTable::SecurityModuleBoots => Table::of(modules.flat_map(|one| &one.boots)),
            RunTable::SecurityModuleEcus => Table::of(modules.flat_map(|one| &one.ecus)),
            RunTable::GrantedKeys => Table::of(grants),
            RunTable::GrantedKeyReceivers => Table::of(grants.flat_map(|one| &one.receivers)),
            RunTable::HardwareSecurityModules => Table::of(&report.hardware_security_modules),
            RunTable::Images => Table::of(&report.images),
            RunTable::SecurityLoad => Table::of(&report.security_load),
            RunTable::Displays => Table::of(&report.displays),
            RunTable::Costs => Table::of(&report.costs),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_a_name_of_its_own() {
        let mut names = RunTable::ALL.map(RunTable::name);
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
        assert_eq!(RunTable::default().name(), "streams");
    }
}
