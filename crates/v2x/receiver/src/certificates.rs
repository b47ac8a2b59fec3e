//! Certificates that come as records of their own.

use waywarden_v2x_input::time::{self, At};
use waywarden_v2x_security::{Reason, Refusal, ResultCode};
use waywarden_v2x_wire::ieee1609dot2::{Certificate, CertificateType, Time64};

use crate::receiver::Receiver;
use crate::reception::Reception;
use crate::verdict::Verdict;

impl Receiver {
    /// Judges a certificate.
    pub(crate) fn certificate(
        &self,
        verdict: &mut Verdict,
        (bytes, certificate): (&[u8], &Certificate<'_>),
        reception: &Reception,
    ) {
        let mut verified = self.validity(bytes);
        if let Err(refusal) = &verified
            && let Reason::NotExpanded(period) = refusal.reason
            && self.expander.expand(&self.known, period)
        {
            verified = self.validity(bytes);
        }
        match verified {
            Ok(_) if certificate.kind == CertificateType::Implicit => {
                verdict.reason = Some(
                    "its key can be rebuilt; that it was issued, only a signature under that key \
                     shows"
                        .to_owned(),
                );
            }
            Ok((start, end)) => {
                verdict.signature_valid = Some(true);
                let code = match reception.at.unwrap_or(self.rules().at) {
                    At::Time(time) if time < start => {
                        ResultCode::ConsistencyFutureCertificateAtGenerationTime
                    }
                    At::Time(time) if time >= end => ResultCode::CertificateExpired,
                    _ => ResultCode::Success,
                };
                verdict.accepted = code == ResultCode::Success;
                verdict.verdict = code.name();
                if !verdict.accepted {
                    verdict.field = Some("validityPeriod");
                    let (start, end) = (time::show(start), time::show(end));
                    verdict.reason = Some(format!("valid from {start} until {end}"));
                }
            }
            Err(refusal) => {
                verdict.refuse(&refusal, &self.rules().trust);
                verdict.signature_valid = self.rules().is_signed(certificate);
            }
        }
    }

    /// Verifies a certificate against its issuer, which is known; returns when it is valid.
    fn validity(&self, bytes: &[u8]) -> Result<(Time64, Time64), Refusal> {
        let known = &self.known;
        let mut prepared = [known.read(|verifier| verifier.prepare_certificate(bytes))?];
        self.verify_signatures(&mut prepared);
        let [prepared] = prepared;
        let verified = known.read(|verifier| verifier.finish_certificate(prepared))?;
        Ok(verified.validity())
    }
}
