//! Error-passive controllers, and the way into bus-off.

use super::*;
use waywarden_can::node::BusState;

#[test]
fn the_error_that_makes_a_sender_passive_is_still_signalled_actively() {
    let mut parties = [
        sender_with_counters(plain_frame(), 120, 0),
        BusParty::receiver(),
    ];
    let episode = run_struck(&mut parties, &[(CRC_DELIMITER, Force::Dominant, None)]);
    let lines = time_line(&episode, &classic_timing());
    let expected = [
        "66 0 form error in CRC-del",
        "66 0 TEC 128 REC 0",
        "66 0 is Passive",
        "66 1 form error in CRC-del",
        "66 1 TEC 0 REC 1",
        "67 0 active flag",
        "67 1 active flag",
    ];
    assert_eq!(lines[2..], expected.map(String::from));
    assert!(parties[0].suspended && !parties[1].suspended);
}

#[test]
fn a_passive_senders_flag_is_seen_as_a_stuff_error() {
    let mut parties = [
        sender_with_counters(plain_frame(), 128, 0),
        BusParty::receiver(),
    ];
    let episode = run_struck(&mut parties, &[(FIRST_DATA_ONE, Force::Dominant, None)]);
    assert_time_line(
        &episode,
        &[
            "0 0 starts 555#5555555A",
            "20 0 struck in DATA",
            "20 0 bit error in DATA",
            "20 0 TEC 136 REC 0",
            // Six recessive bits, 21 to 26: the sixth is the receiver's stuff error.
            "21 0 passive flag",
            "26 1 stuff error in DATA",
            "26 1 TEC 0 REC 1",
            // The receiver's flag is 27 to 32, the common delimiter 33 to 40.
            "27 1 active flag",
        ],
        44,
    );
}

#[test]
fn a_passive_sender_alone_stops_counting() {
    let mut parties = [sender_with_counters(plain_frame(), 128, 0)];
    let episode = run_struck(&mut parties, &[]);
    assert_time_line(
        &episode,
        &[
            "0 0 starts 555#5555555A",
            "67 0 ack error in ACK",
            "68 0 passive flag",
        ],
        85,
    );
    assert!(parties[0].suspended);
    // The CRC sequence ends with a recessive bit; CRC delimiter and ACK slot; flag, delimiter,
    // intermission.
    assert_eq!(episode.recessive_tail_bits, 1 + 2 + 6 + 8 + 3);
}

#[test]
fn a_passive_sender_without_acknowledgement_counts_if_another_node_is_there_after_all() {
    let mut parties = [sender_with_counters(plain_frame(), 128, 0)];
    let episode = run_struck(&mut parties, &[(70, Force::Dominant, None)]);
    assert_time_line(
        &episode,
        &[
            "0 0 starts 555#5555555A",
            "67 0 ack error in ACK",
            "68 0 passive flag",
            "70 0 struck in error flag",
            "70 0 TEC 136 REC 0",
        ],
        // The six equal bits are 71 to 76.
        88,
    );
}

#[test]
fn a_passive_receiver_cannot_stop_a_frame_and_lags_behind() {
    let mut parties = [
        BusParty::sender(plain_frame()),
        with_counters(0, 130),
        BusParty::sender(frame(0x600, &[])),
    ];
    let local = [
        (20, Force::Dominant, Some(1)),
        (22, Force::Dominant, Some(1)),
    ];
    let episode = run_struck(&mut parties, &local);
    let lines = time_line(&episode, &classic_timing());
    let expected = [
        "22 1 stuff error in DATA",
        "22 1 TEC 0 REC 131",
        "23 1 passive flag",
        "75 2 receives 555#5555555A",
        "76 0 has sent",
    ];
    assert_eq!(lines[5..], expected.map(String::from));
    // Six equal bits: ACK delimiter 68 to 73. Delimiter 74 to 81, intermission 82 to 84.
    assert_eq!(episode.end, bits(&classic_timing(), 79));
    assert_eq!(
        parties[1].lag,
        Some(Lag {
            bits: 85 - 79,
            role: FrameRole::Receiver
        })
    );
    assert_eq!(parties[1].hold_bits(), 6);

    // On a bus without a pause the next frame breaks into its delimiter: another error.
    let mut at_once = parties.clone();
    let next = run_struck(&mut at_once, &[]);
    let lines = time_line(&next, &classic_timing());
    let expected = [
        "0 2 starts 600#",
        "0 1 form error in error delimiter",
        "0 1 TEC 0 REC 132",
        "1 1 passive flag",
    ];
    assert_eq!(lines[..4], expected.map(String::from));
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.contains("1 receives"))
            .count(),
        0
    );

    // Three idle bits are not enough, six are.
    for (pause, received) in [(3, 0), (6, 1)] {
        let mut later = parties.clone();
        later.iter_mut().for_each(|party| party.idle(pause));
        let next = run_struck(&mut later, &[]);
        let lines = time_line(&next, &classic_timing());
        let count = lines
            .iter()
            .filter(|line| line.contains("1 receives"))
            .count();
        assert_eq!(count, received, "pause {pause}: {lines:?}");
    }
}

#[test]
fn the_thirty_second_error_takes_a_sender_off() {
    let mut parties = [
        sender_with_counters(plain_frame(), 248, 0),
        BusParty::receiver(),
    ];
    let episode = run_struck(&mut parties, &[(FIRST_DATA_ONE, Force::Dominant, None)]);
    assert_time_line(
        &episode,
        &[
            "0 0 starts 555#5555555A",
            "20 0 struck in DATA",
            "20 0 bit error in DATA",
            "20 0 TEC 256 REC 0",
            "20 0 is Off",
            // No node sends: the receiver sees six recessive bits, 21 to 26.
            "26 1 stuff error in DATA",
            "26 1 TEC 0 REC 1",
            "27 1 active flag",
        ],
        44,
    );
    assert_eq!(parties[0].counters.state(), BusState::Off);
    assert!(
        parties[0].transmit.is_some(),
        "what becomes of the frame is the controller's choice"
    );
    assert_eq!(
        (episode.recessive_sequences, episode.recessive_tail_bits),
        (0, 11)
    );
}

#[test]
fn an_episode_ends_when_all_are_off() {
    let mut parties = [sender_with_counters(plain_frame(), 248, 0)];
    let episode = run_struck(&mut parties, &[(FIRST_DATA_ONE, Force::Dominant, None)]);
    assert!(episode.end < bits(&classic_timing(), 22));
}

#[test]
fn a_passive_receivers_flag_ends_on_six_dominant_bits_too() {
    // Both receivers see the stuff error of a struck data bit, one of them passively.
    let mut parties = [
        BusParty::sender(plain_frame()),
        with_counters(0, 130),
        BusParty::receiver(),
    ];
    let episode = run_struck(&mut parties, &[(FIRST_DATA_ONE, Force::Dominant, None)]);
    // Dominant 21 to 28: its flag 23 to 28 is six equal bits, all of them others'.
    assert_eq!(episode.end, bits(&classic_timing(), 40));
    assert_eq!(parties[1].counters.rec(), 131);
    assert_eq!(parties[1].lag, None);
}

#[test]
fn a_suspended_party_that_heard_a_frame_is_no_longer_suspended() {
    let mut suspended = with_counters(200, 0);
    suspended.suspended = true;
    let mut parties = [BusParty::sender(plain_frame()), suspended];
    run_struck(&mut parties, &[]);
    assert_eq!(parties[1].hold_bits(), 0);
}

#[test]
fn a_glitch_does_not_end_suspension() {
    let timing = classic_timing();
    let mut suspended = sender_with_counters(frame(0x100, &[]), 200, 0);
    suspended.suspended = true;
    let mut parties = [suspended, BusParty::receiver()];
    run(
        &timing,
        FdVariant::Iso,
        &mut parties,
        &mut |moment, strikes| {
            let until = moment.at + Picoseconds::new(timing.nominal.bit().get() / 4);
            if moment.at == Picoseconds::ZERO {
                strikes.add(
                    moment,
                    Strike {
                        until,
                        ..moment.strike(Force::Dominant)
                    },
                );
            }
        },
    );
    assert!(parties[0].suspended);
}

#[test]
fn a_party_that_lags_needs_the_bits_it_says() {
    for needed in 1..=LAG_BITS_MAX {
        let mut parties = [BusParty::receiver()];
        parties[0].lag = Some(Lag {
            bits: needed,
            role: FrameRole::Receiver,
        });
        let episode = run_quiet(&classic_timing(), FdVariant::Iso, &mut parties);
        assert_eq!(episode.end, bits(&classic_timing(), u16::from(needed)));
        assert_eq!((parties[0].lag, episode.marks.len()), (None, 0));
    }
}
