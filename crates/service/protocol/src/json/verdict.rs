//! Verdicts in the JSON form.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_wire::ieee1609dot2::{Psid, Time64};

use super::value::{Id, Location, Moment, Octets, microseconds};
use crate::bounds::cut;
use crate::verdict::{PayloadResult, PayloadVerdict, Report, VerdictEvent, Verification};
use crate::{ExhaustedShare, RefusedRequest, Status};

/// A verdict as the JSON form has it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JsonVerdict {
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    payload_check: Option<PayloadCheckObject>,
}

/// A payload check as the JSON form has it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PayloadCheckObject {
    result: String,
    result_text: String,
}

/// A verdict of many, or why there is none.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VerdictOrRefusal {
    status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verification: Option<JsonVerdict>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    share: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// A verdict as it fell, as the JSON form has it. Recordings have one a line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JsonVerdictEvent {
    sequence: u64,
    received: Moment,
    latency_microseconds: u64,
    message: Octets,
    verification: JsonVerdict,
}

impl From<&Verification> for JsonVerdict {
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
            payload_check: verification
                .payload_check
                .as_deref()
                .map(|check| PayloadCheckObject {
                    result: check.result.name().to_owned(),
                    result_text: cut(&check.text).to_owned(),
                }),
        }
    }
}

impl TryFrom<PayloadCheckObject> for Box<PayloadVerdict> {
    type Error = RefusedRequest;

    fn try_from(check: PayloadCheckObject) -> Result<Self, RefusedRequest> {
        let mut results = PayloadResult::ALL.into_iter();
        let named = results.find(|one| one.name() == check.result);
        Ok(Self::new(PayloadVerdict {
            result: named.ok_or_else(|| unknown("payloadCheck.result", &check.result))?,
            text: check.result_text,
        }))
    }
}

impl TryFrom<JsonVerdict> for Verification {
    type Error = RefusedRequest;

    fn try_from(verdict: JsonVerdict) -> Result<Self, RefusedRequest> {
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
            payload_check: verdict.payload_check.map(Box::try_from).transpose()?,
        })
    }
}

impl VerdictOrRefusal {
    pub(super) fn of(one: &Result<Verification, RefusedRequest>) -> Self {
        match one {
            Ok(verification) => Self {
                status: Status::Ok.name().to_owned(),
                verification: Some(verification.into()),
                share: None,
                reason: None,
            },
            Err(refused) => Self {
                status: refused.status.name().to_owned(),
                verification: None,
                share: refused.share.map(|share| share.name().to_owned()),
                reason: Some(cut(&refused.reason).to_owned()),
            },
        }
    }

    pub(super) fn value(self) -> Result<Result<Verification, RefusedRequest>, RefusedRequest> {
        match (status(&self.status)?, self.verification, self.reason) {
            (Status::Ok, Some(verdict), None) => Ok(Ok(verdict.try_into()?)),
            (status, None, Some(reason)) if status != Status::Ok => {
                refused(status, self.share, reason).map(Err)
            }
            _ => Err(RefusedRequest::new(
                Status::Malformed,
                "either status `ok` and `verification` or another status and `reason` is expected",
            )),
        }
    }
}

impl From<&VerdictEvent> for JsonVerdictEvent {
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

impl TryFrom<JsonVerdictEvent> for VerdictEvent {
    type Error = RefusedRequest;

    fn try_from(event: JsonVerdictEvent) -> Result<Self, RefusedRequest> {
        Ok(Self {
            sequence: event.sequence,
            received: event.received.into(),
            latency: Duration::from_micros(event.latency_microseconds),
            message: Arc::from(event.message.0),
            verification: Arc::new(event.verification.try_into()?),
        })
    }
}

/// Returns the refusal that a line has.
pub(super) fn refused(
    status: Status,
    share: Option<String>,
    reason: String,
) -> Result<RefusedRequest, RefusedRequest> {
    let share = share.map(|name| match ExhaustedShare::of_name(&name) {
        Some(share) if status == Status::Overloaded => Ok(share),
        _ => Err(unknown("share", &name)),
    });
    Ok(RefusedRequest {
        status,
        share: share.transpose()?,
        reason,
    })
}

pub(super) fn status(name: &str) -> Result<Status, RefusedRequest> {
    Status::of_name(name).ok_or_else(|| unknown("status", name))
}

pub(super) fn unknown(field: &str, name: &str) -> RefusedRequest {
    let name = cut(name);
    RefusedRequest::new(Status::Malformed, format!("{field}: {name:?} is not known"))
}
