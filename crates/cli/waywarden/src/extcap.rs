//! `waywarden extcap`: the program that Wireshark starts to capture from what is no network
//! interface, by the protocol of its manual page extcap(4).

mod interface;
mod pace;
#[cfg(feature = "v2x")]
mod recording;
#[cfg(feature = "v2x")]
mod station;
mod vehicle;
#[cfg(feature = "v2x")]
mod verdict;

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files;

use self::interface::InterfaceName;
use self::pace::Speed;

/// Capture in Wireshark from a simulated vehicle, from V2X stations, or from a recording of the
/// security service.
///
/// Wireshark calls this by the program waywarden-extcap in its extcap folder, and lists the
/// interfaces. Every packet of V2X has the verdict in its comment, and waywarden.lua makes fields
/// of it. docs/wireshark.md has the set-up.
///
/// The capture ends with exit code 0 when its source ends, Wireshark closes the pipe, or SIGINT or
/// SIGTERM comes; with 2 for bad input.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Extcap {
    /// List the interfaces of this build.
    #[arg(long)]
    extcap_interfaces: bool,
    /// The version of the Wireshark that asks; every one is served alike.
    #[arg(long, value_name = "VERSION", num_args = 0..=1, default_missing_value = "")]
    extcap_version: Option<String>,
    /// The interface that the other options are about.
    #[arg(long, value_enum, value_name = "INTERFACE")]
    extcap_interface: Option<InterfaceName>,
    /// List the link type of the interface.
    #[arg(long)]
    extcap_dlts: bool,
    /// List the options of the interface.
    #[arg(long)]
    extcap_config: bool,
    /// An option whose values Wireshark reads again; no option has a list of values.
    #[arg(long, value_name = "OPTION", requires = "extcap_config")]
    extcap_reload_option: Option<String>,
    /// A capture filter, which is refused: filter what Wireshark shows.
    #[arg(long, value_name = "FILTER")]
    extcap_capture_filter: Option<String>,
    /// Capture from the interface.
    #[arg(long, requires = "fifo")]
    capture: bool,
    /// The pipe that the capture (pcapng) is written to; it must exist.
    #[arg(long, value_name = "PIPE")]
    fifo: Option<PathBuf>,
    /// The speed of a vehicle or a recording, as a multiple of real time; `max` does not wait
    /// [default: 1].
    #[arg(long, value_name = "TIMES", value_parser = pace::speed)]
    speed: Option<Speed>,
    #[command(flatten)]
    vehicle: vehicle::VehicleOptions,
    #[cfg(feature = "v2x")]
    #[command(flatten)]
    station: station::StationOptions,
    #[cfg(feature = "v2x")]
    #[command(flatten)]
    recording: recording::RecordingOptions,
}

impl Extcap {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let mut out = io::stdout().lock();
        if self.extcap_interfaces {
            interface::list(&mut out)?;
            return Ok(Answer::Yes);
        }
        let Some(interface) = self.extcap_interface else {
            return Err(Failure::new(
                "Wireshark starts this program; --extcap-interfaces lists what it captures from, \
                 and docs/wireshark.md tells how to install it",
            ));
        };
        if self.extcap_dlts {
            interface.write_link_type(&mut out)?;
        } else if self.extcap_config {
            // No option has values that are loaded again.
            if self.extcap_reload_option.is_none() {
                interface.write_options(&mut out)?;
            }
        } else if self.capture {
            drop(out);
            self.capture(interface)?;
        } else if let Some(filter) = &self.extcap_capture_filter {
            // Wireshark shows the answer as the reason why a filter is no filter.
            if !filter.is_empty() {
                writeln!(out, "{NO_FILTER}")?;
            }
        } else {
            return Err(Failure::new(
                "--extcap-interface: give --extcap-dlts, --extcap-config, or --capture with --fifo",
            ));
        }
        Ok(Answer::Yes)
    }

    fn capture(&self, interface: InterfaceName) -> Result<(), Failure> {
        let filter = self.extcap_capture_filter.as_deref().unwrap_or_default();
        if !filter.is_empty() {
            return Err(Failure::new(NO_FILTER));
        }
        self.refuse_options_of_others(interface)?;
        files::refuse_pipes();
        let speed = self.speed.unwrap_or(Speed::Times(1.0));
        // The source first: its errors come before Wireshark waits for packets.
        match interface {
            InterfaceName::Vehicle => vehicle::capture(&self.vehicle, speed, self.pipe()),
            #[cfg(feature = "v2x")]
            InterfaceName::Station => station::capture(&self.station, self.pipe()),
            #[cfg(feature = "v2x")]
            InterfaceName::Recording => recording::capture(&self.recording, speed, self.pipe()),
        }
    }

    fn pipe(&self) -> Pipe<'_> {
        Pipe(self.fifo.as_deref().unwrap_or(Path::new("")))
    }

    /// Refuses an option that the interface would leave unused.
    fn refuse_options_of_others(&self, interface: InterfaceName) -> Result<(), Failure> {
        #[cfg(feature = "v2x")]
        if interface == InterfaceName::Station && self.speed.is_some() {
            return Err(Failure::new(
                "--speed: stations have their own; leave it out",
            ));
        }
        let given = [
            (InterfaceName::Vehicle, self.vehicle.given()),
            #[cfg(feature = "v2x")]
            (InterfaceName::Station, self.station.given()),
            #[cfg(feature = "v2x")]
            (InterfaceName::Recording, self.recording.given()),
        ];
        let others = given.iter().filter(|(owner, _)| *owner != interface);
        let mut unused = others.filter_map(|(owner, option)| Some((owner, (*option)?)));
        match unused.next() {
            None => Ok(()),
            Some((owner, option)) => Err(Failure::new(format_args!(
                "{option}: it is for {}, not for {}; leave it out",
                owner.name(),
                interface.name()
            ))),
        }
    }
}

/// The pipe that Wireshark reads, not opened yet.
#[derive(Clone, Copy)]
struct Pipe<'a>(&'a Path);

impl Pipe<'_> {
    /// Opens it, and waits until Wireshark has done so.
    fn open(self) -> Result<File, Failure> {
        let opened = OpenOptions::new().write(true).open(self.0);
        opened.map_err(|error| Failure::file(self.0.display(), &error))
    }

    /// Names it in an error of a write; one that Wireshark closed is the end of a capture.
    fn fault(self, error: &io::Error) -> Result<(), Failure> {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Ok(()),
            _ => Err(Failure::file(self.0.display(), error)),
        }
    }
}

const NO_FILTER: &str =
    "the interfaces of Waywarden take no capture filter; filter what Wireshark shows";

const EXAMPLES: &str = "\
Examples:
  waywarden extcap --extcap-interfaces
  waywarden extcap --extcap-interface waywarden-vehicle --extcap-config
  waywarden extcap --extcap-interface waywarden-vehicle --capture --fifo /dev/stdout \\
      --vehicle car.toml --speed max | tshark -r -";
