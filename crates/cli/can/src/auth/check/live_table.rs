//! The table of streams on a terminal while frames come.

use std::fmt::Write as _;
use std::rc::Rc;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use waywarden_can::Frame;
use waywarden_can::bits::FdVariant;
use waywarden_can::timing::BitTiming;
use waywarden_can_auth_log::{CheckedRecord, FrameVerdict, StreamCounts};
use waywarden_can_dbc::SignalMatrix;
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain_lines;
use waywarden_vehicle_file::formatting::percent;

use crate::logs::seconds::{Finished, Seconds};
use crate::signals;

/// The shortest time between two changes of the table.
const EVERY: Duration = Duration::from_millis(250);

/// The most streams that it shows; the rest are counted.
const STREAMS_MAX: usize = 20;

/// Shows rates and verdicts by stream, and the load of each bus.
pub(super) struct LiveTable {
    bar: ProgressBar,
    shown: Instant,
    /// The frames of each stream when the table was shown last.
    before: Vec<u64>,
    /// None without bit rates.
    seconds: Option<Seconds>,
    begun: Instant,
    /// The loads of the last second.
    loads: String,
    /// The matrix of the signals that are shown.
    matrix: Option<Rc<SignalMatrix>>,
    /// The latest authentic message of each stream.
    latest: Vec<Option<Frame>>,
}

/// The most signals of a stream that are shown.
const SIGNALS_MAX: usize = 4;

impl LiveTable {
    /// Begins a table if standard error is a terminal; with bit rates it has loads.
    pub(super) fn new(timing: Option<BitTiming>) -> Option<Self> {
        if !messages::shows_progress() {
            return None;
        }
        let bar = ProgressBar::new_spinner();
        bar.set_style(ProgressStyle::with_template("{msg}").ok()?);
        Some(LiveTable {
            bar,
            shown: Instant::now(),
            before: Vec::new(),
            seconds: timing.map(|timing| Seconds::new(timing, FdVariant::Iso)),
            begun: Instant::now(),
            loads: match timing {
                Some(_) => String::new(),
                None => "bus load: give --bitrate, such as 500k\n".to_owned(),
            },
            matrix: None,
            latest: Vec::new(),
        })
    }

    /// Shows signals of this matrix beside each stream.
    pub(super) fn show_signals(&mut self, matrix: Option<Rc<SignalMatrix>>) {
        self.matrix = matrix;
    }

    /// Keeps a message whose signals are shown next.
    pub(super) fn keep(&mut self, checked: &CheckedRecord) {
        let plain = checked.plain.as_ref().and_then(|plain| plain.entry.frame());
        let is_authentic = checked.verdict == FrameVerdict::Authentic;
        let (Some(stream), Some(frame), true) = (checked.stream, plain, is_authentic) else {
            return;
        };
        if self.matrix.is_some() && stream < STREAMS_MAX {
            let length = self.latest.len().max(stream + 1);
            self.latest.resize(length, None);
            self.latest[stream] = Some(*frame);
        }
    }

    /// Returns the signals of each stream as text.
    fn signals(&self) -> Vec<String> {
        let Some(matrix) = &self.matrix else {
            return Vec::new();
        };
        let text = |frame: &Option<Frame>| match frame {
            Some(frame) => signals::shown(matrix, frame.id(), frame.data(), SIGNALS_MAX),
            None => String::new(),
        };
        self.latest.iter().map(text).collect()
    }

    /// Counts a frame that loads its bus now: the clocks of a pipe's logs may stand or jump.
    pub(super) fn add(&mut self, channel: &str, frame: &Frame) {
        self.advance();
        if let Some(seconds) = &mut self.seconds {
            seconds.add(channel, frame);
        }
    }

    fn advance(&mut self) {
        let now = waywarden_work::Duration::from_nanos(self.begun.elapsed().as_nanos() as u64);
        if let Some(finished) = self.seconds.as_mut().and_then(|all| all.advance(now)) {
            self.loads = loads(&finished);
        }
    }

    /// Shows the counts, if it is time to.
    pub(super) fn show(&mut self, streams: &[StreamCounts]) {
        let since = self.shown.elapsed();
        if since >= EVERY {
            self.advance();
            let table = text(streams, &self.before, since, &self.signals());
            self.bar.set_message(format!("{}{table}", self.loads));
            self.shown = Instant::now();
            self.before = streams.iter().map(|row| row.frames).collect();
        }
    }

    /// Takes the table away: what is printed next has the whole.
    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// Writes what each bus carried in a second.
fn loads(finished: &Finished) -> String {
    let mut text = String::new();
    for (channel, second) in &finished.channels {
        let load = match second.has_unknown_rate() {
            true => "unknown: frames with BRS, give --data-bitrate, such as 2M".to_owned(),
            false => format!(
                "{}, {} so far",
                percent(finished.load(second)),
                percent(finished.total_load(second))
            ),
        };
        let line = format!(
            "{channel}: {} frames, {:.0} frames/s, bus load {load}",
            second.total_frames,
            finished.frames_per_second(second)
        );
        let _ = writeln!(text, "{}", plain_lines(&line));
    }
    text
}

/// Writes the table; `before` are the frames of each stream `since` then.
fn text(streams: &[StreamCounts], before: &[u64], since: Duration, signals: &[String]) -> String {
    let mut text = format!(
        "{:<8} {:<28} {:>8} {:>9} {:>9} {:>9}\n",
        "channel", "stream", "frames", "frames/s", "authentic", "refused"
    );
    for (at, row) in streams.iter().enumerate().take(STREAMS_MAX) {
        let fresh = row.frames - before.get(at).copied().unwrap_or(0).min(row.frames);
        let rate = fresh as f64 / since.as_secs_f64().max(1e-3);
        let line = format!(
            "{:<8} {:<28} {:>8} {rate:>9.0} {:>9} {:>9}",
            row.channel,
            row.stream,
            row.frames,
            row.authentic,
            row.refused()
        );
        let signals = signals.get(at).map_or("", String::as_str);
        let line = format!("{line}  {signals}");
        let _ = writeln!(text, "{}", plain_lines(line.trim_end()));
    }
    if streams.len() > STREAMS_MAX {
        let _ = writeln!(text, "and {} more", streams.len() - STREAMS_MAX);
    }
    text
}

#[cfg(test)]
mod tests {
    use waywarden_can::Id;
    use waywarden_can::timing::BitRate;
    use waywarden_work::Duration;

    use super::*;

    /// 108 bits, one of stuffing and 3 of intermission: 224 us at 500 kbit/s.
    #[test]
    fn each_bus_has_its_load() {
        let rate: BitRate = "500k".parse().unwrap();
        let mut seconds = Seconds::new(BitTiming::classic(rate), FdVariant::Iso);
        let id = Id::standard(0x555).unwrap();
        let frame = Frame::classic(id, &[0x55; 8]).unwrap();
        for _ in 0..1_000 {
            seconds.add("can0", &frame);
        }
        seconds.add("can1", &Frame::fd(id, &[0; 8]).unwrap());
        let finished = seconds
            .advance(Duration::from_nanos(1_200_000_000))
            .unwrap();
        assert_eq!(
            loads(&finished),
            "can0: 1000 frames, 1000 frames/s, bus load 22.4 %, 22.4 % so far\n\
             can1: 1 frames, 1 frames/s, bus load unknown: frames with BRS, give --data-bitrate, \
             such as 2M\n"
        );
        let silent = seconds
            .advance(Duration::from_nanos(2_000_000_000))
            .unwrap();
        assert!(
            loads(&silent)
                .starts_with("can0: 1000 frames, 0 frames/s, bus load 0.0 %, 11.2 % so far\n")
        );
    }
}
