//! SAE J1939: parameter groups, source addresses, and the frames of its transport protocol.

use waywarden_can::Id;

use crate::MatrixMessage;

/// The source address of no ECU: a file of messages, not of ECUs, has it for "any"
/// \[SAE J1939-81\].
pub const NULL_ADDRESS: u32 = 0xFE;

/// Bytes of a message that one frame of the transport protocol carries \[SAE J1939-21 §5.10\].
const BYTES_PER_FRAME: usize = 7;

/// Frames of the transport protocol that carry one instance of a message to all nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransportFrames {
    /// Identifier of the announcement, TP.CM.
    pub announcement: u32,
    /// Identifier of the frames with data, TP.DT.
    pub data: u32,
    /// Number of frames with data.
    pub data_frames: usize,
}

/// Returns the source address of a 29-bit identifier.
#[must_use]
pub fn source_address(id: Id) -> Option<u32> {
    match id {
        Id::Standard(_) => None,
        Id::Extended(id) => Some(id.raw() & 0xFF),
    }
}

/// Returns the parameter group number of a 29-bit identifier \[SAE J1939-21 §5.1.2\]: below PDU
/// format 240 the next eight bits are an address and no part of it.
#[must_use]
pub fn parameter_group(id: Id) -> Option<u32> {
    let Id::Extended(id) = id else {
        return None;
    };
    let (page_and_format, specific) = (id.raw() >> 16 & 0x3FF, id.raw() >> 8 & 0xFF);
    let is_broadcast = page_and_format & 0xFF >= 240;
    Some(page_and_format << 8 | if is_broadcast { specific } else { 0 })
}

impl MatrixMessage {
    /// Returns true if the message stands for its parameter group from any source address.
    #[must_use]
    pub fn is_of_any_source(&self) -> bool {
        self.is_j1939 && source_address(self.id) == Some(NULL_ADDRESS)
    }

    /// Returns true if a frame with this identifier carries the message: the identifier itself, or
    /// any of its parameter group where the file has the null address.
    #[must_use]
    pub fn is_carried_by(&self, id: Id) -> bool {
        self.id == id
            || (self.is_of_any_source() && parameter_group(self.id) == parameter_group(id))
    }

    /// Returns the frames of the transport protocol of a message of SAE J1939 that is longer than a
    /// frame.
    #[must_use]
    pub fn transport_frames(&self) -> Option<TransportFrames> {
        let source = source_address(self.id).filter(|_| self.is_j1939 && self.needs_transport())?;
        Some(TransportFrames {
            announcement: 0x1CEC_FF00 | source,
            data: 0x1CEB_FF00 | source,
            data_frames: self.length.div_ceil(BYTES_PER_FRAME),
        })
    }
}
