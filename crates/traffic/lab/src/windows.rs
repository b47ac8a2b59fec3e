//! Distribution of the number of messages in a window of time.

/// Numbers of messages that a vehicle received in a window of time, over all vehicles and windows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Windows {
    /// Number of windows, by the number of their messages.
    counts: Vec<u64>,
}

impl Windows {
    pub(crate) fn add(&mut self, received: u32) {
        let received = received as usize;
        if self.counts.len() <= received {
            self.counts.resize(received + 1, 0);
        }
        self.counts[received] += 1;
    }

    /// Returns how many windows there were. A vehicle's window counts if it was on the road at its
    /// begin, whether it heard anything or not.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the mean; 0 if there were none.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.messages() / self.count().max(1) as f64
    }

    /// Returns the mean of those in which something was heard; 0 if there were none.
    #[must_use]
    pub fn mean_heard(&self) -> f64 {
        let silent = self.counts.first().copied().unwrap_or(0);
        self.messages() / (self.count() - silent).max(1) as f64
    }

    /// Returns how many windows had so many messages, from none on.
    pub(crate) fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// All messages of all windows.
    fn messages(&self) -> f64 {
        let each = self.counts.iter().enumerate();
        each.map(|(received, windows)| received as f64 * *windows as f64)
            .sum()
    }

    /// Returns the most messages of a window.
    #[must_use]
    pub fn most(&self) -> u32 {
        self.counts.len().saturating_sub(1) as u32
    }

    /// Returns the least messages of a window in which something was heard; 0 if nothing ever was.
    #[must_use]
    pub fn least_heard(&self) -> u32 {
        let heard = self.counts.iter().skip(1).position(|windows| *windows > 0);
        heard.map_or(0, |at| at as u32 + 1)
    }

    /// Returns the least number that so large a share of the windows, 0 to 1, does not exceed.
    #[must_use]
    pub fn quantile(&self, share: f64) -> u32 {
        let due = (self.count() as f64 * share.clamp(0.0, 1.0))
            .ceil()
            .max(1.0) as u64;
        let mut seen = 0;
        let found = self.counts.iter().position(|windows| {
            seen += *windows;
            seen >= due
        });
        found.unwrap_or(0) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_have_means_and_quantiles() {
        let mut windows = Windows::default();
        for received in [0, 0, 1, 2, 7] {
            windows.add(received);
        }
        assert_eq!((windows.count(), windows.most()), (5, 7));
        assert_eq!(windows.least_heard(), 1);
        assert!((windows.mean() - 2.0).abs() < 1e-12);
        assert!((windows.mean_heard() - 10.0 / 3.0).abs() < 1e-12);
        let quantiles = [0.0, 0.4, 0.5, 0.8, 0.99, 1.0].map(|share| windows.quantile(share));
        assert_eq!(quantiles, [0, 0, 1, 2, 7, 7]);
        assert_eq!(Windows::default().quantile(0.5), 0);
        assert_eq!(Windows::default().mean_heard(), 0.0);
        assert_eq!(Windows::default().least_heard(), 0);
    }
}
