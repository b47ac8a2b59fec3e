//! A frame that some receivers see otherwise: the effect of a Janus frame.
//!
//! A Janus attacker changes the level inside each bit, so that controllers which sample late read
//! other bits than those which sample early. Which ECUs those are the vehicle file states outright;
//! `can_sim::interferer::Janus` derives it from sample points.

use waywarden_can::bits::{FdVariant, WireBits, expand};
use waywarden_can::{FdFlags, Format, Frame, Id};
use waywarden_can_sim::bitwise::{BitMoment, Force, Strikes};
use waywarden_can_sim::interferer::{Interferer, InterfererError, Onset, Surroundings};

/// Shows deceived receivers another payload under the same identifier.
pub(super) struct TwoFaces {
    id: Id,
    data: Vec<u8>,
    deceived: Vec<String>,
    parties: Vec<usize>,
    variant: FdVariant,
    /// The bits as sent and as the deceived see them, for the frame at hand.
    faces: Option<(WireBits, WireBits)>,
}

impl TwoFaces {
    pub(super) fn new(id: Id, data: Vec<u8>, deceived: Vec<String>) -> Self {
        let variant = FdVariant::Iso;
        TwoFaces {
            id,
            data,
            deceived,
            parties: Vec::new(),
            variant,
            faces: None,
        }
    }

    /// Returns how long on the wire, in bits, a frame and its other face are, if they differ.
    pub(super) fn uneven(&self, frame: &Frame, variant: FdVariant) -> Option<(usize, usize)> {
        let (one, two) = both(frame, &self.data, variant)?;
        let lengths = (one.bits().len(), two.bits().len());
        (lengths.0 != lengths.1).then_some(lengths)
    }

    /// Returns the two faces, if they are equally long on the wire: only then does the deceived
    /// receivers' end of frame come when the others' does.
    fn faces(&self, frame: &Frame) -> Option<(WireBits, WireBits)> {
        let faces = both(frame, &self.data, self.variant)?;
        (faces.0.bits().len() == faces.1.bits().len()).then_some(faces)
    }
}

/// Returns a frame's bits, and those with these bytes in its payload's place.
fn both(frame: &Frame, bytes: &[u8], variant: FdVariant) -> Option<(WireBits, WireBits)> {
    let mut data = frame.data().to_vec();
    data.iter_mut()
        .zip(bytes)
        .for_each(|(to, byte)| *to = *byte);
    let other = match frame.format() {
        Format::Classic => Frame::classic(frame.id(), &data).ok()?,
        Format::Remote => return None,
        Format::Fd {
            bit_rate_switch,
            error_state_indicator,
        } => Frame::fd_with(
            frame.id(),
            &data,
            FdFlags {
                bit_rate_switch,
                error_state_indicator,
            },
        )
        .ok()?,
    };
    Some((expand(frame, variant), expand(&other, variant)))
}

impl Interferer for TwoFaces {
    fn name(&self) -> &str {
        "Janus frame"
    }

    fn begin(&mut self, surroundings: Surroundings<'_>) -> Result<(), InterfererError> {
        self.variant = surroundings.variant;
        for ecu in &self.deceived {
            let party = surroundings.names.iter().position(|name| name == ecu);
            let none = || InterfererError::NoSuchEcu { ecu: ecu.clone() };
            self.parties.push(party.ok_or_else(none)?);
        }
        Ok(())
    }

    fn wants(&mut self, onset: &Onset<'_>) -> bool {
        let target = onset.frame.filter(|frame| frame.id() == self.id);
        self.faces = target.and_then(|frame| self.faces(frame));
        self.faces.is_some()
    }

    fn strike(&mut self, moment: &BitMoment<'_>, strikes: &mut Strikes) {
        let Some((sent, seen)) = &self.faces else {
            return;
        };
        if moment.frame().is_none_or(|frame| frame.id() != self.id) {
            return;
        }
        let at = moment.stage_bit as usize;
        let differ = sent.bits().get(at).zip(seen.bits().get(at));
        if differ.is_some_and(|(sent, seen)| sent.level != seen.level) {
            for &party in &self.parties {
                strikes.add(moment, moment.strike_at(Force::Flip, party));
            }
        }
    }
}
