//! A bus with an orchestrator and members, whose insides a test can look at.

use std::collections::BTreeMap;
use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can::node::{Boot, Node, Port, Ports, Slot};
use waywarden_can::timing::{BitRate, BitTiming};
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{BusConfig, EcuConfig, EcuFault};
use waywarden_can_sim::controller::PortConfig;
use waywarden_can_sim::observed::ObservedNode;
use waywarden_can_sim::trace::TraceEvent as Traced;
use waywarden_can_sim::{Config, Simulation};
use waywarden_group_keys::{
    Address, GroupConfiguration, GroupDirectory, GroupHeader, GroupPlan, GroupProfile,
    GroupSettings, GroupSuite, GroupTiming, Member, MemberIdentity, MemberStorage, MergeOrder,
    OddLevel, Orchestration, Orchestrator, OrchestratorStorage, PlannedEcu, Scheme, Step,
    Transport,
};
use waywarden_key_suites::{PublicKey, Secret};
use waywarden_work::Duration;

/// The parameters of a network.
#[derive(Clone, Debug)]
pub(crate) struct NetworkConfig {
    pub(crate) scheme: Scheme,
    pub(crate) odd: OddLevel,
    pub(crate) profile: GroupProfile,
    pub(crate) transport: Transport,
    pub(crate) merge_order: MergeOrder,
    pub(crate) orchestration: Orchestration,
    pub(crate) ecus: u8,
    /// Number of ECUs in the first of two networks; all of them if there is one.
    pub(crate) first_network: u8,
    pub(crate) board: &'static str,
    pub(crate) seed: u64,
}

impl NetworkConfig {
    pub(crate) fn new(scheme: Scheme, ecus: u8) -> Self {
        NetworkConfig {
            scheme,
            odd: OddLevel::Skipped,
            profile: GroupProfile::Hardened,
            transport: Transport::Fd,
            merge_order: MergeOrder::AsReady,
            orchestration: Orchestration::Each,
            ecus,
            first_network: ecus,
            board: "ideal",
            seed: 1,
        }
    }

    fn plan(&self, orchestrator: Address, places: &[PlannedEcu]) -> GroupPlan {
        let (first, second) = places.split_at(usize::from(self.first_network));
        let both = [first, second];
        let networks = if second.is_empty() { &both[..1] } else { &both };
        GroupPlan::of_networks(self.scheme, self.odd, orchestrator, networks).unwrap()
    }

    pub(crate) fn settings(&self) -> GroupSettings {
        let places: Vec<PlannedEcu> = (1..=self.ecus)
            .map(|address| PlannedEcu {
                address: Address(address),
                rank: 0,
            })
            .collect();
        let orchestrator = Address(self.ecus + 1);
        GroupSettings {
            plan: self.plan(orchestrator, &places),
            profile: self.profile,
            transport: self.transport,
            identifiers: waywarden_group_keys::IDENTIFIERS,
            merge_order: self.merge_order,
            orchestration: self.orchestration,
            timing: GroupTiming {
                exchange: Duration::from_millis(500),
                answer: Duration::from_millis(200),
                beacon: Duration::from_millis(1_000),
            },
        }
    }
}

pub(crate) type Known = Arc<GroupConfiguration<Vec<(Address, PublicKey)>>>;
pub(crate) type TestMember<S> = Member<'static, S, Known>;
pub(crate) type TestOrchestrator<S> = Orchestrator<'static, S, Known>;

pub(crate) struct Fleet<S: GroupSuite + 'static> {
    pub(crate) directory: Known,
    pub(crate) orchestrator: ObservedNode<TestOrchestrator<S>>,
    pub(crate) members: Vec<ObservedNode<TestMember<S>>>,
    pub(crate) simulation: Simulation,
    /// Frames sent on the bus, by step.
    pub(crate) sent: BTreeMap<Step, usize>,
}

/// The secret behind an ECU's signing key.
pub(crate) fn identity_secret(address: u8) -> Secret {
    let mut bytes = [0x5A; 32];
    bytes[0] = address;
    Secret::from_bytes(bytes)
}

pub(crate) fn identity<S: GroupSuite + Default>(address: u8) -> MemberIdentity<S> {
    let suite = S::default();
    MemberIdentity {
        address: Address(address),
        ports: Ports::NONE.with(Port(0)),
        signing_key: suite.signing_key(&identity_secret(address)),
        suite,
        slot: Slot(0),
    }
}

pub(crate) fn ecu(
    name: String,
    board: &str,
    faults: Vec<EcuFault>,
    build: impl FnMut(&Boot<'_>) -> Box<dyn Node + Send> + Send + 'static,
) -> EcuConfig {
    let port = PortConfig {
        transmit_queue: 64,
        receive_queue: 256,
        ..PortConfig::on(0)
    };
    let board = Arc::new(Board::builtin(board).unwrap());
    EcuConfig {
        faults,
        ..EcuConfig::new(name, board, vec![port], build)
    }
}

fn timing() -> BitTiming {
    BitTiming::fd(BitRate::constant(500_000), BitRate::constant(2_000_000))
}

impl<S: GroupSuite + Default + 'static> Fleet<S> {
    pub(crate) fn new(network_config: &NetworkConfig) -> Self {
        Self::with(network_config, |_| {})
    }

    /// Makes a fleet whose configuration a test may change.
    pub(crate) fn with(network_config: &NetworkConfig, change: impl FnOnce(&mut Config)) -> Self {
        let addresses = 1..=network_config.ecus + 1;
        let keys = addresses.map(|at| {
            let suite = S::default();
            let key = suite.signing_key(&identity_secret(at));
            (Address(at), suite.public_key(&key))
        });
        let directory: Known = Arc::new(GroupConfiguration {
            settings: network_config.settings(),
            keys: keys.collect(),
        });
        let mut ecus = Vec::new();
        let mut members = Vec::new();
        for address in 1..=network_config.ecus {
            let handle: ObservedNode<TestMember<S>> = ObservedNode::default();
            let (driven, known) = (handle.clone(), directory.clone());
            let build = move |boot: &Boot<'_>| -> Box<dyn Node + Send> {
                let memory = MemberStorage::boxed(&known.settings.plan);
                let role = Member::new(boot, identity(address), known.clone(), memory);
                driven.boot(Some(role))
            };
            ecus.push(ecu(
                format!("ecu-{address}"),
                network_config.board,
                Vec::new(),
                build,
            ));
            members.push(handle);
        }
        let orchestrator: ObservedNode<TestOrchestrator<S>> = ObservedNode::default();
        let (driven, known, address) = (
            orchestrator.clone(),
            directory.clone(),
            network_config.ecus + 1,
        );
        let elsewhere = network_config.first_network + 1..=network_config.ecus;
        let build = move |boot: &Boot<'_>| -> Box<dyn Node + Send> {
            let memory = OrchestratorStorage::boxed(&known.settings.plan);
            let mut role =
                Orchestrator::new(boot, identity(address), known.clone(), memory).unwrap();
            elsewhere.clone().for_each(|ecu| role.remove(Address(ecu)));
            role.renew(false);
            driven.boot(Some(role))
        };
        ecus.push(ecu(
            "orchestrator".to_owned(),
            network_config.board,
            Vec::new(),
            build,
        ));
        let mut config = Config {
            seed: network_config.seed,
            buses: vec![BusConfig::new("bus", timing())],
            ecus,
        };
        change(&mut config);
        Fleet {
            directory,
            orchestrator,
            members,
            simulation: Simulation::new(config).unwrap(),
            sent: BTreeMap::new(),
        }
    }

    /// Runs up to a time from the start.
    pub(crate) fn run(&mut self, millis: u64) {
        let sent = &mut self.sent;
        let prints = std::env::var_os("WAYWARDEN_FRAMES").is_some();
        let mut sink = |at: Time, event: &Traced<'_>| {
            if let Traced::Sent { ecu, frame, .. } = event
                && let Some((step, header)) = GroupHeader::of(frame)
            {
                if prints {
                    let (a, b, r) = (header.first.0, header.second.0, header.result.0);
                    println!("{:.6} ecu {} {step:?} {a} {b} {r}", at.as_seconds(), ecu.0);
                }
                *sent.entry(step).or_default() += 1;
            }
        };
        let end = Time::from_nanos(millis * 1_000_000);
        self.simulation.run_until(end, &mut sink).unwrap();
    }

    pub(crate) fn key(&self, member: usize) -> Option<(u64, [u8; 32])> {
        let member = self.members[member].borrow();
        let (epoch, key) = member.as_ref()?.group_key()?;
        Some((epoch, *key.as_bytes()))
    }

    pub(crate) fn orchestrators_key(&self) -> Option<(u64, [u8; 32])> {
        let orchestrator = self.orchestrator.borrow();
        let (epoch, key) = orchestrator.as_ref()?.group_key()?;
        Some((epoch, *key.as_bytes()))
    }

    /// Prints what the roles have to say, for the reader of a failed test.
    pub(crate) fn tell(&self) {
        println!("sent: {:?}", self.sent);
        while let Some(event) = self
            .orchestrator
            .borrow_mut()
            .as_mut()
            .and_then(TestOrchestrator::event)
        {
            println!("orchestrator: {event:?}");
        }
        for (at, member) in self.members.iter().enumerate() {
            while let Some(event) = member.borrow_mut().as_mut().and_then(TestMember::event) {
                println!("member {}: {event:?}", at + 1);
            }
        }
    }

    /// Asserts that every ECU holds the orchestrator's key.
    #[track_caller]
    pub(crate) fn assert_agreed(&self) {
        let expected = self.orchestrators_key();
        self.tell();
        assert!(expected.is_some(), "the orchestrator has no key");
        let ecus = self.directory.settings().plan.ecu_count();
        for member in 0..ecus {
            assert_eq!(self.key(member), expected, "member {}", member + 1);
        }
    }

    pub(crate) fn frames(&self, steps: &[Step]) -> usize {
        steps.iter().filter_map(|step| self.sent.get(step)).sum()
    }
}
