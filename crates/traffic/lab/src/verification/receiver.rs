//! The messages of one vehicle before one board.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use waywarden_v2x_schedule::{
    Bounds, ClaimedSender, DropCause, Dropped, Ego, Features, Policy, Queue, SAFETY_APPLICATIONS,
};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::BoardProfile;
use super::score::Score;
use crate::message_source::MessageSigner;
use crate::run_log::{MessageVerdict, ReceivedMessage};

/// Begin of a run, in us; it is not 0, so that messages can be older.
const BEGIN_US: u64 = 700_000_000_000_000;

/// A message that arrives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) message: ReceivedMessage,
    pub(crate) features: Features,
    pub(crate) is_honest: bool,
    /// True if its signature is valid.
    pub(crate) is_valid: bool,
    /// Its signer, for messages of a stack.
    pub(crate) signer: Option<MessageSigner>,
}

impl Arrival {
    /// Returns true if it is relevant to an application.
    fn concerns(&self, application: usize) -> bool {
        let range = f64::from(SAFETY_APPLICATIONS[application].range_m);
        self.is_honest && self.message.distance_m <= range
    }

    pub(crate) fn applications(&self) -> impl Iterator<Item = usize> + '_ {
        (0..SAFETY_APPLICATIONS.len()).filter(|at| self.concerns(*at))
    }
}

/// A message whose verification ends.
#[derive(Clone, Copy, Debug)]
struct Ending {
    time_ns: u64,
    number: u64,
    arrival: Arrival,
}

impl PartialEq for Ending {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ending {}

impl PartialOrd for Ending {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ending {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.time_ns, self.number).cmp(&(other.time_ns, other.number))
    }
}

/// Returns a time of a run as messages have it.
pub(crate) fn moment(time_ns: u64) -> Time64 {
    Time64(BEGIN_US + time_ns / 1_000)
}

/// Takes what became of a message, and when that was, in ns.
pub(crate) type Decided<'a> = dyn FnMut(&Arrival, MessageVerdict, u64) + 'a;

/// A vehicle's messages before one board with one policy.
#[derive(Clone, Debug)]
pub(crate) struct Receiver {
    queue: Queue<Arrival>,
    message_ns: u64,
    known_sender_ns: u64,
    /// Senders of which a message was verified.
    known: HashSet<ClaimedSender>,
    /// Certificates that were accepted with a message.
    accepted: HashSet<u64>,
    /// Time at which each core is free, in ns.
    cores: BinaryHeap<Reverse<u64>>,
    running: BinaryHeap<Reverse<Ending>>,
    now_ns: u64,
    begun: u64,
    pub(crate) score: Score,
}

impl Receiver {
    pub(crate) fn new(board: &BoardProfile, policy: Policy) -> Self {
        let bounds = Bounds {
            verification_us: board.message_ns.div_ceil(1_000),
            known_sender_us: board.known_sender_ns.div_ceil(1_000),
            workers: board.cores,
            ..Bounds::DEFAULT
        };
        Self {
            queue: Queue::new(policy, bounds),
            message_ns: board.message_ns,
            known_sender_ns: board.known_sender_ns,
            known: HashSet::new(),
            accepted: HashSet::new(),
            cores: (0..board.cores).map(|_| Reverse(0)).collect(),
            running: BinaryHeap::new(),
            now_ns: 0,
            begun: 0,
            score: Score::default(),
        }
    }

    /// Takes a message that arrives now, at a receiver that is there.
    pub(crate) fn arrive(
        &mut self,
        arrival: Arrival,
        ego: Option<Ego>,
        now_ns: u64,
        decided: &mut Decided<'_>,
    ) {
        self.advance(now_ns, decided);
        self.now_ns = now_ns;
        for application in arrival.applications() {
            self.score.relevant[application] += 1;
        }
        self.score.false_received += u64::from(!arrival.is_honest);
        self.queue.set_ego(ego);
        self.expire(now_ns, decided);
        if arrival.signer.is_some_and(|signer| !signer.is_known) {
            // Without the certificate there is nothing to verify with.
            if arrival.applications().next().is_some() {
                self.score.messages_unknown += 1;
            }
            decided(&arrival, MessageVerdict::UnknownSigner, now_ns);
            return;
        }
        let dropped = self.queue.push(arrival, &arrival.features, moment(now_ns));
        if let Some(Dropped { item, cause }) = dropped {
            self.drop(&item, cause, now_ns, decided);
        }
    }

    /// Verifies what a core is free for before a time.
    pub(crate) fn advance(&mut self, until_ns: u64, decided: &mut Decided<'_>) {
        while !self.queue.is_empty() {
            let free = self.cores.peek().map_or(0, |Reverse(free)| *free);
            let now = free.max(self.now_ns);
            if now >= until_ns {
                break;
            }
            self.end(now, decided);
            self.expire(now, decided);
            let Some(next) = self.queue.pop(moment(now)) else {
                break;
            };
            self.now_ns = now;
            self.begun += 1;
            let is_known = match next.signer {
                Some(signer) => self.accepted.contains(&signer.certificate),
                None => self.known.contains(&next.features.sender),
            };
            let done = now
                + match is_known {
                    true => self.known_sender_ns,
                    false => self.message_ns,
                };
            self.cores.pop();
            self.cores.push(Reverse(done));
            self.running.push(Reverse(Ending {
                time_ns: done,
                number: self.begun,
                arrival: next,
            }));
        }
    }

    /// Verifies all that waits; nothing arrives any more.
    pub(crate) fn finish(mut self, decided: &mut Decided<'_>) -> Score {
        self.advance(u64::MAX, decided);
        self.end(u64::MAX, decided);
        self.score
    }

    /// Ends the verifications that are done.
    fn end(&mut self, now_ns: u64, decided: &mut Decided<'_>) {
        while let Some(Reverse(first)) = self.running.peek()
            && first.time_ns <= now_ns
        {
            let Some(Reverse(Ending {
                time_ns, arrival, ..
            })) = self.running.pop()
            else {
                return;
            };
            let done = moment(time_ns);
            self.queue.learn(&arrival.features, done, arrival.is_valid);
            if arrival.is_valid && self.known_sender_ns != self.message_ns {
                self.known.insert(arrival.features.sender);
            }
            if let Some(signer) = arrival.signer.filter(|_| arrival.is_valid) {
                self.accepted.insert(signer.certificate);
            }
            self.score.false_verified += u64::from(!arrival.is_honest);
            let age_us = (time_ns - arrival.message.made_ns) / 1_000;
            let (mut concerned, mut in_time) = (0, 0);
            for at in arrival.applications() {
                let is_in_time = age_us <= SAFETY_APPLICATIONS[at].latency_us;
                self.score.in_time[at] += u64::from(is_in_time);
                concerned += 1;
                in_time += u32::from(is_in_time);
            }
            let verdict = match concerned {
                0 => MessageVerdict::Irrelevant,
                all if all == in_time => {
                    self.score.messages_in_time += 1;
                    MessageVerdict::InTime
                }
                _ => {
                    self.score.messages_late += 1;
                    MessageVerdict::Late
                }
            };
            decided(&arrival, verdict, time_ns);
        }
    }

    fn expire(&mut self, now_ns: u64, decided: &mut Decided<'_>) {
        while let Some(expired) = self.queue.pop_expired(moment(now_ns)) {
            self.drop(&expired, DropCause::Expired, now_ns, decided);
        }
    }

    fn drop(
        &mut self,
        arrival: &Arrival,
        cause: DropCause,
        now_ns: u64,
        decided: &mut Decided<'_>,
    ) {
        let (count, verdict) = match cause {
            DropCause::Outside => (&mut self.score.messages_skipped, MessageVerdict::Skipped),
            _ => (&mut self.score.messages_dropped, MessageVerdict::Dropped),
        };
        if (0..SAFETY_APPLICATIONS.len()).any(|at| arrival.concerns(at)) {
            *count += 1;
        }
        decided(arrival, verdict, now_ns);
    }
}
