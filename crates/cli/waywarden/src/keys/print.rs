//! An exchange as tables.

mod network;
mod subgroups;
mod words;

use std::io::{self, Write};

use waywarden_vehicle_file::formatting::percent;
use waywarden_vehicle_lab::exchange::{
    Exchange, ExchangeFrames, ExchangeParty, GroupExchange, Line, OperationFigures,
};

use waywarden_command_line::exit::Failure;
use waywarden_command_line::table::Rows;

use words::{aligned, all, counted, left_out, milliseconds, optional, some};

/// More lines than that are summed up: two screens, and what 4 ECUs take in each scheme.
const LINES_MAX: usize = 120;

/// Number of a payload's bytes in one line.
const BYTES_A_LINE: usize = 16;

/// Number of operations that have a column of their own.
const OPERATIONS_MAX: usize = 4;

/// Level of detail of the time line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Messages and stages if they fit, else exchanges.
    Fitting,
    /// Messages and stages.
    Steps,
    /// Everything.
    Frames,
}

/// Prints for people.
pub(crate) fn table(
    out: &mut impl Write,
    exchange: &Exchange,
    detail: Detail,
) -> Result<(), Failure> {
    for group in &exchange.groups {
        writeln!(
            out,
            "Group {}: {}{}, {}, {}, {}; {} and {} on {}",
            group.group,
            group.scheme,
            match group.odd_levels {
                "promoted" => ", odd levels promoted",
                _ => "",
            },
            group.suite,
            group.profile,
            group.transport,
            group.orchestrator,
            counted(group.members as u64, "other", "others"),
            group.buses.join(", "),
        )?;
    }
    for one in &exchange.networks {
        network::heading(out, one)?;
    }
    let seed = exchange.seed;
    writeln!(out, "Seed {seed}; times are milliseconds from power-on.")?;
    time_line(out, exchange, detail)?;
    if exchange.left_out > 0 {
        writeln!(out, "({} later entries were not kept)", exchange.left_out)?;
    }
    for group in &exchange.groups {
        if protocols(exchange) > 1 {
            writeln!(out, "\nGroup {}:", group.group)?;
        }
        steps(group).print(out)?;
        ecus(group).print(out)?;
        subgroups::print(out, group, detail)?;
        verdict(out, group, exchange.end_ms)?;
    }
    for one in &exchange.networks {
        if protocols(exchange) > 1 {
            writeln!(out, "\nSecurity module {}:", one.network)?;
        }
        network::figures(out, one, exchange.end_ms)?;
    }
    Ok(())
}

fn protocols(exchange: &Exchange) -> usize {
    exchange.groups.len() + exchange.networks.len()
}

fn time_line(out: &mut impl Write, exchange: &Exchange, detail: Detail) -> io::Result<()> {
    let lines = match detail {
        Detail::Frames => exchange.lines(),
        _ => exchange.steps(),
    };
    if detail != Detail::Fitting || lines.len() <= LINES_MAX {
        return rows(exchange, &lines, detail == Detail::Frames).print(out);
    }
    let entries = exchange.time_line.len();
    parts(exchange).print(out)?;
    writeln!(
        out,
        "({} messages and stages: --steps shows them; {entries} frames, computations and events: \
         --frames)",
        lines.len()
    )
}

/// The time line; columns that would say the same in each line are left out.
fn rows(exchange: &Exchange, lines: &[Line], with_data: bool) -> Rows {
    let several_groups = protocols(exchange) > 1;
    let of_groups = exchange.groups.iter().map(|group| &group.buses);
    let mut buses = of_groups.chain(exchange.networks.iter().map(|one| &one.buses));
    let several_buses = buses.any(|buses| buses.len() > 1);
    let mut headers = vec!["from", "took"];
    headers.extend(several_groups.then_some("group"));
    headers.extend(several_buses.then_some("bus"));
    headers.extend(["ECU", "what", "id", "addresses", "bytes"]);
    headers.extend(with_data.then_some("data"));
    let row = |line: &Line| {
        let mut cells = vec![milliseconds(line.from_ms), optional(line.took_ms)];
        cells.extend(several_groups.then(|| line.group.clone()));
        cells.extend(several_buses.then(|| line.bus.clone()));
        let bytes = line.bytes.map_or(String::new(), |bytes| bytes.to_string());
        let texts = [&line.ecu, &line.what, &line.id, &line.addresses, &bytes];
        cells.extend(texts.map(String::clone));
        cells.extend(with_data.then(|| wrapped(&line.data)));
        cells
    };
    Rows {
        headers,
        rows: lines.iter().map(row).collect(),
        numbers: 0..2,
    }
}

/// Cuts digits into lines of [`BYTES_A_LINE`].
fn wrapped(digits: &str) -> String {
    let digits: Vec<char> = digits.chars().collect();
    let lines = digits.chunks(2 * BYTES_A_LINE).map(String::from_iter);
    lines.collect::<Vec<_>>().join("\n")
}

/// The exchanges between two, and what goes to all.
fn parts(exchange: &Exchange) -> Rows {
    let several = protocols(exchange) > 1;
    let row = |(name, part): (&str, &ExchangeFrames)| {
        let mut cells = vec![aligned(part.from_ms), aligned(part.to_ms - part.from_ms)];
        cells.extend(several.then(|| name.to_owned()));
        cells.extend([
            part.part.to_owned(),
            part.addresses.map_or(String::new(), |one| one.to_string()),
            match part.between.as_slice() {
                few @ ([] | [_] | [_, _] | [_, _, _]) => few.join(", "),
                many => format!("{} ECUs", many.len()),
            },
            part.frames.to_string(),
            part.bytes.to_string(),
            milliseconds(part.bus_ms),
        ]);
        cells
    };
    let mut headers = vec!["from", "took"];
    headers.extend(several.then_some("group"));
    headers.extend(["what", "addresses", "between", "frames", "bytes", "on bus"]);
    let columns = headers.len();
    let groups = exchange.groups.iter();
    let groups = groups.map(|group| (group.group.as_str(), &group.parts));
    let networks = exchange.networks.iter();
    let networks = networks.map(|one| (one.network.as_str(), &one.parts));
    let mut all: Vec<_> = groups
        .chain(networks)
        .flat_map(|(name, parts)| parts.iter().map(move |part| (name, part)))
        .collect();
    all.sort_by(|(_, one), (_, other)| one.from_ms.total_cmp(&other.from_ms));
    Rows {
        headers,
        rows: all.into_iter().map(row).collect(),
        numbers: columns - 3..columns,
    }
}

fn steps(group: &GroupExchange) -> Rows {
    let rows = group.steps.iter().map(|step| {
        vec![
            step.step.to_owned(),
            step.frames.to_string(),
            step.bytes.to_string(),
            milliseconds(step.bus_ms),
        ]
    });
    Rows {
        headers: vec!["step", "frames", "bytes", "on bus"],
        rows: rows.collect(),
        numbers: 1..4,
    }
}

/// Returns each ECU's computations: columns for the operations that took longest.
fn ecus(group: &GroupExchange) -> Rows {
    let operations = group.ecus.iter().flat_map(|party| &party.operations);
    let kinds = longest(operations, OPERATIONS_MAX);
    let row = |party: &ExchangeParty| {
        let mut cells = vec![
            party.ecu.clone(),
            party.address.to_string(),
            optional(party.agreed_ms),
            party.frames.to_string(),
            milliseconds(party.computed_ms),
        ];
        cells.extend(operation_cells(&party.operations, &kinds));
        cells
    };
    let mut headers = vec!["ECU", "address", "key at", "frames", "computed"];
    headers.extend(kinds.iter().copied());
    headers.push("other");
    let columns = headers.len();
    Rows {
        headers,
        rows: group.ecus.iter().map(row).collect(),
        numbers: 1..columns,
    }
}

/// Returns the operations that took longest, at most so many.
fn longest<'a>(
    operations: impl Iterator<Item = &'a OperationFigures>,
    most: usize,
) -> Vec<&'static str> {
    let mut kinds: Vec<(&'static str, f64)> = Vec::new();
    for one in operations {
        match kinds.iter_mut().find(|(kind, _)| *kind == one.operation) {
            Some((_, sum)) => *sum += one.ms,
            None => kinds.push((one.operation, one.ms)),
        }
    }
    kinds.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    kinds.truncate(most);
    kinds.into_iter().map(|(kind, _)| kind).collect()
}

/// Returns an ECU's time for each of these operations, and for all others.
fn operation_cells(operations: &[OperationFigures], kinds: &[&str]) -> Vec<String> {
    let sum = |counts: &dyn Fn(&str) -> bool| {
        let counted = operations.iter().filter(|one| counts(one.operation));
        // A sum of nothing would be -0.
        milliseconds(counted.fold(0.0, |sum, one| sum + one.ms))
    };
    let mut cells: Vec<String> = kinds.iter().map(|kind| sum(&|one| one == *kind)).collect();
    cells.push(sum(&|one| !kinds.contains(&one)));
    cells
}

fn verdict(out: &mut impl Write, group: &GroupExchange, end_ms: f64) -> io::Result<()> {
    // The orchestrator cannot be removed.
    let awaited = group.members + 1 - group.removed.len();
    let removed = left_out("removed before", &group.removed);
    match (group.agreed_ms, group.took_ms, group.from_first_frame_ms) {
        (Some(at), Some(took), Some(from_first)) => writeln!(
            out,
            "AGREED at {} ms: {} the key{removed}. That is {} ms after the orchestrator \
             began,\nand {} ms after the first frame did.",
            milliseconds(at),
            all(awaited, "has", "have"),
            milliseconds(took),
            milliseconds(from_first)
        )?,
        (Some(at), ..) => writeln!(out, "AGREED at {} ms.", milliseconds(at))?,
        (None, ..) => writeln!(
            out,
            "NOT AGREED by {} ms: {} the key: {}{removed}",
            milliseconds(end_ms),
            some(group.missing.len(), awaited, "lacks", "lack"),
            group.missing.join(", ")
        )?,
    }
    on_bus(
        out,
        (group.frames, group.bytes, group.bus_ms),
        group.bus_load,
    )?;
    disturbances(
        out,
        &[
            (
                group.retries,
                "exchange was",
                "exchanges were",
                "tried again",
            ),
            (
                group.destroyed,
                "frame was",
                "frames were",
                "destroyed on the bus",
            ),
            (group.foreign, "key frame", "key frames", "came from others"),
        ],
    )
}

/// Says what was sent, and how much of the buses' time it took while it was.
fn on_bus(
    out: &mut impl Write,
    (frames, bytes, bus_ms): (u64, u64, f64),
    load: f64,
) -> io::Result<()> {
    writeln!(
        out,
        "{} with {}: {} ms on the bus, {} of its time from the first frame to the last.",
        counted(frames, "frame", "frames"),
        counted(bytes, "byte", "bytes"),
        milliseconds(bus_ms),
        percent(load)
    )
}

/// Prints the number of disturbances of each kind: its name for one and for several, its effect.
fn disturbances(out: &mut impl Write, disturbances: &[(u64, &str, &str, &str)]) -> io::Result<()> {
    for (number, one, several, did) in disturbances.iter().filter(|(number, ..)| *number > 0) {
        writeln!(out, "{} {did}.", counted(*number, one, several))?;
    }
    Ok(())
}
