//! PDUs of frames: which there are, how long they are, and when they are sent.

use std::cell::Cell;
use std::collections::HashSet;

use waywarden_can_dbc::SendType;
use waywarden_work::Duration;

use super::System;
use crate::xml::Element;
use crate::{MatrixMessage, number};

/// The deepest nesting of PDUs in each other: secured in a container, multiplexed in secured.
pub(super) const NESTED_MAX: usize = 8;

/// Limit on PDUs that are mapped into one frame.
pub(super) const PDUS_MAX: usize = 256;

/// Limit on the references to PDUs within PDUs that are followed for one message: as many as the
/// longest one has bits.
pub(super) const VISITS_MAX: usize = 16_384;

/// The same for all messages of a file.
pub(super) const FILE_VISITS_MAX: usize = 4_000_000;

/// References to PDUs that are followed. PDUs in each other multiply: eight levels of sixty
/// references each are 60^8.
#[derive(Clone, Debug)]
pub(super) struct Visits {
    of_message: Cell<usize>,
    of_file: Cell<usize>,
}

impl Visits {
    pub(super) const fn new() -> Self {
        Visits {
            of_message: Cell::new(0),
            of_file: Cell::new(0),
        }
    }

    /// Begins another message.
    pub(super) fn begin(&self) {
        self.of_message.set(0);
    }

    /// Counts a reference; returns false once there are too many.
    fn count(&self) -> bool {
        self.of_message.set(self.of_message.get() + 1);
        self.of_file.set(self.of_file.get() + 1);
        self.excess().is_none()
    }

    /// Returns the limit that is exceeded, and its owner.
    pub(super) fn excess(&self) -> Option<(usize, &'static str)> {
        match (self.of_message.get(), self.of_file.get()) {
            (VISITS_MAX.., _) => Some((VISITS_MAX, "a message")),
            (1.., FILE_VISITS_MAX..) => Some((FILE_VISITS_MAX, "a file")),
            _ => None,
        }
    }
}

/// Times of a PDU.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    cycle: Option<Duration>,
    offset: Option<Duration>,
    distance: Option<Duration>,
    is_on_event: bool,
    is_stated: bool,
}

/// A part of a multiplexed PDU.
pub(super) struct Part {
    pub(super) pdu: Element,
    pub(super) is_static: bool,
    /// The selector's value with which the message has it.
    pub(super) code: Option<u64>,
}

impl System<'_> {
    /// Returns the PDUs of a frame with their first bits.
    pub(super) fn mapped(&self, frame: Element) -> Vec<(Element, u64)> {
        let mappings = self.document.within(frame, &["PDU-TO-FRAME-MAPPINGS"]);
        mappings
            .take(PDUS_MAX)
            .filter_map(|mapping| {
                let pdu = self.follow(mapping, "PDU-REF")?;
                let position = self.whole(mapping, &["START-POSITION"]).unwrap_or(0);
                // A PDU begins with a byte, whose first or, in Motorola's order, last bit is named.
                Some((pdu, position - position % 8))
            })
            .collect()
    }

    pub(super) fn pdus(&self, frame: Element) -> Vec<Element> {
        self.mapped(frame).into_iter().map(|(pdu, _)| pdu).collect()
    }

    /// Returns the length of a PDU in bytes; AUTOSAR 3 states bits.
    pub(super) fn pdu_length(&self, pdu: Element) -> Option<u64> {
        let length = self.whole(pdu, &["LENGTH"])?;
        let is_in_bits = self
            .document
            .root()
            .is_some_and(|root| self.document.child(root, "TOP-LEVEL-PACKAGES").is_some());
        Some(if is_in_bits {
            length.div_ceil(8)
        } else {
            length
        })
    }

    /// Returns the PDU that a secured I-PDU protects.
    pub(super) fn payload(&self, secured: Element) -> Option<Element> {
        let payload = self.follow(secured, "PAYLOAD-REF")?;
        match self.document.child(payload, "I-PDU-REF") {
            Some(reference) => self.paths.resolve(self.document, reference),
            None => Some(payload),
        }
    }

    /// Returns PDUs together with those that they are made of.
    pub(super) fn with_inner(&self, pdus: &[Element]) -> Vec<Element> {
        let mut all: Vec<Element> = pdus.to_vec();
        let mut known: HashSet<Element> = pdus.iter().copied().collect();
        let mut at = 0;
        while let Some(pdu) = all.get(at).copied() {
            let inner = self.inner(pdu).into_iter();
            all.extend(inner.filter(|one| known.insert(*one)));
            at += 1;
        }
        all
    }

    /// Returns the PDUs that a PDU is made of.
    fn inner(&self, pdu: Element) -> Vec<Element> {
        let document = self.document;
        match document.name(pdu) {
            // A PDU in a frame of its own is no part of this one.
            "SECURED-I-PDU" if !self.is_cryptographic(pdu) => {
                self.payload(pdu).into_iter().collect()
            }
            "MULTIPLEXED-I-PDU" => self.parts(pdu).into_iter().map(|part| part.pdu).collect(),
            "CONTAINER-I-PDU" => document
                .within(pdu, &["CONTAINED-PDU-TRIGGERING-REFS"])
                .take_while(|_| self.visits.count())
                .filter_map(|reference| {
                    let triggering = self.paths.resolve(document, reference)?;
                    self.follow(triggering, "I-PDU-REF")
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the static and the dynamic parts of a multiplexed PDU.
    pub(super) fn parts(&self, pdu: Element) -> Vec<Part> {
        let document = self.document;
        let mut parts = Vec::new();
        // AUTOSAR 4 has lists of parts, AUTOSAR 3 one of each kind.
        let own = ["STATIC-PART", "DYNAMIC-PART"];
        let own = own.iter().flat_map(|name| document.children_of(pdu, name));
        let listed = document.within(pdu, &["STATIC-PARTS", "DYNAMIC-PARTS"]);
        for part in own.chain(listed) {
            let alternatives: Vec<Element> = match document.name(part) {
                "STATIC-PART" => vec![part],
                _ => document
                    .within(part, &["DYNAMIC-PART-ALTERNATIVES"])
                    .collect(),
            };
            let is_static = document.name(part) == "STATIC-PART";
            for alternative in alternatives {
                if !self.visits.count() {
                    return parts;
                }
                let code = self.whole(alternative, &["SELECTOR-FIELD-CODE"]);
                let pdu = self.follow(alternative, "I-PDU-REF");
                parts.extend(pdu.map(|pdu| Part {
                    pdu,
                    is_static,
                    code: code.filter(|_| !is_static),
                }));
            }
        }
        parts
    }

    /// Takes the times of a message from its PDUs and those in them: the shortest ones count.
    pub(super) fn set_timing(&self, message: &mut MatrixMessage, all: &[Element]) {
        let times: Vec<Times> = all.iter().map(|pdu| self.times(*pdu)).collect();
        message.cycle_time = times.iter().filter_map(|one| one.cycle).min();
        message.start_delay = times.iter().filter_map(|one| one.offset).min();
        message.minimum_distance = times.iter().filter_map(|one| one.distance).min();
        let is_on_event = times.iter().any(|one| one.is_on_event);
        message.send_type = match (message.cycle_time.is_some(), is_on_event) {
            (true, true) => SendType::CyclicAndEvent,
            (true, false) => SendType::Cyclic,
            (false, true) => SendType::Event,
            (false, false) if times.iter().any(|one| one.is_stated) => SendType::Unstated,
            (false, false) => SendType::Cyclic,
        };
        if message.send_type == SendType::CyclicAndEvent {
            message.remarks.push(
                "is sent on events, too, which no period says (EVENT-CONTROLLED-TIMING)".to_owned(),
            );
        }
    }

    fn times(&self, pdu: Element) -> Times {
        let document = self.document;
        let mut times = Times::default();
        let specifications = ["I-PDU-TIMING-SPECIFICATIONS", "I-PDU-TIMING-SPECIFICATION"];
        let specifications = specifications.iter();
        for specification in specifications.flat_map(|name| document.children_of(pdu, name)) {
            times.is_stated = true;
            // AUTOSAR 4 has a timing within, AUTOSAR 3 none.
            let inner = document.child(specification, "I-PDU-TIMING");
            let timing = inner.unwrap_or(specification);
            let own = [
                "TRANSMISSION-MODE-DECLARATION",
                "TRANSMISSION-MODE-TRUE-TIMING",
            ];
            let mode = document.descendant(timing, &own).unwrap_or(timing);
            let cyclic = document.child(mode, "CYCLIC-TIMING");
            let time = |path: &[&str]| {
                let text = document.text_at(cyclic?, path)?;
                number::real(text)
            };
            let cycle = time(&["TIME-PERIOD", "VALUE"]).or(time(&["REPEATING-TIME", "VALUE"]));
            let offset = time(&["TIME-OFFSET", "VALUE"]).or(time(&["STARTING-TIME", "VALUE"]));
            times.cycle = cycle.and_then(number::seconds);
            times.offset = offset.and_then(|offset| match offset == 0.0 {
                true => Some(Duration::ZERO),
                false => number::seconds(offset),
            });
            let is_on_event = document.child(mode, "EVENT-CONTROLLED-TIMING").is_some();
            times.is_on_event |= is_on_event;
            let delay = document.text_at(timing, &["MINIMUM-DELAY"]);
            times.distance = delay.and_then(number::real).and_then(number::seconds);
        }
        times
    }
}
