//! Errors in the fast part of an FD frame: who leaves it when.
//!
//! 500 kbit/s and 2 Mbit/s: a nominal bit is 2 us, a data bit 0.5 us; they are sampled at 87.5 %
//! and 75 %.

use waywarden_can::FdFlags;

use super::*;

const NOMINAL: u64 = 2_000_000;
const DATA: u64 = 500_000;

/// The bits of the frame before the one of this index, in picoseconds.
fn begin_of(frame: &Frame, index: usize) -> u64 {
    let wire = expand(frame, FdVariant::Iso);
    wire.bits()[..index]
        .iter()
        .map(|bit| waywarden_can::timing::bit_duration(bit, &fd_timing()).get())
        .sum()
}

/// The index of the first recessive data bit that the given levels precede, at this byte or later.
fn data_bit_after(frame: &Frame, before: &[u8], byte: usize) -> usize {
    let wire = expand(frame, FdVariant::Iso);
    let first = wire
        .bits()
        .iter()
        .position(|bit| bit.field == Field::Data)
        .unwrap()
        + 8 * byte;
    let levels: Vec<u8> = wire
        .bits()
        .iter()
        .map(|bit| u8::from(bit.level.bit()))
        .collect();
    let fits = |&at: &usize| levels[at] == 1 && levels[..at].ends_with(before);
    (first..levels.len()).find(fits).unwrap()
}

fn strike_on(
    frame: &Frame,
    index: usize,
    only: Option<usize>,
    parties: &mut [BusParty],
) -> Episode {
    let at = Picoseconds::new(begin_of(frame, index));
    run(
        &fd_timing(),
        FdVariant::Iso,
        parties,
        &mut |moment, strikes| {
            if moment.at == at {
                strikes.add(
                    moment,
                    Strike {
                        only,
                        ..moment.strike(Force::Dominant)
                    },
                );
            }
        },
    )
}

fn at_of(episode: &Episode, party: usize, wanted: impl Fn(&MarkKind) -> bool) -> Vec<u64> {
    let marks = episode
        .marks
        .iter()
        .filter(|mark| mark.party == party && wanted(&mark.kind));
    marks.map(|mark| mark.at.get()).collect()
}

fn flags(episode: &Episode, party: usize) -> Vec<u64> {
    at_of(episode, party, |kind| {
        matches!(kind, MarkKind::ErrorFlag { .. })
    })
}

#[test]
fn the_receivers_of_a_fast_frame_leave_at_their_own_time() {
    // 0x66: 0110 0110. The struck bit is the first one of a pair: 0 before it, then the flag.
    let frame = fd_frame(0x555, &[0x66; 16]);
    let index = data_bit_after(&frame, &[0, 0], 4);
    let mut parties = [
        BusParty::sender(frame),
        BusParty::receiver(),
        BusParty::receiver(),
    ];
    let episode = strike_on(&frame, index, None, &mut parties);
    let struck = begin_of(&frame, index);
    // Error at the sample point, flag from the end of this data bit on, at the nominal rate.
    let errors = at_of(&episode, 0, |kind| matches!(kind, MarkKind::Error { .. }));
    assert_eq!(errors, [struck + 375_000]);
    let flag = struck + DATA;
    assert_eq!(flags(&episode, 0), [flag]);
    // The receivers count 0, 0, struck, and the flag at the data rate: six after three bits of it.
    let second = flag + 3 * DATA;
    assert_eq!(flags(&episode, 1), [second]);
    assert_eq!(flags(&episode, 2), [second]);
    // The sender's first bit after its flag is dominant for 1.5 us, up to the end of the receivers'
    // flags, and recessive at its sample point, 1.75 us: its delimiter has begun.
    let sender_ready = flag + (6 + 8 + 3) * NOMINAL;
    assert_eq!(episode.end.get(), sender_ready);
    assert_eq!(episode.recessive_tail_bits, 11);
    // The receivers' third bit of intermission has begun and has not been sampled.
    assert_eq!(parties[0].lag, None);
    assert_eq!(
        parties[1].lag,
        Some(Lag {
            bits: 1,
            role: FrameRole::Receiver
        })
    );
    assert_eq!(
        parties
            .each_ref()
            .map(|party| (party.counters.tec(), party.counters.rec())),
        [(8, 0), (0, 1), (0, 1)]
    );
}

#[test]
fn a_frame_without_rate_switch_stays_on_the_grid() {
    let frame = Frame::fd_with(
        Id::standard(0x555).unwrap(),
        &[0x66; 16],
        FdFlags {
            bit_rate_switch: false,
            error_state_indicator: false,
        },
    )
    .unwrap();
    let index = data_bit_after(&frame, &[0, 0], 4);
    let mut parties = [BusParty::sender(frame), BusParty::receiver()];
    let episode = strike_on(&frame, index, None, &mut parties);
    let flag = begin_of(&frame, index) + NOMINAL;
    assert_eq!(flags(&episode, 0), [flag]);
    assert_eq!(flags(&episode, 1), [flag + 3 * NOMINAL]);
    assert_eq!(episode.end.get(), flag + (3 + 6 + 8 + 3) * NOMINAL);
}

#[test]
fn a_receiver_with_an_error_of_its_own_stops_the_fast_sender() {
    // Runs of four. The fifth and sixth zero that it sees are two struck ones.
    let frame = fd_frame(0x555, &[0xC3; 16]);
    let index = data_bit_after(&frame, &[1, 0, 0, 0, 0], 4);
    let (first, second) = (begin_of(&frame, index), begin_of(&frame, index + 1));
    let mut parties = [
        BusParty::sender(frame),
        BusParty::receiver(),
        BusParty::receiver(),
    ];
    let episode = run(
        &fd_timing(),
        FdVariant::Iso,
        &mut parties,
        &mut |moment, strikes| {
            if [first, second].contains(&moment.at.get()) {
                strikes.add(moment, moment.strike_at(Force::Dominant, 1));
            }
        },
    );
    // Receiver 1: stuff error at the second struck bit, flag after it at the nominal rate.
    let flag = second + DATA;
    assert_eq!(flags(&episode, 1), [flag]);
    // The sender's next bit is a one: bit error at once, flag one data bit later.
    assert_eq!(flags(&episode, 0), [flag + DATA]);
    // Receiver 2 saw two ones, then six dominant bits at the data rate.
    assert_eq!(flags(&episode, 2), [flag + 6 * DATA]);
    assert_eq!(
        parties
            .each_ref()
            .map(|party| (party.counters.tec(), party.counters.rec())),
        [(8, 0), (0, 9), (0, 1)],
        "receiver 1 finds the bus dominant after its flag"
    );
    // Receiver 2's flag ends 15 us after receiver 1's began.
    let dominant_until = flag + 6 * DATA + 6 * NOMINAL;
    assert!(episode.end.get() >= dominant_until + 10 * NOMINAL);
    assert!(episode.end.get() <= dominant_until + 12 * NOMINAL);
    assert!(
        parties
            .iter()
            .all(|party| party.lag.is_none_or(|lag| lag.bits == 1))
    );
}

#[test]
fn a_collision_in_the_data_phase_is_an_error_for_all() {
    let (one, other) = (fd_frame(0x555, &[0x66; 16]), fd_frame(0x555, &[0x64; 16]));
    let mut parties = [
        BusParty::sender(one),
        BusParty::sender(other),
        BusParty::receiver(),
    ];
    run_quiet(&fd_timing(), FdVariant::Iso, &mut parties);
    assert_eq!(
        parties
            .each_ref()
            .map(|party| (party.counters.tec(), party.counters.rec())),
        [(8, 0), (8, 0), (0, 1)]
    );
}

#[test]
fn a_wrong_bit_rate_switch_is_noticed() {
    // BRS struck dominant: the sender has a bit error; the receivers stay slow.
    let frame = fd_frame(0x555, &[0x66; 16]);
    let wire = expand(&frame, FdVariant::Iso);
    let index = wire
        .bits()
        .iter()
        .position(|bit| bit.field == Field::BitRateSwitch)
        .unwrap();
    let mut parties = [BusParty::sender(frame), BusParty::receiver()];
    let episode = strike_on(&frame, index, None, &mut parties);
    assert_eq!(flags(&episode, 0), [begin_of(&frame, index) + NOMINAL]);
    // One receiver alone sees it: it reads fast bits slowly and finds an error soon.
    let mut parties = [
        BusParty::sender(frame),
        BusParty::receiver(),
        BusParty::receiver(),
    ];
    strike_on(&frame, index, Some(1), &mut parties);
    assert!(parties[1].counters.rec() > 0 && parties[0].counters.tec() == 8);
}

#[test]
fn a_node_with_another_bit_rate_destroys_frames() {
    let slow = BusParty {
        timing: Some(BitTiming::classic(BitRate::constant(250_000))),
        ..BusParty::receiver()
    };
    let mut parties = [BusParty::sender(plain_frame()), slow];
    let episode = run_quiet(&classic_timing(), FdVariant::Iso, &mut parties);
    assert!(parties[0].counters.tec() > 0, "{:?}", episode.marks);
    assert!(parties[0].transmit.is_some());
}
