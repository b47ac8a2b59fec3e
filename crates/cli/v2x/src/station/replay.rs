//! A recording as traffic: a station hears each message when it was captured, by the recording's
//! own clock.

use std::path::Path;
use std::time::{Duration, Instant};

use waywarden_v2x_neighbourhood::virtual_time::StationEvent;
use waywarden_v2x_neighbourhood::{
    Actor, EthernetFrame, NeighbourhoodEvent, SenderOrigin, StationMoment,
};
use waywarden_v2x_pki::Seeds;
use waywarden_v2x_station::network::MessageEnvelope;
use waywarden_v2x_wire::detect::FoundSpdu;
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Psid, Time64};
use waywarden_v2x_wire::link::LinkType;

use super::print::Printer;
use super::{StationCommand, neighbourhood};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::messages;
use waywarden_pki_folder::random;
use waywarden_v2x_input::record::{InputRecord, NoMessage};
use waywarden_v2x_input::unread::{StopReason, UnreadFile};
use waywarden_v2x_input::{records, time};

/// The address of frames that come from no link.
const NO_LINK: [u8; 6] = [2, 0, 0, 0, 0, 0];

/// Speed at which a recording is replayed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Speed {
    /// Multiple of the recorded speed.
    Times(f64),
    /// As fast as the station verifies.
    Max,
}

/// Reads `--replay-speed`.
pub(super) fn speed(text: &str) -> Result<Speed, String> {
    let times: Option<f64> = text.parse().ok();
    let times = times.filter(|times| (0.001..=1e6).contains(times));
    match (text, times) {
        ("max", _) => Ok(Speed::Max),
        (_, Some(times)) => Ok(Speed::Times(times)),
        (_, None) => Err("a number from 0.001 to 1000000, or max".to_owned()),
    }
}

/// Has a station hear every message of a file.
pub(super) fn run(
    options: &StationCommand,
    path: &Path,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let mut seeds: Seeds = random::seeds()?;
    let mut player: Option<Player> = None;
    let mut hear = |record: &InputRecord| -> Result<(), Failure> {
        let found = match record.find() {
            Ok(found) => found,
            Err(NoMessage::Other) => return Ok(()),
            Err(NoMessage::Unread(why) | NoMessage::Unsupported(why)) => {
                let (origin, reason) = (SenderOrigin::Unknown, format!("{}: {why}", record.place));
                let now = player.as_ref().map(|one| one.now);
                return printer.take(&happened(
                    now.unwrap_or(START),
                    NeighbourhoodEvent::Unreadable { origin, reason },
                ));
            }
        };
        let when = record.captured.or_else(|| made(&found));
        let player = match &mut player {
            Some(player) => player,
            none => none.insert(Player::new(options, when, &mut seeds)?),
        };
        player.advance(when);
        match framed(record, &found) {
            Some(bytes) => player.play(&bytes, printer),
            None => Ok(()),
        }
    };
    let read = records::each::<StopReason<Failure>>(path, |record| {
        hear(&record).map_err(StopReason::Failed)
    });
    let file = read.map_err(StopReason::into_failure)?;
    if let Some(note) = file.note {
        messages::status(note);
    }
    Failure::if_any(
        file.wrong
            .into_iter()
            .map(UnreadFile::into_failure)
            .collect(),
    )
}

/// Before the first message.
const START: StationMoment = StationMoment {
    time: Time64(0),
    elapsed: Duration::ZERO,
};

fn happened(now: StationMoment, event: NeighbourhoodEvent) -> StationEvent {
    StationEvent {
        station: 0,
        now,
        event,
    }
}

/// The station that hears, and its clock.
struct Player {
    station: Box<dyn Actor>,
    speed: Speed,
    first: Time64,
    begun: Instant,
    now: StationMoment,
}

impl Player {
    fn new(
        options: &StationCommand,
        first: Option<Time64>,
        seeds: &mut Seeds,
    ) -> Result<Self, Failure> {
        let first = first.unwrap_or_else(time::now);
        Ok(Self {
            station: neighbourhood::listener(options, first, seeds)?,
            speed: options.replay_speed,
            first,
            begun: Instant::now(),
            now: StationMoment {
                time: first,
                elapsed: Duration::ZERO,
            },
        })
    }

    /// Waits until a message comes. One that does not say when comes at once.
    fn advance(&mut self, when: Option<Time64>) {
        let time = when.unwrap_or(self.now.time);
        let since = Duration::from_micros(time.0.saturating_sub(self.first.0));
        if let Speed::Times(times) = self.speed {
            let due = self.begun + since.div_f64(times);
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
        }
        // Messages of several captures may be out of order; the station's own clock is not.
        let elapsed = since.max(self.now.elapsed);
        self.now = StationMoment { time, elapsed };
    }

    fn play(&mut self, bytes: &[u8], printer: &mut Printer) -> Result<(), Failure> {
        let frame = EthernetFrame {
            bytes: bytes.into(),
            origin: SenderOrigin::Unknown,
        };
        let mut events = Vec::new();
        let mut tell = |event| events.push(event);
        self.station.receive(&frame, self.now, &mut tell);
        while self.station.work(self.now, &mut tell) {}
        for event in events {
            printer.take(&happened(self.now, event))?;
        }
        printer.tick()
    }
}

/// Returns the generation time in a message's header.
fn made(found: &FoundSpdu<'_>) -> Option<Time64> {
    match &found.data.content {
        Ieee1609Dot2Content::Signed(signed) => signed.tbs_data.header_info.generation_time,
        _ => None,
    }
}

/// The frame of Ethernet; of a message that came without one, in a WAVE short message.
fn framed(record: &InputRecord, found: &FoundSpdu<'_>) -> Option<Vec<u8>> {
    let ethernet = LinkType::Ethernet.number();
    if record.frame.is_some_and(|frame| frame.link == ethernet) {
        return Some(record.bytes.clone());
    }
    let psid = match &found.data.content {
        Ieee1609Dot2Content::Signed(signed) => signed.tbs_data.header_info.psid,
        _ => Psid(0),
    };
    let link = found.link.map_or(NO_LINK, |(_, address)| address);
    MessageEnvelope::wsmp_from(link, psid)
        .frame(found.spdu)
        .ok()
}
