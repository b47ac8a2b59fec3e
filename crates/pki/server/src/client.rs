//! A small HTTP client for the requests of stations and authorities.
//!
//! Requests and responses are signed and encrypted by themselves, so it speaks plain HTTP. Every
//! size and time has a bound in [`ClientLimits`].

use std::fmt;
use std::io;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Method, Request, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::server::{Endpoint, REQUEST_TYPE, RESPONSE_TYPE};

/// The bounds of a client.
#[derive(Clone, Copy, Debug)]
pub struct ClientLimits {
    /// Longest time for a connection, with the look-up of the name.
    pub connect: Duration,
    /// Longest time for the rest.
    pub answer: Duration,
    /// Longest time for all of it.
    pub total: Duration,
    /// The longest body of an answer, in bytes.
    pub body_bytes: usize,
}

impl Default for ClientLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            answer: Duration::from_secs(30),
            total: Duration::from_secs(35),
            body_bytes: 1 << 20,
        }
    }
}

/// A failed request.
#[derive(Debug)]
pub enum PkiClientError {
    /// The text is no URL that this client supports.
    Url(String),
    /// No runtime.
    Runtime(io::Error),
    /// The server cannot be reached.
    Connect(String, io::Error),
    /// The server does not answer in time.
    Time(String, Duration),
    /// The server, or what stands between, does not speak HTTP.
    Http(String, hyper::Error),
    /// The server refuses.
    Status(String, u16),
    /// The answer is longer than the bound.
    Length(String, usize),
    /// The answer is of another type.
    Type(String),
}

impl fmt::Display for PkiClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(url) => write!(
                f,
                "{url}: not of the form http://HOST[:PORT][/PATH]; messages are encrypted by \
                 themselves, so https is not needed"
            ),
            Self::Runtime(error) => write!(f, "the client cannot start: {error}"),
            Self::Connect(url, error) => write!(f, "{url}: cannot be reached: {error}"),
            Self::Time(url, time) => {
                write!(f, "{url}: no answer within {} s", time.as_secs_f32())
            }
            Self::Http(url, error) => write!(f, "{url}: no answer of HTTP: {error}"),
            Self::Status(url, status) => {
                let known = StatusCode::from_u16(*status).ok();
                let reason = known.and_then(|status| status.canonical_reason());
                let reason = reason.unwrap_or("unknown status");
                write!(f, "{url}: refused with status {status} ({reason})")
            }
            Self::Length(url, most) => write!(f, "{url}: the answer is longer than {most} bytes"),
            Self::Type(url) => write!(f, "{url}: the answer is not of type {RESPONSE_TYPE}"),
        }
    }
}

impl std::error::Error for PkiClientError {}

/// A server by its URL.
#[derive(Clone, Debug)]
pub struct PkiClient {
    authority: String,
    /// As connections need it.
    host: String,
    port: u16,
    /// Prefix of each path, without a slash at its end.
    base: String,
    limits: ClientLimits,
}

impl PkiClient {
    /// Takes the URL of a server; nothing is sent yet.
    ///
    /// # Errors
    /// [`PkiClientError::Url`].
    pub fn new(url: &str, limits: ClientLimits) -> Result<Self, PkiClientError> {
        let wrong = || PkiClientError::Url(url.to_owned());
        let parsed: Uri = url.parse().map_err(|_| wrong())?;
        let authority = parsed.authority().ok_or_else(wrong)?;
        let is_plain = parsed.scheme_str() == Some("http")
            && parsed.query().is_none()
            && !authority.as_str().contains('@');
        if !is_plain || authority.host().is_empty() {
            return Err(wrong());
        }
        let after = authority.as_str().strip_prefix(authority.host());
        let port = match after.and_then(|after| after.strip_prefix(':')) {
            None => 80,
            Some(port) => port.parse().map_err(|_| wrong())?,
        };
        let host = authority.host().trim_matches(['[', ']']).to_owned();
        Ok(Self {
            authority: authority.as_str().to_owned(),
            host,
            port,
            base: parsed.path().trim_end_matches('/').to_owned(),
            limits,
        })
    }

    /// Returns the client with a shorter time for all of a request.
    #[must_use]
    pub fn within(&self, total: Duration) -> Self {
        let mut client = self.clone();
        client.limits.total = total.min(self.limits.total);
        client
    }

    /// Posts a request to an authority.
    ///
    /// # Errors
    /// [`PkiClientError`].
    pub fn post(&self, endpoint: Endpoint, request: &[u8]) -> Result<Vec<u8>, PkiClientError> {
        let body = Bytes::copy_from_slice(request);
        self.run(Method::POST, endpoint.path(), body, Some(RESPONSE_TYPE))
    }

    /// Gets a document.
    ///
    /// # Errors
    /// [`PkiClientError`].
    pub fn get(&self, path: &str) -> Result<Vec<u8>, PkiClientError> {
        self.run(Method::GET, path, Bytes::new(), None)
    }

    fn run(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
        kind: Option<&str>,
    ) -> Result<Vec<u8>, PkiClientError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(PkiClientError::Runtime)?;
        let url = format!("http://{}{}{path}", self.authority, self.base);
        let total = self.limits.total;
        let done = runtime.block_on(async {
            let exchange = self.exchange(&url, method, path, body, kind);
            let late = |_| Err(PkiClientError::Time(url.clone(), total));
            timeout(total, exchange).await.unwrap_or_else(late)
        });
        // A look-up of a name that does not end must not hold up the caller.
        runtime.shutdown_background();
        done
    }

    async fn exchange(
        &self,
        url: &str,
        method: Method,
        path: &str,
        body: Bytes,
        kind: Option<&str>,
    ) -> Result<Vec<u8>, PkiClientError> {
        let late = |time| PkiClientError::Time(url.to_owned(), time);
        let connecting = TcpStream::connect((self.host.as_str(), self.port));
        let stream = timeout(self.limits.connect, connecting)
            .await
            .map_err(|_| late(self.limits.connect))?
            .map_err(|error| PkiClientError::Connect(url.to_owned(), error))?;
        let request = self.request(url, method, path, body)?;
        let exchange = self.answer(url, stream, request, kind);
        let answered = timeout(self.limits.answer, exchange).await;
        answered.map_err(|_| late(self.limits.answer))?
    }

    fn request(
        &self,
        url: &str,
        method: Method,
        path: &str,
        body: Bytes,
    ) -> Result<Request<Full<Bytes>>, PkiClientError> {
        let is_post = method == Method::POST;
        let builder = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base))
            .header(HOST, &self.authority);
        let request = builder.body(Full::from(body));
        let mut request = request.map_err(|_| PkiClientError::Url(url.to_owned()))?;
        if is_post {
            let kind = HeaderValue::from_static(REQUEST_TYPE);
            request.headers_mut().insert(CONTENT_TYPE, kind);
        }
        Ok(request)
    }

    async fn answer(
        &self,
        url: &str,
        stream: TcpStream,
        request: Request<Full<Bytes>>,
        kind: Option<&str>,
    ) -> Result<Vec<u8>, PkiClientError> {
        let failed = |error| PkiClientError::Http(url.to_owned(), error);
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(failed)?;
        // It ends with the runtime, or when the answer is read.
        tokio::spawn(connection);
        let answer = sender.send_request(request).await.map_err(failed)?;
        let status = answer.status();
        if status != StatusCode::OK {
            return Err(PkiClientError::Status(url.to_owned(), status.as_u16()));
        }
        let given = answer
            .headers()
            .get(CONTENT_TYPE)
            .map(HeaderValue::as_bytes);
        let is_expected = |kind: &str| {
            given.is_some_and(|given| given.trim_ascii().eq_ignore_ascii_case(kind.as_bytes()))
        };
        if !kind.is_none_or(is_expected) {
            return Err(PkiClientError::Type(url.to_owned()));
        }
        let most = self.limits.body_bytes;
        match Limited::new(answer.into_body(), most).collect().await {
            Ok(body) => Ok(body.to_bytes().to_vec()),
            Err(error) => match error.downcast::<hyper::Error>() {
                Ok(error) => Err(failed(*error)),
                Err(error) if error.is::<LengthLimitError>() => {
                    Err(PkiClientError::Length(url.to_owned(), most))
                }
                Err(_) => Err(PkiClientError::Type(url.to_owned())),
            },
        }
    }
}
