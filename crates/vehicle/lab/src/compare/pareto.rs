//! The Pareto front: the variants that no other one beats in all objectives.

use super::rank::RankBy;
use super::row::VariantFigures;

/// Objectives of the choice, once the requirements are met.
const OBJECTIVES: [RankBy; 4] = [
    RankBy::Security,
    RankBy::Latency,
    RankBy::Load,
    RankBy::StartUp,
];

/// Returns for each variant true if it is on the Pareto front: no other one is at least as good in
/// security, latency, load and start-up, and better in one of them.
pub(super) fn front(variants: &[&VariantFigures]) -> Vec<bool> {
    let objectives = |own: &VariantFigures| OBJECTIVES.map(|by| own.key(by));
    let all: Vec<_> = variants.iter().map(|own| objectives(own)).collect();
    let beats = |other: &[[u64; 3]; 4], own: &[[u64; 3]; 4]| {
        other != own && other.iter().zip(own).all(|(other, own)| other <= own)
    };
    let is_on = |own| !all.iter().any(|other| beats(other, own));
    all.iter().map(is_on).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(load: f64, start_up_ms: f64, covered: usize) -> VariantFigures {
        let mut figures = VariantFigures {
            load,
            start_up_ms: Some(start_up_ms),
            ..VariantFigures::default()
        };
        figures.coverage.streams = 10;
        figures.coverage.covered = covered;
        figures
    }

    #[test]
    fn what_another_variant_beats_is_not_on_the_front() {
        let cheap = figures(0.2, 50.0, 0);
        let secure = figures(0.4, 60.0, 10);
        let dearer = figures(0.5, 60.0, 10);
        let faster = figures(0.5, 55.0, 10);
        let all = [&cheap, &secure, &dearer, &faster];
        assert_eq!(front(&all), [true, true, false, true]);
        // Equal variants do not beat one another.
        assert_eq!(front(&[&secure, &secure]), [true, true]);
        assert!(front(&[]).is_empty());
    }
}
