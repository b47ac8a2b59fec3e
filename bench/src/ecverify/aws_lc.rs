//! AWS-LC: parsed keys and digests of aws-lc-rs; for implicit certificates its C functions, since
//! aws-lc-rs has no sums of points.

use std::ptr::{null, null_mut};

use aws_lc_rs::digest::{self, Digest};
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ParsedPublicKey, UnparsedPublicKey,
};
use aws_lc_sys as c;
use waywarden_ecverify::Curve;

use super::POOL;
use super::material::{self, Implicit, Signed};
use crate::race::Contestant;

/// One signature of a parsed key; none where AWS-LC does not know the curve.
pub(super) fn verify(curve: Curve) -> Option<Contestant> {
    let (algorithm, hash) = match curve {
        Curve::P256 => (&ECDSA_P256_SHA256_FIXED, &digest::SHA256),
        Curve::P384 => (&ECDSA_P384_SHA384_FIXED, &digest::SHA384),
        Curve::BrainpoolP256r1 | Curve::BrainpoolP384r1 => return None,
    };
    let parsed: Vec<(ParsedPublicKey, Digest, Vec<u8>)> = material::signed(curve, POOL)
        .into_iter()
        .map(|one| {
            let key = UnparsedPublicKey::new(algorithm, &one.public);
            (
                key.parse().expect("a point of the curve"),
                digest::digest(hash, &one.message),
                [one.r, one.s].concat(),
            )
        })
        .collect();
    Some(Contestant::new(
        "aws-lc-rs",
        parsed,
        |(key, digest, signature)| {
            assert!(key.verify_digest_sig(digest, signature).is_ok());
        },
    ))
}

/// A message under an implicit certificate.
pub(super) fn receive() -> Contestant {
    let all = material::implicit(POOL);
    let receiver = Receiver::new(&all[0].ca);
    let parsed = all
        .into_iter()
        .map(|one| (ParsedSignature::new(&one.signed), one))
        .collect();
    Contestant::new("AWS-LC (C)", parsed, move |(signature, one)| {
        assert!(receiver.receive(one, signature));
    })
}

/// An `ECDSA_SIG`.
struct ParsedSignature(*mut c::ECDSA_SIG);

/// State that a receiver keeps between messages.
struct Receiver {
    /// Static; never freed.
    group: *const c::EC_GROUP,
    ca: *mut c::EC_POINT,
    /// Rebuilt keys take turns in these.
    sum: *mut c::EC_POINT,
    key: *mut c::EC_KEY,
    e: *mut c::BIGNUM,
    context: *mut c::BN_CTX,
}

// What all blocks below rest on: pointers come from AWS-LC's own constructors and are checked for
// null where they are made; each is owned by one value here, which lives as long as the program
// (what the two types own is given back by its end); bytes are passed with their own length; no
// contestant crosses threads, since raw pointers are not `Send`.
#[expect(
    unsafe_code,
    reason = "C functions; the note above says why each call is sound"
)]
mod calls {
    use super::*;

    fn made<T>(pointer: *mut T) -> *mut T {
        assert!(!pointer.is_null(), "memory");
        pointer
    }

    impl ParsedSignature {
        pub(super) fn new(signed: &Signed) -> Self {
            let integer = |bytes: &[u8]| {
                // SAFETY: reads `len` bytes of the slice.
                made(unsafe { c::BN_bin2bn(bytes.as_ptr(), bytes.len(), null_mut()) })
            };
            // SAFETY: no argument.
            let signature = made(unsafe { c::ECDSA_SIG_new() });
            // SAFETY: three live objects; the signature takes both integers.
            let set =
                unsafe { c::ECDSA_SIG_set0(signature, integer(&signed.r), integer(&signed.s)) };
            assert_eq!(set, 1);
            Self(signature)
        }
    }

    impl Receiver {
        pub(super) fn new(ca: &[u8]) -> Self {
            let curve = c::NID_X9_62_prime256v1;
            // SAFETY: constructors; the group is static memory of the library.
            let receiver = unsafe {
                let group = made(c::EC_GROUP_new_by_curve_name(curve));
                Self {
                    group,
                    ca: made(c::EC_POINT_new(group)),
                    sum: made(c::EC_POINT_new(group)),
                    key: made(c::EC_KEY_new_by_curve_name(curve)),
                    e: made(c::BN_new()),
                    context: made(c::BN_CTX_new()),
                }
            };
            receiver.read(receiver.ca, ca);
            receiver
        }

        fn read(&self, point: *mut c::EC_POINT, bytes: &[u8]) {
            let (from, length) = (bytes.as_ptr(), bytes.len());
            // SAFETY: live objects of one group; reads `length` bytes of the slice.
            let read =
                unsafe { c::EC_POINT_oct2point(self.group, point, from, length, self.context) };
            assert_eq!(read, 1, "a point of the curve");
        }

        pub(super) fn receive(&self, one: &Implicit, signature: &ParsedSignature) -> bool {
            let Self {
                group,
                ca,
                sum,
                key,
                e,
                context,
            } = *self;
            self.read(sum, &one.reconstruction);
            let digest = &one.signed.digest;
            // SAFETY: live objects of one group; a point may be source and target; both slices
            // are read for their length.
            unsafe {
                assert!(!c::BN_bin2bn(one.e.as_ptr(), one.e.len(), e).is_null());
                assert_eq!(c::EC_POINT_mul(group, sum, null(), sum, e, context), 1);
                assert_eq!(c::EC_POINT_add(group, sum, sum, ca, context), 1);
                assert_eq!(c::EC_KEY_set_public_key(key, sum), 1);
                c::ECDSA_do_verify(digest.as_ptr(), digest.len(), signature.0, key) == 1
            }
        }
    }
}
