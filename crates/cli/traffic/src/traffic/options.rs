//! Settings of vehicles' sending, as options of several commands.

use std::path::PathBuf;
use std::sync::Arc;

use waywarden_traffic_lab::radio::{
    Antenna, ChannelSwitching, DataRate, FrameTiming, Propagation, RadioSettings,
};
use waywarden_traffic_lab::{AttackSettings, RunSettings};

use super::scenario::{Folder, buildings};
use super::stack::{StackOptions, StackPlan};
use waywarden_command_line::exit::Failure;

/// The radio, and the messages of vehicles.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "How vehicles send")]
pub(super) struct RadioOptions {
    /// Buildings that take power from the radio: polygons of SUMO (.poly.xml).
    #[arg(long, value_name = "FILE")]
    pub(super) buildings: Option<PathBuf>,
    /// Length of a frame with its MAC header and check sequence, 40 to 2,304 bytes.
    #[arg(long, value_name = "BYTES", default_value_t = BEACON_BYTES)]
    #[arg(value_parser = clap::value_parser!(u32).range(40..=2304))]
    bytes: u32,
    /// Number of messages that a vehicle sends in a second, 1 to 50.
    #[arg(long, value_name = "HZ", default_value_t = BEACONS_A_SECOND)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=50))]
    rate: u64,
    /// The power that vehicles send with, 0.001 to 2,000 mW.
    #[arg(long, value_name = "MW", default_value_t = 20.0, value_parser = power)]
    power: f64,
    /// The data rate in Mb/s: 3, 4.5, 6, 9, 12, 18, 24 or 27.
    #[arg(long, value_name = "MBPS", default_value_t = DataRate::Mbps6)]
    data_rate: DataRate,
    /// Duration of a frame: by the symbols of IEEE 802.11p, or in whole subframes of 1 ms like
    /// those of C-V2X. This approximates the rates of C-V2X; its way of taking turns is not there.
    #[arg(long, value_enum, default_value_t)]
    frames: Frames,
    /// With subframes, how many bytes one takes, 1 to 10,000.
    #[arg(long, value_name = "BYTES", default_value_t = 648)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
    subframe_bytes: u32,
    /// Vehicles make their messages within so many ms of the begin of a common period, 0 to 1,000;
    /// 0: all at once [default: each at a phase of its own].
    #[arg(long, value_name = "MS")]
    #[arg(value_parser = clap::value_parser!(u64).range(0..=1_000))]
    phases_within: Option<u64>,
    /// Stations change between the control channel and a service channel, 50 ms each [1609.4 §6.2].
    #[arg(long)]
    channel_switching: bool,
    #[command(flatten)]
    stack: StackOptions,
}

/// Length and rate of beacons without options.
const BEACON_BYTES: u32 = 460;
const BEACONS_A_SECOND: u64 = 10;

/// Rule for the duration of frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Frames {
    /// By the symbols of IEEE 802.11p.
    #[default]
    Ofdm,
    /// In whole subframes of 1 ms, like C-V2X.
    Subframes,
}

fn power(text: &str) -> Result<f64, String> {
    let power: Option<f64> = text.parse().ok();
    let power = power.filter(|power| (0.001..=2_000.0).contains(power));
    power.ok_or_else(|| "a power from 0.001 to 2000 mW".to_owned())
}

impl RadioOptions {
    fn radio(&self) -> RadioSettings {
        RadioSettings {
            power_mw: self.power,
            rate: self.data_rate,
            timing: match self.frames {
                Frames::Ofdm => FrameTiming::Ofdm,
                Frames::Subframes => FrameTiming::Subframes {
                    bytes: self.subframe_bytes,
                },
            },
            phases_within_ns: self.phases_within.map(|ms| ms * 1_000_000),
            channel_switching: self.channel_switching.then_some(ChannelSwitching::STANDARD),
            ..RadioSettings::DEFAULT
        }
    }

    /// Returns the stack that sends in place of beacons, if there is one.
    pub(super) fn stack(&self) -> Result<Option<StackPlan>, Failure> {
        let given = [
            (self.bytes != BEACON_BYTES, "--bytes"),
            (self.rate != BEACONS_A_SECOND, "--rate"),
            (self.phases_within.is_some(), "--phases-within"),
            (self.channel_switching, "--channel-switching"),
        ];
        let given: Vec<&str> = given
            .into_iter()
            .filter_map(|(is_given, name)| is_given.then_some(name))
            .collect();
        self.stack.plan(self.radio(), &given)
    }

    /// Returns the settings of a run. Buildings of a scenario stand where no others are named.
    pub(super) fn settings(
        &self,
        folder: Option<&Folder>,
        attack: Option<AttackSettings>,
        seed: u64,
    ) -> Result<RunSettings, Failure> {
        let buildings = match (&self.buildings, folder) {
            (Some(path), _) => Some(buildings(path)?),
            (None, Some(folder)) => folder.buildings()?,
            (None, None) => None,
        };
        let radio = self.radio();
        let airtime_ns = radio.airtime_ns(self.bytes);
        let switching = radio.channel_switching;
        if switching.is_some_and(|switching| switching.frames_begin(airtime_ns).is_none()) {
            return Err(Failure::new(format_args!(
                "a frame of {} bytes takes {:.1} ms, longer than the 46 ms of a control channel \
                 interval; give a higher --data-rate, fewer --bytes, or no --channel-switching",
                self.bytes,
                airtime_ns as f64 / 1e6,
            )));
        }
        let gains = folder.map_or(&[][..], |folder| &folder.scenario.radio.antenna_dbi);
        Ok(RunSettings {
            radio,
            propagation: Propagation {
                antenna: Antenna::new(gains),
                buildings: buildings.map(Arc::new),
                ..Propagation::FREE_SPACE
            },
            bytes: self.bytes,
            period_ns: 1_000_000_000 / self.rate,
            attack,
            seed,
        })
    }
}
