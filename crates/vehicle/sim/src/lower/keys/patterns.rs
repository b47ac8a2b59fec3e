//! Patterns of identifiers as controllers and gateways take them: 29-bit ones by value and mask,
//! 11-bit ones each by itself.

use waywarden_can::Id;
use waywarden_ecu::Matching;
use waywarden_group_keys::IdPattern;

/// The bits of an 11-bit identifier.
const STANDARD: u32 = 0x7FF;

/// Puts patterns together that differ in one bit, as long as there are two.
pub(super) fn merged(mut patterns: Vec<IdPattern>) -> Vec<IdPattern> {
    while let Some((at, other, bit)) = pair(&patterns) {
        patterns.remove(other);
        patterns[at].value &= !bit;
        patterns[at].mask &= !bit;
    }
    patterns
}

/// Returns two patterns that differ in one bit, and that bit.
fn pair(patterns: &[IdPattern]) -> Option<(usize, usize, u32)> {
    let places = || patterns.iter().enumerate();
    let mut pairs = places().flat_map(|one| places().skip(one.0 + 1).map(move |two| (one, two)));
    pairs.find_map(|((at, one), (other, two))| {
        let bit = one.value ^ two.value;
        let same = one.is_extended == two.is_extended && one.mask == two.mask;
        (same && bit.is_power_of_two()).then_some((at, other, bit))
    })
}

/// Returns what a gateway compares frames with.
pub(super) fn matching(pattern: &IdPattern) -> Vec<Matching> {
    let IdPattern { value, mask, .. } = *pattern;
    match pattern.is_extended {
        true => vec![Matching::Extended { value, mask }],
        false => standard(pattern).map(Matching::Only).collect(),
    }
}

/// Returns what a controller accepts: 11-bit identifiers, then 29-bit ones as value and mask.
pub(super) fn accepted(patterns: &[IdPattern]) -> (Vec<Id>, Vec<(u32, u32)>) {
    let (long, short): (Vec<IdPattern>, Vec<IdPattern>) =
        patterns.iter().partition(|pattern| pattern.is_extended);
    let long = long.iter().map(|pattern| (pattern.value, pattern.mask));
    (short.iter().flat_map(standard).collect(), long.collect())
}

fn standard(pattern: &IdPattern) -> impl Iterator<Item = Id> + use<> {
    let pattern = *pattern;
    let ids = (0..=STANDARD).filter_map(|raw| Id::standard(u16::try_from(raw).ok()?).ok());
    ids.filter(move |id| pattern.covers(*id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use waywarden_group_keys::{Address, FixedBits, IdentifierPlan, Transport};
    use waywarden_group_keys::{
        GroupFrameReader, GroupPlan, IDENTIFIERS, OddLevel, PlannedEcu, Scheme,
    };

    fn patterns(identifiers: IdentifierPlan) -> Vec<IdPattern> {
        let place = PlannedEcu {
            address: Address(2),
            rank: 0,
        };
        let (scheme, odd) = (Scheme::TreeWithOrchestrator, OddLevel::Skipped);
        let plan = GroupPlan::new(scheme, odd, Address(1), &[place]).unwrap();
        let frames = GroupFrameReader::new(plan, Transport::Classic, identifiers);
        merged(frames.patterns().collect())
    }

    #[test]
    fn key_frames_of_the_paper_need_five_filters() {
        let five = [
            (0x0000_0000, 0x0800_0000),
            (0x0800_0000, 0x0E00_0000),
            (0x0A00_0000, 0x0F00_0000),
            (0x0C00_0000, 0x0F00_0000),
            (0x0F00_0000, 0x0F00_0000),
        ];
        assert_eq!(
            accepted(&patterns(IDENTIFIERS)),
            (Vec::new(), five.to_vec())
        );
    }

    #[test]
    fn eleven_bit_key_frames_are_accepted_one_by_one() {
        let (ids, none) = accepted(&patterns(
            IdentifierPlan::standard(FixedBits::NONE).unwrap(),
        ));
        assert!(none.is_empty());
        // 13 of 16 steps.
        assert_eq!(ids.len(), 0x800 / 16 * 13);
    }
}
