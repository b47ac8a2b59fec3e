//! Fields of a line beside those of a request.

use std::time::Duration;

use waywarden_v2x_signing::SignerForm;
use waywarden_v2x_wire::ieee1609dot2::Psid;

use super::super::value::{Id, Octets};
use super::{EncryptLine, Entry, Named, SignLine, Signer};
use crate::{
    CertificateQuery, EncryptRequest, EncryptionKeyOf, RefusedRequest, SignRequest, Status,
    VerifyRequest,
};

impl From<SignLine> for SignRequest {
    fn from(line: SignLine) -> Self {
        Self {
            psid: Psid(line.psid),
            permissions: line.permissions.map(|octets| octets.0),
            payload: line.payload.0,
            signer: line.signer.map(SignerForm::from),
            location: line.location.map(|location| location.0),
            lifetime: line.lifetime_microseconds.map(Duration::from_micros),
        }
    }
}

impl From<Entry> for VerifyRequest {
    fn from(entry: Entry) -> Self {
        Self {
            message: entry.message.0,
            psid: entry.psid.map(Psid),
            reports_payload_check: entry.payload_check,
        }
    }
}

impl From<&VerifyRequest> for Entry {
    fn from(verify: &VerifyRequest) -> Self {
        Self {
            message: Octets(verify.message.clone()),
            psid: verify.psid.map(|psid| psid.0),
            payload_check: verify.reports_payload_check,
        }
    }
}

impl TryFrom<EncryptLine> for EncryptRequest {
    type Error = RefusedRequest;

    fn try_from(line: EncryptLine) -> Result<Self, RefusedRequest> {
        let recipients = line.recipients.0.into_iter();
        let recipients = recipients.map(|named| named.try_into().map(CertificateQuery::into));
        Ok(Self {
            recipients: recipients.collect::<Result<_, RefusedRequest>>()?,
            data: line.data.0,
            is_secured: line.is_secured,
        })
    }
}

impl TryFrom<Named> for CertificateQuery {
    type Error = RefusedRequest;

    fn try_from(named: Named) -> Result<Self, RefusedRequest> {
        match (named.certificate, named.certificate_id) {
            (Some(certificate), None) => Ok(Self::Certificate(certificate.0)),
            (None, Some(id)) => Ok(Self::Id(id.0)),
            _ => Err(RefusedRequest::new(
                Status::Malformed,
                "either `certificate` or `certificateId` is expected",
            )),
        }
    }
}

impl From<&EncryptionKeyOf> for Named {
    fn from(key: &EncryptionKeyOf) -> Self {
        match key {
            EncryptionKeyOf::Certificate(certificate) => Self {
                certificate: Some(Octets(certificate.clone())),
                certificate_id: None,
            },
            EncryptionKeyOf::Known(id) => Self {
                certificate: None,
                certificate_id: Some(Id(*id)),
            },
        }
    }
}

impl From<Signer> for SignerForm {
    fn from(signer: Signer) -> Self {
        match signer {
            Signer::Digest => Self::Digest,
            Signer::Certificate => Self::Certificate,
            Signer::Chain => Self::Chain,
        }
    }
}

impl From<SignerForm> for Signer {
    fn from(form: SignerForm) -> Self {
        match form {
            SignerForm::Digest => Self::Digest,
            SignerForm::Certificate => Self::Certificate,
            SignerForm::Chain => Self::Chain,
        }
    }
}
