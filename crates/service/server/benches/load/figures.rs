//! Percentiles, and what the library alone does.

use std::fs;
use std::time::Duration;

use waywarden_v2x_security::{IncomingMessage, ReceptionContext};

use crate::support::World;
use crate::traffic::Due;

/// The latency that this share of all had at most.
pub(crate) fn quantile(sorted: &[Duration], share: f64) -> Duration {
    let place = (sorted.len() as f64 * share).ceil() as usize;
    let place = place.clamp(1, sorted.len().max(1)) - 1;
    sorted.get(place).copied().unwrap_or_default()
}

/// The percentiles in milliseconds, in words.
pub(crate) fn percentiles(latencies: &[Duration]) -> String {
    let mut sorted = latencies.to_vec();
    sorted.sort_unstable();
    let at = |share| quantile(&sorted, share).as_secs_f64() * 1e3;
    format!(
        "50 % {:.2} ms, 99 % {:.2} ms, 99.9 % {:.2} ms, all {:.2} ms",
        at(0.5),
        at(0.99),
        at(0.999),
        at(1.0)
    )
}

/// The share of all that had at most this latency.
pub(crate) fn share_within(latencies: &[Duration], most: Duration) -> f64 {
    let within = latencies.iter().filter(|one| **one <= most).count();
    within as f64 / latencies.len().max(1) as f64
}

/// Verifies messages with the library alone, so many together, on one thread. Returns its
/// processor time for each, in seconds.
pub(crate) fn bare_library(world: &World, messages: &[Due], together: usize) -> f64 {
    let context = |due: &Due| {
        let data = waywarden_v2x_wire::coer::parse(&due.message);
        let data: waywarden_v2x_wire::ieee1609dot2::Ieee1609Dot2Data<'_> = data.unwrap();
        let waywarden_v2x_wire::ieee1609dot2::Ieee1609Dot2Content::Signed(signed) = data.content
        else {
            panic!("not signed");
        };
        let made = signed.tbs_data.header_info.generation_time;
        ReceptionContext::at(made.unwrap())
    };
    let received: Vec<_> = messages
        .iter()
        .map(|due| IncomingMessage {
            message: &due.message,
            context: context(due),
        })
        .collect();
    let mut verifier = world.receiver();
    let before = processor_seconds();
    for batch in received.chunks(together) {
        let verdicts = verifier.verify_many(batch);
        assert!(verdicts.iter().all(Result::is_ok));
    }
    (processor_seconds() - before) / messages.len() as f64
}

/// Returns the processor time of this thread so far, in seconds.
fn processor_seconds() -> f64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    let nanoseconds = text.split_whitespace().next().unwrap();
    nanoseconds.parse::<f64>().unwrap() / 1e9
}
