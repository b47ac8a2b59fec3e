//! Reads a message matrix: the text is scanned, parsed, and its attributes are given a meaning.

use std::collections::{HashMap, HashSet};

use can_dbc::{Dbc, MessageId};
use waywarden_can::Id;

use super::attributes::{self, Attribute};
use super::timing::{self, Timing};
use super::{DbcError, LENGTH_MAX, Matrix, Message, NO_MESSAGE, NO_NODE, ReadOptions, TEXT_MAX};
use super::{scan, statements};

/// Reads a message matrix.
///
/// # Errors
/// [`DbcError`] for a text that is too long or no DBC file at all. A message that no bus can carry
/// and a statement that does not follow the grammar are no errors: see [`Matrix::skipped`].
pub fn import(text: &str) -> Result<Matrix, DbcError> {
    import_with(text, ReadOptions::default())
}

/// Reads a message matrix, with choices.
///
/// # Errors
/// Like [`import`].
pub fn import_with(text: &str, options: ReadOptions) -> Result<Matrix, DbcError> {
    let parsed = parse(text, options)?;
    let mut matrix = matrix((&parsed.dbc, &parsed.text), parsed.free)?;
    matrix.skipped = parsed.skipped;
    Ok(matrix)
}

/// A text that follows the grammar.
pub(crate) struct Parsed {
    pub(crate) dbc: Dbc,
    text: String,
    /// An identifier that stands for messages without one of their own.
    pub(crate) free: u32,
    pub(crate) skipped: Vec<super::Skipped>,
}

/// Parses a text, without the statements that do not follow the grammar.
pub(crate) fn parse(text: &str, options: ReadOptions) -> Result<Parsed, DbcError> {
    if text.len() > TEXT_MAX {
        return Err(DbcError::TextTooLong(text.len()));
    }
    let scan = scan::check_messages(text, options);
    let without = match scan.damaged.as_slice() {
        [] => None,
        lines => Some(statements::without_messages(text, lines)),
    };
    let text = without.as_deref().unwrap_or(text);
    let text = scan::with_identifiers(text, &scan, options);
    let mut skipped = scan.skipped;
    let dbc = match Dbc::try_from(text.as_ref()) {
        Ok(dbc) => dbc,
        Err(_) => {
            let (mended, damage) = statements::without_damage(&text).ok_or_else(no_dbc)?;
            skipped.extend(damage);
            let line = |one: &super::Skipped| one.error.line();
            skipped.sort_by_key(line);
            Dbc::try_from(mended.as_str()).map_err(|error| scan::grammar_error(&error))?
        }
    };
    Ok(Parsed {
        dbc,
        text: text.into_owned(),
        free: scan.free,
        skipped,
    })
}

fn no_dbc() -> DbcError {
    DbcError::Grammar {
        line: Some(1),
        expected: "a DBC file begins with `VERSION`, `NS_ :`, `BS_:` or `BU_:`".to_owned(),
    }
}

fn matrix((dbc, text): (&Dbc, &str), free: u32) -> Result<Matrix, DbcError> {
    let timing = Timing::of(dbc);
    let message_names = Attribute::of_messages(dbc, "SystemMessageLongSymbol");
    let names = NodeNames(Attribute::of_nodes(dbc, "SystemNodeLongSymbol"));
    let protocol = Attribute::of_network(dbc, "ProtocolType").text(&());
    let is_all_j1939 = protocol.is_some_and(|protocol| protocol.eq_ignore_ascii_case("J1939"));
    let mut senders: HashMap<MessageId, Vec<&str>> = HashMap::new();
    for listed in &dbc.message_transmitters {
        let others = listed.transmitter.iter().map(String::as_str);
        senders.entry(listed.message_id).or_default().extend(others);
    }
    let mut messages = Vec::new();
    let can_be_sent = |message: &&can_dbc::Message| {
        message.name != NO_MESSAGE && message.id.raw() != free && message.size <= LENGTH_MAX
    };
    for message in dbc.messages.iter().filter(can_be_sent) {
        let main = message.transmitter.iter().map(String::as_str);
        let others = senders.get(&message.id).into_iter().flatten().copied();
        let hearing = message.signals.iter().flat_map(|signal| &signal.receivers);
        let length = usize::try_from(message.size).unwrap_or(usize::MAX);
        let mut remarks = Vec::new();
        let times = timing.times(message.id, &mut remarks);
        let (format, is_j1939) = timing.format(message.id, length, is_all_j1939, &mut remarks);
        let long = message_names.text(&message.id);
        messages.push(Message {
            name: long
                .filter(|name| !name.is_empty())
                .unwrap_or(&message.name)
                .to_owned(),
            id: identifier(message.id)?,
            length,
            format,
            is_j1939,
            senders: names.distinct(main.chain(others)),
            receivers: names.distinct(hearing.map(String::as_str)),
            send_type: times.send_type,
            cycle_time: times.cycle_time,
            fast_cycle_time: times.fast_cycle_time,
            minimum_distance: times.minimum_distance,
            start_delay: times.start_delay,
            remarks,
        });
    }
    let mut remarks = Vec::new();
    let (bit_rate, data_bit_rate) = timing::bit_rates((dbc, text), &mut remarks);
    Ok(Matrix {
        nodes: names.distinct(dbc.nodes.iter().map(|node| node.0.as_str())),
        messages,
        skipped: Vec::new(),
        bit_rate,
        data_bit_rate,
        not_understood: attributes::not_understood(dbc),
        remarks,
    })
}

/// The full names of nodes, of which the statements have the first 32 letters.
struct NodeNames<'a>(Attribute<'a, &'a str>);

impl<'a> NodeNames<'a> {
    /// Drops repetitions and the node that stands for none, keeps the order.
    fn distinct(&self, names: impl Iterator<Item = &'a str>) -> Vec<String> {
        let mut known = HashSet::new();
        names
            .filter(|name| *name != NO_NODE && known.insert(*name))
            .map(|name| {
                let long = self.0.text(&name).filter(|long| !long.is_empty());
                long.unwrap_or(name).to_owned()
            })
            .collect()
    }
}

/// Turns an identifier that [`scan::check_messages`] has found good into ours.
pub(crate) fn identifier(id: MessageId) -> Result<Id, DbcError> {
    match id {
        MessageId::Standard(raw) => Id::standard(raw),
        MessageId::Extended(raw) => Id::extended(raw),
    }
    .map_err(|error| DbcError::Grammar {
        line: None,
        expected: error.to_string(),
    })
}
