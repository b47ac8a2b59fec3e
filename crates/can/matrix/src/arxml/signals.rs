//! Signals of PDUs: place, length and conversion.

use super::pdu::NESTED_MAX;
use super::{SIGNALS_MAX as FILE_SIGNALS_MAX, System};
use crate::text::excerpt;
use crate::xml::Element;
use crate::{ByteOrder, LENGTH_MAX, MatrixMessage, MatrixSignal, number};

/// Limit on signals of one message: the bits of the longest one.
const SIGNALS_MAX: usize = 16_384;

/// Limit on the first bit and on the bits of a signal: those of the longest message.
const BITS_MAX: u64 = 8 * LENGTH_MAX;

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
        message: &mut MatrixMessage,
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
                for mapping in document.within(pdu, &MAPPINGS) {
                    if message.signals.len() >= SIGNALS_MAX || self.signals_left == 0 {
                        message.remarks.push(format!(
                            "has more signals than are read ({SIGNALS_MAX} of a message, \
                             {FILE_SIGNALS_MAX} of a file); the rest is left out"
                        ));
                        break;
                    }
                    match self.signal(mapping, position) {
                        Ok(signal) => message.signals.extend(signal),
                        Err(reason) => {
                            let line = document.line(mapping);
                            message
                                .remarks
                                .push(format!("line {line}: a signal is left out: {reason}"));
                        }
                    }
                    self.signals_left -= 1;
                }
            }
        }
    }

    /// Adds the selector of a multiplexed PDU, and the signals of its parts, in each of which the
    /// selector is again.
    fn add_multiplexed(
        &mut self,
        message: &mut MatrixMessage,
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
        self.selectors += 1;
        let number = self.selectors;
        let selector = start.zip(length).and_then(|(start, length)| {
            let name = format!("{}_selector{number}", message.name);
            let start = bits(start.checked_add(position)?)?;
            Some(MatrixSignal {
                byte_order: byte_order(order),
                is_multiplexer: true,
                ..MatrixSignal::new(name, start, bits(length)?)
            })
        });
        let own = selector.as_ref().map(|one| (one.name.clone(), one.start));
        message.signals.extend(selector);
        for part in self.parts(pdu) {
            let before = message.signals.len();
            self.add_signals(message, part.pdu, position, depth + 1);
            if part.is_static {
                continue;
            }
            let mut signals = message.signals.split_off(before);
            if let Some((name, start)) = &own {
                signals.retain(|signal| signal.start != *start);
                for signal in &mut signals {
                    if let Some(code) = part.code {
                        signal.select(name, code);
                    }
                }
            }
            message.signals.extend(signals);
        }
    }

    /// Reads a signal; none of a group of signals, whose signals are listed besides.
    fn signal(&self, mapping: Element, position: u64) -> Result<Option<MatrixSignal>, String> {
        let document = self.document;
        let own = self
            .follow(mapping, "I-SIGNAL-REF")
            .or_else(|| self.follow(mapping, "SIGNAL-REF"));
        let Some(own) = own else {
            return Ok(None);
        };
        let system = self.follow(own, "SYSTEM-SIGNAL-REF");
        if system.is_some_and(|system| document.name(system) != "SYSTEM-SIGNAL") {
            return Ok(None);
        }
        let name = self
            .short_name(own)
            .ok_or("it has no SHORT-NAME")?
            .to_owned();
        let odd = |what: &str| {
            let name = excerpt(&name);
            format!("{what} of {name} is missing, or no number of bits up to {BITS_MAX}")
        };
        let start = self
            .whole(mapping, &["START-POSITION"])
            .and_then(|start| bits(start.checked_add(position)?))
            .ok_or_else(|| odd("START-POSITION"))?;
        let length = self
            .whole(own, &["LENGTH"])
            .or_else(|| self.whole(system?, &["LENGTH"]))
            .and_then(bits)
            .ok_or_else(|| odd("LENGTH"))?;
        let order = document.text_at(mapping, &["PACKING-BYTE-ORDER"]);
        let (factor, offset) = self.conversion(own, system).unwrap_or((1.0, 0.0));
        let encoding = self.encoding(own);
        Ok(Some(MatrixSignal {
            byte_order: byte_order(order.unwrap_or_default()),
            is_signed: matches!(encoding, Some("2C" | "1C" | "SM")),
            is_float: encoding == Some("IEEE754"),
            factor,
            offset,
            unit: self.unit(own, system).unwrap_or_default().to_owned(),
            ..MatrixSignal::new(name, start, length)
        }))
    }

    /// Returns the encoding of a signal's base type.
    fn encoding(&self, signal: Element) -> Option<&str> {
        let base = self
            .properties(signal, "NETWORK-REPRESENTATION-PROPS")
            .and_then(|properties| self.follow(properties, "BASE-TYPE-REF"));
        self.document.text_at(base?, &["BASE-TYPE-ENCODING"])
    }

    /// Returns the unit of a signal: of its properties, or of its conversion.
    fn unit(&self, own: Element, system: Option<Element>) -> Option<&str> {
        let of_properties = |element: Element, name: &str| {
            let properties = self.properties(element, name)?;
            self.follow(properties, "UNIT-REF")
        };
        let of_method = || self.follow(self.method(own, system)?, "UNIT-REF");
        let unit = system
            .and_then(|system| of_properties(system, "PHYSICAL-PROPS"))
            .or_else(|| of_properties(own, "NETWORK-REPRESENTATION-PROPS"))
            .or_else(of_method)?;
        self.document.text_at(unit, &["DISPLAY-NAME"])
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

    /// Returns the conversion of a signal: of the system signal, of its type in AUTOSAR 3, or of
    /// its representation on the bus.
    fn method(&self, own: Element, system: Option<Element>) -> Option<Element> {
        let of = |element: Element, name: &str| {
            let properties = self.properties(element, name)?;
            self.follow(properties, "COMPU-METHOD-REF")
        };
        let of_type = |system: Element| {
            let data_type = self.follow(system, "DATA-TYPE-REF")?;
            of(data_type, "SW-DATA-DEF-PROPS")
        };
        system
            .and_then(|system| of(system, "PHYSICAL-PROPS"))
            .or_else(|| system.and_then(of_type))
            .or_else(|| of(own, "NETWORK-REPRESENTATION-PROPS"))
    }

    /// Returns factor and offset of a signal.
    fn conversion(&self, own: Element, system: Option<Element>) -> Option<(f64, f64)> {
        let method = self.method(own, system)?;
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
    u32::try_from(number).ok().filter(|_| number <= BITS_MAX)
}

fn byte_order(word: &str) -> ByteOrder {
    match word {
        "MOST-SIGNIFICANT-BYTE-FIRST" => ByteOrder::BigEndian,
        _ => ByteOrder::LittleEndian,
    }
}
