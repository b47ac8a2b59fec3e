//! Output of satellite receivers \[NMEA 0183\]: RMC has time, place, speed and course, GGA the
//! height.

mod sentence;

use std::io::BufRead;

pub(crate) use self::sentence::is_address;
use self::sentence::{Fix, Found, Sentence, each};
use crate::collect::Tracks;
use crate::error::{Cause, Location, ReadError};
use crate::faults::{FaultKind, Faults};
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
}

/// Reads a track: one sample for each RMC with a fix. A sentence is found wherever it stands in a
/// line, for binary protocols of a receiver stand between.
pub(crate) fn read(input: impl BufRead, tracks: &mut Tracks) -> Result<(), ReadError> {
    let mut input = Counted::new(input);
    let (mut bytes, mut receiver) = (Vec::new(), Receiver::default());
    loop {
        let line = input.line();
        let is_there = input.read_line(&mut bytes);
        if !is_there.map_err(|error| ReadError::at_line(line, error.into()))? {
            return Ok(());
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
                let cause = Cause::Sentence(format!("{count} bytes that are no sentence"));
                match self.has_begun {
                    true => return faults.add(FaultKind::Foreign, location, cause),
                    false => faults.note(FaultKind::Begin, location, ""),
                }
            }
            Found::Damaged(why) => {
                self.has_begun = true;
                return faults.add(FaultKind::Damaged, location, Cause::Sentence(why));
            }
            Found::Sentence(sentence) => {
                self.has_begun = true;
                match sentence.kind() {
                    "GGA" => self.height = height(&sentence),
                    "RMC" => return self.position(&sentence, location, tracks),
                    _ => faults.note(FaultKind::OtherSentence, location, ""),
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
        let fix = match sentence.fix() {
            Ok(Some(fix)) => fix,
            Ok(None) => {
                faults.note(FaultKind::NoFix, location, "");
                return Ok(());
            }
            Err(why) => return faults.add(FaultKind::Damaged, location, Cause::Sentence(why)),
        };
        let Some(time_s) = fix.time_s else {
            let cause = Cause::Sentence("a fix without a time or a date".to_owned());
            return faults.add(FaultKind::NoTime, location, cause);
        };
        if !sentence.has_checksum {
            let cause = Cause::Sentence("no checksum".to_owned());
            faults.add(FaultKind::NoChecksum, location, cause)?;
        }
        if let Some((talker, last_s)) = &self.last
            && *last_s == time_s
        {
            let kind = match talker == sentence.talker() {
                true => FaultKind::SameTime,
                false => FaultKind::OtherTalker,
            };
            return faults.add(kind, location, Cause::SameTime(time_s));
        }
        self.last = Some((sentence.talker().to_owned(), time_s));
        let sample = self.sample(&fix, time_s, location, faults)?;
        tracks.add(NAME, sample, location)
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
                let cause = Cause::Sentence(format!("{text:?} is no {what}"));
                faults.add(FaultKind::LeftOut, location, cause)?;
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
    let altitude_m = sentence.field(9).parse().ok();
    let altitude_m = altitude_m.filter(|metres: &f64| metres.abs() <= 100_000.0)?;
    Some(Height {
        time_of_day_us: sentence::time_of_day_us(sentence.field(1))?,
        altitude_m,
    })
}
