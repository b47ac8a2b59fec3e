//! Lists with bounds. They stay encoded: their elements were checked, and who wants them reads them
//! again.

use core::fmt;

use super::{Bits, UperDecode, UperEncode, UperReader, UperSink, width};
use crate::coer::{Silent, Visitor};
use crate::error::{EmitError, WireError};

/// A SEQUENCE OF with `MIN` to `MAX` elements \[X.691 §20\]: either read, or made of values.
#[derive(Clone, Copy)]
pub struct ListOf<'a, T, const MIN: usize, const MAX: usize>(Content<'a, T>);

#[derive(Clone, Copy)]
enum Content<'a, T> {
    Encoded { count: usize, bits: Bits<'a> },
    Values(&'a [T]),
}

impl<'a, T, const MIN: usize, const MAX: usize> ListOf<'a, T, MIN, MAX> {
    /// Makes a list of values; `None` if there are too few or too many.
    #[must_use]
    pub fn new(values: &'a [T]) -> Option<Self> {
        (MIN..=MAX)
            .contains(&values.len())
            .then_some(Self(Content::Values(values)))
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

    /// Returns the elements.
    pub fn iter(&self) -> Items<'a, T> {
        Items(match &self.0 {
            Content::Encoded { count, bits } => Left::Encoded {
                count: *count,
                reader: UperReader::over(bits, Silent),
            },
            Content::Values(values) => Left::Values(values.iter()),
        })
    }
}

/// The elements of a list, one after the other.
#[derive(Debug)]
pub struct Items<'a, T>(Left<'a, T>);

#[derive(Debug)]
enum Left<'a, T> {
    Encoded {
        count: usize,
        reader: UperReader<'a, Silent>,
    },
    Values(core::slice::Iter<'a, T>),
}

impl<'a, T: UperDecode<'a> + Clone> Iterator for Items<'a, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        match &mut self.0 {
            Left::Encoded { count, reader } => {
                *count = count.checked_sub(1)?;
                // They were checked when the list was read.
                T::decode_silently(reader).ok()
            }
            Left::Values(values) => values.next().cloned(),
        }
    }
}

impl<'a, T: UperDecode<'a> + Clone, const MIN: usize, const MAX: usize> IntoIterator
    for &ListOf<'a, T, MIN, MAX>
{
    type Item = T;
    type IntoIter = Items<'a, T>;

    fn into_iter(self) -> Items<'a, T> {
        self.iter()
    }
}

impl<'a, T: UperDecode<'a>, const MIN: usize, const MAX: usize> UperDecode<'a>
    for ListOf<'a, T, MIN, MAX>
{
    const NAME: &'static str = "SEQUENCE OF";

    fn decode<V: Visitor>(reader: &mut UperReader<'a, V>) -> Result<Self, WireError> {
        let count = MIN + reader.up_to((MAX - MIN) as u64)? as usize;
        let start = reader.place();
        for _ in 0..count {
            reader.field::<T>("")?;
        }
        let bits = reader.since(start);
        Ok(Self(Content::Encoded { count, bits }))
    }
}

impl<'a, T: UperDecode<'a> + UperEncode + Clone, const MIN: usize, const MAX: usize> UperEncode
    for ListOf<'a, T, MIN, MAX>
{
    fn encode<S: UperSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        sink.put((self.len() - MIN) as u64, width((MAX - MIN) as u64))?;
        self.iter().try_for_each(|element| element.encode(sink))
    }
}

impl<'a, T: UperDecode<'a> + Clone + PartialEq, const MIN: usize, const MAX: usize> PartialEq
    for ListOf<'a, T, MIN, MAX>
{
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<'a, T: UperDecode<'a> + Clone + fmt::Debug, const MIN: usize, const MAX: usize> fmt::Debug
    for ListOf<'a, T, MIN, MAX>
{
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self).finish()
    }
}
