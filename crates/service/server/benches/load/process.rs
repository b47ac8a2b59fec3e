//! The service in a process of its own.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use waywarden_testkit::Random;
use waywarden_v2x_security::time::from_unix;
use waywarden_v2x_service::access::{Access, AccessRule, ClientCredential};
use waywarden_v2x_service::engine::{Engine, EngineSettings, NoObserver};
use waywarden_v2x_service::materials::{Materials, SigningIdentity};
use waywarden_v2x_service::server::{Listeners, ServiceLimits, ServiceServer, Sockets, Stop};
use waywarden_v2x_time::{TimeReading, TimeSource};
use waywarden_v2x_wire::ieee1609dot2::{Duration as Validity, Time64};

use crate::support::{World, everything};

/// Seed of all certificates, in both processes.
const SEED: u64 = 4_604;

/// The world of both processes: the service has the first vehicle's certificate.
pub(crate) fn world() -> World {
    World::of_today(&mut Random::new(SEED))
}

/// The system's clock, trusted.
pub(crate) struct HostClock;

impl HostClock {
    pub(crate) fn now() -> Time64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        from_unix(since.as_micros() as i64).unwrap()
    }
}

impl TimeSource for HostClock {
    fn read(&self) -> TimeReading {
        TimeReading {
            time: Self::now(),
            distrust: None,
            position: None,
            stale_position: None,
        }
    }
}

/// Returns materials with `own` certificates, pseudonyms of one vehicle if there are several.
fn materials(own: usize) -> Materials {
    let mut world = world();
    let mut materials = world.materials(Validity::Years(1));
    for _ in 1..own {
        let (holder, _) = world.vehicle(Validity::Years(1));
        materials.signers.push(SigningIdentity {
            name: "vehicle".to_owned(),
            credential: holder.credential,
            store: Box::new(holder.store),
            psids: None,
            is_pseudonym: true,
        });
    }
    for signer in &mut materials.signers {
        signer.is_pseudonym = own > 1;
    }
    materials
}

/// Serves at a socket, with so many certificates, until the process ends.
pub(crate) fn serve(socket: &Path, own: usize) {
    let materials = materials(own);
    let engine = Engine::start(
        materials,
        EngineSettings::default(),
        Arc::new(HostClock),
        Arc::new(NoObserver),
    );
    let sockets = Sockets {
        stream: Some(socket.to_owned()),
        ..Sockets::default()
    };
    let own = AccessRule {
        client: ClientCredential::Uid(rustix::process::getuid().as_raw()),
        grant: everything(),
    };
    let access = Access::new(vec![own]).unwrap();
    let server = ServiceServer::new(
        Arc::new(engine.unwrap()),
        Arc::new(access),
        ServiceLimits::default(),
    );
    let listeners = Listeners::open(&sockets).unwrap();
    let (_stop, stopped) = Stop::new();
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().unwrap();
    runtime
        .block_on(server.unwrap().serve(listeners, stopped))
        .unwrap();
}

/// A service in another process.
pub(crate) struct Service {
    child: Child,
    folder: tempfile::TempDir,
}

impl Service {
    /// Starts it with a certificate, and waits until it serves.
    pub(crate) fn start() -> Self {
        Self::with_own(1)
    }

    /// Starts it with so many certificates.
    pub(crate) fn with_own(own: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("service.socket");
        let program = std::env::current_exe().unwrap();
        let mut command = Command::new(program);
        let command = command.arg("serve").arg(&socket).arg(own.to_string());
        let command = command.stdin(Stdio::null());
        let child = command.spawn().unwrap();
        let service = Self { child, folder };
        while !socket.exists() {
            thread::sleep(Duration::from_millis(5));
        }
        service
    }

    pub(crate) fn socket(&self) -> std::path::PathBuf {
        self.folder.path().join("service.socket")
    }

    /// Returns the processor time of the service so far, in seconds.
    pub(crate) fn processor_seconds(&self) -> f64 {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        let of_task = |task: std::io::Result<fs::DirEntry>| {
            let text = fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
            text.split_whitespace().next()?.parse::<f64>().ok()
        };
        tasks.filter_map(of_task).sum::<f64>() / 1e9
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
