//! The start of an epoch by the security module, and help for ECUs that missed it.

use super::super::credential::own_digest;
use super::super::event::ModuleEvent;
use super::super::identifier::{
    EVERY_ECU, GOES_OVER, LACKS_KEY, LACKS_STARTUP, LACKS_TURN, LasanKind,
};
use super::super::length::STARTUP_FIELDS;
use super::super::outbox::{Content, Kept};
use super::super::profile::Credentials;
use super::super::settings::PartyDirectory;
use super::super::suites::LasanSuite;
use super::super::transcript::{self, Digest, Named, PUBLISHED_STARTUP};
use super::{Asked, Later, SecurityModule, Start};
use waywarden_work::Instant;

impl<S: LasanSuite, D: PartyDirectory> SecurityModule<'_, S, D> {
    /// Makes the start-up message, once the epoch is kept and the last one is not being sent.
    pub(super) fn step_start(&mut self) -> Option<Later<S>> {
        let ready = self.start == Start::Retained && !self.station.outbox.holds(Kept::Startup);
        if !ready {
            return None;
        }
        match self.directory.settings().profile.is_as_published() {
            true => self.make_startup_as_published(),
            false => self.make_startup(),
        }
    }

    fn make_startup(&mut self) -> Option<Later<S>> {
        let settings = self.directory.settings();
        let party = self.directory.find(self.station.me)?;
        let mut fields = [0; STARTUP_FIELDS];
        fields[..8].copy_from_slice(&self.epoch.to_be_bytes());
        fields[8..].copy_from_slice(&settings.time(self.now).0.to_be_bytes());
        let random = self.station.entropy.draw();
        let meter = &mut self.station.worker.meter;
        let key = own_digest(meter, &self.directory, self.station.me);
        let (first, rest) = self.startup.split_at_mut_checked(STARTUP_FIELDS)?;
        first.copy_from_slice(&fields);
        let offer_length = self.suite.sizes().offer;
        let (offer, rest) = rest.split_at_mut_checked(offer_length)?;
        let pending = self.suite.offer(meter, &random, offer)?;
        let named = Named {
            address: party.address,
            name: party.name,
            key: &key,
        };
        let (suite, profile) = (self.suite.identifier(), settings.profile);
        let digest = transcript::startup(meter, suite, profile, named, &fields, offer);
        let signature = self.suite.sign(meter, &self.signing_key, &digest, rest)?;
        let length = STARTUP_FIELDS + offer_length + signature;
        Some(Later::Started {
            digest,
            pending: Some(pending),
            length,
        })
    }

    fn make_startup_as_published(&mut self) -> Option<Later<S>> {
        let meter = &mut self.station.worker.meter;
        let fixed = self.startup.split_first_chunk_mut();
        let (fixed, rest): (&mut [u8; PUBLISHED_STARTUP.len()], _) = fixed?;
        *fixed = PUBLISHED_STARTUP;
        let key = &self.signing_key;
        let signature = self.suite.sign(meter, key, &PUBLISHED_STARTUP, rest)?;
        let length = PUBLISHED_STARTUP.len() + signature;
        Some(Later::Started {
            digest: [0; 32],
            pending: None,
            length,
        })
    }

    pub(super) fn settle_started(
        &mut self,
        digest: Digest,
        pending: Option<S::Pending>,
        length: usize,
    ) {
        (self.startup_digest, self.startup_length) = (digest, length);
        self.pending = pending;
        self.start = Start::Running;
        self.settled_at = self.now + self.directory.settings().timing.authentication;
        let epoch = self.epoch;
        self.events.push(ModuleEvent::Started { epoch });
        // Who is in the middle of the last epoch's authentication begins again.
        for handshake in self.handshakes.iter_mut() {
            handshake.free();
        }
        self.asked = Asked {
            startup: true,
            credential: true,
        };
        self.sent_startup_at = None;
        let settings = self.directory.settings();
        let beacons = !settings.profile.is_as_published();
        self.beacon_at = beacons.then(|| self.now + settings.timing.patience);
    }

    /// Takes a hello, which any node can send: it costs at most a start-up message now and then.
    pub(super) fn take_hello(&mut self, index: usize, data: &[u8]) {
        match data.first() {
            Some(&LACKS_STARTUP) => self.asked.startup = true,
            Some(&LACKS_KEY) => {
                self.asked = Asked {
                    startup: true,
                    credential: true,
                };
            }
            Some(&hello @ (LACKS_TURN | GOES_OVER)) => {
                if let Some(registrant) = self.roster.of_mut(index) {
                    registrant.wants_turn = true;
                    registrant.has_keys = hello == GOES_OVER;
                }
            }
            _ => {}
        }
    }

    /// Returns the time from which the start-up message may be sent again, if an ECU wants it.
    pub(super) fn next_startup(&self) -> Option<Instant> {
        let wanted = self.start == Start::Running && self.asked.startup;
        // It is long, and anybody can ask for it.
        let pause = self.directory.settings().timing.authentication;
        wanted.then(|| self.sent_startup_at.map_or(self.now, |at| at + pause))
    }

    /// Sends the messages to all ECUs.
    pub(super) fn broadcast(&mut self) {
        let settings = self.directory.settings();
        let header = |kind| self.station.header(settings, kind, EVERY_ECU);
        let [credential, startup, beacon] = [
            LasanKind::ModuleCertificate,
            LasanKind::Startup,
            LasanKind::Beacon,
        ]
        .map(header);
        let published = settings.profile.is_as_published();
        let shows = published || settings.credentials != Credentials::Keys;
        let outbox = &mut self.station.outbox;
        let free = !outbox.holds(Kept::Startup) && outbox.room() >= 2;
        if free && self.next_startup().is_some_and(|at| at <= self.now) {
            let outbox = &mut self.station.outbox;
            if shows && self.asked.credential {
                outbox.push(credential, Content::Kept(Kept::Credential));
            }
            outbox.push(startup, Content::Kept(Kept::Startup));
            self.asked = Asked::default();
            self.sent_startup_at = Some(self.now);
        }
        let due = self.beacon_at.is_some_and(|at| at <= self.now);
        if self.start == Start::Running && due {
            self.beacon_at = Some(self.now + settings.timing.patience);
            if self.roster.iter().any(|(_, one)| one.lacks(self.epoch)) {
                let epoch = self.epoch.to_be_bytes();
                self.station.outbox.push_short(beacon, &epoch);
            }
        }
    }
}
