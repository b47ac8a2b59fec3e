//! A client that sends when messages are due and measures how long answers take.

use std::io::{BufWriter, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use waywarden_v2x_service_protocol::{
    Frames, ProtocolForm, Request, RequestedOperation, Response, ResponseBody, VerifyRequest,
};

use crate::traffic::Due;

/// Result of a load.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Time from the due time of each message to its answer, in the order of the answers.
    pub(crate) latencies: Vec<Duration>,
    pub(crate) accepted: usize,
    /// Verdicts and refusals other than that, each with its count.
    pub(crate) others: std::collections::BTreeMap<String, usize>,
}

/// A connection in the binary form.
pub(crate) struct Connection {
    stream: UnixStream,
    frames: Frames,
    buffer: Vec<u8>,
    filled: (usize, usize),
}

impl Connection {
    pub(crate) fn open(socket: &Path) -> Self {
        Self {
            stream: UnixStream::connect(socket).unwrap(),
            frames: Frames::new(),
            buffer: vec![0; 1 << 16],
            filled: (0, 0),
        }
    }

    /// Another handle of the socket, to write to.
    pub(crate) fn writer(&self) -> UnixStream {
        self.stream.try_clone().unwrap()
    }

    /// Reads the next response; `None` at the end.
    pub(crate) fn response(&mut self) -> Option<Response> {
        loop {
            let mut input = &self.buffer[self.filled.0..self.filled.1];
            let before = input.len();
            let frame = self.frames.next(&mut input).unwrap();
            let frame = frame.map(std::borrow::Cow::into_owned);
            self.filled.0 += before - input.len();
            if let Some(frame) = frame {
                return Some(ProtocolForm::Binary.decode_response(&frame).unwrap());
            }
            let count = self.stream.read(&mut self.buffer).ok()?;
            self.filled = (0, count);
            if count == 0 {
                return None;
            }
        }
    }

    /// Asks for something and waits for the answer.
    pub(crate) fn ask(&mut self, operation: RequestedOperation) -> Response {
        let frame = frame(0, operation);
        self.writer().write_all(&frame).unwrap();
        self.response().unwrap()
    }
}

/// A request as a frame.
pub(crate) fn frame(id: u64, operation: RequestedOperation) -> Vec<u8> {
    let request = Request {
        id,
        deadline: None,
        operation,
    };
    ProtocolForm::Binary.encode_request(&request).unwrap()
}

/// A request to verify a message.
pub(crate) fn verify(message: &[u8]) -> RequestedOperation {
    RequestedOperation::Verify(VerifyRequest {
        message: message.to_vec(),
        psid: None,
        reports_payload_check: false,
    })
}

/// Sends messages when they are due, the clock starting at `start`, and waits for all answers.
pub(crate) fn run(socket: &Path, messages: &[Due], start: Instant) -> Outcome {
    let mut connection = Connection::open(socket);
    let mut writer = BufWriter::new(connection.writer());
    thread::scope(|scope| {
        scope.spawn(move || {
            for (number, due) in messages.iter().enumerate() {
                let at = start + due.after;
                let now = Instant::now();
                if at > now {
                    writer.flush().unwrap();
                    thread::sleep(at - now);
                }
                let frame = frame(number as u64, verify(&due.message));
                writer.write_all(&frame).unwrap();
            }
            writer.flush().unwrap();
            writer.get_ref().shutdown(Shutdown::Write).unwrap();
        });
        let mut outcome = Outcome::default();
        while let Some(response) = connection.response() {
            let due = start + messages[response.id as usize].after;
            outcome
                .latencies
                .push(Instant::now().saturating_duration_since(due));
            outcome.count(response);
        }
        outcome
    })
}

impl Outcome {
    fn count(&mut self, response: Response) {
        let other = match response.body {
            Ok(ResponseBody::Verified(verdict)) if verdict.is_accepted() => {
                self.accepted += 1;
                return;
            }
            Ok(ResponseBody::Verified(verdict)) => verdict.result.to_string(),
            Ok(other) => format!("{other:?}"),
            Err(refused) => refused.status.to_string(),
        };
        *self.others.entry(other).or_default() += 1;
    }
}

/// Sends messages with so many in flight. Returns how long that took, and what came back.
pub(crate) fn in_flight(socket: &Path, messages: &[Due], most: usize) -> (Duration, Outcome) {
    let mut connection = Connection::open(socket);
    let mut writer = connection.writer();
    let (free, next): (Sender<()>, Receiver<()>) = channel();
    for _ in 0..most {
        free.send(()).unwrap();
    }
    let start = Instant::now();
    let mut outcome = Outcome::default();
    thread::scope(|scope| {
        scope.spawn(move || {
            for (number, due) in messages.iter().enumerate() {
                next.recv().unwrap();
                let frame = frame(number as u64, verify(&due.message));
                writer.write_all(&frame).unwrap();
            }
            writer.shutdown(Shutdown::Write).unwrap();
        });
        while let Some(response) = connection.response() {
            outcome.count(response);
            // An error means that all have been sent.
            let _ = free.send(());
        }
    });
    (start.elapsed(), outcome)
}
