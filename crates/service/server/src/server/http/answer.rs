//! One HTTP request: checked, handed to the service, and answered.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{
    ALLOW, AUTHORIZATION, CONNECTION, CONTENT_TYPE, HeaderMap, HeaderValue, ORIGIN, RETRY_AFTER,
    WWW_AUTHENTICATE,
};
use hyper::{Method, Request as HttpRequest, Response as HttpResponse, StatusCode};
use tokio::sync::oneshot;
use tokio::time::timeout;
use waywarden_v2x_wire::ieee1609dot2::Psid;

use super::body::{self, SignBody, VerifyBody};
use super::places::Place;
use super::{HttpSettings, TokenGrants};
use crate::access::Grant;
use crate::server::ServerStatistics;
use crate::service::{Reply, Service};
use waywarden_v2x_service_protocol::{
    RefusedRequest, Request, RequestedOperation, ResponseBody, SignRequest, Status, VerifyRequest,
};

type Answer = HttpResponse<Full<Bytes>>;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const OCTETS: &[u8] = b"application/octet-stream";
/// The content type of the crate that counts.
const METRICS: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// State shared by the connections.
pub(super) struct Answerer {
    service: Arc<dyn Service>,
    tokens: TokenGrants,
    settings: Arc<HttpSettings>,
    statistics: Arc<ServerStatistics>,
}

/// A refusal of a request.
enum Refusal {
    /// By HTTP's own rules.
    Http(StatusCode, &'static str),
    /// The path takes another method.
    Method(&'static str),
    /// The token is missing.
    NoToken,
    /// The token is not known, and the connection is closed or not.
    WrongToken { is_last: bool },
    /// The body is no request.
    Unreadable(RefusedRequest),
    /// By the service.
    Service(RefusedRequest),
}

impl From<RefusedRequest> for Refusal {
    fn from(refused: RefusedRequest) -> Self {
        Self::Service(refused)
    }
}

impl Answerer {
    pub(super) fn new(
        service: Arc<dyn Service>,
        tokens: TokenGrants,
        settings: Arc<HttpSettings>,
        statistics: Arc<ServerStatistics>,
    ) -> Self {
        Self {
            service,
            tokens,
            settings,
            statistics,
        }
    }

    pub(super) async fn answer(
        &self,
        request: HttpRequest<Incoming>,
        place: &Place,
    ) -> Result<Answer, Infallible> {
        let _working = place.work();
        let refusal = match self.checked(request, place).await {
            Ok(answer) => return Ok(answer),
            Err(refusal) => refusal,
        };
        let answer = refusal_answer(&refusal);
        // The engine's refusals are counted as its answers.
        if !matches!(refusal, Refusal::Service(_)) {
            self.statistics.count_http_refusal(answer.status().as_u16());
        }
        Ok(answer)
    }

    async fn checked(
        &self,
        request: HttpRequest<Incoming>,
        place: &Place,
    ) -> Result<Answer, Refusal> {
        let post = *request.method() == Method::POST;
        let get = *request.method() == Method::GET;
        match request.uri().path() {
            "/sign" if post => self.sign(request, place).await,
            "/verify" if post => self.verify(request, place).await,
            "/health" if get => self.health(place).await,
            "/metrics" if get => Ok(with_body(METRICS, self.service.metrics().into_bytes())),
            "/sign" | "/verify" => Err(Refusal::Method("POST")),
            "/health" | "/metrics" => Err(Refusal::Method("GET")),
            _ => Err(Refusal::Http(
                StatusCode::NOT_FOUND,
                "POST /sign, POST /verify, GET /metrics and GET /health are served",
            )),
        }
    }

    async fn sign(&self, request: HttpRequest<Incoming>, place: &Place) -> Result<Answer, Refusal> {
        // Before the body: who may not sign is not read.
        let grant = match bearer(request.headers()) {
            Some(token) => self.tokens.of(token),
            None => Some(self.without_token(request.headers())?),
        };
        let Some(grant) = grant else {
            return Err(self.wrong_token(place).await);
        };
        let body = self.body(request, place).await?;
        let SignBody {
            message,
            sig_validity_override,
            psid,
            kind,
        } = body::parse(&body).map_err(Refusal::Unreadable)?;
        let psid = self.application(psid, kind.as_deref())?;
        let seconds = u64::try_from(sig_validity_override.0).ok();
        let operation = RequestedOperation::Sign(SignRequest {
            psid,
            permissions: None,
            payload: message.0,
            signer: None,
            location: None,
            lifetime: seconds
                .filter(|seconds| *seconds > 0)
                .map(Duration::from_secs),
        });
        match self.ask((&grant, place), operation).await? {
            ResponseBody::Signed { message, expires } => Ok(with_body(
                JSON,
                body::signed(&message, expires, kind.is_some())?,
            )),
            _ => Err(other_answer()),
        }
    }

    /// Returns the application to sign for: of the request, of its type, or the configured one.
    fn application(&self, psid: Option<u64>, kind: Option<&str>) -> Result<Psid, Refusal> {
        let refusal = |reason| Refusal::Unreadable(RefusedRequest::new(Status::Malformed, reason));
        let types = &self.settings.sign_types;
        if let Some(kind) = kind.filter(|_| psid.is_none() && !types.is_empty()) {
            let known = types.iter().find(|(own, _)| own.eq_ignore_ascii_case(kind));
            return known.map(|(_, psid)| *psid).ok_or_else(|| {
                let kind: String = kind.chars().take(40).collect();
                let known: Vec<_> = types.keys().map(String::as_str).collect();
                let known = known.join(", ");
                refusal(format!(
                    "type: {kind:?} is not in [http] sign_types: {known}"
                ))
            });
        }
        psid.map(Psid).or(self.settings.sign_psid).ok_or_else(|| {
            let reason = "no application: configure the one that /sign signs for, or add `psid`";
            refusal(reason.to_owned())
        })
    }

    /// Returns what a client without a token may do. A page that a browser of this computer shows
    /// may not: it names its origin, or cannot send JSON unasked.
    fn without_token(&self, headers: &HeaderMap) -> Result<Grant, Refusal> {
        let content = content_type(headers).unwrap_or_default();
        let is_json = content.eq_ignore_ascii_case(JSON.as_bytes());
        let is_program = is_json && !headers.contains_key(ORIGIN);
        let is_without = !headers.contains_key(AUTHORIZATION);
        let grant = &self.settings.without_token;
        match is_program && is_without && !grant.is_empty() {
            true => Ok(grant.clone()),
            false => Err(Refusal::NoToken),
        }
    }

    async fn verify(
        &self,
        request: HttpRequest<Incoming>,
        place: &Place,
    ) -> Result<Answer, Refusal> {
        let is_octets = content_type(request.headers())
            .is_some_and(|content| content.eq_ignore_ascii_case(OCTETS));
        let body = self.body(request, place).await?;
        let verify = if is_octets {
            VerifyRequest {
                message: body.to_vec(),
                psid: None,
                reports_payload_check: false,
            }
        } else {
            let parsed = body::parse(&body).map_err(Refusal::Unreadable)?;
            let VerifyBody {
                message,
                psid,
                payload_check,
            } = parsed;
            VerifyRequest {
                message: message.0,
                psid: psid.map(Psid),
                reports_payload_check: payload_check,
            }
        };
        let operation = RequestedOperation::Verify(verify);
        match self.ask((&Grant::default(), place), operation).await? {
            ResponseBody::Verified(one) => Ok(with_body(JSON, body::verified(one)?)),
            _ => Err(other_answer()),
        }
    }

    async fn health(&self, place: &Place) -> Result<Answer, Refusal> {
        match self
            .ask((&Grant::default(), place), RequestedOperation::Health)
            .await?
        {
            ResponseBody::Health(json) => Ok(with_body(JSON, json.into_bytes())),
            _ => Err(other_answer()),
        }
    }

    /// Counts a wrong token and delays its answer, as stream connections do.
    async fn wrong_token(&self, place: &Place) -> Refusal {
        self.statistics.wrong_tokens.increment();
        let count = place.wrong_tokens.fetch_add(1, Ordering::Relaxed) + 1;
        // Once a connection.
        let line = (count == 1).then(|| self.statistics.logged.wrong_token.admit());
        if let Some(line) = line.flatten() {
            let (peer, more) = (place.peer, line.more);
            tracing::warn!(%peer, more, "a token is not known");
        }
        let _waiting = place.pause();
        tokio::time::sleep(self.settings.wrong_token_delay).await;
        Refusal::WrongToken {
            is_last: count >= self.settings.wrong_tokens,
        }
    }

    /// Hands a request to the service and waits for the answer.
    async fn ask(
        &self,
        (grant, place): (&Grant, &Place),
        operation: RequestedOperation,
    ) -> Result<ResponseBody, Refusal> {
        let request = Request {
            id: 0,
            deadline: None,
            operation,
        };
        request.check().map_err(Refusal::Unreadable)?;
        let (send, receive) = oneshot::channel();
        let reply = Reply::new(0, move |response| {
            // The client may be gone.
            let _ = send.send(response.body);
        });
        self.service
            .submit(grant, request, reply.of_client(place.client));
        let late = |_| RefusedRequest::new(Status::DeadlineExceeded, "the service took too long");
        let answered = timeout(self.settings.answer, receive).await.map_err(late)?;
        let failed = |_| Err(RefusedRequest::new(Status::Internal, "the service failed"));
        Ok(answered.unwrap_or_else(failed)?)
    }

    /// Reads the body of a request, which is no longer and takes no longer than it may.
    async fn body(&self, request: HttpRequest<Incoming>, place: &Place) -> Result<Bytes, Refusal> {
        const TOO_LONG: Refusal =
            Refusal::Http(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long");
        let most = self.settings.body_bytes;
        // What says to be too long is not read at all.
        if request.body().size_hint().lower() > most as u64 {
            return Err(TOO_LONG);
        }
        let _waiting = place.pause();
        let reading = Limited::new(request.into_body(), most).collect();
        match timeout(self.settings.body, reading).await {
            Err(_) => Err(Refusal::Http(
                StatusCode::REQUEST_TIMEOUT,
                "the body took too long",
            )),
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(TOO_LONG),
            Ok(Err(_)) => Err(Refusal::Http(
                StatusCode::BAD_REQUEST,
                "the body cannot be read",
            )),
            Ok(Ok(body)) => Ok(body.to_bytes()),
        }
    }
}

fn other_answer() -> Refusal {
    RefusedRequest::new(Status::Internal, "the service answered another operation").into()
}

/// Returns the token of `Authorization: Bearer TOKEN`.
fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let value = headers.get(AUTHORIZATION)?.as_bytes();
    let (scheme, token) = value.split_at_checked(7)?;
    let token = token.trim_ascii();
    (scheme.eq_ignore_ascii_case(b"bearer ") && !token.is_empty()).then_some(token)
}

/// Returns the content type without its parameters.
fn content_type(headers: &HeaderMap) -> Option<&[u8]> {
    let value = headers.get(CONTENT_TYPE)?.as_bytes();
    let value = value.split(|byte| *byte == b';').next()?;
    Some(value.trim_ascii())
}

fn with_body(kind: HeaderValue, body: Vec<u8>) -> Answer {
    let mut answer = HttpResponse::new(Full::from(body));
    answer.headers_mut().insert(CONTENT_TYPE, kind);
    answer
}

fn refusal_answer(refusal: &Refusal) -> Answer {
    let (code, refused, header) = match refusal {
        Refusal::Http(code, reason) => {
            let status = match *code {
                StatusCode::PAYLOAD_TOO_LARGE => Status::TooLong,
                StatusCode::REQUEST_TIMEOUT => Status::DeadlineExceeded,
                StatusCode::NOT_FOUND => Status::Unsupported,
                _ => Status::Malformed,
            };
            (*code, RefusedRequest::new(status, *reason), None)
        }
        Refusal::Method(allowed) => {
            let reason = format!("the path takes {allowed}");
            let header = (ALLOW, HeaderValue::from_static(allowed));
            let refused = RefusedRequest::new(Status::Unsupported, reason);
            (StatusCode::METHOD_NOT_ALLOWED, refused, Some(header))
        }
        Refusal::NoToken | Refusal::WrongToken { .. } => {
            let reason = "a known token is expected in `Authorization: Bearer TOKEN`";
            let header = (WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            let refused = RefusedRequest::new(Status::NotAuthorized, reason);
            (StatusCode::UNAUTHORIZED, refused, Some(header))
        }
        Refusal::Unreadable(refused) | Refusal::Service(refused) => {
            let code = code_of(refused.status);
            let header = (code == StatusCode::SERVICE_UNAVAILABLE)
                .then_some((RETRY_AFTER, HeaderValue::from_static("1")));
            (code, refused.clone(), header)
        }
    };
    let mut answer = with_body(JSON, body::refused(&refused, code.as_u16()));
    *answer.status_mut() = code;
    answer.headers_mut().extend(header);
    if matches!(refusal, Refusal::WrongToken { is_last: true }) {
        let close = HeaderValue::from_static("close");
        answer.headers_mut().insert(CONNECTION, close);
    }
    answer
}

/// Returns the HTTP status of a status of the service.
fn code_of(status: Status) -> StatusCode {
    match status {
        Status::Ok => StatusCode::OK,
        Status::Malformed | Status::Unsupported => StatusCode::BAD_REQUEST,
        Status::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
        Status::NotAuthorized | Status::PsidNotAuthorized | Status::NotPermitted => {
            StatusCode::FORBIDDEN
        }
        Status::OutsidePolicy | Status::NotEncrypted | Status::NotDecrypted | Status::NotSigned => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        Status::NoCertificate
        | Status::TimeNotTrusted
        | Status::LocationUnknown
        | Status::Overloaded
        | Status::TooManyConnections
        | Status::ShuttingDown => StatusCode::SERVICE_UNAVAILABLE,
        Status::DeadlineExceeded => StatusCode::GATEWAY_TIMEOUT,
        Status::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
