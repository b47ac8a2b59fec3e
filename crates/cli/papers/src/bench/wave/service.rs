//! The security service in this process, behind its socket.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use waywarden_v2x_keys::SoftwareStore;
use waywarden_v2x_neighbourhood::{CertificateForm, IdentitySource as _};
use waywarden_v2x_service::access::{Access, AccessRule, ClientCredential, Grant};
use waywarden_v2x_service::engine::{Engine, EngineSettings, NoObserver};
use waywarden_v2x_service::materials::{Decryption, Materials, SigningIdentity};
use waywarden_v2x_service::server::{Listeners, ServiceLimits, ServiceServer, Sockets, Stop};
use waywarden_v2x_signing::DecryptionKeys;
use waywarden_v2x_wire::etsi103097::its_aid;

use super::laboratory::{Bench, failed};
use waywarden_command_line::exit::Failure;

/// The service, on threads of this process.
pub(super) struct Running {
    folder: tempfile::TempDir,
    stop: Option<Stop>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Running {
    pub(super) fn start(bench: &Bench) -> Result<Self, Failure> {
        let now = bench.now();
        let identity = bench
            .tickets(CertificateForm::Explicit)
            .next(now)
            .map_err(failed)?;
        let materials = Materials {
            verifier: bench.verifier()?,
            is_trust_configured: true,
            signers: vec![SigningIdentity {
                name: "station".to_owned(),
                credential: identity.credential,
                store: identity.store,
                psids: None,
                is_pseudonym: false,
            }],
            used: None,
            decryption: Decryption {
                keys: DecryptionKeys::new(),
                store: Box::new(SoftwareStore::<1>::new()),
            },
        };
        let clock = bench.clock();
        let settings = EngineSettings::default();
        let engine = Engine::start(materials, settings, clock, Arc::new(NoObserver));
        let own = AccessRule {
            client: ClientCredential::Uid(rustix::process::getuid().as_raw()),
            grant: Grant {
                sign: BTreeSet::from([its_aid::CAM]),
                decrypt: false,
            },
        };
        let access = Access::new(vec![own]).map_err(failed)?;
        let engine = Arc::new(engine.map_err(failed)?);
        let server = ServiceServer::new(engine, Arc::new(access), ServiceLimits::default())
            .map_err(failed)?;
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

    pub(super) fn socket(&self) -> PathBuf {
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
