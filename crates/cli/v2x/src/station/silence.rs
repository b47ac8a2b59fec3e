//! Stations that sent no message, and the reason.

use std::collections::BTreeMap;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_v2x_neighbourhood::virtual_time::StationEvent;
use waywarden_v2x_neighbourhood::{NeighbourhoodEvent, SenderOrigin};

use waywarden_command_line::terminal::plain;

/// A station that sent no message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct SilentStation {
    station: usize,
    /// Name of the last cause, as in `impaired`; `nothingDue` without one.
    code: &'static str,
    reason: String,
}

/// Causes of silence by station: at most one entry for each.
#[derive(Debug, Default)]
pub(super) struct Silences {
    /// `None`: the station has sent a message.
    causes: BTreeMap<usize, Option<SilentStation>>,
}

impl Silences {
    pub(super) fn take(&mut self, happened: &StationEvent) {
        let station = happened.station;
        match &happened.event {
            NeighbourhoodEvent::Sent { frame, .. } if frame.origin == SenderOrigin::Honest => {
                self.causes.insert(station, None);
            }
            NeighbourhoodEvent::Impaired(cause) => {
                let entry = self.causes.entry(station);
                let silent = entry.or_insert_with(|| Some(nothing_due(station)));
                if let Some(silent) = silent {
                    silent.code = cause.code();
                    silent.reason = cause.to_string();
                }
            }
            _ => {}
        }
    }

    /// Returns the stations that were kept from sending and sent nothing; if no station had
    /// anything to send, the first one.
    pub(super) fn of_silent(&self) -> Vec<SilentStation> {
        match self.causes.is_empty() {
            true => vec![nothing_due(0)],
            false => self.causes.values().flatten().cloned().collect(),
        }
    }
}

fn nothing_due(station: usize) -> SilentStation {
    SilentStation {
        station,
        code: "nothingDue",
        reason: "the run ended before its first message was due".to_owned(),
    }
}

/// Prints a line for each of the stations.
pub(super) fn print(out: &mut impl Write, silent: &[SilentStation]) -> io::Result<()> {
    for SilentStation {
        station,
        code,
        reason,
    } in silent
    {
        writeln!(
            out,
            "Station {station} sent nothing: {} ({code}).",
            plain(reason)
        )?;
    }
    Ok(())
}
