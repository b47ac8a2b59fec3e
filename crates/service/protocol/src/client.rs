//! A client of the service for programs in Rust: one call at a time, none of which waits for ever.

use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, socket_with};

use crate::verdict::Verification;
use crate::{
    Frames, MESSAGES_MAX, ProtocolForm, RefusedRequest, Request, RequestedOperation, Response,
    ResponseBody, SignRequest, VerifyRequest,
};
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Psid, Time64};

/// Number of bytes read at once.
const CHUNK: usize = 1 << 14;
/// The wait for a place in a full queue of connections.
const RETRY: Duration = Duration::from_millis(5);

/// A failed call.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServiceClientError {
    /// The service is not there, has gone, or does not answer in time. The next call connects
    /// again.
    Io(io::Error),
    /// The service refuses the request.
    Refused(RefusedRequest),
    /// The received bytes are no answer of this service.
    Unexpected(String),
}

impl fmt::Display for ServiceClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => match error.kind() {
                io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
                    f.write_str("the security service does not answer in time")
                }
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => write!(
                    f,
                    "the security service does not listen at {error}; start it with `waywarden \
                     serve`"
                ),
                _ => write!(f, "the security service: {error}"),
            },
            Self::Refused(refused) => write!(f, "the security service refuses: {refused}"),
            Self::Unexpected(what) => write!(f, "no answer of a security service: {what}"),
        }
    }
}

impl std::error::Error for ServiceClientError {}

impl From<io::Error> for ServiceClientError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// A connection to the service's Unix stream socket, made when it is needed and again after it was
/// lost.
#[derive(Debug)]
pub struct ServiceClient {
    path: PathBuf,
    timeout: Duration,
    connection: Option<(UnixStream, Frames)>,
    id: u64,
}

impl ServiceClient {
    /// Makes a client that connects at its first call. No call takes longer than `timeout`.
    #[must_use]
    pub fn new(path: PathBuf, timeout: Duration) -> Self {
        Self {
            path,
            timeout,
            connection: None,
            id: 0,
        }
    }

    /// Signs; returns the message, and when it expires.
    ///
    /// # Errors
    /// [`ServiceClientError`].
    pub fn sign(&mut self, sign: SignRequest) -> Result<(Vec<u8>, Time64), ServiceClientError> {
        match self.call(RequestedOperation::Sign(sign))? {
            ResponseBody::Signed { message, expires } => Ok((message, expires)),
            other => Err(unexpected(&other)),
        }
    }

    /// Has another pseudonym sign the messages of an application from now on; returns its
    /// HashedId8, and the end of its validity.
    ///
    /// # Errors
    /// [`ServiceClientError`]; with [`Status::NoCertificate`](crate::Status::NoCertificate) the
    /// certificate stays.
    pub fn change_certificate(
        &mut self,
        psid: Psid,
    ) -> Result<(HashedId8, Time64), ServiceClientError> {
        match self.call(RequestedOperation::ChangeCertificate(psid))? {
            ResponseBody::CertificateChanged { id, until } => Ok((id, until)),
            other => Err(unexpected(&other)),
        }
    }

    /// Verifies any number of messages; returns a verdict for each, in order, or why there is none.
    ///
    /// # Errors
    /// [`ServiceClientError`].
    pub fn verify(
        &mut self,
        mut messages: Vec<VerifyRequest>,
    ) -> Result<Vec<Result<Verification, RefusedRequest>>, ServiceClientError> {
        let mut verdicts = Vec::with_capacity(messages.len());
        while !messages.is_empty() {
            let rest = messages.split_off(messages.len().min(MESSAGES_MAX));
            let count = messages.len();
            match self.call(RequestedOperation::VerifyMany(messages))? {
                ResponseBody::VerifiedMany(some) if some.len() == count => verdicts.extend(some),
                other => return Err(unexpected(&other)),
            }
            messages = rest;
        }
        Ok(verdicts)
    }

    /// Has any operation done, but for `Subscribe`.
    ///
    /// # Errors
    /// [`ServiceClientError`]. After one the connection is made again, but for
    /// [`RefusedRequest`](ServiceClientError::Refused).
    pub fn call(
        &mut self,
        operation: RequestedOperation,
    ) -> Result<ResponseBody, ServiceClientError> {
        self.id += 1;
        let request = Request {
            id: self.id,
            deadline: Some(self.timeout),
            operation,
        };
        let request = ProtocolForm::Binary.encode_request(&request);
        let request = request.map_err(ServiceClientError::Refused)?;
        let answered = self.exchange(&request);
        if answered.is_err() {
            self.connection = None;
        }
        answered?.body.map_err(ServiceClientError::Refused)
    }

    fn exchange(&mut self, request: &[u8]) -> Result<Response, ServiceClientError> {
        let end = Instant::now() + self.timeout;
        let id = self.id;
        let (stream, frames) = match &mut self.connection {
            Some(connection) => connection,
            none => {
                let stream = connect(&self.path, end)?;
                none.insert((stream, Frames::new()))
            }
        };
        stream.set_write_timeout(Some(left(end)?))?;
        stream.write_all(request)?;
        let mut chunk = vec![0; CHUNK];
        loop {
            stream.set_read_timeout(Some(left(end)?))?;
            let length = stream.read(&mut chunk)?;
            let mut input = chunk.get(..length).unwrap_or_default();
            if input.is_empty() {
                let why = "it closed the connection";
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, why).into());
            }
            while let Some(frame) = frames
                .next(&mut input)
                .map_err(|refused| no_frame(&refused))?
            {
                let response = ProtocolForm::Binary
                    .decode_response(&frame)
                    .map_err(|refused| no_frame(&refused))?;
                // One to a call that was given up comes late.
                if response.id == id {
                    return Ok(response);
                }
            }
        }
    }
}

/// Connects until then. A socket that blocks would wait for ever for a service that hangs, once
/// its queue of connections is full.
fn connect(path: &Path, end: Instant) -> io::Result<UnixStream> {
    let named = |error: io::Error| {
        let text = format!("{}: {error}", path.display());
        io::Error::new(error.kind(), text)
    };
    let address = SocketAddrUnix::new(path).map_err(|error| named(error.into()))?;
    loop {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        match rustix::net::connect(&socket, &address) {
            Ok(()) => {
                let stream = UnixStream::from(socket);
                stream.set_nonblocking(false)?;
                return Ok(stream);
            }
            Err(Errno::AGAIN) => thread::sleep(left(end)?.min(RETRY)),
            Err(error) => return Err(named(error.into())),
        }
    }
}

/// Time left until `end`.
fn left(end: Instant) -> io::Result<Duration> {
    let left = end.saturating_duration_since(Instant::now());
    match left.is_zero() {
        true => Err(io::ErrorKind::TimedOut.into()),
        false => Ok(left),
    }
}

fn no_frame(refused: &RefusedRequest) -> ServiceClientError {
    ServiceClientError::Unexpected(refused.to_string())
}

fn unexpected(body: &ResponseBody) -> ServiceClientError {
    let what = match body {
        ResponseBody::Signed { .. } => "a signed message",
        ResponseBody::Verified(_) | ResponseBody::VerifiedMany(_) => "verdicts of other messages",
        _ => "the answer to another operation",
    };
    ServiceClientError::Unexpected(what.to_owned())
}
