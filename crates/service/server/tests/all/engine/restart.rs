//! Messages that the service has verified before it was started again.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use waywarden_testkit::Random;
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_service::access::Grant;
use waywarden_v2x_service::engine::{Engine, EngineSettings, NoObserver};
use waywarden_v2x_service_protocol::{RequestedOperation, SignRequest};
use waywarden_v2x_time::{TimeReading, TimeSource, UntrustedTime};
use waywarden_v2x_wire::ieee1609dot2::{Duration as Validity, Time64};

use crate::support::{CAM, DENM, NOW, TestTime, World, ask, cam, engine, signed, verified, verify};

const SECOND: i64 = 1_000_000;

/// A clock that goes on.
struct RunningTime {
    begun: Instant,
    set: Mutex<(Time64, Option<UntrustedTime>)>,
}

impl RunningTime {
    fn new(time: Time64, distrust: Option<UntrustedTime>) -> Arc<Self> {
        Arc::new(Self {
            begun: Instant::now(),
            set: Mutex::new((time, distrust)),
        })
    }

    /// Sets it to what it would show now, had it shown `time` at first.
    fn set(&self, time: Time64, distrust: Option<UntrustedTime>) {
        *self.set.lock().unwrap() = (time, distrust);
    }
}

impl TimeSource for RunningTime {
    fn read(&self) -> TimeReading {
        let (time, distrust) = *self.set.lock().unwrap();
        let passed = self.begun.elapsed().as_micros() as u64;
        TimeReading {
            time: Time64(time.0 + passed),
            distrust,
            ..TestTime::new(time).read()
        }
    }
}

fn after(microseconds: i64) -> Time64 {
    Time64(NOW.0.saturating_add_signed(microseconds))
}

/// Starts the service, as the command does.
fn started(world: &mut World, time: &Arc<RunningTime>) -> Engine {
    let mut materials = world.materials(Validity::Years(1));
    materials.verifier.set_start(Some(time.read().time));
    let settings = EngineSettings::default();
    Engine::start(
        materials,
        settings,
        Arc::<RunningTime>::clone(time) as _,
        Arc::new(NoObserver),
    )
    .unwrap()
}

/// A CAM and a DENM, made at a time by a vehicle of this world.
fn messages(world: &mut World, made: Time64) -> [Vec<u8>; 2] {
    let sender = engine(world.materials(Validity::Years(1)), &TestTime::new(made));
    [CAM, DENM].map(|psid| {
        signed(
            &sender,
            SignRequest {
                psid,
                ..cam(b"once")
            },
        )
        .unwrap()
    })
}

fn result(engine: &Engine, message: &[u8]) -> ResultCode {
    verified(engine, message).result
}

/// A message that no service before can have accepted: of a sender whose clock is 1.9 s ahead, more
/// than 0.5 s after the start.
fn assert_goes_on(world: &mut World, engine: &Engine, time: &RunningTime) {
    let early = Duration::from_millis(500);
    std::thread::sleep(early.saturating_sub(time.begun.elapsed()));
    let [message, _] = messages(world, Time64(time.read().time.0 + 1_900_000));
    let verdict = verified(engine, &message);
    assert_eq!(verdict.result, ResultCode::Success, "{}", verdict.reason);
    assert_eq!(result(engine, &message), ResultCode::RelevanceReplayedSpdu);
}

#[test]
fn service_that_starts_again_refuses_what_it_accepted_before() {
    let mut world = World::new(&mut Random::of_test("restart"));
    // A DENM of 20 s ago, and messages of a sender whose clock is ahead.
    let [_, old] = messages(&mut world, after(-20 * SECOND));
    let [ahead, warning] = messages(&mut world, after(SECOND));
    let all = [&ahead, &warning, &old];
    let before = engine(world.materials(Validity::Years(1)), &TestTime::new(NOW));
    for message in all {
        assert_eq!(result(&before, message), ResultCode::Success);
        assert_eq!(result(&before, message), ResultCode::RelevanceReplayedSpdu);
    }
    drop(before);
    let time = RunningTime::new(after(1_000), None);
    let again = started(&mut world, &time);
    for message in all {
        let verdict = verified(&again, message);
        let (result, reason) = (verdict.result, verdict.reason);
        assert_eq!(result, ResultCode::RelevanceReplayedSpdu, "{reason}");
        assert!(reason.contains("before this receiver started"), "{reason}");
    }
    assert_goes_on(&mut world, &again, &time);
}

#[test]
fn guess_at_the_start_is_dropped_when_the_time_is_trusted_and_a_reload_keeps_the_start() {
    let mut world = World::new(&mut Random::of_test("restart, trusted later"));
    // Before it has a fix the receiver takes the system's clock, which is an hour ahead.
    let ahead = after(3_600 * SECOND);
    let time = RunningTime::new(ahead, Some(UntrustedTime::NoFix));
    let engine = started(&mut world, &time);
    let [_, old] = messages(&mut world, after(-SECOND));
    assert_ne!(result(&engine, &old), ResultCode::Success);
    time.set(NOW, None);
    assert_eq!(result(&engine, &old), ResultCode::RelevanceReplayedSpdu);
    engine.reload(world.materials(Validity::Years(1))).unwrap();
    assert_eq!(result(&engine, &old), ResultCode::RelevanceReplayedSpdu);
    assert_goes_on(&mut world, &engine, &time);
}

#[test]
fn clock_that_was_behind_at_the_start_moves_the_start_when_it_is_set() {
    let mut world = World::new(&mut Random::of_test("restart, behind"));
    let [_, accepted_before] = messages(&mut world, after(-5 * SECOND));
    // Trusted, and ten minutes behind.
    let time = RunningTime::new(after(-600 * SECOND), None);
    let engine = started(&mut world, &time);
    assert_ne!(result(&engine, &accepted_before), ResultCode::Success);
    time.set(NOW, None);
    assert_eq!(
        result(&engine, &accepted_before),
        ResultCode::RelevanceReplayedSpdu
    );
    // Set back again, it makes nothing acceptable.
    time.set(after(-3 * SECOND), None);
    assert_eq!(
        result(&engine, &accepted_before),
        ResultCode::RelevanceReplayedSpdu
    );
    time.set(NOW, None);
    assert_goes_on(&mut world, &engine, &time);
}

#[test]
fn time_that_is_not_trusted_makes_the_service_forget_nothing() {
    let mut world = World::new(&mut Random::of_test("restart, forgotten"));
    // A clock that is a day ahead until it is synchronised.
    let day = 86_400 * SECOND;
    let time = TestTime::new(after(day));
    time.set(after(day), Some(UntrustedTime::NotSynchronized));
    let engine = engine(world.materials(Validity::Years(1)), &time);
    // After so many verdicts a service forgets what is too old; anyone can bring them about.
    let garbage: Vec<_> = (0..256).map(|_| verify(b"garbage")).collect();
    for _ in 0..65 {
        let many = RequestedOperation::VerifyMany(garbage.clone());
        ask(&engine, &Grant::default(), many).unwrap();
    }
    time.set(NOW, None);
    let [message, _] = messages(&mut world, NOW);
    assert_eq!(result(&engine, &message), ResultCode::Success);
}
