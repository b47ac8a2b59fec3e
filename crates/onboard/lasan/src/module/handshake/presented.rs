//! The key that an ECU presents.

use waywarden_key_roles::Address;

use super::super::super::length::Sizes;
use super::super::super::profile::{Credentials, Profile};
use super::super::super::settings::Directory;

/// Returns the length of an ECU's key, in bytes.
pub(super) const fn key_length(profile: Profile, sizes: Sizes) -> usize {
    match profile {
        Profile::Compact => sizes.offer,
        _ => sizes.public_key,
    }
}

/// Returns the key that is enrolled, or stands in what was presented.
pub(super) fn presented_key<'a, D: Directory>(
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
