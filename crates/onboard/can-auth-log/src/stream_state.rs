//! The states of one stream: a sender that protects its messages, and a receiver that checks them.
//!
//! Both begin with the epoch of the plan: a log has no resets, and no sender answers a receiver.

use waywarden_can::{Id, IdError, StandardId};
use waywarden_can_auth::key_store::KeyStoreError;
use waywarden_can_auth::paired::{self, OddIdError, WireForm};
use waywarden_can_auth::secoc::{self, Layout, SecocProfile};
use waywarden_can_auth::stream::{
    AnyReceiver, AnySender, LeiaReceivers, LeiaSenders, Persistent, VaticanSenders,
};
use waywarden_can_auth::{leia, vatican};
use waywarden_vehicle_file::AuthenticationProtocol;
use waywarden_work::NoMeter;

use crate::stream_keys::{DERIVATION_KEY, MESSAGE_KEY, StreamKeys};

/// A sender of one stream.
pub(crate) type StreamSender = AnySender<
    VaticanSenders<[vatican::VaticanSender; 1]>,
    LeiaSenders<[leia::LeiaSender; 1], [leia::LeiaConnection; 0]>,
>;

/// A receiver of one stream.
pub(crate) type StreamReceiver = AnyReceiver<
    vatican::VaticanReceiver<[vatican::VaticanConnection; 1]>,
    LeiaReceivers<[leia::LeiaConnection; 1]>,
>;

/// Reason why a table's protocol has no stream under an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamSetupError {
    /// vatiCAN and LeiA have no streams under 29-bit identifiers.
    #[error("vatiCAN and LeiA are for 11-bit identifiers")]
    ExtendedId,
    /// No identifier is left for the tags.
    #[error(transparent)]
    OddId(#[from] OddIdError),
    /// The first 11 bits of a 29-bit identifier are none of their own.
    #[error(transparent)]
    Id(#[from] IdError),
    /// Payload, freshness and authenticator do not fit the frame.
    #[error(transparent)]
    Layout(#[from] secoc::StreamError),
    /// The keys cannot be used.
    #[error(transparent)]
    Key(#[from] KeyStoreError),
}

/// Layout and identifiers of the messages of a SecOC stream, in addition to its profile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SecuredMessage {
    pub(crate) layout: Layout,
    /// None means the identifier; of 29 bits, the low 16.
    pub(crate) data_id: Option<u16>,
    /// The identifier of the PDUs that freshness and code are in, if not in the message's own.
    pub(crate) cryptographic: Option<Id>,
}

/// Makes the sender of a stream that begins `epoch`; only SecOC reads `secured`.
///
/// # Errors
/// [`StreamSetupError`].
pub(crate) fn sender(
    protocol: &AuthenticationProtocol,
    id: Id,
    secured: SecuredMessage,
    epoch: u32,
    keys: &mut StreamKeys,
) -> Result<StreamSender, StreamSetupError> {
    Ok(match protocol {
        AuthenticationProtocol::Paired { wire, .. } => StreamSender::Paired(
            paired::PairedSender::in_epoch(paired_connection(*wire, id)?, epoch),
        ),
        AuthenticationProtocol::Published { wire, .. } => match wire {
            WireForm::Vatican => {
                let sender = vatican::VaticanSender::new(vatican_connection(id)?);
                StreamSender::Vatican(VaticanSenders::new([sender], false))
            }
            WireForm::Leia => {
                let sender = leia::LeiaSender::new(leia_connection(id, keys)?);
                StreamSender::Leia(LeiaSenders::new([sender], []))
            }
        },
        AuthenticationProtocol::Secoc(secoc) => {
            if let Some(stream) = separate_stream(secoc.profile, secured, id)? {
                StreamSender::SeparateSecoc(secoc::SeparateSender::under_fresh_key(stream))
            } else {
                let stream = secoc_stream(secoc.profile, secured, id)?;
                StreamSender::Secoc(secoc::SecocSender::under_fresh_key(stream))
            }
        }
    })
}

/// Makes the receiver of a stream, in step with a sender whose next message has the counter
/// `first` of `epoch`, or none before; only SecOC reads `secured`, and has no `first` here.
///
/// # Errors
/// [`StreamSetupError`].
pub(crate) fn receiver(
    protocol: &AuthenticationProtocol,
    id: Id,
    secured: SecuredMessage,
    (epoch, first): (u32, Option<u64>),
    keys: &mut StreamKeys,
) -> Result<StreamReceiver, StreamSetupError> {
    let first = first.map(|first| u32::try_from(first).unwrap_or(u32::MAX));
    Ok(match protocol {
        AuthenticationProtocol::Paired { wire, .. } => {
            let connection = paired_connection(*wire, id)?;
            let receiver = paired::PairedReceiver::in_step(
                connection,
                paired::StreamPosition {
                    epoch,
                    counter: first.unwrap_or(0),
                },
            );
            StreamReceiver::Paired(receiver)
        }
        AuthenticationProtocol::Published { wire, .. } => match wire {
            WireForm::Vatican => {
                let before = first.unwrap_or(0).saturating_sub(1);
                let connection = vatican_connection(id)?.behind(before);
                StreamReceiver::Vatican(vatican::VaticanReceiver::new([connection], false))
            }
            WireForm::Leia => {
                let receiver = leia::LeiaReceiver::new([leia_connection(id, keys)?], None);
                StreamReceiver::Leia(LeiaReceivers::new(receiver))
            }
        },
        AuthenticationProtocol::Secoc(secoc) => {
            if let Some(stream) = separate_stream(secoc.profile, secured, id)? {
                StreamReceiver::SeparateSecoc(secoc::SeparateReceiver::under_fresh_key(stream))
            } else {
                let stream = secoc_stream(secoc.profile, secured, id)?;
                StreamReceiver::Secoc(secoc::SecocReceiver::under_fresh_key(stream))
            }
        }
    })
}

/// Acknowledges at once a value that a state asks to retain: a log has no resets.
pub(crate) fn retain(state: &mut impl Persistent) {
    if let Some(value) = state.to_retain() {
        state.retained(value);
    }
}

fn secoc_stream(
    profile: SecocProfile,
    secured: SecuredMessage,
    id: Id,
) -> Result<secoc::SecocStream, StreamSetupError> {
    let SecuredMessage {
        layout, data_id, ..
    } = secured;
    let stream = match id {
        Id::Standard(id) => secoc::SecocStream::new(profile, layout, id, MESSAGE_KEY)?,
        Id::Extended(id) => {
            let base = StandardId::new(id.base())?;
            secoc::SecocStream::new(profile, layout, base, MESSAGE_KEY)?
                .with_frame_id(Id::Extended(id))
                .with_data_id(id.raw() as u16)
        }
    };
    Ok(match data_id {
        Some(data_id) => stream.with_data_id(data_id),
        None => stream,
    })
}

/// Makes a stream with cryptographic PDUs; none for one without.
fn separate_stream(
    profile: SecocProfile,
    secured: SecuredMessage,
    id: Id,
) -> Result<Option<secoc::SeparateStream>, StreamSetupError> {
    let Some(cryptographic) = secured.cryptographic else {
        return Ok(None);
    };
    let (carrier, length) = secured.layout.carried();
    let (own, default) = match id {
        Id::Standard(id) => (id, id.raw()),
        Id::Extended(id) => (StandardId::new(id.base())?, id.raw() as u16),
    };
    let ids = (own, cryptographic);
    let stream = secoc::SeparateStream::new(profile, (carrier, length), ids, MESSAGE_KEY)?;
    let data_id = secured.data_id.unwrap_or(default);
    Ok(Some(stream.with_frame_id(id).with_data_id(data_id)))
}

fn standard(id: Id) -> Result<StandardId, StreamSetupError> {
    match id {
        Id::Standard(id) => Ok(id),
        Id::Extended(_) => Err(StreamSetupError::ExtendedId),
    }
}

fn paired_connection(wire: WireForm, id: Id) -> Result<paired::PairedConnection, StreamSetupError> {
    Ok(paired::PairedConnection::new(
        wire,
        standard(id)?,
        MESSAGE_KEY,
    )?)
}

fn vatican_connection(id: Id) -> Result<vatican::VaticanConnection, StreamSetupError> {
    Ok(vatican::VaticanConnection::new(standard(id)?, MESSAGE_KEY)?)
}

/// LeiA as published, in its first epoch.
fn leia_connection(
    id: Id,
    keys: &mut StreamKeys,
) -> Result<leia::LeiaConnection, StreamSetupError> {
    let connection = leia::LeiaConnection::new(standard(id)?, MESSAGE_KEY, DERIVATION_KEY)?;
    Ok(connection.begin(keys, &mut NoMeter)?)
}
