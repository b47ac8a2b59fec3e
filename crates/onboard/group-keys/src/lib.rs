#![doc = include_str!("../README.md")]
//!
//! # Where to begin
//!
//! [`Orchestrator`] and [`Member`] are [`Node`](waywarden_can::node::Node)s, generic over a
//! [suite](GroupSuite) and given their memory; [`GroupPlan`] is the tree of merges,
//! [`GroupSettings`] are the values that all ECUs agree on beforehand. Messages, choices and the
//! security argument are in `docs/protocols/gke.md` of the repository, after \[GKE\].
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate std;

#[cfg(feature = "alloc")]
mod builder;
mod distribution;
mod event;
mod exchange;
mod identifier;
mod inbox;
mod member;
mod merges;
mod orchestrator;
mod outbox;
mod party;
mod plan;
mod record;
mod secrets;
mod settings;
mod storage;
mod suite;
mod transcript;

#[cfg(feature = "alloc")]
pub use builder::{GroupBuilder, GroupError, SharedGroupConfiguration};
pub use event::GroupRoleEvent;
pub use exchange::ExchangeFailure;
pub use identifier::{GroupFrameReader, GroupHeader, IDENTIFIERS, Step};
pub use member::Member;
pub use orchestrator::{ATTEMPTS_MAX, Orchestrator, OrchestratorCommand, OrchestratorError};
pub use party::MemberIdentity;
pub use plan::{
    ADDRESSES, DEPTH_MAX, EXCHANGES, Excluded, GroupPlan, OddLevel, PlanError, PlannedEcu, Scheme,
};
pub use settings::{
    GroupConfiguration, GroupDirectory, GroupProfile, GroupSettings, GroupTiming, MergeOrder,
    Orchestration,
};
pub use storage::{MemberArrays, MemberStorage, OrchestratorArrays, OrchestratorStorage};
#[cfg(feature = "alloc")]
pub use suite::AnyGroupSuite;
pub use suite::GroupSuite;
pub use waywarden_key_roles::{
    Address, FixedBits, IdPattern, IdentifierPlan, IdentifierPlanError, Transport,
};
