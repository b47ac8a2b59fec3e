//! The roles of a network.

use waywarden_can::node::{Boot, Node};
use waywarden_can::{Frame, Id, frame::FD_LENGTHS};
use waywarden_lasan::{
    AnyLasanSuite, Credentials, EcuEvent, EcuStorage, LasanEcu, LasanProfile, LasanSuite,
    ModuleCapacity, ModuleError, ModuleEvent, ModuleStorage, PartyDirectory as _, ProtectedOutcome,
    SecurityModule, enrolled_digest,
};

use super::forged;
use super::laws::Laws;
use super::parties::{Directory, STREAMS, identity, stream};
use crate::seen::Seen;
use crate::source::Source;
use crate::world::{ECUS, Network, PORT, ROLES, first_boot};

/// Count of streams that an ECU has room for.
const HELD: usize = 4;

/// Capacity of the security module.
const CAPACITY: ModuleCapacity = ModuleCapacity {
    ecus: ECUS,
    handshakes: 2,
    permissions: STREAMS,
};

/// Most frames of streams beside those of one message.
const STREAM_FRAMES_MAX: usize = 8;

type NetworkEcu<'a> = LasanEcu<'static, AnyLasanSuite, &'a Directory>;
type NetworkModule<'a> = SecurityModule<'static, AnyLasanSuite, &'a Directory>;

pub(super) struct LasanNetwork<'a> {
    suite: AnyLasanSuite,
    pub(super) directory: &'a Directory,
    pub(super) ecus: [NetworkEcu<'a>; ECUS],
    pub(super) module: NetworkModule<'a>,
    laws: Laws,
}

fn new_ecu<'a>(
    suite: AnyLasanSuite,
    boot: &Boot<'_>,
    directory: &'a Directory,
    at: usize,
) -> NetworkEcu<'a> {
    let memory = EcuStorage::boxed(suite.sizes(), HELD);
    let mut ecu = LasanEcu::new(boot, suite, identity(directory, at), directory, memory);
    let _ = ecu.request(stream(at));
    ecu
}

fn new_module<'a>(
    suite: AnyLasanSuite,
    boot: &Boot<'_>,
    directory: &'a Directory,
) -> Result<NetworkModule<'a>, ModuleError> {
    let memory = ModuleStorage::boxed(suite.sizes(), CAPACITY);
    let identity = identity(directory, ECUS);
    let mut module = SecurityModule::new(boot, suite, identity, directory, memory)?;
    module.start();
    Ok(module)
}

impl<'a> LasanNetwork<'a> {
    /// Boots all roles.
    pub(super) fn new(suite: AnyLasanSuite, directory: &'a Directory) -> Result<Self, ModuleError> {
        let ecu = |at| new_ecu(suite, &first_boot(at), directory, at);
        Ok(LasanNetwork {
            suite,
            directory,
            ecus: std::array::from_fn(ecu),
            module: new_module(suite, &first_boot(ECUS), directory)?,
            laws: Laws::new(),
        })
    }

    fn inspect_module(&mut self, seen: &mut Seen) {
        while let Some(event) = self.module.event() {
            match event {
                ModuleEvent::Authenticated(_) => seen.note("authenticated"),
                ModuleEvent::Failed { .. } => seen.note("failed"),
                _ => {}
            }
        }
        for party in &self.directory.parties {
            if let Some(exporter) = self.module.exporter(party.address) {
                self.laws.check_session(party.address, exporter.as_bytes());
            }
        }
    }

    /// Has an ECU ask for a stream, its own or another's.
    fn request(&mut self, source: &mut Source<'_>) -> usize {
        let at = usize::from(source.byte()) % ECUS;
        let wanted = stream(usize::from(source.byte()) % (STREAMS + 1));
        let _ = self.ecus[at].request(wanted);
        at
    }
}

const fn name(event: &EcuEvent) -> Option<&'static str> {
    Some(match event {
        EcuEvent::Failed(_) => "failed",
        EcuEvent::Granted { .. } => "granted",
        EcuEvent::Denied { .. } => "denied",
        EcuEvent::SessionLost => "lost",
        _ => return None,
    })
}

impl Network for LasanNetwork<'_> {
    const BURST: u8 = 16;

    fn role(&mut self, at: usize) -> &mut dyn Node {
        match self.ecus.get_mut(at) {
            Some(ecu) => ecu,
            None => &mut self.module,
        }
    }

    fn restart(&mut self, at: usize, boot: &Boot<'_>) {
        if let Some(ecu) = self.ecus.get_mut(at) {
            *ecu = new_ecu(self.suite, boot, self.directory, at);
        } else if let Ok(module) = new_module(self.suite, boot, self.directory) {
            self.module = module;
        }
    }

    /// Each message in full frames of 8 bytes at least.
    fn frames_max(&self) -> usize {
        let lengths = self.directory.settings.lengths(self.suite.sizes());
        lengths.longest().div_ceil(8) + STREAM_FRAMES_MAX
    }

    fn inspect(&mut self, at: usize, seen: &mut Seen) {
        let Some(ecu) = self.ecus.get_mut(at) else {
            return self.inspect_module(seen);
        };
        while let Some(event) = ecu.event() {
            name(&event).into_iter().for_each(|name| seen.note(name));
        }
        if matches!(ecu.received(), Some(ProtectedOutcome::Authentic { .. })) {
            seen.note("received");
        }
        if self.directory.settings.profile == LasanProfile::AsPublished {
            return;
        }
        let address = self.directory.parties[at].address;
        if let Some(exporter) = ecu.exporter() {
            self.laws.note_exporter(address, exporter.as_bytes());
        }
        for line in &self.directory.permissions {
            if let Some((generation, key)) = ecu.stream_key(line.stream) {
                let key = (generation, key.as_bytes());
                self.laws.hold(address, line, key);
            }
        }
    }

    fn forge(&self, last: Option<&Frame>, source: &mut Source<'_>) -> Vec<Frame> {
        let lengths = self.directory.settings.lengths(self.suite.sizes());
        forged::message(&self.directory.settings, &lengths, last, source)
    }

    /// Sends some of them as another party's.
    fn disguise(&self, source: &mut Source<'_>) -> Box<dyn Fn(&Frame) -> Frame> {
        let addresses = forged::addresses(&self.directory.settings, source);
        let poses = source.byte().is_multiple_of(4);
        Box::new(move |frame| match poses {
            true => forged::posed(frame, addresses),
            false => *frame,
        })
    }

    fn command(&mut self, source: &mut Source<'_>) -> usize {
        let ecu = self.directory.parties[usize::from(source.byte()) % ROLES].address;
        let known = self.directory.find(ecu);
        match (source.byte() % 4, known) {
            (0, _) => self.module.start(),
            (1, _) if source.byte().is_multiple_of(4) => self.module.retire(ecu),
            (2, Some(party)) => {
                let is_pinned = source.byte().is_multiple_of(2);
                let key = match self.directory.settings.credentials {
                    Credentials::Digests => party.key.try_into().ok(),
                    Credentials::Keys => Some(enrolled_digest(party.key)),
                    Credentials::Certificates => None,
                };
                let key = key.as_ref().filter(|_| is_pinned);
                self.module.enrol(ecu, party.name, key);
            }
            _ => return self.request(source),
        }
        ECUS
    }

    /// Has an ECU send a frame of a stream, if it may.
    fn call(&mut self, source: &mut Source<'_>) -> usize {
        let (mut data, at) = ([0; 48], usize::from(source.byte()) % ECUS);
        source.fill(&mut data[..4]);
        let of = stream(usize::from(source.byte()) % STREAMS);
        let id = Id::standard(of.0 as u16);
        let length = usize::from(source.choose(&FD_LENGTHS)).min(data.len());
        if let Some(Ok(frame)) = id.ok().map(|id| Frame::fd(id, &data[..length])) {
            let _ = self.ecus[at].send(PORT, &frame);
        }
        at
    }
}
