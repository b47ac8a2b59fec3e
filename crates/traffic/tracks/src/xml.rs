//! Pieces of XML with the lines that they begin in.

use std::borrow::Cow;
use std::io::BufRead;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Error, Reader, XmlVersion};

use crate::error::{Location, ReadError, TrackCause};
use crate::input::Counted;

/// A reader of XML in pieces.
pub(crate) struct Xml<R> {
    reader: Reader<Counted<R>>,
    buffer: Vec<u8>,
}

impl<R: BufRead> Xml<R> {
    pub(crate) fn new(input: R) -> Self {
        Self {
            reader: Reader::from_reader(Counted::new(input)),
            buffer: Vec::new(),
        }
    }

    /// Reads the next piece, and the line that it begins in.
    pub(crate) fn next(&mut self) -> Result<(u64, Event<'_>), ReadError> {
        self.buffer.clear();
        let line = self.reader.get_ref().line();
        self.reader.get_mut().pause();
        let event = self.reader.read_event_into(&mut self.buffer);
        let event = event.map_err(|error| ReadError {
            location: Location::Line(line),
            cause: match error {
                Error::Io(error) => TrackCause::Input(std::io::Error::new(error.kind(), error)),
                other => TrackCause::Xml(other.to_string()),
            },
        })?;
        Ok((line, event))
    }
}

/// Calls `take` with the name and the value of each attribute.
pub(crate) fn each_attribute(
    element: &BytesStart<'_>,
    mut take: impl FnMut(&str, Cow<'_, str>) -> Result<(), TrackCause>,
) -> Result<(), TrackCause> {
    let mut attributes = element.attributes();
    // Looking for the same name twice takes the square of their number.
    attributes.with_checks(false);
    for attribute in attributes {
        let attribute = attribute.map_err(|error| TrackCause::Xml(error.to_string()))?;
        let text = attribute.normalized_value(XmlVersion::Implicit1_0);
        let text = text.map_err(|error| TrackCause::Xml(error.to_string()))?;
        take(attribute.key.local_name().into_inner(), text)?;
    }
    Ok(())
}
