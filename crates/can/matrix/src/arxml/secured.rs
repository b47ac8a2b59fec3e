//! Secured I-PDUs of SecOC.

use waywarden_can::Id;

use super::System;
use super::nodes::Nodes;
use crate::xml::Element;
use crate::{AuthenticatorPlace, MatrixMessage, MessageKind, SecuredPdu};

impl System<'_> {
    /// Returns true for a secured I-PDU that carries freshness and authenticator only, while the
    /// authentic I-PDU has a frame of its own.
    pub(super) fn is_cryptographic(&self, secured: Element) -> bool {
        let path = ["USE-AS-CRYPTOGRAPHIC-I-PDU"];
        self.document.text_at(secured, &path) == Some("true")
    }

    /// Gives a message the protection of its secured I-PDU. That of a cryptographic I-PDU is for
    /// the message of the authentic I-PDU, which may not be read yet.
    pub(super) fn set_protection(
        &mut self,
        message: &mut MatrixMessage,
        (channel, secured): (Element, Element),
        nodes: &Nodes,
    ) {
        let Some(payload) = self.payload(secured) else {
            return;
        };
        let mut own = self.secured(secured, payload, message);
        if !self.is_cryptographic(secured) {
            // Of several the first one counts; the others are named.
            message.protection.get_or_insert(own);
            return;
        }
        if message.kind == MessageKind::Cryptographic {
            message.remarks.push(
                "has a second cryptographic I-PDU, whose protection is not carried over: a vehicle \
                 file has one in a frame"
                    .to_owned(),
            );
            return;
        }
        message.kind = MessageKind::Cryptographic;
        own.carrier = AuthenticatorPlace::Separate {
            id: message.id,
            link_bits: self
                .whole(
                    secured,
                    &["SECURE-COMMUNICATION-PROPS", "MESSAGE-LINK-LENGTH"],
                )
                .unwrap_or(0),
        };
        match nodes.frame_with(channel, payload) {
            Some(frame) => self.links.push((frame, own)),
            None => message.remarks.push(
                "is a cryptographic I-PDU of no frame of this bus; what it protects is not found"
                    .to_owned(),
            ),
        }
    }

    fn secured(&self, secured: Element, payload: Element, message: &MatrixMessage) -> SecuredPdu {
        let document = self.document;
        let authentication = self.follow(secured, "AUTHENTICATION-PROPS-REF");
        let freshness = self.follow(secured, "FRESHNESS-PROPS-REF");
        let props = document.child(secured, "SECURE-COMMUNICATION-PROPS");
        // Revision 4.2 has all of it in the properties of the PDU.
        let of = |element: Option<Element>, name: &str| {
            let own = element.and_then(|element| self.whole(element, &[name]));
            own.or(props.and_then(|props| self.whole(props, &[name])))
        };
        let freshness_tx_bits = of(freshness, "FRESHNESS-VALUE-TX-LENGTH")
            .or_else(|| of(freshness, "FRESHNESS-VALUE-TRUNC-LENGTH"));
        let authenticator_bits = of(authentication, "AUTH-INFO-TX-LENGTH")
            .or_else(|| of(authentication, "AUTH-INFO-TRUNC-LENGTH"));
        let trailer = freshness_tx_bits.unwrap_or(0) + authenticator_bits.unwrap_or(0);
        let rest = message
            .length
            .saturating_sub(usize::try_from(trailer.div_ceil(8)).unwrap_or(usize::MAX));
        let area = of(None, "SECURED-AREA-LENGTH")
            .map(|length| (of(None, "SECURED-AREA-OFFSET").unwrap_or(0), length));
        let algorithm = authentication.and_then(|element| {
            let named = document.text_at(element, &["AUTH-ALGORITHM"]);
            let named = named.filter(|name| !name.is_empty());
            named.or(self.short_name(element))
        });
        let header = document.text_at(secured, &["USE-SECURED-PDU-HEADER"]);
        SecuredPdu {
            payload_length: self
                .pdu_length(payload)
                .and_then(|length| usize::try_from(length).ok())
                .unwrap_or(rest),
            data_id: of(None, "DATA-ID"),
            freshness_bits: of(freshness, "FRESHNESS-VALUE-LENGTH"),
            freshness_tx_bits,
            freshness_value_id: of(None, "FRESHNESS-VALUE-ID"),
            authenticator_bits,
            algorithm: algorithm.map(str::to_owned),
            freshness: freshness
                .and_then(|element| self.short_name(element))
                .map(str::to_owned),
            attempts: of(None, "AUTHENTICATION-RETRIES").map(|retries| retries.saturating_add(1)),
            area,
            carrier: AuthenticatorPlace::Trailer,
            has_header: header.is_some_and(|header| header != "NO-HEADER"),
        }
    }
}

impl AuthenticatorPlace {
    /// Returns the identifier of the cryptographic I-PDU's frame, if there is one.
    #[must_use]
    pub const fn separate_id(&self) -> Option<Id> {
        match self {
            AuthenticatorPlace::Trailer => None,
            AuthenticatorPlace::Separate { id, .. } => Some(*id),
        }
    }
}
