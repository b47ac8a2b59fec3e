//! Overload frames, and what a dominant bit in intermission means.

use super::*;

fn sender_and_receiver() -> [BusParty; 2] {
    [BusParty::sender(plain_frame()), BusParty::receiver()]
}

#[test]
fn a_receiver_that_needs_time_sends_an_overload_frame() {
    let mut parties = sender_and_receiver();
    parties[1].overload = 1;
    let episode = run_struck(&mut parties, &[]);
    assert_time_line(
        &episode,
        &[
            "0 0 starts 555#5555555A",
            "75 1 receives 555#5555555A",
            "76 0 has sent",
            "76 1 overload flag",
            // The sender sees the first bit of intermission dominant and answers.
            "77 0 overload flag",
        ],
        // Flags 76 to 82, delimiter 83 to 90, intermission 91 to 93.
        94,
    );
    assert_eq!(parties[1].overload, 0);
}

#[test]
fn two_overload_frames_are_the_most() {
    let mut parties = sender_and_receiver();
    parties[1].overload = 7;
    let episode = run_struck(&mut parties, &[]);
    let flags = episode
        .marks
        .iter()
        .filter(|mark| mark.kind == MarkKind::OverloadFlag)
        .count();
    assert_eq!(
        (flags, parties[1].overload),
        (4, 0),
        "two of its own, two answers"
    );
    assert_eq!(episode.end, bits(&classic_timing(), 79 + 2 * (7 + 8)));
    assert!(
        parties
            .iter()
            .all(|party| party.counters == ErrorCounters::new())
    );
}

#[test]
fn a_dominant_first_or_second_bit_of_intermission_is_an_overload_condition() {
    for bit in [FIRST_INTERMISSION, FIRST_INTERMISSION + 1] {
        let mut parties = sender_and_receiver();
        let episode = run_struck(&mut parties, &[(bit, Force::Dominant, None)]);
        let flag = bit + 1;
        let lines = time_line(&episode, &classic_timing());
        let expected = [
            "75 1 receives 555#5555555A".to_owned(),
            "76 0 has sent".to_owned(),
            format!("{bit} 0 struck in intermission"),
            format!("{flag} 0 overload flag"),
            format!("{flag} 1 overload flag"),
        ];
        assert_eq!(lines[1..], expected);
        assert_eq!(
            episode.end,
            bits(&classic_timing(), (flag + 6 + 8 + 3) as u16)
        );
        assert!(
            parties
                .iter()
                .all(|party| party.counters == ErrorCounters::new())
        );
    }
}

#[test]
fn a_dominant_last_delimiter_bit_is_an_overload_condition() {
    let mut parties = sender_and_receiver();
    // Flags 77 to 82, delimiter 83 to 90.
    let strikes = [
        (FIRST_INTERMISSION, Force::Dominant, None),
        (90, Force::Dominant, None),
    ];
    let episode = run_struck(&mut parties, &strikes);
    assert_eq!(episode.end, bits(&classic_timing(), 91 + 6 + 8 + 3));
    assert!(
        parties
            .iter()
            .all(|party| party.counters == ErrorCounters::new())
    );
}

#[test]
fn a_dominant_third_bit_of_intermission_starts_a_frame_for_each_that_waits() {
    let waiting = frame(0x600, &[]);
    let mut parties = [BusParty::sender(plain_frame()), BusParty::sender(waiting)];
    let episode = run_struck(
        &mut parties,
        &[(FIRST_INTERMISSION + 2, Force::Dominant, None)],
    );
    let wire_bits = expand(&waiting, FdVariant::Iso).bits().len() as u64;
    let end = 78 + wire_bits + 3;
    assert_time_line(
        &episode,
        &[
            "0 0 starts 555#5555555A",
            "0 1 starts 600#",
            "2 1 loses in ID",
            "75 1 receives 555#5555555A",
            "76 0 has sent",
            "78 0 struck in intermission",
            // It goes on with the identifier: bit 78 was its start of frame.
            "78 1 starts 600#",
            &format!("{} 0 receives 600#", end - 4),
            &format!("{} 1 has sent", end - 3),
        ],
        end,
    );
}

#[test]
fn a_dominant_third_bit_without_a_sender_is_a_stuff_error_for_all() {
    let mut parties = sender_and_receiver();
    let episode = run_struck(
        &mut parties,
        &[(FIRST_INTERMISSION + 2, Force::Dominant, None)],
    );
    // Start of frame 78; the sixth recessive bit is 84; flags 85 to 90.
    let errors: Vec<String> = time_line(&episode, &classic_timing()).split_off(4);
    assert_eq!(
        errors,
        [
            "84 0 stuff error in ID",
            "84 0 TEC 0 REC 1",
            "84 1 stuff error in ID",
            "84 1 TEC 0 REC 1",
            "85 0 active flag",
            "85 1 active flag",
        ]
    );
    assert_eq!(episode.end, bits(&classic_timing(), 91 + 8 + 3));
}
