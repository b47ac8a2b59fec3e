//! The pipe to the host: a request goes out, and the image stands still until the answer.

use waywarden_firmware_link::{Answer, Link, MESSAGE_MAX, Request, TimedRequest};
use waywarden_firmware_semihosting::{self as semihosting, File};

use crate::counter::Counter;
use crate::global::Global;
use crate::{board, stack};

/// The number of bytes in front of a message.
const LENGTH: usize = 2;

/// The state of the pipe, which the handlers of faults need as well.
struct State {
    /// The files of answers and of requests; none before the start.
    files: Option<(File, File)>,
    counter: Counter,
    buffer: [u8; LENGTH + MESSAGE_MAX],
}

static STATE: Global<State> = Global::new(State {
    files: None,
    counter: Counter::new(),
    buffer: [0; LENGTH + MESSAGE_MAX],
});

/// The image's pipe. There is one.
pub struct Pipe {
    state: &'static mut State,
}

impl Pipe {
    /// Opens the pipe, and starts the counter of instructions and the watchdog.
    ///
    /// # Panics
    /// If it is open.
    #[must_use]
    pub fn open() -> Self {
        // SAFETY: nothing has a reference to it before the first pipe, and a second is refused; the
        // handlers of faults do not return.
        let state = unsafe { STATE.get() };
        assert!(state.files.is_none(), "the pipe is open");
        state.files = Some((semihosting::open_input(), semihosting::open_output()));
        board::guard();
        board::watch();
        state.counter.start();
        Pipe { state }
    }
}

impl Link for Pipe {
    /// Sends a request and waits for the answer. None of it is counted. At [`Answer::Finish`] the
    /// image says how much of its stack it used, and ends.
    ///
    /// # Panics
    /// If the answer is none.
    fn exchange(&mut self, request: &Request<'_>) -> Answer<'_> {
        let has_counted = self.state.counter.pause();
        self.state.send(request);
        let length = self.state.receive();
        let answer = Answer::decode(&self.state.buffer[LENGTH..LENGTH + length]);
        let answer = answer.unwrap_or_else(|error| panic!("the answer: {error}"));
        if answer == Answer::Finish {
            send_last(&Request::Stack(stack::used()));
            semihosting::exit(0);
        }
        // While the image stood still, its board's time did so, too.
        board::feed();
        if has_counted {
            self.state.counter.resume();
        }
        answer
    }

    fn instructions(&mut self) -> u64 {
        self.state.counter.count()
    }

    fn pause(&mut self) -> bool {
        self.state.counter.pause()
    }

    fn resume(&mut self) {
        self.state.counter.resume();
    }
}

impl State {
    fn send(&mut self, request: &Request<'_>) {
        let Some((_, output)) = self.files else {
            semihosting::exit(2)
        };
        let timed = TimedRequest {
            instructions: self.counter.count(),
            request: *request,
        };
        // Each request is shorter than the buffer.
        let length = timed.encode(&mut self.buffer[LENGTH..]).unwrap_or(0);
        self.buffer[..LENGTH].copy_from_slice(&(length as u16).to_le_bytes());
        semihosting::write(output, &self.buffer[..LENGTH + length]);
    }

    /// Waits for a message into the buffer; returns its length.
    fn receive(&mut self) -> usize {
        let Some((input, _)) = self.files else {
            semihosting::exit(2)
        };
        let (mut taken, mut wanted) = (0, LENGTH);
        while taken < wanted {
            // The host sends one message, and the next only after the next request.
            taken += semihosting::read(input, &mut self.buffer[taken..]);
            if taken >= LENGTH {
                wanted = LENGTH + usize::from(u16::from_le_bytes([self.buffer[0], self.buffer[1]]));
                assert!(wanted <= self.buffer.len(), "an answer of {wanted} bytes");
            }
        }
        wanted - LENGTH
    }
}

/// Sends the last request of the image, which has no answer.
pub(crate) fn send_last(request: &Request<'_>) {
    // SAFETY: the image ends after it, so what else refers to the state is not used any more.
    let state = unsafe { STATE.get() };
    state.counter.pause();
    state.send(request);
}
