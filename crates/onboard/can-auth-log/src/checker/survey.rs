//! The first pass over a log, which finds the announcements, so that the second pass knows the next
//! one at each frame.

use std::sync::Arc;

use waywarden_can_auth::secoc::Epoch;
use waywarden_can_log::{Channels, Record};

use super::announcements::{self, AnnouncementReceiver};
use crate::error::CheckLogError;
use crate::plan::AuthenticationPlan;

/// Looks through a log for announcements. Memory grows by 8 bytes with each that is authentic.
pub struct LogSurvey {
    plan: Arc<AuthenticationPlan>,
    channels: Vec<Vec<AnnouncementReceiver>>,
    hindsight: Hindsight,
}

/// The announcements of a log, for [`super::LogChecker::with_hindsight`].
#[derive(Clone, Debug, Default)]
pub struct Hindsight {
    /// Announced epochs by channel and table.
    announced: Vec<Vec<Vec<Epoch>>>,
}

impl LogSurvey {
    /// Begins the first pass.
    #[must_use]
    pub fn new(plan: Arc<AuthenticationPlan>) -> Self {
        LogSurvey {
            plan,
            channels: Vec::new(),
            hindsight: Hindsight::default(),
        }
    }

    /// Looks at a record; `channels` are those of the log so far.
    ///
    /// # Errors
    /// [`CheckLogError`], as the second pass has it.
    pub fn look(&mut self, record: &Record, channels: &Channels) -> Result<(), CheckLogError> {
        for (_, name) in channels.iter().skip(self.channels.len()) {
            let bus = self.plan.bus(name)?;
            let receivers = announcements::receivers(&self.plan, &bus)?;
            let announced = vec![Vec::new(); receivers.len()];
            self.channels.push(receivers);
            self.hindsight.announced.push(announced);
        }
        let Some(frame) = record.entry.frame() else {
            return Ok(());
        };
        let at = record.channel.index();
        let own = self.channels.get_mut(at);
        let own = own.ok_or(CheckLogError::ForeignChannel)?;
        for (receiver, announced) in own.iter_mut().zip(&mut self.hindsight.announced[at]) {
            if receiver.accept(frame)?.is_some() {
                announced.extend(receiver.latest_if_newer(announced.last().copied()));
                break;
            }
        }
        Ok(())
    }

    /// Ends the first pass.
    #[must_use]
    pub fn finish(self) -> Hindsight {
        self.hindsight
    }
}

impl Hindsight {
    /// Returns the announcements of a channel by table.
    pub(super) fn of_channel(&self, channel: usize) -> Vec<Vec<Epoch>> {
        self.announced.get(channel).cloned().unwrap_or_default()
    }
}
