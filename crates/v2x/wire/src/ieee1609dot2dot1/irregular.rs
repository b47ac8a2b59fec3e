//! Lists of certificate management with certificates whose parts are inconsistent: parsed to show
//! the faults and their places. Nothing of such a list is verified.
//!
//! Each type is the one of the same name in the standard, with [`CertificateBase`] in place of
//! [`Certificate`].

use super::{MultiSignedCtlType, Version2};
use crate::coer::{Null, Raw, SequenceOf, choice, parse, sequence};
use crate::error::WireError;
use crate::ieee1609dot2::{
    Certificate, CertificateBase, HashAlgorithm, HashedId8, Signature, ToBeSignedData, Version3,
};

choice! {
    /// Signer of the data.
    pub enum IrregularSigner<'a> = "SignerIdentifier", critical {
        /// The holder of the certificate with this digest.
        0 Digest(HashedId8) = "digest";
        /// The holder of the first of these certificates.
        1 Certificate(SequenceOf<'a, Raw<'a, CertificateBase<'a>>>) = "certificate";
        /// The holder of the key in the payload.
        2 OwnKey(Null) = "self";
    }
}

sequence! {
    /// Signed data.
    pub struct IrregularSignedData<'a> = "SignedData" {
        /// Hash function of the signature.
        required hash_id: HashAlgorithm = "hashId";
        /// Signed part.
        required tbs_data: Raw<'a, ToBeSignedData<'a>> = "tbsData";
        /// Signer of the data.
        required signer: IrregularSigner<'a> = "signer";
        /// Signature of the signer.
        required signature: Signature<'a> = "signature";
    }
}

choice! {
    /// Contents of secured data.
    pub enum IrregularContent<'a> = "Ieee1609Dot2Content", critical {
        /// Unsecured data.
        0 Unsecured(&'a [u8]) = "unsecuredData";
        /// Signed data.
        1 Signed(IrregularSignedData<'a>) = "signedData";
    }
}

sequence! {
    /// A secured protocol data unit.
    pub struct IrregularData<'a> = "Ieee1609Dot2Data" {
        /// Version of the structure.
        required version: Version3 = "protocolVersion";
        /// Contents of the data unit.
        required content: IrregularContent<'a> = "content";
    }
}

sequence! {
    /// A trust list with the signatures of several electors.
    pub struct IrregularCtl<'a> = "MultiSignedCtl" {
        /// Kind of list.
        required kind: MultiSignedCtlType = "type";
        /// Trust list, encoded.
        required tbs_ctl: &'a [u8] = "tbsCtl";
        /// Unsigned data that comes with the list, encoded.
        required unsigned: &'a [u8] = "unsigned";
        /// Signatures of the electors.
        required signatures: SequenceOf<'a, IrregularData<'a>, 1> = "signatures";
    }
}

sequence! {
    /// Certificates of authorities, and the trust list above them.
    pub struct IrregularChain<'a> = "CertificateChain" {
        /// Trust list above the certificates.
        required home_ctl: IrregularData<'a> = "homeCtl";
        /// Certificates of authorities.
        required others: SequenceOf<'a, Raw<'a, CertificateBase<'a>>> = "others";
    }
    additions {}
}

sequence! {
    /// Revocation lists together, and the trust list above them.
    pub struct IrregularCompositeCrl<'a> = "CompositeCrl" {
        /// Revocation lists.
        required crls: SequenceOf<'a, IrregularData<'a>> = "crl";
        /// Trust list above the revocation lists.
        required home_ctl: IrregularData<'a> = "homeCtl";
    }
    additions {}
}

choice! {
    /// Lists of certificate management.
    pub enum IrregularManagement<'a> = "CertManagementPdu", critical {
        /// Revocation lists.
        0 CompositeCrl(IrregularCompositeCrl<'a>) = "compositeCrl";
        /// Certificates of authorities.
        1 CertificateChain(IrregularChain<'a>) = "certificateChain";
        /// A trust list.
        2 MultiSignedCtl(IrregularCtl<'a>) = "multiSignedCtl";
    }
}

choice! {
    /// Interface between two parties, with its message.
    pub enum IrregularScmsContent<'a> = "content", critical {
        /// To all parties that manage certificates.
        4 Cert(IrregularManagement<'a>) = "cert";
    }
}

sequence! {
    /// One message of a public key infrastructure.
    pub struct IrregularPdu<'a> = "ScmsPdu" {
        /// Version of the structure.
        required version: Version2 = "version";
        /// Contents of the message.
        required content: IrregularScmsContent<'a> = "content";
    }
}

/// A certificate with inconsistent parts, in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IrregularCertificate<'a> {
    /// Number in the list.
    pub index: usize,
    /// Encoded certificate.
    pub bytes: &'a [u8],
    /// Rule that its parts break.
    pub why: &'static str,
}

/// Returns the certificates of a list whose parts are inconsistent.
pub fn irregular_certificates<'a>(
    all: &SequenceOf<'a, Raw<'a, CertificateBase<'a>>>,
) -> impl Iterator<Item = IrregularCertificate<'a>> {
    let all = all.iter().flatten().enumerate();
    all.filter_map(|(index, own)| {
        let why = Certificate::new(*own).err()?;
        let bytes = own.bytes().unwrap_or(&[]);
        Some(IrregularCertificate { index, bytes, why })
    })
}

impl<'a> IrregularManagement<'a> {
    /// Reads an SPDU whose payload, which is not secured, is a list, or an `ScmsPdu` alone.
    ///
    /// # Errors
    /// [`WireError`]; its place counts from the beginning of the payload where the SPDU could be
    /// read.
    pub fn read(bytes: &'a [u8]) -> Result<Self, WireError> {
        let pdu = match bytes {
            [2, ..] => bytes,
            _ => match parse::<IrregularData<'_>>(bytes)?.content {
                IrregularContent::Unsecured(payload) => payload,
                IrregularContent::Signed(_) => &[],
            },
        };
        let IrregularScmsContent::Cert(own) = parse::<IrregularPdu<'_>>(pdu)?.content;
        Ok(own)
    }
}

impl<'a> IrregularCtl<'a> {
    /// Reads the certificates that come with the list.
    ///
    /// # Errors
    /// [`WireError`], with its place counted from the beginning of `unsigned`.
    pub fn certificates(&self) -> Result<SequenceOf<'a, Raw<'a, CertificateBase<'a>>>, WireError> {
        parse(self.unsigned)
    }
}
