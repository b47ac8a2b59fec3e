//! Properties that hold in every case, tried by seed.

use waywarden_can::node::BusState;

use super::undisturbed::any_frame;
use super::*;
use crate::confinement::REC_MAX;
use crate::random::Random;

/// A bus with any controllers in any state.
struct BusScenario {
    timing: BitTiming,
    variant: FdVariant,
    parties: Vec<BusParty>,
    random: Random,
}

fn any_scenario(seed: u64) -> BusScenario {
    let mut random = Random::new(seed);
    let timing = if random.below(2) == 0 {
        classic_timing()
    } else {
        fd_timing()
    };
    let variant = [FdVariant::Iso, FdVariant::NonIso][random.below(2) as usize];
    let common = any_frame(&mut random, seed % 4);
    let parties = (0..1 + random.below(5))
        .map(|_| {
            let mut counter = || [0, 0, 90, 120, 127, 130, 250][random.below(7) as usize];
            let mut party =
                BusParty::receiver().with_counters(ErrorCounters::with(counter(), counter()));
            party.transmit = match random.below(6) {
                0 => Some(common),
                1 | 2 => Some(any_frame(&mut random, seed % 4)),
                _ => None,
            };
            party.overload = random.below(12).saturating_sub(9) as u8;
            party.listening = random.below(10) > 0;
            party.suspended = random.below(10) == 0;
            if random.below(10) == 0 {
                let bits = 1 + random.below(u64::from(LAG_BITS_MAX)) as u8;
                party.lag = Some(Lag {
                    bits,
                    role: FrameRole::Receiver,
                });
            }
            party
        })
        .collect();
    BusScenario {
        timing,
        variant,
        parties,
        random,
    }
}

/// Strikes at random, more or less often, on bits or parts of bits, for all or for one.
fn run_scenario(scenario: &mut BusScenario) -> Episode {
    let BusScenario {
        timing,
        variant,
        parties,
        random,
    } = scenario;
    let one_in = [30, 100, 400, 4_000, u64::MAX][random.below(5) as usize];
    let count = parties.len() as u64;
    run(timing, *variant, parties, &mut |moment, strikes| {
        if random.below(one_in) != 0 {
            return;
        }
        let force = [Force::Dominant, Force::Recessive, Force::Flip][random.below(3) as usize];
        let only = (random.below(2) == 0).then(|| random.below(count) as usize);
        let length = [1, 2, 7, 20][random.below(4) as usize];
        let span = (moment.ends - moment.at).get();
        let from = moment.at + Picoseconds::new(span * random.below(4) / 4);
        let until = from + Picoseconds::new(span * length / (1 + random.below(2)));
        strikes.add(
            moment,
            Strike {
                force,
                from,
                until,
                only,
            },
        );
    })
}

fn took_part(party: &BusParty) -> bool {
    party.listening && party.counters.state() != BusState::Off
}

fn count(episode: &Episode, party: usize, wanted: impl Fn(&MarkKind) -> bool) -> usize {
    episode
        .marks
        .iter()
        .filter(|mark| mark.party == party && wanted(&mark.kind))
        .count()
}

fn has_cause(episode: &Episode, party: usize) -> bool {
    count(episode, party, |kind| {
        matches!(kind, MarkKind::Error { .. })
    }) > 0
}

#[test]
fn nothing_leaves_its_range_and_every_episode_ends() {
    for seed in 0..3_000 {
        let mut scenario = any_scenario(seed);
        let before = scenario.parties.clone();
        let episode = run_scenario(&mut scenario);
        assert!(!episode.cut_off, "seed {seed}");
        assert!(
            episode.marks.is_sorted_by_key(|mark| mark.at),
            "seed {seed}"
        );
        for mark in &episode.marks {
            assert!(
                mark.at <= episode.end + scenario.timing.nominal.bit(),
                "seed {seed}: {mark:?}"
            );
            if let MarkKind::Counters { tec, rec } = mark.kind {
                assert!(tec <= 263 && rec <= REC_MAX, "seed {seed}");
            }
        }
        for (at, (party, before)) in scenario.parties.iter().zip(&before).enumerate() {
            let sent = count(&episode, at, |kind| *kind == MarkKind::Sent);
            let still = before.transmit.is_some() && party.transmit.is_some();
            assert_eq!(
                usize::from(before.transmit.is_some()),
                sent + usize::from(still)
            );
            assert!(
                party
                    .lag
                    .is_none_or(|lag| (1..=LAG_BITS_MAX).contains(&lag.bits))
            );
            if !took_part(before) {
                let disturbed = |kind: &MarkKind| matches!(kind, MarkKind::Disturbed { .. });
                assert_eq!(
                    count(&episode, at, |kind| !disturbed(kind)),
                    0,
                    "seed {seed}"
                );
                assert_eq!(party.counters, before.counters);
            }
            let reported = episode.marks.iter().rev().find_map(|mark| match mark.kind {
                MarkKind::Counters { tec, rec } if mark.party == at => Some((tec, rec)),
                _ => None,
            });
            let known = reported.unwrap_or((before.counters.tec(), before.counters.rec()));
            assert_eq!(
                known,
                (party.counters.tec(), party.counters.rec()),
                "seed {seed}"
            );
        }
    }
}

/// Every frame that is sent is received by all who take part, and the other way round; where not,
/// the trace has a cause at the very party it concerns.
#[test]
fn no_frame_is_lost_or_doubled_without_a_cause() {
    let mut seen = [0; 3];
    for seed in 0..3_000 {
        let mut scenario = any_scenario(seed);
        // Lagging and overload are causes of their own.
        for party in &mut scenario.parties {
            (party.lag, party.overload) = (None, 0);
        }
        let before = scenario.parties.clone();
        let episode = run_scenario(&mut scenario);
        let struck_alone = |party: usize| {
            episode.marks.iter().any(|mark| match mark.kind {
                MarkKind::Disturbed { only, .. } => only == Some(party),
                _ => false,
            })
        };
        let struck = |mark: &BitMark| matches!(mark.kind, MarkKind::Disturbed { .. });
        let is_struck = episode.marks.iter().any(struck);
        for (at, party) in before
            .iter()
            .enumerate()
            .filter(|(_, party)| took_part(party))
        {
            let sent = count(&episode, at, |kind| *kind == MarkKind::Sent);
            for (other, receiver) in before.iter().enumerate() {
                if other == at || !took_part(receiver) {
                    continue;
                }
                // Senders of merged frames do not receive them.
                let also_sent = count(&episode, other, |kind| *kind == MarkKind::Sent) > 0;
                let received = count(&episode, other, |kind| match kind {
                    MarkKind::Received(frame) => is_same(frame, party.transmit),
                    _ => false,
                });
                if sent == 1 && received == 0 && !also_sent {
                    assert!(
                        has_cause(&episode, other) || struck_alone(other),
                        "seed {seed}: lost"
                    );
                    seen[0] += 1;
                }
                if sent == 0 && received > 0 {
                    // It will be repeated and so received twice.
                    let cause = has_cause(&episode, at) || struck_alone(at) || is_struck;
                    assert!(cause || before_shares(&before, at), "seed {seed}: doubled");
                    seen[1] += 1;
                }
                if !is_struck && sent == 1 && !also_sent && !has_cause(&episode, other) {
                    assert_eq!(received, 1, "seed {seed}");
                    seen[2] += 1;
                }
            }
        }
    }
    // The seeds do reach these cases.
    assert!(seen.iter().all(|&times| times > 50), "{seen:?}");
}

/// Returns true if another party sends the same frame, so that it is received for that one's sake.
fn before_shares(parties: &[BusParty], at: usize) -> bool {
    let frame = parties[at].transmit;
    parties
        .iter()
        .enumerate()
        .any(|(other, party)| other != at && party.transmit == frame)
}

/// Returns true if a received frame is the one that was to be sent, but for ESI.
fn is_same(received: &Frame, wanted: Option<Frame>) -> bool {
    wanted.is_some_and(|wanted| {
        (received.id(), received.dlc(), received.data())
            == (wanted.id(), wanted.dlc(), wanted.data())
            && received.is_fd() == wanted.is_fd()
    })
}

#[test]
fn the_same_scene_gives_the_same_episode() {
    for seed in 0..100 {
        let (mut one, mut other) = (any_scenario(seed), any_scenario(seed));
        assert_eq!(
            run_scenario(&mut one),
            run_scenario(&mut other),
            "seed {seed}"
        );
        assert_eq!(one.parties, other.parties, "seed {seed}");
    }
}

#[test]
fn a_bus_that_is_stuck_dominant_is_cut_off_and_comes_to_rest() {
    for frame in [Some(plain_frame()), None] {
        let mut parties = vec![BusParty::receiver(); 4];
        parties[0].transmit = frame;
        let episode = run(
            &classic_timing(),
            FdVariant::Iso,
            &mut parties,
            &mut |moment, strikes| {
                strikes.add(moment, moment.strike(Force::Dominant));
            },
        );
        assert!(episode.cut_off);
        let end = episode.end.get() / classic_timing().nominal.bit().get();
        let bound = u64::from(EPISODE_BITS_MAX);
        assert!((bound..bound + 200).contains(&end), "{end}");
        // The sender loses arbitration to the fault with its first recessive bit, so that all are
        // receivers; they become passive and stay.
        assert!(
            parties
                .iter()
                .all(|party| party.counters == ErrorCounters::with(0, REC_MAX))
        );
        // Counting stops at the bounds, and with it the trace, but for one mark a strike.
        let disturbed = |mark: &&BitMark| matches!(mark.kind, MarkKind::Disturbed { .. });
        let strikes = episode.marks.iter().filter(disturbed).count();
        assert!(
            episode.marks.len() - strikes < 400,
            "{}",
            episode.marks.len() - strikes
        );
    }
}

#[test]
fn a_bus_that_is_stuck_recessive_lets_nothing_through() {
    let mut parties = vec![BusParty::receiver(); 3];
    parties[0].transmit = Some(plain_frame());
    let episode = run(
        &classic_timing(),
        FdVariant::Iso,
        &mut parties,
        &mut |moment, strikes| {
            strikes.add(moment, moment.strike(Force::Recessive));
        },
    );
    // Its start of frame is a bit error, and so is the first bit of each flag. The sixteenth error
    // makes it passive and is still signalled by an active flag: one more.
    assert_eq!(parties[0].counters.tec(), 17 * 8);
    assert!(!episode.cut_off && parties[0].transmit.is_some());
    assert!(
        parties[1..]
            .iter()
            .all(|party| party.counters == ErrorCounters::new())
    );
}

/// With strikes that are over, all controllers come back and the frame is sent.
#[test]
fn a_frame_is_sent_in_the_end() {
    for seed in 0..500 {
        let mut scenario = any_scenario(seed);
        scenario.parties.push(BusParty::receiver());
        for party in &mut scenario.parties {
            party.transmit = None;
            party.listening = true;
        }
        let frame = any_frame(&mut scenario.random, seed % 4);
        scenario.parties.push(BusParty::sender(frame));
        run_scenario(&mut scenario);
        let sender = scenario.parties.len() - 1;
        for _ in 0..40 {
            if scenario.parties[sender].transmit.is_none() || !took_part(&scenario.parties[sender])
            {
                break;
            }
            scenario.parties.iter_mut().for_each(|party| party.idle(25));
            run_quiet(&scenario.timing, scenario.variant, &mut scenario.parties);
        }
        let party = &scenario.parties[sender];
        assert!(party.transmit.is_none() || !took_part(party), "seed {seed}");
    }
}
