//! Random requests and responses.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use waywarden_testkit::Random;
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_service_protocol::verdict::{
    PayloadResult, PayloadVerdict, Report, VerdictEvent, Verification,
};
use waywarden_v2x_service_protocol::{
    CertificateQuery, CertificateStatus, CertificateValidity, ClientToken, DecryptRequest,
    EncryptRequest, EncryptionKeyOf, ExhaustedShare, OperationKind, RefusedRequest, Request,
    RequestedOperation, Response, ResponseBody, SignRequest, Status, VerifyRequest,
};
use waywarden_v2x_signing::SignerForm;
use waywarden_v2x_wire::ieee1609dot2::{
    Elevation, HashedId8, Latitude, Longitude, Psid, ThreeDLocation, Time64,
};
use zeroize::Zeroizing;

/// A request of each kind in turn.
pub(crate) fn request(random: &mut Random, kind: OperationKind) -> Request {
    let operation = match kind {
        OperationKind::Sign => RequestedOperation::Sign(sign(random)),
        OperationKind::Verify => RequestedOperation::Verify(verify(random)),
        OperationKind::VerifyMany => RequestedOperation::VerifyMany(several(random, verify)),
        OperationKind::Encrypt => RequestedOperation::Encrypt(EncryptRequest {
            recipients: several(random, |random| match query(random) {
                CertificateQuery::Certificate(one) => EncryptionKeyOf::Certificate(one),
                CertificateQuery::Id(id) => EncryptionKeyOf::Known(id),
            }),
            data: random.bytes_up_to(40),
            is_secured: random.once_in(2),
        }),
        OperationKind::Decrypt => RequestedOperation::Decrypt(DecryptRequest {
            message: random.bytes_up_to(40),
        }),
        OperationKind::CertificateStatus => RequestedOperation::CertificateStatus(query(random)),
        OperationKind::Statistics => RequestedOperation::Statistics,
        OperationKind::Health => RequestedOperation::Health,
        OperationKind::Authenticate => {
            let length = random.index(256) + 1;
            let token = (0..length).map(|_| b'!' + random.below(94) as u8);
            RequestedOperation::Authenticate(ClientToken(Zeroizing::new(token.collect())))
        }
        OperationKind::Subscribe => RequestedOperation::Subscribe,
        OperationKind::ChangeCertificate => {
            RequestedOperation::ChangeCertificate(Psid(number(random)))
        }
    };
    Request {
        id: number(random),
        deadline: maybe(random, |random| {
            Duration::from_micros(random.below(u64::from(u32::MAX)) + 1)
        }),
        operation,
    }
}

/// A response to a request of a kind: done or refused. `None` is an event.
pub(crate) fn response(random: &mut Random, kind: Option<OperationKind>) -> Response {
    let body = match random.once_in(4) {
        true => Err(refused(random)),
        false => Ok(body(random, kind)),
    };
    let id = number(random);
    Response { id, body }
}

/// A verdict with any fields.
pub(crate) fn verification(random: &mut Random) -> Verification {
    Verification {
        result: one_of(random, ResultCode::ALL),
        report: one_of(random, Report::ALL),
        reason: text(random),
        certificate: maybe(random, id),
        field: Cow::Owned(text(random)),
        signer: maybe(random, id),
        psid: maybe(random, |random| Psid(number(random))),
        permissions: maybe(random, |random| random.bytes_up_to(31)),
        generation_time: maybe(random, time),
        generation_location: maybe(random, location),
        payload: maybe(random, |random| random.bytes_up_to(60)),
        payload_check: maybe(random, |random| {
            Box::new(PayloadVerdict {
                result: PayloadResult::ALL[random.below(3) as usize],
                text: text(random),
            })
        }),
    }
}

fn body(random: &mut Random, kind: Option<OperationKind>) -> ResponseBody {
    let Some(kind) = kind else {
        return ResponseBody::Event {
            lost: number(random),
            event: VerdictEvent {
                sequence: number(random),
                received: time(random),
                latency: Duration::from_micros(random.u64() >> 20),
                message: Arc::from(random.bytes_up_to(60)),
                verification: Arc::new(verification(random)),
            },
        };
    };
    match kind {
        OperationKind::Sign => ResponseBody::Signed {
            message: random.bytes_up_to(60),
            expires: time(random),
        },
        OperationKind::Verify => ResponseBody::Verified(verification(random)),
        OperationKind::VerifyMany => {
            ResponseBody::VerifiedMany(several(random, |random| match random.once_in(3) {
                true => Err(refused(random)),
                false => Ok(verification(random)),
            }))
        }
        OperationKind::Encrypt => ResponseBody::Encrypted(random.bytes_up_to(60)),
        OperationKind::Decrypt => ResponseBody::Decrypted(random.bytes_up_to(60)),
        OperationKind::CertificateStatus => ResponseBody::CertificateStatus(CertificateStatus {
            id: id(random),
            validity: one_of(random, CertificateValidity::ALL),
            period: maybe(random, |random| (time(random), time(random))),
            reason: text(random),
        }),
        OperationKind::Statistics => ResponseBody::Statistics(report(random)),
        OperationKind::Health => ResponseBody::Health(report(random)),
        OperationKind::Authenticate => ResponseBody::Authenticated,
        OperationKind::Subscribe => ResponseBody::Subscribed,
        OperationKind::ChangeCertificate => ResponseBody::CertificateChanged {
            id: id(random),
            until: time(random),
        },
    }
}

fn sign(random: &mut Random) -> SignRequest {
    const FORMS: [SignerForm; 3] = [
        SignerForm::Digest,
        SignerForm::Certificate,
        SignerForm::Chain,
    ];
    SignRequest {
        psid: Psid(number(random)),
        permissions: maybe(random, |random| random.bytes_up_to(31)),
        payload: random.bytes_up_to(60),
        signer: maybe(random, |random| one_of(random, &FORMS)),
        location: maybe(random, location),
        lifetime: maybe(random, |random| Duration::from_micros(number(random))),
    }
}

fn verify(random: &mut Random) -> VerifyRequest {
    VerifyRequest {
        message: random.bytes_up_to(60),
        psid: maybe(random, |random| Psid(number(random))),
        reports_payload_check: random.below(2) == 1,
    }
}

fn query(random: &mut Random) -> CertificateQuery {
    match random.once_in(2) {
        true => CertificateQuery::Certificate(random.bytes_up_to(60)),
        false => CertificateQuery::Id(id(random)),
    }
}

fn refused(random: &mut Random) -> RefusedRequest {
    let status = one_of(random, &Status::ALL[1..]);
    let is_overloaded = status == Status::Overloaded;
    let share = is_overloaded.then(|| maybe(random, |random| one_of(random, ExhaustedShare::ALL)));
    RefusedRequest {
        share: share.flatten(),
        ..RefusedRequest::new(status, text(random))
    }
}

fn report(random: &mut Random) -> String {
    format!(
        "{{\"messages\": {}, \"z\": [\"a\\n\", null]}}",
        random.u64()
    )
}

fn location(random: &mut Random) -> ThreeDLocation {
    ThreeDLocation {
        latitude: Latitude(random.below(1_800_000_002) as i32 - 900_000_000),
        longitude: Longitude((random.below(3_600_000_001) as i64 - 1_799_999_999) as i32),
        elevation: Elevation(random.u64() as u16),
    }
}

/// A time of this century, of any millennium, or at an edge.
fn time(random: &mut Random) -> Time64 {
    match random.below(3) {
        0 => Time64(random.below(3_000_000_000_000_000)),
        _ => Time64(number(random)),
    }
}

fn id(random: &mut Random) -> HashedId8 {
    HashedId8(random.array())
}

/// A number of any length, or at an edge.
fn number(random: &mut Random) -> u64 {
    match random.below(8) {
        0 => 0,
        1 => u64::MAX,
        _ => random.u64() >> random.below(64),
    }
}

fn text(random: &mut Random) -> String {
    const CHARACTERS: [char; 8] = ['a', ' ', '"', '\\', '\n', 'ß', '€', '\u{1F697}'];
    let length = random.index(12);
    (0..length).map(|_| one_of(random, &CHARACTERS)).collect()
}

fn several<T>(random: &mut Random, one: impl Fn(&mut Random) -> T) -> Vec<T> {
    let count = random.index(5) + 1;
    (0..count).map(|_| one(random)).collect()
}

fn maybe<T>(random: &mut Random, one: impl FnOnce(&mut Random) -> T) -> Option<T> {
    random.once_in(2).then(|| one(random))
}

fn one_of<T: Copy>(random: &mut Random, all: &[T]) -> T {
    all[random.index(all.len())]
}
