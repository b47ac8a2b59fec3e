//! The ends of one stream: a sender that protects what a log has, and receivers that check it.

use waywarden_can::frame::FD_LENGTHS;
use waywarden_can::{Format, Frame, Id, StandardId};
use waywarden_can_auth::paired::{self, Wire};
use waywarden_can_auth::secoc::{self, Carrier, Layout, Profile};
use waywarden_can_auth::stream::{Either, Lasting, LeiaReceivers, LeiaSenders, VaticanSenders};
use waywarden_can_auth::{leia, vatican};
use waywarden_vehicle_file::AuthenticationProtocol;
use waywarden_work::Meter;

use super::stream_keys::{DERIVATION_KEY, MESSAGE_KEY, StreamKeys};

/// A sender of one stream.
pub(super) type StreamSender = Either<
    Either<paired::Sender, secoc::Sender>,
    Either<
        VaticanSenders<[vatican::Sender; 1]>,
        LeiaSenders<[leia::Sender; 1], [leia::Connection; 0]>,
    >,
>;

/// A receiver of one stream.
pub(super) type StreamReceiver = Either<
    Either<paired::Receiver, secoc::Receiver>,
    Either<vatican::Receiver<[vatican::Connection; 1]>, LeiaReceivers<[leia::Connection; 1]>>,
>;

/// The longest payload of a classic frame.
const CLASSIC_MAX: u8 = 8;

/// Stands in the place of a layout where there is no SecOC.
pub(super) const NO_SECURED_FRAME: Layout = Layout::fixed(Carrier::Classic, CLASSIC_MAX);

/// Makes the sender of a stream that begins `epoch`; `layout` is of SecOC.
///
/// # Errors
/// Why there is none, in words.
pub(super) fn sender(
    protocol: &AuthenticationProtocol,
    id: Id,
    layout: Layout,
    epoch: u32,
    codes: &mut StreamKeys,
) -> Result<StreamSender, String> {
    Ok(match protocol {
        AuthenticationProtocol::Paired { wire, .. } => Either::First(Either::First(
            paired::Sender::new(connection(*wire, id)?, epoch),
        )),
        AuthenticationProtocol::Published { wire, .. } => Either::Second(match wire {
            Wire::Vatican => {
                let sender = vatican::Sender::new(as_published(id)?);
                Either::First(VaticanSenders::new([sender], false))
            }
            Wire::Leia => {
                let sender = leia::Sender::new(begun(id, codes)?);
                Either::Second(LeiaSenders::new([sender], []))
            }
        }),
        AuthenticationProtocol::Secoc(secoc) => {
            let stream = secured(secoc.profile, layout, id)?;
            Either::First(Either::Second(secoc::Sender::new(stream, 0)))
        }
    })
}

/// Makes the receiver of a stream, in step with a sender that begins `epoch`.
///
/// # Errors
/// Why there is none, in words.
pub(super) fn receiver(
    protocol: &AuthenticationProtocol,
    id: Id,
    layout: Layout,
    epoch: u32,
    codes: &mut StreamKeys,
) -> Result<StreamReceiver, String> {
    Ok(match protocol {
        AuthenticationProtocol::Paired { wire, .. } => {
            let receiver = paired::Receiver::in_step(connection(*wire, id)?, epoch);
            Either::First(Either::First(receiver))
        }
        AuthenticationProtocol::Published { wire, .. } => Either::Second(match wire {
            Wire::Vatican => Either::First(vatican::Receiver::new([as_published(id)?], false)),
            Wire::Leia => {
                let receiver = leia::Receiver::new([begun(id, codes)?], None);
                Either::Second(LeiaReceivers::new(receiver))
            }
        }),
        AuthenticationProtocol::Secoc(secoc) => {
            let stream = secured(secoc.profile, layout, id)?;
            Either::First(Either::Second(secoc::Receiver::new(stream, 0)))
        }
    })
}

/// Retains at once what is to be retained: a log has no resets.
pub(super) fn retain(end: &mut impl Lasting) {
    if let Some(value) = end.to_retain() {
        end.retained(value);
    }
}

/// The layout of a stream whose first payload comes in this frame: lengths may vary where the
/// secured frame tells the payload's, else all have this one.
pub(super) fn layout(profile: Profile, frame: &Frame, widens: bool) -> Layout {
    let length = frame.data_len() as u8;
    let carrier = carrier(frame, widens);
    match carrier == Carrier::Classic || fills(length, profile) {
        true => varying(profile, carrier),
        false => Layout::fixed(carrier, length),
    }
}

/// The layouts that a secured frame may have: those of the payloads that fill it, and of those that
/// leave bytes to fill up, each of which has a length of its own.
pub(super) fn layouts(profile: Profile, secured: &Frame, widens: bool) -> Vec<Layout> {
    let carrier = carrier(secured, false);
    let mut layouts = vec![varying(profile, carrier)];
    if carrier == Carrier::Fd {
        let length = secured.data_len();
        let short = (0..=CLASSIC_MAX).filter(|_| widens);
        let long = FD_LENGTHS
            .into_iter()
            .filter(|one| !widens || *one > CLASSIC_MAX);
        let payloads = short.chain(long).filter(|&payload| {
            let filled = usize::from(payload) + profile.trailer_length();
            filled != length && frame_length(filled) == Some(length)
        });
        layouts.extend(payloads.map(|payload| Layout::fixed(carrier, payload)));
    }
    layouts
}

/// The message that a secured frame carried, in the frame it had before.
pub(super) fn plain(id: Id, secured: &Frame, payload: &[u8], widens: bool) -> Option<Frame> {
    match secured.format() {
        Format::Fd {
            bit_rate_switch,
            error_state_indicator,
        } if !widens || payload.len() > usize::from(CLASSIC_MAX) => {
            Frame::fd_with(id, payload, bit_rate_switch, error_state_indicator).ok()
        }
        _ => Frame::classic(id, payload).ok(),
    }
}

fn carrier(frame: &Frame, widens: bool) -> Carrier {
    match frame.is_fd() || widens {
        true => Carrier::Fd,
        false => Carrier::Classic,
    }
}

fn varying(profile: Profile, carrier: Carrier) -> Layout {
    let room = match carrier {
        Carrier::Classic => CLASSIC_MAX,
        Carrier::Fd => 64,
    };
    // Where there is no room at all, the stream refuses the layout.
    let most = usize::from(room).checked_sub(profile.trailer_length());
    match most {
        Some(most) => Layout::between(carrier, 0, most as u8),
        None => Layout::fixed(carrier, room),
    }
}

fn fills(payload: u8, profile: Profile) -> bool {
    let filled = usize::from(payload) + profile.trailer_length();
    frame_length(filled) == Some(filled)
}

/// The shortest FD frame's length for this many bytes.
fn frame_length(bytes: usize) -> Option<usize> {
    let mut lengths = FD_LENGTHS.into_iter().map(usize::from);
    lengths.find(|length| *length >= bytes)
}

fn secured(profile: Profile, layout: Layout, id: Id) -> Result<secoc::Stream, String> {
    let stream = match id {
        Id::Standard(id) => secoc::Stream::new(profile, layout, id, MESSAGE_KEY),
        Id::Extended(id) => StandardId::new(id.base())
            .map_err(|error| error.to_string())
            .map(|base| secoc::Stream::new(profile, layout, base, MESSAGE_KEY))?
            .map(|stream| {
                stream
                    .with_frame_id(Id::Extended(id))
                    .with_data_id(id.raw() as u16)
            }),
    };
    stream.map_err(|error| error.to_string())
}

fn standard(id: Id) -> Result<StandardId, String> {
    match id {
        Id::Standard(id) => Ok(id),
        Id::Extended(_) => Err("vatiCAN and LeiA are for 11-bit identifiers".to_owned()),
    }
}

fn connection(wire: Wire, id: Id) -> Result<paired::Connection, String> {
    paired::Connection::new(wire, standard(id)?, MESSAGE_KEY).map_err(|error| error.to_string())
}

fn as_published(id: Id) -> Result<vatican::Connection, String> {
    vatican::Connection::new(standard(id)?, MESSAGE_KEY).map_err(|error| error.to_string())
}

fn begun(id: Id, codes: &mut StreamKeys) -> Result<leia::Connection, String> {
    let connection = leia::Connection::new(standard(id)?, MESSAGE_KEY, DERIVATION_KEY);
    let connection = connection.map_err(|error| error.to_string())?;
    let begun = connection.begin(codes, &mut Meter::new());
    begun.map_err(|error| error.to_string())
}
