//! Each kind of error and each counting rule of [ISO 11898-1 §12.1.4], active controllers.

use super::*;

fn sender_and(receivers: usize) -> Vec<BusParty> {
    let mut parties = vec![BusParty::receiver(); receivers + 1];
    parties[0].transmit = Some(plain_frame());
    parties
}

#[test]
fn a_bit_error_costs_the_sender_eight_and_each_receiver_one() {
    let mut parties = sender_and(2);
    let episode = run_struck(&mut parties, &[(FIRST_DATA_ONE, Force::Dominant, None)]);
    // The receivers see 0 in bits 17 to 20 and the flag from 21 on: the sixth is bit 22. The flags
    // overlap: dominant from 21 to 28, delimiter 29 to 36, intermission 37 to 39.
    assert_time_line(
        &episode,
        &[
            "0 0 starts 555#5555555A",
            "20 0 struck in DATA",
            "20 0 bit error in DATA",
            "20 0 TEC 8 REC 0",
            "21 0 active flag",
            "22 1 stuff error in DATA",
            "22 1 TEC 0 REC 1",
            "22 2 stuff error in DATA",
            "22 2 TEC 0 REC 1",
            "23 1 active flag",
            "23 2 active flag",
        ],
        40,
    );
    assert_eq!(episode.recessive_tail_bits, 11);
    assert_eq!(
        parties[0].transmit,
        Some(plain_frame()),
        "it will be repeated"
    );
}

#[test]
fn the_receiver_that_signals_first_counts_nine() {
    // Receiver 1 alone sees bits 20 and 22 dominant: six zeros from bit 17 to 22 (rule a, then b).
    let mut parties = sender_and(2);
    let local = [
        (20, Force::Dominant, Some(1)),
        (22, Force::Dominant, Some(1)),
    ];
    let episode = run_struck(&mut parties, &local);
    assert_time_line(
        &episode,
        &[
            "0 0 starts 555#5555555A",
            "20 0 struck in DATA for 1",
            "22 0 struck in DATA for 1",
            "22 1 stuff error in DATA",
            "22 1 TEC 0 REC 1",
            "23 1 active flag",
            // The sender's bit 23 is dominant anyway, bit 24 is not.
            "24 0 bit error in DATA",
            "24 0 TEC 8 REC 0",
            "25 0 active flag",
            // Receiver 2 sees the sixth dominant bit; its flag makes it twelve in all.
            "28 2 stuff error in DATA",
            "28 2 TEC 0 REC 1",
            "29 2 active flag",
            // Still dominant right after the first flag: others answer it.
            "29 1 TEC 0 REC 9",
        ],
        46,
    );
}

#[test]
fn a_sender_alone_misses_its_acknowledgement() {
    let mut parties = sender_and(0);
    let episode = run_struck(&mut parties, &[]);
    assert_time_line(
        &episode,
        &[
            "0 0 starts 555#5555555A",
            "67 0 ack error in ACK",
            "67 0 TEC 8 REC 0",
            "68 0 active flag",
        ],
        85,
    );
}

#[test]
fn a_receiver_in_bus_off_acknowledges_nothing() {
    let mut parties = [BusParty::sender(plain_frame()), with_counters(256, 0)];
    let episode = run_struck(&mut parties, &[]);
    assert_eq!(parties[0].counters.tec(), 8);
    assert!(episode.marks.iter().all(|mark| mark.party == 0));
}

#[test]
fn a_crc_error_is_signalled_after_the_acknowledgement() {
    let mut parties = sender_and(2);
    let episode = run_struck(&mut parties, &[(46, Force::Flip, Some(1))]);
    assert_time_line(
        &episode,
        &[
            "0 0 starts 555#5555555A",
            "46 0 struck in DATA for 1",
            // Receiver 2 acknowledged, receiver 1 did not.
            "68 1 crc error in ACK-del",
            "68 1 TEC 0 REC 1",
            "69 1 active flag",
            "69 0 form error in EOF",
            "69 0 TEC 8 REC 0",
            "69 2 form error in EOF",
            "69 2 TEC 0 REC 1",
            "70 0 active flag",
            "70 2 active flag",
            "75 1 TEC 0 REC 9",
        ],
        87,
    );
}

#[test]
fn a_dominant_crc_delimiter_is_a_form_error_for_all() {
    let mut parties = sender_and(1);
    let episode = run_struck(&mut parties, &[(CRC_DELIMITER, Force::Dominant, None)]);
    assert_time_line(
        &episode,
        &[
            "0 0 starts 555#5555555A",
            "66 0 struck in CRC-del",
            "66 0 form error in CRC-del",
            "66 0 TEC 8 REC 0",
            "66 1 form error in CRC-del",
            "66 1 TEC 0 REC 1",
            "67 0 active flag",
            "67 1 active flag",
        ],
        84,
    );
}

#[test]
fn a_receiver_whose_acknowledgement_comes_out_recessive_has_a_bit_error() {
    let mut parties = sender_and(1);
    let episode = run_struck(&mut parties, &[(ACK_SLOT, Force::Recessive, None)]);
    assert_time_line(
        &episode,
        &[
            "0 0 starts 555#5555555A",
            "67 0 struck in ACK",
            "67 0 ack error in ACK",
            "67 0 TEC 8 REC 0",
            "67 1 bit error in ACK",
            "67 1 TEC 0 REC 1",
            "68 0 active flag",
            "68 1 active flag",
        ],
        85,
    );
}

#[test]
fn a_dominant_last_bit_makes_the_receivers_take_the_frame_twice() {
    let mut parties = sender_and(1);
    let episode = run_struck(&mut parties, &[(LAST_END_OF_FRAME, Force::Dominant, None)]);
    assert_time_line(
        &episode,
        &[
            "0 0 starts 555#5555555A",
            "75 1 receives 555#5555555A",
            "75 0 struck in EOF",
            "75 0 form error in EOF",
            "75 0 TEC 8 REC 0",
            // For the receiver it is an overload condition, and no error.
            "76 0 active flag",
            "76 1 overload flag",
        ],
        93,
    );
    let again = run_struck(&mut parties, &[]);
    assert_time_line(
        &again,
        &[
            "0 0 starts 555#5555555A",
            "75 1 receives 555#5555555A",
            "75 0 TEC 7 REC 0",
            "76 0 has sent",
        ],
        79,
    );
}

#[test]
fn a_dominant_last_bit_but_one_makes_no_one_take_the_frame() {
    let mut parties = sender_and(1);
    let episode = run_struck(
        &mut parties,
        &[(LAST_END_OF_FRAME - 1, Force::Dominant, None)],
    );
    let errors = episode
        .marks
        .iter()
        .filter(|mark| matches!(mark.kind, MarkKind::Error { .. }));
    assert_eq!(errors.count(), 2);
    assert!(
        !episode
            .marks
            .iter()
            .any(|mark| matches!(mark.kind, MarkKind::Received(_)))
    );
    assert_eq!(
        (parties[0].counters.tec(), parties[1].counters.rec()),
        (8, 1)
    );
}

#[test]
fn a_recessive_bit_in_a_flag_counts_eight_and_starts_it_again() {
    let mut parties = sender_and(1);
    let strikes = [(20, Force::Dominant, None), (23, Force::Recessive, None)];
    let episode = run_struck(&mut parties, &strikes);
    assert_time_line(
        &episode,
        &[
            "0 0 starts 555#5555555A",
            "20 0 struck in DATA",
            "20 0 bit error in DATA",
            "20 0 TEC 8 REC 0",
            "21 0 active flag",
            "22 1 stuff error in DATA",
            "22 1 TEC 0 REC 1",
            "23 1 active flag",
            // Third bit of the sender's flag, first bit of the receiver's (rules d and e).
            "23 0 struck in error flag",
            "23 0 bit error in error flag",
            "23 0 TEC 16 REC 0",
            "23 1 bit error in error flag",
            "23 1 TEC 0 REC 9",
            "24 0 active flag",
            "24 1 active flag",
        ],
        41,
    );
}

#[test]
fn a_bus_that_stays_dominant_counts_eight_every_eight_bits() {
    let mut parties = sender_and(1);
    // Flags 67 to 72, then sixteen dominant bits more (rule f).
    let strikes: Vec<_> = [CRC_DELIMITER]
        .into_iter()
        .chain(73..=88)
        .map(|bit| (bit, Force::Dominant, None))
        .collect();
    let episode = run_struck(&mut parties, &strikes);
    let counts: Vec<String> = time_line(&episode, &classic_timing())
        .into_iter()
        .filter(|line| line.contains("TEC"))
        .collect();
    assert_eq!(
        counts,
        [
            "66 0 TEC 8 REC 0",
            "66 1 TEC 0 REC 1",
            "73 1 TEC 0 REC 9", // rule b
            "80 0 TEC 16 REC 0",
            "80 1 TEC 0 REC 17",
            "88 0 TEC 24 REC 0",
            "88 1 TEC 0 REC 25",
        ]
    );
    assert_eq!(episode.end, bits(&classic_timing(), 89 + 8 + 3));
}

#[test]
fn seven_dominant_bits_after_a_flag_are_tolerated() {
    let mut parties = sender_and(1);
    let strikes: Vec<_> = [CRC_DELIMITER]
        .into_iter()
        .chain(73..=79)
        .map(|bit| (bit, Force::Dominant, None))
        .collect();
    run_struck(&mut parties, &strikes);
    assert_eq!(
        (parties[0].counters.tec(), parties[1].counters.rec()),
        (8, 9)
    );
}

#[test]
fn a_stuff_error_in_arbitration_costs_the_sender_nothing() {
    // 0x000: SOF and four identifier bits dominant, then a recessive stuff bit (rule c,
    // exception 2).
    let mut parties = [BusParty::sender(frame(0x000, &[])), BusParty::receiver()];
    let episode = run_struck(&mut parties, &[(5, Force::Dominant, None)]);
    assert_time_line(
        &episode,
        &[
            "0 0 starts 000#",
            "5 0 struck in ID",
            "5 0 stuff error in ID",
            "5 1 stuff error in ID",
            "5 1 TEC 0 REC 1",
            "6 0 active flag",
            "6 1 active flag",
        ],
        23,
    );
}

#[test]
fn a_dominant_bit_in_an_error_delimiter_is_another_error() {
    let mut parties = sender_and(1);
    // The delimiter is 73 to 80.
    let strikes = [
        (CRC_DELIMITER, Force::Dominant, None),
        (75, Force::Dominant, None),
    ];
    let episode = run_struck(&mut parties, &strikes);
    let expected = [
        "75 0 struck in error delimiter",
        "75 0 form error in error delimiter",
        "75 0 TEC 16 REC 0",
        "75 1 form error in error delimiter",
        "75 1 TEC 0 REC 2",
        "76 0 active flag",
        "76 1 active flag",
    ];
    assert!(time_line(&episode, &classic_timing()).ends_with(&expected.map(String::from)));
    assert_eq!(episode.end, bits(&classic_timing(), 93));
}

#[test]
fn a_form_error_reaches_the_first_bit_of_end_of_frame() {
    let mut parties = sender_and(1);
    run_struck(&mut parties, &[(FIRST_END_OF_FRAME, Force::Dominant, None)]);
    assert_eq!(
        (parties[0].counters.tec(), parties[1].counters.rec()),
        (8, 1)
    );
}

#[test]
fn a_glitch_where_a_frame_would_start_is_forgotten() {
    // Shorter than up to the sample point: all take it for an edge, none for a start of frame.
    let timing = classic_timing();
    let mut parties = [BusParty::receiver(), BusParty::receiver()];
    let episode = run(
        &timing,
        FdVariant::Iso,
        &mut parties,
        &mut |moment, strikes| {
            if moment.at == Picoseconds::ZERO {
                let until = Picoseconds::new(timing.nominal.bit().get() / 4);
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
    assert_time_line(&episode, &[], 1);
    assert_eq!(parties, [BusParty::receiver(), BusParty::receiver()]);
}
