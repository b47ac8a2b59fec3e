//! Identifiers of CAN frames as documents for programs have them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waywarden_can::Id;

/// An identifier as a number, with its hexadecimal form beside it.
///
/// Hexadecimal digits alone are misread by programs that guess types: `010` and `1E5` are numbers
/// to them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct IdentifierFields {
    /// The identifier, 0 to 2047, or to 536870911 if `extended`.
    pub id: u32,
    /// The same in hexadecimal: `0x` and 3 digits, 8 if `extended`.
    pub id_hex: String,
    /// True if it has 29 bits.
    pub extended: bool,
}

impl From<Id> for IdentifierFields {
    fn from(id: Id) -> Self {
        IdentifierFields {
            id: id.raw(),
            id_hex: format!("0x{id}"),
            extended: matches!(id, Id::Extended(_)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_and_extended_identifiers_differ_in_their_digits() {
        let fields = |id| serde_json::to_string(&IdentifierFields::from(id)).unwrap();
        let standard = Id::standard(0x1E5).unwrap();
        let extended = Id::extended(0x1E5).unwrap();
        assert_eq!(
            fields(standard),
            r#"{"id":485,"id_hex":"0x1E5","extended":false}"#
        );
        assert_eq!(
            fields(extended),
            r#"{"id":485,"id_hex":"0x000001E5","extended":true}"#
        );
    }
}
