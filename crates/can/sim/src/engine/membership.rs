//! ECUs that a caller adds and takes away while the simulation runs, and nodes that it wakes.

use std::sync::Arc;

use super::bus::Wire;
use super::ecu::{DriverCosts, Ecu};
use super::faults::Planned;
use super::{Engine, EngineSink, Outcome};
use crate::clock::Time;
use crate::config::{ConfigError, EcuConfig, PARTIES_MAX};
use crate::controller::Controller;

impl Engine {
    /// Returns true if there is an ECU of this index that was not detached.
    pub(crate) fn has(&self, ecu: usize) -> bool {
        self.ecus.get(ecu).is_some_and(|ecu| !ecu.detached)
    }

    /// Returns the time of the next event, [`Time::NEVER`] without one.
    pub(crate) fn next_due(&self) -> Time {
        self.agenda.earliest()
    }

    /// Returns true if a port takes part on its bus: its ECU is on and it has integrated.
    pub(crate) fn takes_part(&self, ecu: usize, port: usize) -> bool {
        let ecu = self.ecus.get(ecu).filter(|ecu| !ecu.detached);
        ecu.and_then(|ecu| ecu.ports.get(port)).is_some_and(|at| {
            let place = self.buses[at.config.bus].bus_ports[at.bus_port];
            place.listening && !at.off
        })
    }

    /// Returns true if a frame or an episode is on the wire of a bus.
    pub(crate) fn is_busy(&self, bus: usize) -> bool {
        let bus = self.buses.get(bus);
        bus.is_some_and(|bus| !matches!(bus.wire, Wire::Free))
    }

    /// Polls a node to rest now; returns false if its ECU is off.
    pub(crate) fn wake_node(&mut self, ecu: usize, sink: &mut dyn EngineSink) -> Outcome<bool> {
        let Some(node) = self.ecus[ecu].node.take() else {
            return Ok(false);
        };
        self.drain(ecu, node, None, sink)?;
        Ok(true)
    }

    /// Adds an ECU, which starts at its start time or now, in the place of one that was detached if
    /// there is one.
    pub(crate) fn add(&mut self, mut config: EcuConfig) -> Result<usize, ConfigError> {
        config.start = config.start.max(self.now);
        self.check_addition(&config)?;
        // Other parts of the engine go from a bus to each port that ever was on it, so that a place
        // serves only ECUs with the same ports.
        let free = self.ecus.iter().position(|ecu| {
            let buses = ecu.ports.iter().map(|port| port.config.bus);
            ecu.detached && buses.eq(config.ports.iter().map(|port| port.bus))
        });
        let index = free.unwrap_or(self.ecus.len());
        let mut planned = vec![(config.start, Planned::Boot { ecu: index })];
        for (fault, when) in config.faults.iter().enumerate() {
            planned.push((when.from, Planned::FaultBegins { ecu: index, fault }));
            planned.push((when.until, Planned::FaultEnds { ecu: index, fault }));
        }
        planned.sort_by_key(|&(at, _)| at);
        for (at, event) in planned {
            // The next one is last; of things for the same time, the one added first comes first.
            let place = self.plan.partition_point(|&(other, _)| other > at);
            self.plan.insert(place, (at, event));
        }
        let ports = std::mem::take(&mut config.ports).into_iter().enumerate();
        let ports: Vec<Controller> = ports
            .map(|(port, settings)| {
                let place = free.map(|at| self.ecus[at].ports[port].bus_port);
                let bus = &mut self.buses[settings.bus];
                let bus_port = bus.join(place, (index, port), &config.name);
                Controller::new(settings, bus_port)
            })
            .collect();
        let driver = Arc::new(DriverCosts::of(&config.board));
        let ecu = Ecu::new(config, ports, driver);
        match free {
            Some(at) => self.ecus[at] = ecu,
            None => {
                self.ecus.push(ecu);
                self.agenda.add_ecu();
            }
        }
        self.await_plan();
        Ok(index)
    }

    fn check_addition(&self, config: &EcuConfig) -> Result<(), ConfigError> {
        let names: Vec<&str> = self.buses.iter().map(|bus| bus.name.as_str()).collect();
        config.check(&names, self.now)?;
        for port in &config.ports {
            let bus = &self.buses[port.bus];
            if bus.members() >= PARTIES_MAX {
                let bus = bus.name.clone();
                return Err(ConfigError::CrowdedBus { bus });
            }
        }
        Ok(())
    }

    /// Takes an ECU away now: it loses power, and its controllers leave their buses.
    pub(crate) fn remove(&mut self, ecu: usize, sink: &mut dyn EngineSink) {
        self.plan.retain(|(_, planned)| planned.ecu() != ecu);
        self.await_plan();
        self.reset(ecu, sink);
        for at in 0..self.ecus[ecu].ports.len() {
            let (bus, bus_port) = {
                let controller = &self.ecus[ecu].ports[at];
                (controller.config.bus, controller.bus_port)
            };
            self.buses[bus].vacate(bus_port);
        }
        let state = &mut self.ecus[ecu];
        state.retained.clear();
        state.detached = true;
    }
}
