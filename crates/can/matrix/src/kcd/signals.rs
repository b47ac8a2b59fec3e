//! Signals of messages: their places, and the meaning of their bits.

use super::{Network, SKIPPED_MAX};
use crate::number::sawtooth;
use crate::text::excerpt;
use crate::xml::Element;
use crate::{ByteOrder, LENGTH_MAX, MatrixSignal, number};

/// Limit on the first bit and on the bits of a signal: those of the longest message.
const BITS_MAX: u64 = 8 * LENGTH_MAX;

impl Network<'_> {
    pub(super) fn signals(&mut self, element: Element, message: &str) -> Vec<MatrixSignal> {
        let document = self.document;
        let mut signals = Vec::new();
        for multiplex in document.children_of(element, "Multiplex") {
            let multiplexer = self.signal(multiplex, message);
            let name = multiplexer.as_ref().map(|signal| signal.name.clone());
            signals.extend(multiplexer.map(|signal| MatrixSignal {
                is_multiplexer: true,
                ..signal
            }));
            for group in document.children_of(multiplex, "MuxGroup") {
                let stated = document.attribute(group, "count").unwrap_or_default();
                let selection = name.as_ref().zip(number::whole(stated));
                let Some((name, count)) = selection else {
                    let reason = match name {
                        Some(_) => format!(
                            "count {} is no value of its multiplexer; write `count=\"...\"`",
                            excerpt(stated)
                        ),
                        None => "its multiplexer is left out".to_owned(),
                    };
                    let what = format!("a MuxGroup of message {}", excerpt(message));
                    self.skip(self.part(group, what, reason));
                    continue;
                };
                for signal in document.children_of(group, "Signal") {
                    let mut signal = self.signal(signal, message);
                    if let Some(signal) = &mut signal {
                        signal.select(name, count);
                    }
                    signals.extend(signal);
                }
            }
        }
        for signal in document.children_of(element, "Signal") {
            signals.extend(self.signal(signal, message));
        }
        signals
    }

    /// Reads a signal; one without a place is left out.
    fn signal(&mut self, element: Element, message: &str) -> Option<MatrixSignal> {
        let name = self.document.attribute(element, "name").unwrap_or_default();
        let what = format!("signal {}.{}", excerpt(message), excerpt(name));
        match self.place(element) {
            Ok((start, length)) => Some(self.scaled(element, &what, (start, length))),
            Err(reason) => {
                self.skip(self.part(element, what, reason));
                None
            }
        }
    }

    /// Returns the first bit, as the file counts, and the length of a signal.
    fn place(&self, element: Element) -> Result<(u32, u32), String> {
        let attribute = |name| self.document.attribute(element, name);
        let bits = |name, default: Option<u32>| {
            let Some(text) = attribute(name) else {
                return default.ok_or_else(|| format!("it has no {name}; write `{name}=\"...\"`"));
            };
            let bits = number::whole(text).filter(|bits| *bits <= BITS_MAX);
            bits.map(|bits| bits as u32).ok_or_else(|| {
                let shown = excerpt(text);
                format!("{name} {shown} is no number of bits from 0 to {BITS_MAX}")
            })
        };
        if attribute("name").is_none_or(str::is_empty) {
            return Err("it has no name; write `name=\"...\"`".to_owned());
        }
        Ok((bits("offset", None)?, bits("length", Some(1))?))
    }

    /// Reads what the bits of a signal mean.
    fn scaled(
        &mut self,
        element: Element,
        what: &str,
        (offset, length): (u32, u32),
    ) -> MatrixSignal {
        let document = self.document;
        let value = document.child(element, "Value");
        let of_value = |name| document.attribute(value?, name);
        let mut odd = Vec::new();
        let mut real = |name, default: f64| {
            let Some(text) = of_value(name) else {
                return default;
            };
            number::real(text).unwrap_or_else(|| {
                odd.push((name, excerpt(text), default.to_string()));
                default
            })
        };
        let (factor, zero) = (real("slope", 1.0), real("intercept", 0.0));
        let mut word = |name, stated: Option<&str>, known: &[&str]| {
            if let Some(text) = stated.filter(|text| !known.contains(text)) {
                odd.push((name, excerpt(text), known[0].to_owned()));
            }
        };
        let order = document.attribute(element, "endianess");
        word("endianess", order, &["little", "big"]);
        let kind = of_value("type");
        word("type", kind, &["unsigned", "signed", "single", "double"]);
        let line = document.line(element);
        for (name, shown, taken) in odd {
            if self.of_signals.len() < SKIPPED_MAX {
                self.of_signals.push(format!(
                    "line {line}: {what}: {name} {shown} cannot be read; {taken} is taken"
                ));
            }
        }
        let is_big = order == Some("big");
        let start = if is_big { sawtooth(offset) } else { offset };
        let name = document.attribute(element, "name").unwrap_or_default();
        MatrixSignal {
            byte_order: match is_big {
                true => ByteOrder::BigEndian,
                false => ByteOrder::LittleEndian,
            },
            is_signed: kind == Some("signed"),
            factor,
            offset: zero,
            is_float: matches!(kind, Some("single" | "double")),
            unit: of_value("unit").unwrap_or_default().to_owned(),
            ..MatrixSignal::new(name.to_owned(), start, length)
        }
    }
}
