//! The runs, and what they print.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use waywarden_v2x_service_protocol::{RequestedOperation, ResponseBody};
use waywarden_v2x_wire::ieee1609dot2::{Duration as Validity, Time64};

use crate::client::{self, Connection, Outcome};
use crate::figures::{bare_library, percentiles, quantile, share_within};
use crate::process::{HostClock, Service, world};
use crate::support::{World, cam};
use crate::traffic::{self, Due};

/// Deadline for the verdict on a message.
const DEADLINE: Duration = Duration::from_millis(100);
/// Least share of messages answered within the deadline.
const SHARE: f64 = 0.999;
/// Number of messages of a step for the measurement of the library alone.
const BARE: usize = 20_000;

fn prepare(vehicles: usize, lasts: Duration) -> (World, Vec<Due>, Instant) {
    prepare_beside(1, vehicles, lasts)
}

/// The world without the service's `own` certificates, and messages that are due from `start` on.
pub(crate) fn prepare_beside(
    own: usize,
    vehicles: usize,
    lasts: Duration,
) -> (World, Vec<Due>, Instant) {
    let mut world = world();
    // Those of the service.
    for _ in 0..own {
        world.vehicle(Validity::Years(1));
    }
    // A signature takes a tenth of a millisecond; they are all signed when the clock starts.
    let count = vehicles as f64 * lasts.as_secs_f64() * 10.0;
    let ready = Duration::from_secs_f64(1.0 + count * 2e-4);
    let (begun, now) = (Instant::now(), HostClock::now());
    let start = Time64(now.0 + ready.as_micros() as u64);
    let messages = traffic::messages(&mut world, vehicles, lasts, start);
    (world, messages, begun + ready)
}

/// Result of a load on a service.
struct Step {
    outcome: Outcome,
    /// Of the service's process, for each message.
    processor_seconds: f64,
    world: World,
    messages: Vec<Due>,
}

fn step(vehicles: usize, lasts: Duration) -> Step {
    let (world, messages, start) = prepare(vehicles, lasts);
    let service = Service::start();
    let before = service.processor_seconds();
    if Instant::now() > start {
        println!("  the messages were signed too slowly: the first ones come late");
    }
    let outcome = client::run(&service.socket(), &messages, start);
    let used = service.processor_seconds() - before;
    Step {
        processor_seconds: used / messages.len() as f64,
        outcome,
        world,
        messages,
    }
}

impl Step {
    fn holds(&self) -> bool {
        let within = share_within(&self.outcome.latencies, DEADLINE);
        let accepted = self.outcome.accepted as f64 / self.messages.len() as f64;
        within >= SHARE && accepted >= SHARE
    }

    fn print(&self, vehicles: usize) {
        println!(
            "{vehicles} vehicles: {} of {} accepted, {:.3} % within 100 ms; {}; processor time a \
             message {:.1} us{}",
            self.outcome.accepted,
            self.messages.len(),
            share_within(&self.outcome.latencies, DEADLINE) * 100.0,
            percentiles(&self.outcome.latencies),
            self.processor_seconds * 1e6,
            match self.outcome.others.is_empty() {
                true => String::new(),
                false => format!("; others: {:?}", self.outcome.others),
            }
        );
    }

    /// Compares with the library.
    fn compare(&self) {
        let some = &self.messages[..self.messages.len().min(BARE)];
        let bare = bare_library(&self.world, some, 64);
        println!(
            "  processor time a message: service {:.1} us, library {:.1} us; vehicles per core: \
             service {:.0}, library {:.0}, ratio {:.2}",
            self.processor_seconds * 1e6,
            bare * 1e6,
            0.1 / self.processor_seconds,
            0.1 / bare,
            bare / self.processor_seconds
        );
    }
}

/// Measures a steady load of this many vehicles for this time.
pub(crate) fn steady(vehicles: usize, seconds: u64) {
    println!("steady load, {seconds} s");
    let step = step(vehicles, Duration::from_secs(seconds));
    step.print(vehicles);
    step.compare();
}

/// More and more vehicles, until deadlines fail.
pub(crate) fn rise() {
    println!("rising load, 5 s each");
    let mut vehicles = 200;
    let mut last = None;
    while vehicles <= 12_800 {
        let step = step(vehicles, Duration::from_secs(5));
        step.print(vehicles);
        if !step.holds() {
            step.compare();
            break;
        }
        last = Some(vehicles);
        vehicles += vehicles / 2;
    }
    println!("  deadlines hold with {last:?} vehicles on all cores");
}

/// Our own messages signed, idle and beside a flood.
pub(crate) fn signing() {
    println!("signing beside a flood");
    let service = Service::start();
    let idle = sign_for(&service, Duration::from_secs(10));
    println!("  idle: {}", percentiles(&idle));
    drop(service);
    let (_, messages, start) = prepare(6_000, Duration::from_secs(1));
    let service = Service::start();
    thread::sleep(start.saturating_duration_since(Instant::now()));
    let is_over = AtomicBool::new(false);
    let busy = thread::scope(|scope| {
        scope.spawn(|| {
            // As fast as the service takes them: they are due one second at a time.
            let (_, outcome) = client::in_flight(&service.socket(), &messages, 200);
            println!(
                "  the flood: {} accepted, others {:?}",
                outcome.accepted, outcome.others
            );
            is_over.store(true, Ordering::Relaxed);
        });
        let mut latencies = Vec::new();
        while !is_over.load(Ordering::Relaxed) {
            latencies.extend(sign_for(&service, Duration::from_millis(200)));
        }
        latencies
    });
    println!("  flood: {}", percentiles(&busy));
    let median = |latencies: &[Duration]| {
        let mut sorted = latencies.to_vec();
        sorted.sort_unstable();
        quantile(&sorted, 0.5).as_secs_f64()
    };
    println!(
        "  median beside the flood: {:.2} times the idle one",
        median(&busy) / median(&idle)
    );
}

/// Has messages signed, a hundred a second.
fn sign_for(service: &Service, lasts: Duration) -> Vec<Duration> {
    let mut connection = Connection::open(&service.socket());
    let begun = Instant::now();
    let mut latencies = Vec::new();
    while begun.elapsed() < lasts {
        let asked = Instant::now();
        let response = connection.ask(RequestedOperation::Sign(cam(b"our own message")));
        assert!(
            matches!(response.body, Ok(ResponseBody::Signed { .. })),
            "{response:?}"
        );
        latencies.push(asked.elapsed());
        thread::sleep(Duration::from_millis(10));
    }
    latencies
}

/// The service against the library, with so many messages in flight.
pub(crate) fn overhead() {
    println!("overhead of the service: its processor time a message beyond the library's");
    for (most, count) in [(1, 3_000), (8, 10_000), (64, 20_000)] {
        let (world, messages, start) = prepare(count / 10, Duration::from_secs(1));
        let service = Service::start();
        thread::sleep(start.saturating_duration_since(Instant::now()));
        let before = service.processor_seconds();
        let (took, outcome) = client::in_flight(&service.socket(), &messages, most);
        let used = (service.processor_seconds() - before) / messages.len() as f64;
        let bare = bare_library(&world, &messages, most);
        println!(
            "  {most:>2} in flight: service {:.1} us, library ({most} together) {:.1} us: {:.0} % \
             more; {:.0} messages a second; {} of {} accepted, others {:?}",
            used * 1e6,
            bare * 1e6,
            (used / bare - 1.0) * 100.0,
            messages.len() as f64 / took.as_secs_f64(),
            outcome.accepted,
            messages.len(),
            outcome.others
        );
    }
}
