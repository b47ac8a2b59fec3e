//! A start under a security module as tables.

use std::io::{self, Write};

use waywarden_vehicle_lab::exchange::{AuthenticatedParty, KeyedStream, NetworkExchange};
use waywarden_vehicle_report::report::KindRow;

use super::{
    all, counted, disturbances, left_out, longest, milliseconds, on_bus, operation_cells, optional,
    some,
};
use waywarden_command_line::table::Rows;

/// Number of operations that have a column of their own.
const OPERATIONS_MAX: usize = 2;

/// Prints the suite, the profile and the other settings.
pub(super) fn heading(out: &mut impl Write, network: &NetworkExchange) -> io::Result<()> {
    writeln!(
        out,
        "Security module {}: {}, {}, {}, {}; {} and {} on {}",
        network.network,
        network.suite,
        network.profile,
        network.credentials,
        network.transport,
        network.security_module,
        counted(network.members as u64, "other", "others"),
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
        streams(network, end_ms).print(out)?;
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

/// Returns the time at which each ECU was authenticated, and its computations.
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

fn streams(network: &NetworkExchange, end_ms: f64) -> Rows {
    let row = |row: &KeyedStream| {
        vec![
            row.stream.clone(),
            row.sender.clone(),
            match row.receivers.as_slice() {
                few @ ([] | [_] | [_, _] | [_, _, _]) => few.join(", "),
                many => format!("{} ECUs", many.len()),
            },
            optional(row.sender_ms),
            match (row.keyed_ms, row.retired) {
                (None, true) => "retired".to_owned(),
                (None, _) if row.until_ms.is_some_and(|until| until <= end_ms) => "over".to_owned(),
                (keyed_ms, _) => optional(keyed_ms),
            },
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
    // No ECU waits for the keys of retired streams.
    let in_use = network.streams.iter().filter(|one| !one.retired);
    let late = in_use.clone().filter(|one| one.keyed_ms.is_none());
    let late: Vec<&str> = late.map(|one| one.stream.as_str()).collect();
    match (in_use.count(), late.as_slice()) {
        (0, _) => String::new(),
        (1, []) => ",\nand the one protected stream has its key".to_owned(),
        (all, []) => format!(",\nand all {all} protected streams have keys"),
        (all, late) => format!(
            ",\nand {} of {} have keys; not to be sent by then: {}",
            all - late.len(),
            counted(all as u64, "protected stream", "protected streams"),
            late.join(", ")
        ),
    }
}

/// Says what there is not: sessions, or only keys of streams.
fn missing(network: &NetworkExchange, awaited: usize) -> String {
    let unauthenticated = &network.unauthenticated;
    let cut_off = match network.cut_off.as_slice() {
        [] => String::new(),
        them => format!(
            ";\n{} authenticated until a certificate was over: {}",
            some(them.len(), awaited, "was", "were"),
            them.join(", ")
        ),
    };
    match (unauthenticated.len(), network.unkeyed.len()) {
        (0, 0) => "the security module has not begun".to_owned(),
        (0, unkeyed) if cut_off.is_empty() => format!(
            "{} authenticated, and {} not with all its ECUs",
            all(awaited, "is", "are"),
            counted(unkeyed as u64, "stream's key is", "streams' keys are"),
        ),
        (0, unkeyed) => format!(
            "{} not with all its ECUs{cut_off}",
            counted(unkeyed as u64, "stream's key is", "streams' keys are"),
        ),
        (lacking, _) => format!(
            "{} not authenticated: {}{cut_off}",
            some(lacking, awaited, "is", "are"),
            unauthenticated.join(", ")
        ),
    }
}

/// Names a stream without its key, and says if there can be none any more.
fn lacked(network: &NetworkExchange, name: &str, end_ms: f64) -> String {
    let mut streams = network.streams.iter();
    let stream = streams.find(|stream| stream.stream == name);
    match stream.and_then(|stream| stream.until_ms) {
        Some(until) if until <= end_ms => {
            format!("{name} (its window was over at {} ms)", milliseconds(until))
        }
        _ => name.to_owned(),
    }
}

/// Names the streams of which an ECU has no key.
fn lacking(out: &mut impl Write, network: &NetworkExchange, end_ms: f64) -> io::Result<()> {
    let unkeyed = network.unkeyed.iter();
    let unkeyed: Vec<String> = unkeyed.map(|name| lacked(network, name, end_ms)).collect();
    if unkeyed.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "Streams of which an ECU lacks the key: {}",
        unkeyed.join(", ")
    )
}

fn verdict(out: &mut impl Write, network: &NetworkExchange, end_ms: f64) -> io::Result<()> {
    let awaited = network.members - network.retired.len();
    let retired = left_out("retired before", &network.retired);
    match (network.authorized_ms, network.took_ms) {
        (Some(_), _) if awaited == 0 => {
            writeln!(out, "AUTHORIZED: there is no ECU to authenticate{retired}.")?;
        }
        (Some(at), Some(took)) => {
            writeln!(
                out,
                "AUTHORIZED at {} ms: {} authenticated, the last at {} ms{}{retired}.\nThat is {} \
                 ms after the security module began.",
                milliseconds(at),
                all(awaited, "is", "are"),
                optional(network.authenticated_ms),
                keyed(network),
                milliseconds(took),
            )?;
        }
        _ => {
            writeln!(
                out,
                "NOT AUTHORIZED by {} ms: {}{retired}",
                milliseconds(end_ms),
                missing(network, awaited),
            )?;
            lacking(out, network, end_ms)?;
        }
    }
    let messages = &network.messages;
    let sums = (messages.frames, messages.bytes, messages.bus_ms);
    on_bus(out, sums, network.bus_load)?;
    let once = &network.amortised;
    writeln!(
        out,
        "{} of them with {} went to all ECUs at once: {} ms.",
        once.frames,
        counted(once.bytes, "byte", "bytes"),
        milliseconds(once.bus_ms)
    )?;
    disturbances(
        out,
        &[
            (
                network.failed,
                "authentication",
                "authentications",
                "failed",
            ),
            (network.refused, "request was", "requests were", "refused"),
            (
                network.destroyed,
                "frame was",
                "frames were",
                "destroyed on the bus",
            ),
            (
                network.foreign,
                "frame with its identifiers",
                "frames with its identifiers",
                "came from others",
            ),
        ],
    )
}
