//! Time of a list that is made: no earlier than that of the list before, which receivers have.

use std::path::Path;
use std::time::Duration;

use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::clock::Clock;
use waywarden_command_line::exit::Failure;
use waywarden_v2x_input::time;

const SECOND: u64 = 1_000_000;

/// A list that is made, and the folder of the PKI that makes it.
pub(crate) struct Making<'m> {
    pub(crate) clock: Clock,
    /// Folder of the PKI.
    pub(crate) folder: &'m Path,
    /// Kind of list, in words.
    pub(crate) list: &'static str,
    /// Time of the list before of this kind.
    pub(crate) before: Option<Time64>,
}

impl Making<'_> {
    /// Returns a time that is not before that of the list before, and that fits: it waits for the
    /// next second, and for no more.
    ///
    /// # Errors
    /// [`Failure`] if the list before is of a later second than the clock.
    pub(crate) fn time(&self, fits: impl Fn(Time64) -> bool) -> Result<Time64, Failure> {
        loop {
            let now = self.clock.now();
            let second = |time: Time64| time.0 / SECOND;
            if let Some(before) = self.before.filter(|before| second(*before) > second(now)) {
                return Err(self.refused(before, now));
            }
            if self.before.is_none_or(|before| now >= before) && fits(now) {
                return Ok(now);
            }
            self.clock.sleep(Duration::from_millis(20));
        }
    }

    fn refused(&self, before: Time64, now: Time64) -> Failure {
        let (folder, list) = (self.folder.display(), self.list);
        Failure::new(format_args!(
            "{folder}: the {list} before is of {}, and the clock says {}: receivers take no list \
             that is older, and none was made; if the clock is behind, set it; if it was ahead \
             when that list was made and no receiver has that list, give --discard-later",
            time::show(before),
            time::show(now)
        ))
    }
}
