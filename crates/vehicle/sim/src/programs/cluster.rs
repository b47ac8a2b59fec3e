//! An instrument cluster from a car of 2014, which knows nothing of authentication: a rev counter,
//! two arrows and a warning lamp \[VULCAN\].

use waywarden_work::{Duration, Instant};

use super::{EcuProgram, Shown};
use waywarden_vehicle_trace::ValueSource;

/// Time that the warning lamp is on after a warning. Choice: longer than the time between two
/// warnings of a gateway under attack, which is 200 ms on the bench.
const WARNING: Duration = Duration::from_millis(500);

/// Program of the instrument cluster.
#[derive(Clone, Debug)]
pub struct InstrumentCluster {
    rpm: usize,
    indicators: usize,
    turns: Option<u16>,
    lamps: Option<(bool, bool)>,
    lamp: Lamp,
}

/// The warning lamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lamp {
    Off,
    /// On; when the last warning came is known when the program runs next.
    Warned,
    /// On until then.
    Until(Instant),
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
            lamp: Lamp::Off,
        }
    }

    fn sign(text: &str) -> Shown {
        Shown {
            by: "cluster",
            text: text.to_owned(),
            source: None,
        }
    }

    fn value(text: String, source: ValueSource) -> Shown {
        Shown {
            by: "cluster",
            text,
            source: Some(source),
        }
    }
}

impl EcuProgram for InstrumentCluster {
    fn take(&mut self, stream: usize, payload: &[u8], source: ValueSource) -> Vec<Shown> {
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
        match std::mem::replace(&mut self.lamp, Lamp::Warned) {
            Lamp::Off => vec![Self::sign("warning lamp on")],
            Lamp::Warned | Lamp::Until(_) => Vec::new(),
        }
    }

    fn expire(&mut self, now: Instant) -> Vec<Shown> {
        match self.lamp {
            Lamp::Warned => self.lamp = Lamp::Until(now + WARNING),
            Lamp::Until(end) if end <= now => {
                self.lamp = Lamp::Off;
                return vec![Self::sign("warning lamp off")];
            }
            Lamp::Off | Lamp::Until(_) => {}
        }
        Vec::new()
    }

    fn next_deadline(&self) -> Option<Instant> {
        match self.lamp {
            Lamp::Until(end) => Some(end),
            Lamp::Off | Lamp::Warned => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_shows_changes_from_any_sender() {
        let mut cluster = InstrumentCluster::new(2, 3);
        let mut see = |stream, payload: &[u8]| {
            let shown = cluster.take(stream, payload, ValueSource::AttackerCode);
            shown.into_iter().map(|one| one.text).next()
        };
        let rpm = [0x49, 0x0E, 0xA0, 0x0F, 0x0E, 0x00, 0x1B, 0x0E];
        assert_eq!(see(2, &rpm).as_deref(), Some("1000 rpm"));
        assert_eq!(see(2, &rpm), None);
        assert_eq!(see(3, &[3]).as_deref(), Some("both arrows"));
        assert_eq!(see(3, &[2]).as_deref(), Some("right arrow"));
        assert_eq!(see(2, &[1]), None, "too short");
    }

    #[test]
    fn warning_lamp_is_on_until_warnings_end() {
        let mut cluster = InstrumentCluster::new(2, 3);
        let at = |millis| Instant::ZERO + Duration::from_millis(millis);
        let texts = |shown: Vec<Shown>| shown.into_iter().map(|one| one.text).collect::<Vec<_>>();
        assert!(cluster.expire(at(0)).is_empty() && cluster.next_deadline().is_none());
        assert_eq!(texts(cluster.warn()), ["warning lamp on"]);
        assert!(cluster.expire(at(100)).is_empty());
        assert_eq!(cluster.next_deadline(), Some(at(600)));
        assert!(cluster.warn().is_empty(), "it is on already");
        assert!(cluster.expire(at(300)).is_empty());
        assert!(
            cluster.expire(at(799)).is_empty(),
            "the last warning counts"
        );
        assert_eq!(texts(cluster.expire(at(800))), ["warning lamp off"]);
        assert!(cluster.expire(at(900)).is_empty() && cluster.next_deadline().is_none());
        assert_eq!(texts(cluster.warn()), ["warning lamp on"]);
    }
}
