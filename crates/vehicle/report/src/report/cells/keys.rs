//! Rows of group keys and security modules as cells.

use std::ops::Range;

use super::super::{
    AuthenticatedRow, GroupRow, MergedRow, ModuleBootRow, NetworkRow, PartyRow, ProtectedRow,
    SubgroupRow,
};
use super::{Cells, ms};

impl Cells for GroupRow {
    const HEADERS: &'static [&'static str] = &[
        "group",
        "scheme",
        "suite",
        "profile",
        "members",
        "all have it at ms",
        "after ms",
        "keys",
        "longest renewal ms",
        "frames",
        "bus ms",
        "retries",
    ];
    const NUMBERS: Range<usize> = 4..12;

    fn cells(&self) -> Vec<String> {
        vec![
            self.group.clone(),
            self.scheme.to_owned(),
            self.suite.to_owned(),
            self.profile.to_owned(),
            self.members.to_string(),
            ms(self.start_up_ms),
            ms(self.agreement_ms),
            self.agreements.to_string(),
            ms(self.longest_renewal_ms),
            self.frames.to_string(),
            ms(Some(self.bus_ms)),
            self.retries.to_string(),
        ]
    }
}

impl Cells for PartyRow {
    const HEADERS: &'static [&'static str] = &[
        "group",
        "ECU",
        "address",
        "part",
        "first key at ms",
        "epoch at the end",
        "starved",
        "computed ms",
    ];
    const NUMBERS: Range<usize> = 4..8;

    fn cells(&self) -> Vec<String> {
        vec![
            self.group.clone(),
            self.ecu.clone(),
            self.address.to_string(),
            match self.removed {
                true => "removed".to_owned(),
                false => self.part.to_owned(),
            },
            ms(self.first_key_ms),
            self.epoch.to_string(),
            self.starved.to_string(),
            ms(self.computed_ms),
        ]
    }
}

impl Cells for MergedRow {
    const HEADERS: &'static [&'static str] = &[
        "group",
        "network",
        "ECUs",
        "logical ECU",
        "joins at ms",
        "own key at ms",
        "one key with all at ms",
    ];
    const NUMBERS: Range<usize> = 3..7;

    fn cells(&self) -> Vec<String> {
        vec![
            self.group.clone(),
            self.network.clone(),
            self.ecus.join(", "),
            self.logical
                .map_or(String::new(), |logical| logical.to_string()),
            ms(self.joins_ms),
            ms(self.key_ms),
            ms(self.joined_ms),
        ]
    }
}

impl Cells for SubgroupRow {
    const HEADERS: &'static [&'static str] =
        &["group", "logical ECU", "formed of", "ECUs", "key at ms"];
    const NUMBERS: Range<usize> = 4..5;

    fn cells(&self) -> Vec<String> {
        vec![
            self.group.clone(),
            self.logical.to_string(),
            match self.second {
                0 => format!("{}, promoted", self.first),
                second => format!("{} + {second}", self.first),
            },
            match self.ecus.as_slice() {
                few @ ([] | [_] | [_, _] | [_, _, _] | [_, _, _, _]) => few.join(", "),
                many => format!("{} ECUs", many.len()),
            },
            ms(self.key_ms),
        ]
    }
}

impl Cells for NetworkRow {
    const HEADERS: &'static [&'static str] = &[
        "security module",
        "suite",
        "profile",
        "credentials",
        "members",
        "all authorized at ms",
        "epochs",
        "frames",
        "bytes",
        "of these for all",
        "bus ms",
        "failed",
        "refused",
        "frames stopped",
    ];
    const NUMBERS: Range<usize> = 4..14;

    fn cells(&self) -> Vec<String> {
        vec![
            self.network.clone(),
            self.suite.to_owned(),
            self.profile.to_owned(),
            self.credentials.to_owned(),
            self.members.to_string(),
            ms(self.authorized_ms),
            self.epochs.to_string(),
            self.messages.frames.to_string(),
            self.messages.bytes.to_string(),
            self.amortised.bytes.to_string(),
            ms(Some(self.messages.bus_ms)),
            self.failed.to_string(),
            self.refused.to_string(),
            self.stopped.to_string(),
        ]
    }
}

impl Cells for AuthenticatedRow {
    const HEADERS: &'static [&'static str] = &[
        "security module",
        "ECU",
        "address",
        "part",
        "authenticated at ms",
        "longest wait ms",
        "sessions",
        "failed",
        "communication ms",
        "computation ms",
        "rest ms",
    ];
    const NUMBERS: Range<usize> = 4..11;

    fn cells(&self) -> Vec<String> {
        vec![
            self.network.clone(),
            self.ecu.clone(),
            self.address.to_string(),
            match self.retired {
                true => "retired".to_owned(),
                false => self.part.to_owned(),
            },
            ms(self.authenticated_ms),
            ms(self.longest_ms),
            self.sessions.to_string(),
            self.failed.to_string(),
            ms(self.communication_ms),
            ms(self.computation_ms),
            ms(self.rest_ms),
        ]
    }
}

impl Cells for ModuleBootRow {
    const HEADERS: &'static [&'static str] = &[
        "security module",
        "boot",
        "at ms",
        "epochs",
        "sessions",
        "failed",
        "keys",
        "grants",
        "refused",
    ];
    const NUMBERS: Range<usize> = 1..9;

    fn cells(&self) -> Vec<String> {
        vec![
            self.network.clone(),
            self.boot.to_string(),
            ms(Some(self.from_ms)),
            self.epochs.to_string(),
            self.sessions.to_string(),
            self.failed.to_string(),
            self.keys.to_string(),
            self.grants.to_string(),
            self.refused.to_string(),
        ]
    }
}

impl Cells for ProtectedRow {
    const HEADERS: &'static [&'static str] = &[
        "security module",
        "stream",
        "sender may at ms",
        "all have the key at ms",
        "keys",
        "revoked",
        "withheld",
        "frames",
        "authentic",
        "wrong tag",
        "replay",
        "unknown key",
        "without key",
        "no room",
    ];
    const NUMBERS: Range<usize> = 2..14;

    fn cells(&self) -> Vec<String> {
        let sum = |part: fn(&super::super::ReceiverRow) -> u64| {
            let parts = self.receivers.iter().map(part);
            parts.sum::<u64>().to_string()
        };
        vec![
            self.network.clone(),
            self.stream.clone(),
            ms(self.sender_ms),
            ms(self.keyed_ms),
            self.keys.to_string(),
            self.revoked.to_string(),
            self.withheld.to_string(),
            self.carried.frames.to_string(),
            sum(|one| one.authentic),
            sum(|one| one.wrong_tag),
            sum(|one| one.replay),
            sum(|one| one.unknown_key),
            sum(|one| one.without_key),
            sum(|one| one.no_room),
        ]
    }
}
