//! Requests, signed.

use super::ScmsPdu;
use crate::coer::{Raw, sequence};
use crate::ieee1609dot2::{HashAlgorithm, Signature, SignerIdentifier};

sequence! {
    /// A signed request for certificates \[1609.2.1\]: what `signedCertificateRequest` of secured
    /// data has inside.
    pub struct SignedCertificateRequest<'a> = "SignedCertificateRequest" {
        /// What it was hashed with.
        required hash_algorithm: HashAlgorithm = "hashAlgorithmId";
        /// The request, with its bytes.
        required request: Raw<'a, ScmsPdu<'a>> = "tbsRequest";
        /// Who signed: the holder of an enrolment certificate.
        required signer: SignerIdentifier<'a> = "signer";
        /// The signature.
        required signature: Signature<'a> = "signature";
    }
}
