//! Columns of a table: their names, and values of their kinds.

/// Kind of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Time, to a nanosecond.
    Seconds,
    /// A measure, to a hundredth.
    Number,
    Count,
    Text,
    Boolean,
}

/// A column: its name, with the unit, and the kind of its values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
}

impl Column {
    const fn of(name: &'static str, kind: Kind) -> Self {
        Self { name, kind }
    }

    pub(super) const fn seconds(name: &'static str) -> Self {
        Self::of(name, Kind::Seconds)
    }

    pub(super) const fn number(name: &'static str) -> Self {
        Self::of(name, Kind::Number)
    }

    pub(super) const fn count(name: &'static str) -> Self {
        Self::of(name, Kind::Count)
    }

    pub(super) const fn text(name: &'static str) -> Self {
        Self::of(name, Kind::Text)
    }

    pub(super) const fn boolean(name: &'static str) -> Self {
        Self::of(name, Kind::Boolean)
    }
}

/// A value of the kind of its column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value<'a> {
    Seconds(f64),
    Number(f32),
    Count(u64),
    Text(&'a str),
    Boolean(bool),
}
