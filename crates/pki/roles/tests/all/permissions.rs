//! Service specific permissions that a certificate signs for.

use waywarden_ecverify::Curve;
use waywarden_testkit::{Random, each_seed};
use waywarden_v2x_pki::{Contents, SspPermission};
use waywarden_v2x_wire::ieee1609dot2::{Duration, Psid};

use crate::support::{START, World};

const APPLICATION: Psid = Psid(36);

/// Bytes that are near to each other: a version of 1 or 2, few lengths, few bits.
fn bits(random: &mut Random) -> Vec<u8> {
    let mut bits = vec![1 + random.below(2) as u8];
    for _ in 0..random.below(4) {
        bits.push((random.u64() & random.u64()) as u8);
    }
    bits
}

/// A request is permitted only if the certificate says so: nothing without permissions in
/// the certificate, the same bytes of opaque ones, set bits of a bitmap of the same version.
#[test]
fn a_certificate_signs_for_no_permissions_that_it_does_not_have() {
    each_seed(12, |seed| {
        let mut random = Random::new(seed);
        let mut world = World::new(Curve::P256, &mut random, &[APPLICATION]);
        let (own, permission) = match random.below(3) {
            0 => (Vec::new(), SspPermission::Default),
            1 => {
                let own = bits(&mut random);
                (own.clone(), SspPermission::Opaque(own))
            }
            _ => {
                let own = bits(&mut random);
                (own.clone(), SspPermission::Bitmap(own))
            }
        };
        let mut contents = Contents::new(START, Duration::Hours(24));
        contents.permissions.push((APPLICATION, permission.clone()));
        let credential = world.credential(&contents, false);
        let mut permitted = 0;
        for _ in 0..500 {
            let asked = match random.once_in(8) {
                true => own.clone(),
                false => bits(&mut random),
            };
            let expected = asked.is_empty()
                || match permission {
                    SspPermission::Default => false,
                    SspPermission::Opaque(_) => asked == own,
                    SspPermission::Bitmap(_) => {
                        asked.len() == own.len()
                            && asked[0] == own[0]
                            && (1..own.len()).all(|at| asked[at] | own[at] == own[at])
                    }
                };
            let given = credential.permits_with(APPLICATION, Some(&asked));
            assert_eq!(given, expected, "{permission:?} {asked:?}, seed {seed}");
            assert!(
                !credential.permits_with(Psid(37), Some(&asked)),
                "seed {seed}"
            );
            permitted += usize::from(given);
        }
        assert!(credential.permits_with(APPLICATION, None), "seed {seed}");
        assert!(permitted > 0, "seed {seed}");
    });
}
