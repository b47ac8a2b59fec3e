//! The order of verification: criteria, one after the other, and at last the order of arrival.

use waywarden_v2x_wire::ieee1609dot2::{Time64, TwoDLocation};

use super::area::{Ego, ReceiverArea};
use super::class::MessageClass;
use waywarden_v2x_security::region::is_place;

/// Limit on the criteria of a policy.
pub const CRITERIA_MAX: usize = 4;

/// Property that is compared between two messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Criterion {
    /// The class: the more urgent one is first.
    Class,
    /// The claimed position: inside the area is first, then unknown, then outside. Of several areas
    /// the last one says where unknown positions come.
    Area(ReceiverArea),
    /// The deadline: the earlier one is first. A message without one has that of the queue.
    Deadline,
    /// Worth of the message to the [`SAFETY_APPLICATIONS`](super::SAFETY_APPLICATIONS) that it
    /// reaches in time: their number times the probability that its signature is valid, by the
    /// results of its sender's messages before. The queue chooses the messages that can be verified
    /// before their deadlines and are worth the most together. It verifies them by their deadlines,
    /// and then those without a place. At most once in a policy.
    Safety,
}

/// Place of a message's claimed origin relative to an area. The first one is the most urgent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Zone {
    /// In the area.
    Inside,
    /// The position of the sender or of the receiver is not known.
    Unknown,
    /// Outside of the area.
    Outside,
}

impl Zone {
    /// Number of zones.
    pub(super) const COUNT: usize = 3;
}

/// Order of verification: by these criteria in turn, and by arrival where all of them are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    criteria: [Option<Criterion>; CRITERIA_MAX],
    is_exclusive: bool,
}

/// A number for each criterion: the smaller one is first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Rank([u64; CRITERIA_MAX]);

impl Rank {
    /// No rank is behind it.
    pub(super) const LAST: Self = Self([u64::MAX; CRITERIA_MAX]);

    /// The rank with another number for a criterion.
    pub(super) fn with(mut self, criterion: usize, number: u64) -> Self {
        if let Some(slot) = self.0.get_mut(criterion) {
            *slot = number;
        }
        self
    }
}

impl Policy {
    /// By arrival.
    pub const FIFO: Self = Self {
        criteria: [None; CRITERIA_MAX],
        is_exclusive: false,
    };

    /// Takes criteria, the most important one first; `None` if there are more than
    /// [`CRITERIA_MAX`].
    #[must_use]
    pub fn new(criteria: &[Criterion]) -> Option<Self> {
        let mut policy = Self::FIFO;
        if criteria.len() > CRITERIA_MAX {
            return None;
        }
        for (slot, criterion) in policy.criteria.iter_mut().zip(criteria) {
            *slot = Some(*criterion);
        }
        Some(policy)
    }

    /// Verifies no message from outside of all areas of the policy, as the evaluation in
    /// \[ECQV-CITS §VI\] counts. Messages from unknown positions are verified.
    #[must_use]
    pub fn exclusive(mut self) -> Self {
        self.is_exclusive = true;
        self
    }

    /// Returns whether messages from outside are not verified.
    #[must_use]
    pub fn is_exclusive(&self) -> bool {
        self.is_exclusive
    }

    /// Returns the criteria, the most important one first.
    pub fn criteria(&self) -> impl Iterator<Item = Criterion> + '_ {
        self.criteria.iter().flatten().copied()
    }

    /// Returns the best zone that a position has in the areas of the policy. Without an area it is
    /// [`Zone::Unknown`].
    #[must_use]
    pub fn zone(&self, position: Option<&TwoDLocation>, ego: Option<&Ego>) -> Zone {
        let (zone, _) = self.rank(MessageClass::default(), position, Time64(0), ego);
        zone
    }

    /// Returns which criterion is [`Criterion::Safety`], if one is.
    pub(super) fn safety(&self) -> Option<usize> {
        self.criteria().position(|one| one == Criterion::Safety)
    }

    /// Returns true if there is an area in it.
    pub(super) fn has_area(&self) -> bool {
        self.criteria().any(|one| matches!(one, Criterion::Area(_)))
    }

    /// Returns the best zone of a message, and its rank; that of [`Criterion::Safety`] is the last
    /// one.
    pub(super) fn rank(
        &self,
        class: MessageClass,
        position: Option<&TwoDLocation>,
        deadline: Time64,
        ego: Option<&Ego>,
    ) -> (Zone, Rank) {
        let (mut best, mut rank) = (None, Rank::default());
        let is_area = |criterion: &Criterion| matches!(criterion, Criterion::Area(_));
        let mut areas = self.criteria().filter(is_area).count();
        for (number, criterion) in rank.0.iter_mut().zip(self.criteria()) {
            *number = match criterion {
                Criterion::Class => class as u64,
                Criterion::Area(area) => {
                    let zone = zone_in(&area, position, ego);
                    best = Some(best.map_or(zone, |best: Zone| best.min(zone)));
                    areas -= 1;
                    // Inside of any area goes before unknown, so only the last one tells the
                    // unknown from the outside.
                    match zone {
                        Zone::Unknown if areas > 0 => Zone::Outside as u64,
                        zone => zone as u64,
                    }
                }
                Criterion::Deadline => deadline.0,
                Criterion::Safety => u64::MAX,
            };
        }
        (best.unwrap_or(Zone::Unknown), rank)
    }
}

impl From<Criterion> for Policy {
    fn from(criterion: Criterion) -> Self {
        let mut policy = Self::FIFO;
        policy.criteria[0] = Some(criterion);
        policy
    }
}

fn zone_in(area: &ReceiverArea, position: Option<&TwoDLocation>, ego: Option<&Ego>) -> Zone {
    match (position.filter(|place| is_place(place)), ego) {
        (Some(position), Some(ego)) if area.contains(ego, position) => Zone::Inside,
        (Some(_), Some(_)) => Zone::Outside,
        _ => Zone::Unknown,
    }
}
