//! A stand-in for an emulator: an image as a function from answers to requests.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use waywarden_firmware_link::{Answer, MESSAGE_MAX, Request, TimedRequest};
use waywarden_vehicle_resources::{FirmwareImage, ImageFault, ImageNote, RunningImage};

/// The instructions until the next request, and the request.
pub(crate) type Step = Result<(u64, Request<'static>), ImageFault>;

/// A started image: takes the answer to its last request, none at first.
pub(crate) type Started = Box<dyn FnMut(Option<&Answer<'_>>) -> Step + Send>;

/// Starts an image; the number counts the boots from 0.
pub(crate) type Script = fn(u32) -> Started;

/// The image.
pub(crate) struct StandIn {
    script: Script,
    boots: AtomicU32,
    note: Option<ImageNote>,
}

impl StandIn {
    pub(crate) fn new(script: Script) -> Self {
        StandIn {
            script,
            boots: AtomicU32::new(0),
            note: None,
        }
    }

    /// Gives it a note.
    pub(crate) fn with_note(self, note: ImageNote) -> Self {
        let note = Some(note);
        StandIn { note, ..self }
    }
}

impl fmt::Debug for StandIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StandIn")
    }
}

impl FirmwareImage for StandIn {
    fn note(&self) -> Option<&ImageNote> {
        self.note.as_ref()
    }

    fn start(&self) -> Result<Box<dyn RunningImage>, ImageFault> {
        Ok(Box::new(Running {
            step: (self.script)(self.boots.fetch_add(1, Relaxed)),
            instructions: 0,
            request: vec![0; MESSAGE_MAX],
        }))
    }
}

struct Running {
    step: Started,
    instructions: u64,
    request: Vec<u8>,
}

impl RunningImage for Running {
    fn exchange(&mut self, answer: Option<&[u8]>) -> Result<&[u8], ImageFault> {
        let answer = answer.map(|bytes| Answer::decode(bytes).expect("an answer"));
        let (executed, request) = (self.step)(answer.as_ref())?;
        self.instructions += executed;
        let timed = TimedRequest {
            instructions: self.instructions,
            request,
        };
        let length = timed.encode(&mut self.request).expect("it fits");
        Ok(&self.request[..length])
    }
}

/// An image that cannot be started.
#[derive(Debug)]
pub(crate) struct Unavailable;

impl FirmwareImage for Unavailable {
    fn start(&self) -> Result<Box<dyn RunningImage>, ImageFault> {
        Err(ImageFault::NotStarted("no emulator here".to_owned()))
    }
}
