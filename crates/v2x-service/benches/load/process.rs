//! The service in a process of its own.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use waywarden_testkit::Random;
use waywarden_v2x_security::time::from_unix;
use waywarden_v2x_service::access::{Access, ClientCredential, Rule};
use waywarden_v2x_service::engine::{Engine, EngineSettings, NoObserver};
use waywarden_v2x_service::server::{Limits, Listeners, Server, Sockets, Stop};
use waywarden_v2x_time::{Reading, TimeSource};
use waywarden_v2x_wire::ieee1609dot2::{Duration as Validity, Time64};

use crate::support::{World, everything};

/// What all certificates come from, in both processes.
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
    fn read(&self) -> Reading {
        Reading {
            time: Self::now(),
            distrust: None,
            position: None,
        }
    }
}

/// Serves at a socket until the process ends.
pub(crate) fn serve(socket: &Path) {
    let materials = world().materials(Validity::Years(1));
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
    let own = Rule {
        client: ClientCredential::Uid(rustix::process::getuid().as_raw()),
        grant: everything(),
    };
    let access = Access::new(vec![own]).unwrap();
    let server = Server::new(
        Arc::new(engine.unwrap()),
        Arc::new(access),
        Limits::default(),
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
    /// Starts it, and waits until it serves.
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("service.socket");
        let own = std::env::current_exe().unwrap();
        let mut command = Command::new(own);
        let command = command.arg("serve").arg(&socket).stdin(Stdio::null());
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

    /// What it has taken of the processors, in seconds.
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
