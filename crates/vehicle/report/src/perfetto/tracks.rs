//! Meaning of the viewer's processes and threads: buses first, then ECUs.

use std::collections::BTreeSet;
use std::io::Write;

use waywarden_can::node::Task;
use waywarden_can_sim::config::Config;
use waywarden_can_sim::cpu::ProcessingUnit;
use waywarden_can_sim::json::task_name;
use waywarden_can_sim::trace::{BusIndex, EcuIndex};

use waywarden_vehicle_trace::Fact;

use super::items::{Items, Track};

/// The thread of a bus on which errors and strikes are marked; below it are the lanes of frames.
const DISTURBANCE: usize = 1_000;

/// The thread of an ECU on which boots, states and remarks are marked.
const LIFE: usize = 1;

/// The thread of the first of the four engines that a hardware security module may have.
const MODULE: usize = 5;

/// The thread of an ECU's core 0; each core has one for every task.
const WORK: usize = 10;

/// Names tracks when they are first used, so that the viewer shows no empty ones.
pub(super) struct Tracks {
    buses: Vec<String>,
    ecus: Vec<String>,
    named: BTreeSet<Track>,
}

impl Tracks {
    pub(super) fn new<W: Write>(config: &Config<Fact>, items: &mut Items<W>) -> Self {
        let tracks = Tracks {
            buses: config.buses.iter().map(|bus| bus.name.clone()).collect(),
            ecus: config.ecus.iter().map(|ecu| ecu.name.clone()).collect(),
            named: BTreeSet::new(),
        };
        for (at, name) in tracks.buses.iter().enumerate() {
            let pid = tracks.bus(BusIndex(at));
            items.process(pid, &format!("bus {name}"), pid);
        }
        for (at, name) in tracks.ecus.iter().enumerate() {
            let pid = tracks.ecu(EcuIndex(at));
            items.process(pid, name, pid);
        }
        tracks
    }

    pub(super) fn bus(&self, bus: BusIndex) -> usize {
        1 + bus.0
    }

    pub(super) fn ecu(&self, ecu: EcuIndex) -> usize {
        1 + self.buses.len() + ecu.0
    }

    pub(super) fn bus_name(&self, bus: BusIndex) -> &str {
        self.buses.get(bus.0).map_or("", String::as_str)
    }

    pub(super) fn ecu_name(&self, ecu: EcuIndex) -> &str {
        self.ecus.get(ecu.0).map_or("", String::as_str)
    }

    /// Returns the track of the frames of a bus; `lane` above 0 is for those that collide.
    pub(super) fn frames<W: Write>(
        &mut self,
        bus: BusIndex,
        lane: usize,
        items: &mut Items<W>,
    ) -> Track {
        let track = Track {
            pid: self.bus(bus),
            tid: 1 + lane,
        };
        self.name(track, items, || match lane {
            0 => "frames".to_owned(),
            _ => format!("colliding frames {lane}"),
        })
    }

    pub(super) fn disturbance_event<W: Write>(
        &mut self,
        bus: BusIndex,
        items: &mut Items<W>,
    ) -> Track {
        let track = Track {
            pid: self.bus(bus),
            tid: DISTURBANCE,
        };
        self.name(track, items, || "errors and strikes".to_owned())
    }

    pub(super) fn life<W: Write>(&mut self, ecu: EcuIndex, items: &mut Items<W>) -> Track {
        let track = Track {
            pid: self.ecu(ecu),
            tid: LIFE,
        };
        self.name(track, items, || "events".to_owned())
    }

    pub(super) fn work<W: Write>(
        &mut self,
        ecu: EcuIndex,
        (unit, task): (ProcessingUnit, Task),
        items: &mut Items<W>,
    ) -> Track {
        let core = match unit {
            ProcessingUnit::Core(core) => core,
            ProcessingUnit::SecurityModule(engine) => {
                let (pid, tid) = (self.ecu(ecu), MODULE + usize::from(engine));
                let name = || format!("hardware security module, engine {engine}");
                return self.name(Track { pid, tid }, items, name);
            }
        };
        let row = match task {
            Task::Receive => 0,
            Task::Send => 1,
            Task::Crypto => 2,
        };
        let tid = WORK + 3 * usize::from(core) + row;
        let track = Track {
            pid: self.ecu(ecu),
            tid,
        };
        self.name(track, items, || format!("core {core} {}", task_name(task)))
    }

    fn name<W: Write>(
        &mut self,
        track: Track,
        items: &mut Items<W>,
        name: impl FnOnce() -> String,
    ) -> Track {
        if self.named.insert(track) {
            items.thread(track, name());
        }
        track
    }
}
