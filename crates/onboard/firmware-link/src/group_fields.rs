//! Fields of a group that agrees on keys: addresses, settings, and events of a role.

use waywarden_can::node::Port;
use waywarden_group_keys::{
    Address, ExchangeFailure, FixedBits, GroupRoleEvent, GroupTiming, IdentifierPlan, MergeOrder,
    OddLevel, Orchestration, OrchestratorCommand, Scheme, Transport,
};
use waywarden_key_suites::PublicKey;

use crate::fields::{Field, MessageError, Reader, Writer, numbered};

impl Field for Address {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.0)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        from.take().map(Address)
    }
}

impl Field for PublicKey {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        let bytes = self.as_bytes();
        to.put(&(bytes.len() as u8))?;
        to.bytes(bytes)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        let length: u8 = from.take()?;
        let key = PublicKey::from_slice(from.bytes(length.into())?);
        key.map_err(|_| MessageError::Field("the length of a public key"))
    }
}

numbered!(Scheme, "the scheme of a group", [
    0: Scheme::TreeWithOrchestrator => Scheme::TreeWithOrchestrator,
    1: Scheme::TreeWithoutOrchestrator => Scheme::TreeWithoutOrchestrator,
    2: Scheme::SymmetricDistribution => Scheme::SymmetricDistribution,
]);

numbered!(OddLevel, "the last one of an odd level", [
    0: OddLevel::Skipped => OddLevel::Skipped,
    1: OddLevel::Promoted => OddLevel::Promoted,
]);

numbered!(Transport, "the transport of a group", [
    0: Transport::Classic => Transport::Classic,
    1: Transport::Fd => Transport::Fd,
]);

numbered!(MergeOrder, "the order of merges", [
    0: MergeOrder::ByLevel => MergeOrder::ByLevel,
    1: MergeOrder::AsReady => MergeOrder::AsReady,
]);

numbered!(Orchestration, "the way in which exchanges are started", [
    0: Orchestration::Each => Orchestration::Each,
    1: Orchestration::SignedAhead => Orchestration::SignedAhead,
    2: Orchestration::Once => Orchestration::Once,
]);

impl Field for IdentifierPlan {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.is_extended())?;
        to.put(&self.base())?;
        to.put(&self.mask())
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        let is_extended = from.take()?;
        let (base, mask) = (from.take()?, from.take()?);
        let made = match is_extended {
            true => IdentifierPlan::extended(FixedBits { base, mask }),
            false => IdentifierPlan::standard(FixedBits { base, mask }),
        };
        made.map_err(|_| MessageError::Field("the identifiers of a group"))
    }
}

impl Field for GroupTiming {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.exchange)?;
        to.put(&self.answer)?;
        to.put(&self.beacon)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(GroupTiming {
            exchange: from.take()?,
            answer: from.take()?,
            beacon: from.take()?,
        })
    }
}

impl Field for OrchestratorCommand {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        match *self {
            OrchestratorCommand::Start { gives_way } => {
                to.put(&0u8)?;
                to.put(&gives_way)
            }
            OrchestratorCommand::Renew { gives_way } => {
                to.put(&1u8)?;
                to.put(&gives_way)
            }
            OrchestratorCommand::Remove(ecu) => {
                to.put(&2u8)?;
                to.put(&ecu)
            }
            OrchestratorCommand::Readmit(ecu) => {
                to.put(&3u8)?;
                to.put(&ecu)
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(match from.take::<u8>()? {
            0 => OrchestratorCommand::Start {
                gives_way: from.take()?,
            },
            1 => OrchestratorCommand::Renew {
                gives_way: from.take()?,
            },
            2 => OrchestratorCommand::Remove(from.take()?),
            3 => OrchestratorCommand::Readmit(from.take()?),
            _ => return Err(MessageError::Field("a command to an orchestrator")),
        })
    }
}

impl Field for ExchangeFailure {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        let (number, ecu) = match *self {
            ExchangeFailure::Orchestration => (0u8, Address::NONE),
            ExchangeFailure::SecretMissing(ecu) => (1, ecu),
            ExchangeFailure::Share => (2, Address::NONE),
            ExchangeFailure::Confirmation => (3, Address::NONE),
            ExchangeFailure::Timeout => (4, Address::NONE),
            ExchangeFailure::PublicKeyMissing(ecu) => (5, ecu),
            #[allow(unreachable_patterns)]
            _ => return Err(MessageError::Field("the failure of an exchange")),
        };
        to.put(&number)?;
        to.put(&ecu)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        let number: u8 = from.take()?;
        let ecu = from.take()?;
        Ok(match number {
            0 => ExchangeFailure::Orchestration,
            1 => ExchangeFailure::SecretMissing(ecu),
            2 => ExchangeFailure::Share,
            3 => ExchangeFailure::Confirmation,
            4 => ExchangeFailure::Timeout,
            5 => ExchangeFailure::PublicKeyMissing(ecu),
            _ => return Err(MessageError::Field("the failure of an exchange")),
        })
    }
}

impl Field for GroupRoleEvent {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        let mut put = |number: u8, field: &dyn Fn(&mut Writer<'_>) -> Result<(), MessageError>| {
            to.put(&number)?;
            field(to)
        };
        match *self {
            GroupRoleEvent::Formed(ecu) => put(0, &|to| to.put(&ecu)),
            GroupRoleEvent::Confirmed { epoch } => put(1, &|to| to.put(&epoch)),
            GroupRoleEvent::Failed { result, failure } => put(2, &|to| {
                to.put(&result)?;
                to.put(&failure)
            }),
            GroupRoleEvent::Missed { epoch } => put(3, &|to| to.put(&epoch)),
            GroupRoleEvent::Starved { renewals } => put(4, &|to| to.put(&renewals)),
            GroupRoleEvent::Unresponsive(ecu) => put(5, &|to| to.put(&ecu)),
            GroupRoleEvent::Removed(ecu) => put(6, &|to| to.put(&ecu)),
            GroupRoleEvent::Included(ecu) => put(7, &|to| to.put(&ecu)),
            GroupRoleEvent::Renewing => put(8, &|_| Ok(())),
            GroupRoleEvent::PortLags(port) => put(9, &|to| to.put(&port.0)),
            GroupRoleEvent::PortFollows(port) => put(10, &|to| to.put(&port.0)),
            GroupRoleEvent::Unacknowledged { epoch, members } => put(11, &|to| {
                to.put(&epoch)?;
                to.put(&members)
            }),
            _ => Err(MessageError::Field("an event of a role in a group")),
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(match from.take::<u8>()? {
            0 => GroupRoleEvent::Formed(from.take()?),
            1 => GroupRoleEvent::Confirmed {
                epoch: from.take()?,
            },
            2 => GroupRoleEvent::Failed {
                result: from.take()?,
                failure: from.take()?,
            },
            3 => GroupRoleEvent::Missed {
                epoch: from.take()?,
            },
            4 => GroupRoleEvent::Starved {
                renewals: from.take()?,
            },
            5 => GroupRoleEvent::Unresponsive(from.take()?),
            6 => GroupRoleEvent::Removed(from.take()?),
            7 => GroupRoleEvent::Included(from.take()?),
            8 => GroupRoleEvent::Renewing,
            9 => GroupRoleEvent::PortLags(Port(from.take()?)),
            10 => GroupRoleEvent::PortFollows(Port(from.take()?)),
            11 => GroupRoleEvent::Unacknowledged {
                epoch: from.take()?,
                members: from.take()?,
            },
            _ => return Err(MessageError::Field("an event of a role in a group")),
        })
    }
}
