//! Trusted times never go back.

use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::now::signed;

/// The latest time that was given out as trusted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LatestTrusted(Option<Time64>);

impl LatestTrusted {
    /// Admits a time that follows, and returns it. One that is earlier by at most `tolerance`
    /// microseconds becomes the latest one: time stands still.
    ///
    /// # Errors
    ///
    /// By how many microseconds it is earlier than the latest one, if by more.
    pub(super) fn admit(&mut self, time: Time64, tolerance: i64) -> Result<Time64, i64> {
        let latest = self.0.unwrap_or(time);
        let behind = signed(latest).saturating_sub(signed(time));
        if behind > tolerance {
            return Err(behind);
        }
        let admitted = Time64(time.0.max(latest.0));
        self.0 = Some(admitted);
        Ok(admitted)
    }
}
