//! Writes a message of a matrix as a stream.

use std::fmt::{self, Write as _};

use waywarden_can::Id;
use waywarden_can::frame::FD_LENGTHS;

use super::authentication::{Plan, Tables, plan};
use super::draft::{Draft, comment};
use super::period::Period;
use waywarden_can_matrix::{MatrixMessage, MessageFormat, MessageKind};

/// Writes the stream of a message on a bus, as a comment if it cannot be one yet, and adds it to
/// the tables of authentication.
pub(super) fn write(
    text: &mut String,
    (name, message): (&str, &MatrixMessage),
    (draft, bus): (&Draft<'_>, usize),
    tables: &mut Tables,
) -> fmt::Result {
    let is_linked = draft.buses[bus].cryptographic.contains(&message.id);
    if message.kind == MessageKind::Cryptographic && is_linked {
        comment(
            text,
            &format!("{name} is a cryptographic I-PDU: see `cryptographic_pdus`."),
        )?;
        return writeln!(text);
    }
    let options = draft.options;
    let period = Period::of(
        message,
        options.fast_cycles,
        (&options.observed, &draft.observed_groups),
        options.assumed,
    );
    // A comment mark before every line keeps what cannot be a stream yet.
    let is_comment = message.needs_transport() || matches!(period, Period::Unknown);
    let mark = if is_comment { "# " } else { "" };
    comments(text, message, draft)?;
    let plan = match message.protection.as_ref().map(|own| plan(message, own)) {
        Some(Ok(plan)) => Some(plan),
        Some(Err(reason)) => {
            comment(text, &format!("SecOC is not carried over: {reason}."))?;
            None
        }
        None => None,
    };
    for remark in plan.iter().flat_map(|plan| &plan.remarks) {
        comment(text, &format!("{remark}."))?;
    }
    let main = message.senders.first();
    let (sender, is_on_several) = draft.sender(main, bus);
    writeln!(text, "{mark}[[stream]]\n{mark}name = \"{name}\"")?;
    identifier(text, mark, message.id)?;
    writeln!(text, "{mark}sender = \"{sender}\"")?;
    if is_on_several {
        writeln!(text, "{mark}bus = \"{}\"", draft.buses[bus].name)?;
    }
    let receivers: Vec<String> = message
        .receivers
        .iter()
        .filter(|receiver| Some(*receiver) != main)
        .map(|receiver| format!("\"{}\"", draft.ecu(receiver)))
        .collect();
    writeln!(text, "{mark}receivers = [{}]", receivers.join(", "))?;
    form(text, mark, message, plan.as_ref())?;
    period.write(text, mark, (message.start_delay, draft.matrix.format))?;
    writeln!(text)?;
    if let (Some(plan), false) = (plan, is_comment) {
        tables.add(name, bus, plan);
    }
    Ok(())
}

fn identifier(text: &mut String, mark: &str, id: Id) -> fmt::Result {
    match id {
        Id::Standard(id) => writeln!(text, "{mark}id = 0x{:03X}", id.raw()),
        Id::Extended(id) => writeln!(text, "{mark}id = 0x{:08X}\n{mark}extended = true", id.raw()),
    }
}

/// Writes frame format and length.
fn form(
    text: &mut String,
    mark: &str,
    message: &MatrixMessage,
    plan: Option<&Plan>,
) -> fmt::Result {
    writeln!(
        text,
        "{mark}format = \"{}\"",
        match message.format {
            MessageFormat::Classic => "classic",
            MessageFormat::Fd { .. } => "fd",
        }
    )?;
    if let MessageFormat::Fd {
        bit_rate_switch: false,
    } = message.format
    {
        writeln!(text, "{mark}brs = false")?;
    }
    if let Some(plan) = plan {
        return writeln!(text, "{mark}length = {}", plan.length);
    }
    let padded = padded(message.length);
    match padded == message.length {
        true => writeln!(text, "{mark}length = {padded}"),
        false => writeln!(
            text,
            "{mark}length = {padded} # {} of them used",
            message.length
        ),
    }
}

/// Writes remarks for the reader before a message's stream.
fn comments(text: &mut String, message: &MatrixMessage, draft: &Draft<'_>) -> fmt::Result {
    if message.needs_transport() {
        let bytes = message.length;
        writeln!(
            text,
            "# {bytes} bytes need a transport protocol: no single frame carries them."
        )?;
    }
    if let Some(frames) = message.transport_frames() {
        writeln!(
            text,
            "# SAE J1939 sends TP.CM 0x{:08X} and {} TP.DT 0x{:08X} of 8 bytes for each (to all \
             nodes).",
            frames.announcement, frames.data_frames, frames.data
        )?;
    }
    match message.kind {
        MessageKind::Application | MessageKind::Cryptographic => {}
        MessageKind::NetworkManagement => writeln!(text, "# Network management.")?,
        MessageKind::Transport => writeln!(text, "# A frame of a transport protocol.")?,
    }
    for remark in &message.remarks {
        comment(text, &format!("{remark}."))?;
    }
    if message.is_of_any_source() {
        comment(
            text,
            "Source address FE stands for that of each sender (SAE J1939-81).",
        )?;
    }
    if message.senders.len() > 1 {
        let label = draft.matrix.format.label();
        comment(
            text,
            &format!(
                "Senders in the {label} file: {}.",
                message.senders.join(", ")
            ),
        )?;
    }
    Ok(())
}

/// Returns the next length that a frame can have; a classic one has any up to 8.
fn padded(length: usize) -> usize {
    FD_LENGTHS
        .iter()
        .map(|&fits| usize::from(fits))
        .find(|&fits| fits >= length)
        .unwrap_or(length)
}
