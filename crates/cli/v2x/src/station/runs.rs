//! The stations run: in virtual time, or on threads until the program is ordered to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGTERM};
use waywarden_v2x_link::{EthernetLink, UdpLink};
use waywarden_v2x_neighbourhood::real_time::{Running, StationLink, WireLink, medium};
use waywarden_v2x_neighbourhood::virtual_time::{StationEvent, run};
use waywarden_v2x_neighbourhood::{NeighbourhoodEvent, StationMoment};
use waywarden_v2x_pki::Seeds;
use waywarden_v2x_security::time::CivilTime;
use waywarden_v2x_signing::Seed;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::clock::Warnings;
use super::commands::{self, Order};
use super::positions::Positions;
use super::print::Printer;
use super::screen::Screen;
use super::{LinkName, StationCommand, clock, neighbourhood};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain;
use waywarden_pki_folder::random;
use waywarden_v2x_input::time;

/// Start of virtual time.
const BEGIN: &str = "2026-06-01T08:00:00Z";
/// Interval at which the program looks for commands and signals.
const TICK: Duration = Duration::from_millis(20);

/// Runs through virtual time.
pub(super) fn in_virtual_time(
    options: &StationCommand,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let begin = CivilTime::parse(BEGIN).and_then(|civil| civil.time());
    let begin = begin.unwrap_or(Time64(0));
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&options.seed.to_be_bytes());
    let mut seeds = Seeds::new(*Seed::new(bytes).derive("stations", 0));
    let positions = Positions::open(options, &Warnings::default())?;
    printer.read(positions.recording());
    let mut places = neighbourhood::places(options, &positions, begin, &mut seeds, |station| {
        positions.scripted(station, begin)
    })?;
    let duration = duration(options, &positions);
    let duration = duration.ok_or_else(|| Failure::new("--virtual-time: give --duration, too"))?;
    let mut failed = None;
    run(&mut places, duration, &mut |happened| {
        if failed.is_none() {
            failed = printer.take(&happened).err();
        }
    });
    printer.timings(&places);
    failed.map_or(Ok(()), Err)
}

/// Runs on threads.
pub(super) fn in_real_time(options: &StationCommand, printer: &mut Printer) -> Result<(), Failure> {
    let clock = clock::system();
    let now = clock.read().time;
    let warnings = Warnings::default();
    let positions = Positions::open(options, &warnings)?;
    printer.read(positions.recording());
    let mut seeds = random::seeds()?;
    let places = neighbourhood::places(options, &positions, now, &mut seeds, |station| {
        positions.real(station, &clock)
    })?;
    let links = links(options, places.len())?;
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop))
            .map_err(|error| Failure::new(format_args!("signals: {error}")))?;
    }
    let running = Running::start(places.into_iter().zip(links).collect());
    let running = running.map_err(|error| Failure::new(format_args!("threads: {error}")))?;
    let duration = duration(options, &positions);
    let ended = follow(options, duration, &running, (&stop, &warnings), printer);
    let lost = (running.lost_events(), running.lost_frames());
    let is_broken = running.is_broken();
    let (places, left) = running.stop();
    let left = left.iter().try_for_each(|happened| printer.take(happened));
    printer.lost(lost);
    printer.timings(&places);
    if is_broken {
        return Err(Failure::new("a station ended by a fault of this program"));
    }
    ended.and(left)
}

/// Returns the duration of the run: until the last station has left, if all of them leave.
fn duration(options: &StationCommand, positions: &Positions) -> Option<Duration> {
    let stations = usize::from(options.stations);
    options.duration.or_else(|| positions.duration(stations))
}

/// Prints events and carries out commands, until the end.
fn follow(
    options: &StationCommand,
    duration: Option<Duration>,
    running: &Running,
    (stop, warnings): (&AtomicBool, &Warnings),
    printer: &mut Printer,
) -> Result<(), Failure> {
    let begun = Instant::now();
    // On a screen, people type into it.
    let orders = printer.screen().is_none().then(commands::read);
    let is_over = || duration.is_some_and(|most| begun.elapsed() >= most);
    while !stop.load(Ordering::Relaxed) && !is_over() && !running.is_broken() {
        if let Some(happened) = running.next(TICK) {
            printer.take(&happened)?;
        }
        warn(warnings, begun, printer)?;
        printer.tick()?;
        let typed = printer.screen().and_then(Screen::order).map(Ok);
        let read = orders.iter().flat_map(Receiver::try_iter);
        for order in typed.into_iter().chain(read) {
            let refused = match order {
                Ok(Order::Quit) => return Ok(()),
                Ok(Order::Station(at, command)) if at < usize::from(options.stations) => {
                    running.command(at, command);
                    continue;
                }
                Ok(Order::Station(at, _)) => {
                    format!("station {at}: there are {} stations", options.stations)
                }
                Err(refused) => refused,
            };
            match printer.screen() {
                Some(screen) => screen.log(refused),
                None => messages::status(plain(&refused)),
            }
        }
    }
    Ok(())
}

/// Prints what the source of time and position of the one station reports.
fn warn(warnings: &Warnings, begun: Instant, printer: &mut Printer) -> Result<(), Failure> {
    while let Some(warning) = warnings.next() {
        printer.take(&StationEvent {
            station: 0,
            now: StationMoment {
                time: time::now(),
                elapsed: begun.elapsed(),
            },
            event: NeighbourhoodEvent::ClockWarning {
                code: warning.name(),
                reason: warning.to_string(),
            },
        })?;
    }
    Ok(())
}

fn links(options: &StationCommand, count: usize) -> Result<Vec<Box<dyn StationLink>>, Failure> {
    if options.link == Some(LinkName::Memory) {
        let links = medium(count).into_iter();
        return Ok(links
            .map(|link| Box::new(link) as Box<dyn StationLink>)
            .collect());
    }
    let open = |_: usize| -> Result<Box<dyn StationLink>, Failure> {
        let link: Box<dyn waywarden_v2x_link::FrameLink> = match &options.link {
            Some(LinkName::Ethernet(name)) => {
                Box::new(EthernetLink::open(name).map_err(|error| {
                    Failure::new(format_args!("--link ethernet:{}: {error}", plain(name)))
                })?)
            }
            _ => Box::new(UdpLink::open(options.udp()).map_err(|error| {
                Failure::new(format_args!(
                    "--group {} --interface {}: {error}; give a multicast group (224.0.0.0 to \
                     239.255.255.255) and an IPv4 address of this machine (`ip -4 address`)",
                    options.group, options.interface
                ))
            })?),
        };
        Ok(Box::new(WireLink::new(link)))
    };
    (0..count).map(open).collect()
}
