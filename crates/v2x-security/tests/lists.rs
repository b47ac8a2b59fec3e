//! Lists: revocations that are renewed.

mod world;

use waywarden_v2x_security::revocation::{CrlFault, REVOKED_MAX};
use waywarden_v2x_security::Revocations;
use waywarden_v2x_wire::ieee1609dot2::{
    HashBasedRevocationInfo, HashedId8, HashedId10, Time32, Time64,
};

use world::{NOW, crl, now};

fn entry(number: usize, expiry: u32) -> HashBasedRevocationInfo<'static> {
    let mut id = [0; 10];
    id[2..].copy_from_slice(&(number as u64).to_be_bytes());
    HashBasedRevocationInfo {
        id: HashedId10(id),
        expiry: Time32(expiry),
        unknown: Default::default(),
    }
}

/// The next list of a series has most of the one before in it: that is no reason to refuse it.
#[test]
fn the_longest_list_can_be_renewed() {
    let craca = HashedId8([1; 8]);
    let entries: Vec<_> = (0..REVOKED_MAX).map(|at| entry(at, NOW + 100)).collect();
    let mut revocations = Revocations::default();
    let most = crl(NOW, NOW + 60, craca, &entries);
    assert_eq!(revocations.apply(&most), Ok(REVOKED_MAX));
    let next = crl(NOW + 60, NOW + 120, craca, &entries);
    assert_eq!(revocations.apply(&next), Ok(REVOKED_MAX));
    assert_eq!(revocations.len(), REVOKED_MAX);
    let more = [entry(REVOKED_MAX, NOW)];
    let more = crl(NOW + 120, NOW + 180, craca, &more);
    assert_eq!(revocations.apply(&more), Err(CrlFault::TooMany));
    assert_eq!(revocations.len(), REVOKED_MAX);
    // Once some have expired there is room again.
    revocations.forget_expired(Time64(u64::from(NOW + 200) * 1_000_000));
    assert_eq!(revocations.apply(&more), Ok(1));
}

/// Whoever names an earlier expiry would end a revocation early.
#[test]
fn a_revocation_is_never_made_shorter() {
    let mut revocations = Revocations::default();
    let one = entry(1, 0).id;
    revocations.revoke(one, Time32(NOW + 100));
    revocations.revoke(one, Time32(NOW - 100));
    let shorter = [entry(1, NOW - 100)];
    let list = crl(NOW, NOW + 60, HashedId8([1; 8]), &shorter);
    assert_eq!(revocations.apply(&list), Ok(1));
    revocations.forget_expired(now());
    assert!(revocations.has(one));
    // Longer it may become.
    revocations.revoke(one, Time32(NOW + 200));
    revocations.forget_expired(Time64(u64::from(NOW + 150) * 1_000_000));
    assert!(revocations.has(one));
}
