//! Statements of a DBC file about signals: their names, value tables, floats and multiplexers.

use std::collections::{HashMap, HashSet};

use can_dbc::{Dbc, MessageId, MultiplexIndicator, SignalExtendedValueType};
use can_dbc::{ValueDescription, ValueType};

use super::{BitRange, DbcSignal, RawKind};

/// A signal with its bits.
type Placed<'m> = (&'m can_dbc::Signal, BitRange, RawKind);

/// The multiplexer that selects a signal: its index, and the ranges of its raw values.
type Selection = (usize, Vec<(u64, u64)>);

/// Statements about signals that stand apart from them.
pub(super) struct Statements<'a> {
    pub(super) messages: HashMap<MessageId, &'a str>,
    signals: HashMap<(MessageId, &'a str), &'a str>,
    labels: HashMap<(MessageId, &'a str), &'a [can_dbc::ValDescription]>,
    floats: HashMap<(MessageId, &'a str), SignalExtendedValueType>,
    selections: HashMap<(MessageId, &'a str), &'a can_dbc::ExtendedMultiplex>,
}

impl<'a> Statements<'a> {
    pub(super) fn of(dbc: &'a Dbc) -> Self {
        let long = |name: &str, value: &'a can_dbc::AttributeValue, wanted| match value {
            can_dbc::AttributeValue::String(text) if name == wanted && !text.is_empty() => {
                Some(text.as_str())
            }
            _ => None,
        };
        let messages = dbc.attribute_values_message.iter().filter_map(|one| {
            let text = long(&one.name, &one.value, "SystemMessageLongSymbol")?;
            Some((one.message_id, text))
        });
        let signals = dbc.attribute_values_signal.iter().filter_map(|one| {
            let text = long(&one.name, &one.value, "SystemSignalLongSymbol")?;
            Some(((one.message_id, one.signal_name.as_str()), text))
        });
        let labels = dbc.value_descriptions.iter().filter_map(|one| match one {
            ValueDescription::Signal {
                message_id,
                name,
                value_descriptions,
            } => Some(((*message_id, name.as_str()), value_descriptions.as_slice())),
            ValueDescription::EnvironmentVariable { .. } => None,
        });
        let floats = dbc.signal_extended_value_type_list.iter();
        let floats = floats.map(|one| {
            let key = (one.message_id, one.signal_name.as_str());
            (key, one.signal_extended_value_type)
        });
        let selections = dbc.extended_multiplex.iter();
        let selections = selections.map(|one| ((one.message_id, one.signal_name.as_str()), one));
        Statements {
            messages: messages.collect(),
            signals: signals.collect(),
            labels: labels.collect(),
            floats: floats.collect(),
            selections: selections.collect(),
        }
    }

    /// Makes the signals of a message, and names those that are left out.
    pub(super) fn signals(
        &self,
        message: &can_dbc::Message,
        skipped: &mut Vec<String>,
    ) -> Vec<DbcSignal> {
        let kept = self.placed(message, skipped);
        let mut signals = Vec::with_capacity(kept.len());
        for (signal, place, kind) in &kept {
            let key = (message.id, signal.name.as_str());
            let labels = self.labels.get(&key).copied().unwrap_or_default().iter();
            let labels = labels.map(|label| (label.id, unescaped(&label.description)));
            let mut labels: Vec<_> = labels.collect();
            labels.sort_by_key(|(raw, _)| *raw);
            let selected_by = self.selection(message.id, signal, &kept);
            if selected_by == Some(None) {
                skipped.push(format!(
                    "signal {}.{} is multiplexed and its message has no multiplexer; it never has \
                     a value",
                    message.name, signal.name
                ));
            }
            signals.push(DbcSignal {
                name: self.signals.get(&key).unwrap_or(&key.1).to_string(),
                unit: unescaped(&signal.unit),
                factor: signal.factor,
                offset: signal.offset,
                place: *place,
                kind: *kind,
                labels,
                // Without a multiplexer no value selects it.
                selected_by: selected_by.map(Option::unwrap_or_default),
            });
        }
        signals
    }

    /// Finds the bits of each signal.
    fn placed<'m>(
        &self,
        message: &'m can_dbc::Message,
        skipped: &mut Vec<String>,
    ) -> Vec<Placed<'m>> {
        let mut left_out = |signal: &can_dbc::Signal, why: &str| {
            skipped.push(format!("signal {}.{} {why}", message.name, signal.name));
        };
        let mut kept = Vec::new();
        let mut known = HashSet::new();
        for signal in &message.signals {
            let float = self.floats.get(&(message.id, signal.name.as_str()));
            let kind = match (float, signal.size, signal.value_type) {
                (Some(SignalExtendedValueType::IEEEfloat32Bit), 32, _)
                | (Some(SignalExtendedValueType::IEEEdouble64bit), 64, _) => RawKind::Float,
                (None | Some(SignalExtendedValueType::SignedOrUnsignedInteger), _, sign) => {
                    match sign {
                        ValueType::Signed => RawKind::Signed,
                        ValueType::Unsigned => RawKind::Unsigned,
                    }
                }
                (Some(_), ..) => {
                    left_out(
                        signal,
                        "is a float of neither 32 nor 64 bits; it is left out",
                    );
                    continue;
                }
            };
            match BitRange::of(signal) {
                None => left_out(signal, "does not have 1 to 64 bits; it is left out"),
                Some(_) if !known.insert(&signal.name) => {
                    left_out(signal, "stands there twice; the second one is left out");
                }
                Some(place) => kept.push((signal, place, kind)),
            }
        }
        kept
    }

    /// Finds the multiplexer of a multiplexed signal: in a list of ranges, or the one of the
    /// message; the inner none if there is none.
    fn selection(
        &self,
        message: MessageId,
        signal: &can_dbc::Signal,
        all: &[Placed<'_>],
    ) -> Option<Option<Selection>> {
        use MultiplexIndicator::{
            MultiplexedSignal, Multiplexor, MultiplexorAndMultiplexedSignal, Plain,
        };
        let find = |is_it: &dyn Fn(&can_dbc::Signal) -> bool| {
            all.iter().position(|(signal, ..)| is_it(signal))
        };
        // The list names the multiplexer, whether it is marked as one or not.
        if let Some(listed) = self.selections.get(&(message, signal.name.as_str())) {
            let ranges = listed.mappings.iter();
            let ranges = ranges.map(|range| (range.min_value, range.max_value));
            let by = find(&|signal| signal.name == listed.multiplexor_signal_name);
            return Some(by.map(|by| (by, ranges.collect())));
        }
        let value = match signal.multiplexer_indicator {
            MultiplexedSignal(value) | MultiplexorAndMultiplexedSignal(value) => value,
            Multiplexor | Plain => return None,
        };
        let by = find(&|signal| signal.multiplexer_indicator == Multiplexor);
        Some(by.map(|by| (by, vec![(value, value)])))
    }
}

/// Returns what a quotation means: only a quotation mark is escaped in it.
fn unescaped(text: &str) -> String {
    text.replace("\\\"", "\"")
}
