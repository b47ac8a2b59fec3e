//! What is measured on a machine at hand, by name.

use waywarden_paper_tables::Measurement;

/// Milliseconds of a second.
pub(super) const MILLIS: f64 = 1_000.0;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// The mean time of a CAM.
    Cam(Cam),
    /// A part of that time, in the library.
    Part {
        /// Of which operation.
        operation: Operation,
        /// Which part.
        part: Part,
        /// How long the CAM is, in bytes.
        bytes: u32,
    },
    /// The mean time of an operation over a payload, its hash included.
    Sweep {
        /// Which operation.
        work: Work,
        /// How long the payload is, in bytes.
        payload: u32,
    },
    /// How long a certificate is, in bytes.
    CertificateBytes(Form),
    /// How long it takes to read a certificate and its key.
    CertificateTime(Form),
    /// How long a field of a signed CAM is, in bytes.
    Packet {
        /// Which field.
        field: Field,
        /// Whether the certificate is in it, or its digest.
        has_certificate: bool,
    },
}

/// A time of the messages of one station.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cam {
    /// What is done.
    pub operation: Operation,
    /// By what.
    pub path: Path,
    /// How long the CAM is, in bytes.
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
    /// What is done with a CAM.
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
    /// By what a CAM is signed or verified.
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
    /// What a CAM's time is made of, beside the rest.
    Part {
        /// The message and, if it is new, the certificate are hashed.
        Hash = "hashing",
        /// A new certificate and its key are read.
        Certificate = "certificate",
        /// What is computed on the curve.
        Curve = "curve",
    }
}

named! {
    /// What is done in the sweep over payloads.
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
    /// How a certificate is written.
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
        /// What is around the payload.
        PayloadHeader = "payload's header",
        /// Application, generation time and the like.
        Header = "header (application, time)",
        /// The certificate or its digest.
        Signer = "signer",
        /// The signature.
        Signature = "signature",
    }
}

/// How long the CAMs of section 5.2 are, in bytes.
pub const CAM_BYTES: [u32; 2] = [53, 67];

/// The payloads of the sweep, in bytes: from 10 to 2,000, as in section 5.1.
pub const PAYLOADS: [u32; 8] = [10, 50, 100, 200, 500, 1_000, 1_500, 2_000];

/// Where measured values come from: `None` for what was not measured.
pub type Measured<'a> = dyn Fn(&Quantity) -> Option<Measurement> + 'a;

/// Measures nothing: for the paper's boards alone.
#[must_use]
pub const fn unmeasured(_: &Quantity) -> Option<Measurement> {
    None
}
