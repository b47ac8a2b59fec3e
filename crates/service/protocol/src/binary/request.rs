//! Bodies of requests in the binary form.

use std::time::Duration;

use waywarden_v2x_signing::SignerForm;
use waywarden_v2x_wire::ieee1609dot2::Psid;
use zeroize::Zeroizing;

use super::field::{Reader, Writer, malformed};
use super::unknown_operation;
use crate::bounds::count;
use crate::{
    CertificateQuery, ClientToken, DecryptRequest, EncryptRequest, EncryptionKeyOf, MESSAGES_MAX,
    OperationKind, RECIPIENTS_MAX, RefusedRequest, Request, RequestedOperation, SignRequest,
    VerifyRequest,
};

/// Reads what follows the number of a request.
pub(super) fn read(
    reader: &mut Reader<'_>,
    operation: u8,
    id: u64,
) -> Result<Request, RefusedRequest> {
    let deadline = match reader.u32("deadline")? {
        0 => None,
        microseconds => Some(Duration::from_micros(u64::from(microseconds))),
    };
    let kind = OperationKind::of_number(operation).ok_or_else(|| unknown_operation(operation))?;
    let operation = match kind {
        OperationKind::Sign => RequestedOperation::Sign(read_sign(reader)?),
        OperationKind::Verify => RequestedOperation::Verify(read_verify(reader)?),
        OperationKind::VerifyMany => RequestedOperation::VerifyMany(read_verify_many(reader)?),
        OperationKind::Encrypt => RequestedOperation::Encrypt(read_encrypt(reader)?),
        OperationKind::Decrypt => RequestedOperation::Decrypt(DecryptRequest {
            message: reader.long("message")?.to_vec(),
        }),
        OperationKind::CertificateStatus => {
            RequestedOperation::CertificateStatus(reader.certificate()?)
        }
        OperationKind::Statistics => RequestedOperation::Statistics,
        OperationKind::Health => RequestedOperation::Health,
        OperationKind::Authenticate => {
            let token = reader.short("token")?.to_vec();
            RequestedOperation::Authenticate(ClientToken(Zeroizing::new(token)))
        }
        OperationKind::Subscribe => RequestedOperation::Subscribe,
        OperationKind::ChangeCertificate => {
            RequestedOperation::ChangeCertificate(Psid(reader.u64("psid")?))
        }
    };
    Ok(Request {
        id,
        deadline,
        operation,
    })
}

/// Writes what follows the number of a request.
pub(super) fn write(writer: &mut Writer, request: &Request) {
    // A deadline of nothing is not that of the configuration.
    let microseconds = request.deadline.map_or(0, |deadline| {
        let microseconds = u32::try_from(deadline.as_micros()).unwrap_or(u32::MAX);
        microseconds.max(1)
    });
    writer.u32(microseconds);
    match &request.operation {
        RequestedOperation::Sign(sign) => write_sign(writer, sign),
        RequestedOperation::Verify(verify) => write_verify(writer, verify),
        RequestedOperation::VerifyMany(messages) => {
            writer.count("messages", messages.len());
            for one in messages {
                write_verify(writer, one);
            }
        }
        RequestedOperation::Encrypt(encrypt) => write_encrypt(writer, encrypt),
        RequestedOperation::Decrypt(decrypt) => writer.long("message", &decrypt.message),
        RequestedOperation::CertificateStatus(CertificateQuery::Certificate(certificate)) => {
            writer.certificate(certificate);
        }
        RequestedOperation::CertificateStatus(CertificateQuery::Id(id)) => {
            writer.certificate_id(*id);
        }
        RequestedOperation::Authenticate(token) => writer.short("token", &token.0),
        RequestedOperation::ChangeCertificate(psid) => writer.u64(psid.0),
        RequestedOperation::Statistics
        | RequestedOperation::Health
        | RequestedOperation::Subscribe => {}
    }
}

const SIGN_PERMISSIONS: u8 = 1;
const SIGN_SIGNER: u8 = 2;
const SIGN_LOCATION: u8 = 4;
const SIGN_LIFETIME: u8 = 8;
const SIGN_FLAGS: u8 = SIGN_PERMISSIONS | SIGN_SIGNER | SIGN_LOCATION | SIGN_LIFETIME;

fn read_sign(reader: &mut Reader<'_>) -> Result<SignRequest, RefusedRequest> {
    let flags = reader.flags(SIGN_FLAGS)?;
    let mut sign = SignRequest {
        psid: Psid(reader.u64("psid")?),
        permissions: None,
        payload: reader.long("payload")?.to_vec(),
        signer: None,
        location: None,
        lifetime: None,
    };
    if flags & SIGN_PERMISSIONS != 0 {
        sign.permissions = Some(reader.short("permissions")?.to_vec());
    }
    if flags & SIGN_SIGNER != 0 {
        sign.signer = Some(match reader.u8("signer")? {
            0 => SignerForm::Digest,
            1 => SignerForm::Certificate,
            2 => SignerForm::Chain,
            other => {
                return Err(malformed(format!(
                    "signer: 0 to 2 is expected, not {other}"
                )));
            }
        });
    }
    if flags & SIGN_LOCATION != 0 {
        sign.location = Some(reader.location("location")?);
    }
    if flags & SIGN_LIFETIME != 0 {
        sign.lifetime = Some(Duration::from_micros(reader.u64("lifetime")?));
    }
    Ok(sign)
}

fn write_sign(writer: &mut Writer, sign: &SignRequest) {
    let flag = |flag, is_set| if is_set { flag } else { 0 };
    writer.u8(flag(SIGN_PERMISSIONS, sign.permissions.is_some())
        | flag(SIGN_SIGNER, sign.signer.is_some())
        | flag(SIGN_LOCATION, sign.location.is_some())
        | flag(SIGN_LIFETIME, sign.lifetime.is_some()));
    writer.u64(sign.psid.0);
    writer.long("payload", &sign.payload);
    if let Some(permissions) = &sign.permissions {
        writer.short("permissions", permissions);
    }
    if let Some(signer) = sign.signer {
        writer.u8(match signer {
            SignerForm::Digest => 0,
            SignerForm::Certificate => 1,
            SignerForm::Chain => 2,
        });
    }
    if let Some(location) = &sign.location {
        writer.location(location);
    }
    if let Some(lifetime) = sign.lifetime {
        writer.u64(u64::try_from(lifetime.as_micros()).unwrap_or(u64::MAX));
    }
}

const VERIFY_PSID: u8 = 1;
const VERIFY_PAYLOAD_CHECK: u8 = 2;

fn read_verify(reader: &mut Reader<'_>) -> Result<VerifyRequest, RefusedRequest> {
    let flags = reader.flags(VERIFY_PSID | VERIFY_PAYLOAD_CHECK)?;
    let message = reader.long("message")?.to_vec();
    let psid = match flags & VERIFY_PSID {
        0 => None,
        _ => Some(Psid(reader.u64("psid")?)),
    };
    Ok(VerifyRequest {
        message,
        psid,
        reports_payload_check: flags & VERIFY_PAYLOAD_CHECK != 0,
    })
}

fn write_verify(writer: &mut Writer, verify: &VerifyRequest) {
    let flag = |flag, is_set| if is_set { flag } else { 0 };
    writer.u8(flag(VERIFY_PSID, verify.psid.is_some())
        | flag(VERIFY_PAYLOAD_CHECK, verify.reports_payload_check));
    writer.long("message", &verify.message);
    if let Some(psid) = verify.psid {
        writer.u64(psid.0);
    }
}

fn read_verify_many(reader: &mut Reader<'_>) -> Result<Vec<VerifyRequest>, RefusedRequest> {
    let messages = usize::from(reader.u16("messages")?);
    count("messages", messages, MESSAGES_MAX)?;
    (0..messages).map(|_| read_verify(reader)).collect()
}

const ENCRYPT_IS_SECURED: u8 = 1;

fn read_encrypt(reader: &mut Reader<'_>) -> Result<EncryptRequest, RefusedRequest> {
    let flags = reader.flags(ENCRYPT_IS_SECURED)?;
    let data = reader.long("data")?.to_vec();
    let recipients = usize::from(reader.u16("recipients")?);
    count("recipients", recipients, RECIPIENTS_MAX)?;
    let recipients = (0..recipients).map(|_| reader.certificate().map(EncryptionKeyOf::from));
    Ok(EncryptRequest {
        recipients: recipients.collect::<Result<_, _>>()?,
        data,
        is_secured: flags & ENCRYPT_IS_SECURED != 0,
    })
}

fn write_encrypt(writer: &mut Writer, encrypt: &EncryptRequest) {
    writer.u8(if encrypt.is_secured {
        ENCRYPT_IS_SECURED
    } else {
        0
    });
    writer.long("data", &encrypt.data);
    writer.count("recipients", encrypt.recipients.len());
    for recipient in &encrypt.recipients {
        match recipient {
            EncryptionKeyOf::Certificate(certificate) => writer.certificate(certificate),
            EncryptionKeyOf::Known(id) => writer.certificate_id(*id),
        }
    }
}
