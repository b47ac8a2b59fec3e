//! A member in the test's hand, without bus, time or processor, in a network of two ECUs; and what
//! the test says to it.

use std::sync::Arc;

use waywarden_can::Frame;
use waywarden_can::driver::frames_at_once;
use waywarden_can::node::{Boot, Input};
use waywarden_group_keys::{
    Address, ExchangeFailure, Excluded, GroupConfiguration, GroupDirectory, GroupHeader, GroupPlan,
    GroupProfile, GroupRoleEvent, Member, MemberStorage, OddLevel, PlannedEcu, Scheme, Step,
};
use waywarden_key_suites::{FourQ, SignatureScheme};
use waywarden_work::{Instant, NoMeter};

use crate::insider::frame_of;
use crate::knowledge::bound;
use crate::network::{Known, NetworkConfig, TestMember, identity, identity_secret};

/// A role in the test's hand: no bus, no time, no processor.
pub(crate) struct Hand(pub(crate) TestMember<FourQ>);

impl Hand {
    pub(crate) fn new(address: u8, network: &Known) -> Self {
        let boot = Boot {
            now: Instant::ZERO,
            seed: [address; 32],
            retained: &[],
        };
        let memory = MemberStorage::boxed(&network.settings.plan);
        Hand(Member::new(
            &boot,
            identity(address),
            network.clone(),
            memory,
        ))
    }

    /// Hands over frames; returns the frames that the member sends.
    pub(crate) fn give(&mut self, frames: &[Frame]) -> Vec<Frame> {
        self.give_at(Instant::ZERO, frames)
    }

    /// The same at another time.
    pub(crate) fn give_at(&mut self, now: Instant, frames: &[Frame]) -> Vec<Frame> {
        let port = waywarden_can::node::Port(0);
        let mut sent = Vec::new();
        for frame in frames {
            let input = Input::Frame { port, frame };
            sent.extend(frames_at_once(&mut self.0, now, input).unwrap());
        }
        sent
    }

    pub(crate) fn failures(&mut self) -> Vec<ExchangeFailure> {
        let events = core::iter::from_fn(|| self.0.event());
        let failures = events.filter_map(|event| match event {
            GroupRoleEvent::Failed { failure, .. } => Some(failure),
            _ => None,
        });
        failures.collect()
    }
}

pub(crate) const ORCHESTRATOR: u8 = 9;

/// A network of two ECUs, and the key that each is registered with.
pub(crate) fn pair(profile: GroupProfile, ecus: [(u8, u8); 2]) -> Known {
    pair_of(Scheme::TreeWithoutOrchestrator, profile, ecus)
}

/// The same in a scheme.
pub(crate) fn pair_of(scheme: Scheme, profile: GroupProfile, ecus: [(u8, u8); 2]) -> Known {
    let network_config = NetworkConfig {
        profile,
        ..NetworkConfig::new(Scheme::TreeWithOrchestrator, 2)
    };
    let mut settings = network_config.settings();
    let places = ecus.map(|(at, _)| PlannedEcu {
        address: Address(at),
        rank: 0,
    });
    let orchestrator = Address(ORCHESTRATOR);
    settings.plan = GroupPlan::new(scheme, OddLevel::Skipped, orchestrator, &places).unwrap();
    let registered = [ecus[0], ecus[1], (ORCHESTRATOR, ORCHESTRATOR)];
    let keys = registered.map(|(at, key)| {
        let key = FourQ::signing_key(&identity_secret(key));
        (Address(at), FourQ::public_key(&key))
    });
    Arc::new(GroupConfiguration {
        settings,
        keys: keys.to_vec(),
    })
}

/// Returns the order for the pair of a network, signed by whomever, and its header.
pub(crate) fn order(network: &Known, signer: u8) -> (GroupHeader, Vec<Frame>) {
    let settings = network.settings();
    let plan = &settings.plan;
    let result = plan.merges().next().unwrap();
    let (first, second) = plan.children(result).unwrap();
    let header = GroupHeader {
        gives_way: false,
        first,
        second,
        result,
    };
    let step = Step::Orchestration;
    let waywarden_can::Id::Extended(id) = header.identifier(step) else {
        unreachable!("all identifiers of the protocol are extended");
    };
    let all = plan.composition(result, &Excluded::default());
    let (freshness, message) = match settings.profile {
        // The time stamp of the first ten seconds.
        GroupProfile::AsPublished => (
            0_u64,
            [id.raw().to_be_bytes().to_vec(), vec![0; 8]].concat(),
        ),
        _ => {
            let begin = bound::<FourQ>(plan.scheme(), step, header, 1);
            (1, [&begin, &all.as_bytes()[..]].concat())
        }
    };
    let key = FourQ::signing_key(&identity_secret(signer));
    let signature = FourQ::sign(&mut NoMeter, &key, &message);
    let announcement = frame_of(header, Step::Freshness, &freshness.to_be_bytes());
    (
        header,
        vec![announcement, frame_of(header, step, &signature)],
    )
}
