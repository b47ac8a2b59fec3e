//! Rule for all responses: a result is present exactly when the code is `ok`.

use core::ops::Deref;

use crate::coer::{CoerDecode, CoerEncode, CoerReader, CoerSink, Visitor};
use crate::error::{EmitError, ParseFault, WireError};

/// The parts of a response.
pub trait ResponseParts {
    /// Returns true if the code is `ok`.
    fn is_ok(&self) -> bool;

    /// Returns true if the response has a result.
    fn has_result(&self) -> bool;
}

/// A response with consistent parts \[TS 102 941 Annex A\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AuthorityResponse<T>(T);

impl<T: ResponseParts> AuthorityResponse<T> {
    /// Creates a response from its parts.
    ///
    /// # Errors
    /// Text that names the violated rule.
    pub fn new(parts: T) -> Result<Self, &'static str> {
        match (parts.is_ok(), parts.has_result()) {
            (true, true) | (false, false) => Ok(Self(parts)),
            (true, false) => Err("responseCode is ok, and the result is missing"),
            (false, true) => Err("responseCode is not ok, and there is a result"),
        }
    }
}

impl<T> Deref for AuthorityResponse<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<'a, T: CoerDecode<'a> + ResponseParts> CoerDecode<'a> for AuthorityResponse<T> {
    const NAME: &'static str = T::NAME;

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        let parts = T::decode(reader)?;
        Self::new(parts).map_err(|why| WireError::at(ParseFault::Inconsistent(why), offset))
    }
}

impl<T: CoerEncode> CoerEncode for AuthorityResponse<T> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        self.0.encode(sink)
    }
}
