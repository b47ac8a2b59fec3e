//! Rows of a report as text: every table that shows them, on a terminal or on a page, has the same.

mod keys;

use std::ops::Range;

use super::{AttackRow, BusRow, EcuRow, ModuleRow, StreamRow};
use waywarden_vehicle_file::formatting::{percent, span};

/// A row as cells of text.
pub trait Cells {
    /// Heading of each column.
    const HEADERS: &'static [&'static str];
    /// Columns that hold numbers.
    const NUMBERS: Range<usize>;

    /// Returns as many cells as there are headers.
    fn cells(&self) -> Vec<String>;
}

impl Cells for BusRow {
    const HEADERS: &'static [&'static str] = &[
        "bus",
        "frames",
        "ids",
        "load",
        "busiest 100 ms",
        "errors",
        "strikes",
    ];
    const NUMBERS: Range<usize> = 1..7;

    fn cells(&self) -> Vec<String> {
        vec![
            self.bus.clone(),
            self.frames.to_string(),
            self.ids.to_string(),
            percent(self.load),
            percent(self.peak_load),
            self.errors.to_string(),
            self.strikes.to_string(),
        ]
    }
}

impl Cells for EcuRow {
    const HEADERS: &'static [&'static str] = &[
        "ECU",
        "receive",
        "send",
        "crypto",
        "overruns",
        "withdrawn",
        "boots",
        "worst state",
    ];
    const NUMBERS: Range<usize> = 1..7;

    fn cells(&self) -> Vec<String> {
        vec![
            self.ecu.clone(),
            percent(self.receive_load),
            percent(self.send_load),
            percent(self.crypto_load),
            self.overruns.to_string(),
            self.withdrawn.to_string(),
            self.boots.to_string(),
            self.worst_state.to_owned(),
        ]
    }
}

impl Cells for ModuleRow {
    const HEADERS: &'static [&'static str] = &[
        "hardware security module of",
        "module",
        "load",
        "commands",
        "longest ms",
    ];
    const NUMBERS: Range<usize> = 2..5;

    fn cells(&self) -> Vec<String> {
        vec![
            self.ecu.clone(),
            self.module.clone(),
            percent(self.load),
            self.commands.to_string(),
            ms(Some(self.longest_ms)),
        ]
    }
}

impl Cells for StreamRow {
    const HEADERS: &'static [&'static str] = &[
        "stream",
        "id",
        "sender",
        "bus",
        "requested",
        "skipped",
        "withheld",
        "received",
        "late",
        "mean ms",
        "p99 ms",
        "worst ms",
        "deadline ms",
    ];
    const NUMBERS: Range<usize> = 4..13;

    fn cells(&self) -> Vec<String> {
        vec![
            self.stream.clone(),
            self.identifier.id_hex.clone(),
            self.sender.clone(),
            self.bus.clone(),
            self.requested.to_string(),
            self.skipped.to_string(),
            self.withheld.to_string(),
            self.delivered.to_string(),
            self.late.to_string(),
            ms(self.mean_ms),
            ms(self.p99_ms),
            ms(self.worst_ms),
            ms(Some(self.deadline_ms)),
        ]
    }
}

impl StreamRow {
    /// Header of the column of bounds, which stands where a report has bounds.
    pub const BOUND_HEADER: &str = "bound ms";

    /// Returns the bound as a cell.
    #[must_use]
    pub fn bound_cell(&self) -> String {
        ms(self.bound_ms)
    }
}

impl Cells for AttackRow {
    const HEADERS: &'static [&'static str] = &[
        "name",
        "what",
        "where",
        "when",
        "came to",
        "taken, though its sender did not send it",
    ];
    const NUMBERS: Range<usize> = 6..6;

    fn cells(&self) -> Vec<String> {
        vec![
            self.name.clone(),
            self.what.clone(),
            self.buses.join(", "),
            format!("{} to {}", span(self.from_ms), span(self.until_ms)),
            self.action.counted(self.actions),
            match self.deceptions() {
                none if none.is_empty() => "nothing".to_owned(),
                several => several.join("\n"),
            },
        ]
    }
}

impl AttackRow {
    /// Returns the deceptions of ECUs, one a line.
    fn deceptions(&self) -> Vec<String> {
        let messages = self.taken_by.iter().map(ToString::to_string);
        let keys = self.key_deceived.iter().map(ToString::to_string);
        messages.chain(keys).collect()
    }
}

pub(super) fn ms(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.3}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::AttackerAction;
    use crate::report::TakenRow;
    use waywarden_can::Id;

    fn fits<R: Cells>(row: &R) {
        assert_eq!(row.cells().len(), R::HEADERS.len());
        assert!(R::NUMBERS.end <= R::HEADERS.len());
    }

    #[test]
    fn every_cell_has_a_header() {
        fits(&BusRow {
            bus: "drive".to_owned(),
            frames: 1,
            load: 0.5,
            peak_load: 1.0,
            ids: 2,
            errors: 3,
            strikes: 4,
        });
        fits(&EcuRow {
            ecu: "engine".to_owned(),
            receive_load: 0.1,
            send_load: 0.2,
            peak_load: 1.0,
            crypto_load: 0.3,
            overruns: 0,
            withdrawn: 0,
            boots: 1,
            worst_state: "active",
        });
        fits(&ModuleRow {
            ecu: "engine".to_owned(),
            module: "HSM".to_owned(),
            load: 0.1,
            commands: 7,
            longest_ms: 0.02,
        });
        fits(&StreamRow {
            stream: "Speed".to_owned(),
            identifier: Id::standard(0x123).unwrap().into(),
            sender: "engine".to_owned(),
            bus: "drive".to_owned(),
            released: 0,
            repeated: 0,
            receivers: Vec::new(),
            requested: 1,
            skipped: 0,
            withheld: 0,
            delivered: 0,
            late: 0,
            deadline_ms: 10.0,
            mean_ms: None,
            p99_ms: None,
            worst_ms: None,
            worst_cause: None,
            bound_ms: None,
        });
    }

    #[test]
    fn an_attack_is_reported_with_its_place_its_time_and_what_it_came_to() {
        let row = AttackRow {
            name: "silencer".to_owned(),
            what: "gateway drops WheelSpeeds".to_owned(),
            buses: vec!["drive".to_owned(), "comfort".to_owned()],
            from_ms: 0.0,
            until_ms: 1_500.0,
            actions: 1,
            action: AttackerAction::FrameSuppressed,
            taken: 3,
            taken_by: vec![TakenRow {
                attack: "silencer".to_owned(),
                stream: "WheelSpeeds".to_owned(),
                ecu: "cluster".to_owned(),
                messages: 3,
            }],
            kind: "suppress",
            key_deceptions: 0,
            key_deceived: Vec::new(),
        };
        fits(&row);
        let cells = row.cells();
        assert_eq!(
            cells[2..],
            [
                "drive, comfort",
                "0 s to 1.5 s",
                "1 frame suppressed",
                "WheelSpeeds by cluster: 3"
            ]
        );
    }
}
