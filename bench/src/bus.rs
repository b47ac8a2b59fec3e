//! The simulated bus: exact frames a second, and python-can's virtual bus beside it.
//!
//! Twenty ECUs on one bus of 500 kbit/s, each with four periodic streams of random payloads, so
//! that all frames differ and the bus is 60 % loaded. Every frame goes the whole way that
//! `docs/bus-model.md` describes: node, send task, queue, arbitration, exact stuffed length,
//! acceptance filters, receive task, node. Figures are CPU time per frame on the bus.
//!
//! python-can's virtual bus hands messages from queue to queue, with neither arbitration nor
//! time; it is what engineers use for want of a simulator. It runs in a process of its own, which
//! measures itself, between two of our rounds.

mod python;

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use waywarden_boards::Board;
use waywarden_can::bits::FdVariant;
use waywarden_can::node::Port;
use waywarden_can::timing::{BitRate, BitTiming, PhaseTiming, SamplePoint};
use waywarden_can::{Id, StandardId};
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{BuildNode, BusConfig, EcuConfig};
use waywarden_can_sim::controller::{Acceptance, PortConfig};
use waywarden_can_sim::cpu::Priorities;
use waywarden_can_sim::remarks::Remarks;
use waywarden_can_sim::trace::TraceEvent;
use waywarden_can_sim::{Config, Simulation};
use waywarden_ecu::{Ecu, PayloadContent, PeriodicStream, StreamFormat, StreamState};
use waywarden_work::Duration;

use crate::clock::thread_time;
use crate::race::{Case, Contestant};

/// ECUs on the bus.
const NODES: u16 = 20;
/// Periods of each ECU's streams, in milliseconds: 125 frames a second, 2,500 on the bus.
const PERIODS_MS: [u64; 4] = [20, 20, 50, 200];
/// Simulated time of one turn.
const TURN: Duration = Duration::from_millis(4_000);
/// Expected load, so that the case does not measure an idle bus.
const LOAD: f64 = 0.6;

/// Number of receivers of a frame by acceptance filter: this many nodes after its sender.
const FEW: u16 = 2;
/// Number of receivers without a filter: all other nodes.
const ALL: u16 = NODES - 1;
/// A board whose driver calls take time, as published.
const BOARD: &str = "tc297";
/// A board on which everything is free: the bus alone.
const IDEAL: &str = "ideal";

/// Identifier of stream `stream` of ECU `node`; low numbers are the fast streams.
fn identifier(node: u16, stream: u16) -> Result<Id> {
    Ok(Id::from(StandardId::new(0x100 + stream * NODES + node)?))
}

fn streams(node: u16) -> Result<Vec<StreamState>> {
    (0..)
        .zip(PERIODS_MS)
        .map(|(stream, period)| {
            Ok(StreamState::new(PeriodicStream {
                port: Port(0),
                id: identifier(node, stream)?,
                format: StreamFormat::Classic,
                length: 8,
                period: Duration::from_millis(period),
                // Spread over the shortest period, in steps that share no factor with it.
                offset: Duration::from_micros(u64::from(node * 4 + stream) * 7_919 % 20_000),
                jitter: Duration::from_micros(500),
                content: PayloadContent::Random,
            }))
        })
        .collect()
}

fn ecu(node: u16, board: &Arc<Board>, receivers: u16) -> Result<EcuConfig> {
    let streams = streams(node)?;
    let build: BuildNode =
        Box::new(move |boot| Box::new(Ecu::new(boot, streams.clone(), Vec::new(), Vec::new())));
    let acceptance = if receivers == ALL {
        Acceptance::All
    } else {
        let ids = (1..=receivers).flat_map(|behind| {
            let sender = (node + NODES - behind) % NODES;
            (0..PERIODS_MS.len() as u16).map(move |stream| identifier(sender, stream))
        });
        Acceptance::only(ids.collect::<Result<Vec<Id>>>()?)
    };
    Ok(EcuConfig {
        name: format!("ecu-{node}"),
        board: Arc::clone(board),
        cores: 1,
        priorities: Priorities::default(),
        drift_ppb: 0,
        ports: vec![PortConfig {
            acceptance,
            ..PortConfig::on(0)
        }],
        start: Time::ZERO,
        faults: Vec::new(),
        build,
        remarks: Remarks::default(),
    })
}

fn simulation(board: &str, receivers: u16) -> Result<Simulation> {
    let board = Arc::new(Board::builtin(board).context("there is no such board")?);
    let nominal = PhaseTiming::new(BitRate::new(500_000)?, SamplePoint::from_permille(875)?);
    let config = Config {
        seed: 1,
        buses: vec![BusConfig {
            name: "powertrain".to_owned(),
            timing: BitTiming {
                nominal,
                data: None,
            },
            variant: FdVariant::Iso,
            interferers: Vec::new(),
        }],
        ecus: (0..NODES)
            .map(|node| ecu(node, &board, receivers))
            .collect::<Result<_>>()?,
    };
    Ok(Simulation::new(config)?)
}

/// Runs the bus on for [`TURN`]; returns the frames sent and the load.
fn advance(simulation: &mut Simulation) -> Result<(u64, f64)> {
    let (mut frames, mut busy) = (0, 0);
    let end = simulation.now() + TURN;
    simulation.run_until(end, &mut |at: Time, event: &TraceEvent<'_>| {
        if let TraceEvent::Sent { started, .. } = event {
            frames += 1;
            busy += at.since(*started).get();
        }
    })?;
    Ok((frames, busy as f64 * 1e-3 / TURN.as_nanos() as f64))
}

fn ours(board: &str, receivers: u16) -> Result<Contestant> {
    let mut simulation = simulation(board, receivers)?;
    advance(&mut simulation)?;
    Ok(Contestant::timed("waywarden", move || {
        let start = thread_time();
        let (frames, load) = advance(&mut simulation)?;
        let spent = thread_time().saturating_sub(start);
        ensure!(
            (load - LOAD).abs() < 0.05,
            "the bus is loaded {load:.3}, not {LOAD}"
        );
        Ok(spent.as_nanos() as f64 / frames as f64)
    }))
}

/// All cases.
///
/// # Errors
/// If the bus cannot be set up.
pub(crate) fn cases() -> Result<Vec<Case>> {
    let case = |name, what, board, receivers| -> Result<Case> {
        Ok(Case {
            name,
            what,
            ours: ours(board, receivers)?,
            peers: vec![python::virtual_bus(NODES, receivers)],
        })
    };
    Ok(vec![
        case(
            "bus-20-nodes",
            "20 nodes, 60 % load, each frame received by two; figures are per frame",
            IDEAL,
            FEW,
        )?,
        case(
            "bus-20-nodes-all-receive",
            "the same, each frame received by all nineteen others",
            IDEAL,
            ALL,
        )?,
        case(
            "bus-20-nodes-processors",
            "as the first, with driver calls that take a processor's time",
            BOARD,
            FEW,
        )?,
        case(
            "bus-20-nodes-processors-all-receive",
            "as the second, with driver calls that take a processor's time",
            BOARD,
            ALL,
        )?,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bus_is_loaded_as_the_case_says() {
        for (board, receivers) in [(IDEAL, FEW), (IDEAL, ALL), (BOARD, FEW), (BOARD, ALL)] {
            let mut simulation = simulation(board, receivers).unwrap();
            advance(&mut simulation).unwrap();
            let (frames, load) = advance(&mut simulation).unwrap();
            assert!((load - LOAD).abs() < 0.05, "{load}");
            assert!(frames.abs_diff(10_000) < 100, "{frames}");
        }
    }
}
