//! Writes DBC files: the statements of the grammar, in the order in which Vector's editor has them.
//!
//! [`rewrite`] writes what it reads of a DBC file, and names what it does not; [`to_text`] writes
//! the statements that another format's reader makes.

mod attributes;
mod dangling;
mod encoding;
mod extras;

use std::collections::HashSet;
use std::fmt::{self, Write as _};

use can_dbc::{
    Comment, Dbc, EnvType, EnvironmentVariable, ExtendedMultiplex, Message, MessageId,
    MultiplexIndicator, NumericValue, Signal, SignalExtendedValueType, ValDescription,
    ValueDescription,
};

pub use self::encoding::encode;
use self::extras::Extras;
use super::{DbcError, NO_MESSAGE, NO_NODE, ReadOptions, read};

/// The identifier under which DBC files keep signals without a message.
const NO_MESSAGE_ID: u32 = 0xC000_0000;

/// A DBC file that is written, and what of its source it does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// The text.
    pub text: String,
    /// The number of messages in it.
    pub messages: usize,
    /// The parts that are left out, a sentence each, with the line where it is known.
    pub losses: Vec<String>,
}

/// Reads a DBC file and writes it again: messages, signals, multiplexing, value tables, attributes,
/// comments, senders, receivers, groups, value types and environment variables are those of the
/// file.
///
/// # Errors
/// Like [`import_with`](crate::import_with).
pub fn rewrite(text: &str, options: ReadOptions) -> Result<Rewritten, DbcError> {
    let parsed = read::parse(text, options)?;
    let mut losses: Vec<String> = parsed
        .skipped
        .iter()
        .map(|skipped| match skipped.error.line() {
            Some(line) => format!("line {line}: {skipped}"),
            None => skipped.to_string(),
        })
        .collect();
    let is_gone = |message: &&Message| message.name != NO_MESSAGE && !parsed.can_be_sent(message);
    let messages = parsed.dbc.messages.iter().filter(is_gone);
    let mut gone: HashSet<u32> = messages.map(|message| message.id.raw()).collect();
    gone.insert(parsed.free);
    let mut dbc = parsed.dbc;
    dbc.messages
        .retain(|message| !gone.contains(&message.id.raw()));
    // A sound file is written as it is, even if it names what it lacks.
    let dangling = match parsed.skipped.is_empty() {
        true => 0,
        false => dangling::leave_out(&mut dbc),
    };
    if dangling > 0 {
        losses.push(format!(
            "{dangling} statements about messages and signals that are skipped, or not there, are \
             left out, too; give those messages identifiers and lengths that a bus can carry"
        ));
    }
    let extras = Extras::of(&parsed.text);
    losses.extend(extras.losses());
    let names = Names {
        extras: Some(&extras),
        independent: Some(parsed.independent),
    };
    let messages = dbc.messages.iter();
    Ok(Rewritten {
        messages: messages.filter(|one| one.name != NO_MESSAGE).count(),
        text: written(&dbc, &names),
        losses,
    })
}

/// Returns the text of a DBC file with these statements.
#[must_use]
pub fn to_text(dbc: &Dbc) -> String {
    let names = Names {
        extras: None,
        independent: None,
    };
    written(dbc, &names)
}

/// Parts of a text that its statements lack.
struct Names<'a> {
    extras: Option<&'a Extras<'a>>,
    /// The identifier that stands for the message of signals without one.
    independent: Option<u32>,
}

impl Names<'_> {
    /// Returns the number of a message in the file.
    fn id(&self, id: MessageId) -> u32 {
        match self.independent {
            Some(independent) if independent == id.raw() => NO_MESSAGE_ID,
            _ => id.raw(),
        }
    }
}

fn written(dbc: &Dbc, names: &Names<'_>) -> String {
    let mut text = String::new();
    // A text takes whatever is written to it.
    let _ = statements(&mut text, dbc, names);
    text
}

fn statements(text: &mut String, dbc: &Dbc, names: &Names<'_>) -> fmt::Result {
    writeln!(text, "VERSION \"{}\"\n\n\nNS_ :", dbc.version.0)?;
    for symbol in &dbc.new_symbols {
        writeln!(text, "\t{}", symbol.0)?;
    }
    let bit_timing = names.extras.and_then(|extras| extras.bit_timing);
    match bit_timing {
        Some(timing) => writeln!(text, "\nBS_: {timing}\n")?,
        None => writeln!(text, "\nBS_:\n")?,
    }
    text.push_str("BU_:");
    for node in &dbc.nodes {
        write!(text, " {}", node.0)?;
    }
    text.push('\n');
    for table in &dbc.value_tables {
        write!(text, "VAL_TABLE_ {}", table.name)?;
        labels(text, &table.descriptions)?;
    }
    text.push('\n');
    for message in &dbc.messages {
        self::message(text, message, names)?;
    }
    for listed in &dbc.message_transmitters {
        let senders = listed.transmitter.join(",");
        let id = names.id(listed.message_id);
        writeln!(text, "BO_TX_BU_ {id} : {senders};")?;
    }
    for variable in &dbc.environment_variables {
        environment_variable(text, variable, names)?;
    }
    for data in &dbc.environment_variable_data {
        writeln!(
            text,
            "ENVVAR_DATA_ {}: {};",
            data.env_var_name, data.data_size
        )?;
    }
    for comment in &dbc.comments {
        self::comment(text, comment, names)?;
    }
    attributes::definitions(text, dbc)?;
    attributes::values(text, dbc, names)?;
    for description in &dbc.value_descriptions {
        match description {
            ValueDescription::Signal {
                message_id,
                name,
                value_descriptions,
            } => {
                write!(text, "VAL_ {} {name}", names.id(*message_id))?;
                labels(text, value_descriptions)?;
            }
            ValueDescription::EnvironmentVariable {
                name,
                value_descriptions,
            } => {
                write!(text, "VAL_ {name}")?;
                labels(text, value_descriptions)?;
            }
        }
    }
    signal_statements(text, dbc, names)
}

/// Writes the statements about signals that stand at the end of a file.
fn signal_statements(text: &mut String, dbc: &Dbc, names: &Names<'_>) -> fmt::Result {
    for group in &dbc.signal_groups {
        let id = names.id(group.message_id);
        write!(
            text,
            "SIG_GROUP_ {id} {} {} :",
            group.name, group.repetitions
        )?;
        for signal in &group.signal_names {
            write!(text, " {signal}")?;
        }
        text.push_str(";\n");
    }
    for one in &dbc.signal_extended_value_type_list {
        let kind = match one.signal_extended_value_type {
            SignalExtendedValueType::SignedOrUnsignedInteger => 0,
            SignalExtendedValueType::IEEEfloat32Bit => 1,
            SignalExtendedValueType::IEEEdouble64bit => 2,
        };
        let id = names.id(one.message_id);
        writeln!(text, "SIG_VALTYPE_ {id} {} : {kind};", one.signal_name)?;
    }
    for one in &dbc.extended_multiplex {
        extended_multiplex(text, one, names)?;
    }
    Ok(())
}

fn message(text: &mut String, message: &Message, names: &Names<'_>) -> fmt::Result {
    let sender = message.transmitter.as_deref().unwrap_or(NO_NODE);
    let id = match message.name == NO_MESSAGE {
        true => NO_MESSAGE_ID,
        false => names.id(message.id),
    };
    writeln!(text, "BO_ {id} {}: {} {sender}", message.name, message.size)?;
    for signal in &message.signals {
        self::signal(text, signal)?;
    }
    text.push('\n');
    Ok(())
}

fn signal(text: &mut String, signal: &Signal) -> fmt::Result {
    write!(text, " SG_ {}", signal.name)?;
    match signal.multiplexer_indicator {
        MultiplexIndicator::Plain => {}
        MultiplexIndicator::Multiplexor => text.push_str(" M"),
        MultiplexIndicator::MultiplexedSignal(value) => write!(text, " m{value}")?,
        MultiplexIndicator::MultiplexorAndMultiplexedSignal(value) => write!(text, " m{value}M")?,
    }
    let order = match signal.byte_order {
        can_dbc::ByteOrder::LittleEndian => 1,
        can_dbc::ByteOrder::BigEndian => 0,
    };
    let sign = match signal.value_type {
        can_dbc::ValueType::Signed => '-',
        can_dbc::ValueType::Unsigned => '+',
    };
    let receivers = match signal.receivers.is_empty() {
        true => NO_NODE.to_owned(),
        false => signal.receivers.join(","),
    };
    writeln!(
        text,
        " : {}|{}@{order}{sign} ({},{}) [{}|{}] \"{}\" {receivers}",
        signal.start_bit,
        signal.size,
        real(signal.factor),
        real(signal.offset),
        bound(&signal.min),
        bound(&signal.max),
        signal.unit,
    )
}

/// Writes values with their words, and the end of the statement.
fn labels(text: &mut String, labels: &[ValDescription]) -> fmt::Result {
    for label in labels {
        write!(text, " {} \"{}\"", label.id, label.description)?;
    }
    text.push_str(" ;\n");
    Ok(())
}

fn environment_variable(
    text: &mut String,
    variable: &EnvironmentVariable,
    names: &Names<'_>,
) -> fmt::Result {
    let kind = match variable.typ {
        EnvType::Integer => 0,
        EnvType::Float => 1,
        EnvType::String => 2,
    };
    // The statements lack the bit of variables that are texts.
    let access = names
        .extras
        .and_then(|extras| extras.access.get(variable.name.as_str()).copied())
        .unwrap_or("0");
    let nodes = match variable.access_nodes.is_empty() {
        true => NO_NODE.to_owned(),
        false => variable.access_nodes.join(","),
    };
    writeln!(
        text,
        "EV_ {}: {kind} [{}|{}] \"{}\" {} {} DUMMY_NODE_VECTOR{access} {nodes};",
        variable.name,
        variable.min,
        variable.max,
        variable.unit,
        variable.initial_value,
        variable.ev_id,
    )
}

fn comment(text: &mut String, comment: &Comment, names: &Names<'_>) -> fmt::Result {
    match comment {
        Comment::Plain { comment } => writeln!(text, "CM_ \"{comment}\";"),
        Comment::Node { name, comment } => writeln!(text, "CM_ BU_ {name} \"{comment}\";"),
        Comment::Message { id, comment } => {
            writeln!(text, "CM_ BO_ {} \"{comment}\";", names.id(*id))
        }
        Comment::Signal {
            message_id,
            name,
            comment,
        } => writeln!(
            text,
            "CM_ SG_ {} {name} \"{comment}\";",
            names.id(*message_id)
        ),
        Comment::EnvVar { name, comment } => writeln!(text, "CM_ EV_ {name} \"{comment}\";"),
    }
}

fn extended_multiplex(
    text: &mut String,
    one: &ExtendedMultiplex,
    names: &Names<'_>,
) -> fmt::Result {
    let ranges: Vec<String> = one
        .mappings
        .iter()
        .map(|range| format!("{}-{}", range.min_value, range.max_value))
        .collect();
    writeln!(
        text,
        "SG_MUL_VAL_ {} {} {} {};",
        names.id(one.message_id),
        one.signal_name,
        one.multiplexor_signal_name,
        ranges.join(", ")
    )
}

/// Returns a number as short as it reads back the same: whole ones without a point.
fn real(number: f64) -> String {
    const WHOLE_MAX: f64 = 1e15;
    match number {
        _ if number.is_infinite() => bound(&NumericValue::Double(number)),
        _ if number.fract() == 0.0 && number.abs() < WHOLE_MAX => format!("{number}"),
        _ => format!("{number:?}"),
    }
}

/// Returns a number of the kind that it was read as.
fn bound(number: &NumericValue) -> String {
    match number {
        NumericValue::Uint(number) => number.to_string(),
        NumericValue::Int(number) => number.to_string(),
        // Digits too many for a number, as a file may have them.
        NumericValue::Double(number) if number.is_infinite() => {
            let sign = if *number < 0.0 { "-" } else { "" };
            format!("{sign}1e999")
        }
        NumericValue::Double(number) => format!("{number:?}"),
    }
}
