//! Causes that keep a station from sending, each reported once.

use crate::Participant;
use crate::event::{NeighbourhoodEvent, NotSentCause};
use crate::frame::StationFix;

/// Maximum number of reasons that are reported for one cause while it lasts.
const REASONS_MAX: usize = 16;

impl Participant {
    /// Returns the cause that keeps the station from sending. A position that becomes too old is
    /// reported once, with its age at that moment. It takes precedence over the time, which becomes
    /// too old together with it.
    pub(super) fn obstacle(&self, fix: &StationFix) -> Option<NotSentCause> {
        if let Some(age) = fix.stale_position {
            return Some(match &self.impaired {
                Some(known @ NotSentCause::StalePosition(_)) => known.clone(),
                _ => NotSentCause::StalePosition(age),
            });
        }
        if let Some(why) = &fix.distrust {
            return Some(NotSentCause::Time(why.clone()));
        }
        if self.last.is_some_and(|last| fix.time < last) {
            return Some(NotSentCause::ClockBehind);
        }
        fix.motion.is_none().then_some(NotSentCause::Position)
    }

    /// Reports the beginning and the end of a cause. While it lasts, each further reason with the
    /// same code is reported once, so an intermittent GNSS receiver does not flood the log.
    pub(super) fn report(
        &mut self,
        cause: Option<NotSentCause>,
        events: &mut dyn FnMut(NeighbourhoodEvent),
    ) {
        if self.impaired == cause {
            return;
        }
        let code = cause.as_ref().map(NotSentCause::code);
        if let Some(before) = self.impaired.take_if(|before| Some(before.code()) != code) {
            self.reported.clear();
            events(NeighbourhoodEvent::Recovered(before));
        }
        if let Some(cause) = &cause
            && self.reported.len() < REASONS_MAX
            && !self.reported.contains(cause)
        {
            self.reported.push(cause.clone());
            events(NeighbourhoodEvent::Impaired(cause.clone()));
        }
        self.impaired = cause;
    }

    /// Returns the cause of the last signing failure, until a message of the same application is
    /// signed.
    pub(super) fn signing_failure(&self) -> Option<NotSentCause> {
        let (psid, reason) = self.unsigned.clone()?;
        Some(NotSentCause::Signing(psid, reason))
    }
}
