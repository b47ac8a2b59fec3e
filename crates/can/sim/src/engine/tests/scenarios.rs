//! Random vehicles: buses, queues, boards, streams, a gateway.

use waywarden_can::Id;
use waywarden_can::node::{Boot, Node, Port};
use waywarden_can::timing::{BitRate, BitTiming};
use waywarden_ecu::{
    Ecu, GatewayRoute, Matching, PayloadContent, PeriodicStream, StreamFormat, StreamState,
};
use waywarden_work::Duration;

use super::{bus, ecu};
use crate::clock::Time;
use crate::config::{BusConfig, Config, EcuConfig, EcuFault, EcuFaultKind};
use crate::controller::{Acceptance, PortConfig, TransmitOrder};
use crate::random::Random;

const RATES: [(u32, Option<u32>); 5] = [
    (500_000, None),
    (125_000, None),
    (83_333, None),
    (500_000, Some(2_000_000)),
    (1_000_000, Some(5_000_000)),
];

/// A vehicle whose ECUs are all up from the start, each with its own identifiers: nothing collides
/// and another ECU always acknowledges.
pub(super) fn vehicle(seed: u64) -> Config {
    random_config(seed, false)
}

/// The same with ECUs that start within two milliseconds: the first ones find no ECU that
/// acknowledges.
pub(super) fn late_vehicle(seed: u64) -> Config {
    random_config(seed, true)
}

/// The same with resets and cuts at random in the first [`RESETS_END`], also in the middle of
/// frames, of all ECUs but the first two.
pub(super) fn restless_vehicle(seed: u64) -> Config {
    let mut config = random_config(seed, true);
    let mut random = Random::new(seed).stream("restless", 0);
    for ecu in config.ecus.iter_mut().skip(2) {
        let mut at = ecu.start.as_picos() / 1_000 + 1;
        for kind in [EcuFaultKind::Reset, EcuFaultKind::Open { port: 0 }] {
            let from = at + random.below(5_000_000);
            let until = from + 1 + random.below(5_000_000);
            let [from, until] = [from, until].map(Time::from_nanos);
            ecu.faults.push(EcuFault { kind, from, until });
            at = until.as_picos() / 1_000;
        }
    }
    config
}

/// The time from which no ECU leaves any more in [`restless_vehicle`].
pub(super) const RESETS_END: Time = Time::from_nanos(22_000_002);

fn random_config(seed: u64, late: bool) -> Config {
    let mut random = Random::new(seed);
    let buses: Vec<BusConfig> = (0..1 + random.below(3))
        .map(|at| {
            let (nominal, data) = RATES[random.below(RATES.len() as u64) as usize];
            let nominal = BitRate::constant(nominal);
            let timing = match data {
                Some(data) => BitTiming::fd(nominal, BitRate::constant(data)),
                None => BitTiming::classic(nominal),
            };
            bus(&format!("bus{at}"), timing)
        })
        .collect();
    let count = 2 + random.below(12);
    let mut ecus: Vec<EcuConfig> = (0..count)
        .map(|at| sender(at, &buses, late, &mut random))
        .collect();
    if buses.len() > 1 {
        ecus.push(gateway(buses.len()));
    }
    Config { seed, buses, ecus }
}

fn sender(at: u64, buses: &[BusConfig], late: bool, random: &mut Random) -> EcuConfig {
    let bus = random.below(buses.len() as u64) as usize;
    let fast = buses[bus].timing.data.is_some();
    let streams: Vec<StreamState> = (0..random.below(6))
        .map(|number| {
            let fd = fast && random.chance(0.5);
            let length = if fd {
                [8, 12, 32, 64][random.below(4) as usize]
            } else {
                random.below(9)
            };
            StreamState::new(PeriodicStream {
                port: Port(0),
                id: identifier(at * 8 + number, random),
                format: match fd {
                    true => StreamFormat::Fd {
                        bit_rate_switch: random.chance(0.8),
                    },
                    false => StreamFormat::Classic,
                },
                length: length as u8,
                period: Duration::from_micros(1_500 + random.below(20_000)),
                offset: Duration::from_micros(random.below(4_000)),
                jitter: Duration::from_micros(random.below(1_000)),
                content: PayloadContent::Random,
            })
        })
        .collect();
    let port = PortConfig {
        order: if random.chance(0.5) {
            TransmitOrder::Fifo
        } else {
            TransmitOrder::Priority
        },
        transmit_queue: 1 + random.below(8) as usize,
        receive_queue: 1 + random.below(8) as usize,
        acceptance: Acceptance::All,
        ..PortConfig::on(bus)
    };
    let board = ["ideal", "tc297", "sancus", "m3"][random.below(4) as usize];
    let build = move |boot: &Boot<'_>| -> Box<dyn Node + Send> {
        Box::new(Ecu::new(boot, streams.clone(), [], [None; 0]))
    };
    let mut config = ecu(&format!("ecu{at}"), board, vec![port], build);
    config.start = Time::from_nanos(random.below(2_000_000) * u64::from(late));
    config.drift_ppb = random.below(400_000) as i32 - 200_000;
    config.cores = 1 + random.below(2) as u8;
    config
}

fn identifier(number: u64, random: &mut Random) -> Id {
    if random.chance(0.5) {
        Id::standard(number as u16 * 5 % 0x800).unwrap()
    } else {
        Id::extended((number as u32 * 5 % 0x800) << 18 | number as u32).unwrap()
    }
}

fn gateway(buses: usize) -> EcuConfig {
    let routes: Vec<GatewayRoute> = (1..buses)
        .map(|to| GatewayRoute {
            from: Port(0),
            to: Port(to as u8),
            matching: Matching::All,
            in_order: false,
        })
        .collect();
    let ports = (0..buses).map(PortConfig::on).collect();
    ecu("gateway", "tc277", ports, move |boot| {
        Box::new(Ecu::new(boot, Vec::new(), routes.clone(), vec![None; 64]))
    })
}
