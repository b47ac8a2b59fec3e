//! PDUs of frames: which there are, how long they are, and when they are sent.

use waywarden_can_dbc::SendType;
use waywarden_work::Duration;

use super::System;
use crate::xml::Element;
use crate::{Message, number};

/// The deepest nesting of PDUs in each other: secured in a container, multiplexed in secured.
pub(super) const NESTED_MAX: usize = 8;

/// Limit on PDUs that one frame is made of.
const PDUS_MAX: usize = 256;

/// Times of a PDU.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    cycle: Option<Duration>,
    offset: Option<Duration>,
    distance: Option<Duration>,
    is_on_event: bool,
    is_stated: bool,
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
        let mut at = 0;
        while let Some(pdu) = all.get(at).copied() {
            for inner in self.inner(pdu) {
                if all.len() < PDUS_MAX && !all.contains(&inner) {
                    all.push(inner);
                }
            }
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
            "MULTIPLEXED-I-PDU" => self.parts(pdu).into_iter().map(|(part, _)| part).collect(),
            "CONTAINER-I-PDU" => document
                .within(pdu, &["CONTAINED-PDU-TRIGGERING-REFS"])
                .filter_map(|reference| {
                    let triggering = self.paths.resolve(document, reference)?;
                    self.follow(triggering, "I-PDU-REF")
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the static and the dynamic parts of a multiplexed PDU, true for the static ones.
    pub(super) fn parts(&self, pdu: Element) -> Vec<(Element, bool)> {
        let document = self.document;
        let mut parts = Vec::new();
        // AUTOSAR 4 has lists of parts, AUTOSAR 3 one of each kind.
        let containers = ["STATIC-PARTS", "DYNAMIC-PARTS"];
        let listed = document.within(pdu, &containers);
        let own = document
            .children(pdu)
            .filter(|child| matches!(document.name(*child), "STATIC-PART" | "DYNAMIC-PART"));
        for part in own.chain(listed) {
            if document.name(part) == "STATIC-PART" {
                parts.extend(self.follow(part, "I-PDU-REF").map(|pdu| (pdu, true)));
            } else {
                let alternatives = document.within(part, &["DYNAMIC-PART-ALTERNATIVES"]);
                let pdus = alternatives.filter_map(|one| self.follow(one, "I-PDU-REF"));
                parts.extend(pdus.map(|pdu| (pdu, false)));
            }
            if parts.len() > PDUS_MAX {
                break;
            }
        }
        parts
    }

    /// Takes the times of a message from its PDUs: the shortest ones count.
    pub(super) fn set_timing(&self, message: &mut Message, pdus: &[Element]) {
        let times: Vec<Times> = self
            .with_inner(pdus)
            .into_iter()
            .map(|pdu| self.times(pdu))
            .collect();
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
        let specifications = document.children(pdu).filter(|child| {
            let name = document.name(*child);
            name == "I-PDU-TIMING-SPECIFICATIONS" || name == "I-PDU-TIMING-SPECIFICATION"
        });
        for specification in specifications {
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
