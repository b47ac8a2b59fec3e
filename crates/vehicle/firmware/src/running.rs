//! A started image: the child process and its pipes.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use waywarden_firmware_link::MESSAGE_MAX;

use crate::seam::{ImageFault, RunningImage};

/// The number of bytes in front of a message.
const LENGTH: usize = 2;
/// The number of bytes at the end of the error stream that are kept.
const TAIL_MAX: usize = 2_048;
/// Time that a child has to end once its pipes are closed.
const END_MAX: Duration = Duration::from_secs(2);
/// The emulator's warning of a network card that leads nowhere, as that of an image shall.
const UNCONNECTED: &str = " has no peer";
/// Time between two looks at a child that is about to end.
const PAUSE: Duration = Duration::from_millis(1);

/// QEMU with an image.
pub(crate) struct RunningQemu {
    child: Child,
    /// None once closed.
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    silence_max: Duration,
    /// Output that was read: a request with its length in front, and what came behind it.
    output: Vec<u8>,
    /// The number of bytes that were read.
    filled: usize,
    /// The number of bytes of the request and its length.
    taken: usize,
    /// The end of the error stream.
    tail: Vec<u8>,
}

/// Streams of the child that have something, or an end.
struct Ready {
    stdout: bool,
    stderr: bool,
}

impl RunningQemu {
    pub(crate) fn new(mut child: Child, silence_max: Duration) -> Self {
        RunningQemu {
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            child,
            silence_max,
            output: vec![0; LENGTH + MESSAGE_MAX],
            filled: 0,
            taken: 0,
            tail: Vec::new(),
        }
    }

    fn send(&mut self, answer: &[u8]) -> Result<(), ImageFault> {
        if answer.len() > MESSAGE_MAX {
            let length = answer.len();
            let why = format!("an answer of {length} bytes; at most {MESSAGE_MAX}");
            return Err(ImageFault::Malformed(why));
        }
        let mut message = Vec::with_capacity(LENGTH + answer.len());
        message.extend_from_slice(&(answer.len() as u16).to_le_bytes());
        message.extend_from_slice(answer);
        // An image that has read the answer before this one has left an empty pipe, which has room.
        // To wait for room would be to wait for an image that does not read.
        let written = self.stdin.as_mut().map(|stdin| {
            rustix::io::ioctl_fionbio(&*stdin, true)?;
            stdin.write_all(&message)
        });
        match written {
            Some(Ok(())) => Ok(()),
            Some(Err(error)) if error.kind() == io::ErrorKind::WouldBlock => {
                self.end();
                let why = "it takes no answers".to_owned();
                Err(ImageFault::Malformed(why))
            }
            _ => Err(self.ended()),
        }
    }

    /// Reads a request, in one piece if the image sent it so.
    fn receive(&mut self) -> Result<(), ImageFault> {
        self.output.copy_within(self.taken..self.filled, 0);
        self.filled -= self.taken;
        self.taken = 0;
        let deadline = Instant::now() + self.silence_max;
        loop {
            if let Some(length) = self.output[..self.filled].first_chunk::<LENGTH>() {
                let length = usize::from(u16::from_le_bytes(*length));
                if length > MESSAGE_MAX {
                    let why = format!("a message of {length} bytes; at most {MESSAGE_MAX}");
                    return Err(ImageFault::Malformed(why));
                }
                if self.filled >= LENGTH + length {
                    self.taken = LENGTH + length;
                    return Ok(());
                }
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let ready = match self.wait(left) {
                Ok(Some(ready)) => ready,
                Ok(None) => {
                    self.end();
                    return Err(ImageFault::Silent(self.silence_max.as_secs()));
                }
                Err(error) => return Err(self.broken(&error.into())),
            };
            if ready.stderr {
                self.drain();
            }
            if ready.stdout {
                if !self.read()? {
                    return Err(self.ended());
                }
            } else if left.is_zero() {
                // The error stream alone is no request, however much is on it.
                self.end();
                return Err(ImageFault::Silent(self.silence_max.as_secs()));
            }
        }
    }

    /// Waits for output of the child; none if there is none in that time.
    fn wait(&self, longest: Duration) -> Result<Option<Ready>, Errno> {
        let longest = Timespec::try_from(longest).unwrap_or(Timespec {
            tv_sec: i32::MAX.into(),
            tv_nsec: 0,
        });
        // A child without output is found to have ended by reading.
        let Some(stdout) = &self.stdout else {
            return Ok(Some(Ready {
                stdout: true,
                stderr: false,
            }));
        };
        let mut streams = vec![PollFd::new(stdout, PollFlags::IN)];
        streams.extend(
            self.stderr
                .iter()
                .map(|one| PollFd::new(one, PollFlags::IN)),
        );
        match poll(&mut streams, Some(&longest)) {
            Ok(0) => Ok(None),
            Ok(_) => {
                let is_ready =
                    |at: usize| streams.get(at).is_some_and(|one| !one.revents().is_empty());
                Ok(Some(Ready {
                    stdout: is_ready(0),
                    stderr: is_ready(1),
                }))
            }
            // A signal: the caller waits for what is left of the time.
            Err(Errno::INTR) => Ok(Some(Ready {
                stdout: false,
                stderr: false,
            })),
            Err(error) => Err(error),
        }
    }

    /// Reads what is there of the output; false at its end.
    fn read(&mut self) -> Result<bool, ImageFault> {
        let Some(stdout) = &mut self.stdout else {
            return Ok(false);
        };
        // Less than a message is there, so there is room for the rest of it and more.
        match stdout.read(&mut self.output[self.filled..]) {
            Ok(taken) => {
                self.filled += taken;
                Ok(taken > 0)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(true),
            Err(error) => Err(self.broken(&error)),
        }
    }

    /// Takes what is there of the error stream, and keeps its end.
    fn drain(&mut self) {
        let mut bytes = [0; TAIL_MAX];
        let taken = self.stderr.as_mut().map(|stderr| stderr.read(&mut bytes));
        match taken {
            Some(Ok(taken)) if taken > 0 => {
                self.tail.extend_from_slice(&bytes[..taken]);
                let over = self.tail.len().saturating_sub(TAIL_MAX);
                self.tail.drain(..over);
            }
            Some(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            _ => self.stderr = None,
        }
    }

    fn broken(&mut self, error: &io::Error) -> ImageFault {
        self.end();
        ImageFault::Ended(format!("its pipes failed: {error}"))
    }

    /// Waits for the end of a child that has closed its output, and tells of it.
    fn ended(&mut self) -> ImageFault {
        (self.stdin, self.stdout) = (None, None);
        let deadline = Instant::now() + END_MAX;
        let left = || deadline.saturating_duration_since(Instant::now());
        // The error stream ends with the child.
        while !left().is_zero() && self.wait_for_errors(left()) {
            self.drain();
        }
        while !left().is_zero() && matches!(self.child.try_wait(), Ok(None)) {
            thread::sleep(PAUSE);
        }
        let status = self.end();
        let mut why =
            status.map_or_else(|| "no exit status".to_owned(), |status| status.to_string());
        let tail = String::from_utf8_lossy(&self.tail);
        let lines = tail.lines().filter(|line| !line.contains(UNCONNECTED));
        let tail = lines.collect::<Vec<&str>>().join("\n");
        if !tail.trim().is_empty() {
            why = format!("{why}; its error stream ends with: {}", tail.trim());
        }
        ImageFault::Ended(why)
    }

    /// Waits for something on the error stream; false if there is nothing in that time.
    fn wait_for_errors(&self, longest: Duration) -> bool {
        let Some(stderr) = &self.stderr else {
            return false;
        };
        let longest = Timespec::try_from(longest).ok();
        let mut streams = [PollFd::new(stderr, PollFlags::IN)];
        matches!(
            poll(&mut streams, longest.as_ref()),
            Ok(1..) | Err(Errno::INTR)
        )
    }

    /// Ends the child, if it has not ended, and returns its exit status.
    fn end(&mut self) -> Option<ExitStatus> {
        self.stdin = None;
        if let Ok(Some(status)) = self.child.try_wait() {
            return Some(status);
        }
        // It has closed its streams, or is not wanted any more.
        let _ = self.child.kill();
        self.child.wait().ok()
    }
}

impl RunningImage for RunningQemu {
    fn exchange(&mut self, answer: Option<&[u8]>) -> Result<&[u8], ImageFault> {
        if let Some(answer) = answer {
            self.send(answer)?;
        }
        self.receive()?;
        Ok(&self.output[LENGTH..self.taken])
    }
}

/// Kills the emulator. Where this program itself is killed, the kernel kills it; without
/// `setpriv` the image reads the end of its input, and ends, unless it hangs.
impl Drop for RunningQemu {
    fn drop(&mut self) {
        self.end();
    }
}
