//! Sentences of satellite receivers \[NMEA 0183\]: RMC has time, place, speed and course, GGA the
//! height. Without any RMC, GGA or GLL have the place, and ZDA the date.

mod sentence;
mod without_rmc;

use std::io::BufRead;

pub(crate) use self::sentence::is_address;
use self::sentence::{Fix, Found, Sentence, each};
use self::without_rmc::{Kind, Waiting, WithoutRmc};
use crate::collect::Tracks;
use crate::error::{Location, ReadError, TrackCause};
use crate::faults::{Faults, TrackFaultKind};
use crate::input::Counted;
use crate::local::turned;
use crate::number::{is_heading, is_speed};
use crate::sample::Sample;

/// A knot in m/s.
const KNOT_M_S: f64 = 1_852.0 / 3_600.0;
/// Name of the only track: the receiver's.
const NAME: &str = "receiver";

/// A height, and when it was measured.
#[derive(Clone, Copy)]
struct Height {
    time_of_day_us: u64,
    altitude_m: f64,
}

/// A receiver whose sentences are read.
#[derive(Default)]
struct Receiver {
    height: Option<Height>,
    /// Talker and time of the last position.
    last: Option<(String, f64)>,
    has_begun: bool,
    without_rmc: WithoutRmc,
}

/// Reads a track: one sample for each RMC with a fix, or for each GGA or GLL of a recording without
/// RMC. A sentence is found wherever it stands in a
/// line, for binary protocols of a receiver stand between.
pub(crate) fn read(input: impl BufRead, tracks: &mut Tracks) -> Result<(), ReadError> {
    let mut input = Counted::new(input);
    let (mut bytes, mut receiver) = (Vec::new(), Receiver::default());
    loop {
        let line = input.line();
        let is_there = input.read_line(&mut bytes);
        if !is_there.map_err(|error| ReadError::at_line(line, error.into()))? {
            return receiver.end(tracks);
        }
        // Remarks of a log, and AIS.
        if bytes.starts_with(b"#") || bytes.starts_with(b"!") {
            continue;
        }
        each(&bytes, |found| {
            receiver.take(found, Location::Line(line), tracks)
        })?;
    }
}

impl Receiver {
    fn take(
        &mut self,
        found: Found<'_>,
        location: Location,
        tracks: &mut Tracks,
    ) -> Result<(), ReadError> {
        let faults = &mut tracks.faults;
        match found {
            Found::Foreign(count) => {
                let cause = TrackCause::Sentence(format!("{count} bytes that are no sentence"));
                match self.has_begun {
                    true => return faults.add(TrackFaultKind::Foreign, location, cause),
                    false => faults.note(TrackFaultKind::Begin, location, ""),
                }
            }
            Found::Damaged(why) => {
                self.has_begun = true;
                return faults.add(TrackFaultKind::Damaged, location, TrackCause::Sentence(why));
            }
            Found::Sentence(sentence) => {
                self.has_begun = true;
                let kind = match sentence.kind() {
                    "RMC" => return self.position(&sentence, location, tracks),
                    "GGA" => {
                        self.height = height(&sentence);
                        Kind::Gga
                    }
                    "GLL" if !self.without_rmc.is_over() => Kind::Gll,
                    other => {
                        if other == "ZDA" {
                            self.without_rmc.date(&sentence);
                        }
                        faults.note(TrackFaultKind::OtherSentence, location, "");
                        return Ok(());
                    }
                };
                if !self.without_rmc.is_over() {
                    return self.without_rmc.take(kind, &sentence, location);
                }
            }
        }
        Ok(())
    }

    /// Takes an RMC.
    fn position(
        &mut self,
        sentence: &Sentence<'_>,
        location: Location,
        tracks: &mut Tracks,
    ) -> Result<(), ReadError> {
        let faults = &mut tracks.faults;
        for other in self.without_rmc.end() {
            faults.note(TrackFaultKind::OtherSentence, other, "");
        }
        let fix = match sentence.fix() {
            Ok(Some(fix)) => fix,
            Ok(None) => {
                faults.note(TrackFaultKind::NoFix, location, "");
                return Ok(());
            }
            Err(why) => {
                return faults.add(TrackFaultKind::Damaged, location, TrackCause::Sentence(why));
            }
        };
        let Some(time_s) = fix.time_s else {
            let cause = TrackCause::Sentence("a fix without a time or a date".to_owned());
            return faults.add(TrackFaultKind::NoTime, location, cause);
        };
        if !self.is_new(
            sentence.talker(),
            sentence.has_checksum,
            time_s,
            location,
            faults,
        )? {
            return Ok(());
        }
        let sample = self.sample(&fix, time_s, location, faults)?;
        tracks.add(NAME, sample, location)
    }

    /// Returns true if a position is not one of the time of the last one.
    fn is_new(
        &mut self,
        talker: &str,
        has_checksum: bool,
        time_s: f64,
        location: Location,
        faults: &mut Faults,
    ) -> Result<bool, ReadError> {
        if !has_checksum {
            let cause = TrackCause::Sentence("no checksum".to_owned());
            faults.add(TrackFaultKind::NoChecksum, location, cause)?;
        }
        if let Some((last, last_s)) = &self.last
            && *last_s == time_s
        {
            let kind = match last == talker {
                true => TrackFaultKind::SameTime,
                false => TrackFaultKind::OtherTalker,
            };
            faults.add(kind, location, TrackCause::SameTime(time_s))?;
            return Ok(false);
        }
        self.last = Some((talker.to_owned(), time_s));
        Ok(true)
    }

    /// Takes the positions of a recording that had no RMC.
    fn end(mut self, tracks: &mut Tracks) -> Result<(), ReadError> {
        let (own, others) = std::mem::take(&mut self.without_rmc).finish();
        for location in others {
            tracks
                .faults
                .note(TrackFaultKind::OtherSentence, location, "");
        }
        for one in own {
            let Waiting {
                location,
                talker,
                has_checksum,
                read,
                ..
            } = one;
            let faults = &mut tracks.faults;
            match read {
                Ok(None) => faults.note(TrackFaultKind::NoFix, location, ""),
                Err((kind, cause)) => faults.add(kind, location, cause)?,
                Ok(Some(sample)) => {
                    if self.is_new(&talker, has_checksum, sample.time_s, location, faults)? {
                        tracks.add(NAME, sample, location)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn sample(
        &self,
        fix: &Fix<'_>,
        time_s: f64,
        location: Location,
        faults: &mut Faults,
    ) -> Result<Sample, ReadError> {
        let mut number = |text: &str, what: &str, scale: f64, is_right: fn(f64) -> bool| {
            if text.is_empty() {
                return Ok(None);
            }
            let number = text.parse::<f64>().ok().map(|number| number * scale);
            let number = number.filter(|number| is_right(*number));
            if number.is_none() {
                let cause = TrackCause::Sentence(format!("{text:?} is no {what}"));
                faults.add(TrackFaultKind::LeftOut, location, cause)?;
            }
            Ok(number)
        };
        let speed_m_s = number(fix.knots, "speed", KNOT_M_S, is_speed)?;
        let course = number(fix.course, "course", 1.0, is_heading)?;
        let own = self
            .height
            .filter(|one| one.time_of_day_us == fix.time_of_day_us);
        Ok(Sample {
            time_s,
            latitude: fix.latitude,
            longitude: fix.longitude,
            altitude_m: own.map(|height| height.altitude_m),
            speed_m_s,
            heading_degrees: course.map(turned),
        })
    }
}

/// Reads the height of a GGA. One that cannot be read is not known.
fn height(sentence: &Sentence<'_>) -> Option<Height> {
    Some(Height {
        time_of_day_us: sentence::time_of_day_us(sentence.field(1))?,
        altitude_m: sentence.altitude_m()?,
    })
}
