//! The events of a party under a security module, which its image reports.

use waywarden_can::node::Port;
use waywarden_key_suites::{AgreementError, VerifyError};
use waywarden_lasan::{
    Address, CertificateError, DenialReason, EcuEvent, HandshakeFailure, ModuleEvent,
};

use crate::fields::{Field, MessageError, Reader, Writer};

/// An event of a party.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LasanReport {
    /// Of an ECU.
    Ecu(EcuEvent),
    /// Of the security module.
    Module(ModuleEvent),
}

impl LasanReport {
    /// Maximum length of a report, in bytes.
    pub const LENGTH_MAX: usize = 16;

    /// Writes it; returns the number of bytes.
    ///
    /// # Errors
    /// [`MessageError::NoRoom`]; [`MessageError::Field`] for an event that has no number here.
    pub fn encode(&self, into: &mut [u8]) -> Result<usize, MessageError> {
        let mut to = Writer::new(into);
        to.put(self)?;
        Ok(to.length())
    }

    /// Reads it.
    ///
    /// # Errors
    /// [`MessageError`].
    pub fn decode(bytes: &[u8]) -> Result<Self, MessageError> {
        let mut from = Reader::new(bytes);
        let report = from.take()?;
        from.end()?;
        Ok(report)
    }
}

/// All reasons of a failed authentication, by their numbers.
const FAILURES: [HandshakeFailure; 20] = [
    HandshakeFailure::Timeout,
    HandshakeFailure::Unknown,
    HandshakeFailure::Key,
    HandshakeFailure::Epoch,
    HandshakeFailure::Proof,
    HandshakeFailure::Certificate(CertificateError::Length),
    HandshakeFailure::Certificate(CertificateError::Subject),
    HandshakeFailure::Certificate(CertificateError::Role),
    HandshakeFailure::Certificate(CertificateError::Authority),
    HandshakeFailure::Certificate(CertificateError::NotYet),
    HandshakeFailure::Certificate(CertificateError::Expired),
    HandshakeFailure::Certificate(CertificateError::Signature),
    HandshakeFailure::Signature(VerifyError::PublicKey),
    HandshakeFailure::Signature(VerifyError::Malformed),
    HandshakeFailure::Signature(VerifyError::Mismatch),
    HandshakeFailure::Agreement(AgreementError::Length),
    HandshakeFailure::Agreement(AgreementError::NotCanonical),
    HandshakeFailure::Agreement(AgreementError::NotOnCurve),
    HandshakeFailure::Agreement(AgreementError::Weak),
    HandshakeFailure::Agreement(AgreementError::Neutral),
];

/// All reasons of a denial, by their numbers.
const DENIALS: [DenialReason; 3] = [
    DenialReason::NotAllowed,
    DenialReason::NotNow,
    DenialReason::Revoked,
];

/// Writes the number of a value in a list of all.
fn put_number<T: PartialEq>(
    all: &[T],
    value: &T,
    what: &'static str,
    to: &mut Writer<'_>,
) -> Result<(), MessageError> {
    let number = all.iter().position(|one| one == value);
    to.put(&(number.ok_or(MessageError::Field(what))? as u8))
}

fn take_number<T: Copy>(
    all: &[T],
    what: &'static str,
    from: &mut Reader<'_>,
) -> Result<T, MessageError> {
    let number: u8 = from.take()?;
    let value = all.get(usize::from(number));
    value.copied().ok_or(MessageError::Field(what))
}

const FAILURE: &str = "the failure of an authentication";
const DENIAL: &str = "the reason of a denial";

impl Field for LasanReport {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        match self {
            LasanReport::Ecu(event) => write_ecu(event, to),
            LasanReport::Module(event) => write_module(event, to),
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        let address = |from: &mut Reader<'_>| from.take().map(Address);
        Ok(match from.take::<u8>()? {
            0 => LasanReport::Ecu(EcuEvent::Authenticated {
                epoch: from.take()?,
            }),
            1 => LasanReport::Ecu(EcuEvent::Failed(take_number(&FAILURES, FAILURE, from)?)),
            2 => LasanReport::Ecu(EcuEvent::SessionLost),
            3 => LasanReport::Ecu(EcuEvent::Granted {
                stream: from.take()?,
                sender: address(from)?,
                generation: from.take()?,
            }),
            4 => LasanReport::Ecu(EcuEvent::Denied {
                stream: from.take()?,
                reason: take_number(&DENIALS, DENIAL, from)?,
            }),
            5 => LasanReport::Ecu(EcuEvent::Expired(from.take()?)),
            16 => LasanReport::Module(ModuleEvent::Started {
                epoch: from.take()?,
            }),
            17 => LasanReport::Module(ModuleEvent::Authenticated(address(from)?)),
            18 => LasanReport::Module(ModuleEvent::Failed {
                ecu: address(from)?,
                failure: take_number(&FAILURES, FAILURE, from)?,
            }),
            19 => LasanReport::Module(ModuleEvent::Keyed {
                stream: from.take()?,
                generation: from.take()?,
            }),
            20 => LasanReport::Module(ModuleEvent::Granted {
                stream: from.take()?,
                ecu: address(from)?,
                generation: from.take()?,
            }),
            21 => LasanReport::Module(ModuleEvent::Refused {
                stream: from.take()?,
                ecu: address(from)?,
                reason: take_number(&DENIALS, DENIAL, from)?,
            }),
            22 => LasanReport::Module(ModuleEvent::Revoked(from.take()?)),
            23 => LasanReport::Module(ModuleEvent::Enrolled(address(from)?)),
            24 => LasanReport::Module(ModuleEvent::PortLags(Port(from.take()?))),
            25 => LasanReport::Module(ModuleEvent::PortFollows(Port(from.take()?))),
            26 => LasanReport::Module(ModuleEvent::Retired(address(from)?)),
            _ => return Err(MessageError::Field("the kind of an event")),
        })
    }
}

fn write_ecu(event: &EcuEvent, to: &mut Writer<'_>) -> Result<(), MessageError> {
    match event {
        EcuEvent::Authenticated { epoch } => {
            to.put(&0u8)?;
            to.put(epoch)
        }
        EcuEvent::Failed(failure) => {
            to.put(&1u8)?;
            put_number(&FAILURES, failure, FAILURE, to)
        }
        EcuEvent::SessionLost => to.put(&2u8),
        EcuEvent::Granted {
            stream,
            sender,
            generation,
        } => {
            to.put(&3u8)?;
            to.put(stream)?;
            to.put(&sender.0)?;
            to.put(generation)
        }
        EcuEvent::Denied { stream, reason } => {
            to.put(&4u8)?;
            to.put(stream)?;
            put_number(&DENIALS, reason, DENIAL, to)
        }
        EcuEvent::Expired(stream) => {
            to.put(&5u8)?;
            to.put(stream)
        }
        _ => Err(MessageError::Field("the event of an ECU")),
    }
}

fn write_module(event: &ModuleEvent, to: &mut Writer<'_>) -> Result<(), MessageError> {
    let mut with = |number: u8, value: u8| {
        to.put(&number)?;
        to.put(&value)
    };
    match event {
        ModuleEvent::Authenticated(ecu) => with(17, ecu.0),
        ModuleEvent::Enrolled(ecu) => with(23, ecu.0),
        ModuleEvent::PortLags(port) => with(24, port.0),
        ModuleEvent::PortFollows(port) => with(25, port.0),
        ModuleEvent::Retired(ecu) => with(26, ecu.0),
        ModuleEvent::Started { epoch } => {
            to.put(&16u8)?;
            to.put(epoch)
        }
        ModuleEvent::Failed { ecu, failure } => {
            with(18, ecu.0)?;
            put_number(&FAILURES, failure, FAILURE, to)
        }
        ModuleEvent::Keyed { stream, generation } => {
            to.put(&19u8)?;
            to.put(stream)?;
            to.put(generation)
        }
        ModuleEvent::Granted {
            stream,
            ecu,
            generation,
        } => {
            to.put(&20u8)?;
            to.put(stream)?;
            to.put(&ecu.0)?;
            to.put(generation)
        }
        ModuleEvent::Refused {
            stream,
            ecu,
            reason,
        } => {
            to.put(&21u8)?;
            to.put(stream)?;
            to.put(&ecu.0)?;
            put_number(&DENIALS, reason, DENIAL, to)
        }
        ModuleEvent::Revoked(stream) => {
            to.put(&22u8)?;
            to.put(stream)
        }
        _ => Err(MessageError::Field("the event of a security module")),
    }
}
