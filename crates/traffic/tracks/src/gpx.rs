//! GPX 1.0 and 1.1 \[GPX 1.1\]: each `<trk>` is a vehicle.

use std::io::BufRead;

use crate::collect::Tracks;
use crate::error::{Location, ReadError, TrackCause};
use crate::faults::{Faults, TrackFaultKind};
use crate::markup::{Piece, Pieces, Tag, damaged};
use crate::number::{altitude, heading, latitude, longitude, no_zone, speed, time};
use crate::sample::Sample;
use crate::xml::each_attribute;

const FILE: &str = "gpx";
const POINT: &str = "trkpt";

/// A point whose elements are read.
#[derive(Debug, Default)]
struct Point {
    line: u64,
    latitude: Option<f64>,
    longitude: Option<f64>,
    time_s: Option<f64>,
    altitude_m: Option<f64>,
    speed_m_s: Option<f64>,
    heading_degrees: Option<f64>,
    /// The first fault that costs the point.
    damage: Option<(u64, TrackCause)>,
}

impl Point {
    fn of(tag: &Tag, line: u64) -> Self {
        let mut point = Self {
            line,
            ..Self::default()
        };
        let read = each_attribute(&tag.element(), |name, value| {
            match name {
                "lat" => point.latitude = Some(latitude(name, &value)?),
                "lon" => point.longitude = Some(longitude(name, &value)?),
                _ => {}
            }
            Ok(())
        });
        point.damage = read.err().map(|cause| (line, cause));
        point
    }

    /// Takes what stands in an element of it, an extension's included.
    fn take(
        &mut self,
        name: &str,
        text: &str,
        line: u64,
        faults: &mut Faults,
    ) -> Result<(), ReadError> {
        let text = text.trim();
        let (place, read) = match name {
            "time" => {
                match time(name, text) {
                    Ok(time) => {
                        self.time_s = Some(time.seconds);
                        if !time.has_zone {
                            let cause = no_zone(name, text);
                            faults.add(TrackFaultKind::NoZone, Location::Line(line), cause)?;
                        }
                    }
                    Err(cause) => self.damage = self.damage.take().or(Some((line, cause))),
                }
                return Ok(());
            }
            "ele" => (&mut self.altitude_m, altitude(name, text)),
            "speed" => (&mut self.speed_m_s, speed(name, text)),
            "course" => (&mut self.heading_degrees, heading(name, text)),
            _ => return Ok(()),
        };
        match read {
            Ok(number) => *place = Some(number),
            Err(cause) => faults.add(TrackFaultKind::LeftOut, Location::Line(line), cause)?,
        }
        Ok(())
    }

    fn sample(&self) -> Result<Sample, TrackCause> {
        let missing = |name| {
            move || TrackCause::Missing {
                inside: "<trkpt>",
                name,
            }
        };
        Ok(Sample {
            latitude: self.latitude.ok_or_else(missing("lat"))?,
            longitude: self.longitude.ok_or_else(missing("lon"))?,
            time_s: self.time_s.ok_or_else(missing("<time>"))?,
            altitude_m: self.altitude_m,
            speed_m_s: self.speed_m_s,
            heading_degrees: self.heading_degrees,
        })
    }
}

/// A file on its way through the reader.
struct Walk<'a> {
    tracks: &'a mut Tracks,
    /// The number of the track.
    number: u64,
    point: Option<Point>,
    /// The element whose text is read, and the line that it begins in.
    element: Option<(u64, String)>,
    text: String,
    /// True if the begin of a point was damaged: its end is no second fault.
    is_skipping: bool,
}

impl Walk<'_> {
    fn damage(&mut self, line: u64, cause: TrackCause) -> Result<(), ReadError> {
        let faults = &mut self.tracks.faults;
        faults.add(TrackFaultKind::Damaged, Location::Line(line), cause)
    }

    /// The text of an element is over.
    fn end_text(&mut self) -> Result<(), ReadError> {
        if let (Some((line, name)), Some(point)) = (self.element.take(), &mut self.point) {
            point.take(&name, &self.text, line, &mut self.tracks.faults)?;
        }
        self.text.clear();
        Ok(())
    }

    /// The point is over.
    fn end_point(&mut self) -> Result<(), ReadError> {
        let Some(mut point) = self.point.take() else {
            return Ok(());
        };
        if let Some((line, cause)) = point.damage.take() {
            return self.damage(line, cause);
        }
        match point.sample() {
            Ok(sample) => {
                let name = format!("track {}", self.number);
                self.tracks.add(&name, sample, Location::Line(point.line))
            }
            Err(cause) => {
                let kind = match point.time_s {
                    None => TrackFaultKind::NoTime,
                    Some(_) => TrackFaultKind::Damaged,
                };
                self.tracks
                    .faults
                    .add(kind, Location::Line(point.line), cause)
            }
        }
    }

    fn begin(&mut self, line: u64, tag: &Tag, text: String) -> Result<(), ReadError> {
        self.end_text()?;
        match tag.name() {
            "trk" | "trkseg" | POINT if self.point.is_some() => {
                let (element, place) = (POINT, "does not end before the next one begins");
                self.damage(line, TrackCause::Misplaced { element, place })?;
                self.end_point()?;
            }
            _ => {}
        }
        match tag.name() {
            "trk" => self.number += 1,
            POINT => {
                self.is_skipping = false;
                self.point = Some(Point::of(tag, line));
            }
            name if self.point.is_some() => {
                self.element = Some((line, name.to_owned()));
                self.text = text;
            }
            _ => {}
        }
        Ok(())
    }

    fn take(&mut self, line: u64, piece: Piece) -> Result<bool, ReadError> {
        match piece {
            Piece::Start(tag, text) => self.begin(line, &tag, text)?,
            Piece::Empty(tag) => {
                self.begin(line, &tag, String::new())?;
                // An empty element has no text.
                self.element = None;
                if tag.name() == POINT {
                    self.end_point()?;
                }
            }
            Piece::End(name) => {
                self.end_text()?;
                match (name.as_str(), &self.point) {
                    (POINT, Some(_)) => self.end_point()?,
                    (POINT, None) if !std::mem::take(&mut self.is_skipping) => {
                        let (element, place) = (POINT, "ends where none began");
                        self.damage(line, TrackCause::Misplaced { element, place })?;
                    }
                    (FILE, _) => return Ok(true),
                    _ => {}
                }
            }
            Piece::Characters(text) => self.text.push_str(&text),
            Piece::Other => {}
            Piece::Damaged(text) => {
                self.end_text()?;
                self.is_skipping |= self.point.is_none();
                self.damage(line, damaged(&text))?;
            }
        }
        Ok(false)
    }
}

/// Reads tracks.
pub(crate) fn read(input: impl BufRead, tracks: &mut Tracks) -> Result<(), ReadError> {
    let mut pieces = Pieces::new(input)?;
    let mut walk = Walk {
        tracks,
        number: 0,
        point: None,
        element: None,
        text: String::new(),
        is_skipping: false,
    };
    let mut is_closed = false;
    while let Some((line, piece)) = pieces.next()? {
        is_closed |= walk.take(line, piece)?;
    }
    walk.end_text()?;
    if !is_closed {
        let (line, cause) = (pieces.line(), TrackCause::CutOff(FILE));
        let faults = &mut walk.tracks.faults;
        faults.add(TrackFaultKind::CutOff, Location::Line(line), cause)?;
    }
    walk.end_point()
}
