//! A thread of the engine that hangs is found and named, and the watchdog is not pinged.

use std::cell::{Cell, RefCell};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use waywarden_testkit::Random;
use waywarden_testkit_v2x::WrappedStore;
use waywarden_v2x_keys::KeyStore;
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_service::access::Grant;
use waywarden_v2x_service::engine::{
    Engine, EngineSettings, NoObserver, Observer, VerificationSettings,
};
use waywarden_v2x_service::materials::SigningIdentity;
use waywarden_v2x_service::notify::watch_every;
use waywarden_v2x_service::watchdog::{Finding, check};
use waywarden_v2x_service_protocol::{
    DecryptRequest, EncryptRequest, EncryptionKeyOf, RequestedOperation, Response, ResponseBody,
    SignRequest,
};
use waywarden_v2x_signing::SignerForm;
use waywarden_v2x_wire::ieee1609dot2;

use crate::support::{
    NOW, TestTime, World, ask, cam, engine, everything, signed, submit, verified, verify,
};

/// Interval between checks of the engine.
const EVERY: Duration = Duration::from_millis(40);
/// Longest wait of a test for an event that happens soon.
const PATIENCE: Duration = Duration::from_secs(60);

/// A gate at which a thread waits while it is closed.
#[derive(Default)]
pub(crate) struct Gate {
    is_closed: Mutex<bool>,
    changed: Condvar,
}

impl Gate {
    pub(crate) fn set_closed(&self, is_closed: bool) {
        *self.is_closed.lock().unwrap() = is_closed;
        self.changed.notify_all();
    }

    fn pass(&self) {
        let is_closed = self.is_closed.lock().unwrap();
        drop(
            self.changed
                .wait_while(is_closed, |is_closed| *is_closed)
                .unwrap(),
        );
    }
}

/// Opens a gate when the test ends, however it ends: the engine waits for its threads.
pub(crate) struct OpenAtEnd(pub(crate) Arc<Gate>);

impl Drop for OpenAtEnd {
    fn drop(&mut self) {
        self.0.set_closed(false);
    }
}

/// Sees verdicts while a gate is open, in the thread that verifies.
struct GatedObserver(Arc<Gate>);

impl Observer for GatedObserver {
    fn verified(&self, _: ResultCode, _: Duration) {
        self.0.pass();
    }
}

/// An engine of a new vehicle, whose private keys are behind a gate.
pub(crate) fn gated(gate: &Arc<Gate>, observer: Arc<dyn Observer>) -> Engine {
    let mut world = World::new(&mut Random::new(41));
    let mut materials = world.materials(ieee1609dot2::Duration::Years(1));
    let behind = |store| -> Box<dyn KeyStore + Send> {
        let gate = Arc::clone(gate);
        Box::new(WrappedStore::with_hook(store, move || gate.pass()))
    };
    let signer = materials.signers.remove(0);
    materials.signers.push(SigningIdentity {
        store: behind(signer.store),
        ..signer
    });
    materials.decryption.store = behind(materials.decryption.store);
    let settings = EngineSettings::default();
    Engine::start(materials, settings, TestTime::new(NOW), observer).unwrap()
}

/// A request to decrypt what is encrypted for the engine.
pub(crate) fn to_decrypt(engine: &Engine) -> RequestedOperation {
    let with_certificate = SignRequest {
        signer: Some(SignerForm::Certificate),
        ..cam(b"awareness")
    };
    let own = signed(engine, with_certificate).unwrap();
    let own = verified(engine, &own).signer.unwrap();
    let encrypt = RequestedOperation::Encrypt(EncryptRequest {
        recipients: vec![EncryptionKeyOf::Known(own)],
        data: b"secret".to_vec(),
        is_secured: false,
    });
    match ask(engine, &Grant::default(), encrypt).unwrap() {
        ResponseBody::Encrypted(message) => RequestedOperation::Decrypt(DecryptRequest { message }),
        other => panic!("{other:?}"),
    }
}

/// Watches an engine until `is_enough` says so of the findings and the number of pings.
fn watch(engine: &Engine, is_enough: impl Fn(&[Finding], u32) -> bool) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().build().unwrap();
    let (findings, pings) = (RefCell::new(Vec::new()), Cell::new(0));
    let end = Instant::now() + PATIENCE;
    let probe = |every| {
        let findings = &findings;
        async move {
            let finding = check(engine, every).await;
            let works = finding.works();
            findings.borrow_mut().push(finding);
            works
        }
    };
    let watching = watch_every(EVERY, probe, || pings.set(pings.get() + 1));
    let enough = async {
        while !is_enough(&findings.borrow(), pings.get()) {
            assert!(Instant::now() < end, "{:?}", findings.borrow());
            tokio::time::sleep(EVERY / 4).await;
        }
    };
    runtime.block_on(async {
        tokio::select! { () = watching => {}, () = enough => {} }
    });
}

/// The longest time for which a thread whose name begins so was found to hang.
fn hung(findings: &[Finding], thread: &str) -> Option<Duration> {
    let threads = findings.iter().filter_map(|finding| match finding {
        Finding::Hangs(threads) => Some(threads),
        _ => None,
    });
    let named = threads.flatten().filter(|one| one.name.starts_with(thread));
    named.map(|one| one.busy).max()
}

/// Has a request hang at a closed gate: the thread is named and no ping comes, until it opens.
fn hangs(
    gate: &Arc<Gate>,
    engine: &Engine,
    operation: RequestedOperation,
    grant: &Grant,
    thread: &str,
) {
    let _open = OpenAtEnd(Arc::clone(gate));
    watch(engine, |_, pings| pings > 0);
    gate.set_closed(true);
    let answer = submit(engine, grant, operation);
    // It may have been checked last before the request reached the thread.
    watch(engine, |findings, _| hung(findings, thread).is_some());
    watch(engine, |findings, pings| {
        assert_eq!(pings, 0, "{findings:?}");
        // For longer and longer.
        hung(findings, thread).is_some_and(|busy| busy > 4 * EVERY)
    });
    gate.set_closed(false);
    let _: Response = answer.recv().unwrap();
    watch(engine, |_, pings| pings > 0);
}

#[test]
fn an_engine_that_works_is_pinged_for_and_no_thread_is_busy() {
    let mut world = World::new(&mut Random::new(40));
    let materials = world.materials(ieee1609dot2::Duration::Years(1));
    let engine = engine(materials, &TestTime::new(NOW));
    signed(&engine, cam(b"awareness")).unwrap();
    watch(&engine, |_, pings| pings >= 3);
    let end = Instant::now() + PATIENCE;
    while !engine.busy(Duration::ZERO).is_empty() {
        assert!(Instant::now() < end, "{:?}", engine.busy(Duration::ZERO));
    }
}

#[test]
fn a_store_that_hangs_stops_the_pings_and_the_thread_that_signs_is_named() {
    let gate = Arc::new(Gate::default());
    let engine = gated(&gate, Arc::new(NoObserver));
    let sign = RequestedOperation::Sign(cam(b"awareness"));
    hangs(&gate, &engine, sign, &everything(), "sign");
}

#[test]
fn a_store_that_hangs_at_decryption_stops_the_pings() {
    let gate = Arc::new(Gate::default());
    let engine = gated(&gate, Arc::new(NoObserver));
    let decrypt = to_decrypt(&engine);
    hangs(&gate, &engine, decrypt, &everything(), "decrypt");
}

#[test]
fn one_thread_of_several_that_verify_and_hangs_stops_the_pings() {
    let gate = Arc::new(Gate::default());
    let observer = GatedObserver(Arc::clone(&gate));
    let mut world = World::new(&mut Random::new(42));
    let materials = world.materials(ieee1609dot2::Duration::Years(1));
    let settings = EngineSettings {
        verification: VerificationSettings {
            workers: 2,
            ..VerificationSettings::default()
        },
        ..EngineSettings::default()
    };
    let time = TestTime::new(NOW);
    let engine = Engine::start(materials, settings, time, Arc::new(observer)).unwrap();
    let message = signed(&engine, cam(b"awareness")).unwrap();
    let operation = RequestedOperation::Verify(verify(&message));
    hangs(&gate, &engine, operation, &Grant::default(), "verify-");
}
