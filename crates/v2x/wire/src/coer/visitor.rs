//! Who watches while a value is read. Verification does not watch, and pays nothing for it.

/// A leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// A number without a sign.
    Unsigned(u64),
    /// A number with a sign.
    Signed(i64),
    /// Octets.
    Octets(&'a [u8]),
    /// A text.
    Text(&'a str),
    /// The name of an alternative: of an enumeration, or the one that a CHOICE took.
    Name(&'static str),
    /// A default value that is not there.
    Absent,
}

/// Sees each part of a value while it is read: [`enter`](Self::enter), then the parts or the value,
/// then [`leave`](Self::leave). After a fault nothing is left.
///
/// Every method does nothing by default.
pub trait Visitor {
    /// A part begins: its field's name (empty for an element of a list), its type's name, and its
    /// place in the input.
    fn enter(&mut self, field: &'static str, of_type: &'static str, offset: usize) {
        let _ = (field, of_type, offset);
    }

    /// What the part is, where it is a leaf, and which alternative, where it is a CHOICE.
    fn value(&mut self, value: Value<'_>) {
        let _ = value;
    }

    /// The part ends before this place.
    fn leave(&mut self, offset: usize) {
        let _ = offset;
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Visitor for Silent {}

impl<V: Visitor + ?Sized> Visitor for &mut V {
    fn enter(&mut self, field: &'static str, of_type: &'static str, offset: usize) {
        (**self).enter(field, of_type, offset);
    }

    fn value(&mut self, value: Value<'_>) {
        (**self).value(value);
    }

    fn leave(&mut self, offset: usize) {
        (**self).leave(offset);
    }
}
