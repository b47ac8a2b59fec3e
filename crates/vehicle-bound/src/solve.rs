//! From hop to hop until nothing grows: delays, jitter, processors and buses together.

use waywarden_response_time::{Bus, Errors, Message, NoBound, Queue, response_times};
use waywarden_vehicle_file::resources::Resources;
use waywarden_vehicle_file::{BusIndex, EcuIndex, QueueOrder, StreamIndex, VehicleFile};

use crate::cpu::{self, Job};
use crate::hops::{DeriveError, Hop, Hops, Load, Role, Source, Trigger};
use crate::tries::Tries;

/// How often all hops are worked out; what still grows then has no bound.
const ROUNDS_MAX: usize = 200;
/// A latency above 100 s, in picoseconds, counts as one that grows without end.
const LONGEST: u64 = 100_000_000_000_000;
/// From the release to the request: rounding of clocks to whole nanoseconds, in picoseconds.
const ROUNDING: u64 = 2_000;
/// The flags, the delimiter and the intermission of an error, in bits [RTA §3.4].
const ERROR_BITS: u64 = 31;

type Time = Result<u64, NoBound>;

/// What the analysis is to tolerate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Errors on each bus: how many at once, and the shortest time in picoseconds to the next one.
    pub errors: Option<(u64, u64)>,
    /// Whether a receiver computes a code for each freshness value and each message that it may
    /// try, as under forged messages; else as many as genuine messages in order need.
    pub every_attempt: bool,
}

/// The bound of a stream on a bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamBound {
    /// The stream.
    pub stream: StreamIndex,
    /// The bus.
    pub bus: BusIndex,
    /// The longest time in picoseconds from release to the slowest receiver on this bus, which has
    /// checked the message if it checks; to the end of the frame if nothing receives it there.
    pub bound: Result<u64, NoBound>,
    /// How many of its receivers are on this bus.
    pub receivers: usize,
}

/// Returns the bounds of all streams of a vehicle, by stream and bus.
///
/// # Errors
/// [`DeriveError`] by cause.
pub fn bounds(
    file: &VehicleFile,
    resources: &Resources,
    options: Options,
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
    options: Options,
    /// By hop: from release to acceptance.
    latency: Vec<Time>,
    /// By hop: from release to the request, at most.
    request: Vec<Time>,
    /// By hop: from release into the queue, at least.
    earliest: Vec<u64>,
    /// By ECU: of jobs that receive, send and compute codes.
    work: Vec<[Time; 3]>,
    /// By ECU and bus: whether a frame may find its queue full.
    is_full: Vec<bool>,
}

impl<'a> Solver<'a> {
    fn new(hops: &'a Hops<'a>, options: Options) -> Self {
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
            latency: vec![Ok(0); number],
            request: vec![Ok(0); number],
            earliest,
            work: vec![[Ok(0); 3]; hops.file.ecus.len()],
            is_full: vec![false; hops.file.ecus.len() * hops.file.buses.len()],
        }
    }

    /// Goes round until nothing changes. Everything only grows.
    fn run(&mut self) {
        for _ in 0..ROUNDS_MAX {
            let before = (
                self.latency.clone(),
                self.work.clone(),
                self.is_full.clone(),
            );
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
            if before
                == (
                    self.latency.clone(),
                    self.work.clone(),
                    self.is_full.clone(),
                )
            {
                return;
            }
        }
        self.latency.fill(Err(NoBound::NotConverged));
    }

    fn work_of(&self, ecu: EcuIndex) -> [Time; 3] {
        let loads = self.hops.loads.iter().filter(|load| load.ecu == ecu);
        let jobs: Vec<Job> = loads.map(|load| self.job(load)).collect();
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

    fn solve_bus(&mut self, bus: BusIndex) {
        let all = self.hops.hops.iter().enumerate();
        let own: Vec<usize> = all
            .filter(|(_, hop)| hop.bus == bus)
            .map(|(at, _)| at)
            .collect();
        let bit = self.hops.buses[bus.0].bit();
        let set = Bus {
            bit,
            errors: self.options.errors.map(|(burst, interval)| Errors {
                burst: burst.max(1),
                interval: interval.max(1),
                overhead: ERROR_BITS * bit,
            }),
            messages: own.iter().map(|&at| self.message(at)).collect(),
        };
        for (&at, response) in own.iter().zip(response_times(&set)) {
            // Receivers have the frame before its intermission.
            let latency = response.map(|one| one + self.earliest[at] - 3 * bit);
            let latency = latency.and_then(|one| match one <= LONGEST {
                true => Ok(one),
                false => Err(NoBound::NotConverged),
            });
            self.latency[at] = self.queued(at).and(latency);
        }
    }

    fn message(&self, at: usize) -> Message {
        let hop = &self.hops.hops[at];
        let queued = self.queued(at);
        let late = queued.map_or(0, |queued| queued - self.earliest[at].min(queued));
        let port = self.port(hop);
        Message {
            priority: hop.priority,
            queue: match self.hops.file.ecu(hop.ecu).queue.order {
                _ if self.is_full[port] => Queue::Unordered(port),
                QueueOrder::Fifo => Queue::Fifo(port),
                QueueOrder::Priority => Queue::Priority,
            },
            period: queued.is_ok().then_some(hop.period),
            jitter: hop.jitter + late,
            uncounted: hop.jitter,
            frame: hop.frame.longest,
        }
    }

    fn port(&self, hop: &Hop) -> usize {
        hop.ecu.0 * self.hops.buses.len() + hop.bus.0
    }

    /// Finds the queues that may be full when a frame comes.
    fn fill_queues(&mut self) {
        let mut waiting = vec![0_u64; self.is_full.len()];
        for (at, hop) in self.hops.hops.iter().enumerate() {
            let frames = self.latency[at].map_or(u64::MAX, |latency| {
                (latency + hop.jitter) / hop.period.max(1) + 1
            });
            let port = self.port(hop);
            waiting[port] = waiting[port].saturating_add(frames);
        }
        let buses = self.hops.buses.len();
        for (port, waiting) in waiting.into_iter().enumerate() {
            let length = self.hops.file.ecus[port / buses].queue.length as u64;
            self.is_full[port] |= waiting > length;
        }
    }

    fn bound(&self, stream: StreamIndex, bus: BusIndex) -> StreamBound {
        let file = self.hops.file;
        let parts = self.hops.parts(stream, bus);
        let on_the_bus = |role: Option<Role>| {
            let parts = parts.iter();
            let mut parts =
                parts.filter(|&&at| role.is_none_or(|one| self.hops.hops[at].role == one));
            parts.try_fold(0, |latest: u64, &at| Ok(latest.max(self.latency[at]?)))
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
            bound: on_the_bus(None).and_then(|latest| Ok(latest.max(at_receivers?))),
            receivers: receivers.len(),
        }
    }
}
