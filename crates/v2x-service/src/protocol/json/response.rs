//! Responses and events in the JSON form.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_wire::ieee1609dot2::{Psid, Time64};

use super::parse;
use super::value::{Id, List, Location, Moment, Octets, Text, microseconds};
use crate::protocol::bounds::cut;
use crate::protocol::{
    CertificateStatus, MESSAGES_MAX, OperationKind, Refused, Response, ResponseBody, Status,
    Validity,
};
use crate::verdict::{Report, VerdictEvent, Verification};

/// The operation of an event.
const EVENT: &str = "event";

/// What every response has. Its other fields are read after it says which operation they are of.
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
    RefusedLine { reason: String, }
    SignedLine { message: Octets, expires: Moment, }
    VerifiedLine { verification: Verdict, }
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
    BareLine {}
    EventLine { lost: u64, event: Event, }
}

/// A verdict.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Verdict {
    result: String,
    report: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    certificate: Option<Id>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    field: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signer: Option<Id>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    psid: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    permissions: Option<Octets>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    generation_time: Option<Moment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    generation_location: Option<Location>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    payload: Option<Octets>,
}

/// A verdict of many, or why there is none.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VerdictOrRefusal {
    status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verification: Option<Verdict>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// A verdict as it fell.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Event {
    sequence: u64,
    received: Moment,
    latency_microseconds: u64,
    message: Octets,
    verification: Verdict,
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
    Bare(BareLine),
    Event(EventLine),
}

/// Reads a response from a line.
pub(super) fn read(line: &[u8]) -> Result<Response, Refused> {
    let head: Head<'_> = parse(line)?;
    let id = head.id;
    let status = status(&head.status.0)?;
    if status != Status::Ok {
        let reason = parse::<RefusedLine>(line)?.reason;
        let body = Err(Refused { status, reason });
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

fn read_body(line: &[u8], kind: OperationKind) -> Result<ResponseBody, Refused> {
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
    })
}

impl ResponseLine {
    /// Returns the line of a response.
    pub(super) fn of(response: &Response) -> Result<Self, Refused> {
        let id = response.id;
        let body = match &response.body {
            Ok(body) => body,
            Err(refused) => {
                return Ok(Self::Refused(RefusedLine {
                    id,
                    status: refused.status.name().to_owned(),
                    operation: None,
                    reason: cut(&refused.reason).to_owned(),
                }));
            }
        };
        let status = Status::Ok.name().to_owned();
        let operation = Some(body.kind().map_or(EVENT, OperationKind::name).to_owned());
        macro_rules! line {
            ($variant:ident, $line:ident { $($field:ident $(: $value:expr)?),* $(,)? }) => {
                Self::$variant($line { id, status, operation, $($field $(: $value)?,)* })
            };
        }
        Ok(match body {
            ResponseBody::Signed { message, expires } => line!(
                Signed,
                SignedLine {
                    message: Octets(message.clone()),
                    expires: Moment::from(*expires),
                }
            ),
            ResponseBody::Verified(one) => line!(
                Verified,
                VerifiedLine {
                    verification: Verdict::from(one)
                }
            ),
            ResponseBody::VerifiedMany(many) => line!(
                VerifiedMany,
                VerifiedManyLine {
                    verifications: List(many.iter().map(VerdictOrRefusal::of).collect())
                }
            ),
            ResponseBody::Encrypted(message) | ResponseBody::Decrypted(message) => line!(
                Message,
                MessageLine {
                    message: Octets(message.clone())
                }
            ),
            ResponseBody::CertificateStatus(known) => line!(
                CertificateStatus,
                CertificateStatusLine {
                    certificate_id: Id(known.id),
                    validity: known.validity.name().to_owned(),
                    start: known.period.map(|(start, _)| start.into()),
                    end: known.period.map(|(_, end)| end.into()),
                    reason: cut(&known.reason).to_owned(),
                }
            ),
            ResponseBody::Statistics(json) => line!(
                Statistics,
                StatisticsLine {
                    statistics: raw(json)?
                }
            ),
            ResponseBody::Health(json) => line!(Health, HealthLine { health: raw(json)? }),
            ResponseBody::Authenticated | ResponseBody::Subscribed => line!(Bare, BareLine {}),
            ResponseBody::Event { lost, event } => line!(
                Event,
                EventLine {
                    lost: *lost,
                    event: Event::from(event)
                }
            ),
        })
    }
}

/// Returns a report as it stands, on one line: outside of texts a line's end is white space, and
/// inside of them there is none.
fn raw(json: &str) -> Result<Box<RawValue>, Refused> {
    let json = json.replace(['\n', '\r'], " ");
    RawValue::from_string(json)
        .map_err(|error| Refused::new(Status::Internal, format!("a report is no JSON: {error}")))
}

impl From<&Verification> for Verdict {
    fn from(verification: &Verification) -> Self {
        Self {
            result: verification.result.name().to_owned(),
            report: verification.report.name().to_owned(),
            reason: cut(&verification.reason).to_owned(),
            certificate: verification.certificate.map(Id),
            field: cut(&verification.field).to_owned(),
            signer: verification.signer.map(Id),
            psid: verification.psid.map(|psid| psid.0),
            permissions: verification.permissions.clone().map(Octets),
            generation_time: verification.generation_time.map(Moment::from),
            generation_location: verification.generation_location.map(Location),
            payload: verification.payload.clone().map(Octets),
        }
    }
}

impl TryFrom<Verdict> for Verification {
    type Error = Refused;

    fn try_from(verdict: Verdict) -> Result<Self, Refused> {
        let (result, report) = (&verdict.result, &verdict.report);
        let mut results = ResultCode::ALL.iter().copied();
        let mut reports = Report::ALL.iter().copied();
        Ok(Self {
            result: results
                .find(|one| one.name() == result)
                .ok_or_else(|| unknown("result", result))?,
            report: reports
                .find(|one| one.name() == report)
                .ok_or_else(|| unknown("report", report))?,
            reason: verdict.reason,
            certificate: verdict.certificate.map(|id| id.0),
            field: Cow::Owned(verdict.field),
            signer: verdict.signer.map(|id| id.0),
            psid: verdict.psid.map(Psid),
            permissions: verdict.permissions.map(|octets| octets.0),
            generation_time: verdict.generation_time.map(Time64::from),
            generation_location: verdict.generation_location.map(|location| location.0),
            payload: verdict.payload.map(|octets| octets.0),
        })
    }
}

impl VerdictOrRefusal {
    fn of(one: &Result<Verification, Refused>) -> Self {
        match one {
            Ok(verification) => Self {
                status: Status::Ok.name().to_owned(),
                verification: Some(verification.into()),
                reason: None,
            },
            Err(refused) => Self {
                status: refused.status.name().to_owned(),
                verification: None,
                reason: Some(cut(&refused.reason).to_owned()),
            },
        }
    }

    fn value(self) -> Result<Result<Verification, Refused>, Refused> {
        match (status(&self.status)?, self.verification, self.reason) {
            (Status::Ok, Some(verdict), None) => Ok(Ok(verdict.try_into()?)),
            (status, None, Some(reason)) if status != Status::Ok => {
                Ok(Err(Refused { status, reason }))
            }
            _ => Err(Refused::new(
                Status::Malformed,
                "either status `ok` and `verification` or another status and `reason` is expected",
            )),
        }
    }
}

impl From<&VerdictEvent> for Event {
    fn from(event: &VerdictEvent) -> Self {
        Self {
            sequence: event.sequence,
            received: event.received.into(),
            latency_microseconds: microseconds(event.latency),
            message: Octets(event.message.to_vec()),
            verification: event.verification.as_ref().into(),
        }
    }
}

impl TryFrom<Event> for VerdictEvent {
    type Error = Refused;

    fn try_from(event: Event) -> Result<Self, Refused> {
        Ok(Self {
            sequence: event.sequence,
            received: event.received.into(),
            latency: Duration::from_micros(event.latency_microseconds),
            message: Arc::from(event.message.0),
            verification: Arc::new(event.verification.try_into()?),
        })
    }
}

impl TryFrom<CertificateStatusLine> for CertificateStatus {
    type Error = Refused;

    fn try_from(line: CertificateStatusLine) -> Result<Self, Refused> {
        let mut validities = Validity::ALL.iter().copied();
        let period = match (line.start, line.end) {
            (Some(start), Some(end)) => Some((start.into(), end.into())),
            (None, None) => None,
            _ => return Err(Refused::new(Status::Malformed, "`start` without `end`")),
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

fn status(name: &str) -> Result<Status, Refused> {
    Status::of_name(name).ok_or_else(|| unknown("status", name))
}

fn unknown(field: &str, name: &str) -> Refused {
    let name = cut(name);
    Refused::new(Status::Malformed, format!("{field}: {name:?} is not known"))
}
