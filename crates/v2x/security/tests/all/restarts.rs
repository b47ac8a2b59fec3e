//! Messages that come again after the receiver has started again, with nothing in its memory.

use std::collections::BTreeSet;
use std::time::Duration;

use waywarden_testkit::{Random, each_seed};
use waywarden_testkit_v2x::world::{MessageContents, Named, now};
use waywarden_v2x_security::ResultCode::{
    RelevanceGenerationTimeTooFarInPast, RelevanceReplayedSpdu,
};
use waywarden_v2x_security::{
    CLOCK_TOLERANCE_US, Profiles, ReceptionContext, SecurityProfile, StartTime, Verifier,
};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use crate::forgeries::build::{HERE, Pki, above_ground};

const SECOND: i64 = 1_000_000;
/// Most that clocks of senders are ahead, and that of the receiver is behind after a restart.
const AHEAD: i64 = 2 * SECOND;
const TOLERANCE: i64 = CLOCK_TOLERANCE_US as i64;

fn time(after_us: i64) -> Time64 {
    Time64(now().0.saturating_add_signed(after_us))
}

fn message(psid: u64, made_us: i64, payload: &[u8]) -> MessageContents<'_> {
    MessageContents {
        psid,
        made: Some(time(made_us)),
        place: above_ground(HERE).filter(|_| psid == 37),
        payload,
        ..MessageContents::new()
    }
}

/// A receiver that starts, without memory.
fn started(pki: &Pki, start_us: i64) -> Verifier {
    let mut verifier = pki.knowing();
    verifier.set_start(Some(time(start_us)));
    verifier
}

#[test]
fn message_of_before_the_start_is_refused_as_a_replay_by_every_application_that_detects_them() {
    let pki = Pki::plain();
    for psid in [32, 36, 37, 135] {
        let first = message(psid, 0, b"first").sign(pki.station());
        let mut before = pki.knowing();
        before
            .verify(&first, &ReceptionContext::at(time(0)))
            .unwrap();
        // Killed and started in a tenth of a second.
        let mut after = started(&pki, 100_000);
        let again = after.verify(&first, &ReceptionContext::at(time(150_000)));
        let refusal = again.unwrap_err();
        assert_eq!(refusal.code, RelevanceReplayedSpdu, "{psid}");
        assert!(
            refusal.to_string().contains("before this receiver started"),
            "{refusal}"
        );
        // The sender's clock was as far ahead as the profile has it.
        let ahead = message(psid, AHEAD, b"ahead").sign(pki.station());
        before
            .verify(&ahead, &ReceptionContext::at(time(0)))
            .unwrap();
        for wait in [200_000, SECOND, AHEAD] {
            let again = after.verify(&ahead, &ReceptionContext::at(time(wait)));
            assert_eq!(again.unwrap_err().code, RelevanceReplayedSpdu, "{psid}");
        }
        // The first one that no process before can have had is accepted, once.
        let made = 100_000 + AHEAD + TOLERANCE;
        let last = message(psid, made, b"last").sign(pki.station());
        let next = message(psid, made + 1, b"next").sign(pki.station());
        let context = ReceptionContext::at(time(made + 1));
        assert_eq!(
            after.verify(&last, &context).unwrap_err().code,
            RelevanceReplayedSpdu
        );
        after.verify(&next, &context).unwrap();
        let again = after.verify(&next, &context).unwrap_err();
        assert_eq!(again.code, RelevanceReplayedSpdu);
        assert!(again.to_string().contains("it came before"), "{again}");
    }
}

#[test]
fn start_of_a_receiver_stays_with_its_memory_at_a_reload_and_recordings_have_none() {
    let pki = Pki::plain();
    let old = message(32, -SECOND, b"old").sign(pki.station());
    let context = ReceptionContext::at(time(SECOND));
    let before = started(&pki, 0);
    let mut reloaded = pki.knowing();
    reloaded.take_over(before);
    assert_eq!(reloaded.start(), Some(time(0)));
    let refused = reloaded.verify(&old, &context).unwrap_err();
    assert_eq!(refused.code, RelevanceReplayedSpdu);
    // `verify` of a recording.
    assert_eq!(pki.knowing().start(), None);
    pki.knowing().verify(&old, &context).unwrap();
}

#[test]
fn certificates_of_messages_of_before_the_start_are_known_after_it() {
    let pki = Pki::plain();
    let mut verifier = started(&pki, 0);
    let old = message(32, SECOND, b"old").sign(pki.station());
    let context = ReceptionContext::at(time(SECOND));
    let refused = verifier.verify(&old, &context).unwrap_err();
    assert_eq!(refused.code, RelevanceReplayedSpdu);
    // A forged one teaches nothing, and is refused for its signature.
    let mut forged = old.clone();
    *forged.last_mut().unwrap() ^= 1;
    let mut other = started(&pki, 0);
    assert!(other.verify(&forged, &context).is_err());
    assert!(other.store().find(pki.station().id()).is_none());
    let by_digest = MessageContents {
        named: Named::Digest,
        ..message(32, 3 * SECOND, b"new")
    };
    let context = ReceptionContext::at(time(3 * SECOND));
    let by_digest = by_digest.sign(pki.station());
    verifier.verify(&by_digest, &context).unwrap();
}

#[test]
fn start_that_moves_between_the_phases_of_verification_is_found_by_the_second_one() {
    let pki = Pki::plain();
    let bytes = message(32, 0, b"late").sign(pki.station());
    let mut verifier = pki.knowing();
    let context = ReceptionContext::at(time(0));
    let mut prepared = verifier.prepare(&bytes, &context).unwrap();
    while let Some(job) = prepared.job() {
        let verdict = waywarden_ecverify::verify(&job).into();
        prepared.record(verdict).unwrap();
    }
    verifier.set_start(Some(time(0)));
    let refused = verifier.commit(prepared).unwrap_err();
    assert_eq!(refused.code, RelevanceReplayedSpdu);
}

#[test]
fn older_than_the_application_takes_is_too_old_and_no_replay() {
    let pki = Pki::plain();
    let bytes = message(36, 0, b"old").sign(pki.station());
    let mut verifier = started(&pki, SECOND);
    let refused = verifier.verify(&bytes, &ReceptionContext::at(time(3 * SECOND)));
    assert_eq!(
        refused.unwrap_err().code,
        RelevanceGenerationTimeTooFarInPast
    );
}

#[test]
fn application_without_replay_detection_or_without_a_bound_ahead_keeps_what_it_has() {
    let pki = Pki::plain();
    let bytes = message(135, -SECOND, b"old").sign(pki.station());
    let context = ReceptionContext::at(time(0));
    let with = |profile| {
        let mut verifier = started(&pki, 0).with_profiles(Profiles::all(profile));
        verifier
            .verify(&bytes, &context)
            .map(drop)
            .map_err(|refusal| refusal.code)
    };
    let unchecked = SecurityProfile {
        checks_replay: false,
        ..SecurityProfile::DEFAULT
    };
    assert_eq!(with(unchecked), Ok(()));
    let unbounded = SecurityProfile {
        future: None,
        ..SecurityProfile::DEFAULT
    };
    assert_eq!(with(unbounded), Err(RelevanceReplayedSpdu));
}

/// A receiver's clock at a start.
#[derive(Clone, Copy, Debug)]
enum Clock {
    /// Right, and trusted from the first reading on.
    Trusted,
    /// A guess that is ahead by so much, until the time is trusted.
    Guess { ahead: i64, trusted_after: i64 },
    /// Trusted and behind by so much, until it is set; nothing is heard before.
    Set { behind: i64, after: i64 },
}

/// A run of a receiver, from a start to the next one.
struct Run {
    verifier: Verifier,
    start: StartTime,
    begun: i64,
    clock: Clock,
    /// Difference of its clock from the truth, positive if later.
    error: i64,
}

impl Run {
    fn begin(pki: &Pki, random: &mut Random, begun: i64) -> Self {
        let clock = match random.below(4) {
            0 => Clock::Guess {
                ahead: random.below(100) as i64 * SECOND,
                trusted_after: random.below(20) as i64 * SECOND,
            },
            1 => Clock::Set {
                behind: random.below(3_600) as i64 * SECOND,
                after: random.below(10) as i64 * SECOND,
            },
            _ => Clock::Trusted,
        };
        // A trusted clock goes back by at most 200 ms over a restart.
        let error = random.below(200_001) as i64;
        let mut run = Self {
            verifier: pki.knowing(),
            start: StartTime::new(time(0)),
            begun,
            clock,
            error,
        };
        let (guess, _) = run.read(begun);
        run.start = StartTime::new(guess);
        run.verifier.set_start(Some(guess));
        run
    }

    /// Reads the clock; with whether it is trusted.
    fn read(&self, truth: i64) -> (Time64, bool) {
        let since = truth - self.begun;
        let right = truth + self.error;
        match self.clock {
            Clock::Guess {
                ahead,
                trusted_after,
            } if since < trusted_after => (time(right + ahead), false),
            Clock::Set { behind, after } if since < after => (time(right - behind), true),
            _ => (time(right), true),
        }
    }

    /// True if nothing is heard yet: a clock that is trusted and wrong is beyond what a receiver
    /// can find.
    fn is_deaf(&self, truth: i64) -> bool {
        matches!(self.clock, Clock::Set { after, .. } if truth - self.begun < after)
    }

    /// Verifies a message; returns whether it is accepted.
    fn hear(&mut self, bytes: &[u8], truth: i64) -> bool {
        let (now, is_trusted) = self.read(truth);
        let elapsed = Duration::from_micros((truth - self.begun) as u64);
        if let Some(start) = self.start.observe(elapsed, now, is_trusted) {
            self.verifier.set_start(Some(start));
        }
        let context = ReceptionContext::at(now);
        !self.is_deaf(truth) && self.verifier.verify(bytes, &context).is_ok()
    }
}

/// A history of a receiver that starts again and again, while an attacker repeats what was on the
/// air. Returns how many honest messages were accepted, and how many were sent.
fn history(pki: &Pki, seed: u64) -> (usize, usize) {
    let mut random = Random::new(seed);
    let mut truth = 0;
    let mut run = Run::begin(pki, &mut random, truth);
    let mut sent: Vec<Vec<u8>> = Vec::new();
    let mut accepted = BTreeSet::new();
    let mut honest = (0, 0);
    for number in 0..60_u8 {
        truth += random.below(700_000) as i64;
        if random.once_in(12) {
            truth += random.below(1_000_000) as i64;
            // The clock before and after: the reading at the start is fed at once.
            run = Run::begin(pki, &mut random, truth);
        }
        // A sender whose clock is off by as much as receivers bear, or right.
        let offset = match random.below(3) {
            0 => AHEAD - random.below(2) as i64 * random.below(AHEAD as u64) as i64,
            1 => -(random.below(SECOND as u64) as i64),
            _ => 0,
        };
        let psid = [32, 36, 37, 135][random.index(4)];
        sent.push(message(psid, truth + offset, &[number]).sign(pki.station()));
        honest.1 += 1;
        if run.hear(&sent[usize::from(number)], truth) {
            accepted.insert(usize::from(number));
            honest.0 += 1;
        }
        for _ in 0..random.below(4) {
            truth += random.below(50_000) as i64;
            // Most often one of the newest.
            let newest = sent.len().saturating_sub(random.index(12) + 1);
            let old = [newest, random.index(sent.len())][random.index(2)];
            if run.hear(&sent[old], truth) {
                assert!(
                    accepted.insert(old),
                    "message {old} is accepted again at {truth}"
                );
            }
        }
    }
    honest
}

#[test]
fn no_message_is_accepted_twice_over_restarts_whatever_clocks_do() {
    let pki = Pki::plain();
    let honest = each_seed(40, |seed| history(&pki, seed));
    let count = |(some, all): (usize, usize), (more, of)| (some + more, all + of);
    let (accepted, sent) = honest.into_iter().fold((0, 0), count);
    assert!(
        accepted * 5 > sent * 2,
        "{accepted} of {sent} honest messages are accepted"
    );
}
