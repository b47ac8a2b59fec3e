//! Messages of one vehicle on their way to the air: signed, or taken from others.

use std::sync::Arc;

use waywarden_random::Random;
use waywarden_traffic_lab::radio::RadioSettings;
use waywarden_v2x_congestion::DccMcoField;
use waywarden_v2x_signing::{MessageSigner, Seed, SendingOptions, SignerForm, Statement};
use waywarden_v2x_station::StationMessage;
use waywarden_v2x_station::content::MessageContent;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use crate::hostile::HostileKind;
use crate::hostile_sender::HostileSender;
use crate::identity::{SigningKey, credential};
use crate::messages::SentMessage;
use crate::motion::Plane;
use crate::scheme::{SentFrames, SignatureScheme};
use crate::settings::{CertificateCondition, CertificateInclusion, NoCertificate, VehicleIdentity};
use crate::symbols::Symbols;

/// A message to put on the air: its SPDU in a frame, and what receivers read of it.
pub(crate) struct NewMessage {
    pub(crate) frames: SentFrames,
    pub(crate) contents: SentMessage,
}

/// MAC header of a QoS data frame, header of the logical link, and check sequence, in place of the
/// header of Ethernet \[802.11 §9.3.2\], \[802.2\].
const MAC_BYTES: usize = 26 + 8 + 4;
const ETHERNET_BYTES: usize = 14;

/// Returns the length on the air of a frame that has a header of Ethernet, in bytes.
#[must_use]
pub const fn on_air_bytes(frame: usize) -> u32 {
    // A frame of the network has at most 65,535 bytes.
    (frame - ETHERNET_BYTES + MAC_BYTES) as u32
}

/// Parts of messages that receivers look at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReceiverNeeds {
    /// The bytes, for a verifier.
    pub(crate) bytes: bool,
    /// The motion that they claim, for a detector or an attacker.
    pub(crate) claims: bool,
    /// Messages that show the certificate.
    pub(crate) inclusion: CertificateInclusion,
    /// Scheme that gives signatures and keys their sizes.
    pub(crate) scheme: SignatureScheme,
    /// The radio: how long frames are on the air.
    pub(crate) radio: RadioSettings,
    /// Standard deviation of the places in them, if they give one, in metres.
    pub(crate) position_error_m: Option<f64>,
}

/// Makes the messages of a vehicle: with its certificate and key, and as a hostile one does.
pub(crate) struct MessageSender {
    pub(crate) signer: MessageSigner,
    key: SigningKey,
    pub(crate) hostile: Option<HostileSender>,
    /// Needs of receivers.
    needs: ReceiverNeeds,
    seeds: Random,
    drawn: u64,
}

impl MessageSender {
    pub(crate) fn new(
        identity: VehicleIdentity,
        hostile: Option<HostileSender>,
        (needs, symbols): (ReceiverNeeds, &mut Symbols),
        seeds: Random,
    ) -> Result<Self, NoCertificate> {
        let (credential, key) = credential(identity, seeds.seed("key", 0, 0), symbols)?;
        Ok(Self {
            signer: MessageSigner::new(credential),
            key,
            hostile,
            needs,
            seeds,
            drawn: 0,
        })
    }

    /// Returns its kind, if it is hostile.
    pub(crate) fn kind(&self) -> Option<HostileKind> {
        self.hostile.as_ref().map(|hostile| hostile.kind)
    }

    /// Returns the condition of the certificates that it needs.
    pub(crate) fn condition(&self) -> CertificateCondition {
        let hostile = self.hostile.as_ref();
        hostile.map_or(CertificateCondition::Valid, HostileSender::condition)
    }

    /// Returns by how many bytes the scheme makes a certificate longer.
    pub(crate) fn more_in_certificate(&self) -> u32 {
        self.needs.scheme.more_in_certificate()
    }

    /// Takes another certificate; returns the seed of the identifiers that go with it.
    pub(crate) fn change(
        &mut self,
        identity: VehicleIdentity,
        symbols: &mut Symbols,
    ) -> Result<Seed, NoCertificate> {
        self.drawn += 1;
        let secret = self.seeds.seed("key", self.drawn, 0);
        let (credential, key) = credential(identity, secret, symbols)?;
        self.signer.change_credential(credential);
        self.key = key;
        Ok(Seed::new(self.seeds.seed("station", self.drawn, 0)))
    }

    /// Sends a message of another vehicle again, in the frame of an own one.
    pub(crate) fn replay(
        &mut self,
        own: &StationMessage,
        field: Option<DccMcoField>,
        now_ns: u64,
    ) -> Result<Option<NewMessage>, NoCertificate> {
        let heard = self.hostile.as_mut();
        let Some(contents) = heard.and_then(|hostile| hostile.again(now_ns)) else {
            return Ok(None);
        };
        let frame = own.envelope.frame(&contents.spdu);
        let frame = frame.map_err(|error| NoCertificate(error.to_string()))?;
        Ok(Some(NewMessage {
            frames: self.frames(&frame, contents.spdu.len(), contents.brings_certificate),
            contents: SentMessage { field, ..contents },
        }))
    }

    /// Returns the frames of a message on the air, from its frame and the length of its SPDU.
    fn frames(&self, frame: &[u8], spdu: usize, brings_certificate: bool) -> SentFrames {
        let scheme = self.needs.scheme;
        let mut more = scheme.more_in_message();
        if brings_certificate {
            more += scheme.more_in_certificate();
        }
        let spdu = spdu as u32;
        let around = on_air_bytes(frame.len()) - spdu;
        SentFrames::new(spdu + more, around, &self.needs.radio)
    }

    /// Signs a message, and reads it as its receivers will.
    pub(crate) fn sign(
        &mut self,
        message: &StationMessage,
        (plane, field): (&Plane, Option<DccMcoField>),
        now: Time64,
    ) -> Result<Option<NewMessage>, NoCertificate> {
        let failed = |why: &dyn std::fmt::Display| NoCertificate(why.to_string());
        self.drawn += 1;
        let seed = Seed::new(self.seeds.seed("message", self.drawn, 0));
        let signed = match (&mut self.hostile, self.signer.credential()) {
            (Some(hostile), credential) if hostile.signs() => {
                hostile.sign((credential, &mut self.key), message, (now, &seed))
            }
            _ => {
                let statement = Statement {
                    psid: message.psid,
                    payload: &message.payload,
                    location: Some(message.location),
                };
                let options = SendingOptions {
                    signer: match self.needs.inclusion {
                        CertificateInclusion::Rules => None,
                        CertificateInclusion::Always => Some(SignerForm::Certificate),
                    },
                    ..SendingOptions::default()
                };
                let store = self.key.store();
                let spdu = self
                    .signer
                    .send_with(store, &statement, options, (now, &seed));
                let signer = self.signer.credential().certificate();
                spdu.map(|spdu| Some((spdu, Arc::clone(signer))))
            }
        };
        let Some((spdu, signer)) = signed.map_err(|error| failed(&error))? else {
            return Ok(None);
        };
        let frame = message.envelope.frame(&spdu);
        let frame = frame.map_err(|error| failed(&error))?;
        let contents = SentMessage::read(&spdu, &signer, field, self.needs.bytes);
        // No receiver looks at claims where all are honest.
        let content = || MessageContent::of(message.psid, &message.payload);
        let claimed = self.needs.claims.then(content);
        let claimed = claimed.and_then(|content| plane.claimed(&content));
        let contents = contents.ok_or_else(|| failed(&"a message that is not signed"))?;
        Ok(Some(NewMessage {
            frames: self.frames(&frame, spdu.len(), contents.brings_certificate),
            contents: SentMessage {
                claimed,
                position_error_m: self.needs.position_error_m,
                ..contents
            },
        }))
    }
}
