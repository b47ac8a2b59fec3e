//! Input that comes while it is worked on: a pipe, read as soon as anything is there, until it ends
//! or a signal ends it.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
#[cfg(unix)]
use std::os::fd::AsFd;
use std::path::Path;
use std::rc::Rc;

use waywarden_can_log::Record;

/// The next thing from input that may be silent.
pub(crate) enum Polled {
    /// A frame, or another event of a log.
    Record(Record),
    /// Nothing came for some 50 ms.
    Silence,
    /// Nothing comes any more.
    End,
}

/// Returns true for a log that is no regular file: what follows may not be there yet.
pub(crate) fn is_live(path: &Path) -> bool {
    path == Path::new("-") || path.metadata().is_ok_and(|there| !there.is_file())
}

/// Lets a pipe say that it is silent, instead of waiting on.
#[derive(Clone, Debug, Default)]
pub(crate) struct SilenceReports(Rc<Cell<bool>>);

impl SilenceReports {
    /// Has reads fail with [`io::ErrorKind::WouldBlock`] after some 50 ms without a byte, where the
    /// operating system tells: for a reader that can go on after that.
    pub(crate) fn enable(&self) {
        self.0.set(true);
    }
}

/// Returns standard input, whose end a signal may bring forward.
#[cfg(unix)]
pub(crate) fn standard_input() -> (Box<dyn Read>, SilenceReports) {
    until_signal(io::stdin())
}

#[cfg(not(unix))]
pub fn standard_input() -> (Box<dyn Read>, SilenceReports) {
    (Box::new(io::stdin()), SilenceReports::default())
}

/// Returns a named pipe, whose end a signal may bring forward.
#[cfg(unix)]
pub(crate) fn pipe(file: File) -> (Box<dyn Read>, SilenceReports) {
    until_signal(file)
}

#[cfg(not(unix))]
pub fn pipe(file: File) -> (Box<dyn Read>, SilenceReports) {
    (Box::new(file), SilenceReports::default())
}

#[cfg(unix)]
fn until_signal(source: impl AsFd + 'static) -> (Box<dyn Read>, SilenceReports) {
    let reports = SilenceReports::default();
    let input = UntilSignal {
        source,
        ended: waywarden_command_line::signals::end_input_first(),
        left: LEFT_MAX,
        reports: reports.clone(),
    };
    (Box::new(input), reports)
}

/// The most reads that may follow a signal, for what is in the pipe by then.
#[cfg(unix)]
const LEFT_MAX: u32 = 16;

/// The longest time that a signal may go unnoticed, in nanoseconds.
#[cfg(unix)]
const WATCH_NS: i64 = 50_000_000;

/// A pipe until a signal.
#[cfg(unix)]
struct UntilSignal<S> {
    source: S,
    ended: &'static std::sync::atomic::AtomicBool,
    left: u32,
    reports: SilenceReports,
}

#[cfg(unix)]
impl<S: AsFd> Read for UntilSignal<S> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        use std::sync::atomic::Ordering;

        loop {
            let has_ended = self.ended.load(Ordering::Relaxed);
            let longest = Timespec {
                tv_sec: 0,
                tv_nsec: if has_ended { 0 } else { WATCH_NS },
            };
            let mut ready = [PollFd::new(&self.source, PollFlags::IN)];
            let count = match poll(&mut ready, Some(&longest)) {
                Err(rustix::io::Errno::INTR) => continue,
                // A file that cannot be waited for can be read.
                answer => answer.unwrap_or(1),
            };
            if has_ended {
                self.left = self.left.saturating_sub(1);
            }
            if has_ended && (count == 0 || self.left == 0) {
                return Ok(0);
            }
            if count > 0 {
                // Not through the buffer of the standard library, which poll does not see.
                return Ok(rustix::io::read(&self.source, bytes)?);
            }
            if self.reports.0.get() {
                return Err(io::ErrorKind::WouldBlock.into());
            }
        }
    }
}
