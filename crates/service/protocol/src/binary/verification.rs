//! A verdict in the binary form.

use std::borrow::Cow;

use waywarden_v2x_security::ResultCode;
use waywarden_v2x_wire::ieee1609dot2::{Psid, Time64};

use super::field::{Reader, Writer, malformed};
use crate::RefusedRequest;
use crate::verdict::{PayloadResult, PayloadVerdict, Report, Verification};

const CERTIFICATE: u8 = 1;
const SIGNER: u8 = 2;
const PSID: u8 = 4;
const PERMISSIONS: u8 = 8;
const GENERATION_TIME: u8 = 16;
const GENERATION_LOCATION: u8 = 32;
const PAYLOAD: u8 = 64;
const PAYLOAD_CHECK: u8 = 128;
const FLAGS: u8 = 255;

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Verification, RefusedRequest> {
    let flags = reader.flags(FLAGS)?;
    let has = |flag| flags & flag != 0;
    let result = numbered(ResultCode::ALL, "result", reader.u8("result")?)?;
    let report = numbered(Report::ALL, "report", reader.u8("report")?)?;
    let mut verification = Verification {
        result,
        report,
        reason: reader.short_text("reason")?,
        certificate: None,
        field: Cow::Owned(reader.short_text("field")?),
        signer: None,
        psid: None,
        permissions: None,
        generation_time: None,
        generation_location: None,
        payload: None,
        payload_check: None,
    };
    if has(CERTIFICATE) {
        verification.certificate = Some(reader.id("certificate")?);
    }
    if has(SIGNER) {
        verification.signer = Some(reader.id("signer")?);
    }
    if has(PSID) {
        verification.psid = Some(Psid(reader.u64("psid")?));
    }
    if has(PERMISSIONS) {
        verification.permissions = Some(reader.short("permissions")?.to_vec());
    }
    if has(GENERATION_TIME) {
        verification.generation_time = Some(Time64(reader.u64("generationTime")?));
    }
    if has(GENERATION_LOCATION) {
        verification.generation_location = Some(reader.location("generationLocation")?);
    }
    if has(PAYLOAD) {
        verification.payload = Some(reader.long("payload")?.to_vec());
    }
    if has(PAYLOAD_CHECK) {
        let result = reader.u8("payloadCheck.result")?;
        verification.payload_check = Some(Box::new(PayloadVerdict {
            result: numbered(&PayloadResult::ALL, "payloadCheck.result", result)?,
            text: reader.short_text("payloadCheck.resultText")?,
        }));
    }
    Ok(verification)
}

pub(super) fn write(writer: &mut Writer, verification: &Verification) {
    let Verification {
        result,
        report,
        reason,
        certificate,
        field,
        signer,
        psid,
        permissions,
        generation_time,
        generation_location,
        payload,
        payload_check,
    } = verification;
    let flag = |flag, is_set| if is_set { flag } else { 0 };
    writer.u8(flag(CERTIFICATE, certificate.is_some())
        | flag(SIGNER, signer.is_some())
        | flag(PSID, psid.is_some())
        | flag(PERMISSIONS, permissions.is_some())
        | flag(GENERATION_TIME, generation_time.is_some())
        | flag(GENERATION_LOCATION, generation_location.is_some())
        | flag(PAYLOAD, payload.is_some())
        | flag(PAYLOAD_CHECK, payload_check.is_some()));
    writer.u8(*result as u8);
    writer.u8(*report as u8);
    writer.reason(reason);
    writer.reason(field);
    if let Some(certificate) = certificate {
        writer.array(&certificate.0);
    }
    if let Some(signer) = signer {
        writer.array(&signer.0);
    }
    if let Some(psid) = psid {
        writer.u64(psid.0);
    }
    if let Some(permissions) = permissions {
        writer.short("permissions", permissions);
    }
    if let Some(time) = generation_time {
        writer.u64(time.0);
    }
    if let Some(location) = generation_location {
        writer.location(location);
    }
    if let Some(payload) = payload {
        writer.long("payload", payload);
    }
    if let Some(check) = payload_check {
        writer.u8(check.result as u8);
        writer.reason(&check.text);
    }
}

/// Returns the value of a number: each list is in the order of its numbers.
fn numbered<T: Copy>(all: &[T], field: &str, number: u8) -> Result<T, RefusedRequest> {
    let value = all.get(usize::from(number)).copied();
    value.ok_or_else(|| malformed(format!("{field}: {number} is not known")))
}
