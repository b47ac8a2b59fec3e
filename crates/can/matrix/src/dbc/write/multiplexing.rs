//! Multiplexed signals as DBC has them: marks, and ranges where one mark is not enough.

use std::collections::HashMap;

use can_dbc::{ExtendedMultiplex, ExtendedMultiplexMapping, MessageId, MultiplexIndicator};

use super::names::Identifiers;
use crate::{ByteOrder, MatrixSignal};

/// The signals of a message as a DBC file has them.
pub(super) struct Multiplexing<'m> {
    pub(super) signals: Vec<Placed<'m>>,
    /// The number of multiplexers that are written as another one of the same bits.
    pub(super) merged: usize,
}

/// A signal, and the values of its multiplexer with which the message has it.
pub(super) struct Placed<'m> {
    pub(super) signal: &'m MatrixSignal,
    multiplexer: Option<&'m str>,
    values: Vec<u64>,
    /// True if marks alone do not say which multiplexer selects which signals.
    needs_ranges: bool,
}

/// The bits of a signal, and the values that select it.
type Place<'m> = (u32, u32, ByteOrder, Option<(&'m str, u64)>);

/// A signal that stands there once for each value that selects it.
type Repeated<'m> = (
    &'m str,
    u32,
    u32,
    ByteOrder,
    Option<Scale<'m>>,
    Option<&'m str>,
);

/// The meaning of a signal's bits: sign, float, the bits of factor and offset, and unit.
type Scale<'m> = (bool, bool, u64, u64, &'m str);

impl<'m> Multiplexing<'m> {
    pub(super) fn of(signals: &'m [MatrixSignal]) -> Self {
        let (mut merged, mut placed) = (0, Vec::<Placed<'m>>::new());
        // The multiplexer that stands for all of the same bits.
        let mut stands_for: HashMap<&str, &str> = HashMap::new();
        let mut of_place: HashMap<Place<'m>, &str> = HashMap::new();
        let mut repeated: HashMap<Repeated<'m>, usize> = HashMap::new();
        for signal in signals {
            let by = signal.selected_by.as_ref();
            let by = by.map(|by| (by.multiplexer.as_str(), by.value));
            let by = by.map(|(name, value)| (*stands_for.get(name).unwrap_or(&name), value));
            if signal.is_multiplexer {
                let place = (signal.start, signal.length, signal.byte_order, by);
                let first = *of_place.entry(place).or_insert(&signal.name);
                stands_for.entry(&signal.name).or_insert(first);
                if first != signal.name {
                    merged += 1;
                    continue;
                }
            }
            let multiplexer = by.map(|(name, _)| name);
            // A multiplexer selects by its bits alone.
            let own_scale = scale(signal);
            let key = (
                signal.name.as_str(),
                signal.start,
                signal.length,
                signal.byte_order,
                (!signal.is_multiplexer).then_some(own_scale),
                multiplexer,
            );
            let known = repeated.get(&key).and_then(|at| placed.get_mut(*at));
            match (known, by) {
                (Some(known), by) if signal.is_multiplexer => {
                    merged += usize::from(scale(known.signal) != own_scale);
                    known.values.extend(by.map(|(_, value)| value));
                }
                (Some(known), Some((_, value))) => known.values.push(value),
                _ => {
                    repeated.insert(key, placed.len());
                    placed.push(Placed {
                        signal,
                        multiplexer,
                        values: by.map(|(_, value)| value).into_iter().collect(),
                        needs_ranges: false,
                    });
                }
            }
        }
        let multiplexers = placed.iter().filter(|one| one.signal.is_multiplexer);
        let is_extended = multiplexers.count() > 1 || placed.iter().any(|one| one.values.len() > 1);
        for one in &mut placed {
            one.values.sort_unstable();
            one.values.dedup();
            one.needs_ranges = is_extended;
        }
        Multiplexing {
            signals: placed,
            merged,
        }
    }
}

fn scale(signal: &MatrixSignal) -> Scale<'_> {
    let (factor, offset) = (signal.factor.to_bits(), signal.offset.to_bits());
    let unit = signal.unit.as_str();
    (signal.is_signed, signal.is_float, factor, offset, unit)
}

impl Placed<'_> {
    pub(super) fn indicator(&self) -> MultiplexIndicator {
        match (self.values.first(), self.signal.is_multiplexer) {
            (None, false) => MultiplexIndicator::Plain,
            (None, true) => MultiplexIndicator::Multiplexor,
            (Some(value), false) => MultiplexIndicator::MultiplexedSignal(*value),
            (Some(value), true) => MultiplexIndicator::MultiplexorAndMultiplexedSignal(*value),
        }
    }

    /// Returns the ranges of values, if marks are not enough.
    pub(super) fn extended(
        &self,
        id: MessageId,
        name: &str,
        names: &Identifiers,
    ) -> Option<ExtendedMultiplex> {
        let multiplexer = self.multiplexer.filter(|_| self.needs_ranges)?;
        let mut mappings: Vec<ExtendedMultiplexMapping> = Vec::new();
        for value in &self.values {
            match mappings.last_mut() {
                Some(last) if last.max_value.checked_add(1) == Some(*value) => {
                    last.max_value = *value;
                }
                _ => mappings.push(ExtendedMultiplexMapping {
                    min_value: *value,
                    max_value: *value,
                }),
            }
        }
        Some(ExtendedMultiplex {
            message_id: id,
            signal_name: name.to_owned(),
            multiplexor_signal_name: names.given(multiplexer)?.to_owned(),
            mappings,
        })
    }
}
