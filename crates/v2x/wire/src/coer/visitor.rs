//! Visitors of a parse. Verification uses none and pays nothing.

/// Value of a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LeafValue<'a> {
    /// An unsigned number.
    Unsigned(u64),
    /// A signed number.
    Signed(i64),
    /// Octets.
    Octets(&'a [u8]),
    /// A text.
    Text(&'a str),
    /// Name of a value of an enumeration, or of the chosen alternative of a CHOICE.
    Name(&'static str),
    /// An absent field, which has its default value.
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

    /// Receives the value of a leaf, or the name of the alternative of a CHOICE.
    fn value(&mut self, value: LeafValue<'_>) {
        let _ = value;
    }

    /// The part ends before this place.
    fn leave(&mut self, offset: usize) {
        let _ = offset;
    }
}

/// Visitor that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Visitor for Silent {}

impl<V: Visitor + ?Sized> Visitor for &mut V {
    fn enter(&mut self, field: &'static str, of_type: &'static str, offset: usize) {
        (**self).enter(field, of_type, offset);
    }

    fn value(&mut self, value: LeafValue<'_>) {
        (**self).value(value);
    }

    fn leave(&mut self, offset: usize) {
        (**self).leave(offset);
    }
}
