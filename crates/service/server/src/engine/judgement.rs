//! Verdicts of the receiver on messages, in the form for clients.

use waywarden_v2x_payload::{PayloadCheck as Check, PayloadContradiction, Subject, check_accepted};
use waywarden_v2x_security::region::Borders;
use waywarden_v2x_security::{Accepted, Refusal, ResultCode};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::detect::{NoSpdu, ReadingRefusal as Unfound};
use waywarden_v2x_wire::hash::certificate_digest;
use waywarden_v2x_wire::ieee1609dot2::{
    HashedId8, Ieee1609Dot2Content, Ieee1609Dot2Data, ServiceSpecificPermissions, SignedData,
    SignerIdentifier,
};

use super::queue::MessageToVerify;
use waywarden_v2x_service_protocol::verdict::{
    PayloadResult, PayloadVerdict, Report, Verification,
};

/// The verdict on a message. If there are `borders`, the payload of an accepted one is checked, and
/// `count` gets the result.
pub(super) fn of(
    (message, outcome): (&MessageToVerify, &Result<Accepted<'_>, Refusal>),
    borders: Option<&dyn Borders>,
    count: impl FnOnce(&Check),
) -> Verification {
    let one = match outcome {
        Ok(one) => one,
        Err(refusal) => return refused(message.received().message, refusal),
    };
    let verdict = accepted(one);
    let Some(borders) = borders else {
        return verdict;
    };
    let check = check_accepted(one, borders);
    count(&check);
    let result = match (check.failures.is_empty(), check.checked.is_empty()) {
        (false, _) => PayloadResult::Failed,
        (true, false) => PayloadResult::Passed,
        (true, true) => PayloadResult::NotChecked,
    };
    let has_failed = result == PayloadResult::Failed;
    let is_reported = has_failed || message.reports_payload_check;
    let failure = check.failures.first().map(PayloadContradiction::subject);
    Verification {
        // A client that reads the report alone refuses the message, too.
        report: failure.map_or(verdict.report, |subject| match subject {
            Subject::Place => Report::InvalidMobilityData,
            _ => Report::InvalidCertificate,
        }),
        // Without the payload a client that reads the result alone has nothing to act upon.
        payload: verdict.payload.filter(|_| !has_failed),
        payload_check: is_reported.then(|| {
            let text = check.to_string();
            Box::new(PayloadVerdict { result, text })
        }),
        ..verdict
    }
}

/// The verdict on a message that is accepted.
fn accepted(accepted: &Accepted<'_>) -> Verification {
    let permissions = accepted.permissions().and_then(|ssp| match ssp {
        ServiceSpecificPermissions::Opaque(bytes) => Some(bytes.to_vec()),
        ServiceSpecificPermissions::Bitmap(bits) => Some(bits.as_bytes().to_vec()),
        ServiceSpecificPermissions::Unknown(..) => None,
    });
    Verification {
        permissions,
        signer: Some(accepted.signer.id()),
        payload: payload(&accepted.data),
        ..claimed(&accepted.data, ResultCode::Success)
    }
}

/// The verdict on an SPDU that is refused.
fn refused(spdu: &[u8], refusal: &Refusal) -> Verification {
    let data = parse::<Ieee1609Dot2Data<'_>>(spdu).ok();
    let claimed = match data.as_ref().map(|data| &data.content) {
        Some(Ieee1609Dot2Content::Signed(signed)) => Verification {
            signer: signer(signed),
            report: Report::of(refusal),
            ..claimed(signed, refusal.code)
        },
        Some(Ieee1609Dot2Content::Unsecured(_)) => Verification {
            report: Report::UnsignedMessage,
            ..unknown(refusal.code)
        },
        _ => unknown(refusal.code),
    };
    Verification {
        reason: refusal.reason.to_string(),
        certificate: refusal.certificate,
        field: refusal.field.into(),
        ..claimed
    }
}

/// The verdict on bytes in which there is no SPDU.
pub(super) fn not_found(error: &NoSpdu) -> Verification {
    let result = match error.is_unsupported() {
        true => ResultCode::ParsingUnsupportedCriticalInformationField,
        false => ResultCode::ParsingInvalidInput,
    };
    let report = match error.refusal {
        Unfound::Unsecured(_) => Report::UnsignedMessage,
        _ => Report::of_code(result),
    };
    Verification {
        report,
        reason: error.to_string(),
        ..unknown(result)
    }
}

/// Returns the claims of a signed message.
fn claimed(signed: &SignedData<'_>, result: ResultCode) -> Verification {
    let header = &signed.tbs_data.header_info;
    Verification {
        psid: Some(header.psid),
        generation_time: header.generation_time,
        generation_location: header.generation_location,
        ..unknown(result)
    }
}

fn unknown(result: ResultCode) -> Verification {
    Verification {
        result,
        report: Report::of_code(result),
        reason: String::new(),
        certificate: None,
        field: "".into(),
        signer: None,
        psid: None,
        permissions: None,
        generation_time: None,
        generation_location: None,
        payload: None,
        payload_check: None,
    }
}

/// The payload of a message that carries it in the clear.
fn payload(signed: &SignedData<'_>) -> Option<Vec<u8>> {
    let data = signed.tbs_data.payload.data?.view().ok()?;
    match data.content {
        Ieee1609Dot2Content::Unsecured(payload) => Some(payload.to_vec()),
        _ => None,
    }
}

/// Returns the claimed signer.
fn signer(signed: &SignedData<'_>) -> Option<HashedId8> {
    match signed.signer {
        SignerIdentifier::Digest(id) => Some(id),
        SignerIdentifier::Certificate(list) => {
            let own = list.iter().next()?.ok()?;
            Some(certificate_digest(&own)?.id_8())
        }
        SignerIdentifier::OwnKey(_) => None,
    }
}
