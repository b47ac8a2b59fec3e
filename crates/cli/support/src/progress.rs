//! Progress of long work, for readers without a terminal: a line a minute, and none if it is short.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Begins the bar that shows on a terminal how far a measurement of this length is.
pub fn bar(length: u64) -> ProgressBar {
    let bar = ProgressBar::new(length);
    match ProgressStyle::with_template("{bar:30} {elapsed} {msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// The time between two lines.
const PACE: Duration = Duration::from_secs(60);

/// Interval of asking for a line while no piece ends, so that it comes at most this much late.
pub const TICK: Duration = Duration::from_secs(1);

/// Tells how much of a number of equal pieces of work is done, and how long the rest takes.
#[derive(Debug)]
pub struct ProgressLine {
    what: &'static str,
    all: usize,
    /// Time at which the last line was due, from the start.
    last: Option<Duration>,
}

impl ProgressLine {
    /// Begins with nothing done. `what` names the pieces.
    pub fn new(what: &'static str, all: usize) -> Self {
        ProgressLine {
            what,
            all,
            last: None,
        }
    }

    /// Returns the line that is due after so much time, with so many pieces done.
    ///
    /// The first one comes as soon as a piece is done, if the rest takes longer than a minute; the
    /// others follow a minute apart.
    pub fn line(&mut self, elapsed: Duration, done: usize) -> Option<String> {
        let rest = self.rest(elapsed, done);
        let is_due = match self.last {
            Some(last) => elapsed >= last + PACE,
            None => elapsed >= PACE || rest.is_some_and(|rest| rest > PACE),
        };
        if !is_due || done >= self.all {
            return None;
        }
        self.last = Some(elapsed);
        let rest = rest.map_or("no estimate yet".to_owned(), |rest| {
            format!("about {} to go", words(rest))
        });
        let (all, what) = (self.all, self.what);
        Some(format!(
            "{done} of {all} {what} after {}, {rest}",
            words(elapsed)
        ))
    }

    /// Estimates the rest from the pieces that are done.
    fn rest(&self, elapsed: Duration, done: usize) -> Option<Duration> {
        let left = self.all.saturating_sub(done);
        let share = (done > 0).then(|| left as f64 / done as f64)?;
        Some(Duration::from_secs_f64(elapsed.as_secs_f64() * share))
    }
}

/// Rounds to what a reader plans with: seconds below two minutes, then minutes.
fn words(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds => format!("{} min", (seconds + 30) / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(all: usize, moments: &[(u64, usize)]) -> Vec<Option<String>> {
        let mut progress = ProgressLine::new("variants", all);
        let line = |&(seconds, done)| progress.line(Duration::from_secs(seconds), done);
        moments.iter().map(line).collect()
    }

    #[test]
    fn short_work_is_silent() {
        assert_eq!(
            lines(4, &[(1, 1), (2, 2), (3, 3), (4, 4)]),
            [const { None }; 4]
        );
    }

    #[test]
    fn long_work_tells_its_length_at_once_and_then_each_minute() {
        let reported = lines(
            69,
            &[(12, 1), (24, 2), (71, 5), (72, 6), (130, 9), (140, 10)],
        );
        assert_eq!(
            reported,
            [
                Some("1 of 69 variants after 12 s, about 14 min to go".to_owned()),
                None,
                None,
                Some("6 of 69 variants after 72 s, about 13 min to go".to_owned()),
                None,
                Some("10 of 69 variants after 2 min, about 14 min to go".to_owned()),
            ]
        );
    }

    #[test]
    fn a_first_piece_that_takes_minutes_is_reported_without_an_estimate() {
        let reported = lines(2, &[(59, 0), (60, 0), (61, 0), (900, 2)]);
        let first = "0 of 2 variants after 60 s, no estimate yet".to_owned();
        assert_eq!(reported, [None, Some(first), None, None]);
    }
}
