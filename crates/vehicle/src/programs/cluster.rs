//! An instrument cluster from a car of 2014, which knows nothing of authentication: a rev counter,
//! two arrows and a warning lamp \[VULCAN\].

use super::{Program, Shown, Source};

/// The program.
#[derive(Clone, Debug)]
pub struct InstrumentCluster {
    rpm: usize,
    indicators: usize,
    turns: Option<u16>,
    lamps: Option<(bool, bool)>,
    warned: bool,
}

impl InstrumentCluster {
    /// Shows these streams, by their places in the vehicle file.
    #[must_use]
    pub const fn new(rpm: usize, indicators: usize) -> Self {
        InstrumentCluster {
            rpm,
            indicators,
            turns: None,
            lamps: None,
            warned: false,
        }
    }

    fn value(text: String, source: Source) -> Shown {
        Shown {
            by: "cluster",
            text,
            is_value: true,
            source: Some(source),
        }
    }
}

impl Program for InstrumentCluster {
    fn take(&mut self, stream: usize, payload: &[u8], source: Source) -> Vec<Shown> {
        if stream == self.rpm {
            let Some(&[low, high]) = payload.get(2..4) else {
                return Vec::new();
            };
            // `Motordrehzahl`: a quarter of a turn a minute.
            let turns = u16::from_le_bytes([low, high]) / 4;
            if self.turns.replace(turns) != Some(turns) {
                return vec![Self::value(format!("{turns} rpm"), source)];
            }
        } else if stream == self.indicators {
            let Some(&byte) = payload.first() else {
                return Vec::new();
            };
            let lamps = (byte & 1 != 0, byte & 2 != 0);
            if self.lamps.replace(lamps) != Some(lamps) {
                let text = match lamps {
                    (false, false) => "no arrow",
                    (true, false) => "left arrow",
                    (false, true) => "right arrow",
                    (true, true) => "both arrows",
                };
                return vec![Self::value(text.to_owned(), source)];
            }
        }
        Vec::new()
    }

    fn warn(&mut self) -> Vec<Shown> {
        if std::mem::replace(&mut self.warned, true) {
            return Vec::new();
        }
        vec![Shown {
            by: "cluster",
            text: "warning lamp".to_owned(),
            is_value: false,
            source: None,
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_shows_changes_of_what_it_is_told_by_anybody() {
        let mut cluster = InstrumentCluster::new(2, 3);
        let mut see = |stream, payload: &[u8]| {
            let shown = cluster.take(stream, payload, Source::Nobody);
            shown.into_iter().map(|one| one.text).next()
        };
        let rpm = [0x49, 0x0E, 0xA0, 0x0F, 0x0E, 0x00, 0x1B, 0x0E];
        assert_eq!(see(2, &rpm).as_deref(), Some("1000 rpm"));
        assert_eq!(see(2, &rpm), None);
        assert_eq!(see(3, &[3]).as_deref(), Some("both arrows"));
        assert_eq!(see(3, &[2]).as_deref(), Some("right arrow"));
        assert_eq!(see(2, &[1]), None, "too short");
        assert_eq!(cluster.warn().len(), 1);
        assert!(cluster.warn().is_empty(), "it is on already");
    }
}
