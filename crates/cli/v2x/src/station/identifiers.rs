//! Text forms of certificates and addresses.

use waywarden_v2x_wire::ieee1609dot2::HashedId8;

use waywarden_v2x_input::records::show;

/// The name of a certificate: 16 hexadecimal digits.
pub(super) fn id(id: &HashedId8) -> String {
    show(&id.0).replace(' ', "")
}

/// The address of a link.
pub(super) fn link(address: [u8; 6]) -> String {
    address.map(|byte| format!("{byte:02x}")).join(":")
}
