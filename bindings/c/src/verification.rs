//! ECDSA signatures and implicit keys. All values are public: time depends on them.

use waywarden_ecverify::{
    Curve, EncodedPoint, EncodedSignature, Job, JobKey, RebuildError, SignatureRefusal, rebuild,
    verify,
};

use crate::memory::{bytes, writable, write};
use crate::status::{Status, answer};

/// NIST P-256.
pub const WAYWARDEN_P256: u8 = 0;
/// NIST P-384.
pub const WAYWARDEN_P384: u8 = 1;
/// brainpoolP256r1.
pub const WAYWARDEN_BRAINPOOL_P256R1: u8 = 2;
/// brainpoolP384r1.
pub const WAYWARDEN_BRAINPOOL_P384R1: u8 = 3;

/// Bytes behind a pointer.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Bytes {
    /// The first byte; may be null where `length` is 0.
    pub data: *const u8,
    /// Number of bytes.
    pub length: usize,
}

fn curve(number: u8) -> Result<Curve, Status> {
    Ok(match number {
        WAYWARDEN_P256 => Curve::P256,
        WAYWARDEN_P384 => Curve::P384,
        WAYWARDEN_BRAINPOOL_P256R1 => Curve::BrainpoolP256r1,
        WAYWARDEN_BRAINPOOL_P384R1 => Curve::BrainpoolP384r1,
        _ => return Err(Status::Argument),
    })
}

/// # Safety
/// See [the rules on pointers](crate#pointers).
unsafe fn slice<'a>(from: Bytes) -> Result<&'a [u8], Status> {
    // SAFETY: by the caller.
    unsafe { bytes(from.data, from.length) }
}

/// # Safety
/// See [the rules on pointers](crate#pointers).
unsafe fn point<'a>(from: Bytes) -> Result<EncodedPoint<'a>, Status> {
    // SAFETY: by the caller.
    EncodedPoint::from_sec1(unsafe { slice(from) }?).map_err(|_| Status::Point)
}

fn refused(refusal: SignatureRefusal) -> Status {
    match refusal {
        SignatureRefusal::DigestLength | SignatureRefusal::SignatureLength => Status::Argument,
        SignatureRefusal::Key(_)
        | SignatureRefusal::Reconstruction(_)
        | SignatureRefusal::Ca(_)
        | SignatureRefusal::KeyAtInfinity => Status::Point,
        _ => Status::Signature,
    }
}

/// Verifies an ECDSA signature. `key` is a point in the form of SEC 1, compressed or not; `digest`
/// 32 or 48 bytes; `r` and `s` are big-endian, each as long as a coordinate (32 or 48 bytes).
///
/// Refused with WAYWARDEN_STATUS_SIGNATURE, _POINT for a key that is no point of the curve,
/// _ARGUMENT for a length or a curve that there is not.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_ecdsa_verify(
    curve: u8,
    key: Bytes,
    digest: Bytes,
    r: *const u8,
    s: *const u8,
) -> Status {
    answer(|| {
        let curve = self::curve(curve)?;
        let length = curve.field_bytes();
        // SAFETY: by the caller.
        let job = unsafe {
            Job {
                curve,
                digest: slice(digest)?,
                signature: EncodedSignature {
                    r: EncodedPoint::XOnly(bytes(r, length)?),
                    s: bytes(s, length)?,
                },
                key: JobKey::Explicit(point(key)?),
                sender: None,
            }
        };
        verify(&job).map_err(refused)
    })
}

/// Rebuilds the public key of an implicit certificate (ECQV, in the form of IEEE 1609.2 §5.3.2):
/// e P + C. `hash` is e, 32 or 48 bytes; `reconstruction` P and `issuer` C are points in the form
/// of SEC 1. Writes the uncompressed point into `key`, which has room for `capacity` bytes: 65 or
/// 97 are needed, and `length` is set to what was, or would be, written.
///
/// Refused with WAYWARDEN_STATUS_POINT, _ARGUMENT, _SPACE.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_ecqv_rebuild(
    curve: u8,
    hash: Bytes,
    reconstruction: Bytes,
    issuer: Bytes,
    key: *mut u8,
    capacity: usize,
    length: *mut usize,
) -> Status {
    answer(|| {
        writable(key)?;
        let curve = self::curve(curve)?;
        // SAFETY: by the caller.
        let rebuilt = unsafe {
            write(length, 1 + 2 * curve.field_bytes())?;
            rebuild(
                curve,
                slice(hash)?,
                &point(reconstruction)?,
                &point(issuer)?,
            )
        };
        let rebuilt = rebuilt.map_err(|error| match error {
            RebuildError::HashLength => Status::Argument,
            _ => Status::Point,
        })?;
        let encoded = rebuilt.to_sec1_uncompressed();
        let encoded: &[u8] = encoded.as_ref();
        if encoded.len() > capacity {
            return Err(Status::Space);
        }
        // SAFETY: as many bytes as `capacity` says, by the caller, and `encoded` is ours.
        unsafe { key.copy_from_nonoverlapping(encoded.as_ptr(), encoded.len()) };
        Ok(())
    })
}
