//! The buildings of a file of polygons (`.poly.xml`) of SUMO \[SUMO\].

use std::io::BufRead;

use quick_xml::events::{BytesStart, Event};

use crate::error::{ReadError, TrackCause};
use crate::input::decompressed;
use crate::number::finite;
use crate::xml::{Xml, each_attribute};

/// The most corners of all buildings together.
pub const CORNERS_MAX: usize = 5_000_000;

/// The corners of a polygon, in metres to the east and to the north.
pub type Outline = Vec<(f64, f64)>;

/// Reads the outlines of buildings: polygons whose type begins with `building`. Plain text and gzip
/// are told apart by content. What is no building is left out; an outline of fewer than three
/// corners is an error.
///
/// # Errors
/// [`ReadError`] names the line.
pub fn read_buildings(input: impl BufRead) -> Result<Vec<Outline>, ReadError> {
    let input =
        decompressed(input).map_err(|error| ReadError::at_line(1, TrackCause::Input(error)))?;
    let mut xml = Xml::new(input);
    let mut buildings = Vec::new();
    let (mut corners, mut is_open) = (0, false);
    loop {
        let (line, event) = xml.next()?;
        let fault = |cause| ReadError::at_line(line, cause);
        match event {
            Event::Start(element) | Event::Empty(element) => {
                is_open = true;
                if element.name().into_inner() == "poly"
                    && let Some(outline) = outline(&element).map_err(fault)?
                {
                    corners += outline.len();
                    if corners > CORNERS_MAX {
                        return Err(fault(TrackCause::TooMany(CORNERS_MAX)));
                    }
                    buildings.push(outline);
                }
            }
            Event::Eof if is_open => return Ok(buildings),
            Event::Eof => return Err(fault(TrackCause::Unknown)),
            _ => {}
        }
    }
}

/// Reads a polygon; `None` if it is no building.
fn outline(element: &BytesStart<'_>) -> Result<Option<Outline>, TrackCause> {
    let (mut is_building, mut shape) = (false, None);
    each_attribute(element, |name, value| {
        match name {
            "type" => is_building = value.starts_with("building"),
            "shape" => shape = Some(value.into_owned()),
            _ => {}
        }
        Ok(())
    })?;
    if !is_building {
        return Ok(None);
    }
    let shape = shape.ok_or(TrackCause::Missing {
        inside: "<poly>",
        name: "shape",
    })?;
    let corner = |text: &str| {
        let mut parts = text.split(',');
        let mut next = || finite("shape", parts.next().unwrap_or(text));
        Ok((next()?, next()?))
    };
    let outline: Result<Outline, TrackCause> = shape.split_whitespace().map(corner).collect();
    let outline = outline?;
    match outline.len() {
        3.. => Ok(Some(outline)),
        _ => Err(crate::error::value(
            "shape",
            &shape,
            "three corners or more",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buildings_are_read_and_the_rest_is_left_out() {
        let text = r#"<additional>
            <poly id="a" type="building" shape="0,0 10,0 10,5.5"/>
            <poly id="b" type="water" shape="0,0"/>
            <poly id="c" type="building.house" shape="1,1,3 2,2,3 3,1,3"><param key="x"/></poly>
            </additional>"#;
        let buildings = read_buildings(text.as_bytes()).unwrap();
        let expected = [
            vec![(0.0, 0.0), (10.0, 0.0), (10.0, 5.5)],
            vec![(1.0, 1.0), (2.0, 2.0), (3.0, 1.0)],
        ];
        assert_eq!(buildings, expected);
    }

    #[test]
    fn faults_name_line_and_remedy() {
        for (text, expected) in [
            ("", "neither"),
            (
                "<a>\n<poly type=\"building\"/></a>",
                "line 2: <poly> has no shape",
            ),
            (
                "<a>\n<poly type=\"building\" shape=\"0,0 1,1\"/>",
                "three corners",
            ),
            (
                "<a>\n<poly type=\"building\" shape=\"0,0 1,1 x,2\"/>",
                "a number",
            ),
        ] {
            let error = read_buildings(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
