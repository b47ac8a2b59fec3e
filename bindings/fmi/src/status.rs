//! The answers of FMI's functions.

/// Answer of a function, of `fmi3Status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Status {
    /// Done.
    Ok,
    /// Done, with a message in the log.
    Warning,
    /// Not done; the instance can go on. Never returned.
    Discard,
    /// Not done: the call was wrong, or the unit cannot go on. The log says which.
    Error,
    /// The library has a fault; no more functions of this instance may be called.
    Fatal,
}

/// Answer about a clock, of `fmi3IntervalQualifier`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum IntervalQualifier {
    /// Nothing is due.
    NotYetKnown,
    /// As told earlier.
    Unchanged,
    /// The interval is a new one.
    Changed,
}

/// A truth value of C: false for 0.
pub type Boolean = u8;
