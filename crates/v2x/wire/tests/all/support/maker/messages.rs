//! Messages of ETSI's PKI.

use waywarden_v2x_wire::coer::{NestedEncoding, Raw};
use waywarden_v2x_wire::etsi102941::*;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Ieee1609Dot2Data, Time32};

use super::{Maker, keep};

impl Maker {
    pub(crate) fn pki_message(&mut self) -> EtsiTs102941Data<'static> {
        use EtsiTs102941DataContent as Content;
        let content = match self.random.below(10) {
            0 => Content::EnrolmentRequest(self.nested()),
            1 => Content::EnrolmentResponse(self.enrolment_response()),
            2 => Content::AuthorizationRequest(self.authorization_request()),
            3 => Content::AuthorizationResponse(self.authorization_response()),
            4 => Content::CertificateRevocationList(ToBeSignedCrl {
                version: ListVersion1,
                this_update: Time32(self.number() as u32),
                next_update: Time32(self.number() as u32),
                entries: self.list(|own| HashedId8(own.own())),
                unknown: self.additions(),
            }),
            5 => Content::CertificateTrustListTlm(self.etsi_trust_list()),
            6 => Content::CertificateTrustListRca(self.etsi_trust_list()),
            7 => Content::AuthorizationValidationRequest(AuthorizationValidationRequest {
                shared: Raw::new(self.shared_request()),
                ec_signature: self.ec_signature(),
                unknown: self.additions(),
            }),
            8 => Content::AuthorizationValidationResponse(self.validation_response()),
            _ => Content::CaCertificateRequest(CaCertificateRequest {
                public_keys: self.public_keys(),
                attributes: self.attributes(),
                unknown: self.additions(),
            }),
        };
        EtsiTs102941Data {
            version: DataVersion1,
            content,
        }
    }

    pub(crate) fn enrolment_request(&mut self) -> InnerEcRequest<'static> {
        InnerEcRequest {
            its_id: self.octets(0, 300),
            certificate_format: CertificateFormat(1 + self.random.below(255) as u8),
            public_keys: self.public_keys(),
            attributes: self.attributes(),
            unknown: self.additions(),
        }
    }

    fn nested(&mut self) -> NestedEncoding<'static, Ieee1609Dot2Data<'static>> {
        NestedEncoding::Value(keep(self.data()))
    }

    fn enrolment_response(&mut self) -> InnerEcResponse<'static> {
        let code = EnrolmentResponseCode::ALL[self.random.below(14) as usize];
        let is_ok = code == EnrolmentResponseCode::Ok;
        let parts = EcResponseParts {
            request_hash: self.array(),
            response_code: code,
            certificate: is_ok.then(|| self.certificate()),
            unknown: self.additions(),
        };
        AuthorityResponse::new(parts).unwrap()
    }

    fn authorization_request(&mut self) -> InnerAtRequest<'static> {
        InnerAtRequest {
            public_keys: self.public_keys(),
            hmac_key: self.array(),
            shared: Raw::new(self.shared_request()),
            ec_signature: self.ec_signature(),
            unknown: self.additions(),
        }
    }

    fn authorization_response(&mut self) -> InnerAtResponse<'static> {
        let code = AuthorizationResponseCode::ALL[self.random.below(27) as usize];
        let is_ok = code == AuthorizationResponseCode::Ok;
        let parts = AtResponseParts {
            request_hash: self.array(),
            response_code: code,
            certificate: is_ok.then(|| self.certificate()),
            unknown: self.additions(),
        };
        AuthorityResponse::new(parts).unwrap()
    }

    fn validation_response(&mut self) -> AuthorizationValidationResponse<'static> {
        let code = AuthorizationValidationResponseCode::ALL[self.random.below(15) as usize];
        let is_ok = code == AuthorizationValidationResponseCode::Ok;
        let parts = ValidationResponseParts {
            request_hash: self.array(),
            response_code: code,
            attributes: is_ok.then(|| self.attributes()),
            unknown: self.additions(),
        };
        AuthorityResponse::new(parts).unwrap()
    }

    fn shared_request(&mut self) -> SharedAtRequest<'static> {
        SharedAtRequest {
            ea_id: HashedId8(self.own()),
            key_tag: self.array(),
            certificate_format: CertificateFormat::TS_103_097,
            attributes: self.attributes(),
            unknown: self.additions(),
        }
    }

    fn ec_signature(&mut self) -> EcSignature<'static> {
        match self.random.once_in(2) {
            true => EcSignature::Encrypted(self.nested()),
            false => EcSignature::Plain(self.nested()),
        }
    }

    fn public_keys(&mut self) -> PublicKeys<'static> {
        PublicKeys {
            verification_key: self.verification_key(),
            encryption_key: self.maybe(Self::encryption_key),
        }
    }

    fn attributes(&mut self) -> CertificateSubjectAttributes<'static> {
        let like = self.certified();
        CertificateSubjectAttributes {
            id: self.maybe(|_| like.id),
            validity_period: self.maybe(|_| like.validity_period),
            region: like.region,
            assurance_level: like.assurance_level,
            app_permissions: like.app_permissions,
            cert_issue_permissions: like.cert_issue_permissions,
            unknown: self.additions(),
        }
    }

    fn etsi_trust_list(&mut self) -> CtlFormat<'static> {
        CtlFormat {
            version: ListVersion1,
            next_update: Time32(self.number() as u32),
            is_full: Boolean(self.random.once_in(2)),
            sequence: self.number() as u8,
            commands: self.list(|own| match own.random.below(3) {
                0 => CtlCommand::Delete(match own.random.once_in(2) {
                    true => CtlDelete::Certificate(HashedId8(own.own())),
                    false => CtlDelete::DistributionCentre(own.url()),
                }),
                _ => CtlCommand::Add(own.entry()),
            }),
            unknown: self.additions(),
        }
    }

    fn entry(&mut self) -> CtlEntry<'static> {
        match self.random.below(5) {
            0 => CtlEntry::RootCa(RootCaEntry {
                certificate: self.certificate(),
                successor_to: self.maybe(Self::certificate),
            }),
            1 => CtlEntry::EnrolmentAuthority(EaEntry {
                certificate: self.certificate(),
                aa_access_point: self.url(),
                its_access_point: self.maybe(Self::url),
            }),
            2 => CtlEntry::AuthorizationAuthority(AaEntry {
                certificate: self.certificate(),
                access_point: self.url(),
            }),
            3 => CtlEntry::DistributionCentre(DcEntry {
                url: self.url(),
                certificates: self.list(|own| HashedId8(own.own())),
            }),
            _ => CtlEntry::TrustListManager(TlmEntry {
                certificate: self.certificate(),
                successor_to: self.maybe(Self::certificate),
                access_point: self.url(),
            }),
        }
    }

    fn url(&mut self) -> Url<'static> {
        let text: String = self.octets(0, 200).iter().map(printable).collect();
        Url::new(text.leak()).unwrap()
    }
}

fn printable(byte: &u8) -> char {
    char::from(b'!' + byte % 90)
}
