//! Start of the measurement, from which ASC, TRC and BLF count the times of their records.

use std::io;

const SECOND: u64 = 1_000_000_000;

/// The start of a measurement that is written: the whole second of the first record, or a date that
/// the caller knows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measurement {
    /// Time that records count from; none before the first.
    start_ns: Option<u64>,
    date_ns: Option<u64>,
}

impl Measurement {
    /// Sets the date of records that count from it; changes nothing once the header is written.
    pub(crate) fn set_date(&mut self, date_ns: u64) {
        self.date_ns = Some(date_ns);
    }

    /// Returns true if the header is written.
    pub(crate) const fn has_begun(&self) -> bool {
        self.start_ns.is_some()
    }

    /// Begins with the time of the first record, and returns the date for the header in nanoseconds
    /// since the Unix epoch.
    pub(crate) fn begin(&mut self, first_ns: u64) -> u64 {
        let whole = first_ns - first_ns % SECOND;
        let (start_ns, date_ns) = match self.date_ns {
            Some(date_ns) => (0, date_ns),
            None => (whole, whole),
        };
        self.start_ns = Some(start_ns);
        date_ns
    }

    /// Returns the time of a record since the start.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] for a record before it, for which the format has no time.
    pub(crate) fn since_start(&self, at_ns: u64, format: &str) -> io::Result<u64> {
        at_ns
            .checked_sub(self.start_ns.unwrap_or_default())
            .ok_or_else(|| {
                let why = format!(
                    "a record lies before the second of the first one; {format} needs them in \
                     order of time"
                );
                io::Error::new(io::ErrorKind::InvalidInput, why)
            })
    }
}
