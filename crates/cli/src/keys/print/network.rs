//! A start under a security module as tables.

use std::io::{self, Write};

use waywarden_vehicle::exchange::{AuthenticatedParty, KeyedStream, NetworkExchange};
use waywarden_vehicle::readable::percent;
use waywarden_vehicle::report::KindRow;

use super::{longest, milliseconds, operation_cells, optional, troubles};
use crate::table::Rows;

/// How many operations have a column of their own.
const OPERATIONS_MAX: usize = 2;

/// Says what it is.
pub(super) fn heading(out: &mut impl Write, network: &NetworkExchange) -> io::Result<()> {
    writeln!(
        out,
        "Security module {}: {}, {}, {}, {}; {} and {} others on {}",
        network.network,
        network.suite,
        network.profile,
        network.credentials,
        network.transport,
        network.security_module,
        network.members,
        network.buses.join(", "),
    )
}

/// Prints what it cost and what came of it.
pub(super) fn figures(
    out: &mut impl Write,
    network: &NetworkExchange,
    end_ms: f64,
) -> io::Result<()> {
    kinds(network).print(out)?;
    ecus(network).print(out)?;
    if !network.streams.is_empty() {
        streams(network).print(out)?;
    }
    verdict(out, network, end_ms)
}

fn kinds(network: &NetworkExchange) -> Rows {
    let row = |row: &KindRow| {
        vec![
            row.kind.to_owned(),
            row.carried.frames.to_string(),
            row.carried.bytes.to_string(),
            milliseconds(row.carried.bus_ms),
            if row.amortised { "all ECUs" } else { "one ECU" }.to_owned(),
        ]
    };
    Rows {
        headers: vec!["message", "frames", "bytes", "on bus", "for"],
        rows: network.kinds.iter().map(row).collect(),
        numbers: 1..4,
    }
}

/// When each ECU was authenticated, and what it computed.
fn ecus(network: &NetworkExchange) -> Rows {
    let operations = network.ecus.iter().flat_map(|party| &party.operations);
    let kinds = longest(operations, OPERATIONS_MAX);
    let row = |party: &AuthenticatedParty| {
        let mut cells = vec![
            party.ecu.clone(),
            party.address.to_string(),
            optional(party.authenticated_ms),
            optional(party.communication_ms),
            optional(party.computation_ms),
            optional(party.rest_ms),
            party.frames.to_string(),
            milliseconds(party.computed_ms),
        ];
        cells.extend(operation_cells(&party.operations, &kinds));
        cells
    };
    let mut headers = vec![
        "ECU",
        "address",
        "session at",
        "bus",
        "CPU",
        "rest",
        "frames",
        "computed",
    ];
    headers.extend(kinds.iter().copied());
    headers.push("other");
    let columns = headers.len();
    Rows {
        headers,
        rows: network.ecus.iter().map(row).collect(),
        numbers: 1..columns,
    }
}

fn streams(network: &NetworkExchange) -> Rows {
    let row = |row: &KeyedStream| {
        vec![
            row.stream.clone(),
            row.sender.clone(),
            match row.receivers.as_slice() {
                few @ ([] | [_] | [_, _] | [_, _, _]) => few.join(", "),
                many => format!("{} ECUs", many.len()),
            },
            optional(row.sender_ms),
            optional(row.keyed_ms),
        ]
    };
    Rows {
        headers: vec![
            "stream",
            "sender",
            "receivers",
            "sender's key at",
            "all keys at",
        ],
        rows: network.streams.iter().map(row).collect(),
        numbers: 3..5,
    }
}

/// Says how many streams have keys.
fn keyed(network: &NetworkExchange) -> String {
    let late = network.streams.iter().filter(|one| one.keyed_ms.is_none());
    let late: Vec<&str> = late.map(|one| one.stream.as_str()).collect();
    match (network.streams.len(), late.as_slice()) {
        (0, _) => String::new(),
        (all, []) => format!(",\nand all {all} protected streams have keys"),
        (all, late) => format!(
            ",\nand {} of {all} protected streams have keys; not to be sent yet: {}",
            all - late.len(),
            late.join(", ")
        ),
    }
}

fn verdict(out: &mut impl Write, network: &NetworkExchange, end_ms: f64) -> io::Result<()> {
    match (network.authorised_ms, network.took_ms) {
        (Some(at), Some(took)) => {
            writeln!(
                out,
                "AUTHORISED at {} ms: all {} ECUs are authenticated, the last at {} ms{}.\nThat is \
                 {} ms after the security module began.",
                milliseconds(at),
                network.members,
                optional(network.authenticated_ms),
                keyed(network),
                milliseconds(took),
            )?;
        }
        _ => {
            writeln!(
                out,
                "NOT AUTHORISED by {} ms: {} of {} ECUs are not authenticated{}{}",
                milliseconds(end_ms),
                network.unauthenticated.len(),
                network.members,
                if network.unauthenticated.is_empty() {
                    ""
                } else {
                    ": "
                },
                network.unauthenticated.join(", "),
            )?;
            if !network.unkeyed.is_empty() {
                let unkeyed = network.unkeyed.join(", ");
                writeln!(out, "Streams whose key somebody lacks: {unkeyed}")?;
            }
        }
    }
    writeln!(
        out,
        "{} frames with {} bytes: {} ms on the bus, {} of its time from the first frame on.",
        network.messages.frames,
        network.messages.bytes,
        milliseconds(network.messages.bus_ms),
        percent(network.bus_load)
    )?;
    let once = &network.amortised;
    writeln!(
        out,
        "{} of them with {} bytes went to all ECUs at once: {} ms.",
        once.frames,
        once.bytes,
        milliseconds(once.bus_ms)
    )?;
    troubles(
        out,
        &[
            (network.failed, "authentications came to nothing"),
            (network.refused, "requests were refused"),
            (network.destroyed, "frames were destroyed on the bus"),
            (
                network.foreign,
                "frames with its identifiers came from others",
            ),
        ],
    )
}
