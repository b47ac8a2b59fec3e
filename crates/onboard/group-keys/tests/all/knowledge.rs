//! Values that can be computed from recorded frames with some of the secrets: written from the
//! protocol's documents, without the code of the roles, and so a second opinion on their
//! derivations too.

use std::collections::{BTreeMap, BTreeSet};

use waywarden_can::Frame;
use waywarden_group_keys::{
    Address, Excluded, GroupDirectory, GroupHeader, GroupPlan, GroupProfile, GroupSettings, Scheme,
    Step,
};
use waywarden_key_suites::symmetric::{decrypt_ctr, hkdf_sha256, sha256};
use waywarden_key_suites::{CurveSuite, Entropy, RecordedOperations, Secret};
use waywarden_work::NoMeter;

use crate::network::Known;

const DOMAIN: &[u8] = b"waywarden-gke-1";

/// One exchange as it was on the bus.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) header: GroupHeader,
    pub(crate) freshness: u64,
    pub(crate) actors: [Address; 2],
    pub(crate) shares: [Option<[u8; 32]>; 2],
    pub(crate) confirmations: [Option<[u8; 64]>; 2],
}

/// A master secret on its way.
struct Delivery {
    ecu: Address,
    freshness: u64,
    ciphertext: [u8; 32],
    digest: [u8; 32],
}

/// All that an attacker makes of what it has.
pub(crate) struct Knowledge<S> {
    known: Known,
    pub(crate) sessions: Vec<Session>,
    deliveries: Vec<Delivery>,
    /// Every secret known: random ones of physical ECUs, and those of logical ones.
    pub(crate) secrets: BTreeSet<[u8; 32]>,
    channels: BTreeMap<Address, BTreeSet<[u8; 16]>>,
    masters: BTreeSet<[u8; 32]>,
    suite: core::marker::PhantomData<S>,
}

impl<S: CurveSuite> Knowledge<S> {
    /// Of an attacker who recorded these frames and has nothing else.
    pub(crate) fn of_recording(known: &Known, frames: &[Frame]) -> Self {
        let mut knowledge = Knowledge {
            known: known.clone(),
            sessions: Vec::new(),
            deliveries: Vec::new(),
            secrets: BTreeSet::new(),
            channels: BTreeMap::new(),
            masters: BTreeSet::new(),
            suite: core::marker::PhantomData,
        };
        knowledge.sort_out(frames);
        knowledge
    }

    /// Adds all that an ECU draws from its seed.
    pub(crate) fn with_seed(mut self, seed: [u8; 32]) -> Self {
        let mut entropy = Entropy::new(seed);
        let drawn = (0..24).map(|_| *entropy.draw().as_bytes());
        self.secrets.extend(drawn);
        self
    }

    fn sort_out(&mut self, frames: &[Frame]) {
        let known = self.known.clone();
        let plan = &known.settings().plan;
        let mut announced = BTreeMap::new();
        let mut excluded = Excluded::default();
        for frame in frames {
            let Some((step, header)) = GroupHeader::of(frame) else {
                continue;
            };
            let data = frame.data();
            let under_way = self
                .sessions
                .iter_mut()
                .rev()
                .find(|at| at.header == header);
            match (step, under_way) {
                (Step::Freshness, _) => {
                    announced.insert(header, u64::from_be_bytes(data.try_into().unwrap()));
                }
                (Step::Orchestration, _) => {
                    note_stand_ins(plan, header, &mut excluded);
                    let acting = |named| match plan.is_physical(named) {
                        true => named,
                        false => plan.active(named, &excluded),
                    };
                    self.sessions.push(Session {
                        header,
                        freshness: announced.get(&header).copied().unwrap_or(0),
                        actors: [header.first, header.second].map(acting),
                        shares: [None; 2],
                        confirmations: [None; 2],
                    });
                }
                (Step::ShareA, Some(at)) => at.shares[0] = data.try_into().ok(),
                (Step::ShareB, Some(at)) => at.shares[1] = data.try_into().ok(),
                (Step::ConfirmationA, Some(at)) => at.confirmations[0] = data.try_into().ok(),
                (Step::ConfirmationB, Some(at)) => at.confirmations[1] = data.try_into().ok(),
                (Step::MasterSecret, _) => {
                    let delivery = Delivery {
                        ecu: header.second,
                        freshness: announced.get(&whole_group(plan)).copied().unwrap_or(0),
                        ciphertext: data.try_into().unwrap(),
                        digest: self.digest(plan, &excluded),
                    };
                    self.deliveries.push(delivery);
                }
                _ => {}
            }
        }
    }

    /// The hash over the shares of all present ECUs: public.
    fn digest(&self, plan: &GroupPlan, excluded: &Excluded) -> [u8; 32] {
        let mut digest = [0; 32];
        for ecu in plan.ecus().filter(|&ecu| !excluded.contains(ecu)) {
            let mut sessions = self.sessions.iter().rev();
            let last = sessions.find(|at| at.header.result == plan.parent(ecu));
            let [a, b] = last
                .map_or([None; 2], |at| at.shares)
                .map(Option::unwrap_or_default);
            let shares = sha256(&mut NoMeter, &[&a, &b]);
            digest = sha256(&mut NoMeter, &[&digest, &[ecu.0], &shares]);
        }
        digest
    }

    /// Computes everything that follows, and returns every key that might be the group's.
    pub(crate) fn group_keys(&mut self) -> BTreeSet<[u8; 32]> {
        let known = self.known.clone();
        let settings = known.settings();
        while self.follow_exchanges(settings) {}
        while self.follow_deliveries(settings) {}
        let root = settings.plan.root();
        let mut found = self.secrets.clone();
        for master in &self.masters {
            for delivery in &self.deliveries {
                found.insert(derive(&delivery.digest, master, b"group secret"));
            }
        }
        match settings.profile {
            GroupProfile::AsPublished => found,
            _ => {
                let key = |secret: &[u8; 32]| {
                    let (mut meter, mut key) = (RecordedOperations::new(), [0; 32]);
                    let info: [&[u8]; 2] = [b"traffic key", &[root.0]];
                    hkdf_sha256(&mut meter, DOMAIN, secret, &info, &mut key);
                    key
                };
                found.iter().map(key).collect()
            }
        }
    }

    /// Finds exchanges one side of which is known; returns whether that gave anything new.
    fn follow_exchanges(&mut self, settings: &GroupSettings) -> bool {
        let before = self.secrets.len();
        let scalars = self.secrets.iter().flat_map(|bytes| {
            let half = bytes.first_chunk::<16>().unwrap();
            let whole = S::scalar(&Secret::from_bytes(*bytes));
            [whole, S::scalar_as_published(half)]
        });
        let scalars: Vec<_> = scalars
            .map(|scalar| (S::share(&mut NoMeter, &scalar), scalar))
            .collect();
        for session in &self.sessions {
            let [Some(a), Some(b)] = session.shares else {
                continue;
            };
            let own = scalars.iter().find(|(share, _)| *share == a || *share == b);
            let Some((share, scalar)) = own else { continue };
            let peers = if *share == a { b } else { a };
            let agreed = S::extract(&mut NoMeter, scalar, &peers).unwrap();
            let salt = salt::<S>(settings, session);
            let mut secret = derive(&salt, agreed.as_bytes(), b"secret");
            if settings.profile == GroupProfile::AsPublished {
                secret[16..].fill(0);
            }
            self.secrets.insert(secret);
            if let Some((ecu, _)) = settings.plan.children(session.header.result) {
                let channel = derive(&salt, agreed.as_bytes(), b"channel");
                let channels = self.channels.entry(ecu).or_default();
                channels.insert(*channel.first_chunk().unwrap());
            }
        }
        self.secrets.len() > before
    }

    /// Finds master secrets: by the keys of private channels, and where a key stream was used twice
    /// and one of the two plaintexts is known.
    fn follow_deliveries(&mut self, settings: &GroupSettings) -> bool {
        let before = self.masters.len();
        for delivery in &self.deliveries {
            for channel in self.channels.get(&delivery.ecu).into_iter().flatten() {
                let block = counter_block(settings.profile, Step::MasterSecret, delivery.freshness);
                let mut master = delivery.ciphertext;
                decrypt_ctr(&mut NoMeter, channel, &block, &mut master);
                self.masters.insert(master);
            }
            for other in self.deliveries.iter().filter(|at| at.ecu == delivery.ecu) {
                let both = xor(delivery.ciphertext, other.ciphertext);
                let guesses: Vec<_> = self.masters.iter().map(|&known| xor(both, known)).collect();
                if self.masters.len() < 4_096 {
                    self.masters.extend(guesses);
                }
            }
        }
        self.masters.len() > before && self.masters.len() < 4_096
    }
}

/// The orchestrator stands in for an ECU from the order on in which it has that one's place.
fn note_stand_ins(plan: &GroupPlan, header: GroupHeader, excluded: &mut Excluded) {
    let stand_in = plan.orchestrator();
    let (first, second) = plan.children(header.result).unwrap();
    for (planned, named) in [(first, header.first), (second, header.second)] {
        if plan.is_physical(planned) && planned != stand_in {
            excluded.set(planned, named == stand_in);
        }
    }
}

pub(crate) fn whole_group(plan: &GroupPlan) -> GroupHeader {
    GroupHeader {
        gives_way: false,
        first: plan.orchestrator(),
        second: Address::NONE,
        result: plan.root(),
    }
}

pub(crate) fn xor<const N: usize>(a: [u8; N], b: [u8; N]) -> [u8; N] {
    core::array::from_fn(|at| a[at] ^ b[at])
}

pub(crate) fn derive(salt: &[u8], ikm: &[u8; 32], label: &[u8]) -> [u8; 32] {
    let mut out = [0; 32];
    hkdf_sha256(&mut NoMeter, salt, ikm, &[label], &mut out);
    out
}

pub(crate) fn counter_block(profile: GroupProfile, step: Step, freshness: u64) -> [u8; 16] {
    let mut block = [0; 16];
    if profile == GroupProfile::Hardened {
        block[0] = step.code();
        block[1..9].copy_from_slice(&freshness.to_be_bytes());
    }
    block
}

/// Returns the prefix of every signature and derivation of `hardened`.
pub(crate) fn bound<S: CurveSuite>(
    scheme: Scheme,
    step: Step,
    header: GroupHeader,
    fresh: u64,
) -> Vec<u8> {
    let code = match scheme {
        Scheme::TreeWithOrchestrator => 1,
        Scheme::TreeWithoutOrchestrator => 2,
        Scheme::SymmetricDistribution => 3,
    };
    let gives_way = u32::from(header.gives_way) << 28;
    let addresses = [header.first, header.second, header.result].map(|at| u32::from(at.0));
    let [first, second, result] = addresses;
    let raw = gives_way | u32::from(step.code()) << 24 | first << 16 | second << 8 | result;
    [
        DOMAIN,
        &[S::IDENTIFIER, code],
        &raw.to_be_bytes(),
        &fresh.to_be_bytes(),
    ]
    .concat()
}

pub(crate) fn salt<S: CurveSuite>(settings: &GroupSettings, session: &Session) -> [u8; 32] {
    if settings.profile == GroupProfile::AsPublished {
        return [0; 32];
    }
    let scheme = settings.plan.scheme();
    let begin = bound::<S>(scheme, Step::ShareA, session.header, session.freshness);
    let [a, b] = session.shares.map(Option::unwrap_or_default);
    let actors = session.actors.map(|at| at.0);
    sha256(&mut NoMeter, &[&begin, &actors, &a, &b])
}
