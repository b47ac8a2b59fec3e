//! Responses and events in the JSON form.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::parse;
use super::value::{Id, List, Moment, Octets, Text};
use super::verdict::{JsonVerdict, JsonVerdictEvent, VerdictOrRefusal, refused, status, unknown};
use crate::bounds::cut;
use crate::{
    CertificateStatus, CertificateValidity, MESSAGES_MAX, OperationKind, RefusedRequest, Response,
    ResponseBody, Status,
};

/// The operation of an event.
const EVENT: &str = "event";

/// The fields of every response. Its other fields are read once its operation is known.
#[derive(Deserialize)]
struct Head<'a> {
    id: u64,
    #[serde(borrow)]
    status: Text<'a>,
    #[serde(default)]
    operation: Option<Text<'a>>,
}

/// Lines of responses: each has the fields of [`Head`], and its own.
macro_rules! lines {
    ($($line:ident { $($(#[$meta:meta])* $field:ident: $type:ty,)* })*) => {$(
        #[derive(Serialize, Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub(super) struct $line {
            id: u64,
            status: String,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            operation: Option<String>,
            $($(#[$meta])* $field: $type,)*
        }
    )*};
}

lines! {
    RefusedLine {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        share: Option<String>,
        reason: String,
    }
    SignedLine { message: Octets, expires: Moment, }
    VerifiedLine { verification: JsonVerdict, }
    VerifiedManyLine { verifications: List<VerdictOrRefusal, MESSAGES_MAX>, }
    MessageLine { message: Octets, }
    CertificateStatusLine {
        certificate_id: Id,
        validity: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        start: Option<Moment>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        end: Option<Moment>,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    }
    StatisticsLine { statistics: Box<RawValue>, }
    HealthLine { health: Box<RawValue>, }
    CertificateChangedLine { certificate_id: Id, until: Moment, }
    BareLine {}
    EventLine { lost: u64, event: JsonVerdictEvent, }
}

/// A response to be written.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ResponseLine {
    Refused(RefusedLine),
    Signed(SignedLine),
    Verified(VerifiedLine),
    VerifiedMany(VerifiedManyLine),
    Message(MessageLine),
    CertificateStatus(CertificateStatusLine),
    Statistics(StatisticsLine),
    Health(HealthLine),
    CertificateChanged(CertificateChangedLine),
    Bare(BareLine),
    Event(EventLine),
}

/// Reads a response from a line.
pub(super) fn read(line: &[u8]) -> Result<Response, RefusedRequest> {
    let head: Head<'_> = parse(line)?;
    let id = head.id;
    let status = status(&head.status.0)?;
    if status != Status::Ok {
        let RefusedLine { share, reason, .. } = parse(line)?;
        let body = Err(refused(status, share, reason)?);
        return Ok(Response { id, body });
    }
    let name = head.operation.as_ref().map_or("", |name| &name.0);
    let body = match OperationKind::ALL.iter().find(|one| one.name() == name) {
        Some(kind) => read_body(line, *kind)?,
        None if name == EVENT => {
            let EventLine { lost, event, .. } = parse(line)?;
            let event = event.try_into()?;
            ResponseBody::Event { lost, event }
        }
        None => return Err(unknown("operation", name)),
    };
    Ok(Response { id, body: Ok(body) })
}

fn read_body(line: &[u8], kind: OperationKind) -> Result<ResponseBody, RefusedRequest> {
    Ok(match kind {
        OperationKind::Sign => {
            let SignedLine {
                message, expires, ..
            } = parse(line)?;
            ResponseBody::Signed {
                message: message.0,
                expires: expires.into(),
            }
        }
        OperationKind::Verify => {
            ResponseBody::Verified(parse::<VerifiedLine>(line)?.verification.try_into()?)
        }
        OperationKind::VerifyMany => {
            let many = parse::<VerifiedManyLine>(line)?.verifications.0;
            let many: Result<_, _> = many.into_iter().map(VerdictOrRefusal::value).collect();
            ResponseBody::VerifiedMany(many?)
        }
        OperationKind::Encrypt => ResponseBody::Encrypted(parse::<MessageLine>(line)?.message.0),
        OperationKind::Decrypt => ResponseBody::Decrypted(parse::<MessageLine>(line)?.message.0),
        OperationKind::CertificateStatus => {
            let line: CertificateStatusLine = parse(line)?;
            ResponseBody::CertificateStatus(line.try_into()?)
        }
        OperationKind::Statistics => {
            let json = parse::<StatisticsLine>(line)?.statistics;
            ResponseBody::Statistics(json.get().to_owned())
        }
        OperationKind::Health => {
            ResponseBody::Health(parse::<HealthLine>(line)?.health.get().to_owned())
        }
        OperationKind::Authenticate => {
            parse::<BareLine>(line).map(|_| ResponseBody::Authenticated)?
        }
        OperationKind::Subscribe => parse::<BareLine>(line).map(|_| ResponseBody::Subscribed)?,
        OperationKind::ChangeCertificate => {
            let line: CertificateChangedLine = parse(line)?;
            ResponseBody::CertificateChanged {
                id: line.certificate_id.0,
                until: line.until.into(),
            }
        }
    })
}

/// A line with the fields that all have, and its own.
macro_rules! line {
    ($common:expr, $variant:ident, $line:ident { $($field:ident $(: $value:expr)?),* $(,)? }) => {{
        let (id, status, operation) = $common;
        Self::$variant($line { id, status, operation, $($field $(: $value)?,)* })
    }};
}

/// The fields that all lines have: identifier, status, operation.
type Common = (u64, String, Option<String>);

impl ResponseLine {
    /// Returns the line of a response.
    pub(super) fn of(response: &Response) -> Result<Self, RefusedRequest> {
        let id = response.id;
        let body = match &response.body {
            Ok(body) => body,
            Err(refused) => {
                return Ok(Self::Refused(RefusedLine {
                    id,
                    status: refused.status.name().to_owned(),
                    operation: None,
                    share: refused.share.map(|share| share.name().to_owned()),
                    reason: cut(&refused.reason).to_owned(),
                }));
            }
        };
        let status = Status::Ok.name().to_owned();
        let operation = Some(body.kind().map_or(EVENT, OperationKind::name).to_owned());
        let common = (id, status, operation);
        Ok(match body {
            ResponseBody::Signed { message, expires } => line!(
                common,
                Signed,
                SignedLine {
                    message: Octets(message.clone()),
                    expires: Moment::from(*expires),
                }
            ),
            ResponseBody::Verified(one) => line!(
                common,
                Verified,
                VerifiedLine {
                    verification: JsonVerdict::from(one)
                }
            ),
            ResponseBody::VerifiedMany(many) => line!(
                common,
                VerifiedMany,
                VerifiedManyLine {
                    verifications: List(many.iter().map(VerdictOrRefusal::of).collect())
                }
            ),
            ResponseBody::Encrypted(message) | ResponseBody::Decrypted(message) => line!(
                common,
                Message,
                MessageLine {
                    message: Octets(message.clone())
                }
            ),
            ResponseBody::CertificateStatus(known) => line!(
                common,
                CertificateStatus,
                CertificateStatusLine {
                    certificate_id: Id(known.id),
                    validity: known.validity.name().to_owned(),
                    start: known.period.map(|(start, _)| start.into()),
                    end: known.period.map(|(_, end)| end.into()),
                    reason: cut(&known.reason).to_owned(),
                }
            ),
            other => return Self::of_report(common, other),
        })
    }

    /// Returns the line of a report, or of something that happens.
    fn of_report(common: Common, body: &ResponseBody) -> Result<Self, RefusedRequest> {
        Ok(match body {
            ResponseBody::Statistics(json) => line!(
                common,
                Statistics,
                StatisticsLine {
                    statistics: raw(json)?
                }
            ),
            ResponseBody::Health(json) => line!(common, Health, HealthLine { health: raw(json)? }),
            ResponseBody::CertificateChanged { id, until } => line!(
                common,
                CertificateChanged,
                CertificateChangedLine {
                    certificate_id: Id(*id),
                    until: Moment::from(*until),
                }
            ),
            ResponseBody::Event { lost, event } => line!(
                common,
                Event,
                EventLine {
                    lost: *lost,
                    event: JsonVerdictEvent::from(event)
                }
            ),
            _ => line!(common, Bare, BareLine {}),
        })
    }
}

/// Returns a report as it stands, on one line: outside of texts a line's end is white space, and
/// inside of them there is none.
fn raw(json: &str) -> Result<Box<RawValue>, RefusedRequest> {
    let json = json.replace(['\n', '\r'], " ");
    RawValue::from_string(json).map_err(|error| {
        RefusedRequest::new(Status::Internal, format!("a report is no JSON: {error}"))
    })
}

impl TryFrom<CertificateStatusLine> for CertificateStatus {
    type Error = RefusedRequest;

    fn try_from(line: CertificateStatusLine) -> Result<Self, RefusedRequest> {
        let mut validities = CertificateValidity::ALL.iter().copied();
        let period = match (line.start, line.end) {
            (Some(start), Some(end)) => Some((start.into(), end.into())),
            (None, None) => None,
            _ => {
                return Err(RefusedRequest::new(
                    Status::Malformed,
                    "`start` without `end`",
                ));
            }
        };
        Ok(Self {
            id: line.certificate_id.0,
            validity: validities
                .find(|one| one.name() == line.validity)
                .ok_or_else(|| unknown("validity", &line.validity))?,
            period,
            reason: line.reason,
        })
    }
}
