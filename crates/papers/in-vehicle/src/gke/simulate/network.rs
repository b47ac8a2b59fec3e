//! One run: members and an orchestrator on one bus, the paper's messages, real cryptography.
//!
//! All ECUs start at once on an empty bus with the boards' costs, one core each. The run ends when
//! all have the group key. Nothing is measured here: see `record` and `path`.

use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can::node::{Boot, Node, Port, Ports, Slot};
use waywarden_can::timing::{BitRate, BitTiming};
use waywarden_can_sim::config::EcuConfig;
use waywarden_can_sim::controller::PortConfig;
use waywarden_can_sim::observed::ObservedNode;
use waywarden_group_keys::{
    Address, AnyGroupSuite, GroupConfiguration, GroupPlan, GroupProfile, GroupSettings, GroupSuite,
    GroupTiming, Member, MemberIdentity, MemberStorage, MergeOrder, OddLevel, Orchestration,
    Orchestrator, OrchestratorStorage, PlannedEcu, Scheme, Transport,
};
use waywarden_key_suites::{PublicKey, Secret};
use waywarden_work::Duration;

use super::GkeSimulateError;
use super::record::Record;
use crate::bench::Bench;

/// The largest group of the paper.
pub(super) const ECUS_MAX: usize = 32;

/// Simulated time between two checks of the members' keys, in milliseconds.
const STRIDE_MS: u64 = 50;

/// Configuration of a network.
pub(super) struct ExchangeScenario {
    pub(super) scheme: Scheme,
    pub(super) transport: Transport,
    /// Nominal and data bit rate; the latter does not matter on classic CAN.
    pub(super) rates: (u32, u32),
    /// One for each ECU, the orchestrator's last.
    pub(super) boards: Vec<Arc<Board>>,
}

type Known = Arc<GroupConfiguration<Vec<(Address, PublicKey)>>>;
type KeyMember = Member<'static, AnyGroupSuite, Known>;
type KeyOrchestrator = Orchestrator<'static, AnyGroupSuite, Known>;

impl ExchangeScenario {
    fn settings(&self) -> Result<GroupSettings, GkeSimulateError> {
        let ecus = self.ecu_count();
        let places: Vec<PlannedEcu> = (1..=ecus)
            .map(|address| PlannedEcu {
                address: Address(address),
                rank: 0,
            })
            .collect();
        let plan = GroupPlan::new(self.scheme, OddLevel::Skipped, Address(ecus + 1), &places);
        Ok(GroupSettings {
            plan: plan.map_err(|_| GkeSimulateError::Plan)?,
            profile: GroupProfile::AsPublished,
            transport: self.transport,
            identifiers: waywarden_group_keys::IDENTIFIERS,
            merge_order: MergeOrder::ByLevel,
            orchestration: Orchestration::Each,
            // Nothing is lost here, so no ECU has to give up in time.
            timing: GroupTiming {
                exchange: Duration::from_millis(10_000),
                answer: Duration::from_millis(10_000),
                beacon: Duration::ZERO,
            },
        })
    }

    /// The ECUs beside the orchestrator, at most [`ECUS_MAX`].
    fn ecu_count(&self) -> u8 {
        self.boards.len().saturating_sub(1).min(ECUS_MAX) as u8
    }

    fn bit_timing(&self) -> Result<BitTiming, GkeSimulateError> {
        let rate = |bits| BitRate::new(bits).map_err(|_| GkeSimulateError::Rates);
        let nominal = rate(self.rates.0)?;
        Ok(match self.transport {
            Transport::Classic => BitTiming::classic(nominal),
            Transport::Fd => BitTiming::fd(nominal, rate(self.rates.1)?),
        })
    }

    /// Runs until every ECU has the key; none if that does not happen in time.
    pub(super) fn run(&self, suite: AnyGroupSuite) -> Result<Option<Record>, GkeSimulateError> {
        let count = self.ecu_count();
        let keys = (1..=count + 1).map(|at| {
            let key = suite.signing_key(&identity_secret(at));
            (Address(at), suite.public_key(&key))
        });
        let known: Known = Arc::new(GroupConfiguration {
            settings: self.settings()?,
            keys: keys.collect(),
        });
        let mut ecus = Vec::new();
        let mut members: Vec<ObservedNode<KeyMember>> = Vec::new();
        for (address, board) in (1..=count).zip(&self.boards) {
            let observed = ObservedNode::default();
            members.push(observed.clone());
            let known = known.clone();
            ecus.push(ecu(address, board, move |boot| {
                let storage = MemberStorage::boxed(&known.settings.plan);
                let identity = identity(suite, address);
                observed.boot(Some(Member::new(boot, identity, known.clone(), storage)))
            }));
        }
        let orchestrator: ObservedNode<KeyOrchestrator> = ObservedNode::default();
        let (observed, address) = (orchestrator.clone(), count + 1);
        let board = self.boards.last().ok_or(GkeSimulateError::Plan)?;
        ecus.push(ecu(address, board, move |boot| {
            let storage = OrchestratorStorage::boxed(&known.settings.plan);
            let identity = identity(suite, address);
            let role = Orchestrator::new(boot, identity, known.clone(), storage);
            observed.boot(role.ok().map(|mut role| {
                role.renew(false);
                role
            }))
        }));
        let bench = Bench {
            timing: self.bit_timing()?,
            ecus,
            stride_ms: STRIDE_MS,
        };
        let mut record = Record::new(usize::from(count) + 1);
        let is_over = || Ok(agreed(&orchestrator, &members));
        let is_over = bench.run(&mut record, GkeSimulateError::Run, is_over)?;
        Ok(is_over.then_some(record))
    }
}

/// Returns true if every member has the orchestrator's key.
fn agreed(
    orchestrator: &ObservedNode<KeyOrchestrator>,
    members: &[ObservedNode<KeyMember>],
) -> bool {
    let orchestrator = orchestrator.borrow();
    let key = orchestrator.as_ref().and_then(KeyOrchestrator::group_key);
    let Some((_, key)) = key else { return false };
    members.iter().all(|member| {
        let member = member.borrow();
        let own = member.as_ref().and_then(KeyMember::group_key);
        own.is_some_and(|(_, own)| own.as_bytes() == key.as_bytes())
    })
}

/// The secret behind an ECU's signing key: any will do.
fn identity_secret(address: u8) -> Secret {
    let mut bytes = [0x5A; 32];
    bytes[0] = address;
    Secret::from_bytes(bytes)
}

fn identity(suite: AnyGroupSuite, address: u8) -> MemberIdentity<AnyGroupSuite> {
    MemberIdentity {
        address: Address(address),
        ports: Ports::NONE.with(Port(0)),
        suite,
        signing_key: suite.signing_key(&identity_secret(address)),
        slot: Slot(0),
    }
}

fn ecu(
    address: u8,
    board: &Arc<Board>,
    build: impl FnMut(&Boot<'_>) -> Box<dyn Node + Send> + Send + 'static,
) -> EcuConfig {
    let port = PortConfig {
        transmit_queue: 64,
        receive_queue: 256,
        ..PortConfig::on(0)
    };
    EcuConfig::new(
        format!("ecu-{address}"),
        Arc::clone(board),
        vec![port],
        build,
    )
}
