//! Messages that the station repeats as a user gave them.

use waywarden_v2x_station::RepeatedMessage;
use waywarden_v2x_station::repetition::REPEATED_MAX;

use super::{DUE_MAX, Participant};

const _: () = assert!(REPEATED_MAX < DUE_MAX);

impl Participant {
    /// Repeats messages from the begin on, as [`Station::repeating`] does.
    ///
    /// # Errors
    /// The place of the first message that the certificate does not permit, with the reason
    /// ([`SecurityServices::objection`]).
    ///
    /// [`Station::repeating`]: waywarden_v2x_station::Station::repeating
    /// [`SecurityServices::objection`]: crate::SecurityServices::objection
    pub fn repeating(mut self, messages: Vec<RepeatedMessage>) -> Result<Self, (usize, String)> {
        for (at, one) in messages.iter().enumerate() {
            if let Some(why) = self.security.objection(one.psid, &one.message) {
                return Err((at, why));
            }
        }
        self.station = self.station.repeating(messages);
        Ok(self)
    }
}
