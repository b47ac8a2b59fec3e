//! The names of pieces of computation, as protocol roles report them.

/// One piece of computation: kind, algorithm, and bytes of message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// Kind of operation.
    pub kind: OperationKind,
    /// Its algorithm.
    pub algorithm: Algorithm,
    /// Bytes of message; 0 where the length does not matter (a Diffie-Hellman share).
    pub bytes: u32,
}

impl Operation {
    /// Names an operation over `bytes` bytes of input.
    #[must_use]
    pub const fn new(kind: OperationKind, algorithm: Algorithm, bytes: u32) -> Self {
        Operation {
            kind,
            algorithm,
            bytes,
        }
    }
}

/// Generates an enum whose variants have one stable text name each, for files and traces.
macro_rules! named {
    ($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$doc:meta])* $variant:ident = $text:literal,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// Every variant, in declaration order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// Returns the stable name used in board files and traces.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// Finds the variant with this name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some($name::$variant),)* _ => None }
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

named! {
    /// Kind of operation.
    pub enum OperationKind {
        /// Generate a signature key pair.
        KeyGenerate = "key-generate",
        /// Compute a Diffie-Hellman share from a fresh secret.
        Share = "share",
        /// Compute the Diffie-Hellman secret from the peer's share.
        Extract = "extract",
        /// Generate a key-encapsulation key pair.
        KemKeyGenerate = "kem-key-generate",
        /// Encapsulate a secret to a public key.
        Encapsulate = "encapsulate",
        /// Decapsulate a secret.
        Decapsulate = "decapsulate",
        /// Sign a message.
        Sign = "sign",
        /// Verify a signature.
        Verify = "verify",
        /// Make an implicit-certificate request (ECQV).
        CertificateRequest = "certificate-request",
        /// Issue an implicit certificate (ECQV).
        CertificateIssue = "certificate-issue",
        /// Accept a certificate that was issued to oneself and derive its private key (ECQV).
        CertificateAccept = "certificate-accept",
        /// Rebuild a public key from an implicit certificate (ECQV).
        KeyRebuild = "key-rebuild",
        /// Hash a message.
        Hash = "hash",
        /// Compute or check a message authentication code.
        Tag = "tag",
        /// Encrypt, with a tag where the algorithm has one.
        Encrypt = "encrypt",
        /// Decrypt, with the tag checked where the algorithm has one.
        Decrypt = "decrypt",
        /// Derive keys from a secret.
        KeyDerive = "key-derive",
        /// The driver call that puts one frame into the controller.
        FrameSend = "frame-send",
        /// The driver call that takes one frame out of the controller.
        FrameReceive = "frame-receive",
        /// A call into a protected module and back.
        ModuleCall = "module-call",
    }
}

named! {
    /// Algorithm of an operation; for driver calls the frame format.
    pub enum Algorithm {
        /// FourQ: Diffie-Hellman, SchnorrQ.
        FourQ = "fourq",
        /// NIST P-224.
        P224 = "p224",
        /// NIST P-256.
        P256 = "p256",
        /// NIST P-384.
        P384 = "p384",
        /// brainpoolP256r1.
        BrainpoolP256r1 = "brainpoolp256r1",
        /// brainpoolP384r1.
        BrainpoolP384r1 = "brainpoolp384r1",
        /// X25519.
        X25519 = "x25519",
        /// Ed25519.
        Ed25519 = "ed25519",
        /// ML-KEM-512 (FIPS 203).
        MlKem512 = "ml-kem-512",
        /// ML-KEM-768 (FIPS 203).
        MlKem768 = "ml-kem-768",
        /// Kyber768 as first submitted (q = 7681), as \[LASAN\] uses it.
        Kyber768Round1 = "kyber-768-round-1",
        /// ML-DSA-44 (FIPS 204).
        MlDsa44 = "ml-dsa-44",
        /// ML-DSA-65 (FIPS 204).
        MlDsa65 = "ml-dsa-65",
        /// Dilithium, "recommended" set, as first submitted, as \[LASAN\] uses it.
        DilithiumRound1 = "dilithium-round-1",
        /// FN-DSA-512 (Falcon).
        FnDsa512 = "fn-dsa-512",
        /// FN-DSA-1024 (Falcon).
        FnDsa1024 = "fn-dsa-1024",
        /// SHA-256.
        Sha256 = "sha-256",
        /// SHA-384.
        Sha384 = "sha-384",
        /// SHA-512.
        Sha512 = "sha-512",
        /// SHA3-256.
        Sha3_256 = "sha3-256",
        /// HMAC with SHA-256.
        HmacSha256 = "hmac-sha-256",
        /// HKDF with SHA-256.
        HkdfSha256 = "hkdf-sha-256",
        /// AES-128-CMAC.
        Aes128Cmac = "aes-128-cmac",
        /// AES-128 in counter mode.
        Aes128Ctr = "aes-128-ctr",
        /// AES-128-CCM.
        Aes128Ccm = "aes-128-ccm",
        /// AES-256-GCM.
        Aes256Gcm = "aes-256-gcm",
        /// Chaskey-12.
        Chaskey = "chaskey",
        /// SipHash-2-4.
        SipHash = "siphash",
        /// SpongentMac in the Sancus crypto unit.
        SpongentMac = "spongent-mac",
        /// vatiCAN's message authentication code in software (\[VULCAN\] compares with it).
        VaticanSoftwareMac = "vatican-software-mac",
        /// A classic CAN frame with an 11-bit identifier (driver calls).
        CanStandard = "can-standard",
        /// A classic CAN frame with a 29-bit identifier (driver calls).
        CanExtended = "can-extended",
        /// A CAN FD frame (driver calls).
        CanFd = "can-fd",
        /// Protected modules, which isolate their code and data from all other code.
        ProtectedModule = "protected-module",
        /// A hardware security module (calls of it).
        SecurityModule = "hardware-security-module",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_finds_its_variant_again() {
        for &kind in OperationKind::ALL {
            assert_eq!(OperationKind::from_name(kind.name()), Some(kind));
        }
        for &algorithm in Algorithm::ALL {
            assert_eq!(Algorithm::from_name(algorithm.name()), Some(algorithm));
        }
        assert_eq!(Algorithm::from_name("rot13"), None);
    }
}
