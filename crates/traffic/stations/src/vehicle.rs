//! The station of one vehicle.

use std::collections::HashMap;

use waywarden_random::Random;
use waywarden_traffic_lab::{MessageReception, VehicleMotion};
use waywarden_v2x_keys::KeyStore;
use waywarden_v2x_signing::{Credential, MessageSigner, Seed, Statement};
use waywarden_v2x_station::{Station, StationMessage, StationSettings, StationTask, VehicleType};
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Time64};

use crate::control::{Control, Said};
use crate::figures::StackFigures;
use crate::messages::SentMessage;
use crate::motion::{Plane, time};
use crate::receiver::{Judgement, Receiver};
use crate::settings::{CertificateSource, NoCertificate, StackSettings, VehicleIdentity};
use crate::symbols::SymbolicKey;

/// No message is due within this time of the one before, in ns: the least period of CAM and BSM.
const LEAST_NS: u64 = 100_000_000;

/// The station of one vehicle.
pub(crate) struct VehicleStation {
    station: Station,
    signer: MessageSigner,
    key: SigningKey,
    is_real: bool,
    receiver: Receiver,
    pub(crate) control: Control,
    /// Certificates that it lacks, with the time of the first message that showed it.
    lacked: HashMap<HashedId8, u64>,
    /// Time on the air of its last frame, in microseconds.
    airtime_us: u64,
    /// Time of its last message.
    made_ns: Option<u64>,
    seeds: Random,
    drawn: u64,
}

/// A message to put on the air: its SPDU in a frame, and what receivers read of it.
pub(crate) struct NewMessage {
    /// Length of the frame with MAC header and check sequence, in bytes.
    pub(crate) bytes: u32,
    pub(crate) contents: SentMessage,
}

/// MAC header of a QoS data frame, header of the logical link, and check sequence, in place of the
/// header of Ethernet \[802.11 §9.3.2\], \[802.2\].
const MAC_BYTES: usize = 26 + 8 + 4;
const ETHERNET_BYTES: usize = 14;

impl VehicleStation {
    pub(crate) fn new(
        settings: &StackSettings,
        certificates: &mut impl CertificateSource,
        now_ns: u64,
        seeds: Random,
    ) -> Result<Self, NoCertificate> {
        let is_real = settings.has_real_signatures;
        let mut receiver = Receiver::new(is_real, certificates)?;
        let identity = certificates.next(time(now_ns))?;
        let (credential, key) = credential(identity, is_real, seeds.seed("key", 0, 0))?;
        receiver.learn_own(credential.certificate())?;
        let own = StationSettings {
            vehicle: VehicleType::CAR,
            service: settings.service,
            change: settings.change,
        };
        let power_dbm = 10.0 * settings.radio.power_mw.log10();
        Ok(Self {
            station: Station::new(own, time(now_ns), &Seed::new(seeds.seed("station", 0, 0))),
            signer: MessageSigner::new(credential),
            key,
            is_real,
            receiver,
            control: Control::new(
                settings.control,
                power_dbm.clamp(0.0, 31.0) as u8,
                seeds.stream("error", 0),
            ),
            lacked: HashMap::new(),
            airtime_us: 0,
            made_ns: None,
            seeds,
            drawn: 0,
        })
    }

    /// Returns the message that is due now, if any.
    pub(crate) fn due(
        &mut self,
        (vehicle, plane): (&VehicleMotion, &mut Plane),
        certificates: &mut impl CertificateSource,
        now_ns: u64,
        figures: &mut StackFigures,
    ) -> Result<Option<NewMessage>, NoCertificate> {
        let rests = self.made_ns.is_some_and(|made| now_ns < made + LEAST_NS);
        if rests || !self.control.is_open(now_ns) {
            return Ok(None);
        }
        let (awareness_us, safety_us) = self.control.intervals_us(self.airtime_us);
        self.station.set_channel_limit(awareness_us);
        self.station.set_safety_period(safety_us);
        let place = Plane::place(vehicle, now_ns);
        let now = time(now_ns);
        if self.control.is_hastened(&place, now_ns) {
            self.station.hasten_safety(now);
        }
        if let Some(field) = self.control.field() {
            self.station.set_media_dependent(field.to_bytes());
        }
        let motion = plane.motion(vehicle, &place, now_ns);
        let message = loop {
            match self.station.poll(&motion, now) {
                Ok(Some(StationTask::Message(message))) => break message,
                Ok(Some(StationTask::PseudonymChange)) => {
                    self.change_pseudonym(certificates.next(now)?, now)?;
                    figures.changes += 1;
                }
                Ok(None) => return Ok(None),
                Err(error) => return Err(NoCertificate(error.to_string())),
            }
        };
        self.control.said(Said {
            at_ns: now_ns,
            place,
            speed_m_s: vehicle.speed_m_s.unwrap_or(0.0),
            heading_degrees: vehicle.heading_degrees.unwrap_or(0.0),
        });
        let new = self.sign(&message, now)?;
        self.count(&new, now_ns, figures);
        Ok(Some(new))
    }

    /// Signs a message, and reads it as its receivers will.
    fn sign(&mut self, message: &StationMessage, now: Time64) -> Result<NewMessage, NoCertificate> {
        let statement = Statement {
            psid: message.psid,
            payload: &message.payload,
            location: Some(message.location),
        };
        let failed = |why: &dyn std::fmt::Display| NoCertificate(why.to_string());
        self.drawn += 1;
        let seed = Seed::new(self.seeds.seed("message", self.drawn, 0));
        let spdu = self.signer.send(self.key.store(), &statement, now, &seed);
        let spdu = spdu.map_err(|error| failed(&error))?;
        let frame = message.envelope.frame(&spdu);
        let frame = frame.map_err(|error| failed(&error))?;
        let signer = self.signer.credential().certificate();
        let contents = SentMessage::read(&spdu, signer, self.control.field(), self.is_real);
        Ok(NewMessage {
            // A frame of the network has at most 65,535 bytes.
            bytes: (frame.len() - ETHERNET_BYTES + MAC_BYTES) as u32,
            contents: contents.ok_or_else(|| failed(&"a message that is not signed"))?,
        })
    }

    fn count(&mut self, new: &NewMessage, now_ns: u64, figures: &mut StackFigures) {
        figures.messages += 1;
        figures.bytes += u64::from(new.bytes);
        if new.contents.brings_certificate {
            figures.with_certificate += 1;
            figures.certificate_bytes += new.contents.signer.bytes().len() as u64;
        }
        figures.requests += new.contents.requests().count() as u64;
        if let Some(before) = self.made_ns.replace(now_ns) {
            let interval = now_ns.saturating_sub(before);
            let (count, sum, longest) = &mut figures.intervals;
            *count += 1;
            *sum += interval;
            *longest = (*longest).max(interval);
        }
    }

    fn change_pseudonym(
        &mut self,
        identity: VehicleIdentity,
        now: Time64,
    ) -> Result<(), NoCertificate> {
        self.drawn += 1;
        let secret = self.seeds.seed("key", self.drawn, 0);
        let (credential, key) = credential(identity, self.is_real, secret)?;
        self.receiver.learn_own(credential.certificate())?;
        self.signer.change_credential(credential);
        self.key = key;
        let seed = Seed::new(self.seeds.seed("station", self.drawn, 0));
        self.station.change_pseudonym(now, &seed);
        Ok(())
    }

    /// A frame begins.
    pub(crate) fn sent(&mut self, now_ns: u64, airtime_ns: u64) {
        self.airtime_us = airtime_ns.div_ceil(1_000);
        self.control.sent(now_ns, airtime_ns);
    }

    /// A message of another vehicle came.
    pub(crate) fn received(
        &mut self,
        reception: &MessageReception,
        message: &SentMessage,
        figures: &mut StackFigures,
    ) {
        figures.received += 1;
        self.control.received(reception, message.field.as_ref());
        let now_ns = reception.time_ns;
        let judgement = self.receiver.judge(message, &mut self.signer, time(now_ns));
        match judgement {
            Judgement::Accepted { is_new: false } => {}
            Judgement::Accepted { is_new: true } => {
                if let Some(since) = self.lacked.remove(&message.id) {
                    let lacked = now_ns.saturating_sub(since);
                    figures.came += 1;
                    figures.lacked_ns.0 += lacked;
                    figures.lacked_ns.1 = figures.lacked_ns.1.max(lacked);
                }
            }
            Judgement::UnknownSigner => {
                figures.unknown_signer += 1;
                self.lacked.entry(message.id).or_insert_with(|| {
                    figures.lacked += 1;
                    now_ns
                });
            }
            Judgement::Refused(_) => figures.refused += 1,
        }
    }
}

/// A key that signs, by symbols or really.
enum SigningKey {
    Symbols(SymbolicKey),
    Real(Box<dyn KeyStore + Send>),
}

impl SigningKey {
    fn store(&mut self) -> &mut dyn KeyStore {
        match self {
            Self::Symbols(key) => key,
            Self::Real(store) => &mut **store,
        }
    }
}

/// Puts a certificate together with its key, or with one that signs by symbols.
fn credential(
    identity: VehicleIdentity,
    is_real: bool,
    secret: [u8; 32],
) -> Result<(Credential, SigningKey), NoCertificate> {
    let missing = |what: &str| NoCertificate(format!("the certificate has no {what} key"));
    let certificate = identity.certificate;
    let (handle, mut key) = if is_real {
        let (handle, store) = identity.key.ok_or_else(|| missing("private"))?;
        (handle, SigningKey::Real(store))
    } else {
        let public = certificate.public_key().ok_or_else(|| missing("public"))?;
        let key = SymbolicKey::new(public, secret);
        (SymbolicKey::HANDLE, SigningKey::Symbols(key))
    };
    let credential = Credential::new(&*key.store(), handle, certificate);
    let credential = credential.map_err(|error| NoCertificate(error.to_string()))?;
    Ok((credential, key))
}
