//! FCD as XML: `<fcd-export>` of `<timestep>` of `<vehicle>`.

use std::io::BufRead;

use quick_xml::events::{BytesStart, Event};

use super::{FcdVehicle, Names, Partial, TimeStep};
use crate::error::{Location, ReadError, TrackCause};
use crate::number::{finite, heading, speed};
use crate::xml::{Xml, each_attribute};

const EXPORT: &str = "fcd-export";
const STEP: &str = "timestep";
const VEHICLE: &str = "vehicle";

pub(super) struct Steps<R> {
    xml: Xml<R>,
    is_open: bool,
    is_closed: bool,
}

impl<R: BufRead> Steps<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            xml: Xml::new(input),
            is_open: false,
            is_closed: false,
        }
    }

    /// The next time step and its line, if there is one.
    pub(super) fn next(
        &mut self,
        names: &mut Names,
    ) -> Result<(Location, Option<TimeStep>), ReadError> {
        let mut step: Option<TimeStep> = None;
        loop {
            let (line, event) = self.xml.next()?;
            let fault = |cause| ReadError::at_line(line, cause);
            match event {
                Event::Start(element) => match element.name().into_inner() {
                    EXPORT => self.is_open = true,
                    STEP if step.is_none() => step = Some(begin(&element).map_err(fault)?),
                    STEP => return Err(fault(misplaced(STEP, "inside <timestep>"))),
                    VEHICLE => add(&mut step, &element, names).map_err(fault)?,
                    _ => {}
                },
                Event::Empty(element) => match element.name().into_inner() {
                    STEP => {
                        return Ok((Location::Line(line), Some(begin(&element).map_err(fault)?)));
                    }
                    VEHICLE => add(&mut step, &element, names).map_err(fault)?,
                    EXPORT => self.is_closed = true,
                    _ => {}
                },
                Event::End(element) => match element.name().into_inner() {
                    STEP => return Ok((Location::Line(line), step)),
                    EXPORT => self.is_closed = true,
                    _ => {}
                },
                Event::Eof if self.is_closed && step.is_none() => {
                    return Ok((Location::Line(line), None));
                }
                Event::Eof if self.is_open => return Err(fault(TrackCause::CutOff(EXPORT))),
                Event::Eof => return Err(fault(TrackCause::Unknown)),
                _ => {}
            }
        }
    }
}

fn misplaced(element: &'static str, place: &'static str) -> TrackCause {
    TrackCause::Misplaced { element, place }
}

fn begin(element: &BytesStart<'_>) -> Result<TimeStep, TrackCause> {
    let mut time = None;
    each_attribute(element, |name, value| {
        if name == "time" {
            time = Some(finite(name, &value)?);
        }
        Ok(())
    })?;
    let missing = TrackCause::Missing {
        inside: "<timestep>",
        name: "time",
    };
    Ok(TimeStep {
        time_s: time.ok_or(missing)?,
        vehicles: Vec::new(),
    })
}

fn add(
    step: &mut Option<TimeStep>,
    element: &BytesStart<'_>,
    names: &mut Names,
) -> Result<(), TrackCause> {
    let step = step.as_mut();
    let step = step.ok_or_else(|| misplaced(VEHICLE, "outside of <timestep>"))?;
    step.vehicles.push(vehicle(element, names, step.time_s)?);
    Ok(())
}

fn vehicle(
    element: &BytesStart<'_>,
    names: &mut Names,
    time_s: f64,
) -> Result<FcdVehicle, TrackCause> {
    let mut partial = Partial::default();
    each_attribute(element, |name, value| {
        match name {
            "id" => partial.number = Some(names.number(&value, time_s)?),
            "x" => partial.x = Some(finite(name, &value)?),
            "y" => partial.y = Some(finite(name, &value)?),
            "z" => partial.z = Some(finite(name, &value)?),
            "speed" => partial.speed_m_s = Some(speed(name, &value)?),
            "angle" => partial.heading_degrees = Some(heading(name, &value)?),
            _ => {}
        }
        Ok(())
    })?;
    partial.complete("<vehicle>", ["id", "x", "y"])
}
