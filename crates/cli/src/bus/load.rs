//! `waywarden bus load`: what a recorded log does to a bus of given rates.
//!
//! The load is counted frame by frame, exact to the bit. For latencies the log is played onto a
//! simulated bus: each frame is released at its time stamp and competes with the others.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use serde::Serialize;
use waywarden_boards::Board;
use waywarden_can::Frame;
use waywarden_can::bits::{FdVariant, frame_length};
use waywarden_can::node::Port;
use waywarden_can::timing::{BitTiming, duration};
use waywarden_can_sim::Simulation;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{BusConfig, Config, EcuConfig};
use waywarden_can_sim::controller::{Acceptance, PortConfig, acceptance_key};
use waywarden_can_sim::cpu::Priorities;
use waywarden_can_sim::notes::Notes;
use waywarden_vehicle::file::Pace;
use waywarden_vehicle::measure::Measure;
use waywarden_vehicle::nodes::{Lane, Playback};
use waywarden_vehicle::readable::percent;
use waywarden_work::{Duration, Instant};

use crate::exit::{Answer, Failure};
use crate::files;
use crate::quantity::Rates;
use crate::table::{Format, Rows, print_json};

/// The exact load a log puts on a bus: by identifier, worst gaps, latency under arbitration.
///
/// LOG is a candump, ASC or BLF log, plain or gzip. Each channel of the log is a bus of its own,
/// with a load of its own; the log as a whole has one only if it has one channel. A log whose
/// frames all have one time stamp has no length and is refused. Memory grows with the log, by some
/// 230 bytes a frame, for the frames are played onto the simulated bus.
#[derive(Debug, clap::Args)]
pub(crate) struct Load {
    /// The log.
    log: PathBuf,
    #[command(flatten)]
    rates: Rates,
    /// Only this channel of the log.
    #[arg(long)]
    channel: Option<String>,
    /// The CAN FD frame format before ISO 11898-1:2015.
    #[arg(long)]
    non_iso: bool,
    /// How many identifiers the table shows, heaviest first; 0 means all. JSON and CSV show all.
    #[arg(long, default_value_t = 20)]
    most: usize,
    /// The form of the figures.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What a log does to a bus. Loads are shares; intermission is counted unless said otherwise.
#[derive(Debug, Serialize)]
struct Summary {
    frames: u64,
    ids: usize,
    /// From the first time stamp to the last.
    duration_s: f64,
    /// Frames and their three bits of intermission: 1 is a bus without a free moment. `None` for
    /// several channels: the loads of two buses have no sum.
    load: Option<f64>,
    /// Frames alone, from start of frame to end of frame.
    load_without_intermission: Option<f64>,
    /// How many frames are stamped earlier than the one before; they count as simultaneous with it.
    backwards: u64,
    /// How many frames share their time stamp with the one before; many mean a coarse clock.
    simultaneous: u64,
    channels: Vec<ChannelSummary>,
}

#[derive(Debug, Serialize)]
struct ChannelSummary {
    channel: String,
    frames: u64,
    ids: Vec<IdSummary>,
    load: f64,
    load_without_intermission: f64,
}

#[derive(Debug, Serialize)]
struct IdSummary {
    id: String,
    extended: bool,
    frames: u64,
    load: f64,
    worst_gap_ms: Option<f64>,
    /// From the time stamp to the end of the frame on the simulated bus.
    mean_latency_ms: f64,
    worst_latency_ms: f64,
}

/// The frames of one channel, from the log's first time stamp on.
type Recorded = Vec<(Duration, Frame)>;

/// A log as it was read.
struct Read {
    channels: BTreeMap<String, Recorded>,
    /// From the first time stamp to the latest.
    length: Duration,
    simultaneous: u64,
    backwards: u64,
}

impl Load {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let Read {
            channels,
            length,
            simultaneous,
            backwards,
        } = self.read()?;
        let timing = self.rates.timing()?;
        let variant = if self.non_iso {
            FdVariant::NonIso
        } else {
            FdVariant::Iso
        };
        let mut summary = Summary {
            frames: 0,
            ids: 0,
            duration_s: length.as_nanos() as f64 * 1e-9,
            load: None,
            load_without_intermission: None,
            backwards,
            simultaneous,
            channels: Vec::new(),
        };
        let mut ids = std::collections::BTreeSet::new();
        for (channel, frames) in channels {
            ids.extend(frames.iter().map(|(_, frame)| acceptance_key(frame.id())));
            let bus = Bus {
                timing,
                variant,
                length,
            };
            let channel = bus.summary(channel, frames)?;
            summary.frames += channel.frames;
            summary.channels.push(channel);
        }
        if let [only] = summary.channels.as_slice() {
            summary.load = Some(only.load);
            summary.load_without_intermission = Some(only.load_without_intermission);
        }
        summary.ids = ids.len();
        self.print(&summary)?;
        Ok(Answer::Yes)
    }

    fn read(&self) -> Result<Read, Failure> {
        let frames = files::log_frames(&self.log)?;
        let first = frames.first().map_or(0, |(_, at, _)| *at);
        let mut channels: BTreeMap<String, Recorded> = BTreeMap::new();
        let (mut latest, mut simultaneous, mut backwards, mut before) = (0, 0, 0, first);
        for (at, (channel, at_ns, frame)) in frames.into_iter().enumerate() {
            let since = at_ns.saturating_sub(first);
            backwards += u64::from(at_ns < before);
            before = at_ns;
            simultaneous += u64::from(at > 0 && since <= latest);
            latest = latest.max(since);
            if self
                .channel
                .as_ref()
                .is_none_or(|wanted| *wanted == channel)
            {
                let frames = channels.entry(channel).or_default();
                frames.push((Duration::from_nanos(latest), frame));
            }
        }
        let log = self.log.display();
        match &self.channel {
            Some(channel) if channels.is_empty() => Err(Failure::new(format_args!(
                "{log}: the log has no frame on channel {channel}"
            ))),
            None if channels.is_empty() => {
                Err(Failure::new(format_args!("{log}: the log has no frame")))
            }
            _ if latest == 0 => Err(Failure::new(format_args!(
                "{log}: all frames have one time stamp, so there is no time to share; a load needs \
                 a log with later frames"
            ))),
            _ => Ok(Read {
                channels,
                length: Duration::from_nanos(latest),
                simultaneous,
                backwards,
            }),
        }
    }

    fn print(&self, summary: &Summary) -> Result<(), Failure> {
        use io::Write;
        let mut out = io::stdout().lock();
        match self.format {
            Format::Json => print_json(&mut out, summary)?,
            Format::Csv => rows(summary, usize::MAX).print_csv(&mut out)?,
            Format::Table => {
                writeln!(
                    out,
                    "{}: {} frames, {} identifiers, {:.3} s",
                    self.log.display(),
                    summary.frames,
                    summary.ids,
                    summary.duration_s
                )?;
                if summary.backwards > 0 {
                    writeln!(
                        out,
                        "warning: {} frames are stamped earlier than the one before and count as \
                         simultaneous with it; the log is not in order, and loads may be wrong",
                        summary.backwards
                    )?;
                }
                if summary.simultaneous * 10 > summary.frames {
                    writeln!(
                        out,
                        "note: {} frames have the time stamp of the one before; latencies follow \
                         the log's coarse clock",
                        summary.simultaneous
                    )?;
                }
                for channel in &summary.channels {
                    writeln!(
                        out,
                        "{}: {} frames, {} identifiers, load {} ({} without intermission)",
                        channel.channel,
                        channel.frames,
                        channel.ids.len(),
                        percent(channel.load),
                        percent(channel.load_without_intermission)
                    )?;
                }
                let most = if self.most == 0 {
                    usize::MAX
                } else {
                    self.most
                };
                rows(summary, most).print(&mut out)?;
            }
        }
        Ok(())
    }
}

fn rows(summary: &Summary, most: usize) -> Rows {
    let mut rows: Vec<(&str, &IdSummary)> = summary
        .channels
        .iter()
        .flat_map(|channel| channel.ids.iter().map(|id| (channel.channel.as_str(), id)))
        .collect();
    if most < rows.len() {
        rows.sort_by(|a, b| b.1.load.total_cmp(&a.1.load));
        rows.truncate(most);
    }
    let rows = rows.into_iter().map(|(channel, id)| {
        vec![
            channel.to_owned(),
            id.id.clone(),
            id.frames.to_string(),
            format!("{:.3} %", id.load * 100.0),
            id.worst_gap_ms
                .map_or("-".to_owned(), |gap| format!("{gap:.3}")),
            format!("{:.3}", id.mean_latency_ms),
            format!("{:.3}", id.worst_latency_ms),
        ]
    });
    Rows {
        headers: vec![
            "channel",
            "id",
            "frames",
            "load",
            "worst gap ms",
            "mean latency ms",
            "worst latency ms",
        ],
        rows: rows.collect(),
        numbers: 2..7,
    }
}

/// A bus that a channel of the log is put on.
struct Bus {
    timing: BitTiming,
    variant: FdVariant,
    length: Duration,
}

impl Bus {
    fn summary(&self, channel: String, frames: Recorded) -> Result<ChannelSummary, Failure> {
        let intermission = self.timing.intermission().get();
        let log_ps = self.length.as_nanos().saturating_mul(1_000).max(1) as f64;
        let mut busy: BTreeMap<u32, u64> = BTreeMap::new();
        let mut gaps: BTreeMap<u32, (Duration, Option<Duration>)> = BTreeMap::new();
        for (at, frame) in &frames {
            let key = acceptance_key(frame.id());
            let length = frame_length(frame, self.variant);
            *busy.entry(key).or_default() += duration(&length, &self.timing).get();
            let (last, worst) = gaps.entry(key).or_insert((*at, None));
            if last != at || worst.is_some() {
                *worst = Some(worst.map_or(*at - *last, |worst| worst.max(*at - *last)));
            }
            *last = *at;
        }
        let count = frames.len() as u64;
        let alone: u64 = busy.values().sum();
        let measure = self.play(&channel, frames)?;
        let ids = measure.ids.iter().map(|(&(_, key), (id, figures))| {
            let ms =
                |span: Option<Duration>| span.map_or(0.0, |span| span.as_nanos() as f64 * 1e-6);
            let with_intermission = busy[&key] + figures.frames * intermission;
            IdSummary {
                id: id.to_string(),
                extended: id.is_extended(),
                frames: figures.frames,
                load: with_intermission as f64 / log_ps,
                worst_gap_ms: gaps[&key].1.map(|gap| ms(Some(gap))),
                mean_latency_ms: ms(figures.latency.mean()),
                worst_latency_ms: ms(figures.latency.greatest()),
            }
        });
        Ok(ChannelSummary {
            channel,
            frames: count,
            ids: ids.collect(),
            load: (alone + count * intermission) as f64 / log_ps,
            load_without_intermission: alone as f64 / log_ps,
        })
    }

    /// Plays the channel onto a simulated bus until its last frame is through.
    fn play(&self, channel: &str, frames: Recorded) -> Result<Measure, Failure> {
        let count = frames.len();
        let lane = Lane {
            port: Port(0),
            frames: Rc::from(frames),
        };
        let port = |queue| PortConfig {
            transmit_queue: queue,
            ..PortConfig::on(0)
        };
        let player = move || {
            let lanes = vec![lane.clone()];
            Playback::new(lanes, Pace::Recorded, None, Instant::ZERO, Instant::MAX)
        };
        let silent = PortConfig {
            acceptance: Acceptance::Only(Vec::new()),
            ..port(1)
        };
        let config = Config {
            seed: 0,
            buses: vec![BusConfig {
                name: channel.to_owned(),
                timing: self.timing,
                variant: self.variant,
                interferers: Vec::new(),
            }],
            ecus: vec![
                ecu(
                    "log",
                    port(count.max(1)),
                    Box::new(move |_| Box::new(player())),
                )?,
                ecu("listener", silent, Box::new(|_| Box::new(Listener)))?,
            ],
        };
        let intermission = vec![self.timing.intermission().get()];
        let mut measure = Measure::new(2, intermission, Vec::new(), Rc::default());
        let mut simulation = Simulation::new(config).map_err(Failure::new)?;
        simulation
            .run_until(Time::NEVER, &mut measure)
            .map_err(Failure::new)?;
        Ok(measure)
    }
}

fn ecu(
    name: &str,
    port: PortConfig,
    build: waywarden_can_sim::config::BuildNode,
) -> Result<EcuConfig, Failure> {
    let board = Board::builtin("ideal")
        .map(Arc::new)
        .ok_or_else(|| Failure::new("the built-in board ideal is missing"))?;
    Ok(EcuConfig {
        name: name.to_owned(),
        board,
        cores: 1,
        priorities: Priorities::default(),
        drift_ppb: 0,
        ports: vec![port],
        start: Time::ZERO,
        faults: Vec::new(),
        build,
        notes: Notes::default(),
    })
}

/// Acknowledges and does nothing.
struct Listener;

impl waywarden_can::node::Node for Listener {
    fn handle(&mut self, _now: Instant, _input: waywarden_can::node::Input<'_>) {}

    fn poll(
        &mut self,
        _now: Instant,
        _room: waywarden_can::node::Ports,
    ) -> waywarden_can::node::Output {
        waywarden_can::node::Output::Idle(None)
    }
}
