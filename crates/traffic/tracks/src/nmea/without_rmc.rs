//! Positions of a receiver that reports no RMC: GGA and GLL, dated by ZDA.
//!
//! With an RMC in the recording they are the same positions again, so they wait until the end.

use super::sentence::{Sentence, time_of_day_us};
use crate::collect::SAMPLES_MAX;
use crate::error::{Location, ReadError, TrackCause};
use crate::faults::TrackFaultKind;
use crate::sample::Sample;

const DAY_S: f64 = 86_400.0;

/// The sentences that have a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Gga,
    Gll,
}

/// A sentence that waits.
pub(super) struct Waiting {
    pub(super) kind: Kind,
    pub(super) location: Location,
    pub(super) talker: String,
    pub(super) has_checksum: bool,
    /// The position; `None` without a fix. Without a date, its time is that of the day.
    pub(super) read: Result<Option<Sample>, (TrackFaultKind, TrackCause)>,
    is_dated: bool,
}

/// Sentences up to the first RMC.
#[derive(Default)]
pub(super) struct WithoutRmc {
    /// The time of the last ZDA, in seconds since 1970 UTC.
    date_s: Option<f64>,
    waiting: Vec<Waiting>,
    is_over: bool,
}

impl WithoutRmc {
    /// Returns true if an RMC has come: the sentences are not needed.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Ends the wait, and returns the number of GLL.
    pub(super) fn end(&mut self) -> impl Iterator<Item = Location> + use<> {
        self.is_over = true;
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        let all = waiting.filter(|one| one.kind == Kind::Gll);
        all.map(|one| one.location)
    }

    /// Takes the date of a ZDA: the first one dates the positions before it, too.
    pub(super) fn date(&mut self, sentence: &Sentence<'_>) {
        let Some(date_s) = sentence.date_and_time_s() else {
            return;
        };
        if self.date_s.is_none() {
            for one in &mut self.waiting {
                one.is_dated = true;
                if let Ok(Some(sample)) = &mut one.read {
                    sample.time_s = nearest(date_s, sample.time_s);
                }
            }
        }
        self.date_s = Some(date_s);
    }

    pub(super) fn take(
        &mut self,
        kind: Kind,
        sentence: &Sentence<'_>,
        location: Location,
    ) -> Result<(), ReadError> {
        if self.waiting.len() >= SAMPLES_MAX {
            let cause = TrackCause::TooMany(SAMPLES_MAX);
            return Err(ReadError { location, cause });
        }
        self.waiting.push(Waiting {
            kind,
            location,
            talker: sentence.talker().to_owned(),
            has_checksum: sentence.has_checksum,
            read: self.sample(kind, sentence),
            is_dated: self.date_s.is_some(),
        });
        Ok(())
    }

    fn sample(
        &self,
        kind: Kind,
        sentence: &Sentence<'_>,
    ) -> Result<Option<Sample>, (TrackFaultKind, TrackCause)> {
        let damaged = |why: String| (TrackFaultKind::Damaged, TrackCause::Sentence(why));
        let (time, place, has_fix) = match kind {
            Kind::Gga => (1, 2, !matches!(sentence.field(6), "" | "0")),
            Kind::Gll => (5, 1, sentence.field(6) == "A" && sentence.field(7) != "N"),
        };
        if !has_fix {
            return Ok(None);
        }
        let (latitude, longitude) = sentence.place(place).map_err(damaged)?;
        let time = sentence.field(time);
        let time_of_day_us = time_of_day_us(time);
        let time_of_day_us = time_of_day_us.ok_or_else(|| damaged(format!("{time:?} is no time")));
        let time_of_day_s = time_of_day_us? as f64 / 1e6;
        let altitude_m = match kind {
            Kind::Gga => sentence.altitude_m(),
            Kind::Gll => None,
        };
        Ok(Some(Sample {
            time_s: match self.date_s {
                Some(date_s) => nearest(date_s, time_of_day_s),
                None => time_of_day_s,
            },
            latitude,
            longitude,
            altitude_m,
            speed_m_s: None,
            heading_degrees: None,
        }))
    }

    /// Returns the positions of a recording that is over: those of the kind that has more of them,
    /// and the places of the sentences of the other kind.
    pub(super) fn finish(self) -> (Vec<Waiting>, Vec<Location>) {
        let count = |kind| {
            let own = self.waiting.iter().filter(|one| one.kind == kind);
            own.filter(|one| matches!(one.read, Ok(Some(_)))).count()
        };
        let kind = match count(Kind::Gll) > count(Kind::Gga) {
            true => Kind::Gll,
            false => Kind::Gga,
        };
        let is_own = |one: &Waiting| one.kind == kind;
        let (mut own, others): (Vec<_>, Vec<_>) = self.waiting.into_iter().partition(is_own);
        for one in &mut own {
            if !one.is_dated && matches!(one.read, Ok(Some(_))) {
                let why = "a fix without a date: the recording has no RMC and no ZDA".to_owned();
                one.read = Err((TrackFaultKind::NoTime, TrackCause::Sentence(why)));
            }
        }
        (own, others.iter().map(|one| one.location).collect())
    }
}

/// Returns the moment with this time of day that is nearest to another moment: midnight may be
/// between a date and the fix after it.
fn nearest(moment_s: f64, time_of_day_s: f64) -> f64 {
    let midnight_s = (moment_s / DAY_S).floor() * DAY_S;
    let days = [-DAY_S, 0.0, DAY_S].map(|day| midnight_s + day + time_of_day_s);
    let gap = |one: &f64| (one - moment_s).abs();
    days.into_iter()
        .min_by(|one, other| gap(one).total_cmp(&gap(other)))
        .unwrap_or(moment_s)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn midnight_may_be_between_a_date_and_a_fix() {
        let noon = 1_780_315_200.0;
        let midnight = noon + 43_200.0;
        assert_eq!(nearest(noon, 43_201.0), noon + 1.0);
        assert_eq!(nearest(midnight - 1.0, 0.0), midnight);
        assert_eq!(nearest(midnight, 86_399.0), midnight - 1.0);
    }
}
