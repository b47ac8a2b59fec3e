//! Causes that keep a station from sending, each reported once.

use crate::Participant;
use crate::event::{Cause, Event};
use crate::frame::Fix;

/// Maximum number of reasons that are reported for one cause while it lasts.
const REASONS_MAX: usize = 16;

impl Participant {
    /// Returns the cause that keeps the station from sending. A position that becomes too old is
    /// reported once, with its age at that moment. It takes precedence over the time, which becomes
    /// too old together with it.
    pub(super) fn obstacle(&self, fix: &Fix) -> Option<Cause> {
        if let Some(age) = fix.stale_position {
            return Some(match &self.impaired {
                Some(known @ Cause::StalePosition(_)) => known.clone(),
                _ => Cause::StalePosition(age),
            });
        }
        if let Some(why) = &fix.distrust {
            return Some(Cause::Time(why.clone()));
        }
        if self.last.is_some_and(|last| fix.time < last) {
            return Some(Cause::ClockBehind);
        }
        fix.motion.is_none().then_some(Cause::Position)
    }

    /// Reports the beginning and the end of a cause. While it lasts, each further reason with the
    /// same code is reported once, so an intermittent GNSS receiver does not flood the log.
    pub(super) fn report(&mut self, cause: Option<Cause>, events: &mut dyn FnMut(Event)) {
        if self.impaired == cause {
            return;
        }
        let code = cause.as_ref().map(Cause::code);
        if let Some(before) = self.impaired.take_if(|before| Some(before.code()) != code) {
            self.reported.clear();
            events(Event::Recovered(before));
        }
        if let Some(cause) = &cause
            && self.reported.len() < REASONS_MAX
            && !self.reported.contains(cause)
        {
            self.reported.push(cause.clone());
            events(Event::Impaired(cause.clone()));
        }
        self.impaired = cause;
    }

    /// Returns the cause of the last signing failure, until a message of the same application is
    /// signed.
    pub(super) fn signing_failure(&self) -> Option<Cause> {
        let (psid, reason) = self.unsigned.clone()?;
        Some(Cause::Signing(psid, reason))
    }
}
