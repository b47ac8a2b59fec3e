//! Lists. They stay encoded: what they say of their length is checked, then every element; who
//! wants the elements reads them again.

use core::fmt;

use super::{
    CoerDecode, CoerEncode, CoerReader, CoerSink, EncodingForm, Silent, Visitor, read_unsigned,
    write_unsigned,
};
use crate::error::{EmitError, ParseFault, WireError};

/// A SEQUENCE OF with at least `MIN` elements: either read, or made of values.
#[derive(Clone, Copy)]
pub struct SequenceOf<'a, T, const MIN: usize = 0>(Content<'a, T>);

#[derive(Clone, Copy)]
enum Content<'a, T> {
    Encoded { count: usize, bytes: &'a [u8] },
    Values(&'a [T]),
}

impl<'a, T, const MIN: usize> SequenceOf<'a, T, MIN> {
    /// Makes a list of values; `None` if there are fewer than `MIN`.
    #[must_use]
    pub const fn new(values: &'a [T]) -> Option<Self> {
        if values.len() < MIN {
            return None;
        }
        Some(Self(Content::Values(values)))
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Content::Encoded { count, .. } => *count,
            Content::Values(values) => values.len(),
        }
    }

    /// Returns true if there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the elements. They were checked when the list was read: an error means that `T` does
    /// not read what it read before.
    pub fn iter(&self) -> Elements<'a, T> {
        Elements(match &self.0 {
            Content::Encoded { count, bytes } => Left::Encoded {
                count: *count,
                reader: CoerReader::new(bytes, Silent),
            },
            Content::Values(values) => Left::Values(values.iter()),
        })
    }
}

/// The elements of a list, one after the other. An error is the last item.
#[derive(Debug)]
pub struct Elements<'a, T>(Left<'a, T>);

#[derive(Debug)]
enum Left<'a, T> {
    Encoded {
        count: usize,
        reader: CoerReader<'a, Silent>,
    },
    Values(core::slice::Iter<'a, T>),
}

impl<'a, T: CoerDecode<'a> + Clone> Iterator for Elements<'a, T> {
    type Item = Result<T, WireError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Left::Encoded { count: 0, .. } => None,
            Left::Encoded { count, reader } => {
                let element = T::decode_silently(reader);
                *count = element.as_ref().map_or(0, |_| *count - 1);
                Some(element)
            }
            Left::Values(values) => values.next().cloned().map(Ok),
        }
    }
}

impl<'a, T: CoerDecode<'a> + Clone, const MIN: usize> IntoIterator for &SequenceOf<'a, T, MIN> {
    type Item = Result<T, WireError>;
    type IntoIter = Elements<'a, T>;

    fn into_iter(self) -> Elements<'a, T> {
        self.iter()
    }
}

impl<'a, T: CoerDecode<'a>, const MIN: usize> CoerDecode<'a> for SequenceOf<'a, T, MIN> {
    const NAME: &'static str = "SEQUENCE OF";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        let count = quantity(reader)?;
        if count < MIN {
            return Err(WireError::at(ParseFault::OutOfRange, offset));
        }
        let start = reader.offset();
        for _ in 0..count {
            reader.field::<T>("")?;
        }
        let bytes = reader.since(start);
        Ok(Self(Content::Encoded { count, bytes }))
    }
}

impl<'a, T: CoerDecode<'a> + CoerEncode + Clone, const MIN: usize> CoerEncode
    for SequenceOf<'a, T, MIN>
{
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        write_unsigned(self.len() as u64, sink)?;
        match &self.0 {
            Content::Encoded { bytes, .. } if S::FORM == EncodingForm::AsRead => sink.put(bytes),
            _ => self.iter().try_for_each(|element| {
                let element = element.map_err(|_| EmitError::OutOfRange(T::NAME))?;
                element.encode(sink)
            }),
        }
    }
}

impl<'a, T: CoerDecode<'a> + Clone + PartialEq, const MIN: usize> PartialEq
    for SequenceOf<'a, T, MIN>
{
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Content::Encoded { bytes, .. }, Content::Encoded { bytes: others, .. }) => {
                bytes == others
            }
            _ => self.iter().eq(other.iter()),
        }
    }
}

impl<'a, T: CoerDecode<'a> + Clone + fmt::Debug, const MIN: usize> fmt::Debug
    for SequenceOf<'a, T, MIN>
{
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let elements = self.iter().map_while(Result::ok);
        formatter.debug_list().entries(elements).finish()
    }
}

/// Reads the number of elements of a list \[X.696 §17\].
fn quantity<V: Visitor>(reader: &mut CoerReader<'_, V>) -> Result<usize, WireError> {
    let offset = reader.offset();
    let count = read_unsigned(reader)?;
    let fits = usize::try_from(count).ok();
    // An element has at least one byte.
    fits.filter(|&count| count <= reader.remaining())
        .ok_or(WireError::at(ParseFault::CountTooLarge(count), offset))
}
