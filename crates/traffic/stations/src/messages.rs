//! Messages on the air, each read once for all its receivers.

use std::cell::OnceCell;
use std::sync::Arc;

use waywarden_v2x_congestion::DccMcoField;
use waywarden_v2x_security::store::Verified;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    HashedId3, HashedId8, Ieee1609Dot2Content, Ieee1609Dot2Data, Psid, SignerIdentifier,
};

use crate::kinematics::Kinematics;

/// Contents of a message that its receivers act on.
#[derive(Clone, Debug)]
pub(crate) struct SentMessage {
    /// The message as it was signed, where receivers judge it by a verifier; else empty.
    pub(crate) spdu: Vec<u8>,
    pub(crate) psid: Psid,
    pub(crate) signer: Arc<Verified>,
    pub(crate) id: HashedId8,
    /// True if it carries the certificate of its signer.
    pub(crate) brings_certificate: bool,
    /// Certificates that its sender lacks, in the header's own field for several and in that for
    /// one.
    pub(crate) inline_requests: Vec<HashedId3>,
    pub(crate) learning_request: Option<HashedId3>,
    /// Busy ratios of its sender, in packets that have the field.
    pub(crate) field: Option<DccMcoField>,
    /// Generation time of its header, in microseconds of the standard's time.
    pub(crate) generated_us: u64,
    /// Standard deviation of the place that it gives, along each axis in metres.
    pub(crate) position_error_m: Option<f64>,
    /// Motion that it claims, where receivers look at it.
    pub(crate) claimed: Option<Kinematics>,
    /// Begin of the warning that it is of, in ns.
    pub(crate) warned_ns: Option<u64>,
    /// True if its owner made its symbol, once a receiver has looked.
    pub(crate) is_authentic: OnceCell<bool>,
}

impl SentMessage {
    /// Reads an SPDU of a signer; `None` if it is no signed message. Its bytes are kept if
    /// `is_kept`.
    pub(crate) fn read(
        spdu: &[u8],
        signer: &Arc<Verified>,
        field: Option<DccMcoField>,
        is_kept: bool,
    ) -> Option<Self> {
        let kept = if is_kept { spdu.to_vec() } else { Vec::new() };
        let data: Ieee1609Dot2Data<'_> = parse(spdu).ok()?;
        let Ieee1609Dot2Content::Signed(data) = data.content else {
            return None;
        };
        let header = data.tbs_data.header_info;
        Some(Self {
            spdu: kept,
            psid: header.psid,
            signer: Arc::clone(signer),
            id: signer.id(),
            brings_certificate: matches!(data.signer, SignerIdentifier::Certificate(_)),
            inline_requests: header
                .inline_p2pcd_request
                .iter()
                .flatten()
                .flatten()
                .collect(),
            learning_request: header.p2pcd_learning_request,
            field,
            generated_us: header.generation_time.map_or(0, |time| time.0),
            position_error_m: None,
            claimed: None,
            warned_ns: None,
            is_authentic: OnceCell::new(),
        })
    }

    /// Returns the certificates that its sender lacks.
    pub(crate) fn requests(&self) -> impl Iterator<Item = HashedId3> {
        let inline = self.inline_requests.iter().copied();
        inline.chain(self.learning_request)
    }
}

/// Messages that are on the air or wait for it, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Messages {
    all: Vec<Option<SentMessage>>,
    free: Vec<u32>,
}

impl Messages {
    /// Keeps a message; returns its number.
    pub(crate) fn put(&mut self, message: SentMessage) -> u32 {
        if let Some(number) = self.free.pop()
            && let Some(place) = self.all.get_mut(number as usize)
        {
            *place = Some(message);
            return number;
        }
        self.all.push(Some(message));
        // A run of vehicles has some messages each on the air.
        (self.all.len() - 1) as u32
    }

    pub(crate) fn get(&self, number: u32) -> Option<&SentMessage> {
        self.all.get(number as usize)?.as_ref()
    }

    /// Forgets a message; another one may get its number.
    pub(crate) fn remove(&mut self, number: u32) {
        if let Some(place) = self.all.get_mut(number as usize)
            && place.take().is_some()
        {
            self.free.push(number);
        }
    }

    /// Returns the number of messages that are kept.
    pub(crate) fn len(&self) -> usize {
        self.all.len() - self.free.len()
    }
}
