//! Arbitration: the bits alone determine the winner.

use super::undisturbed::any_frame;
use super::*;
use crate::random::Random;

#[test]
fn the_lowest_arbitration_key_wins() {
    let mut random = Random::new(11);
    for round in 0..300 {
        let count = 2 + random.below(6) as usize;
        let mut frames: Vec<Frame> = Vec::new();
        while frames.len() < count {
            // Few identifiers, so that the last arbitration bits decide too.
            let id = match random.below(4) {
                0 => Id::standard(0x122),
                1 => Id::standard(0x123),
                2 => Id::extended(0x123 << 18),
                _ => Id::extended(0x123 << 18 | 5),
            };
            let id = id.unwrap();
            let frame = match random.below(4) {
                0 => Frame::remote(id, 3).unwrap(),
                1 => Frame::fd(id, &[1; 12]).unwrap(),
                2 => Frame::classic(id, &[2; 8]).unwrap(),
                _ => any_frame(&mut random, round % 4),
            };
            if frames
                .iter()
                .all(|other| other.arbitration_key() != frame.arbitration_key())
            {
                frames.push(frame);
            }
        }
        let winner = (0..count)
            .min_by_key(|&party| frames[party].arbitration_key())
            .unwrap();
        let mut parties: Vec<BusParty> = frames
            .iter()
            .map(|&frame| BusParty::sender(frame))
            .collect();

        let episode = run_quiet(&fd_timing(), FdVariant::Iso, &mut parties);

        for (party, settings) in parties.iter().enumerate() {
            let of_party = |wanted: fn(&MarkKind) -> bool| {
                let marks = episode.marks.iter().filter(|mark| mark.party == party);
                marks.filter(|mark| wanted(&mark.kind)).count()
            };
            let sent = of_party(|kind| *kind == MarkKind::Sent);
            let lost = of_party(|kind| matches!(kind, MarkKind::LostArbitration(_)));
            assert_eq!(
                (sent, lost),
                if party == winner { (1, 0) } else { (0, 1) },
                "{frames:?}"
            );
            assert_eq!(settings.transmit.is_none(), party == winner);
            assert_eq!(settings.counters, ErrorCounters::new());
        }
        let received = MarkKind::Received(frames[winner]);
        let count_received = episode
            .marks
            .iter()
            .filter(|mark| mark.kind == received)
            .count();
        assert_eq!(count_received, count - 1);
    }
}

#[test]
fn a_classic_and_an_fd_frame_of_one_identifier_collide_after_arbitration() {
    let mut parties = [
        BusParty::sender(fd_frame(0x555, &[1])),
        BusParty::sender(plain_frame()),
        BusParty::receiver(),
    ];
    let episode = run_quiet(&fd_timing(), FdVariant::Iso, &mut parties);
    let lines = time_line(&episode, &fd_timing());
    // FDF is recessive in the one, dominant in the other: bit 14. The classic sender is stopped.
    assert_eq!(
        lines[2..5],
        [
            "14 0 bit error in FDF".to_owned(),
            "14 0 TEC 8 REC 0".to_owned(),
            "15 0 active flag".to_owned(),
        ]
    );
    assert_eq!(parties[1].counters.tec(), 8);
    assert!(parties[0].transmit.is_some() && parties[1].transmit.is_some());
}

#[test]
fn a_loser_receives_what_it_helped_to_send() {
    let mut parties = [
        BusParty::sender(frame(0x556, &[9])),
        BusParty::sender(plain_frame()),
    ];
    let episode = run_quiet(&classic_timing(), FdVariant::Iso, &mut parties);
    assert_time_line(
        &episode,
        &[
            "0 0 starts 556#09",
            "0 1 starts 555#5555555A",
            "10 0 loses in ID",
            "75 0 receives 555#5555555A",
            "76 1 has sent",
        ],
        79,
    );
}
