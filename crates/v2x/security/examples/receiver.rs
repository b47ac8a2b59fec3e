//! A receiver without the standard library: trusts one root, knows one authority, and verifies the
//! messages that a driver hands it. What it needs of its machine is an allocator, a clock and a
//! place; what it gives is the payload, or which check failed. `cargo xtask no-std` links this file
//! as it stands.
#![no_std]

use waywarden_v2x_security::{Capacity, ReceptionContext, Refusal, Verifier};
use waywarden_v2x_wire::detect::detect;
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Psid, Time64, TwoDLocation};

/// Number of senders known at a time.
const SENDERS: usize = 256;
/// Number of messages remembered against replay.
const MESSAGES: usize = 4_096;

/// A receiver of one application.
pub struct Receiver {
    verifier: Verifier,
    psid: Psid,
}

impl Receiver {
    /// Makes a receiver from the certificates of a root and of an authority under it.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn new(root: &[u8], authority: &[u8], psid: Psid) -> Result<Self, Refusal> {
        let mut verifier = Verifier::new(Capacity {
            certificates: SENDERS,
            messages: MESSAGES,
            ..Capacity::DEFAULT
        });
        verifier.add_trust_anchor(root)?;
        verifier.add_certificate(authority)?;
        Ok(Self { verifier, psid })
    }

    /// Takes a packet that came at this time and place. Returns the payload if it is authentic;
    /// nothing if the payload has another form.
    ///
    /// # Errors
    /// Which check failed.
    pub fn packet<'p>(
        &mut self,
        packet: &'p [u8],
        (now, place): (Time64, TwoDLocation),
    ) -> Result<Option<&'p [u8]>, Refusal> {
        // In a WAVE short message, in a GeoNetworking packet, or by itself.
        let spdu = detect(packet).map_or(packet, |found| found.spdu);
        let context = ReceptionContext {
            place: Some(place),
            psid: Some(self.psid),
            ..ReceptionContext::at(now)
        };
        let accepted = self.verifier.verify(spdu, &context)?;
        let Some(inner) = &accepted.data.tbs_data.payload.data else {
            return Ok(None);
        };
        Ok(match inner.view()?.content {
            Ieee1609Dot2Content::Unsecured(payload) => Some(payload),
            _ => None,
        })
    }
}
