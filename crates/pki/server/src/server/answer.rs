//! One request: checked, handed to its role, and answered.

use std::convert::Infallible;
use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use hyper::{Request, Response, StatusCode};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::PkiService;
use super::limits::{KINDS, PkiServerLimits};
use super::rate::RateLimiter;
use super::route::{Endpoint, REQUEST_TYPE, RESPONSE_TYPE, Route};

/// The reason for which a role has no response to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoResponse {
    /// The request cannot be read so far that a response could be encrypted: status 400.
    Malformed,
    /// This server does not have the role: status 404.
    NoRole,
    /// The database or another authority does not answer: status 503.
    Unavailable,
    /// The role failed: status 500.
    Failed,
}

impl NoResponse {
    fn status(self) -> StatusCode {
        match self {
            Self::Malformed => StatusCode::BAD_REQUEST,
            Self::NoRole => StatusCode::NOT_FOUND,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

/// A request that was answered or refused. It has no secret: bodies are not in it.
#[derive(Clone, Copy, Debug)]
pub struct RequestEvent<'e> {
    /// Address of the peer.
    pub peer: SocketAddr,
    /// Method of the request.
    pub method: &'e str,
    /// Path of the request: printable, and at most 64 characters.
    pub path: &'e str,
    /// Status code of HTTP.
    pub status: u16,
    /// Length of the answer in bytes.
    pub bytes: usize,
    /// Time from the request to the answer.
    pub took: Duration,
}

impl fmt::Display for RequestEvent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            peer,
            method,
            path,
            status,
            bytes,
            took,
        } = self;
        let milliseconds = took.as_millis();
        write!(
            f,
            "{peer} {method} {path} {status} {bytes} bytes {milliseconds} ms"
        )
    }
}

/// The longest path that is logged.
const PATH_MAX: usize = 64;

/// After so many seconds a peer that asks too often should ask again.
const RETRY_SECONDS: HeaderValue = HeaderValue::from_static("1");

/// State shared by the connections.
pub(super) struct Shared<S> {
    service: Arc<S>,
    limits: PkiServerLimits,
    rates: Mutex<RateLimiter>,
    /// The turns of each kind of request.
    turns: [Arc<Semaphore>; KINDS],
    begun: Instant,
}

type Answer = Response<Full<Bytes>>;

/// A refusal as the peer sees it: the status, and a header with a remedy.
struct Refusal {
    status: StatusCode,
    header: Option<(HeaderName, HeaderValue)>,
}

impl From<StatusCode> for Refusal {
    fn from(status: StatusCode) -> Self {
        Self {
            status,
            header: None,
        }
    }
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Self {
        let mut answer = Response::new(Full::default());
        *answer.status_mut() = refusal.status;
        answer.headers_mut().extend(refusal.header);
        answer
    }
}

impl<S: PkiService> Shared<S> {
    pub(super) fn new(service: Arc<S>, limits: PkiServerLimits) -> Self {
        Self {
            service,
            limits,
            rates: Mutex::new(RateLimiter::new(limits.rate, limits.peers)),
            turns: std::array::from_fn(|_| Arc::new(Semaphore::new(limits.at_once.max(1)))),
            begun: Instant::now(),
        }
    }

    /// Returns the service.
    pub(super) fn service(&self) -> Arc<S> {
        Arc::clone(&self.service)
    }

    pub(super) async fn answer(
        &self,
        peer: SocketAddr,
        request: Request<Incoming>,
    ) -> Result<Answer, Infallible> {
        let begun = Instant::now();
        let method = request.method().clone();
        let path: String = request.uri().path().chars().take(PATH_MAX).collect();
        let answer = self.checked(peer, request).await;
        let answer = answer.unwrap_or_else(Answer::from);
        let bytes = answer.body().size_hint().exact().unwrap_or_default();
        self.service.log(&RequestEvent {
            peer,
            method: method.as_str(),
            path: &path,
            status: answer.status().as_u16(),
            bytes: bytes as usize,
            took: begun.elapsed(),
        });
        Ok(answer)
    }

    async fn checked(
        &self,
        peer: SocketAddr,
        request: Request<Incoming>,
    ) -> Result<Answer, Refusal> {
        let now = self.begun.elapsed();
        let allowed = {
            let mut rates = self.rates.lock().unwrap_or_else(PoisonError::into_inner);
            rates.allow(peer.ip(), now)
        };
        if !allowed {
            return Err(Refusal {
                status: StatusCode::TOO_MANY_REQUESTS,
                header: Some((RETRY_AFTER, RETRY_SECONDS)),
            });
        }
        match Route::of(request.method(), request.uri().path()) {
            Route::Unknown => Err(StatusCode::NOT_FOUND.into()),
            Route::Method(allowed) => Err(Refusal {
                status: StatusCode::METHOD_NOT_ALLOWED,
                header: Some((ALLOW, HeaderValue::from_static(allowed))),
            }),
            Route::Get(document) => {
                let run = move |service: &S| service.document(document);
                let found = self.run(KINDS - 1, run).await?;
                let found = found.ok_or(StatusCode::NOT_FOUND)?;
                Ok(with_body(document.content_type(), found))
            }
            Route::Post(endpoint) => {
                let body = self.body(request).await?;
                let run = move |service: &S| service.answer(endpoint, &body);
                let response = self.run(kind(endpoint), run).await?;
                let response = response.map_err(NoResponse::status)?;
                Ok(with_body(RESPONSE_TYPE, response))
            }
        }
    }

    /// Reads the body of a request, which is no longer and takes no longer than it may.
    async fn body(&self, request: Request<Incoming>) -> Result<Bytes, Refusal> {
        let given = request.headers().get(CONTENT_TYPE);
        let is_request = given.is_some_and(|given| {
            given
                .as_bytes()
                .trim_ascii()
                .eq_ignore_ascii_case(REQUEST_TYPE.as_bytes())
        });
        if !is_request {
            return Err(StatusCode::UNSUPPORTED_MEDIA_TYPE.into());
        }
        let most = self.limits.body_bytes;
        // What says to be too long is not read at all.
        if request.body().size_hint().lower() > most as u64 {
            return Err(StatusCode::PAYLOAD_TOO_LARGE.into());
        }
        let reading = Limited::new(request.into_body(), most).collect();
        match timeout(self.limits.body, reading).await {
            Err(_) => Err(StatusCode::REQUEST_TIMEOUT.into()),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                Err(StatusCode::PAYLOAD_TOO_LARGE.into())
            }
            Ok(Err(_)) => Err(StatusCode::BAD_REQUEST.into()),
            Ok(Ok(body)) => Ok(body.to_bytes()),
        }
    }

    /// Runs a role on a thread of its kind, once there is one. A role that takes too long keeps its
    /// turn until it ends, so the number of threads is bounded.
    async fn run<T: Send + 'static>(
        &self,
        kind: usize,
        run: impl FnOnce(&S) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let turns = self.turns[kind].clone();
        let service = self.service.clone();
        let running = async move {
            let turn = turns.acquire_owned().await;
            let run = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                run(&service)
            });
            // A role that panicked is an error of this request alone.
            run.await
                .map_err(|_| Refusal::from(StatusCode::INTERNAL_SERVER_ERROR))
        };
        let ended = timeout(self.limits.answer, running).await;
        ended.unwrap_or_else(|_| Err(StatusCode::SERVICE_UNAVAILABLE.into()))
    }
}

fn kind(endpoint: Endpoint) -> usize {
    match endpoint {
        Endpoint::Enrolment => 0,
        Endpoint::Authorization => 1,
        Endpoint::Validation => 2,
    }
}

fn with_body(kind: &'static str, body: Vec<u8>) -> Answer {
    let mut answer = Response::new(Full::from(body));
    let kind = HeaderValue::from_static(kind);
    answer.headers_mut().insert(CONTENT_TYPE, kind);
    answer
}
