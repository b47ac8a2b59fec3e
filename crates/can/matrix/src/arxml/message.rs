//! Messages of frame triggerings.

use waywarden_can::Id;
use waywarden_can_dbc::MessageFormat;

use super::nodes::Nodes;
use super::pdu::{PDUS_MAX, VISITS_MAX};
use super::{ENDS_MAX, System, fd, with_remark};
use crate::text::excerpt;
use crate::xml::Element;
use crate::{LENGTH_MAX, MatrixMessage, MessageKind, SkippedPart, number};

/// The most bytes of a CAN FD frame.
const FD_MAX: usize = 64;

impl System<'_> {
    /// Reads the message of a frame triggering, and returns it with its frame.
    pub(super) fn message(
        &mut self,
        (channel, triggering): (Element, Element),
        is_j1939: bool,
        nodes: &Nodes,
    ) -> Result<(Element, MatrixMessage), SkippedPart> {
        let document = self.document;
        self.visits.begin();
        self.selectors = 0;
        let frame = self.frame(triggering)?;
        let name = self.short_name(frame).or(self.short_name(triggering));
        let name = name.ok_or_else(|| {
            self.left_out(
                frame,
                "neither it nor its triggering has a SHORT-NAME; write one",
            )
        })?;
        let id = self.identifier(triggering, is_j1939)?;
        let mappings = document.within(frame, &["PDU-TO-FRAME-MAPPINGS"]);
        if mappings.take(PDUS_MAX + 1).count() > PDUS_MAX {
            let reason = format!("it has more than {PDUS_MAX} PDUs, which no frame carries");
            return Err(self.left_out(frame, &reason));
        }
        let pdus = self.pdus(frame);
        let length = self.length(frame, &pdus)?;
        let mut message = MatrixMessage::new(name.to_owned(), id, length);
        message.is_j1939 = is_j1939 && id.is_extended();
        // With a secured I-PDU, the ends of its payload are those of the message, too.
        let all: Vec<Element> = self.with_inner(&pdus);
        let ends = nodes.ends(self, (channel, triggering), &all);
        message.senders = ends.senders;
        message.receivers = ends.receivers;
        let switches = nodes.switches_bit_rate(&message.senders);
        message = self.with_format(message, triggering, switches);
        self.set_timing(&mut message, &all);
        if ends.is_cut {
            let remark = format!("has more than {ENDS_MAX} senders or receivers; the rest is cut");
            message = with_remark(message, remark);
        }
        for (pdu, position) in self.mapped(frame) {
            self.add_signals(&mut message, pdu, position, 0);
        }
        if let Some((limit, of)) = self.visits.excess() {
            let reason = format!(
                "its PDUs refer to PDUs within each other more than {limit} times, the limit of \
                 {of}; export the communication of one bus, without PDUs that contain each other"
            );
            return Err(self.left_out(frame, &reason));
        }
        if pdus.is_empty() && document.child(frame, "PDU-TO-FRAME-MAPPINGS").is_some() {
            message = with_remark(message, "its PDU is not in the file");
        }
        if pdus.len() > 1 {
            message = with_remark(
                message,
                format!(
                    "has {} PDUs; the shortest period of them counts",
                    pdus.len()
                ),
            );
        }
        self.set_kind(&mut message, channel, (&pdus, nodes));
        self.name_unprotected(&mut message, &pdus, &all);
        Ok((frame, message))
    }

    fn frame(&self, triggering: Element) -> Result<Element, SkippedPart> {
        let Some(reference) = self.document.child(triggering, "FRAME-REF") else {
            return Err(self.left_out(
                triggering,
                "it has no FRAME-REF; write the path of its frame",
            ));
        };
        let frame = self.paths.resolve(self.document, reference);
        frame.ok_or_else(|| {
            let path = excerpt(self.document.text(reference));
            let reason = format!("its FRAME-REF {path} leads nowhere; export the frames, too");
            self.left_out(triggering, &reason)
        })
    }

    fn identifier(&self, triggering: Element, is_j1939: bool) -> Result<Id, SkippedPart> {
        let Some(text) = self.document.text_at(triggering, &["IDENTIFIER"]) else {
            return Err(self.left_out(
                triggering,
                "it has no IDENTIFIER, as a frame whose identifier is set while driving; write the \
                 one that it has",
            ));
        };
        let raw = number::autosar(text).and_then(|raw| u32::try_from(raw).ok());
        let mode = self.document.text_at(triggering, &["CAN-ADDRESSING-MODE"]);
        let id = raw.and_then(|raw| match (mode, is_j1939) {
            (Some("EXTENDED"), _) | (None, true) => Id::extended(raw).ok(),
            _ => u16::try_from(raw)
                .ok()
                .and_then(|raw| Id::standard(raw).ok()),
        });
        id.ok_or_else(|| {
            let reason = format!(
                "its IDENTIFIER {} is none of CAN-ADDRESSING-MODE {}: 11 bits are 0 to 2047, 29 \
                 bits (EXTENDED) 0 to 536870911",
                excerpt(text),
                mode.map_or_else(|| "STANDARD".to_owned(), excerpt)
            );
            self.left_out(triggering, &reason)
        })
    }

    /// Returns the length of a frame, or that of its PDU where the frame has none.
    fn length(&self, frame: Element, pdus: &[Element]) -> Result<usize, SkippedPart> {
        let of_pdus = || pdus.iter().filter_map(|pdu| self.pdu_length(*pdu)).max();
        let length = match self.document.text_at(frame, &["FRAME-LENGTH"]) {
            Some(text) => number::autosar(text).ok_or_else(|| {
                let reason = format!(
                    "its FRAME-LENGTH {} is no number; write its bytes",
                    excerpt(text)
                );
                self.left_out(frame, &reason)
            })?,
            None => of_pdus().ok_or_else(|| {
                self.left_out(
                    frame,
                    "neither it nor its PDU has a length; write FRAME-LENGTH",
                )
            })?,
        };
        if length > LENGTH_MAX {
            let reason = format!(
                "{length} bytes cannot be sent; 64 fit a CAN FD frame, {LENGTH_MAX} a J1939 \
                 transfer"
            );
            return Err(self.left_out(frame, &reason));
        }
        Ok(length as usize)
    }

    fn with_format(
        &self,
        mut message: MatrixMessage,
        triggering: Element,
        bit_rate_switch: bool,
    ) -> MatrixMessage {
        let behaviour = |name| self.document.text_at(triggering, &[name]);
        let is = |name, value: &str| behaviour(name) == Some(value);
        let says_fd = is("CAN-FRAME-TX-BEHAVIOR", "CAN-FD")
            || is("CAN-FRAME-RX-BEHAVIOR", "CAN-FD")
            || is("CAN-FD-FRAME-SUPPORT", "true");
        let says_classic = is("CAN-FRAME-TX-BEHAVIOR", "CAN-20");
        let fits = message.length <= FD_MAX;
        if says_fd && fits {
            message.format = fd(true, bit_rate_switch);
        } else if message.length > 8 && fits && !message.is_j1939 && !says_classic {
            let remark = format!(
                "{} bytes fit no classic frame: it is taken as CAN FD, which the file does not say",
                message.length
            );
            message.format = fd(true, bit_rate_switch);
            message.remarks.push(remark);
        } else if says_fd {
            message.format = MessageFormat::Classic;
        }
        message
    }

    /// Notes what the message carries besides an application's signals.
    fn set_kind(
        &mut self,
        message: &mut MatrixMessage,
        channel: Element,
        (pdus, nodes): (&[Element], &Nodes),
    ) {
        for pdu in pdus {
            let name = self.document.name(*pdu);
            match name {
                "NM-PDU" => message.kind = MessageKind::NetworkManagement,
                "N-PDU" | "CAN-TP-N-PDU" => message.kind = MessageKind::Transport,
                "SECURED-I-PDU" => self.set_protection(message, (channel, *pdu), nodes),
                "CONTAINER-I-PDU" => {
                    let contained = self
                        .document
                        .within(*pdu, &["CONTAINED-PDU-TRIGGERING-REFS"])
                        .take(VISITS_MAX)
                        .count();
                    message.remarks.push(format!(
                        "is a container of {contained} PDUs, which are not told apart"
                    ));
                }
                _ => {}
            }
            if self.follow(*pdu, "PAYLOAD-REF").is_none() && name == "SECURED-I-PDU" {
                message.remarks.push(
                    "its secured I-PDU has no PAYLOAD-REF that leads to a PDU: it is taken as not \
                     protected"
                        .to_owned(),
                );
            }
        }
    }

    /// Names the secured I-PDUs within the message's PDUs, and those beside the first one.
    fn name_unprotected(&mut self, message: &mut MatrixMessage, pdus: &[Element], all: &[Element]) {
        const SHOWN_MAX: usize = 5;
        let is_secured = |pdu: &&Element| {
            self.document.name(**pdu) == "SECURED-I-PDU" && !self.is_cryptographic(**pdu)
        };
        let own = pdus.iter().filter(is_secured);
        let carried = own.clone().find(|pdu| self.payload(**pdu).is_some());
        let rest = own.filter(|pdu| Some(*pdu) != carried);
        let inner = all.get(pdus.len()..).unwrap_or_default();
        let lost: Vec<Element> = rest
            .chain(inner.iter().filter(is_secured))
            .copied()
            .collect();
        let Some(first) = lost.first() else {
            return;
        };
        let names: Vec<String> = lost
            .iter()
            .take(SHOWN_MAX)
            .map(|pdu| excerpt(self.short_name(*pdu).unwrap_or_default()))
            .collect();
        let more = if lost.len() > SHOWN_MAX { ", ..." } else { "" };
        let carried = match carried {
            Some(pdu) => format!(
                "that of {} alone is carried over",
                excerpt(self.short_name(*pdu).unwrap_or_default())
            ),
            None => "it is taken as not protected".to_owned(),
        };
        message.remarks.push(format!(
            "the SecOC of {} of its secured I-PDUs is not carried over ({}{more}), for a vehicle \
             file has one code for a message: {carried}",
            lost.len(),
            names.join(", "),
        ));
        self.unprotected.1.get_or_insert(*first);
        self.unprotected.0 += lost.len();
    }

    /// Returns the reason why a part is left out.
    pub(super) fn left_out(&self, element: Element, reason: &str) -> SkippedPart {
        SkippedPart {
            what: self.place(element),
            line: Some(self.document.line(element)),
            reason: reason.to_owned(),
            may_be_extended: false,
        }
    }
}
