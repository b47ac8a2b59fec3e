//! The cost of an idle simulated second of a bus with 20 programs: `cargo run --release -p
//! waywarden-can-sim --example idle_network`.

use std::time::Instant;

use waywarden_can::timing::{BitRate, BitTiming};
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{BusConfig, Config};
use waywarden_can_sim::live::{LiveError, LiveNetwork, MailboxConfig};
use waywarden_can_sim::trace::BusIndex;

/// Programs on the bus.
const PROGRAMS: usize = 20;

/// Simulated seconds of each measurement.
const SECONDS: u64 = 100;

fn main() -> Result<(), LiveError> {
    let timing = BitTiming::classic(BitRate::constant(500_000));
    let mut network: LiveNetwork = LiveNetwork::new(Config {
        buses: vec![BusConfig::new("can", timing)],
        ..Config::default()
    })?;
    for _ in 0..PROGRAMS {
        network.join(BusIndex(0), MailboxConfig::default())?;
    }
    for steps in [1, 1_000, 10_000] {
        let from = network.now().as_picos();
        let began = Instant::now();
        for step in 1..=SECONDS * steps {
            network.run_until(Time::from_picos(from + step * 1_000_000_000_000 / steps))?;
        }
        let micros = began.elapsed().as_secs_f64() * 1e6 / SECONDS as f64;
        println!("{PROGRAMS} programs, {steps} calls a second: {micros:.2} us an idle second");
    }
    Ok(())
}
