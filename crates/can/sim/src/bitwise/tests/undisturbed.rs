//! Without disturbance an episode is exactly the frame and its intermission.

use waywarden_can::bits::frame_length;
use waywarden_can::timing::duration;
use waywarden_can::{ExtendedId, FdFlags, StandardId};

use super::*;
use crate::random::Random;

/// Draws any frame there is; `format` 0 classic, 1 remote, 2 FD, 3 FD without rate switch.
pub(in crate::bitwise::tests) fn any_frame(random: &mut Random, format: u64) -> Frame {
    let id: Id = if random.below(2) == 0 {
        StandardId::new(random.below(0x800) as u16).unwrap().into()
    } else {
        ExtendedId::new(random.below(0x2000_0000) as u32)
            .unwrap()
            .into()
    };
    let lengths = if format < 2 { 9 } else { 16 };
    let length = waywarden_can::frame::FD_LENGTHS[random.below(lengths) as usize];
    // Runs of equal bits are what stuffing is about.
    let style = random.below(3);
    let data: Vec<u8> = (0..length)
        .map(|_| match style {
            0 => random.next_u64() as u8,
            1 => 0,
            _ => [0x00, 0xFF, 0x0F, 0x1F, 0xF0, 0xF8][random.below(6) as usize],
        })
        .collect();
    match format {
        0 => Frame::classic(id, &data).unwrap(),
        1 => Frame::remote(id, length).unwrap(),
        _ => Frame::fd_with(
            id,
            &data,
            FdFlags {
                bit_rate_switch: format == 2,
                error_state_indicator: false,
            },
        )
        .unwrap(),
    }
}

#[test]
fn one_sender_takes_the_length_of_its_frame_and_intermission() {
    let timings = [
        classic_timing(),
        fd_timing(),
        BitTiming::fd(BitRate::constant(1_000_000), BitRate::constant(5_000_000)),
        BitTiming::fd(BitRate::constant(83_333), BitRate::constant(8_000_000)),
    ];
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let timing = timings[random.below(4) as usize];
        let variant = [FdVariant::Iso, FdVariant::NonIso][random.below(2) as usize];
        let frame = any_frame(&mut random, seed % 4);
        let receivers = 1 + random.below(4) as usize;
        let mut parties = vec![BusParty::receiver(); receivers + 1];
        let sender = random.below(receivers as u64 + 1) as usize;
        parties[sender].transmit = Some(frame);

        let episode = run_quiet(&timing, variant, &mut parties);

        let sent = duration(&frame_length(&frame, variant), &timing);
        let accepted = sent - timing.nominal.bit();
        let mut expected = vec![(Picoseconds::ZERO, sender, MarkKind::Started(frame))];
        for receiver in (0..=receivers).filter(|&party| party != sender) {
            expected.push((accepted, receiver, MarkKind::Received(frame)));
        }
        expected.push((sent, sender, MarkKind::Sent));
        let marks: Vec<_> = episode
            .marks
            .iter()
            .map(|mark| (mark.at, mark.party, mark.kind))
            .collect();
        assert_eq!(marks, expected, "seed {seed}: {frame}");
        assert_eq!(
            episode.end,
            sent + timing.intermission(),
            "seed {seed}: {frame}"
        );
        assert_eq!(
            (episode.recessive_sequences, episode.recessive_tail_bits),
            (0, 11),
            "seed {seed}: ACK delimiter, end of frame, intermission"
        );
        let done = BusParty {
            transmit: None,
            ..BusParty::receiver()
        };
        assert!(
            parties.iter().all(|party| *party == done),
            "seed {seed}: {parties:?}"
        );
    }
}

#[test]
fn good_frames_count_down() {
    let mut parties = [
        sender_with_counters(plain_frame(), 10, 3),
        with_counters(2, 200),
    ];
    let episode = run_quiet(&classic_timing(), FdVariant::Iso, &mut parties);
    assert_time_line(
        &episode,
        &[
            "0 0 starts 555#5555555A",
            "67 1 TEC 2 REC 119",
            "67 1 is Active",
            "75 1 receives 555#5555555A",
            "75 0 TEC 9 REC 3",
            "76 0 has sent",
        ],
        79,
    );
}

#[test]
fn a_bus_on_which_no_one_starts_stays_idle() {
    let mut parties = [BusParty::receiver(), BusParty::receiver()];
    let episode = run_quiet(&classic_timing(), FdVariant::Iso, &mut parties);
    assert_eq!((episode.end, episode.marks.len()), (Picoseconds::ZERO, 0));
    let empty = run_quiet(&classic_timing(), FdVariant::Iso, &mut []);
    assert_eq!(empty.end, Picoseconds::ZERO);
}

#[test]
fn an_error_passive_sender_says_so_in_esi_and_suspends() {
    let plain = fd_frame(0x123, &[1, 2, 3]);
    let passive = Frame::fd_with(
        plain.id(),
        plain.data(),
        FdFlags {
            bit_rate_switch: true,
            error_state_indicator: true,
        },
    )
    .unwrap();
    let mut parties = [sender_with_counters(plain, 200, 0), BusParty::receiver()];
    let episode = run_quiet(&fd_timing(), FdVariant::Iso, &mut parties);
    let received = episode.marks.iter().find_map(|mark| match mark.kind {
        MarkKind::Received(frame) => Some(frame),
        _ => None,
    });
    assert_eq!(received, Some(passive));
    assert!(parties[0].suspended && parties[0].hold_bits() == 8);
    assert!(!parties[1].suspended);
    parties[0].idle(7);
    assert!(parties[0].suspended);
    parties[0].idle(8);
    assert_eq!(parties[0].hold_bits(), 0);
}

#[test]
fn a_suspended_sender_receives_meanwhile() {
    let mut waiting = sender_with_counters(frame(0x001, &[]), 200, 0);
    waiting.suspended = true;
    let mut parties = [waiting, BusParty::sender(plain_frame())];
    let episode = run_quiet(&classic_timing(), FdVariant::Iso, &mut parties);
    assert_time_line(
        &episode,
        &[
            "0 1 starts 555#5555555A",
            "75 0 receives 555#5555555A",
            "76 1 has sent",
        ],
        79,
    );
    assert!(parties[0].transmit.is_some() && !parties[0].suspended);
}
