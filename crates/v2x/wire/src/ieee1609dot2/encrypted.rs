//! Encrypted data \[1609.2 §6.3\].

use super::{EccP256CurvePoint, HashedId8};
use crate::coer::{SequenceOf, choice, sequence};

sequence! {
    /// A key encrypted with ECIES \[1609.2 §6.3\].
    pub struct EciesP256EncryptedKey<'a> = "EciesP256EncryptedKey" {
        /// The sender's ephemeral public key.
        required v: EccP256CurvePoint<'a> = "v";
        /// The encrypted key.
        required c: &'a [u8; 16] = "c";
        /// The tag.
        required t: &'a [u8; 16] = "t";
    }
}

sequence! {
    /// A key encrypted with SM2 \[1609.2 §6.3\].
    pub struct EcencP256EncryptedKey<'a> = "EcencP256EncryptedKey" {
        /// The sender's ephemeral public key.
        required v: EccP256CurvePoint<'a> = "v";
        /// The encrypted key.
        required c: &'a [u8; 16] = "c";
        /// The tag.
        required t: &'a [u8; 32] = "t";
    }
}

choice! {
    /// A key encrypted to a recipient \[1609.2 §6.3\].
    pub enum EncryptedDataEncryptionKey<'a> = "EncryptedDataEncryptionKey", open {
        /// With ECIES over NIST P-256.
        0 EciesNistP256(EciesP256EncryptedKey<'a>) = "eciesNistP256";
        /// With ECIES over brainpoolP256r1.
        1 EciesBrainpoolP256r1(EciesP256EncryptedKey<'a>) = "eciesBrainpoolP256r1";
    }
    additions {
        /// With SM2.
        2 EcencSm2256(EcencP256EncryptedKey<'a>) = "ecencSm2256";
    }
}

sequence! {
    /// What was encrypted with a mode of 128 bits \[1609.2 §6.3\].
    pub struct One28BitCcmCiphertext<'a> = "One28BitCcmCiphertext" {
        /// The nonce.
        required nonce: &'a [u8; 12] = "nonce";
        /// Ciphertext and tag.
        required ciphertext: &'a [u8] = "ccmCiphertext";
    }
}

choice! {
    /// What was encrypted with a symmetric key \[1609.2 §6.3\].
    pub enum SymmetricCiphertext<'a> = "SymmetricCiphertext", critical {
        /// With AES-128.
        0 Aes128Ccm(One28BitCcmCiphertext<'a>) = "aes128ccm";
    }
    additions {
        /// With SM4.
        1 Sm4Ccm(One28BitCcmCiphertext<'a>) = "sm4Ccm";
    }
}

sequence! {
    /// A recipient who has a symmetric key \[1609.2 §6.3\].
    pub struct SymmRecipientInfo<'a> = "SymmRecipientInfo" {
        /// The key's digest.
        required recipient_id: HashedId8 = "recipientId";
        /// The message's key.
        required enc_key: SymmetricCiphertext<'a> = "encKey";
    }
}

sequence! {
    /// A recipient who has a private key \[1609.2 §6.3\].
    pub struct PkRecipientInfo<'a> = "PKRecipientInfo" {
        /// The digest of what has the public key.
        required recipient_id: HashedId8 = "recipientId";
        /// The message's key.
        required enc_key: EncryptedDataEncryptionKey<'a> = "encKey";
    }
}

choice! {
    /// A recipient \[1609.2 §6.3\].
    pub enum RecipientInfo<'a> = "RecipientInfo", closed {
        /// Who has the key with this digest.
        0 PreSharedKey(HashedId8) = "pskRecipInfo";
        /// Who has a symmetric key.
        1 Symmetric(SymmRecipientInfo<'a>) = "symmRecipInfo";
        /// Whose public key is in a certificate.
        2 Certificate(PkRecipientInfo<'a>) = "certRecipInfo";
        /// Whose public key is in signed data.
        3 SignedData(PkRecipientInfo<'a>) = "signedDataRecipInfo";
        /// Whose public key came otherwise.
        4 ResponseKey(PkRecipientInfo<'a>) = "rekRecipInfo";
    }
}

sequence! {
    /// Encrypted data \[1609.2 §6.3\].
    pub struct EncryptedData<'a> = "EncryptedData" {
        /// Who can read it.
        required recipients: SequenceOf<'a, RecipientInfo<'a>> = "recipients";
        /// What they read.
        required ciphertext: SymmetricCiphertext<'a> = "ciphertext";
    }
}
