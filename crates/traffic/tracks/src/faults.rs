//! Faults of a recording that cost a piece of it and not the whole.

use std::fmt;

use crate::error::{Location, ReadError, TrackCause};

/// Kind of a piece of a recording that is skipped, changed or no position, and its treatment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackFaultKind {
    /// A sentence, a point or a row that is damaged: skipped.
    Damaged,
    /// Bytes that are no sentence, such as a binary protocol of the receiver: skipped.
    Foreign,
    /// A position of the time of the one before: skipped.
    SameTime,
    /// A position of the time of the one before, by another talker of NMEA 0183: skipped.
    OtherTalker,
    /// A position whose time does not fit between its neighbours: skipped.
    OutOfOrder,
    /// A position that the vehicle could not reach: skipped.
    Jump,
    /// A position without a time or a date: skipped.
    NoTime,
    /// A time without a zone: taken as UTC.
    NoZone,
    /// A position without a checksum, but with all its fields: taken.
    NoChecksum,
    /// An altitude, a speed or a heading that is out of range: left out, the position is taken.
    LeftOut,
    /// A file that ends early: taken up to there.
    CutOff,
    /// A sentence of NMEA 0183 whose position is not needed, or that has none; no fault.
    OtherSentence,
    /// A sentence of a receiver that has no fix; no fault.
    NoFix,
    /// The rest of a sentence at the begin of the file; no fault.
    Begin,
}

impl TrackFaultKind {
    /// Returns true for what a strict reader refuses.
    #[must_use]
    pub fn is_fault(self) -> bool {
        !matches!(self, Self::OtherSentence | Self::NoFix | Self::Begin)
    }

    /// Returns its name in output for programs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Damaged => "damaged",
            Self::Foreign => "foreign-bytes",
            Self::SameTime => "same-time",
            Self::OtherTalker => "other-talker",
            Self::OutOfOrder => "out-of-order",
            Self::Jump => "jump",
            Self::NoTime => "no-time",
            Self::NoZone => "no-zone",
            Self::NoChecksum => "no-checksum",
            Self::LeftOut => "left-out",
            Self::CutOff => "cut-off",
            Self::OtherSentence => "other-sentence",
            Self::NoFix => "no-fix",
            Self::Begin => "begin",
        }
    }

    /// Returns a sentence about pieces of this kind, which follows their number.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Damaged => "damaged: skipped",
            Self::Foreign => "stretches of bytes that are no sentence: skipped",
            Self::SameTime => "positions with the time of another one: skipped",
            Self::OtherTalker => "positions of a time that another talker has reported: skipped",
            Self::OutOfOrder => "positions with a time out of order: skipped",
            Self::Jump => "positions out of reach: skipped",
            Self::NoTime => "positions without a time: skipped",
            Self::NoZone => "times without a zone: taken as UTC",
            Self::NoChecksum => "sentences without a checksum: taken",
            Self::LeftOut => "altitudes, speeds or headings out of range: left out",
            Self::CutOff => "end of the file too early: taken up to there",
            Self::OtherSentence => "sentences of other kinds: skipped",
            Self::NoFix => "sentences without a fix: skipped",
            Self::Begin => "lines before the first sentence: skipped",
        }
    }
}

/// All pieces of a kind.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackFault {
    /// Their kind.
    pub kind: TrackFaultKind,
    /// Their number.
    pub count: u64,
    /// Place of the first one.
    pub first: Location,
    /// Human-readable cause of the first one; empty if the kind says it all.
    pub cause: String,
}

impl fmt::Display for TrackFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, first, .. } = self;
        write!(out, "{count} {}; the first: {first}", self.kind.text())?;
        match self.cause.is_empty() {
            true => Ok(()),
            false => write!(out, ": {}", self.cause),
        }
    }
}

/// The faults of a file, by kind.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    is_strict: bool,
    kinds: Vec<TrackFault>,
    /// The first one that cost a position, which tells why there is none.
    first: Option<(TrackFaultKind, ReadError)>,
}

impl Faults {
    pub(crate) fn new(is_strict: bool) -> Self {
        Self {
            is_strict,
            ..Self::default()
        }
    }

    pub(crate) fn is_strict(&self) -> bool {
        self.is_strict
    }

    /// Counts a piece; the cause becomes text for the first of its kind only.
    pub(crate) fn note(
        &mut self,
        kind: TrackFaultKind,
        location: Location,
        cause: impl fmt::Display,
    ) {
        if let Some(known) = self.kinds.iter_mut().find(|known| known.kind == kind) {
            known.count += 1;
            return;
        }
        self.kinds.push(TrackFault {
            kind,
            count: 1,
            first: location,
            cause: cause.to_string(),
        });
    }

    /// Counts a fault, or returns it as an error if the reader is strict.
    pub(crate) fn add(
        &mut self,
        kind: TrackFaultKind,
        location: Location,
        cause: TrackCause,
    ) -> Result<(), ReadError> {
        if self.is_strict {
            return Err(ReadError { location, cause });
        }
        self.note(kind, location, &cause);
        if matches!(kind, TrackFaultKind::Damaged | TrackFaultKind::NoTime) && self.first.is_none()
        {
            self.first = Some((kind, ReadError { location, cause }));
        }
        Ok(())
    }

    pub(crate) fn count(&self, kind: TrackFaultKind) -> u64 {
        let known = self.kinds.iter().find(|known| known.kind == kind);
        known.map_or(0, |known| known.count)
    }

    /// Returns why a file has no position; `needed` is what one needs.
    pub(crate) fn why_empty(&mut self, needed: &'static str) -> ReadError {
        let without_fix = self.count(TrackFaultKind::NoFix);
        let cause = match without_fix {
            0 => TrackCause::Empty(needed),
            count => TrackCause::NoFix(count),
        };
        // A damaged sentence is not the reason if the receiver has no fix.
        let is_reason = |kind| without_fix == 0 || kind == TrackFaultKind::NoTime;
        match self.first.take() {
            Some((kind, error)) if is_reason(kind) => error,
            _ => ReadError::at_line(1, cause),
        }
    }

    pub(crate) fn into_kinds(self) -> Vec<TrackFault> {
        self.kinds
    }
}
