//! Gaps, frames beside containers, and random damage.

use super::*;

/// Frames beside containers are read; those within an object that has not ended are reported.
#[test]
fn frames_beside_containers_are_read() {
    let one = object(1, NANOS, 1_000, &message(1, 0, 2, 0x123, [0; 8]));
    let bytes = file(&[one.clone(), container(&one), one.clone(), one.clone()]);
    let results: Vec<_> = Reader::new(bytes.as_slice()).collect();
    assert_eq!(results.len(), 4, "{results:?}");
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    let torn = file(&[container(&one[..20]), one.clone(), container(&one[20..])]);
    let results: Vec<_> = Reader::new(torn.as_slice()).collect();
    let [Err(error), Ok(_)] = results.as_slice() else {
        panic!("{results:?}");
    };
    assert_eq!(
        error.cause,
        LogCause::Blf(BlfCause::WithinObject { kind: 1 })
    );
    assert!(error.is_skippable());
}

/// Whatever stands between objects and containers, the frames around it are read.
#[test]
fn gaps_cost_no_frame() {
    let seed = 0xB1F_u64;
    println!("seed {seed:#x}");
    let mut random = waywarden_testkit::Random::new(seed);
    let one = object(1, NANOS, 1_000, &message(1, 0, 2, 0x123, [0; 8]));
    for round in 0..300 {
        let mut gap = |most: u64| -> Vec<u8> {
            (0..random.below(most))
                .map(|_| random.below(256) as u8)
                .collect()
        };
        let (inner, outer, more) = (gap(40), gap(40), gap(10));
        let content = [&one[..], &inner, &one].concat();
        let parts = [
            container(&content),
            outer,
            one.clone(),
            more,
            container(&one),
        ];
        let bytes = file(&parts);
        let frames = Reader::new(bytes.as_slice()).filter(Result::is_ok).count();
        assert_eq!(frames, 4, "seed {seed:#x}, round {round}");
    }
}

/// Damaged files end, with as many faults as they have bytes at most.
#[test]
fn damaged_files_end() {
    let seed = 0xDA_B1F_u64;
    println!("seed {seed:#x}");
    let mut random = waywarden_testkit::Random::new(seed);
    let whole = file(&[container(&messages().concat()), messages().concat()]);
    for _ in 0..500 {
        let mut bytes = whole.clone();
        for _ in 0..=random.below(6) {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] = random.below(256) as u8;
        }
        bytes.truncate(bytes.len() - random.below(30) as usize);
        let items = Reader::new(bytes.as_slice()).take(bytes.len() + 1).count();
        assert!(items <= bytes.len(), "seed {seed:#x}");
    }
}
