//! The counting rules one by one, and recovery.

use super::*;
use crate::random::Random;

fn seen(counters: &ErrorCounters) -> (u16, u16, BusState) {
    (counters.tec(), counters.rec(), counters.state())
}

#[test]
fn each_rule_counts_what_the_standard_says() {
    type Rule = fn(&mut ErrorCounters);
    let rules: [(&str, Rule, u16, u16); 9] = [
        ("a", |c| c.error(FrameRole::Receiver), 10, 11),
        ("b", |c| c.dominant_after_flag(), 10, 18),
        ("c", |c| c.error(FrameRole::Transmitter), 18, 10),
        ("c, acknowledgement", |c| c.acknowledgement_error(), 18, 10),
        ("c, exception 2", |c| c.stuff_error_in_arbitration(), 10, 10),
        ("d", |c| c.flag_bit_error(FrameRole::Transmitter), 18, 10),
        ("e", |c| c.flag_bit_error(FrameRole::Receiver), 10, 18),
        ("g", |c| c.transmitted(), 9, 10),
        ("h", |c| c.received(), 10, 9),
    ];
    for (name, rule, tec, rec) in rules {
        let mut counters = ErrorCounters::with(10, 10);
        rule(&mut counters);
        assert_eq!((counters.tec(), counters.rec()), (tec, rec), "rule {name}");
    }
}

#[test]
fn the_states_change_at_128_and_256() {
    assert_eq!(ErrorCounters::with(127, 127).state(), BusState::Active);
    assert_eq!(ErrorCounters::with(128, 0).state(), BusState::Passive);
    assert_eq!(ErrorCounters::with(0, 128).state(), BusState::Passive);
    assert_eq!(ErrorCounters::with(255, 255).state(), BusState::Passive);
    assert_eq!(ErrorCounters::with(256, 0).state(), BusState::Off);
    assert!(!ErrorCounters::with(95, 95).is_warning());
    assert!(ErrorCounters::with(96, 0).is_warning() && ErrorCounters::with(0, 96).is_warning());
}

#[test]
fn sixteen_errors_make_a_sender_passive_and_thirty_two_take_it_off() {
    let mut counters = ErrorCounters::new();
    for error in 1..=32_u16 {
        counters.error(FrameRole::Transmitter);
        let state = match error {
            1..=15 => BusState::Active,
            16..=31 => BusState::Passive,
            _ => BusState::Off,
        };
        assert_eq!(seen(&counters), (8 * error, 0, state));
    }
    counters.error(FrameRole::Transmitter);
    counters.received();
    counters.transmitted();
    assert_eq!(
        seen(&counters),
        (256, 0, BusState::Off),
        "bus-off is left by recovery alone"
    );
    counters.recovered();
    assert_eq!(seen(&counters), (0, 0, BusState::Active));
}

#[test]
fn a_sender_alone_on_its_bus_stays_passive_for_ever() {
    let mut counters = ErrorCounters::new();
    for _ in 0..1_000 {
        counters.acknowledgement_error();
    }
    assert_eq!(seen(&counters), (128, 0, BusState::Passive));
    counters.dominant_in_passive_flag();
    assert_eq!(counters.tec(), 136);
}

#[test]
fn a_good_frame_brings_a_passive_receiver_back() {
    let mut counters = ErrorCounters::with(0, 240);
    counters.received();
    assert_eq!(seen(&counters), (0, REC_RETURN, BusState::Active));
    let mut both = ErrorCounters::with(130, 240);
    both.received();
    assert_eq!(
        both.state(),
        BusState::Passive,
        "the other counter still holds it"
    );
    for tec in [129, 128, 127] {
        both.transmitted();
        assert_eq!(both.tec(), tec);
    }
    assert_eq!(both.state(), BusState::Active);
}

#[test]
fn recovery_takes_1408_idle_bits() {
    let mut recovery = Recovery::new();
    assert_eq!(recovery.idle_bits_left(), 1_408);
    assert!(!recovery.add_idle_bits(1_407));
    assert_eq!(recovery.idle_bits_left(), 1);
    assert!(recovery.add_idle_bits(1));
    assert_eq!(recovery.idle_bits_left(), 0);
}

#[test]
fn recovery_takes_128_frames_on_a_full_bus() {
    let mut recovery = Recovery::new();
    for frame in 1..=128 {
        assert_eq!(recovery.add_episode_end(), frame == 128);
    }
}

#[test]
fn a_frame_breaks_a_run_of_idle_bits() {
    let mut recovery = Recovery::new();
    recovery.add_idle_bits(10);
    recovery.add_episode_end();
    assert_eq!(recovery.idle_bits_left(), 127 * 11);
    // Six bits of passive flag, eight of delimiter, three of intermission: once, and six over.
    recovery.add_episode(0, 17);
    assert_eq!(recovery.idle_bits_left(), 126 * 11 - 6);
    recovery.add_idle_bits(5);
    assert_eq!(recovery.idle_bits_left(), 125 * 11);
}

#[test]
fn counters_keep_their_range_under_any_history() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let mut counters = ErrorCounters::new();
        for _ in 0..2_000 {
            let role = if random.below(2) == 0 {
                FrameRole::Transmitter
            } else {
                FrameRole::Receiver
            };
            match random.below(9) {
                0 => counters.error(role),
                1 => counters.acknowledgement_error(),
                2 => counters.dominant_after_flag(),
                3 => counters.flag_bit_error(role),
                4 => counters.overlong_dominance(role),
                5 => counters.dominant_in_passive_flag(),
                6 if random.below(40) == 0 => counters.recovered(),
                7 => counters.transmitted(),
                _ => counters.received(),
            }
            let (tec, rec, state) = seen(&counters);
            assert!(tec <= 263 && rec <= REC_MAX, "seed {seed}: {tec}/{rec}");
            let expected = match (tec, rec) {
                (256.., _) => BusState::Off,
                (128.., _) | (_, 128..) => BusState::Passive,
                _ => BusState::Active,
            };
            assert_eq!(state, expected, "seed {seed}: {tec}/{rec}");
        }
    }
}
