//! From hop to hop until nothing grows: delays, jitter, processors and buses together.

mod buses;
mod pairs;

use waywarden_response_time::NoBound;
use waywarden_vehicle_file::{BusIndex, EcuIndex, StreamIndex, VehicleFile};
use waywarden_vehicle_resources::Resources;

use crate::key_traffic::KeyTraffic;

use crate::confinement::Confined;
use crate::cpu::{self, Job};
use crate::hops::{DeriveError, Hops, Load, Role, Source, Trigger};
use crate::keys::{self, KeyMessages};
use crate::tries::Tries;

/// Number of rounds over all hops; what still grows then has no bound.
const ROUNDS_MAX: usize = 200;
/// From the release to the request: rounding of clocks to whole nanoseconds, in picoseconds.
const ROUNDING: u64 = 2_000;

type Time = Result<u64, NoBound>;
/// All that grows from round to round.
type State = (Vec<Time>, Vec<[Time; 3]>, [Vec<bool>; 2], Vec<Confined>);

/// Errors, attempts and key exchanges that the analysis is to tolerate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoundOptions {
    /// Errors on each bus: how many at once, and the shortest time in picoseconds to the next one.
    pub errors: Option<(u64, u64)>,
    /// True if a receiver computes a code for each freshness value and each message that it may
    /// try, as under forged messages; else as many as genuine messages in order need.
    pub every_attempt: bool,
    /// True if the streams of one sender keep the offsets that the file gives them; unknown ones
    /// are any.
    pub offsets: bool,
    /// The frames of key exchanges that go on beside the streams.
    pub keys: Vec<KeyTraffic>,
}

/// The bound of a stream on a bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamBound {
    /// Stream that is bounded.
    pub stream: StreamIndex,
    /// Bus that the bound is about.
    pub bus: BusIndex,
    /// The longest time in picoseconds from release to the slowest receiver on this bus, which has
    /// checked the message if it checks; to the end of the frame if nothing receives it there.
    pub bound: Result<u64, NoBound>,
    /// Number of its receivers on this bus.
    pub receivers: usize,
}

/// Returns the bounds of all streams of a vehicle, by stream and bus.
///
/// # Errors
/// [`DeriveError`] by cause.
pub fn bounds(
    file: &VehicleFile,
    resources: &Resources,
    options: &BoundOptions,
) -> Result<Vec<StreamBound>, DeriveError> {
    let mut tries = Tries::new(options.every_attempt);
    loop {
        let hops = Hops::of(file, resources, &tries)?;
        let mut solver = Solver::new(&hops, options);
        solver.run();
        let streams = (0..file.streams.len()).map(StreamIndex);
        let all = streams.flat_map(|stream| {
            let carried = file.stream(stream).carried.iter();
            carried.map(move |carried| (stream, carried.bus))
        });
        let bounds: Vec<_> = all.map(|(stream, bus)| solver.bound(stream, bus)).collect();
        // Each turn counts more codes, of which there are a few for each stream.
        let latest = bounds.iter().map(|one| (one.stream, one.bound));
        if !tries.raise(file, latest) {
            return Ok(bounds);
        }
    }
}

struct Solver<'a> {
    hops: &'a Hops<'a>,
    options: &'a BoundOptions,
    keys: Vec<KeyMessages<'a>>,
    /// By hop: from release to acceptance.
    latency: Vec<Time>,
    /// By hop: from release to the request, at most.
    request: Vec<Time>,
    /// By hop: from release into the queue, at least.
    earliest: Vec<u64>,
    /// By ECU: of jobs that receive, send and compute codes.
    work: Vec<[Time; 3]>,
    /// By ECU and bus: true if a frame may find its queue full.
    is_full: Vec<bool>,
    /// By ECU and bus: effect of errors on the controller.
    confined: Vec<Confined>,
    /// By hop: true if its frames may come at any time, because its sender may be off.
    escaped: Vec<bool>,
}

impl<'a> Solver<'a> {
    fn new(hops: &'a Hops<'a>, options: &'a BoundOptions) -> Self {
        let number = hops.hops.len();
        let mut earliest = vec![0_u64; number];
        // Sources stand before what follows from them.
        for (at, hop) in hops.hops.iter().enumerate() {
            if let Source::Received(from) | Source::Checked(from, _) = &hop.source {
                let way = |&one: &usize| earliest[one] + hops.hops[one].frame.shortest;
                earliest[at] = from.iter().map(way).min().unwrap_or(0);
            }
        }
        Solver {
            hops,
            options,
            keys: options
                .keys
                .iter()
                .map(|one| KeyMessages::of(hops, one))
                .collect(),
            latency: vec![Ok(0); number],
            request: vec![Ok(0); number],
            earliest,
            work: vec![[Ok(0); 3]; hops.file.ecus.len()],
            is_full: vec![false; hops.file.ecus.len() * hops.file.buses.len()],
            escaped: vec![false; number],
            confined: vec![Confined::Active; hops.file.ecus.len() * hops.file.buses.len()],
        }
    }

    /// Goes round until nothing changes. Everything only grows.
    fn run(&mut self) {
        for _ in 0..ROUNDS_MAX {
            let before = self.state();
            self.work = (0..self.work.len())
                .map(|ecu| self.work_of(EcuIndex(ecu)))
                .collect();
            self.request = (0..self.hops.hops.len())
                .map(|at| self.request_of(at))
                .collect();
            for bus in 0..self.hops.buses.len() {
                self.solve_bus(BusIndex(bus));
            }
            self.fill_queues();
            if before == self.state() {
                return;
            }
        }
        self.latency.fill(Err(NoBound::NotConverged));
    }

    /// Returns all that grows.
    fn state(&self) -> State {
        let (latency, work) = (self.latency.clone(), self.work.clone());
        let flags = [self.is_full.clone(), self.escaped.clone()];
        (latency, work, flags, self.confined.clone())
    }

    fn work_of(&self, ecu: EcuIndex) -> [Time; 3] {
        let loads = self.hops.loads.iter().filter(|load| load.ecu == ecu);
        let mut jobs: Vec<Job> = loads.map(|load| self.job(load)).collect();
        jobs.extend(keys::jobs(&self.keys, self.hops, ecu));
        let tasks = &self.hops.file.ecu(ecu).tasks;
        cpu::responses(&jobs, tasks)
    }

    fn job(&self, load: &Load) -> Job {
        let hop = |at: usize| &self.hops.hops[at];
        let (at, from_release) = match load.trigger {
            Trigger::Release(at) => (at, Ok(0)),
            Trigger::Request(at) => (at, self.request[at]),
            Trigger::Receipt(at) => (
                at,
                self.latency[at].and_then(|one| {
                    let receive = self.work[load.ecu.0][0]?;
                    Ok(one + receive - self.earliest[at].min(one))
                }),
            ),
        };
        let (period, jitter) = match from_release {
            Ok(late) => (hop(at).period, hop(at).jitter + late),
            // As fast as the bus brings them.
            Err(_) => (hop(at).frame.shortest.max(1), hop(at).frame.longest),
        };
        Job {
            task: load.task,
            period,
            jitter,
            cost: load.cost,
            limits: Vec::new(),
        }
    }

    /// From release to the request of a frame: what it waits for in its ECU's software.
    fn request_of(&self, at: usize) -> Time {
        let hop = &self.hops.hops[at];
        let [receive, _, mac] = self.work[hop.ecu.0];
        let received = |from: &[usize]| {
            from.iter().try_fold(0, |latest: u64, &one| {
                Ok(latest.max(self.latency[one]? + receive?))
            })
        };
        match &hop.source {
            Source::Release => Ok(ROUNDING),
            Source::Tagged => Ok(mac? + ROUNDING),
            Source::Received(from) => received(from),
            Source::Checked(from, pause) => Ok(received(from)? + mac? + pause),
        }
    }

    /// From release to the transmit queue.
    fn queued(&self, at: usize) -> Time {
        let send = self.work[self.hops.hops[at].ecu.0][1];
        Ok(self.request[at]? + send?)
    }

    fn bound(&self, stream: StreamIndex, bus: BusIndex) -> StreamBound {
        let file = self.hops.file;
        let parts = self.hops.parts(stream, bus);
        let on_the_bus = |role: Option<Role>| {
            let parts = parts.iter();
            let mut parts =
                parts.filter(|&&at| role.is_none_or(|one| self.hops.hops[at].role == one));
            parts.try_fold(0, |latest: u64, &at| match self.is_lost(at) {
                true => Err(NoBound::BusOff),
                false => Ok(latest.max(self.latency[at]?)),
            })
        };
        let receivers = file.stream(stream).receivers.iter();
        let receivers: Vec<_> = receivers.filter(|one| one.bus == bus).collect();
        let at_receivers = receivers.iter().try_fold(0, |latest: u64, one| {
            let [receive, _, mac] = self.work[one.ecu.0];
            let taken = match file.takes_unchecked(stream, one.ecu, bus) {
                true => on_the_bus(Some(Role::Data))? + receive?,
                false => on_the_bus(None)? + receive? + mac?,
            };
            Ok(latest.max(taken))
        });
        StreamBound {
            stream,
            bus,
            bound: on_the_bus(None).and_then(|latest| {
                self.demand_pairs(stream, bus)?;
                Ok(latest.max(at_receivers?))
            }),
            receivers: receivers.len(),
        }
    }
}
