//! Messages verified on all cores: prepared and their signatures verified side by side, committed
//! one after the other.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use waywarden_ecverify::Verifier as SignatureVerifier;
use waywarden_v2x_schedule::{Bounds, Dropped};
use waywarden_v2x_security::{
    CrlRefusal, Lookahead, Reason, Refused, ResultCode, Verifier, verify_in_rounds,
};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::Shared;
use super::answer::Tasks;
use super::exchange;
use super::expansion::Expansions;
use super::judgement;
use super::known::Known;
use super::progress::Progress;
use super::queue::{Pending, Unreadable, WaitingMessages, refusal};
use super::settings::VerificationSettings;
use super::start::ServiceStart;
use waywarden_v2x_service_protocol::verdict::{VerdictEvent, Verification as Verdict};
use waywarden_v2x_time::Reading;

/// The threads that verify, and what they share.
pub(super) struct Verification {
    shared: Arc<Shared>,
    pub(super) queue: WaitingMessages,
    pub(super) known: Arc<Known>,
    expansions: Expansions,
    start: ServiceStart,
    settings: VerificationSettings,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// How many messages come between two times at which what is too old is forgotten.
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
        let known = Arc::new(Known::new(verifier));
        let verification = Arc::new(Self {
            shared: Arc::clone(shared),
            queue: WaitingMessages::new(settings.policy, bounds, settings.gather),
            expansions: Expansions::start(&shared.threads, &known, settings.nice.min(19))?,
            known,
            start,
            settings,
            threads: Mutex::default(),
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
    pub(super) fn take(&self, pending: Result<Pending, Box<Unreadable>>, now: &Reading) {
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
        let mut signatures = SignatureVerifier::new(self.settings.table_memory);
        let share = (self.settings.batch, self.settings.workers);
        let now = || self.shared.time.read().time;
        while let Some((batch, dropped)) = self.queue.take(share, now) {
            let _busy = progress.begin();
            self.refuse(dropped);
            self.shared.observer.waiting(self.queue.len());
            self.start.observe(&self.shared.time.read(), &self.known);
            self.process(batch, &mut signatures);
        }
    }

    fn refuse(&self, dropped: Vec<Dropped<Pending>>) {
        for Dropped { item, cause } in dropped {
            self.shared.statistics.dropped(cause);
            self.shared.observer.dropped(cause);
            item.answer.send(Err(refusal(cause)));
        }
    }

    fn process(&self, batch: Vec<Pending>, signatures: &mut SignatureVerifier) {
        let verdicts = self.verdicts(&batch, signatures);
        let learned = batch.iter().zip(&verdicts).filter_map(learned);
        self.queue.learn(learned);
        let mut tasks = Tasks::default();
        for (pending, verdict) in batch.into_iter().zip(verdicts) {
            let came = (pending.message, pending.received, pending.arrived);
            self.tell(came, &verdict);
            tasks.add(pending.answer.pass_on(Ok(verdict)));
        }
    }

    fn verdicts(&self, batch: &[Pending], signatures: &mut SignatureVerifier) -> Vec<Verdict> {
        loop {
            let (mut ahead, looked) = self.look_ahead(batch);
            verify(&mut ahead, signatures);
            if ahead.iter().any(Lookahead::is_refused) && self.look_ahead_again(&mut ahead, looked)
            {
                verify(&mut ahead, signatures);
            }
            let judged = self.known.write(|verifier, generation| {
                // What was looked ahead with another verifier says nothing of this one.
                (generation == looked).then(|| {
                    let judge = |(one, pending)| self.judge(verifier, one, pending);
                    ahead.into_iter().zip(batch).map(judge).collect()
                })
            });
            if let Some(verdicts) = judged {
                return verdicts;
            }
        }
    }

    fn judge<'b>(
        &self,
        verifier: &mut Verifier,
        ahead: Lookahead<'b, 'static>,
        pending: &'b Pending,
    ) -> Verdict {
        let exchange = &self.shared.exchange;
        let (message, received) = (pending.received().message, pending.received);
        let refusal = match verifier.verify_ahead(ahead) {
            Ok(accepted) => {
                if exchange::is_concerned(&accepted) {
                    exchange.observe(verifier, message, Ok(&accepted), received);
                }
                return judgement::accepted(&accepted);
            }
            Err(Refused { refusal, .. }) => refusal,
        };
        if exchange::lacks_certificate(refusal.code) {
            exchange.observe(verifier, message, Err(&refusal), received);
        }
        if let Reason::NotExpanded(period) = refusal.reason {
            self.expansions.ask(period);
        }
        judgement::refused(message, &refusal)
    }

    fn look_ahead<'b>(&self, batch: &'b [Pending]) -> (Vec<Lookahead<'b, 'static>>, u64) {
        self.known.read(|verifier, generation| {
            let look = |one: &'b Pending| verifier.look_ahead(one.received(), false);
            (batch.iter().map(look).collect(), generation)
        })
    }

    fn look_ahead_again(&self, ahead: &mut [Lookahead<'_, '_>], looked: u64) -> bool {
        self.known
            .read(|verifier, generation| generation == looked && verifier.look_ahead_again(ahead))
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

    /// Counts a verdict and sends it to who subscribes.
    fn tell(&self, (message, received, arrived): (Arc<[u8]>, Time64, Instant), verdict: &Verdict) {
        let latency = arrived.elapsed();
        let sequence = self.shared.statistics.verified(verdict.result, latency);
        self.shared.observer.verified(verdict.result, latency);
        if sequence % FORGET_EVERY == FORGET_EVERY - 1 {
            self.forget_old();
        }
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

/// What the queue learns from a verdict; nothing from a message whose certificate is not known yet.
fn learned<'b>((pending, verdict): (&'b Pending, &Verdict)) -> Option<(&'b Pending, bool)> {
    let is_valid = verdict.result == ResultCode::Success;
    (!exchange::lacks_certificate(verdict.result)).then_some((pending, is_valid))
}

fn verify(ahead: &mut [Lookahead<'_, '_>], signatures: &mut SignatureVerifier) {
    verify_in_rounds(ahead, |jobs, verdicts| {
        signatures.verify_many(jobs, verdicts);
    });
}
