//! GPX 1.0 and 1.1 \[GPX 1.1\]: each `<trk>` is a vehicle.

use std::io::BufRead;

use quick_xml::events::{BytesStart, Event};

use crate::collect::Tracks;
use crate::error::{Cause, ReadError};
use crate::number::{altitude, heading, latitude, longitude, speed, time};
use crate::sample::Sample;
use crate::xml::{Xml, each_attribute};

const FILE: &str = "gpx";
const POINT: &str = "trkpt";

/// A point whose elements are read.
#[derive(Clone, Copy, Debug, Default)]
struct Point {
    line: u64,
    latitude: Option<f64>,
    longitude: Option<f64>,
    time_s: Option<f64>,
    altitude_m: Option<f64>,
    speed_m_s: Option<f64>,
    heading_degrees: Option<f64>,
}

impl Point {
    fn of(element: &BytesStart<'_>, line: u64) -> Result<Self, Cause> {
        let mut point = Self {
            line,
            ..Self::default()
        };
        each_attribute(element, |name, value| {
            match name {
                "lat" => point.latitude = Some(latitude(name, &value)?),
                "lon" => point.longitude = Some(longitude(name, &value)?),
                _ => {}
            }
            Ok(())
        })?;
        Ok(point)
    }

    /// Takes what stands in an element of it, an extension's included.
    fn take(&mut self, name: &str, text: &str) -> Result<(), Cause> {
        let text = text.trim();
        match name {
            "time" => self.time_s = Some(time(name, text)?),
            "ele" => self.altitude_m = Some(altitude(name, text)?),
            "speed" => self.speed_m_s = Some(speed(name, text)?),
            "course" => self.heading_degrees = Some(heading(name, text)?),
            _ => {}
        }
        Ok(())
    }

    fn sample(self) -> Result<Sample, Cause> {
        let missing = |name| {
            move || Cause::Missing {
                inside: "<trkpt>",
                name,
            }
        };
        Ok(Sample {
            time_s: self.time_s.ok_or_else(missing("<time>"))?,
            latitude: self.latitude.ok_or_else(missing("lat"))?,
            longitude: self.longitude.ok_or_else(missing("lon"))?,
            altitude_m: self.altitude_m,
            speed_m_s: self.speed_m_s,
            heading_degrees: self.heading_degrees,
        })
    }
}

/// Reads tracks.
pub(crate) fn read(input: impl BufRead, tracks: &mut Tracks) -> Result<(), ReadError> {
    let mut xml = Xml::new(input);
    let mut point: Option<Point> = None;
    let mut text = String::new();
    let mut number = 0;
    let mut is_closed = false;
    loop {
        let (line, event) = xml.next()?;
        let fault = |cause| ReadError::at_line(line, cause);
        match event {
            Event::Start(element) => {
                text.clear();
                match element.local_name().into_inner() {
                    "trk" => number += 1,
                    POINT => point = Some(Point::of(&element, line).map_err(fault)?),
                    _ => {}
                }
            }
            Event::Text(piece) if point.is_some() => text.push_str(&piece.xml10_content()),
            Event::Empty(element) if element.local_name().into_inner() == POINT => {
                Point::of(&element, line)
                    .and_then(Point::sample)
                    .map_err(fault)?;
            }
            Event::End(element) => match (element.local_name().into_inner(), &mut point) {
                (POINT, Some(whole)) => {
                    let line = whole.line;
                    let name = format!("track {number}");
                    let added = whole.sample().and_then(|sample| tracks.add(&name, sample));
                    added.map_err(|cause| ReadError::at_line(line, cause))?;
                    point = None;
                }
                (FILE, _) => is_closed = true,
                (name, Some(open)) => open.take(name, &text).map_err(fault)?,
                _ => {}
            },
            Event::Eof if is_closed => return Ok(()),
            Event::Eof => return Err(fault(Cause::CutOff(FILE))),
            _ => {}
        }
    }
}
