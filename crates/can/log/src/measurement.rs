//! Head of the logs that number their channels and count times from a start: ASC, TRC and BLF.

use std::io;

use crate::losses::Losses;
use crate::numbered::ChannelNumbers;
use crate::record::{Channels, ErrorFrame, LogEntry, Record};

const SECOND: u64 = 1_000_000_000;

/// A measurement that is written. It starts at the whole second of the first record, or at a date
/// that the caller knows.
#[derive(Debug, Default)]
pub(crate) struct Measurement {
    /// Time that records count from; none before the first.
    start_ns: Option<u64>,
    date_ns: Option<u64>,
    numbers: ChannelNumbers,
    pub(crate) losses: Losses,
}

/// The beginning of a record in such a log.
pub(crate) struct Head<'a> {
    /// Time since the start.
    pub(crate) at_ns: u64,
    /// Number of the channel.
    pub(crate) number: u16,
    /// Name of a channel that comes for the first time, for a comment.
    pub(crate) new_name: Option<&'a str>,
}

impl Measurement {
    /// Sets the date of records that count from it; changes nothing once the header is written.
    pub(crate) fn set_date(&mut self, date_ns: u64) {
        self.date_ns = Some(date_ns);
    }

    /// Begins with the time of the first record, unless it has begun, and returns the date for the
    /// header in nanoseconds since the Unix epoch. Records earlier than `least_ns`, for which the
    /// header has no date, count from the epoch.
    pub(crate) fn begin(&mut self, first_ns: u64, least_ns: u64) -> Option<u64> {
        if self.start_ns.is_some() {
            return None;
        }
        let whole = match first_ns < least_ns {
            true => 0,
            false => first_ns - first_ns % SECOND,
        };
        let (start_ns, date_ns) = match self.date_ns {
            Some(date_ns) => (0, date_ns),
            None => (whole, whole),
        };
        self.start_ns = Some(start_ns);
        Some(date_ns)
    }

    /// Returns the beginning of a record, and counts the details of an error frame, for which none
    /// of these formats has a place.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] for a record before the start, for which the format has no
    /// time.
    pub(crate) fn head<'a>(
        &mut self,
        record: &Record,
        channels: &'a Channels,
        format: &str,
    ) -> io::Result<Head<'a>> {
        let start_ns = self.start_ns.unwrap_or_default();
        let at_ns = record.at_ns.checked_sub(start_ns).ok_or_else(|| {
            let why = format!(
                "a record lies before the second of the first one; {format} needs them in order \
                 of time"
            );
            io::Error::new(io::ErrorKind::InvalidInput, why)
        })?;
        let (number, is_new) = self.numbers.number(record.channel, channels);
        let is_lost = matches!(record.entry, LogEntry::ErrorFrame(e) if e != ErrorFrame::BUS_ERROR);
        self.losses.error_details += u64::from(is_lost);
        Ok(Head {
            at_ns,
            number,
            new_name: is_new.then(|| channels.name(record.channel)),
        })
    }
}
