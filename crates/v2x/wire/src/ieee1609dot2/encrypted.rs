//! Encrypted data \[1609.2 §6.3\].

use super::{EccP256CurvePoint, HashedId8};
use crate::coer::{SequenceOf, choice, sequence};

sequence! {
    /// A key encrypted with ECIES \[1609.2 §6.3\].
    pub struct EciesP256EncryptedKey<'a> = "EciesP256EncryptedKey" {
        /// Ephemeral public key of the sender.
        required v: EccP256CurvePoint<'a> = "v";
        /// The encrypted key.
        required c: &'a [u8; 16] = "c";
        /// Authentication tag.
        required t: &'a [u8; 16] = "t";
    }
}

sequence! {
    /// A key encrypted with SM2 \[1609.2 §6.3\].
    pub struct EcencP256EncryptedKey<'a> = "EcencP256EncryptedKey" {
        /// Ephemeral public key of the sender.
        required v: EccP256CurvePoint<'a> = "v";
        /// The encrypted key.
        required c: &'a [u8; 16] = "c";
        /// Authentication tag.
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
    /// Ciphertext of a CCM mode with a key of 128 bits \[1609.2 §6.3\].
    pub struct One28BitCcmCiphertext<'a> = "One28BitCcmCiphertext" {
        /// The nonce.
        required nonce: &'a [u8; 12] = "nonce";
        /// Ciphertext and authentication tag.
        required ciphertext: &'a [u8] = "ccmCiphertext";
    }
}

choice! {
    /// Data encrypted with a symmetric key \[1609.2 §6.3\].
    pub enum SymmetricCiphertext<'a> = "SymmetricCiphertext", critical {
        /// AES-128 in CCM.
        0 Aes128Ccm(One28BitCcmCiphertext<'a>) = "aes128ccm";
    }
    additions {
        /// SM4 in CCM.
        1 Sm4Ccm(One28BitCcmCiphertext<'a>) = "sm4Ccm";
    }
}

sequence! {
    /// A recipient with a symmetric key \[1609.2 §6.3\].
    pub struct SymmRecipientInfo<'a> = "SymmRecipientInfo" {
        /// Digest of the recipient's key.
        required recipient_id: HashedId8 = "recipientId";
        /// Encrypted key of the message.
        required enc_key: SymmetricCiphertext<'a> = "encKey";
    }
}

sequence! {
    /// A recipient with a private key \[1609.2 §6.3\].
    pub struct PkRecipientInfo<'a> = "PKRecipientInfo" {
        /// Digest of the structure with the public key.
        required recipient_id: HashedId8 = "recipientId";
        /// Encrypted key of the message.
        required enc_key: EncryptedDataEncryptionKey<'a> = "encKey";
    }
}

choice! {
    /// A recipient \[1609.2 §6.3\].
    pub enum RecipientInfo<'a> = "RecipientInfo", closed {
        /// Holder of the symmetric key with this digest, which encrypts the message directly.
        0 PreSharedKey(HashedId8) = "pskRecipInfo";
        /// Holder of a symmetric key, which encrypts the key of the message.
        1 Symmetric(SymmRecipientInfo<'a>) = "symmRecipInfo";
        /// Holder of a private key; the public key is in a certificate.
        2 Certificate(PkRecipientInfo<'a>) = "certRecipInfo";
        /// Holder of a private key; the public key is in signed data.
        3 SignedData(PkRecipientInfo<'a>) = "signedDataRecipInfo";
        /// Holder of a private key; the public key came in another way.
        4 ResponseKey(PkRecipientInfo<'a>) = "rekRecipInfo";
    }
}

sequence! {
    /// Encrypted data \[1609.2 §6.3\].
    pub struct EncryptedData<'a> = "EncryptedData" {
        /// Recipients of the data.
        required recipients: SequenceOf<'a, RecipientInfo<'a>> = "recipients";
        /// Data encrypted with the key of the message.
        required ciphertext: SymmetricCiphertext<'a> = "ciphertext";
    }
}
