//! Signals of PDUs: place, length and conversion.

use super::System;
use super::pdu::NESTED_MAX;
use crate::xml::Element;
use crate::{ByteOrder, Message, Signal, number};

/// Limit on signals of one message: the bits of the longest one.
const SIGNALS_MAX: usize = 16_384;

/// The lists of signals of PDUs, in AUTOSAR 3 and 4.
const MAPPINGS: [&str; 3] = [
    "I-SIGNAL-TO-PDU-MAPPINGS",
    "I-SIGNAL-TO-I-PDU-MAPPINGS",
    "SIGNAL-TO-PDU-MAPPINGS",
];

impl System<'_> {
    /// Adds the signals of a PDU that begins at a bit of the message.
    pub(super) fn add_signals(
        &mut self,
        message: &mut Message,
        pdu: Element,
        position: u64,
        depth: usize,
    ) {
        if depth > NESTED_MAX || message.signals.len() >= SIGNALS_MAX {
            return;
        }
        match self.document.name(pdu) {
            "SECURED-I-PDU" if !self.is_cryptographic(pdu) => {
                if let Some(payload) = self.payload(pdu) {
                    self.add_signals(message, payload, position, depth + 1);
                }
            }
            "MULTIPLEXED-I-PDU" => self.add_multiplexed(message, pdu, position, depth),
            _ => {
                let document = self.document;
                let most = SIGNALS_MAX.min(self.signals_left);
                for mapping in document.within(pdu, &MAPPINGS).take(most) {
                    message.signals.extend(self.signal(mapping, position));
                    self.signals_left -= 1;
                }
            }
        }
    }

    /// Adds the selector of a multiplexed PDU, and the signals of its parts, in each of which the
    /// selector is again.
    fn add_multiplexed(
        &mut self,
        message: &mut Message,
        pdu: Element,
        position: u64,
        depth: usize,
    ) {
        let start = self.whole(pdu, &["SELECTOR-FIELD-START-POSITION"]);
        let length = self.whole(pdu, &["SELECTOR-FIELD-LENGTH"]);
        let order = self
            .document
            .text_at(pdu, &["SELECTOR-FIELD-BYTE-ORDER"])
            .unwrap_or_default();
        // Numbered as cantools numbers them.
        let before = message.signals.iter();
        let number = 1 + before.filter(|one| one.name.contains("_selector")).count();
        let selector = start.zip(length).and_then(|(start, length)| {
            Some(Signal {
                name: format!("{}_selector{number}", message.name),
                start: bits(start.checked_add(position)?)?,
                length: bits(length)?,
                byte_order: byte_order(order),
                is_signed: false,
                factor: 1.0,
                offset: 0.0,
            })
        });
        let at = selector.as_ref().map(|one| one.start);
        message.signals.extend(selector);
        for (part, is_static) in self.parts(pdu) {
            let before = message.signals.len();
            self.add_signals(message, part, position, depth + 1);
            if !is_static {
                let own = message.signals.split_off(before);
                let own = own.into_iter().filter(|signal| Some(signal.start) != at);
                message.signals.extend(own);
            }
        }
    }

    /// Reads a signal; none of a group of signals, whose signals are listed besides.
    fn signal(&self, mapping: Element, position: u64) -> Option<Signal> {
        let document = self.document;
        let own = self
            .follow(mapping, "I-SIGNAL-REF")
            .or_else(|| self.follow(mapping, "SIGNAL-REF"))?;
        let system = self.follow(own, "SYSTEM-SIGNAL-REF");
        if system.is_some_and(|system| document.name(system) != "SYSTEM-SIGNAL") {
            return None;
        }
        let start = self.whole(mapping, &["START-POSITION"])?;
        let length = self
            .whole(own, &["LENGTH"])
            .or_else(|| self.whole(system?, &["LENGTH"]))?;
        let order = document.text_at(mapping, &["PACKING-BYTE-ORDER"]);
        let (factor, offset) = self.conversion(own, system).unwrap_or((1.0, 0.0));
        Some(Signal {
            name: self.short_name(own)?.to_owned(),
            start: bits(start.checked_add(position)?)?,
            length: bits(length)?,
            byte_order: byte_order(order.unwrap_or_default()),
            is_signed: self.is_signed(own),
            factor,
            offset,
        })
    }

    fn is_signed(&self, signal: Element) -> bool {
        let base = self
            .properties(signal, "NETWORK-REPRESENTATION-PROPS")
            .and_then(|properties| self.follow(properties, "BASE-TYPE-REF"));
        let encoding = base.and_then(|base| self.document.text_at(base, &["BASE-TYPE-ENCODING"]));
        matches!(encoding, Some("2C" | "1C" | "SM"))
    }

    /// Returns the properties of data, behind the variants that AUTOSAR 4 has.
    fn properties(&self, element: Element, name: &str) -> Option<Element> {
        let properties = self.document.child(element, name)?;
        let path = [
            "SW-DATA-DEF-PROPS-VARIANTS",
            "SW-DATA-DEF-PROPS-CONDITIONAL",
        ];
        let inner = self.document.descendant(properties, &path);
        Some(inner.unwrap_or(properties))
    }

    /// Returns factor and offset of a signal: of the system signal, of its type in AUTOSAR 3, or of
    /// its representation on the bus.
    fn conversion(&self, own: Element, system: Option<Element>) -> Option<(f64, f64)> {
        let of = |element: Element, name: &str| {
            let properties = self.properties(element, name)?;
            self.follow(properties, "COMPU-METHOD-REF")
        };
        let of_type = |system: Element| {
            let data_type = self.follow(system, "DATA-TYPE-REF")?;
            of(data_type, "SW-DATA-DEF-PROPS")
        };
        let method = system
            .and_then(|system| of(system, "PHYSICAL-PROPS"))
            .or_else(|| system.and_then(of_type))
            .or_else(|| of(own, "NETWORK-REPRESENTATION-PROPS"))?;
        let scales = ["COMPU-INTERNAL-TO-PHYS", "COMPU-SCALES"];
        let scales = self.document.descendant(method, &scales)?;
        let mut scales = self.document.children(scales);
        scales.find_map(|scale| self.rational(scale))
    }

    /// Returns factor and offset of a linear scale.
    fn rational(&self, scale: Element) -> Option<(f64, f64)> {
        let document = self.document;
        let coefficients = document.child(scale, "COMPU-RATIONAL-COEFFS")?;
        let values = |name: &str| {
            let list = document.child(coefficients, name)?;
            let values = document.children_of(list, "V");
            Some(
                values
                    .filter_map(|one| number::real(document.text(one)))
                    .collect::<Vec<_>>(),
            )
        };
        let numerator = values("COMPU-NUMERATOR")?;
        let denominator = values("COMPU-DENOMINATOR")?;
        let divisor = denominator.first().copied().filter(|value| *value != 0.0)?;
        let factor = numerator.get(1).copied().unwrap_or(0.0);
        Some((factor / divisor, numerator.first()? / divisor))
    }
}

fn bits(number: u64) -> Option<u32> {
    u32::try_from(number).ok()
}

fn byte_order(word: &str) -> ByteOrder {
    match word {
        "MOST-SIGNIFICANT-BYTE-FIRST" => ByteOrder::BigEndian,
        _ => ByteOrder::LittleEndian,
    }
}
