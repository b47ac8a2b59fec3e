//! Results of the checks.

/// Kind of claim that failed a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MisbehaviourClass {
    /// Farther from the observer than the radio reaches.
    Range,
    /// A position that the sender cannot have reached, no position, or one off the road.
    Position,
    /// A speed beyond what vehicles do, or one that contradicts the positions or earlier speeds.
    Speed,
    /// An acceleration beyond what vehicles do, or one that contradicts the speeds.
    Acceleration,
    /// A heading against the movement of the positions.
    Heading,
    /// More messages than the standard allows.
    Frequency,
    /// A vehicle inside of another vehicle.
    Overlap,
    /// A generation time in the future, too old, or not later than that of the last message.
    Time,
    /// The exact claims of an earlier message, of this or another sender, while moving.
    Replay,
    /// Several names that appear at one time and place.
    Sybil,
}

impl MisbehaviourClass {
    /// All classes, in the order of [`Self::index`].
    pub const ALL: [Self; 10] = [
        Self::Range,
        Self::Position,
        Self::Speed,
        Self::Acceleration,
        Self::Heading,
        Self::Frequency,
        Self::Overlap,
        Self::Time,
        Self::Replay,
        Self::Sybil,
    ];

    /// Returns the place of the class in [`Self::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the name in lower case, as documents print it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Range => "range",
            Self::Position => "position",
            Self::Speed => "speed",
            Self::Acceleration => "acceleration",
            Self::Heading => "heading",
            Self::Frequency => "frequency",
            Self::Overlap => "overlap",
            Self::Time => "time",
            Self::Replay => "replay",
            Self::Sybil => "sybil",
        }
    }
}

/// A failed check: a value beyond its limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// Kind of claim.
    pub class: MisbehaviourClass,
    /// Magnitude that the check computed, in the unit of the limit; never NaN.
    pub value: f64,
    /// Largest value that passes; above 0.
    pub limit: f64,
}

/// The findings on one message, the worst of each class, and the verdict on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Findings {
    worst: [Option<Finding>; MisbehaviourClass::ALL.len()],
    evidence: f64,
    suspicious: bool,
}

impl Finding {
    /// Largest score, so that sums of scores stay finite.
    pub const SCORE_MOST: f64 = 1000.0;

    /// Returns the value as a multiple of the limit, from 1 to [`Self::SCORE_MOST`].
    #[must_use]
    pub fn score(&self) -> f64 {
        (self.value / self.limit).clamp(1.0, Self::SCORE_MOST)
    }
}

impl Findings {
    pub(crate) const fn new() -> Self {
        Self {
            worst: [None; MisbehaviourClass::ALL.len()],
            evidence: 0.0,
            suspicious: false,
        }
    }

    /// Returns the findings, in the order of [`MisbehaviourClass::ALL`], at most one of a class.
    pub fn iter(&self) -> impl Iterator<Item = Finding> + '_ {
        self.worst.iter().flatten().copied()
    }

    /// Returns the finding of a class.
    #[must_use]
    pub const fn of(&self, class: MisbehaviourClass) -> Option<Finding> {
        self.worst[class.index()]
    }

    /// Returns true if no check failed for this message.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.worst.iter().all(Option::is_none)
    }

    /// Returns the verdict: true if the evidence against the sender, this message included, reaches
    /// [`Thresholds::evidence`](crate::Thresholds::evidence). A message without findings is
    /// suspicious while the evidence of earlier ones lasts.
    #[must_use]
    pub const fn is_suspicious(&self) -> bool {
        self.suspicious
    }

    /// Returns the evidence against the sender after this message, from 0.
    #[must_use]
    pub const fn evidence(&self) -> f64 {
        self.evidence
    }

    /// Adds a finding if the value is beyond the limit. NaN counts as beyond every limit: no honest
    /// claim leads to it.
    pub(crate) fn check(&mut self, class: MisbehaviourClass, value: f64, limit: f64) {
        if value <= limit {
            return;
        }
        let value = if value.is_nan() { f64::MAX } else { value };
        let finding = Finding {
            class,
            value: value.min(f64::MAX),
            limit: limit.max(f64::MIN_POSITIVE),
        };
        let worst = &mut self.worst[class.index()];
        if worst.is_none_or(|known| known.score() < finding.score()) {
            *worst = Some(finding);
        }
    }

    pub(crate) fn conclude(&mut self, evidence: f64, threshold: f64) {
        self.evidence = evidence;
        self.suspicious = evidence >= threshold;
    }
}
