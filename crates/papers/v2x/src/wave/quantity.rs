//! Quantities measured on the machine at hand, by name.

use waywarden_paper_tables::Measurement;

/// Milliseconds of a second.
pub(super) const MILLIS: f64 = 1_000.0;

/// Measured quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaveQuantity {
    /// The median processor time of a CAM.
    Cam(WaveCam),
    /// A part of that time, in the library.
    Part {
        /// Operation on the CAM.
        operation: Operation,
        /// Part of the time.
        part: Part,
        /// Length of the CAM, in bytes.
        bytes: u32,
    },
    /// The median processor time of an operation over a payload, its hash included.
    Sweep {
        /// Operation over the payload.
        work: Work,
        /// Length of the payload, in bytes.
        payload: u32,
    },
    /// Length of a certificate, in bytes.
    CertificateBytes(Form),
    /// Time to read a certificate and its key.
    CertificateTime(Form),
    /// Length of a field of a signed CAM, in bytes.
    Packet {
        /// Field of the message.
        field: Field,
        /// True if the certificate is in it, false if its digest is.
        has_certificate: bool,
    },
}

/// A time of the messages of one station.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WaveCam {
    /// Operation on the CAM.
    pub operation: Operation,
    /// Implementation that carries it out.
    pub path: Path,
    /// Length of the CAM, in bytes.
    pub bytes: u32,
}

/// Declares a kind whose members have names in tables.
macro_rules! named {
    ($(#[$meta:meta])* $kind:ident { $($(#[$one:meta])* $member:ident = $name:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $kind {
            $($(#[$one])* $member,)*
        }

        impl $kind {
            /// Every one, in the order of tables.
            pub const ALL: &'static [Self] = &[$(Self::$member,)*];

            /// Returns its name in tables.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$member => $name,)*
                }
            }
        }
    };
}

named! {
    /// Operation on a CAM.
    Operation {
        /// It is signed.
        Sign = "sign",
        /// It is verified, from a station whose certificate is known.
        Verify = "verify",
        /// It is verified, from a station that is new: with its certificate.
        VerifyNew = "verify, new station",
    }
}

named! {
    /// Implementation that signs or verifies a CAM.
    Path {
        /// ECDSA on P-256 and the hash alone.
        Curve = "ECDSA alone",
        /// By the library, in the process.
        Library = "library",
        /// By the security service, over its socket.
        Service = "service",
    }
}

named! {
    /// Parts of a CAM's time, beside the rest.
    Part {
        /// The message and, if it is new, the certificate are hashed.
        Hash = "hashing",
        /// A new certificate and its key are read.
        Certificate = "certificate",
        /// Computation on the curve.
        Curve = "curve",
    }
}

named! {
    /// Operation in the sweep over payloads.
    Work {
        /// SHA-256 alone.
        Hash = "SHA-256",
        /// Signing on P-224.
        SignP224 = "P-224 sign",
        /// Verifying on P-224.
        VerifyP224 = "P-224 verify",
        /// Signing on P-256.
        SignP256 = "P-256 sign",
        /// Verifying on P-256.
        VerifyP256 = "P-256 verify",
        /// Signing on the curve of the paper's listing.
        SignSecp256k1 = "secp256k1 sign",
        /// Verifying on the curve of the paper's listing.
        VerifySecp256k1 = "secp256k1 verify",
    }
}

named! {
    /// Encoding of a certificate.
    Form {
        /// X.509, as the paper used it.
        X509 = "X.509",
        /// IEEE 1609.2, explicit.
        Explicit = "1609.2, explicit",
        /// IEEE 1609.2, implicit.
        Implicit = "1609.2, implicit",
    }
}

named! {
    /// The fields of a signed message, in their order.
    Field {
        /// Protocol version, kind of content and hash algorithm.
        Begin = "version, kind, hash algorithm",
        /// The payload.
        Payload = "payload (CAM)",
        /// Bytes around the payload.
        PayloadHeader = "payload's header",
        /// Application, generation time and the like.
        Header = "header (application, time)",
        /// The certificate or its digest.
        Signer = "signer",
        /// The signature.
        Signature = "signature",
    }
}

/// Lengths of the CAMs of section 5.2, in bytes.
pub const CAM_BYTES: [u32; 2] = [53, 67];

/// The payloads of the sweep, in bytes: from 10 to 2,000, as in section 5.1.
pub const PAYLOADS: [u32; 8] = [10, 50, 100, 200, 500, 1_000, 1_500, 2_000];

/// Source of measured values; returns `None` for a quantity that was not measured.
pub type WaveMeasured<'a> = dyn Fn(&WaveQuantity) -> Option<Measurement> + 'a;

/// Measures nothing: for the paper's boards alone.
#[must_use]
pub const fn unmeasured(_: &WaveQuantity) -> Option<Measurement> {
    None
}
