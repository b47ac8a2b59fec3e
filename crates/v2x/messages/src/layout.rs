//! Types of messages as data: what UPER needs to know of an ASN.1 type, and its names.

/// Place of a type among all types of its file.
pub(crate) type TypeId = usize;

/// A type with its name in the standard.
#[derive(Clone, Debug)]
pub(crate) struct Type {
    /// Name of a defined type, or ASN.1's name of the kind.
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
}

/// Form of a type, as UPER needs it.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Boolean,
    Null,
    Integer(Range),
    Enumerated(Enumerated),
    /// Names of bits from bit 0 on; empty for a bit without a name.
    Bits(Size, Vec<&'static str>),
    Octets(Size),
    Text(Text),
    Sequence(Sequence),
    Choice(Choice),
    List(Size, TypeId),
    Open(Open),
}

/// Bounds of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) low: Option<i64>,
    pub(crate) high: Option<i64>,
    /// Later versions may stretch the bounds.
    pub(crate) is_extensible: bool,
}

/// Bounds of a number of elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Size {
    pub(crate) low: u64,
    pub(crate) high: Option<u64>,
    /// Later versions may stretch the bounds.
    pub(crate) is_extensible: bool,
}

impl Size {
    /// Any number of elements.
    pub(crate) const ANY: Self = Self {
        low: 0,
        high: None,
        is_extensible: false,
    };
}

#[derive(Clone, Debug)]
pub(crate) struct Enumerated {
    pub(crate) names: Vec<&'static str>,
    /// Additions behind the extension marker; `None` without one.
    pub(crate) additions: Option<Vec<&'static str>>,
}

/// A text of characters with a fixed number of bits, or UTF-8.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// Number of characters. UPER does not encode that of UTF-8.
    pub(crate) size: Size,
    pub(crate) alphabet: Alphabet,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Alphabet {
    Utf8,
    /// Permitted characters in their order.
    Of(Vec<u8>),
}

impl Alphabet {
    /// Returns the bits of a character, and whether it is coded by its place in the alphabet
    /// \[X.691 §30.5\].
    pub(crate) fn width(characters: &[u8]) -> (u32, bool) {
        let width = usize::BITS - characters.len().saturating_sub(1).leading_zeros();
        let greatest = characters.iter().max().copied().unwrap_or(0);
        (width, u32::from(greatest) >= 1 << width)
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Sequence {
    pub(crate) fields: Vec<Field>,
    /// Additions behind the extension marker; `None` without one.
    pub(crate) additions: Option<Vec<Addition>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) of_type: TypeId,
    pub(crate) presence: Presence,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Presence {
    Required,
    Optional,
    /// The value of a field that is not there, as JSON.
    Default(serde_json::Value),
}

/// An addition of a later version: a field, or a group of them.
#[derive(Clone, Debug)]
pub(crate) enum Addition {
    Field(Field),
    Group(Vec<Field>),
}

#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) alternatives: Vec<Alternative>,
    /// Additions behind the extension marker; `None` without one.
    pub(crate) additions: Option<Vec<Alternative>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Alternative {
    pub(crate) name: &'static str,
    pub(crate) of_type: TypeId,
}

/// A type that an earlier number of the same sequence chooses.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    /// Field of the number.
    pub(crate) by: &'static str,
    pub(crate) types: Vec<(i64, TypeId)>,
}

impl Open {
    /// Returns the type for a number; `None` for one that has none.
    pub(crate) fn of(&self, number: Option<i64>) -> Option<TypeId> {
        let mut types = self.types.iter();
        types
            .find(|(own, _)| Some(*own) == number)
            .map(|(_, of_type)| *of_type)
    }
}

/// The types of one file of layouts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layouts {
    pub(crate) types: Vec<Type>,
    pub(crate) messages: Vec<Root>,
}

/// A message of a file of layouts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Root {
    pub(crate) kind: &'static str,
    pub(crate) release: u8,
    /// Version of the protocol in the header of ETSI ITS.
    pub(crate) protocol: Option<u8>,
    pub(crate) standard: &'static str,
    pub(crate) of_type: TypeId,
}
