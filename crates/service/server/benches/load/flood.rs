//! Honest messages beside a flood of forged ones, for services with few and many certificates.

use std::thread;
use std::time::{Duration, Instant};

use crate::client::{self, Outcome};
use crate::figures::quantile;
use crate::forged::Forgery;
use crate::process::{HostClock, Service, world};
use crate::runs::prepare_beside;

/// Numbers of certificates of the service.
const OWN: [usize; 4] = [1, 40, 200, 1_000];
/// Forged messages a second: 1.15 Mbit/s of the channel.
const RATE: u32 = 600;
/// Honest vehicles, ten messages a second each.
const VEHICLES: usize = 60;
/// The goals: median and 99th percentile under the flood, by those without it.
const GOALS: (f64, f64) = (2.0, 5.0);

/// The median and the 99th percentile of honest answers, and what the service took of the
/// processors for each message, in microseconds.
struct Figures {
    median: f64,
    late: f64,
    processor_us: f64,
}

/// Runs each number of certificates quiet and flooded for so many seconds.
pub(crate) fn flood(seconds: u64) {
    println!("honest messages beside {RATE} forged ones a second, {seconds} s each");
    for own in OWN {
        let quiet = run(own, seconds, false);
        let flooded = run(own, seconds, true);
        let (median, late) = (flooded.median / quiet.median, flooded.late / quiet.late);
        let holds = median <= GOALS.0 && late <= GOALS.1;
        println!(
            "  {own:>4} certificates: median {:.2} ms quiet, {:.2} ms flooded: {median:.2} times; \
             99 % {:.2} ms quiet, {:.2} ms flooded: {late:.2} times; processor time a message \
             {:.1} us quiet, {:.1} us flooded; {}",
            quiet.median,
            flooded.median,
            quiet.late,
            flooded.late,
            quiet.processor_us,
            flooded.processor_us,
            match holds {
                true => "within the goals",
                false => "NOT within the goals (2 times, 5 times)",
            }
        );
    }
}

fn run(own: usize, seconds: u64, is_flooded: bool) -> Figures {
    let lasts = Duration::from_secs(seconds);
    let service = Service::with_own(own);
    // Before the clock of the honest messages starts.
    let forged = match is_flooded {
        true => Forgery::new(&mut world(), HostClock::now()).messages(RATE, lasts),
        false => Vec::new(),
    };
    let (_, messages, start) = prepare_beside(own, VEHICLES, lasts);
    if Instant::now() > start {
        println!("  the messages were made too slowly: the first ones come late");
    }
    let before = service.processor_seconds();
    let socket = service.socket();
    let (honest, others): (Outcome, Outcome) = thread::scope(|scope| {
        let others = scope.spawn(|| client::run(&socket, &forged, start));
        (
            client::run(&socket, &messages, start),
            others.join().unwrap(),
        )
    });
    let count = (messages.len() + forged.len()) as f64;
    let processor_us = (service.processor_seconds() - before) / count * 1e6;
    assert_eq!(others.accepted, 0, "a forged message was accepted");
    if honest.accepted < messages.len() {
        println!("  not accepted: {:?}", honest.others);
    }
    let mut sorted = honest.latencies;
    sorted.sort_unstable();
    let at = |share| quantile(&sorted, share).as_secs_f64() * 1e3;
    Figures {
        median: at(0.5),
        late: at(0.99),
        processor_us,
    }
}
