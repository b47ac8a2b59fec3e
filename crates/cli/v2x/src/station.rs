//! `waywarden station`: V2X stations on the air.

mod capture;
mod certificates;
mod check;
mod clock;
mod commands;
mod identifiers;
mod names;
mod neighbourhood;
mod position;
mod positions;
mod print;
mod replay;
mod report;
mod runs;
mod screen;
mod send;
pub mod service;
mod silence;
mod tracks;

use std::net::{Ipv4Addr, SocketAddrV4};
use std::path::PathBuf;
use std::time::Duration;

use waywarden_v2x_link::UdpSettings;
use waywarden_v2x_schedule::Policy;
use waywarden_vehicle_tracks::{ColumnNames, PlaneOrigin};

use self::capture::Capture;
use self::position::PositionSource;
use self::print::Printer;
pub(crate) use self::print::SCHEMA;
use self::screen::Screen;
use self::send::SendOption;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files;
use waywarden_pki_folder::credential::CredentialIdentity;

use names::{
    AttackName, CongestionName, FormName, FormatName, LinkName, MessageName, RoleName, link, rate,
    span, speed,
};

/// Options that have no meaning for a recording.
const REPLAYS_ALONE: [&str; 11] = [
    "congestion_control",
    "stations",
    "listeners",
    "duration",
    "virtual_time",
    "attack",
    "link",
    "write_trust",
    "send",
    "change_every",
    "change_after",
];

/// Options whose settings the security service has in the place of the station.
const SERVED_ELSEWHERE: [&str; 10] = [
    "pki",
    "certificate",
    "trust",
    "laboratory",
    "authorities",
    "certificates",
    "role",
    "virtual_time",
    "attack",
    "replay",
];

const EXAMPLES: &str = "\
Examples:
  waywarden station --duration 60s
  waywarden station --stations 20 --virtual-time --duration 60s --record neighbourhood.pcapng
  waywarden station --stations 4 --attack forged,replayed,late --virtual-time --duration 15s
  waywarden station --message bsm --change-every 20s --format json
  waywarden station --position 48.137,11.575 --send examples/v2x/junction/spatem.json@100
  waywarden station --replay neighbourhood.pcapng --replay-speed max
  waywarden station --position track:drive.nmea --virtual-time --strict
  waywarden station --position track:log.csv --columns time=t,latitude=y,longitude=x --virtual-time

While it runs, it takes commands from standard input, a line each: `event CAUSE [SUBCAUSE]` sends
a warning (DENM), `cancel [NUMBER]` takes it back, `change` takes another pseudonym, `quit` ends.
An event is of the first station; `station N COMMAND` is for another one, counted from 0.";

/// Send and verify V2X messages as stations on the road do.
///
/// Each station sends CAMs by the rules of EN 302 637-2, or BSMs ten times a second, signed as its
/// profile has it, and verifies what it hears. Stations of one program drive one behind the other
/// on a ring. Their certificates come from an authority in the program: all programs with the same
/// --laboratory trust each other's stations. These keys are public; never use them on a road. One
/// station can have certificates of your own: --pki and --as, or --certificate and --key; or have
/// the security service sign and verify: --service.
///
/// Frames travel over UDP multicast on the loopback interface, in TZSP, which Wireshark reads
/// (`tshark -i lo -f 'udp port 37008'`); with --link memory, within the program. With
/// --virtual-time it does not wait for the clock, and the same --seed gives the same messages.
///
/// Exit code 0; 1 if a station accepted a forged, replayed, late or displaced message, or sent
/// nothing because of its time, position, certificate or link; 2 for bad input.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct StationCommand {
    /// Number of stations, 1 to 200.
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=200))]
    stations: u16,
    /// Number of stations that verify what they hear, from the first one on [default: all].
    #[arg(long, value_name = "N")]
    listeners: Option<u16>,
    /// The messages that the stations send.
    #[arg(long, value_enum, default_value_t)]
    message: MessageName,
    /// Have each station control how often it sends by how busy the channel is, as far as it can
    /// read its frames [TS 102 687]; packets to all in range tell the busy ratios.
    #[arg(long, value_enum, value_name = "ALGORITHM", default_value_t)]
    congestion_control: CongestionName,
    /// Have the first station send the message in this file, too, each second or each so many
    /// milliseconds (10 to 3600000): JSON as `inspect --format json` shows a message, with `kind`,
    /// `release` and `value`, and with `psid` for another application than the usual one. May be
    /// given 16 times.
    #[arg(long, value_name = "FILE[@MILLISECONDS]", value_parser = send::option)]
    send: Vec<SendOption>,
    /// Duration of the run [default: until ^C, SIGTERM or `quit`].
    #[arg(long, value_name = "TIME", value_parser = span)]
    duration: Option<Duration>,
    /// Run through the duration at once, in virtual time.
    #[arg(long, conflicts_with_all = ["link", "group", "interface"])]
    virtual_time: bool,
    /// Seed of all random choices, in virtual time.
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 1,
        requires = "virtual_time"
    )]
    seed: u64,
    #[command(flatten)]
    identity: CredentialIdentity,
    /// A certificate above --certificate, up to the root; may be given more than once.
    #[arg(long, value_name = "FILE", requires = "certificate")]
    chain: Vec<PathBuf>,
    /// File of the pseudonyms that the station has used, so that it takes another one when it
    /// starts again [default: PKI/NAME.used.json, for a vehicle with several].
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Certificates that the station trusts, as for `verify`: a trust store, or a folder with
    /// certificates [default: the laboratory, or the folder `trust` of --pki].
    #[arg(long, value_name = "DIR")]
    trust: Option<PathBuf>,
    /// Accept messages whatever their payloads say: by default, a CAM, DENM or BSM outside of the
    /// region, or without the permissions, of its signer's certificate is refused. With --service,
    /// the service's configuration decides.
    #[arg(long, conflicts_with = "service")]
    no_payload_check: bool,
    /// Have the security service at this socket sign and verify (`waywarden serve`).
    #[arg(long, value_name = "unix:PATH", value_parser = service::address)]
    #[arg(conflicts_with_all = SERVED_ELSEWHERE)]
    service: Option<PathBuf>,
    /// The number from which the keys of the authority in the program follow.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    laboratory: u64,
    /// Number of authorities that issue the stations' certificates, in turns, 1 to 8. Stations know
    /// the first one, and ask each other for the others.
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=8))]
    authorities: u8,
    /// The form of the key in the stations' certificates.
    #[arg(long, value_enum, default_value_t)]
    certificates: FormName,
    /// The rate at which a station takes new certificates.
    #[arg(long, value_enum, default_value_t)]
    role: RoleName,
    /// Link that carries the frames: `udp` (multicast), `memory` (of the program), or
    /// `ethernet:INTERFACE` (raw frames, which takes root or CAP_NET_RAW) [default: udp].
    #[arg(long, value_parser = link)]
    link: Option<LinkName>,
    /// The multicast group and port of --link udp.
    #[arg(
        long,
        value_name = "ADDRESS:PORT",
        default_value = "239.118.50.88:37008"
    )]
    group: SocketAddrV4,
    /// The address of the interface of --link udp.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    interface: Ipv4Addr,
    /// Messages that a station verifies first, where it cannot verify all: fifo, class, deadline,
    /// safety, circle:150m, ellipse:25x300m or sector:300m:90deg; several separated by commas, the
    /// most important first, and `exclusive` at the end to verify nothing from outside.
    #[arg(long, default_value = "fifo")]
    policy: Policy,
    /// Position of the station: on the ring road (`ring`), as gpsd reports (`gpsd`, or
    /// `gpsd:HOST:PORT`), on a vehicle's track (`track:FILE`: GPX, NMEA 0183, CSV or floating car
    /// data of SUMO, compressed by gzip or not; each station is a vehicle of it), or at a fixed
    /// place, as a roadside unit (`LATITUDE,LONGITUDE[,METRES]`).
    #[arg(long, value_name = "SOURCE", default_value = "ring", value_parser = position::parse)]
    #[arg(allow_hyphen_values = true)]
    position: PositionSource,
    /// Origin (0,0) of a --position track:FILE of SUMO in metres.
    #[arg(long, value_name = "LATITUDE,LONGITUDE", value_parser = position::origin)]
    #[arg(allow_hyphen_values = true)]
    origin: Option<PlaneOrigin>,
    /// Refuse a --position track:FILE for its first fault, in the place of skipping and counting
    /// what is damaged.
    #[arg(long)]
    strict: bool,
    /// The columns of a --position track:FILE in CSV that are not named as usual:
    /// `time=t,latitude=y,longitude=x`; and altitude, speed, speed_km_h, heading, vehicle.
    #[arg(long, value_name = "FIELD=NAME,...")]
    columns: Option<ColumnNames>,
    /// The mean speed of the vehicles in m/s, 0 to 100.
    #[arg(long, value_name = "M/S", default_value = "13.9", value_parser = speed)]
    #[arg(allow_hyphen_values = true)]
    speed: f64,
    /// Take another pseudonym this often, made longer by up to a fifth at random.
    #[arg(long, value_name = "TIME", value_parser = span)]
    change_every: Option<Duration>,
    /// Take another pseudonym after so many metres, made longer by up to a fifth at random.
    #[arg(long, value_name = "METRES")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    change_after: Option<u32>,
    /// Be silent for this long after a change, and up to twice as long at random.
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = span)]
    silence: Duration,
    /// Add a hostile station that does this; several, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "ATTACK")]
    attack: Vec<AttackName>,
    /// Messages of each attack in a second, but for floods.
    #[arg(long, value_name = "PER SECOND", default_value = "5", value_parser = rate)]
    attack_rate: f64,
    /// Messages of a flood in a second.
    #[arg(long, value_name = "PER SECOND", default_value = "1000", value_parser = rate)]
    flood_rate: f64,
    /// Have one station hear the messages of a recording, in every format that `verify` reads. Its
    /// clock is that of the recording: when a message was captured, or else made.
    #[arg(long, value_name = "FILE", conflicts_with_all = REPLAYS_ALONE)]
    replay: Option<PathBuf>,
    /// Speed of the replay, as a multiple of the recorded speed, or `max`.
    #[arg(long, value_name = "TIMES", default_value = "1", value_parser = replay::speed)]
    #[arg(requires = "replay")]
    replay_speed: replay::Speed,
    /// Write the frames to a capture (pcapng), which must not exist.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Write the certificates of the root and the authorities to this new folder, for `waywarden
    /// verify --trust`.
    #[arg(long, value_name = "DIR")]
    write_trust: Option<PathBuf>,
    /// Form of the output [default: `live` on a terminal in real time, else `text`].
    #[arg(long, value_enum)]
    format: Option<FormatName>,
}

impl StationCommand {
    /// Does what was asked.
    ///
    /// # Errors
    /// [`Failure`] for bad input, and for what the operating system refuses.
    pub fn execute(&self) -> Result<Answer, Failure> {
        files::refuse_pipes();
        self.check()?;
        let capture = self.record.as_deref().map(Capture::create).transpose()?;
        let mut printer = Printer::new(self.format()?, capture)?;
        match (&self.replay, self.virtual_time) {
            (Some(path), _) => replay::run(self, path, &mut printer)?,
            (None, true) => runs::in_virtual_time(self, &mut printer)?,
            (None, false) => runs::in_real_time(self, &mut printer)?,
        }
        printer.finish(self.replay.is_none())
    }

    /// Returns the form of the output.
    fn format(&self) -> Result<FormatName, Failure> {
        let is_fast = self.virtual_time || self.replay.is_some();
        match self.format {
            Some(FormatName::Live) if is_fast => Err(Failure::new(
                "--format live: it follows stations in real time; leave out --virtual-time and \
                 --replay",
            )),
            Some(FormatName::Live) if !Screen::is_possible() => Err(Failure::new(
                "--format live: standard input and output have to be a terminal; give --format \
                 text or json",
            )),
            Some(format) => Ok(format),
            None if is_fast || !Screen::is_possible() => Ok(FormatName::Text),
            None => Ok(FormatName::Live),
        }
    }

    /// True if messages may have been made, and accepted, before the stations began: another run of
    /// them can have heard those that travel between programs.
    fn hears_other_programs(&self) -> bool {
        !self.virtual_time && self.replay.is_none() && self.link != Some(LinkName::Memory)
    }

    /// Returns the file that lists the used certificates.
    fn state_file(&self, is_changing: bool) -> Option<PathBuf> {
        let in_pki = || {
            let (folder, name) = (self.identity.pki_folder()?, self.identity.name()?);
            is_changing.then(|| folder.join(format!("{name}.used.json")))
        };
        self.state.clone().or_else(in_pki)
    }

    /// Whom the station trusts, if it is not the laboratory.
    fn trusted(&self) -> Result<Option<PathBuf>, Failure> {
        match (
            &self.trust,
            self.identity.pki_folder(),
            self.identity.is_given(),
        ) {
            (Some(folder), _, _) => Ok(Some(folder.clone())),
            (None, Some(pki), _) => Ok(Some(pki.join("trust"))),
            (None, None, true) => Err(Failure::new("--certificate: give --trust, too")),
            (None, None, false) => Ok(None),
        }
    }

    fn udp(&self) -> UdpSettings {
        UdpSettings {
            group: self.group,
            interface: self.interface,
        }
    }
}
