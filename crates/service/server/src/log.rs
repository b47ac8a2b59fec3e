//! The log: events of `tracing` on standard error, as text or as JSON Lines.
//!
//! Control characters, which peers may choose, leave it escaped. A thread of its own writes, so
//! that a log that is closed, or that a reader holds up, neither ends nor delays the service: what
//! does not fit into its bounded queue is dropped and counted.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use tracing::level_filters::LevelFilter;
use tracing::subscriber::{SetGlobalDefaultError, set_global_default};
use tracing_subscriber::fmt::MakeWriter;

use crate::config::{LogLevel, LogSection, ServiceLogFormat};

/// Most lines that wait to be written.
const LINES_MAX: usize = 4_096;
/// The longest line, in bytes; what is longer is cut.
const LINE_BYTES_MAX: usize = 16 << 10;
/// Longest wait for the last lines at the end of the process.
const FINISH: Duration = Duration::from_secs(1);

/// The log of the process. Dropping it waits for the last lines, at most a second.
#[derive(Debug)]
pub struct Log {
    lines: SyncSender<Line>,
}

/// A record for the writer thread.
#[derive(Debug)]
enum Line {
    Text(Vec<u8>),
    /// Everything before was written: answer.
    Finish(SyncSender<()>),
}

/// Makes the log that of the whole process. It starts a thread: call it after
/// [`privileges`](crate::privileges) were given up.
///
/// # Errors
/// The process has a log already.
pub fn install(settings: LogSection) -> Result<Log, SetGlobalDefaultError> {
    let (lines, waiting) = sync_channel(LINES_MAX);
    let dropped = Arc::new(AtomicU64::new(0));
    let writer = LogWriter {
        lines: lines.clone(),
        dropped: dropped.clone(),
    };
    let builder = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_max_level(filter(settings.level))
        .with_target(false)
        .log_internal_errors(false)
        .with_writer(writer);
    match settings.format {
        ServiceLogFormat::Text => set_global_default(builder.finish())?,
        ServiceLogFormat::Json => set_global_default(builder.json().flatten_event(true).finish())?,
    }
    // Without a thread nothing is logged, which is no reason not to serve.
    let write = move || write_all(&waiting, &dropped, &mut io::stderr());
    let _ = thread::Builder::new().name("log".to_owned()).spawn(write);
    Ok(Log { lines })
}

fn filter(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        let (done, finished) = sync_channel(1);
        if self.lines.try_send(Line::Finish(done)).is_ok() {
            let _ = finished.recv_timeout(FINISH);
        }
    }
}

/// Writes lines until all senders are gone. An error of the output loses the line.
fn write_all(waiting: &Receiver<Line>, dropped: &AtomicU64, out: &mut impl Write) {
    for line in waiting {
        match line {
            Line::Text(text) => {
                let lost = dropped.swap(0, Ordering::Relaxed);
                if lost > 0 {
                    let _ = writeln!(out, "{{\"level\":\"WARN\",\"lostLines\":{lost}}}");
                }
                let _ = out.write_all(&text);
            }
            Line::Finish(done) => {
                let _ = out.flush();
                let _ = done.try_send(());
            }
        }
    }
}

/// Takes one event at a time and sends it to the thread.
#[derive(Clone, Debug)]
struct LogWriter {
    lines: SyncSender<Line>,
    dropped: Arc<AtomicU64>,
}

impl<'w> MakeWriter<'w> for LogWriter {
    type Writer = Self;

    fn make_writer(&'w self) -> Self {
        self.clone()
    }
}

impl Write for LogWriter {
    /// Takes a whole event: `tracing-subscriber` writes each with one call.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        if self.lines.try_send(Line::Text(escaped(event))).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Escapes what acts instead of being text, as JSON does; the end of the line stays.
fn escaped(event: &[u8]) -> Vec<u8> {
    let whole = event.strip_suffix(b"\n").unwrap_or(event);
    let text = String::from_utf8_lossy(&whole[..whole.len().min(LINE_BYTES_MAX)]);
    let mut line = Vec::with_capacity(text.len() + 1);
    for letter in text.chars() {
        match is_active(letter) {
            true => line.extend(format!("\\u{:04x}", u32::from(letter)).bytes()),
            false => line.extend(letter.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    line.push(b'\n');
    line
}

/// Returns true for characters with effects: controls, line separators, and those that turn the
/// direction of writing. All of them have at most 16 bits.
fn is_active(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200E}' | '\u{200F}')
        || matches!(letter, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn active_characters_leave_the_log_escaped() {
        let event = "peer \u{1b}[31m\nx\u{202e}ü\n".as_bytes();
        let line = String::from_utf8(escaped(event)).unwrap();
        assert_eq!(line, "peer \\u001b[31m\\u000ax\\u202eü\n");
    }

    #[test]
    fn a_closed_output_loses_lines_and_ends_nothing() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
        }
        let (lines, waiting) = sync_channel(4);
        let (done, finished) = sync_channel(1);
        lines.send(Line::Text(b"a\n".to_vec())).unwrap();
        lines.send(Line::Finish(done)).unwrap();
        drop(lines);
        write_all(&waiting, &AtomicU64::new(3), &mut Closed);
        assert_eq!(finished.recv(), Ok(()));
    }

    #[test]
    fn a_full_queue_drops_lines_and_counts_them() {
        let (lines, waiting) = sync_channel(1);
        let dropped = Arc::new(AtomicU64::new(0));
        let mut writer = LogWriter {
            lines,
            dropped: dropped.clone(),
        };
        for _ in 0..3 {
            assert_eq!(writer.write(b"a\n").unwrap(), 2);
        }
        assert_eq!(dropped.load(Ordering::Relaxed), 2);
        drop(writer);
        let mut out = Vec::new();
        write_all(&waiting, &dropped, &mut out);
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.contains("\"lostLines\":2") && text.ends_with("a\n"),
            "{text}"
        );
    }
}
