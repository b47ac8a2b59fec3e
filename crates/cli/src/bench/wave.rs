//! A CAM signed and verified as \[WAVE-SEC §5.2\] has it, on this machine: by the library in this
//! process, and by the security service over its socket. Virtual time goes on by 100 ms a message.
//! The times are those that pass, for the service has threads of its own.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use waywarden_papers::wave::{CAM_BYTES, Operation, Path, Quantity};
use waywarden_v2x_keys::SoftwareStore;
use waywarden_v2x_neighbourhood::{
    CertificateForm, IdentitySource as _, InProcess, Laboratory, Role, SecurityServices, Tickets,
};
use waywarden_v2x_pki::Seeds;
use waywarden_v2x_security::{Received, ReceptionContext, Source, Verifier};
use waywarden_v2x_service::access::{Access, ClientCredential, Grant, Rule};
use waywarden_v2x_service::engine::{Engine, EngineSettings, Unobserved};
use waywarden_v2x_service::materials::{Decryption, Materials, SigningIdentity};
use waywarden_v2x_service::server::{Limits, Listeners, Server, Sockets, Stop};
use waywarden_v2x_service::time::{Reading, TimeSource};
use waywarden_v2x_signing::DecryptionKeys;
use waywarden_v2x_station::{Envelope, Message};
use waywarden_v2x_wire::etsi103097::its_aid;
use waywarden_v2x_wire::ieee1609dot2::{Elevation, Latitude, Longitude, ThreeDLocation, Time64};

use crate::exit::Failure;
use crate::random;
use crate::station::service::ServiceSecurity;
use crate::v2x::time;

/// From message to message: ten a second.
const PERIOD_US: u64 = 100_000;
/// One new station for so many messages.
const MESSAGES_PER_STATION: u32 = 10;

/// What was measured, as means.
pub(crate) type Measured = Vec<(Quantity, Duration)>;

/// Measures so many messages of each length, by the library and by the service.
///
/// # Errors
/// If the operating system gives no randomness, folder, socket or thread.
pub(crate) fn measure(messages: u32) -> Result<Measured, Failure> {
    let mut bench = Bench::new(messages)?;
    let mut measured = Vec::new();
    for bytes in CAM_BYTES {
        bench.library(bytes, &mut measured)?;
        bench.service(bytes, &mut measured)?;
    }
    Ok(measured)
}

/// The time of both sides.
struct VirtualClock(AtomicU64);

impl TimeSource for VirtualClock {
    fn read(&self) -> Reading {
        Reading {
            time: Time64(self.0.load(Ordering::Relaxed)),
            distrust: None,
            position: None,
        }
    }
}

struct Bench {
    messages: u32,
    laboratory: Arc<Mutex<Laboratory>>,
    seeds: Seeds,
    clock: Arc<VirtualClock>,
}

/// A message that was signed, and when.
struct Signed {
    bytes: Vec<u8>,
    time: Time64,
}

fn failed(error: impl Display) -> Failure {
    Failure::new(format_args!("the measurement: {error}"))
}

impl Bench {
    fn new(messages: u32) -> Result<Self, Failure> {
        let mut seeds = random::seeds()?;
        let laboratory = Laboratory::new(1, 1, *seeds.next()).map_err(failed)?;
        Ok(Self {
            messages,
            laboratory: Arc::new(Mutex::new(laboratory)),
            seeds,
            clock: Arc::new(VirtualClock(AtomicU64::new(time::now().0))),
        })
    }

    /// The next tenth of a second.
    fn next(&self) -> Time64 {
        Time64(self.clock.0.fetch_add(PERIOD_US, Ordering::Relaxed) + PERIOD_US)
    }

    fn verifier(&self) -> Result<Verifier, Failure> {
        let mut verifier = Verifier::default();
        let laboratory = self.laboratory.lock().map_err(failed)?;
        laboratory.teach(&mut verifier, 1).map_err(failed)?;
        Ok(verifier)
    }

    fn tickets(&self) -> Tickets {
        Tickets::new(&self.laboratory, 0, CertificateForm::Explicit)
    }

    fn station(&mut self) -> Result<InProcess, Failure> {
        let (tickets, verifier) = (self.tickets(), self.verifier()?);
        let now = self.clock.read().time;
        let source = Box::new(tickets);
        InProcess::new(
            Role::DirectSender,
            source,
            verifier,
            now,
            *self.seeds.next(),
        )
        .map_err(failed)
    }

    fn library(&mut self, bytes: u32, measured: &mut Measured) -> Result<(), Failure> {
        let (mut sender, mut receiver) = (self.station()?, self.station()?);
        let (time, signed) = self.sign(&mut sender, bytes)?;
        let known = verify(&mut receiver, &self.clock, &signed)?;
        let new = self.new_stations(bytes)?;
        let unknown = verify(&mut receiver, &self.clock, &new)?;
        add(measured, Path::Library, bytes, [time, known, unknown]);
        Ok(())
    }

    fn service(&mut self, bytes: u32, measured: &mut Measured) -> Result<(), Failure> {
        let mut sender = self.station()?;
        let running = Running::start(self)?;
        let mut service = ServiceSecurity::new(running.socket());
        let (time, _) = self.sign(&mut service, bytes)?;
        let (_, signed) = self.sign(&mut sender, bytes)?;
        let known = verify(&mut service, &self.clock, &signed)?;
        let new = self.new_stations(bytes)?;
        let unknown = verify(&mut service, &self.clock, &new)?;
        add(measured, Path::Service, bytes, [time, known, unknown]);
        Ok(())
    }

    /// Signs messages one after the other; returns the mean time.
    fn sign(
        &mut self,
        sender: &mut dyn SecurityServices,
        bytes: u32,
    ) -> Result<(Duration, Vec<Signed>), Failure> {
        let message = cam(bytes);
        let mut all = Vec::new();
        let mut spent = Duration::ZERO;
        for _ in 0..self.messages {
            let time = self.next();
            let begun = Instant::now();
            let bytes = sender.sign(&message, time).map_err(failed)?;
            spent += begun.elapsed();
            all.push(Signed { bytes, time });
        }
        Ok((spent / self.messages.max(1), all))
    }

    /// The first messages of stations, each with its certificate.
    fn new_stations(&mut self, bytes: u32) -> Result<Vec<Signed>, Failure> {
        let message = cam(bytes);
        let stations = (self.messages / MESSAGES_PER_STATION).max(1);
        let signed = (0..stations).map(|_| {
            let mut station = self.station()?;
            let time = self.next();
            let bytes = station.sign(&message, time).map_err(failed)?;
            Ok(Signed { bytes, time })
        });
        signed.collect()
    }
}

/// Verifies messages one by one, each when it was made; returns the mean time.
fn verify(
    receiver: &mut dyn SecurityServices,
    clock: &VirtualClock,
    messages: &[Signed],
) -> Result<Duration, Failure> {
    let end = clock.read().time;
    let mut spent = Duration::ZERO;
    for Signed { bytes, time } in messages {
        clock.0.store(time.0, Ordering::Relaxed);
        let received = [Received {
            message: bytes,
            context: ReceptionContext {
                now: *time,
                place: None,
                psid: Some(its_aid::CAM),
                external_data: None,
                source: Source::Radio,
            },
        }];
        let begun = Instant::now();
        let verdicts = receiver.verify(&received);
        spent += begun.elapsed();
        if let Some(refused) = verdicts.iter().find(|verdict| !verdict.is_accepted()) {
            return Err(failed(format_args!("{refused:?}")));
        }
    }
    clock.0.store(end.0, Ordering::Relaxed);
    let count = u32::try_from(messages.len()).unwrap_or(u32::MAX).max(1);
    Ok(spent / count)
}

fn add(measured: &mut Measured, path: Path, bytes: u32, times: [Duration; 3]) {
    for (operation, time) in Operation::ALL.into_iter().zip(times) {
        let quantity = Quantity {
            operation,
            path,
            bytes,
        };
        measured.push((quantity, time));
    }
}

/// A CAM of so many bytes. Nothing reads them here.
fn cam(bytes: u32) -> Message {
    Message {
        psid: its_aid::CAM,
        payload: vec![0x2a; bytes as usize],
        location: ThreeDLocation {
            latitude: Latitude(481_370_000),
            longitude: Longitude(115_750_000),
            elevation: Elevation(4_096),
        },
        envelope: Envelope::wsmp_from([2, 0, 0, 0, 0, 1], its_aid::CAM),
    }
}

/// The service, on threads of this process.
struct Running {
    folder: tempfile::TempDir,
    stop: Option<Stop>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Running {
    fn start(bench: &mut Bench) -> Result<Self, Failure> {
        let now = bench.clock.read().time;
        let identity = bench.tickets().next(now).map_err(failed)?;
        let materials = Materials {
            verifier: bench.verifier()?,
            is_trust_configured: true,
            signers: vec![SigningIdentity {
                name: "station".to_owned(),
                credential: identity.credential,
                store: identity.store,
                psids: None,
            }],
            decryption: Decryption {
                keys: DecryptionKeys::new(),
                store: Box::new(SoftwareStore::<1>::new()),
            },
        };
        let clock: Arc<dyn TimeSource> = Arc::clone(&bench.clock) as _;
        let settings = EngineSettings::default();
        let engine = Engine::start(materials, settings, clock, Arc::new(Unobserved));
        let own = Rule {
            client: ClientCredential::Uid(rustix::process::getuid().as_raw()),
            grant: Grant {
                sign: BTreeSet::from([its_aid::CAM]),
                decrypt: false,
            },
        };
        let access = Access::new(vec![own]).map_err(failed)?;
        let engine = Arc::new(engine.map_err(failed)?);
        let server = Server::new(engine, Arc::new(access), Limits::default()).map_err(failed)?;
        let folder = tempfile::tempdir().map_err(failed)?;
        let (stop, stopped) = Stop::new();
        let mut running = Self {
            folder,
            stop: Some(stop),
            thread: None,
        };
        let sockets = Sockets {
            stream: Some(running.socket()),
            ..Sockets::default()
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(failed)?;
        let listeners = {
            let _inside = runtime.enter();
            Listeners::open(&sockets).map_err(failed)?
        };
        let serve = move || {
            // What ends it early shows at the next message.
            let _ = runtime.block_on(server.serve(listeners, stopped));
        };
        let thread = std::thread::Builder::new().spawn(serve).map_err(failed)?;
        running.thread = Some(thread);
        Ok(running)
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("service.socket")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // It has answered what was under way.
            let _ = thread.join();
        }
    }
}
