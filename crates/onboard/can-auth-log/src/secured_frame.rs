//! Layout of a SecOC message in its secured frame: payload, freshness, authenticator, padding.
//!
//! A log says nothing of the layout of a stream. The first plain frame shows it where a log is
//! protected; where one is checked, the receiver tries the layouts that the frame's length allows.

use waywarden_can::frame::FD_LENGTHS;
use waywarden_can::{FdFlags, Format, Frame, Id};
use waywarden_can_auth::secoc::{Layout, SecocCarrier, SecocProfile};

/// Stands where a protocol other than SecOC has no secured frame.
pub(crate) const NO_SECURED_FRAME: Layout = Layout::fixed(SecocCarrier::Classic, CLASSIC_MAX);

/// The longest payload of a classic frame, in bytes.
const CLASSIC_MAX: u8 = 8;

/// The longest payload of a CAN FD frame, in bytes.
const FD_MAX: u8 = 64;

/// Returns the layout of a stream whose first payload comes in this frame: lengths may vary where
/// the secured frame tells the payload's, else all have this one.
pub(crate) fn layout_for(profile: SecocProfile, frame: &Frame, widens: bool) -> Layout {
    let length = frame.data_len() as u8;
    let carrier = carrier(frame, widens);
    match carrier == SecocCarrier::Classic || fills_frame(length, profile) {
        true => varying(profile, carrier),
        false => Layout::fixed(carrier, length),
    }
}

/// Returns the layouts that a secured frame may have: those of the payloads that fill it, and of
/// those that need padding, each of which has a length of its own.
pub(crate) fn possible_layouts(
    profile: SecocProfile,
    secured: &Frame,
    widens: bool,
) -> Vec<Layout> {
    let carrier = carrier(secured, false);
    let mut layouts = vec![varying(profile, carrier)];
    if carrier == SecocCarrier::Fd {
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

/// Returns the message that a secured frame carried, in the frame that it had before.
pub(crate) fn plain_frame(id: Id, secured: &Frame, payload: &[u8], widens: bool) -> Option<Frame> {
    match secured.format() {
        Format::Fd {
            bit_rate_switch,
            error_state_indicator,
        } if !widens || payload.len() > usize::from(CLASSIC_MAX) => Frame::fd_with(
            id,
            payload,
            FdFlags {
                bit_rate_switch,
                error_state_indicator,
            },
        )
        .ok(),
        _ => Frame::classic(id, payload).ok(),
    }
}

fn carrier(frame: &Frame, widens: bool) -> SecocCarrier {
    match frame.is_fd() || widens {
        true => SecocCarrier::Fd,
        false => SecocCarrier::Classic,
    }
}

fn varying(profile: SecocProfile, carrier: SecocCarrier) -> Layout {
    let room = match carrier {
        SecocCarrier::Classic => CLASSIC_MAX,
        SecocCarrier::Fd => FD_MAX,
    };
    // Where there is no room at all, the stream refuses the layout.
    let longest = usize::from(room).checked_sub(profile.trailer_length());
    match longest {
        Some(longest) => Layout::variable(carrier, 0..=longest as u8),
        None => Layout::fixed(carrier, room),
    }
}

/// Returns true if payload, freshness and authenticator fill a CAN FD frame exactly.
fn fills_frame(payload: u8, profile: SecocProfile) -> bool {
    let filled = usize::from(payload) + profile.trailer_length();
    frame_length(filled) == Some(filled)
}

/// Returns the length of the shortest CAN FD frame for this many bytes.
fn frame_length(bytes: usize) -> Option<usize> {
    let mut lengths = FD_LENGTHS.into_iter().map(usize::from);
    lengths.find(|length| *length >= bytes)
}
