//! Stations of a laboratory in virtual time, and what they send.

use std::fmt::Display;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

use waywarden_v2x_neighbourhood::{
    CertificateForm, CertificateUse, InProcess, Laboratory, SecurityServices, Tickets,
};
use waywarden_v2x_pki::Seeds;
use waywarden_v2x_security::{IncomingMessage, MessageSource, ReceptionContext, Verifier};
use waywarden_v2x_station::{MessageEnvelope, StationMessage};
use waywarden_v2x_time::{TimeReading, TimeSource};
use waywarden_v2x_wire::etsi103097::its_aid;
use waywarden_v2x_wire::ieee1609dot2::{Elevation, Latitude, Longitude, ThreeDLocation, Time64};

use crate::bench::stopwatch::process_time;
use waywarden_command_line::exit::Failure;
use waywarden_pki_folder::random;
use waywarden_v2x_input::time;

/// From message to message: ten a second.
const PERIOD: Duration = Duration::from_millis(100);

/// The time of all sides.
struct VirtualClock(AtomicU64);

impl TimeSource for VirtualClock {
    fn read(&self) -> TimeReading {
        TimeReading {
            time: Time64(self.0.load(Ordering::Relaxed)),
            distrust: None,
            position: None,
            stale_position: None,
        }
    }
}

/// A laboratory, and its time.
pub(super) struct Bench {
    laboratory: Arc<Mutex<Laboratory>>,
    seeds: Seeds,
    clock: Arc<VirtualClock>,
    /// Start of the next tenth of a second; `None` where time is virtual alone.
    due: Option<Instant>,
}

/// A fault of the measurement itself.
pub(super) fn failed(error: impl Display) -> Failure {
    Failure::new(format_args!("the measurement: {error}"))
}

impl Bench {
    pub(super) fn new(is_real_time: bool) -> Result<Self, Failure> {
        let mut seeds = random::seeds()?;
        let laboratory = Laboratory::new(1, 1, *seeds.next()).map_err(failed)?;
        Ok(Self {
            laboratory: Arc::new(Mutex::new(laboratory)),
            seeds,
            clock: Arc::new(VirtualClock(AtomicU64::new(time::now().0))),
            due: is_real_time.then(Instant::now),
        })
    }

    pub(super) fn now(&self) -> Time64 {
        self.clock.read().time
    }

    pub(super) fn clock(&self) -> Arc<dyn TimeSource> {
        Arc::clone(&self.clock) as _
    }

    /// Goes to the next tenth of a second, and waits for it in real time.
    pub(super) fn advance(&mut self) {
        let micros = u64::try_from(PERIOD.as_micros()).unwrap_or(0);
        self.clock.0.fetch_add(micros, Ordering::Relaxed);
        if let Some(due) = &mut self.due {
            *due += PERIOD;
            sleep(due.saturating_duration_since(Instant::now()));
        }
    }

    pub(super) fn verifier(&self) -> Result<Verifier, Failure> {
        let mut verifier = Verifier::default();
        let laboratory = self.laboratory.lock().map_err(failed)?;
        laboratory.teach(&mut verifier, 1).map_err(failed)?;
        Ok(verifier)
    }

    pub(super) fn tickets(&self, form: CertificateForm) -> Tickets {
        Tickets::new(&self.laboratory, 0, form)
    }

    pub(super) fn seed(&mut self) -> [u8; 32] {
        *self.seeds.next()
    }

    /// Makes a station with a certificate of its own.
    pub(super) fn station(&mut self) -> Result<InProcess, Failure> {
        let source = Box::new(self.tickets(CertificateForm::Explicit));
        let (verifier, now, seed) = (self.verifier()?, self.now(), self.seed());
        InProcess::new(CertificateUse::DirectSender, source, verifier, now, seed).map_err(failed)
    }

    /// Has a station sign a CAM of so many bytes; returns it, and the processor time of all
    /// threads.
    pub(super) fn sign(
        &self,
        sender: &mut dyn SecurityServices,
        bytes: u32,
    ) -> Result<(Vec<u8>, Duration), Failure> {
        let (message, now) = (cam(bytes), self.now());
        let begun = process_time();
        let signed = sender.sign(&message, now).map_err(failed)?;
        Ok((signed, process_time().saturating_sub(begun)))
    }

    /// Has a station verify a message; returns the processor time of all threads.
    pub(super) fn verify(
        &self,
        receiver: &mut dyn SecurityServices,
        message: &[u8],
    ) -> Result<Duration, Failure> {
        let received = [IncomingMessage {
            message,
            context: ReceptionContext {
                now: self.now(),
                place: None,
                psid: Some(its_aid::CAM),
                external_data: None,
                data_hash: None,
                source: MessageSource::Radio,
            },
        }];
        let begun = process_time();
        let verdicts = receiver.verify(&received);
        let spent = process_time().saturating_sub(begun);
        match verdicts.iter().find(|verdict| !verdict.is_accepted()) {
            Some(refused) => Err(failed(format_args!(
                "{}: {}",
                refused.name(),
                refused.reason()
            ))),
            None => Ok(spent),
        }
    }
}

/// A CAM of so many bytes. Nothing reads them here.
fn cam(bytes: u32) -> StationMessage {
    StationMessage {
        psid: its_aid::CAM,
        payload: vec![0x2a; bytes as usize],
        location: ThreeDLocation {
            latitude: Latitude(481_370_000),
            longitude: Longitude(115_750_000),
            elevation: Elevation(4_096),
        },
        envelope: MessageEnvelope::wsmp_from([2, 0, 0, 0, 0, 1], its_aid::CAM),
    }
}
