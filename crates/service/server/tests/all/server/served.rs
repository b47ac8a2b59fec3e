//! A server with a service that echoes, on a thread of its own.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::sync::broadcast;
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_service::access::{Access, AccessRule, Grant};
use waywarden_v2x_service::server::{
    Listeners, ServerStatistics, ServiceLimits, ServiceServer, Sockets, Stop,
};
use waywarden_v2x_service::service::{Reply, Service};
use waywarden_v2x_service_protocol::verdict::{Report, VerdictEvent, Verification};
use waywarden_v2x_service_protocol::{Request, RequestedOperation, ResponseBody};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::client::Client;

/// Longest wait of a test: much longer than a busy machine takes.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// Prefix of a message to verify whose answer is held back until it is released.
pub(super) const HOLD: &[u8] = b"hold";
/// A message to verify that makes [`BURST_EVENTS`] events at once.
pub(super) const BURST: &[u8] = b"burst";
pub(super) const BURST_EVENTS: u64 = 20;
/// Most events that wait for a subscriber.
pub(super) const EVENTS_WAITING: u64 = 4;

/// A service that answers with what it is asked.
pub(super) struct Echo {
    submitted: AtomicU64,
    held: Mutex<Vec<(Reply, Vec<u8>)>>,
    events: broadcast::Sender<VerdictEvent>,
}

impl Echo {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            submitted: AtomicU64::new(0),
            held: Mutex::default(),
            events: broadcast::channel(EVENTS_WAITING as usize).0,
        })
    }

    pub(super) fn submitted(&self) -> u64 {
        self.submitted.load(Ordering::SeqCst)
    }

    /// Returns the number of answers that are held back.
    pub(super) fn held(&self) -> usize {
        self.held.lock().unwrap().len()
    }

    /// Returns true if the answers that are held back are still of use to their clients.
    pub(super) fn is_wanted(&self) -> bool {
        let held = self.held.lock().unwrap();
        held.iter().all(|(reply, _)| reply.is_wanted())
    }

    /// Answers what was held back, from this thread, and returns how many answers those are.
    pub(super) fn release(&self) -> usize {
        let held = std::mem::take(&mut *self.held.lock().unwrap());
        let count = held.len();
        for (reply, message) in held {
            reply.send(Ok(verified(message)));
        }
        count
    }

    pub(super) fn publish(&self, sequence: u64) {
        let event = VerdictEvent {
            sequence,
            received: Time64(0),
            latency: Duration::ZERO,
            message: Arc::from(&b"heard"[..]),
            verification: Arc::new(verification(b"heard".to_vec())),
        };
        let _ = self.events.send(event);
    }
}

impl Service for Echo {
    fn submit(&self, grant: &Grant, request: Request, reply: Reply) {
        self.submitted.fetch_add(1, Ordering::SeqCst);
        let body = match request.operation {
            RequestedOperation::Verify(verify) if verify.message.starts_with(HOLD) => {
                self.held.lock().unwrap().push((reply, verify.message));
                return;
            }
            RequestedOperation::VerifyMany(_) => {
                self.held.lock().unwrap().push((reply, HOLD.to_vec()));
                return;
            }
            RequestedOperation::Verify(verify) => {
                if verify.message == BURST {
                    (0..BURST_EVENTS).for_each(|sequence| self.publish(sequence));
                }
                verified(verify.message)
            }
            RequestedOperation::Sign(sign) => {
                assert!(grant.sign.contains(&sign.psid), "the server checks grants");
                ResponseBody::Signed {
                    message: sign.payload,
                    expires: Time64(0),
                }
            }
            RequestedOperation::Decrypt(decrypt) => {
                assert!(grant.decrypt, "the server checks grants");
                ResponseBody::Decrypted(decrypt.message)
            }
            RequestedOperation::Health => ResponseBody::Health("{}".to_owned()),
            other => panic!("no test asks for {other:?}"),
        };
        reply.send(Ok(body));
    }

    fn subscribe(&self) -> broadcast::Receiver<VerdictEvent> {
        self.events.subscribe()
    }

    fn metrics(&self) -> String {
        String::new()
    }
}

pub(super) fn verified(message: Vec<u8>) -> ResponseBody {
    ResponseBody::Verified(verification(message))
}

fn verification(message: Vec<u8>) -> Verification {
    Verification {
        result: ResultCode::Success,
        report: Report::Success,
        reason: String::new(),
        certificate: None,
        field: "".into(),
        signer: None,
        psid: None,
        permissions: None,
        generation_time: None,
        generation_location: None,
        payload: Some(message),
        payload_check: None,
    }
}

/// A server that runs, with sockets in a folder of its own.
pub(super) struct Served {
    pub(super) echo: Arc<Echo>,
    pub(super) statistics: Arc<ServerStatistics>,
    pub(super) tcp: std::net::SocketAddr,
    folder: TempDir,
    stop: Option<Stop>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    pub(super) fn new() -> Self {
        Self::with(ServiceLimits::default(), [])
    }

    pub(super) fn with(limits: ServiceLimits, rules: impl IntoIterator<Item = AccessRule>) -> Self {
        let echo = Echo::new();
        let service = echo.clone();
        Self::of(echo, service, limits, rules)
    }

    /// Serves a service; `echo` is for the tests that use none of it.
    pub(super) fn of(
        echo: Arc<Echo>,
        service: Arc<dyn Service>,
        limits: ServiceLimits,
        rules: impl IntoIterator<Item = AccessRule>,
    ) -> Self {
        let folder = TempDir::new().unwrap();
        open_to_all(folder.path());
        let sockets = Sockets {
            stream: Some(folder.path().join("stream")),
            datagram: Some(folder.path().join("datagram")),
            mode: 0o666,
            tcp: Some(([127, 0, 0, 1], 0).into()),
            ..Sockets::default()
        };
        let listeners = Listeners::open(&sockets).unwrap();
        let tcp = listeners.tcp_address().unwrap();
        let access = Arc::new(Access::new(rules).unwrap());
        let server = ServiceServer::new(service, access, limits).unwrap();
        let statistics = server.statistics();
        let (stop, stopped) = Stop::new();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = { runtime }.enable_all().build().unwrap();
            runtime.block_on(server.serve(listeners, stopped)).unwrap();
        });
        Self {
            echo,
            statistics,
            tcp,
            folder,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    pub(super) fn stream(&self) -> PathBuf {
        self.folder.path().join("stream")
    }

    pub(super) fn datagram(&self) -> PathBuf {
        self.folder.path().join("datagram")
    }

    /// A path for a client's own socket.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn client(&self) -> Client {
        Client::unix(&self.stream())
    }

    /// Asks the server to end, and does not wait.
    pub(super) fn stop(&mut self) {
        self.stop = None;
    }

    /// Ends the server and waits for it.
    pub(super) fn end(&mut self) {
        self.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
            && !std::thread::panicking()
        {
            panic!("the server failed");
        }
    }
}

/// Waits until something holds.
pub(super) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "it did not happen: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Lets every user of the machine into a folder.
pub(super) fn open_to_all(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(folder, mode).unwrap();
}

/// Runs something as another user and group, 65534. Returns `None` where that takes rights that the
/// tests do not have.
pub(super) fn as_other_user<T: Send>(run: impl FnOnce() -> T + Send) -> Option<T> {
    as_other_user_in(&[], run)
}

/// The same, with supplementary groups.
pub(super) fn as_other_user_in<T: Send>(
    groups: &[u32],
    run: impl FnOnce() -> T + Send,
) -> Option<T> {
    use rustix::fs::{Gid, Uid};
    if !rustix::process::geteuid().is_root() {
        println!("not root: no other user to test with");
        return None;
    }
    // The calls change this one thread, which ends.
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let groups: Vec<Gid> = groups.iter().copied().map(Gid::from_raw).collect();
            rustix::thread::set_thread_groups(&groups).unwrap();
            let gid = Gid::from_raw(OTHER);
            rustix::thread::set_thread_res_gid(gid, gid, gid).unwrap();
            let uid = Uid::from_raw(OTHER);
            rustix::thread::set_thread_res_uid(uid, uid, uid).unwrap();
            run()
        });
        Some(other.join().unwrap())
    })
}

/// The user and the group of [`as_other_user`].
pub(super) const OTHER: u32 = 65534;
