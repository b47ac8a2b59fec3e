//! Bodies of responses and events in the binary form.

use std::sync::Arc;
use std::time::Duration;

use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::field::{Reader, Writer, malformed};
use super::{EVENT, REFUSED, RESPONSE, unknown_operation, verification};
use crate::bounds::count;
use crate::verdict::{VerdictEvent, Verification};
use crate::{
    CertificateStatus, CertificateValidity, ExhaustedShare, MESSAGES_MAX, OperationKind,
    RefusedRequest, ResponseBody, Status,
};

/// Reads what follows the number of a response.
pub(super) fn read(
    reader: &mut Reader<'_>,
    operation: u8,
) -> Result<Result<ResponseBody, RefusedRequest>, RefusedRequest> {
    let status = read_status(reader)?;
    match (operation, status) {
        (REFUSED, Status::Ok) => Err(malformed("status: a refusal that is ok".to_owned())),
        (REFUSED, status) => read_refused(reader, status).map(Err),
        (EVENT, Status::Ok) => read_event(reader).map(Ok),
        (_, Status::Ok) => {
            let kind = OperationKind::of_number(operation ^ RESPONSE);
            let kind = kind.ok_or_else(|| unknown_operation(operation))?;
            read_body(reader, kind).map(Ok)
        }
        (_, status) => Err(malformed(format!("status: {status} in what is no refusal"))),
    }
}

/// Writes what follows the number of a response.
pub(super) fn write(writer: &mut Writer, body: &Result<ResponseBody, RefusedRequest>) {
    match body {
        Err(refused) => write_refused(writer, refused),
        Ok(body) => {
            writer.u16(Status::Ok as u16);
            write_body(writer, body);
        }
    }
}

fn read_status(reader: &mut Reader<'_>) -> Result<Status, RefusedRequest> {
    let code = reader.u16("status")?;
    Status::of_code(code).ok_or_else(|| malformed(format!("status: {code} is not known")))
}

/// Reads what follows a status that is not `ok`.
fn read_refused(reader: &mut Reader<'_>, status: Status) -> Result<RefusedRequest, RefusedRequest> {
    let reason = reader.short_text("reason")?;
    let share = match status {
        Status::Overloaded => match reader.u8("share")? {
            0 => None,
            code => {
                let unknown = || malformed(format!("share: {code} is not known"));
                Some(ExhaustedShare::of_code(code).ok_or_else(unknown)?)
            }
        },
        _ => None,
    };
    Ok(RefusedRequest {
        status,
        share,
        reason,
    })
}

fn write_refused(writer: &mut Writer, refused: &RefusedRequest) {
    writer.u16(refused.status as u16);
    writer.reason(&refused.reason);
    if refused.status == Status::Overloaded {
        writer.u8(refused.share.map_or(0, |share| share as u8));
    }
}

fn read_body(reader: &mut Reader<'_>, kind: OperationKind) -> Result<ResponseBody, RefusedRequest> {
    Ok(match kind {
        OperationKind::Sign => ResponseBody::Signed {
            message: reader.long("message")?.to_vec(),
            expires: Time64(reader.u64("expires")?),
        },
        OperationKind::Verify => ResponseBody::Verified(verification::read(reader)?),
        OperationKind::VerifyMany => ResponseBody::VerifiedMany(read_many(reader)?),
        OperationKind::Encrypt => ResponseBody::Encrypted(reader.long("message")?.to_vec()),
        OperationKind::Decrypt => ResponseBody::Decrypted(reader.long("message")?.to_vec()),
        OperationKind::CertificateStatus => {
            ResponseBody::CertificateStatus(read_certificate_status(reader)?)
        }
        OperationKind::Statistics => ResponseBody::Statistics(reader.long_text("statistics")?),
        OperationKind::Health => ResponseBody::Health(reader.long_text("health")?),
        OperationKind::Authenticate => ResponseBody::Authenticated,
        OperationKind::Subscribe => ResponseBody::Subscribed,
        OperationKind::ChangeCertificate => ResponseBody::CertificateChanged {
            id: reader.id("certificateId")?,
            until: Time64(reader.u64("until")?),
        },
    })
}

fn write_body(writer: &mut Writer, body: &ResponseBody) {
    match body {
        ResponseBody::Signed { message, expires } => {
            writer.long("message", message);
            writer.u64(expires.0);
        }
        ResponseBody::Verified(one) => verification::write(writer, one),
        ResponseBody::VerifiedMany(many) => {
            writer.count("verifications", many.len());
            for one in many {
                match one {
                    Ok(one) => {
                        writer.u16(Status::Ok as u16);
                        verification::write(writer, one);
                    }
                    Err(refused) => write_refused(writer, refused),
                }
            }
        }
        ResponseBody::Encrypted(message) | ResponseBody::Decrypted(message) => {
            writer.long("message", message);
        }
        ResponseBody::CertificateStatus(status) => write_certificate_status(writer, status),
        ResponseBody::Statistics(json) => writer.long("statistics", json.as_bytes()),
        ResponseBody::Health(json) => writer.long("health", json.as_bytes()),
        ResponseBody::Authenticated | ResponseBody::Subscribed => {}
        ResponseBody::CertificateChanged { id, until } => {
            writer.array(&id.0);
            writer.u64(until.0);
        }
        ResponseBody::Event { lost, event } => {
            writer.u64(*lost);
            writer.u64(event.sequence);
            writer.u64(event.received.0);
            writer.u64(u64::try_from(event.latency.as_micros()).unwrap_or(u64::MAX));
            writer.long("message", &event.message);
            verification::write(writer, &event.verification);
        }
    }
}

fn read_many(
    reader: &mut Reader<'_>,
) -> Result<Vec<Result<Verification, RefusedRequest>>, RefusedRequest> {
    let verdicts = usize::from(reader.u16("verifications")?);
    count("verifications", verdicts, MESSAGES_MAX)?;
    let read_one = |_| match read_status(reader)? {
        Status::Ok => verification::read(reader).map(Ok),
        status => read_refused(reader, status).map(Err),
    };
    (0..verdicts).map(read_one).collect()
}

fn read_event(reader: &mut Reader<'_>) -> Result<ResponseBody, RefusedRequest> {
    let lost = reader.u64("lost")?;
    let event = VerdictEvent {
        sequence: reader.u64("sequence")?,
        received: Time64(reader.u64("received")?),
        latency: Duration::from_micros(reader.u64("latency")?),
        message: Arc::from(reader.long("message")?),
        verification: Arc::new(verification::read(reader)?),
    };
    Ok(ResponseBody::Event { lost, event })
}

const STATUS_PERIOD: u8 = 1;

fn read_certificate_status(reader: &mut Reader<'_>) -> Result<CertificateStatus, RefusedRequest> {
    let flags = reader.flags(STATUS_PERIOD)?;
    let id = reader.id("certificateId")?;
    let number = reader.u8("validity")?;
    let validity = CertificateValidity::ALL.get(usize::from(number)).copied();
    let validity = validity.ok_or_else(|| malformed(format!("validity: {number} is not known")))?;
    let period = match flags & STATUS_PERIOD {
        0 => None,
        _ => Some((Time64(reader.u64("start")?), Time64(reader.u64("end")?))),
    };
    Ok(CertificateStatus {
        id,
        validity,
        period,
        reason: reader.short_text("reason")?,
    })
}

fn write_certificate_status(writer: &mut Writer, status: &CertificateStatus) {
    writer.u8(if status.period.is_some() {
        STATUS_PERIOD
    } else {
        0
    });
    writer.array(&status.id.0);
    writer.u8(status.validity as u8);
    if let Some((start, end)) = status.period {
        writer.u64(start.0);
        writer.u64(end.0);
    }
    writer.reason(&status.reason);
}
