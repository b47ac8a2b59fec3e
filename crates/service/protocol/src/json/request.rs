//! Requests in the JSON form.

mod fields;

use std::num::NonZero;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use waywarden_v2x_wire::ieee1609dot2::Psid;
use zeroize::Zeroizing;

use super::parse;
use super::value::{Id, List, Location, Octets, Text, microseconds};
use crate::{
    ClientToken, DecryptRequest, EncryptionKeyOf, MESSAGES_MAX, OperationKind, RECIPIENTS_MAX,
    RefusedRequest, Request, RequestedOperation, Status, VerifyRequest,
};

/// The fields of every request. Its other fields are read once its operation is known.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head<'a> {
    #[serde(default)]
    id: u64,
    #[serde(borrow)]
    operation: Text<'a>,
    #[serde(default)]
    deadline_microseconds: Option<NonZero<u32>>,
}

/// Lines of requests: each has the fields of [`Head`], and its own.
macro_rules! lines {
    ($($line:ident { $($(#[$meta:meta])* $field:ident: $type:ty,)* })*) => {$(
        #[derive(Serialize, Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub(super) struct $line {
            #[serde(default)]
            id: u64,
            operation: String,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            deadline_microseconds: Option<NonZero<u32>>,
            $($(#[$meta])* $field: $type,)*
        }
    )*};
}

lines! {
    SignLine {
        psid: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        permissions: Option<Octets>,
        payload: Octets,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signer: Option<Signer>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        location: Option<Location>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lifetime_microseconds: Option<u64>,
    }
    VerifyLine {
        message: Octets,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        psid: Option<u64>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        payload_check: bool,
    }
    VerifyManyLine {
        messages: List<Entry, MESSAGES_MAX>,
    }
    EncryptLine {
        recipients: List<Named, RECIPIENTS_MAX>,
        data: Octets,
        #[serde(default)]
        is_secured: bool,
    }
    DecryptLine {
        message: Octets,
    }
    CertificateStatusLine {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        certificate: Option<Octets>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        certificate_id: Option<Id>,
    }
    AuthenticateLine {
        token: String,
    }
    ChangeCertificateLine {
        psid: u64,
    }
    BareLine {}
}

/// A message of many.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Entry {
    message: Octets,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    psid: Option<u64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    payload_check: bool,
}

/// A certificate, by itself or by its HashedId8.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Named {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    certificate: Option<Octets>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    certificate_id: Option<Id>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Signer {
    Digest,
    Certificate,
    Chain,
}

/// A request to be written.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum RequestLine {
    Sign(SignLine),
    Verify(VerifyLine),
    VerifyMany(VerifyManyLine),
    Encrypt(EncryptLine),
    Decrypt(DecryptLine),
    CertificateStatus(CertificateStatusLine),
    Authenticate(AuthenticateLine),
    ChangeCertificate(ChangeCertificateLine),
    Bare(BareLine),
}

/// Reads a request from a line.
pub(super) fn read(line: &[u8]) -> Result<Request, RefusedRequest> {
    let head: Head<'_> = parse(line)?;
    let name = &head.operation.0;
    let kind = OperationKind::of_name(name).ok_or_else(|| {
        let known: Vec<_> = OperationKind::ALL.iter().map(|one| one.name()).collect();
        let known = known.join(", ");
        let name: String = name.chars().take(40).collect();
        let reason = format!("operation: {name:?} is not known; one of {known} is expected");
        RefusedRequest::new(Status::Unsupported, reason)
    })?;
    let deadline = head.deadline_microseconds;
    Ok(Request {
        id: head.id,
        deadline: deadline.map(|most| Duration::from_micros(u64::from(most.get()))),
        operation: read_operation(line, kind)?,
    })
}

fn read_operation(line: &[u8], kind: OperationKind) -> Result<RequestedOperation, RefusedRequest> {
    Ok(match kind {
        OperationKind::Sign => RequestedOperation::Sign(parse::<SignLine>(line)?.into()),
        OperationKind::Verify => {
            let line: VerifyLine = parse(line)?;
            RequestedOperation::Verify(VerifyRequest {
                message: line.message.0,
                psid: line.psid.map(Psid),
                reports_payload_check: line.payload_check,
            })
        }
        OperationKind::VerifyMany => {
            let messages = parse::<VerifyManyLine>(line)?.messages.0;
            RequestedOperation::VerifyMany(messages.into_iter().map(VerifyRequest::from).collect())
        }
        OperationKind::Encrypt => {
            RequestedOperation::Encrypt(parse::<EncryptLine>(line)?.try_into()?)
        }
        OperationKind::Decrypt => RequestedOperation::Decrypt(DecryptRequest {
            message: parse::<DecryptLine>(line)?.message.0,
        }),
        OperationKind::CertificateStatus => {
            let CertificateStatusLine {
                certificate,
                certificate_id,
                ..
            } = parse(line)?;
            let named = Named {
                certificate,
                certificate_id,
            };
            RequestedOperation::CertificateStatus(named.try_into()?)
        }
        OperationKind::Authenticate => {
            let token = parse::<AuthenticateLine>(line)?.token.into_bytes();
            RequestedOperation::Authenticate(ClientToken(Zeroizing::new(token)))
        }
        OperationKind::Statistics => bare(line, RequestedOperation::Statistics)?,
        OperationKind::Health => bare(line, RequestedOperation::Health)?,
        OperationKind::Subscribe => bare(line, RequestedOperation::Subscribe)?,
        OperationKind::ChangeCertificate => {
            RequestedOperation::ChangeCertificate(Psid(parse::<ChangeCertificateLine>(line)?.psid))
        }
    })
}

/// Checks that a request without fields of its own has none.
fn bare(line: &[u8], operation: RequestedOperation) -> Result<RequestedOperation, RefusedRequest> {
    parse::<BareLine>(line).map(|_| operation)
}

/// A line with the fields that all have, and its own.
macro_rules! line {
    ($common:expr, $variant:ident, $line:ident { $($field:ident $(: $value:expr)?),* $(,)? }) => {{
        let (id, operation, deadline_microseconds) = $common;
        Self::$variant($line { id, operation, deadline_microseconds, $($field $(: $value)?,)* })
    }};
}

/// The fields that all lines have: identifier, operation, deadline.
type Common = (u64, String, Option<NonZero<u32>>);

impl RequestLine {
    /// Returns the line of a request.
    pub(super) fn of(request: &Request) -> Result<Self, RefusedRequest> {
        let id = request.id;
        let operation = request.operation.kind().name().to_owned();
        let deadline_microseconds = request.deadline.map(|most| {
            let most = u32::try_from(most.as_micros()).unwrap_or(u32::MAX);
            NonZero::new(most).unwrap_or(NonZero::<u32>::MIN)
        });
        let common = (id, operation, deadline_microseconds);
        Ok(match &request.operation {
            RequestedOperation::Sign(sign) => line!(
                common,
                Sign,
                SignLine {
                    psid: sign.psid.0,
                    permissions: sign.permissions.clone().map(Octets),
                    payload: Octets(sign.payload.clone()),
                    signer: sign.signer.map(Signer::from),
                    location: sign.location.map(Location),
                    lifetime_microseconds: sign.lifetime.map(microseconds),
                }
            ),
            RequestedOperation::Verify(verify) => line!(
                common,
                Verify,
                VerifyLine {
                    message: Octets(verify.message.clone()),
                    psid: verify.psid.map(|psid| psid.0),
                    payload_check: verify.reports_payload_check,
                }
            ),
            RequestedOperation::VerifyMany(messages) => line!(
                common,
                VerifyMany,
                VerifyManyLine {
                    messages: List(messages.iter().map(Entry::from).collect()),
                }
            ),
            RequestedOperation::Encrypt(encrypt) => line!(
                common,
                Encrypt,
                EncryptLine {
                    recipients: List(encrypt.recipients.iter().map(Named::from).collect()),
                    data: Octets(encrypt.data.clone()),
                    is_secured: encrypt.is_secured,
                }
            ),
            RequestedOperation::Decrypt(decrypt) => line!(
                common,
                Decrypt,
                DecryptLine {
                    message: Octets(decrypt.message.clone()),
                }
            ),
            other => return Self::of_others(common, other),
        })
    }

    /// Returns the line of a request about certificates or the service.
    fn of_others(common: Common, operation: &RequestedOperation) -> Result<Self, RefusedRequest> {
        Ok(match operation {
            RequestedOperation::CertificateStatus(query) => {
                let Named {
                    certificate,
                    certificate_id,
                } = Named::from(&EncryptionKeyOf::from(query.clone()));
                line!(
                    common,
                    CertificateStatus,
                    CertificateStatusLine {
                        certificate,
                        certificate_id,
                    }
                )
            }
            RequestedOperation::Authenticate(token) => {
                let token = String::from_utf8(token.0.to_vec())
                    .map_err(|_| RefusedRequest::new(Status::Malformed, "token: not UTF-8"))?;
                line!(common, Authenticate, AuthenticateLine { token })
            }
            RequestedOperation::ChangeCertificate(psid) => {
                line!(
                    common,
                    ChangeCertificate,
                    ChangeCertificateLine { psid: psid.0 }
                )
            }
            _ => line!(common, Bare, BareLine {}),
        })
    }
}
