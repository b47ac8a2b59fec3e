//! Signed requests.

use super::ScmsPdu;
use crate::coer::{Raw, sequence};
use crate::ieee1609dot2::{HashAlgorithm, Signature, SignerIdentifier};

sequence! {
    /// A signed request for certificates \[1609.2.1\]: the contents of `signedCertificateRequest`
    /// in secured data.
    pub struct SignedCertificateRequest<'a> = "SignedCertificateRequest" {
        /// Hash function of the signature.
        required hash_algorithm: HashAlgorithm = "hashAlgorithmId";
        /// Request, with its bytes.
        required request: Raw<'a, ScmsPdu<'a>> = "tbsRequest";
        /// Signer: the holder of an enrolment certificate.
        required signer: SignerIdentifier<'a> = "signer";
        /// Signature of the signer.
        required signature: Signature<'a> = "signature";
    }
}
