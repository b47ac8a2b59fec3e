//! Messages of certificate management \[1609.2.1 §7.3\]: a trust list has its contents, its
//! certificates and its signatures as octets, each of which is shown as a layer of its own.

use std::collections::BTreeMap;

use waywarden_v2x_security::hash::{HashFunction, certificate_digest, hash_certificate};
use waywarden_v2x_wire::coer::{CoerDecode, SequenceOf, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateBase, CertificateId, CrlContents, Ieee1609Dot2Data,
};
use waywarden_v2x_wire::ieee1609dot2dot1::irregular::{
    IrregularContent, IrregularCtl, IrregularManagement, IrregularPdu,
};
use waywarden_v2x_wire::ieee1609dot2dot1::{
    CertManagementPdu, FullIeeeTbsCtl, MultiSignedCtl, ScmsPdu, has_form_of_memory,
};

use crate::layer::{Layer, coer_layer, payload};
use waywarden_v2x_input::records;

/// Reads a payload that may be an `ScmsPdu`, and the parts of its list; `message` is what the
/// places of layers count from. A payload that is none has no layer.
pub(crate) fn layers(octets: &[u8], message: &[u8]) -> Vec<Layer> {
    let first = coer_layer::<ScmsPdu<'_>>("ScmsPdu", octets);
    // Its version, and the alternative of certificate management.
    if first.error.is_some() && !octets.starts_with(&[2, 0x84]) {
        return Vec::new();
    }
    let mut shown = Shown {
        message,
        layers: Vec::new(),
    };
    let is_read = first.error.is_none();
    shown.push(first, octets);
    if !is_read {
        shown.irregular("", octets);
        return shown.layers;
    }
    match CertManagementPdu::read(octets) {
        Ok(CertManagementPdu::MultiSignedCtl(ctl)) => shown.trust_list("", &ctl),
        Ok(CertManagementPdu::CertificateChain(chain)) => shown.home(&chain.home_ctl),
        Ok(CertManagementPdu::CompositeCrl(list)) => {
            for (at, crl) in list.crls.iter().flatten().enumerate() {
                if let Some(list) = payload(&crl) {
                    shown.add::<CrlContents<'_>>(&format!("crl[{at}]"), list);
                }
            }
            shown.home(&list.home_ctl);
        }
        _ => {}
    }
    shown.layers
}

/// Reads a revocation list under the number of another application: it is shown, and named.
pub(crate) fn list_of_another_application(octets: &[u8]) -> Vec<Layer> {
    let named = "revocation list, although revocation lists have PSID 256";
    match parse::<CrlContents<'_>>(octets) {
        Ok(_) => vec![coer_layer::<CrlContents<'_>>(named, octets)],
        Err(_) => Vec::new(),
    }
}

struct Shown<'a> {
    message: &'a [u8],
    layers: Vec<Layer>,
}

impl<'a> Shown<'a> {
    fn push(&mut self, layer: Layer, octets: &[u8]) {
        let offset = (octets.as_ptr() as usize).checked_sub(self.message.as_ptr() as usize);
        self.layers.push(Layer { offset, ..layer });
    }

    fn add<T: CoerDecode<'a>>(&mut self, kind: &str, octets: &'a [u8]) {
        self.push(coer_layer::<T>(kind, octets), octets);
    }

    /// The trust list of a chain file or a composite list. It is no such file again.
    fn home(&mut self, data: &Ieee1609Dot2Data<'a>) {
        let Some(octets) = payload(data) else {
            return;
        };
        self.add::<ScmsPdu<'_>>("homeCtl", octets);
        if self
            .layers
            .last()
            .is_some_and(|layer| layer.error.is_some())
        {
            self.irregular("homeCtl.", octets);
        }
        if let Ok(CertManagementPdu::MultiSignedCtl(ctl)) = CertManagementPdu::carried_by(data) {
            self.trust_list("homeCtl.", &ctl);
        }
    }

    /// A list with certificates whose parts do not go together: all of it, after the part of it
    /// that stands before the first one.
    fn irregular(&mut self, within: &str, octets: &'a [u8]) {
        let kind = format!("{within}ScmsPdu, with certificates as they are");
        self.add::<IrregularPdu<'_>>(&kind, octets);
        if self.layers.last().is_none_or(|layer| layer.error.is_some()) {
            self.layers.pop();
            return;
        }
        let home = match IrregularManagement::read(octets) {
            Ok(IrregularManagement::MultiSignedCtl(ctl)) => {
                return self.irregular_trust_list(within, &ctl);
            }
            Ok(IrregularManagement::CertificateChain(chain)) => chain.home_ctl,
            Ok(IrregularManagement::CompositeCrl(list)) => list.home_ctl,
            Err(_) => return,
        };
        if let IrregularContent::Unsecured(pdu) = home.content {
            self.add::<IrregularPdu<'_>>("homeCtl", pdu);
            if let Ok(IrregularManagement::MultiSignedCtl(ctl)) = IrregularManagement::read(pdu) {
                self.irregular_trust_list("homeCtl.", &ctl);
            }
        }
    }

    fn irregular_trust_list(&mut self, within: &str, ctl: &IrregularCtl<'a>) {
        let mut list = coer_layer::<FullIeeeTbsCtl<'_>>(&format!("{within}tbsCtl"), ctl.tbs_ctl);
        if let Some(parts) = &mut list.parts {
            for of_type in ["HashedId48", "HashedId32"] {
                parts.explain(of_type, &|hash| Some(meaning(hash, &BTreeMap::new())));
            }
        }
        self.push(list, ctl.tbs_ctl);
        let certificates = format!("{within}unsigned");
        self.add::<SequenceOf<'_, CertificateBase<'_>>>(&certificates, ctl.unsigned);
        for (at, signature) in ctl.signatures.iter().flatten().enumerate() {
            let IrregularContent::Signed(signed) = &signature.content else {
                continue;
            };
            let inner = signed.tbs_data.payload.data.as_ref();
            let inner = inner.and_then(|inner| inner.view().ok());
            if let Some(octets) = inner.and_then(|inner| payload(&inner)) {
                self.add::<ScmsPdu<'_>>(&format!("{within}signatures[{at}]"), octets);
            }
        }
    }

    fn trust_list(&mut self, within: &str, ctl: &MultiSignedCtl<'a>) {
        let mut list = coer_layer::<FullIeeeTbsCtl<'_>>(&format!("{within}tbsCtl"), ctl.tbs_ctl);
        if let Some(parts) = &mut list.parts {
            for (of_type, bytes) in [("HashedId48", 48), ("HashedId32", 32)] {
                let known = hashes(ctl, bytes);
                parts.explain(of_type, &|hash| Some(meaning(hash, &known)));
            }
        }
        self.push(list, ctl.tbs_ctl);
        let certificates = format!("{within}unsigned");
        self.add::<SequenceOf<'_, Certificate<'_>>>(&certificates, ctl.unsigned);
        for (at, signature) in ctl.signatures.iter().flatten().enumerate() {
            if let Some(octets) = payload(&signature) {
                self.add::<ScmsPdu<'_>>(&format!("{within}signatures[{at}]"), octets);
            }
        }
    }
}

/// The names of the certificates beside a list, by so many last bytes of their hashes, in
/// hexadecimal digits.
fn hashes(ctl: &MultiSignedCtl<'_>, bytes: usize) -> BTreeMap<String, String> {
    let certificates = ctl.certificates().into_iter();
    let certificates = certificates.flat_map(|all| all.iter().flatten().enumerate());
    let named = certificates.filter_map(|(at, own)| {
        let digest = match bytes {
            // An elector's, whatever the curve of its key is.
            48 => hash_certificate(HashFunction::Sha384, &own).ok()?,
            _ => certificate_digest(&own)?,
        };
        let from = digest.as_bytes().len().checked_sub(bytes)?;
        let hash = records::show(digest.as_bytes().get(from..)?);
        let name = match &own.to_be_signed.id {
            CertificateId::Name(name) => format!(" \"{}\"", name.as_str().escape_debug()),
            _ => String::new(),
        };
        Some((hash, format!("unsigned[{at}]{name}")))
    });
    named.collect()
}

/// Says which certificate a hash is of.
fn meaning(hash: &str, known: &BTreeMap<String, String>) -> String {
    const MEMORY: &str = "of no certificate in unsigned, and in the form of a program's memory: \
                          addresses in place of a hash";
    match known.get(hash) {
        Some(name) => name.clone(),
        None if records::hex(hash).is_some_and(|hash| has_form_of_memory(&hash)) => {
            MEMORY.to_owned()
        }
        None => "of no certificate in unsigned".to_owned(),
    }
}
