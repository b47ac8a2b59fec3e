//! Reads a message matrix: the text is scanned, parsed, and its attributes are given a meaning.

use std::collections::{HashMap, HashSet};

use can_dbc::{Dbc, MessageId};
use waywarden_can::Id;

use super::attributes::{self, Attribute};
use super::timing::{self, Timing};
use super::{DbcError, DbcMessage, LENGTH_MAX, Matrix, NO_MESSAGE, NO_NODE, ReadOptions, TEXT_MAX};
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
    let mut matrix = matrix(&parsed)?;
    matrix.skipped = parsed.skipped;
    Ok(matrix)
}

/// A text that follows the grammar.
pub(crate) struct Parsed {
    pub(crate) dbc: Dbc,
    pub(crate) text: String,
    /// An identifier that stands for messages without one of their own.
    pub(crate) free: u32,
    /// Another one, that stands for the message of signals without one.
    pub(crate) independent: u32,
    pub(crate) skipped: Vec<super::SkippedStatement>,
}

impl Parsed {
    /// Returns true for a message that a bus can carry.
    pub(crate) fn can_be_sent(&self, message: &can_dbc::Message) -> bool {
        let is_placeholder = [self.free, self.independent].contains(&message.id.raw());
        message.name != NO_MESSAGE && !is_placeholder && message.size <= LENGTH_MAX
    }
}

/// Parses a text, without the statements that do not follow the grammar.
pub(crate) fn parse(text: &str, options: ReadOptions) -> Result<Parsed, DbcError> {
    if text.len() > TEXT_MAX {
        return Err(DbcError::TextTooLong(text.len()));
    }
    let scan = scan::check_messages(text, options, &[]);
    let without = statements::without_messages(text, &scan.damaged);
    let text = scan::with_identifiers(&without, &scan, options);
    let mut skipped = scan.skipped.clone();
    let (dbc, text) = match Dbc::try_from(text.as_ref()) {
        Ok(dbc) => (dbc, text.into_owned()),
        Err(_) => {
            let (mended, damage) = statements::without_damage(&text).ok_or_else(no_dbc)?;
            skipped.extend(damage);
            let mended = rescanned(&mended, options, (&scan, &mut skipped));
            let line = |one: &super::SkippedStatement| one.error.line();
            skipped.sort_by_key(line);
            let dbc = Dbc::try_from(mended.as_str());
            (dbc.map_err(|error| scan::grammar_error(&error))?, mended)
        }
    };
    Ok(Parsed {
        dbc,
        text,
        free: scan.free,
        independent: scan.independent,
        skipped,
    })
}

/// Looks again at the messages of a text without its damage: a quotation without an end has hidden
/// some of them.
fn rescanned(
    text: &str,
    options: ReadOptions,
    (before, skipped): (&scan::Scan, &mut Vec<super::SkippedStatement>),
) -> String {
    let scan = scan::check_messages(text, options, &[before.free, before.independent]);
    let without = statements::without_messages(text, &scan.damaged);
    for one in scan.skipped {
        if !skipped.contains(&one) {
            skipped.push(one);
        }
    }
    scan::with_identifiers(&without, before, options).into_owned()
}

fn no_dbc() -> DbcError {
    DbcError::Grammar {
        line: Some(1),
        expected: "a DBC file begins with `VERSION`, `NS_ :`, `BS_:` or `BU_:`".to_owned(),
    }
}

fn matrix(parsed: &Parsed) -> Result<Matrix, DbcError> {
    let (dbc, text) = (&parsed.dbc, parsed.text.as_str());
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
    let can_be_sent = |message: &&can_dbc::Message| parsed.can_be_sent(message);
    for message in dbc.messages.iter().filter(can_be_sent) {
        let main = message.transmitter.iter().map(String::as_str);
        let others = senders.get(&message.id).into_iter().flatten().copied();
        let hearing = message.signals.iter().flat_map(|signal| &signal.receivers);
        let length = usize::try_from(message.size).unwrap_or(usize::MAX);
        let mut remarks = Vec::new();
        let times = timing.times(message.id, &mut remarks);
        let (format, is_j1939) = timing.format(message.id, length, is_all_j1939, &mut remarks);
        let long = message_names.text(&message.id);
        messages.push(DbcMessage {
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
