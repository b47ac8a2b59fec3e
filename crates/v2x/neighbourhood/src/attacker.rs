//! A station that breaks the rules, in the ways that receivers have to stand.
//!
//! | attack | what it sends | receivers refuse it as |
//! |---|---|---|
//! | forged | its own message, signed by its own key, in another's name | a false signature |
//! | replayed | a message that it heard 0.3 to 1.5 s ago | replayed |
//! | late | a message that it heard ten seconds ago | too old |
//! | displaced | a warning from outside of its certificate's region | outside of it |
//! | flood, invalid | messages of others, changed, as many as it can | false signatures |
//! | flood, valid | its own messages, as many as it can | nothing: they serve it |
//!
//! It has a certificate of its own: that of a car that was taken apart.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use waywarden_v2x_keys::NonceForm;
use waywarden_v2x_signing::{
    PayloadToSign, SignerForm, SigningOptions, UnsignedMessage as SignedMessage, sign_unchecked,
};
use waywarden_v2x_station::denm::DenmEvent as RoadEvent;
use waywarden_v2x_station::{Motion, Station, StationMessage, StationSettings, StationTask};
use waywarden_v2x_wire::detect::detect_in;
use waywarden_v2x_wire::etsi103097::its_aid;
use waywarden_v2x_wire::ieee1609dot2::{
    HashedId8, HeaderInfo, Ieee1609Dot2Content, SignerIdentifier, Time64,
};
use waywarden_v2x_wire::link::LinkType;

use crate::actor::{Actor, phase_of};
use crate::attack::{LATE_AFTER, StationAttack};
use crate::command::Command;
use crate::event::NeighbourhoodEvent;
use crate::frame::{EthernetFrame, SenderOrigin, StationFix, StationMoment};
use crate::security::{IdentitySource, NoCertificate, StationIdentity, Timings};
use crate::seeds::EndlessSeeds;

/// A replay comes so long after the message: within the two seconds in which CAMs are relevant.
const REPLAY: Range<Duration> = Duration::from_millis(300)..Duration::from_millis(1_500);
/// Limit on messages that are kept to be sent again.
const HEARD_MAX: usize = 4_096;
/// Limit on messages in one step of a flood.
const STEP_MAX: u32 = 4_096;
/// Distance of a displaced station's claimed position: some 40 km to the north, in tenths of a
/// microdegree.
const AWAY: i32 = 3_600_000;

/// Settings of an attacker.
#[derive(Clone, Debug)]
pub struct AttackerSettings {
    /// Settings of the station that it imitates.
    pub station: StationSettings,
    /// Attacks that it runs.
    pub attacks: Vec<StationAttack>,
    /// Number of messages of each attack in a second, except for floods.
    pub rate_hz: f64,
    /// Number of messages of a flood in a second.
    pub flood_hz: f64,
}

/// A frame that was heard.
struct Heard {
    bytes: Arc<[u8]>,
    at: Duration,
    signer: Option<HashedId8>,
    made: Option<Time64>,
}

/// An attacker.
pub struct HostileStation {
    settings: AttackerSettings,
    /// Makes messages as an honest station does.
    station: Station,
    identity: StationIdentity,
    seeds: EndlessSeeds,
    heard: VecDeque<Heard>,
    /// Its latest messages, which it signs again and again.
    template: Option<StationMessage>,
    warning: Option<StationMessage>,
    /// Number of sent messages of each attack.
    sent: Vec<u64>,
    begun: Option<Duration>,
    draws: u64,
}

impl HostileStation {
    /// An attacker that begins now, with a certificate of the source. `seed` is 32 bytes of a
    /// random generator.
    ///
    /// # Errors
    /// [`NoCertificate`] of the source.
    pub fn new(
        settings: AttackerSettings,
        mut source: Box<dyn IdentitySource>,
        now: Time64,
        seed: [u8; 32],
    ) -> Result<Self, NoCertificate> {
        let mut seeds = EndlessSeeds::new(seed);
        Ok(Self {
            station: Station::new(settings.station, now, &seeds.next()),
            identity: source.next(now)?,
            seeds,
            heard: VecDeque::new(),
            template: None,
            warning: None,
            sent: vec![0; settings.attacks.len()],
            settings,
            begun: None,
            draws: 0,
        })
    }

    /// Has the station make messages, which are kept and not sent.
    fn prepare(&mut self, motion: &Motion, time: Time64) {
        let away = Motion {
            location: moved(motion),
            ..*motion
        };
        let is_displaced = self.settings.attacks.contains(&StationAttack::Displaced);
        if is_displaced && !self.station.events().is_any() {
            // What cannot be told is not sent: the attack shows as none.
            let _ = self.station.trigger(RoadEvent::new(2, 0), &away, time);
        }
        while let Ok(Some(StationTask::Message(message))) = self.station.poll(motion, time) {
            if message.psid == its_aid::DENM {
                self.warning = Some(StationMessage {
                    location: away.location,
                    ..message
                });
            } else {
                self.template = Some(message);
            }
        }
    }

    /// Signs as an attacker does, who asks no certificate what it permits.
    fn sign(
        &mut self,
        message: &StationMessage,
        time: Time64,
        form: SignerForm,
    ) -> Option<Vec<u8>> {
        let is_warning = message.psid == its_aid::DENM;
        let header = HeaderInfo {
            generation_time: Some(time),
            generation_location: is_warning.then_some(message.location),
            ..HeaderInfo::new(message.psid)
        };
        let entropy = self.seeds.next().derive("attack", 0);
        let StationIdentity { credential, store } = &mut self.identity;
        let options = SigningOptions {
            signer: form,
            form: NonceForm::Point,
            nonce: store.capabilities(credential.curve()).nonce(&entropy),
        };
        let message = SignedMessage {
            payload: PayloadToSign::Data(&message.payload),
            header,
        };
        sign_unchecked(&mut **store, credential, &message, &options).ok()
    }

    fn frame(&mut self, attack: StationAttack, number: u64, now: StationMoment) -> Option<Vec<u8>> {
        // Messages of one step are made one microsecond after the other, so that all differ.
        let time = Time64(now.time.0.saturating_add(number % u64::from(STEP_MAX)));
        match attack {
            StationAttack::Forged => self.forged(time),
            StationAttack::Replayed => self.heard_ago(REPLAY, now).map(<[u8]>::to_vec),
            StationAttack::Late => self
                .heard_ago(LATE_AFTER..Duration::MAX, now)
                .map(<[u8]>::to_vec),
            StationAttack::Displaced => {
                let warning = self.warning.clone()?;
                let signed = self.sign(&warning, time, SignerForm::Certificate)?;
                warning.envelope.frame(&signed).ok()
            }
            StationAttack::FloodInvalid => self.changed(time),
            StationAttack::FloodValid => {
                let form = match number.is_multiple_of(100) {
                    true => SignerForm::Certificate,
                    false => SignerForm::Digest,
                };
                let template = self.template.clone()?;
                let signed = self.sign(&template, time, form)?;
                template.envelope.frame(&signed).ok()
            }
        }
    }

    /// Its own message in the name of a station that it hears.
    fn forged(&mut self, time: Time64) -> Option<Vec<u8>> {
        let victim = self.victim()?.signer?;
        let template = self.template.clone()?;
        let signed = self.sign(&template, time, SignerForm::Digest)?;
        let own = self.identity.credential.id();
        let signed = replaced(signed, &own.0, &victim.0)?;
        template.envelope.frame(&signed).ok()
    }

    /// Another station's message, made now as it seems: its signature does not fit any more.
    fn changed(&mut self, time: Time64) -> Option<Vec<u8>> {
        let victim = self.victim()?;
        let (bytes, made) = (victim.bytes.to_vec(), victim.made?);
        replaced(bytes, &made.0.to_be_bytes(), &time.0.to_be_bytes())
    }

    /// One of the latest messages that name their signer by its hash.
    fn victim(&mut self) -> Option<&Heard> {
        const LATEST: usize = 64;
        self.draws = self.draws.wrapping_add(1);
        let latest = self.heard.iter().rev().take(LATEST);
        let latest: Vec<&Heard> = latest.filter(|one| one.signer.is_some()).collect();
        let at = usize::try_from(self.draws).unwrap_or(0) % latest.len().max(1);
        latest.get(at).copied()
    }

    /// A message that was heard so long ago.
    fn heard_ago(&mut self, ago: Range<Duration>, now: StationMoment) -> Option<&[u8]> {
        const LATEST: usize = 16;
        self.draws = self.draws.wrapping_add(1);
        let age = |one: &Heard| now.elapsed.saturating_sub(one.at);
        let newest = self.heard.iter().rev();
        let newest = newest.filter(|one| ago.contains(&age(one)));
        let newest: Vec<&Heard> = newest.take(LATEST).collect();
        let at = usize::try_from(self.draws).unwrap_or(0) % newest.len().max(1);
        newest.get(at).map(|one| &*one.bytes)
    }
}

impl Actor for HostileStation {
    fn receive(
        &mut self,
        frame: &EthernetFrame,
        now: StationMoment,
        _events: &mut dyn FnMut(NeighbourhoodEvent),
    ) {
        // In a laboratory, only what honest stations say is worth attacking.
        if matches!(frame.origin, SenderOrigin::Attack(_)) {
            return;
        }
        let Ok(found) = detect_in(LinkType::Ethernet, &frame.bytes) else {
            return;
        };
        let Ieee1609Dot2Content::Signed(signed) = &found.data.content else {
            return;
        };
        let signer = match &signed.signer {
            SignerIdentifier::Digest(id) => Some(*id),
            _ => None,
        };
        if self.heard.len() >= HEARD_MAX {
            self.heard.pop_front();
        }
        self.heard.push_back(Heard {
            bytes: Arc::clone(&frame.bytes),
            at: now.elapsed,
            signer,
            made: signed.tbs_data.header_info.generation_time,
        });
    }

    fn work(&mut self, _now: StationMoment, _events: &mut dyn FnMut(NeighbourhoodEvent)) -> bool {
        false
    }

    fn step(
        &mut self,
        fix: &StationFix,
        now: StationMoment,
        events: &mut dyn FnMut(NeighbourhoodEvent),
    ) {
        let Some(motion) = &fix.motion else {
            return;
        };
        self.prepare(motion, fix.time);
        let begun = *self.begun.get_or_insert(now.elapsed);
        let seconds = now.elapsed.saturating_sub(begun).as_secs_f64();
        for at in 0..self.settings.attacks.len() {
            let attack = self.settings.attacks[at];
            let rate = match attack.is_flood() {
                true => self.settings.flood_hz,
                false => self.settings.rate_hz,
            };
            let due = (seconds * rate) as u64;
            let missing = due.saturating_sub(self.sent[at]).min(u64::from(STEP_MAX));
            self.sent[at] = due;
            for number in 0..missing {
                let Some(bytes) = self.frame(attack, number, now) else {
                    break;
                };
                let frame = EthernetFrame {
                    bytes: bytes.into(),
                    origin: SenderOrigin::Attack(attack),
                };
                let psid = self.template.as_ref().map_or(its_aid::CAM, |one| one.psid);
                events(NeighbourhoodEvent::Sent { psid, frame });
            }
        }
    }

    fn phase(&self) -> Duration {
        phase_of(self.station.identifiers())
    }

    fn command(&mut self, _command: Command, _fix: &StationFix) -> Result<(), String> {
        Err("an attacker takes no commands".to_owned())
    }

    fn timings(&self) -> Option<&Timings> {
        None
    }

    fn udp_port(&self) -> u16 {
        self.station.identifiers().udp_port
    }

    fn take_udp_port(&mut self, _port: u16) {}
}

fn moved(motion: &Motion) -> waywarden_v2x_wire::ieee1609dot2::ThreeDLocation {
    let mut location = motion.location;
    let latitude = location.latitude.0;
    location.latitude.0 = match latitude > 0 {
        true => latitude - AWAY,
        false => latitude + AWAY,
    };
    location
}

/// Puts bytes in the place of the first ones that are like `from`.
fn replaced(mut message: Vec<u8>, from: &[u8], to: &[u8]) -> Option<Vec<u8>> {
    let at = message
        .windows(from.len())
        .position(|window| window == from)?;
    message.get_mut(at..at + from.len())?.copy_from_slice(to);
    Some(message)
}
