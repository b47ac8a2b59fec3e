//! The requests of a station: sent again where the network fails, and given up at a deadline.

use std::thread::sleep;
use std::time::{Duration, Instant};

use waywarden_v2x_pki_service::client::{ClientLimits, PkiClient, PkiClientError};
use waywarden_v2x_pki_service::server::Endpoint;

use waywarden_command_line::exit::Failure;
use waywarden_command_line::terminal::plain;

use crate::note::{Note, Notes};

/// Maximum number of times that a request is sent.
const ATTEMPTS: u32 = 4;

/// Length of the first pause between them; each is twice as long as the one before.
const PAUSE: Duration = Duration::from_millis(500);

/// Time that one attempt waits for its answer: longer than an authority waits for another one.
const ANSWER: Duration = Duration::from_secs(20);

/// A server that is asked.
pub(super) struct Requests {
    client: PkiClient,
    /// Timeout of one request, with every attempt and pause.
    timeout: Duration,
}

impl Requests {
    /// Takes the URL of a server, and for how many seconds one request is tried.
    pub(super) fn new(url: &str, timeout_s: u32) -> Result<Self, Failure> {
        let limits = ClientLimits {
            answer: ANSWER,
            ..ClientLimits::default()
        };
        let client = PkiClient::new(url, limits).map_err(Failure::new)?;
        Ok(Self {
            client,
            timeout: Duration::from_secs(timeout_s.into()),
        })
    }

    pub(super) fn post(
        &self,
        endpoint: Endpoint,
        request: &[u8],
        notes: Notes<'_>,
    ) -> Result<Vec<u8>, Failure> {
        self.repeated(|client| client.post(endpoint, request), notes)
    }

    pub(super) fn get(&self, path: &str, notes: Notes<'_>) -> Result<Vec<u8>, Failure> {
        self.repeated(|client| client.get(path), notes)
    }

    /// Sends a request again where the network or the server was busy: the same bytes, for which
    /// an authority has one answer.
    fn repeated(
        &self,
        send: impl Fn(&PkiClient) -> Result<Vec<u8>, PkiClientError>,
        notes: Notes<'_>,
    ) -> Result<Vec<u8>, Failure> {
        let deadline = Instant::now() + self.timeout;
        let left = || deadline.saturating_duration_since(Instant::now());
        let (mut pause, mut attempt) = (PAUSE, 1);
        loop {
            let error = match send(&self.client.within(left())) {
                Err(error) if is_passing(&error) => error,
                other => return other.map_err(Failure::new),
            };
            if attempt == ATTEMPTS || left() <= pause {
                return Err(self.given_up(&error, attempt));
            }
            attempt += 1;
            notes(Note::Status(format!(
                "{}; trying again in {} s (attempt {attempt} of {ATTEMPTS})",
                plain(&error.to_string()),
                pause.as_secs_f32()
            )));
            sleep(pause);
            pause *= 2;
        }
    }

    fn given_up(&self, error: &PkiClientError, attempts: u32) -> Failure {
        let timeout = self.timeout.as_secs();
        Failure::new(format_args!(
            "{error}; given up (attempt {attempts} of {ATTEMPTS}, --timeout {timeout}): check that \
             `waywarden pki serve` runs at the URL of --from, or give a longer --timeout"
        ))
    }
}

/// Returns true if the same request may have an answer later.
fn is_passing(error: &PkiClientError) -> bool {
    matches!(
        error,
        PkiClientError::Connect(..)
            | PkiClientError::Time(..)
            | PkiClientError::Http(..)
            | PkiClientError::Status(_, 429 | 503)
    )
}
