//! Signing of test messages.

use waywarden_v2x_wire::coer::{NestedEncoding, SequenceOf, UnknownAdditions, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, HashedData, HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data, PayloadParts, Psid,
    SignerIdentifier, Version3,
};

use super::{Holder, MessageContents, Named, now, sign_data};

impl Default for MessageContents<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl MessageContents<'_> {
    /// A message of application 135 made now; its signer is named by its certificate alone.
    pub fn new() -> Self {
        Self {
            psid: 135,
            made: Some(now()),
            expires: None,
            place: None,
            payload: b"what a vehicle says",
            external: None,
            named: Named::Certificates(&[]),
        }
    }

    /// Returns its header.
    pub fn header(&self) -> HeaderInfo<'static> {
        HeaderInfo {
            psid: Psid(self.psid),
            generation_time: self.made,
            expiry_time: self.expires,
            generation_location: self.place,
            p2pcd_learning_request: None,
            missing_crl: None,
            encryption_key: None,
            inline_p2pcd_request: None,
            requested_certificate: None,
            pdu_functional_type: None,
            contributed_extensions: None,
            unknown: UnknownAdditions::default(),
        }
    }

    /// Signs it.
    pub fn sign(&self, signer: &Holder) -> Vec<u8> {
        self.sign_with(self.header(), signer)
    }

    /// Signs it with another header.
    pub fn sign_with(&self, header_info: HeaderInfo<'_>, signer: &Holder) -> Vec<u8> {
        let inner = Ieee1609Dot2Data {
            version: Version3,
            content: Ieee1609Dot2Content::Unsecured(self.payload),
        };
        let payload = PayloadParts {
            data: Some(NestedEncoding::Value(&inner)),
            external_hash: self.external.as_ref().map(HashedData::Sha256),
            omitted: None,
            unknown: UnknownAdditions::default(),
        };
        let mut list: Vec<Certificate<'_>> = vec![parse(&signer.certificate).unwrap()];
        if let Named::Certificates(above) = self.named {
            let above = above.iter();
            list.extend(above.map(|one| parse::<Certificate<'_>>(&one.certificate).unwrap()));
        }
        let named = match self.named {
            Named::Digest => SignerIdentifier::Digest(signer.id()),
            Named::Certificates(_) => {
                SignerIdentifier::Certificate(SequenceOf::new(&list).unwrap())
            }
        };
        sign_data(payload, header_info, named, signer)
    }
}
