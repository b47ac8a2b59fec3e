//! Messages verified on all cores: prepared and their signatures verified side by side, committed
//! one after the other.

mod outcomes;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use waywarden_ecverify::SignatureVerifier;
use waywarden_v2x_schedule::{Bounds, Dropped};
use waywarden_v2x_security::{CrlRefusal, Reason, Refusal, Verifier};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use self::outcomes::Outcome;
use super::Shared;
use super::answer::{Answer, Tasks};
use super::batches::BatchUnderWay;
use super::exchange;
use super::expansion::Expansions;
use super::judgement;
use super::known::Known;
use super::learning::{self, Observed};
use super::progress::Progress;
use super::queue::{MessageToVerify, Pending, Unreadable, WaitingMessages, refusal};
use super::settings::VerificationSettings;
use super::start::ServiceStart;
use waywarden_v2x_service_protocol::verdict::{VerdictEvent, Verification as Verdict};
use waywarden_v2x_time::TimeReading;

/// The threads that verify, and what they share.
pub(super) struct Verification {
    shared: Arc<Shared>,
    pub(super) queue: WaitingMessages,
    pub(super) known: Arc<Known>,
    expansions: Expansions,
    start: ServiceStart,
    settings: VerificationSettings,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// Number of accepted messages.
    accepted: AtomicU64,
}

/// Accepted messages between two times at which old messages and revocations are forgotten.
const FORGET_EVERY: u64 = 16_384;

impl Verification {
    /// Starts the threads.
    pub(super) fn start(
        shared: &Arc<Shared>,
        verifier: Verifier,
        settings: VerificationSettings,
    ) -> std::io::Result<Arc<Self>> {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        let settings = VerificationSettings {
            workers: match settings.workers {
                0 => cores(),
                workers => workers.min(1_024),
            },
            batch: settings.batch.clamp(1, 1_024),
            ..settings
        };
        let bounds = Bounds {
            workers: settings.workers as u32,
            ..settings.bounds
        };
        let start = ServiceStart::of(&verifier);
        let known = Arc::new(Known::new(verifier, Arc::clone(&shared.observer)));
        let verification = Arc::new(Self {
            shared: Arc::clone(shared),
            queue: WaitingMessages::new(settings.policy, bounds, settings.gather),
            expansions: Expansions::start(&shared.threads, &known, settings.nice.min(19))?,
            known,
            start,
            settings,
            threads: Mutex::default(),
            accepted: AtomicU64::new(0),
        });
        for number in 0..settings.workers {
            let own = Arc::clone(&verification);
            let progress = shared.threads.add(&format!("verify-{number}"));
            let thread = thread::Builder::new().name(progress.name().to_owned());
            let thread = thread.spawn(move || own.work(&progress));
            match thread {
                Ok(thread) => verification.threads().push(thread),
                Err(error) => {
                    verification.stop();
                    return Err(error);
                }
            }
        }
        Ok(verification)
    }

    fn threads(&self) -> std::sync::MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a message, or says at once why it is not verified.
    pub(super) fn take(&self, pending: Result<Pending, Box<Unreadable>>, now: &TimeReading) {
        match pending {
            Ok(pending) => {
                let dropped = self.queue.push(pending, now);
                self.refuse(dropped);
            }
            Err(unreadable) => {
                let Unreadable {
                    message,
                    received,
                    arrived,
                    error,
                    answer,
                } = *unreadable;
                let verdict = judgement::not_found(&error);
                self.tell((message, received, arrived), &verdict);
                answer.send(Ok(verdict));
            }
        }
    }

    /// Puts another verifier in place, which takes over what was learned from messages and what
    /// lists revoked.
    pub(super) fn replace(&self, verifier: Verifier) -> Result<(), CrlRefusal> {
        let more = self.known.replace(verifier)?;
        if more > 0 {
            tracing::warn!(
                revocations = more,
                "revocations of lists that [trust] crl names no more stay in force until a \
                 restart: name the lists again, or a later full list"
            );
        }
        Ok(())
    }

    /// Verifies what waits, then ends the threads.
    pub(super) fn stop(&self) {
        self.queue.close();
        let threads = std::mem::take(&mut *self.threads());
        for thread in threads {
            let _ = thread.join();
        }
    }

    fn work(&self, progress: &Progress) {
        // Without it the thread still works, and signing waits for its turn longer.
        let _ = rustix::process::nice(i32::from(self.settings.nice.min(19)));
        let mut signatures = SignatureVerifier::with_table_bytes(self.settings.table_memory);
        let share = (self.settings.batch, self.settings.workers);
        let now = || self.shared.time.read().time;
        while let Some(taken) = self.queue.take(share, now) {
            let _busy = progress.begin();
            self.refuse(taken.dropped);
            self.shared.observer.waiting(self.queue.len());
            self.start.observe(&self.shared.time.read(), &self.known);
            self.process(taken.batch, &taken.under_way, &mut signatures);
        }
    }

    fn refuse(&self, dropped: Vec<Dropped<Pending>>) {
        for Dropped { item, cause } in dropped {
            self.shared.statistics.dropped(cause);
            self.shared.observer.dropped(cause);
            item.answer.send(Err(refusal(cause, &self.settings.bounds)));
        }
    }

    fn process(
        &self,
        batch: Vec<Pending>,
        under_way: &BatchUnderWay,
        signatures: &mut SignatureVerifier,
    ) {
        let (batch, answers): (Vec<_>, Vec<_>) = batch.into_iter().map(Pending::split).unzip();
        let outcomes = self.outcomes(&batch, under_way, signatures);
        self.take_note(&outcomes);
        let judged = batch.iter().zip(&outcomes);
        let verdicts: Vec<Verdict> = self.known.read(|verifier, _| {
            let borders = self.settings.payload_check.then(|| verifier.borders());
            let count = |check: &_| {
                self.shared.statistics.payload_checked(check);
                self.shared.observer.payload_checked(check);
            };
            let judge = |one| judgement::of(one, borders, count);
            judged.clone().map(judge).collect()
        });
        let learned = judged.clone().filter_map(learned);
        self.queue.learn(learned);
        let observed = judged.enumerate().filter_map(|(at, (message, outcome))| {
            let received = message.received();
            Observed::of(at, (received.message, message.received), outcome)
        });
        let observed: Vec<Observed<'_>> = observed.collect();
        let exchange = &self.shared.exchange;
        let candidates = learning::hear(&self.known, exchange, &observed);
        // A message that brings a certificate is answered once that is learnt, since the client's
        // next message may need it. The others do not wait for it.
        let mut waits = vec![false; batch.len()];
        for candidate in &candidates {
            waits[candidate.at] = true;
        }
        let all = batch.iter().zip(verdicts).zip(answers).zip(waits);
        let (late, now): (Vec<_>, Vec<_>) = all.partition(|(_, waits)| *waits);
        self.answer(now.into_iter().map(|(judged, _)| judged));
        if !candidates.is_empty() {
            learning::learn(&self.known, exchange, candidates, |jobs, verdicts| {
                self.verify_jobs(signatures, jobs, verdicts);
            });
            self.answer(late.into_iter().map(|(judged, _)| judged));
        }
    }

    fn answer<'b>(&self, judged: impl Iterator<Item = ((&'b MessageToVerify, Verdict), Answer)>) {
        let mut tasks = Tasks::default();
        for ((message, verdict), answer) in judged {
            let came = (
                Arc::clone(&message.message),
                message.received,
                message.arrived,
            );
            self.tell(came, &verdict);
            tasks.add(answer.pass_on(Ok(verdict)));
        }
    }

    /// Does what follows from outcomes beside the answers.
    fn take_note(&self, outcomes: &[Outcome<'_>]) {
        for outcome in outcomes {
            if let Err(refusal) = outcome
                && let Reason::NotExpanded(period) = refusal.reason
            {
                self.expansions.ask(period);
            }
        }
        let accepted = outcomes.iter().filter(|one| one.is_ok()).count() as u64;
        let before = self.accepted.fetch_add(accepted, Ordering::Relaxed);
        // Counted by accepted messages: what this takes grows with what is remembered, and unsigned
        // messages must not cause it.
        if before / FORGET_EVERY != (before + accepted) / FORGET_EVERY {
            self.forget_old();
        }
    }

    /// Forgets what is too old, by a time that is trusted: by a guess that is ahead, revocations
    /// that still matter would be forgotten, and new messages refused as replays.
    fn forget_old(&self) {
        let now = self.shared.time.read();
        if now.distrust.is_none() {
            self.known
                .write(|verifier, _| verifier.forget_old(now.time));
        }
    }

    /// Counts a verdict and sends it to the subscribers.
    fn tell(&self, (message, received, arrived): (Arc<[u8]>, Time64, Instant), verdict: &Verdict) {
        let latency = arrived.elapsed();
        let sequence = self.shared.statistics.verified(verdict.result, latency);
        self.shared.observer.verified(verdict.result, latency);
        if self.shared.events.receiver_count() > 0 {
            // An error means that the last subscriber has gone in between.
            let _ = self.shared.events.send(VerdictEvent {
                sequence,
                received,
                latency,
                message,
                verification: Arc::new(verdict.clone()),
            });
        }
    }
}

/// Returns the queue's knowledge from an outcome; `None` while the certificate is not known.
fn learned<'b>(
    (message, outcome): (&'b MessageToVerify, &Outcome<'_>),
) -> Option<(&'b MessageToVerify, bool)> {
    let lacks = |refusal: &Refusal| exchange::lacks_certificate(refusal.code);
    let is_undecided = outcome.as_ref().is_err_and(lacks);
    (!is_undecided).then_some((message, outcome.is_ok()))
}
