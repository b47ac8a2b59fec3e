//! Writes a message matrix as a vehicle file: a bus a cluster, an ECU a node, a stream a message.

use waywarden_can_matrix::MessageMatrix;

use super::authentication::Tables;
use super::draft::{DbcOptions, Draft, ecu};
use super::names::Renamed;
use super::stream;

/// Returns a vehicle file with this matrix; [`crate::VehicleFile::parse`] reads it.
///
/// Messages that no single frame carries, and those without any known period (see
/// [`DbcOptions::assumed`]), stand in it as comments. Of several senders the first one sends. An
/// offset that the file does not state is unknown. Secured I-PDUs become `[[authentication]]`.
#[must_use]
pub fn to_vehicle_toml(matrix: &MessageMatrix, options: &DbcOptions) -> String {
    write(matrix, options).text
}

/// A vehicle file with what it has besides the matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file.
    pub text: String,
    /// The buses for which the matrix names one ECU, so that one is added that acknowledges.
    pub acknowledged: Vec<String>,
}

/// Returns a vehicle file as [`to_vehicle_toml`] does, and what is added to it.
#[must_use]
pub fn write(matrix: &MessageMatrix, options: &DbcOptions) -> Written {
    let mut names = Renamed::new();
    let mut draft = Draft::new(matrix, options, &mut names);
    let mut text = draft.heading();
    for (_, name, buses) in &draft.ecus {
        let ports: Vec<String> = buses
            .iter()
            .map(|bus| format!("\"{}\"", draft.buses[*bus].name))
            .collect();
        let _ = ecu(&mut text, name, &ports.join(", "));
    }
    draft.unknown_senders(&mut text, &mut names);
    let acknowledged = draft.acknowledgers(&mut text, &mut names);
    let mut streams = Renamed::new();
    let mut tables = Tables::default();
    for (at, bus) in draft.buses.iter().enumerate() {
        for message in &bus.cluster.messages {
            let name = streams.rename(&message.name);
            let _ = stream::write(&mut text, (&name, message), (&draft, at), &mut tables);
        }
    }
    tables.write(&mut text, &draft);
    Written { text, acknowledged }
}
