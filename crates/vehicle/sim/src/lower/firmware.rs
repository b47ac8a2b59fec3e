//! An ECU whose software is an image: its record, and what an image cannot be part of yet.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use waywarden_can::Frame;
use waywarden_can::node::{Boot, Node};
use waywarden_ecu::StreamState;
use waywarden_firmware_link::{EcuRecord, FreshnessRecord, List, MESSAGE_MAX, Record, STREAMS_MAX};
use waywarden_vehicle_file::{Attack, EcuIndex, Firmware, KeyGroup, VehicleFile};
use waywarden_vehicle_resources::{FirmwareImage, Resources};
use waywarden_vehicle_trace::Facts;

use super::authentication::{self, ImagePart};
use super::boot_timeline::{BootPeriod, boot_timeline};
use super::keys::{Group, Protocols};
use super::{LowerError, application, streams};
use crate::nodes::{
    FailedImage, FirmwareEcu, ImageBoot, ImageChecks, ImageContext, MessageNames, OwnStream,
};

/// Plan of an image's node, which is made at each boot.
pub(super) struct ImagePlan {
    image: Arc<dyn FirmwareImage>,
    /// The bytes of its record, by boot.
    records: Vec<Vec<u8>>,
    picoseconds: u32,
    mailbox: usize,
    /// Its part in an authentication; none in no part.
    part: Option<ImagePart>,
    /// Its group, by its place in the vehicle file; none in no group.
    group: Option<usize>,
    own: Vec<OwnStream>,
    application: application::Plan,
    facts: Facts,
}

impl ImagePlan {
    /// Plans the image of an ECU.
    ///
    /// # Errors
    /// [`LowerError::NotLoaded`] for an image that is not among the resources,
    /// [`LowerError::Firmware`] for what an image cannot be part of.
    pub(super) fn new(
        file: &VehicleFile,
        (index, firmware): (EcuIndex, &Firmware),
        resources: &Resources,
        (protocols, facts): (&Protocols<'_>, &Facts),
    ) -> Result<Self, LowerError> {
        let refused = |why: String| LowerError::Firmware {
            place: file.source.place(&firmware.image.span),
            ecu: file.ecu(index).name.value.clone(),
            why,
        };
        check(file, index).map_err(refused)?;
        let image = resources.image(firmware).cloned();
        let image = image.ok_or_else(|| LowerError::NotLoaded {
            what: "ECU image",
            path: firmware.image.value.clone(),
        })?;
        let part = authentication::image_part(file, index, facts).map_err(refused)?;
        let group = protocols.groups_of(index).next();
        let sent = streams::sent(file, index);
        let lives = boot_timeline(file, index);
        let records = lives.iter().map(|life| {
            let ecu = record(&sent, part.as_ref())?;
            match group {
                Some(group) => {
                    let followed = part.as_ref().and_then(|part| part.followed.as_ref());
                    encoded(&group.record(index, life, ecu, followed)?)
                }
                None => encoded(&ecu),
            }
        });
        let records = records.collect::<Result<_, String>>().map_err(refused)?;
        let own = streams::own(file, index);
        Ok(ImagePlan {
            image,
            records,
            picoseconds: picoseconds(firmware.clock),
            mailbox: firmware.receive_mailbox,
            part,
            group: group.map(Group::place),
            own: own
                .map(|(at, _)| (at, Arc::new(AtomicU32::new(0))))
                .collect(),
            application: application::plan(file, index),
            facts: facts.clone(),
        })
    }

    /// Starts the image at the `at`th boot of its ECU, counted from 0.
    pub(super) fn node(
        &self,
        boot: &Boot<'_>,
        at: usize,
        life: &BootPeriod,
    ) -> Box<dyn Node + Send> {
        let facts = self.facts.clone();
        let running = match self.image.start() {
            Ok(running) => running,
            Err(fault) => return Box::new(FailedImage::new(&fault, facts)),
        };
        let checks = self.part.as_ref().map(|part| {
            let receivers = part.receivers.clone();
            let knows =
                move |frame: &Frame| receivers.iter().any(|one| one.frame_id() == frame.id());
            ImageChecks {
                context: part.context.clone(),
                knows: Box::new(knows),
            }
        });
        let context = ImageContext {
            names: MessageNames::new(self.own.clone(), at + 1, facts.clone()),
            checks,
            group: self.group,
            application: self.application.begin(life, 0, facts.clone()),
            facts,
        };
        // There is one for each boot that the file plans.
        let record = &self.records[at.min(self.records.len() - 1)];
        let boot = ImageBoot::new(boot, record, self.picoseconds, self.mailbox);
        Box::new(FirmwareEcu::new(running, boot, context))
    }
}

/// Returns the bytes of a record.
fn encoded(record: &impl Record) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; MESSAGE_MAX];
    let length = record.encode(&mut bytes);
    bytes.truncate(length.map_err(|error| error.to_string())?);
    Ok(bytes)
}

/// Returns the time of an instruction: one cycle. That is assumed, for no emulator counts cycles.
fn picoseconds(clock: u32) -> u32 {
    // At the slowest clock of a file, 100 kHz, it is 10,000,000.
    (1_000_000_000_000 / u64::from(clock.max(1))).max(1) as u32
}

fn record(streams: &[StreamState], part: Option<&ImagePart>) -> Result<EcuRecord, String> {
    let count = streams.len();
    let streams: Result<List<_, STREAMS_MAX>, _> =
        List::from_slice(&streams.iter().map(StreamState::stream).collect::<Vec<_>>());
    let streams = streams
        .map_err(|_| format!("it sends {count} streams, and an image at most {STREAMS_MAX}"))?;
    Ok(match part {
        Some(part) => EcuRecord {
            streams,
            freshness: part.freshness,
            senders: part.senders.iter().copied().collect(),
            receivers: part.receivers.iter().copied().collect(),
            keys: part.keys(),
        },
        None => EcuRecord {
            streams,
            freshness: FreshnessRecord::Unsynchronised,
            senders: List::new(),
            receivers: List::new(),
            keys: List::new(),
        },
    })
}

/// Refuses what an image has no part in yet.
fn check(file: &VehicleFile, index: EcuIndex) -> Result<(), String> {
    let ports = file.ecu(index).ports.len();
    let is_gateway = file.routes.iter().any(|route| route.gateway == index);
    let has = |group: &&KeyGroup| group.parties().any(|party| party.ecu == index);
    let groups = file.groups.iter().filter(has).count();
    let mut networks = file.lasan.iter();
    let is_under_module = networks.any(|network| network.parties().any(|party| party.ecu == index));
    let has_program = file.software.iter().any(|one| one.ecu == index);
    let is_attacked = file
        .attackers
        .iter()
        .any(|one| matches!(&one.attack, Attack::Compromise { ecus, .. } if ecus.contains(&index)));
    let reasons = [
        (
            ports != 1,
            "it is on more than one bus: an image has one controller",
        ),
        (
            is_gateway,
            "it is the gateway of a route: an image forwards nothing",
        ),
        (
            groups > 1,
            "it is in several groups that agree on keys: an image is in one",
        ),
        (
            is_under_module,
            "it is under a security module: images have keys that are in place, or of a group",
        ),
        (
            has_program,
            "it has a `[[software]]` table: the image is its software",
        ),
        (
            is_attacked,
            "an attacker runs code on it: give the attacker an ECU of its own, or leave `firmware` \
             out",
        ),
    ];
    let reason = reasons.into_iter().find(|(refused, _)| *refused);
    reason.map_or(Ok(()), |(_, why)| Err(why.to_owned()))
}
