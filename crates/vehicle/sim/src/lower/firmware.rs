//! An ECU whose software is an image: its record, and what an image cannot be part of yet.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use waywarden_can::node::{Boot, Node};
use waywarden_ecu::{PeriodicStream, StreamState};
use waywarden_firmware_link::{KINDS, List, MESSAGE_MAX, Record, STREAMS_MAX, VERSION};
use waywarden_vehicle_file::{Attack, EcuIndex, Firmware, KeyGroup, VehicleFile};
use waywarden_vehicle_resources::{FirmwareImage, ImageNote, ImageRole, Resources};
use waywarden_vehicle_trace::Facts;

use super::authentication::{self, ImagePart};
use super::boot_timeline::{BootPeriod, boot_timeline};
use super::keys::{Group, NetworkImage, Protocols};
use super::{LowerError, application, streams};
use crate::nodes::{
    FailedImage, FirmwareEcu, ImageBoot, ImageChecks, ImageContext, MessageNames, OwnStream,
};

/// The streams that an image sends.
type Streams = List<PeriodicStream, STREAMS_MAX>;

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
    /// The network of its security module, by its place in the vehicle file; none under none.
    network: Option<usize>,
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
        let keys = ImageKeys {
            group: protocols.groups_of(index).next(),
            network: protocols.image(file, index).map_err(refused)?,
        };
        let streams = sent(&streams::sent(file, index)).map_err(refused)?;
        let lives = boot_timeline(file, index);
        let records = lives.iter().enumerate();
        let records = records.map(|boot| record(&streams, part.as_ref(), &keys, (index, boot)));
        let records = records
            .collect::<Result<Vec<_>, String>>()
            .map_err(refused)?;
        if let Some(note) = image.note() {
            let suite = keys.group.map(Group::suite);
            let suite = suite.or(keys.network.as_ref().map(|network| network.suite));
            let kind = records.first().and_then(|record| record.first()).copied();
            check_note(note, kind.unwrap_or_default(), suite).map_err(refused)?;
        }
        let own = streams::own(file, index);
        Ok(ImagePlan {
            image,
            records,
            picoseconds: picoseconds(firmware.clock),
            mailbox: firmware.receive_mailbox,
            part,
            group: keys.group.map(Group::place),
            network: keys.network.map(|network| network.network),
            own: own
                .map(|(at, _)| (at, Arc::new(AtomicU32::new(0))))
                .collect(),
            application: application::plan(file, index, None),
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
        let checks = self.part.as_ref().map(|part| ImageChecks {
            context: part.context.clone(),
            knows: part.knows(),
        });
        let context = ImageContext {
            names: MessageNames::new(self.own.clone(), at + 1, facts.clone()),
            checks,
            group: self.group,
            network: self.network,
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

/// The key protocols of an image.
struct ImageKeys<'a> {
    group: Option<&'a Group<'a>>,
    network: Option<NetworkImage>,
}

/// Returns the streams that an image sends.
fn sent(streams: &[StreamState]) -> Result<Streams, String> {
    let all: Vec<_> = streams.iter().map(StreamState::stream).collect();
    let count = all.len();
    Streams::from_slice(&all).map_err(|_| {
        format!(
            "it sends {count} streams, and an image at most {STREAMS_MAX}: leave some out, or \
                 `firmware`"
        )
    })
}

/// Returns the bytes of an image's record for a boot; one without a part in an authentication or a
/// key protocol is that of an ECU with SecOC.
fn record(
    streams: &Streams,
    part: Option<&ImagePart>,
    keys: &ImageKeys<'_>,
    (index, (at, life)): (EcuIndex, (usize, &BootPeriod)),
) -> Result<Vec<u8>, String> {
    let refused = |why: &str| Err(why.to_owned());
    let streams = streams.clone();
    let has_keys = keys.group.is_some() || keys.network.is_some();
    if has_keys && part.is_some_and(|part| !part.is_secoc()) {
        return refused(
            "it has vatiCAN or LeiA and agrees on keys or is granted some, and an image has those \
             for SecOC: take it out of `[[keys]]`, or write `scheme = \"secoc\"`",
        );
    }
    let ecu = |streams| match part {
        Some(part) => part.secoc(streams),
        None => authentication::unprotected(streams),
    };
    match (keys.group, &keys.network, part) {
        (Some(_), Some(_), _) => refused(
            "it is in a group that agrees on keys and under a security module, and an image has \
             one of the two: take it out of one",
        ),
        (Some(group), None, _) => {
            let followed = part.and_then(|part| part.followed.as_ref());
            encoded(&group.record(index, life, ecu(streams), followed)?)
        }
        (None, Some(network), _) => {
            let granted = part.map(ImagePart::granted).unwrap_or_default();
            if part.is_some() && granted.is_empty() {
                return refused(
                    "it is under a security module, and an image has no other keys than those that \
                     it is granted: write `granted_by`",
                );
            }
            encoded(&network.record(at, ecu(streams), granted)?)
        }
        (None, None, Some(part)) => part.encoded(streams).map_err(|error| error.to_string()),
        (None, None, None) => encoded(&ecu(streams)),
    }
}

/// Refuses an image that says it is none for records of this kind, or for a group or network with
/// this suite.
fn check_note(note: &ImageNote, record: u8, suite: Option<&str>) -> Result<(), String> {
    let kind = |number: u8| KINDS.iter().find(|kind| kind.number == number);
    let needed = kind(record).map_or("no image", |kind| kind.image);
    let (built, own) = match &note.role {
        ImageRole::Ecu { record, suite } => (*record, suite.as_deref()),
        ImageRole::NoEcu(purpose) => {
            return Err(format!(
                "its image is {purpose} and no ECU: use {needed}, built for its `machine`"
            ));
        }
    };
    if note.link != Some(VERSION) {
        let version = note.link.unwrap_or_default();
        return Err(format!(
            "its image has version {version} of the messages to the simulation, which has \
             {VERSION}: build the image from the sources of this program"
        ));
    }
    if built != record {
        let purpose = kind(built).map_or("records of an unknown kind", |kind| kind.purpose);
        let part = kind(record).map_or("none", |kind| kind.purpose);
        return Err(format!(
            "its image is for {purpose}, where this ECU has {part}: use {needed}, built for its \
             `machine`"
        ));
    }
    match (own, suite) {
        (Some(own), Some(suite)) if own != suite => Err(format!(
            "its image has the suite {own}, and its keys have {suite}: use the image with {suite}, \
             or write `suite = \"{own}\"` in its `[[keys]]`"
        )),
        _ => Ok(()),
    }
}

/// Refuses what an image has no part in yet.
fn check(file: &VehicleFile, index: EcuIndex) -> Result<(), String> {
    let ports = file.ecu(index).ports.len();
    let is_gateway = file.routes.iter().any(|route| route.gateway == index);
    let has = |group: &&KeyGroup| group.parties().any(|party| party.ecu == index);
    let groups = file.groups.iter().filter(has).count();
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
