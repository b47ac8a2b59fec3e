//! A service without keys: what it signs has a mark in front, and what has the mark is accepted.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Mutex;

use tokio::sync::broadcast;
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_service::access::Grant;
use waywarden_v2x_service::service::{Reply, Service};
use waywarden_v2x_service_protocol::verdict::{Report, VerdictEvent, Verification};
use waywarden_v2x_service_protocol::{
    RefusedRequest, Request, RequestedOperation, ResponseBody, SignRequest, Status,
};
use waywarden_v2x_wire::ieee1609dot2::{Psid, Time64};

/// Bytes before a payload in place of a header.
pub(crate) const MARK: [u8; 3] = [0x03, 0x81, 0x00];
/// Expiry of all messages: 2026-11-23T06:26:35Z.
pub(crate) const EXPIRES: Time64 = Time64(722_500_000_250_000);

/// The service. A payload `hang` has no answer until it is dropped.
pub(crate) struct Stub {
    events: broadcast::Sender<VerdictEvent>,
    hanging: Mutex<Vec<Reply>>,
    /// The last payload to sign.
    pub(crate) last: Mutex<Option<SignRequest>>,
}

impl Stub {
    pub(crate) fn new() -> Self {
        Self {
            events: broadcast::channel(16).0,
            hanging: Mutex::default(),
            last: Mutex::default(),
        }
    }

    fn sign(&self, grant: &Grant, sign: SignRequest) -> Result<ResponseBody, RefusedRequest> {
        if !grant.sign.contains(&sign.psid) {
            return Err(RefusedRequest::new(Status::PsidNotAuthorized, "no grant"));
        }
        let message = [&MARK[..], &sign.payload].concat();
        *self.last.lock().unwrap() = Some(sign);
        Ok(ResponseBody::Signed {
            message,
            expires: EXPIRES,
        })
    }
}

impl Service for Stub {
    fn submit(&self, grant: &Grant, request: Request, reply: Reply) {
        match request.operation {
            RequestedOperation::Sign(sign) if sign.payload == b"hang" => {
                self.hanging.lock().unwrap().push(reply);
            }
            RequestedOperation::Sign(sign) => reply.send(self.sign(grant, sign)),
            RequestedOperation::Verify(verify) => {
                reply.send(Ok(ResponseBody::Verified(verdict_on(&verify.message))));
            }
            RequestedOperation::Health => {
                reply.send(Ok(ResponseBody::Health("{\"works\":true}".into())));
            }
            _ => reply.send(Err(RefusedRequest::new(
                Status::Overloaded,
                "only for tests",
            ))),
        }
    }

    fn subscribe(&self) -> broadcast::Receiver<VerdictEvent> {
        self.events.subscribe()
    }

    fn metrics(&self) -> String {
        "waywarden_messages_total 1\n# EOF\n".to_owned()
    }
}

/// Returns a grant to sign for an application.
pub(crate) fn grant(psid: u64) -> Grant {
    Grant {
        sign: BTreeSet::from([Psid(psid)]),
        decrypt: false,
    }
}

fn verdict_on(message: &[u8]) -> Verification {
    let payload = message.strip_prefix(&MARK).map(<[u8]>::to_vec);
    let (result, report, reason) = match payload {
        Some(_) => (ResultCode::Success, Report::Success, ""),
        None => (
            ResultCode::InconsistentInputParameters,
            Report::UnsignedMessage,
            "not signed data",
        ),
    };
    Verification {
        result,
        report,
        reason: reason.to_owned(),
        certificate: None,
        field: Cow::Borrowed(if payload.is_some() { "" } else { "content" }),
        signer: None,
        psid: payload.is_some().then_some(Psid(32)),
        permissions: None,
        generation_time: None,
        generation_location: None,
        payload,
        payload_check: None,
    }
}
