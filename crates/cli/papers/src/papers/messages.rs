//! Signed messages that are encoded for section V-D of \[ECQV-CITS\]: how long they are with the
//! certificate that they carry.

use std::sync::{Arc, Mutex};

use waywarden_papers::ecqv::{EcqvQuantity, PAYLOAD_BYTES, Signer};
use waywarden_papers::{Amount, Asked, Measurement};
use waywarden_v2x_neighbourhood::{
    CertificateForm, CertificateUse, InProcess, Laboratory, SecurityServices as _, Tickets,
};
use waywarden_v2x_security::{IncomingMessage, MessageSource, ReceptionContext, Verifier};
use waywarden_v2x_station::{MessageEnvelope, StationMessage};
use waywarden_v2x_wire::coer::{length, parse};
use waywarden_v2x_wire::etsi103097::its_aid;
use waywarden_v2x_wire::ieee1609dot2::{
    Elevation, Ieee1609Dot2Content, Ieee1609Dot2Data, Latitude, Longitude, SignerIdentifier,
    ThreeDLocation, Time64,
};

use waywarden_command_line::exit::Failure;

/// Time at which messages are signed: a day after the laboratory's certificates begin. No clock is
/// read, so that the lengths are the same everywhere.
const NOW: Time64 = Time64(86_400_000_000);

/// From message to message, in us.
const PERIOD: u64 = 100_000;

/// The lengths of messages with either certificate, and with a digest.
pub(super) struct Messages(Vec<(EcqvQuantity, usize)>);

impl Messages {
    /// Signs two messages with each kind of certificate, and verifies them: the first one carries
    /// the certificate, the second one its digest.
    ///
    /// # Errors
    /// A message that is refused.
    pub(super) fn encode() -> Result<Self, Failure> {
        let laboratory = Laboratory::new(1, 1, [1; 32]).map_err(failed)?;
        let laboratory = Arc::new(Mutex::new(laboratory));
        let mut lengths = Vec::new();
        for form in [CertificateForm::Implicit, CertificateForm::Explicit] {
            let station = || {
                let source = Box::new(Tickets::new(&laboratory, 0, form));
                let mut verifier = Verifier::default();
                let known = laboratory.lock().map_err(failed)?;
                known.teach(&mut verifier, 1).map_err(failed)?;
                drop(known);
                InProcess::new(CertificateUse::DirectSender, source, verifier, NOW, [2; 32])
                    .map_err(failed)
            };
            let (mut sender, mut receiver) = (station()?, station()?);
            for period in 0..2 {
                let now = Time64(NOW.0 + period * PERIOD);
                let message = sender.sign(&cam(), now).map_err(failed)?;
                accepted(&mut receiver, &message, now)?;
                lengths.extend(measured(&message, form)?);
            }
        }
        Ok(Self(lengths))
    }

    /// Returns a length, in bytes; none for what is no length.
    pub(super) fn measurement(&self, of: Asked<'_>) -> Option<Measurement> {
        let Asked::Ecqv(of) = of else { return None };
        let (_, bytes) = self.0.iter().find(|(known, _)| known == of)?;
        Some(Measurement {
            amount: Amount::Number(*bytes as f64),
            beside: Vec::new(),
        })
    }
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::new(format_args!("a message of section V-D: {error}"))
}

/// A message with the payload of the paper.
fn cam() -> StationMessage {
    StationMessage {
        psid: its_aid::CAM,
        payload: vec![0x2a; PAYLOAD_BYTES],
        location: ThreeDLocation {
            latitude: Latitude(446_300_000),
            longitude: Longitude(109_200_000),
            elevation: Elevation(4_096),
        },
        envelope: MessageEnvelope::wsmp_from([2, 0, 0, 0, 0, 1], its_aid::CAM),
    }
}

fn accepted(receiver: &mut InProcess, message: &[u8], now: Time64) -> Result<(), Failure> {
    let received = [IncomingMessage {
        message,
        context: ReceptionContext {
            now,
            place: None,
            psid: Some(its_aid::CAM),
            external_data: None,
            data_hash: None,
            source: MessageSource::Radio,
        },
    }];
    let verdicts = receiver.verify(&received);
    match verdicts.iter().find(|verdict| !verdict.is_accepted()) {
        Some(refused) => Err(failed(format_args!(
            "{}: {}",
            refused.name(),
            refused.reason()
        ))),
        None => Ok(()),
    }
}

/// Returns the length of a message, and that of its signer's certificate or digest.
fn measured(message: &[u8], form: CertificateForm) -> Result<[(EcqvQuantity, usize); 2], Failure> {
    let data: Ieee1609Dot2Data<'_> = parse(message).map_err(failed)?;
    let Ieee1609Dot2Content::Signed(signed) = &data.content else {
        return Err(failed("it is not signed"));
    };
    let (signer, bytes) = match (&signed.signer, form) {
        (SignerIdentifier::Digest(digest), _) => (Signer::Digest, length(digest)),
        (SignerIdentifier::Certificate(chain), form) => {
            let own = chain.iter().next().transpose().map_err(failed)?;
            let own = own.ok_or_else(|| failed("it has no certificate"))?;
            let signer = match form {
                CertificateForm::Implicit => Signer::Implicit,
                CertificateForm::Explicit => Signer::Explicit,
            };
            (signer, length(&own))
        }
        _ => return Err(failed("its signer is neither certificate nor digest")),
    };
    Ok([
        (EcqvQuantity::SignerBytes(signer), bytes.map_err(failed)?),
        (EcqvQuantity::MessageBytes(signer), message.len()),
    ])
}
