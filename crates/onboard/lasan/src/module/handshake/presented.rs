//! The key that an ECU presents.

use waywarden_key_roles::Address;

use super::super::super::length::Sizes;
use super::super::super::profile::{Credentials, LasanProfile};
use super::super::super::settings::PartyDirectory;

/// Returns the length of an ECU's key, in bytes.
pub(super) const fn key_length(profile: LasanProfile, sizes: Sizes) -> usize {
    match profile {
        LasanProfile::Compact => sizes.offer,
        _ => sizes.public_key,
    }
}

/// Returns the key that is enrolled, or stands in what was presented.
pub(super) fn presented_key<'a, D: PartyDirectory>(
    directory: &'a D,
    sizes: Sizes,
    ecu: Address,
    presented: &'a [u8],
) -> &'a [u8] {
    let settings = directory.settings();
    match settings.credentials {
        Credentials::Keys => directory.find(ecu).map_or(&[], |party| party.key),
        Credentials::Digests => presented,
        Credentials::Certificates => {
            let length = key_length(settings.profile, sizes);
            super::super::super::certificate::key_in(presented, length)
        }
    }
}
