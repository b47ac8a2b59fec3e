//! Lists with certificates whose parts do not go together: such a list is shown with everything
//! that is wrong, and never accepted.

use waywarden_v2x_security::hash::{HashFunction, hash_canonical};
use waywarden_v2x_wire::coer::{Raw, SequenceOf};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateBase, CertificateId, HashedId8, Ieee1609Dot2Content, Ieee1609Dot2Data,
    PublicVerificationKey, SignedData, SignerIdentifier, VerificationKeyIndicator, Version3,
};
use waywarden_v2x_wire::ieee1609dot2dot1::MultiSignedCtl;
use waywarden_v2x_wire::ieee1609dot2dot1::irregular::{
    IrregularContent, IrregularCtl, IrregularData, IrregularManagement, IrregularSigner,
    irregular_certificates,
};

/// Encoding of a list without certificates.
const NO_CERTIFICATES: &[u8] = &[1, 0];

type Certificates<'a> = SequenceOf<'a, Raw<'a, CertificateBase<'a>>>;

/// Everything that is wrong with the certificates of a list, with its place in `message`.
pub(super) fn faults(list: &IrregularManagement<'_>, message: &[u8]) -> Vec<String> {
    let mut fields = IrregularFields {
        message,
        faults: Vec::new(),
    };
    match list {
        IrregularManagement::MultiSignedCtl(ctl) => fields.trust_list("", ctl),
        IrregularManagement::CertificateChain(chain) => {
            if let Some(ctl) = home(&chain.home_ctl) {
                fields.trust_list("homeCtl.", &ctl);
            }
            fields.certificates("others", &chain.others);
        }
        IrregularManagement::CompositeCrl(list) => {
            for (at, crl) in list.crls.iter().flatten().enumerate() {
                fields.signer(&format!("crl[{at}]"), &crl);
            }
            if let Some(ctl) = home(&list.home_ctl) {
                fields.trust_list("homeCtl.", &ctl);
            }
        }
    }
    fields.faults
}

/// The trust list of a chain file or a composite list.
pub(super) fn home<'a>(data: &IrregularData<'a>) -> Option<IrregularCtl<'a>> {
    let IrregularContent::Unsecured(pdu) = data.content else {
        return None;
    };
    match IrregularManagement::read(pdu).ok()? {
        IrregularManagement::MultiSignedCtl(ctl) => Some(ctl),
        _ => None,
    }
}

struct IrregularFields<'m> {
    message: &'m [u8],
    faults: Vec<String>,
}

impl IrregularFields<'_> {
    fn certificates(&mut self, place: &str, all: &Certificates<'_>) {
        for own in irregular_certificates(all) {
            let at = (own.bytes.as_ptr() as usize).wrapping_sub(self.message.as_ptr() as usize);
            let (index, why) = (own.index, own.why);
            self.faults
                .push(format!("{place}[{index}] at byte {at}: {why}"));
        }
    }

    fn signer(&mut self, place: &str, data: &IrregularData<'_>) {
        if let IrregularContent::Signed(signed) = &data.content
            && let IrregularSigner::Certificate(chain) = &signed.signer
        {
            self.certificates(&format!("{place}.signer.certificate"), chain);
        }
    }

    fn trust_list(&mut self, within: &str, ctl: &IrregularCtl<'_>) {
        match ctl.certificates() {
            Ok(all) => self.certificates(&format!("{within}unsigned"), &all),
            Err(error) => self.faults.push(format!("{within}unsigned: {error}")),
        }
        for (at, signature) in ctl.signatures.iter().flatten().enumerate() {
            self.signer(&format!("{within}signatures[{at}]"), &signature);
        }
    }
}

/// Hands out a trust list without its certificates, so that the rest of it can be checked: each
/// signature names its signer by the digest.
pub(super) fn without_certificates<R>(
    ctl: &IrregularCtl<'_>,
    check: impl FnOnce(&MultiSignedCtl<'_>) -> R,
) -> Option<R> {
    let signatures: Vec<_> = ctl.signatures.iter().flatten().map(regular).collect();
    Some(check(&MultiSignedCtl {
        kind: ctl.kind,
        tbs_ctl: ctl.tbs_ctl,
        unsigned: NO_CERTIFICATES,
        signatures: SequenceOf::new(&signatures)?,
    }))
}

/// The same SPDU, with the signer's digest in place of its certificate.
pub(super) fn regular(data: IrregularData<'_>) -> Ieee1609Dot2Data<'_> {
    let content = match data.content {
        IrregularContent::Unsecured(octets) => Ieee1609Dot2Content::Unsecured(octets),
        IrregularContent::Signed(signed) => Ieee1609Dot2Content::Signed(SignedData {
            hash_id: signed.hash_id,
            tbs_data: signed.tbs_data,
            signer: match &signed.signer {
                IrregularSigner::Digest(id) => SignerIdentifier::Digest(*id),
                IrregularSigner::Certificate(chain) => {
                    let own = chain.iter().flatten().next();
                    let id = own.and_then(|own| digest(&own));
                    SignerIdentifier::Digest(id.unwrap_or(HashedId8([0; 8])))
                }
                IrregularSigner::OwnKey(null) => SignerIdentifier::OwnKey(*null),
            },
            signature: signed.signature,
        }),
    };
    Ieee1609Dot2Data {
        version: Version3,
        content,
    }
}

/// The HashedId8 of a certificate, whether its parts go together or not.
fn digest(own: &CertificateBase<'_>) -> Option<HashedId8> {
    use PublicVerificationKey::{EcdsaBrainpoolP384r1, EcdsaNistP384};
    use VerificationKeyIndicator::VerificationKey;
    let function = match own.to_be_signed.verify_key_indicator {
        VerificationKey(EcdsaNistP384(_) | EcdsaBrainpoolP384r1(_)) => HashFunction::Sha384,
        _ => HashFunction::Sha256,
    };
    Some(hash_canonical(function, own).ok()?.id_8())
}

/// The names in the signers' certificates.
pub(super) fn names(ctl: &IrregularCtl<'_>) -> Vec<Option<String>> {
    let signatures = ctl.signatures.iter().flatten();
    let name = |data: IrregularData<'_>| {
        let IrregularContent::Signed(signed) = data.content else {
            return None;
        };
        let IrregularSigner::Certificate(chain) = signed.signer else {
            return None;
        };
        match chain.iter().flatten().next()?.to_be_signed.id {
            CertificateId::Name(name) => Some(name.as_str().to_owned()),
            _ => None,
        }
    };
    signatures.map(name).collect()
}

/// The certificates of a chain file whose parts go together.
pub(super) fn sound<'a>(all: &Certificates<'a>) -> impl Iterator<Item = Certificate<'a>> {
    let bytes = all.iter().flatten().filter_map(|own| own.bytes());
    bytes.filter_map(|bytes| waywarden_v2x_wire::coer::parse(bytes).ok())
}
