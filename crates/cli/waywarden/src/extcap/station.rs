//! V2X stations as an interface: what they send, with our verdict in the comment of each packet.

use std::net::{Ipv4Addr, SocketAddrV4};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use waywarden_command_line::exit::Failure;
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain;
use waywarden_pki_folder::trust;
use waywarden_v2x_input::certificates::{SignerKeys, Trust};
use waywarden_v2x_input::record::{CapturedFrame, InputRecord};
use waywarden_v2x_input::time;
use waywarden_v2x_link::capture::{CaptureDirection, CaptureWriter, CapturedPacket};
use waywarden_v2x_link::{EthernetLink, FrameLink, UdpLink, UdpSettings};
use waywarden_v2x_receiver::{Receiver, ReceiverSettings, Reception};
use waywarden_v2x_wire::link::LinkType;

use super::Pipe;
use super::pace::{CaptureEnd, LOOK_EVERY};
use super::verdict::PacketVerdict;

/// Number of certificates in the trust folder that are named if they are not taken.
const WARNINGS_MAX: usize = 30;
/// So long a link that fails is left alone.
const RETRY_EVERY: Duration = Duration::from_secs(1);

/// Options of the interface waywarden-station.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "waywarden-station")]
pub(super) struct StationOptions {
    /// A trust store, or a folder with certificates, as of `waywarden verify` [default: none, so
    /// that every message is refused].
    #[arg(long, value_name = "DIR")]
    trust: Option<PathBuf>,
    /// Link to the stations: `udp` (multicast) or `ethernet:INTERFACE` [default: udp].
    #[arg(long, value_parser = link)]
    link: Option<LinkChoice>,
    /// The multicast group and port of the link udp [default: 239.118.50.88:37008].
    #[arg(long, value_name = "ADDRESS:PORT")]
    group: Option<SocketAddrV4>,
    /// Address of the interface of the link udp [default: 127.0.0.1].
    #[arg(long, value_name = "ADDRESS")]
    address: Option<Ipv4Addr>,
}

/// Link to stations.
#[derive(Clone, Debug, PartialEq, Eq)]
enum LinkChoice {
    Udp,
    Ethernet(String),
}

fn link(text: &str) -> Result<LinkChoice, String> {
    let interface = text.strip_prefix("ethernet:");
    match (text, interface.filter(|name| !name.is_empty())) {
        ("udp", _) => Ok(LinkChoice::Udp),
        (_, Some(name)) => Ok(LinkChoice::Ethernet(name.to_owned())),
        (_, None) => Err("udp or ethernet:INTERFACE is expected".to_owned()),
    }
}

impl StationOptions {
    /// Returns the first option that is given.
    pub(super) fn given(&self) -> Option<&'static str> {
        let options = [
            (self.trust.is_some(), "--trust"),
            (self.link.is_some(), "--link"),
            (self.group.is_some(), "--group"),
            (self.address.is_some(), "--address"),
        ];
        options
            .into_iter()
            .find_map(|(is, name)| is.then_some(name))
    }

    fn open(&self) -> Result<(String, Box<dyn FrameLink>), Failure> {
        let failed = |error| Failure::new(format_args!("--link: {error}"));
        if let Some(LinkChoice::Ethernet(name)) = &self.link {
            let link = EthernetLink::open(name).map_err(failed)?;
            return Ok((name.clone(), Box::new(link)));
        }
        let mut settings = UdpSettings::default();
        settings.group = self.group.unwrap_or(settings.group);
        settings.interface = self.address.unwrap_or(settings.interface);
        let link = UdpLink::open(settings).map_err(failed)?;
        Ok((format!("udp {}", settings.group), Box::new(link)))
    }

    fn receiver(&self) -> Result<Receiver, Failure> {
        let settings = ReceiverSettings {
            threads: 1,
            ..ReceiverSettings::default()
        };
        let mut verifier = settings.verifier();
        let (trust, notes) = match self.trust.as_deref() {
            None => (Trust::default(), Vec::new()),
            Some(folder) if trust::folder::is_store(folder) => {
                trust::load(folder, &mut verifier, time::now())?
            }
            Some(folder) => (Trust::load(folder, &mut verifier)?, Vec::new()),
        };
        for note in notes.iter().chain(&trust.warnings(WARNINGS_MAX)) {
            messages::note(plain(note));
        }
        let keys = SignerKeys::default();
        Ok(Receiver::new(&settings, verifier, trust, keys))
    }
}

/// Writes what stations send, until the end of the capture.
pub(super) fn capture(options: &StationOptions, pipe: Pipe<'_>) -> Result<(), Failure> {
    let receiver = options.receiver()?;
    let (name, mut link) = options.open()?;
    let end = CaptureEnd::watch();
    let mut writer = match CaptureWriter::new(pipe.open()?, &name) {
        Ok(writer) => writer,
        Err(error) => return pipe.fault(&error),
    };
    let mut frames: Vec<Vec<u8>> = Vec::new();
    let mut failing: Option<String> = None;
    while !end.has_come() {
        let received = link.receive(LOOK_EVERY, &mut |frame| frames.push(frame.to_vec()));
        let fault = received.err().map(|error| error.to_string());
        if let Some(why) = fault.as_ref().filter(|why| failing.as_ref() != Some(*why)) {
            messages::warning(format_args!("{name}: {why}"));
        }
        if fault.is_some() {
            std::thread::sleep(RETRY_EVERY);
        }
        failing = fault;
        for frame in frames.drain(..) {
            let since = SystemTime::now().duration_since(UNIX_EPOCH);
            let comment = comment(&receiver, &frame);
            let packet = CapturedPacket {
                time: since.unwrap_or_default(),
                direction: CaptureDirection::Inbound,
                frame: &frame,
                comment: &comment,
            };
            if let Err(error) = writer.write(&packet) {
                return pipe.fault(&error);
            }
        }
    }
    Ok(())
}

/// Judges a frame now; empty for one of other traffic.
fn comment(receiver: &Receiver, frame: &[u8]) -> String {
    let mut record = InputRecord::of("a frame".to_owned(), frame.to_vec());
    record.frame = Some(CapturedFrame {
        link: LinkType::Ethernet.number(),
        // A link gives no frame above 2,400 bytes.
        length: frame.len() as u32,
    });
    record.captured = Some(time::now());
    let verdict = receiver.verify(&record, &Reception::default());
    let verdict = verdict.map(|verdict| {
        let payload = verdict.payload_check.as_ref();
        let fault = payload.and_then(|check| check.0.failures.first());
        let fault = fault.map(ToString::to_string);
        PacketVerdict {
            is_accepted: verdict.accepted,
            result: verdict.verdict,
            signer: verdict.signer.as_deref(),
            psid: verdict.psid,
            reason: verdict.reason.as_deref().or(fault.as_deref()),
        }
        .comment()
    });
    verdict.unwrap_or_default()
}
