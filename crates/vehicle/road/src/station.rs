//! A station that really signs: of a car in full detail, or of an attacker on the road.

use waywarden_random::Random;
use waywarden_traffic_stations::{
    CertificateCondition, CertificateSource, NoCertificate, on_air_bytes, station_time,
};
use waywarden_v2x_keys::KeyStore;
use waywarden_v2x_signing::{Credential, MessageSigner, Seed, Statement};
use waywarden_v2x_station::denm::DenmEvent;
use waywarden_v2x_station::pseudonym::ChangeRules;
use waywarden_v2x_station::{
    MessageService, Motion, Station, StationSettings, StationTask, VehicleType,
};
use waywarden_v2x_wire::etsi103097::its_aid;

/// Cause and sub-cause of an emergency braking \[TS 102 894-2 §A.10\].
pub(crate) const DANGEROUS_SITUATION: u8 = 99;
const EMERGENCY_BRAKE_LIGHTS: u8 = 1;

/// A signed message in its frame.
#[derive(Clone, Debug)]
pub(crate) struct SignedMessage {
    pub(crate) spdu: Vec<u8>,
    /// Length of the frame with MAC header and check sequence, in bytes.
    pub(crate) bytes: u32,
    /// True for a DENM.
    pub(crate) is_event: bool,
}

/// A station with its key.
pub(crate) struct SigningStation {
    station: Station,
    pub(crate) signer: MessageSigner,
    store: Box<dyn KeyStore + Send>,
    seeds: Random,
    drawn: u64,
}

impl SigningStation {
    pub(crate) fn new(
        certificates: &mut impl CertificateSource,
        time_ns: u64,
        seeds: Random,
    ) -> Result<Self, NoCertificate> {
        let now = station_time(time_ns);
        let (credential, store) = credential(certificates, time_ns)?;
        let settings = StationSettings {
            vehicle: VehicleType::CAR,
            service: MessageService::CamOverGeoNetworking,
            change: ChangeRules::default(),
        };
        Ok(Self {
            station: Station::new(settings, now, &Seed::new(seeds.seed("station", 0, 0))),
            signer: MessageSigner::new(credential),
            store,
            seeds,
            drawn: 0,
        })
    }

    /// Announces that it brakes hard, ten times a second for a second.
    pub(crate) fn brakes_hard(&mut self, motion: &Motion, radius_m: u16) {
        let event = DenmEvent {
            validity_s: 1,
            interval_ms: Some(100),
            radius_m,
            ..DenmEvent::new(DANGEROUS_SITUATION, EMERGENCY_BRAKE_LIGHTS)
        };
        // As many events as are kept are announced already: one more tells nothing new.
        let _ = self.station.trigger(event, motion, motion.time);
    }

    /// Returns the message that is due now, signed.
    pub(crate) fn due(
        &mut self,
        motion: &Motion,
        certificates: &mut impl CertificateSource,
        time_ns: u64,
    ) -> Result<Option<SignedMessage>, NoCertificate> {
        let failed = |why: &dyn std::fmt::Display| NoCertificate(why.to_string());
        let message = loop {
            let task = self.station.poll(motion, motion.time);
            match task.map_err(|error| failed(&error))? {
                Some(StationTask::Message(message)) => break message,
                Some(StationTask::PseudonymChange) => {
                    let (credential, store) = credential(certificates, time_ns)?;
                    self.signer.change_credential(credential);
                    self.store = store;
                    let seed = self.seed("station");
                    self.station.change_pseudonym(motion.time, &seed);
                }
                None => return Ok(None),
            }
        };
        let statement = Statement {
            psid: message.psid,
            payload: &message.payload,
            location: Some(message.location),
        };
        let seed = self.seed("message");
        let spdu = self
            .signer
            .send(&mut *self.store, &statement, motion.time, &seed);
        let spdu = spdu.map_err(|error| failed(&error))?;
        let frame = message.envelope.frame(&spdu);
        let frame = frame.map_err(|error| failed(&error))?;
        Ok(Some(SignedMessage {
            bytes: on_air_bytes(frame.len()),
            is_event: message.psid == its_aid::DENM,
            spdu,
        }))
    }

    fn seed(&mut self, purpose: &str) -> Seed {
        self.drawn += 1;
        Seed::new(self.seeds.seed(purpose, self.drawn, 0))
    }
}

fn credential(
    certificates: &mut impl CertificateSource,
    time_ns: u64,
) -> Result<(Credential, Box<dyn KeyStore + Send>), NoCertificate> {
    let identity = certificates.next(CertificateCondition::Valid, station_time(time_ns))?;
    let key = identity.key;
    let (handle, store) =
        key.ok_or_else(|| NoCertificate("the certificate has no private key".to_owned()))?;
    let credential = Credential::new(&*store, handle, identity.certificate);
    let credential = credential.map_err(|error| NoCertificate(error.to_string()))?;
    Ok((credential, store))
}
