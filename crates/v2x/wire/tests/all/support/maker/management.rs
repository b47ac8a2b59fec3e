//! Messages of a public key infrastructure, of IEEE 1609.2.1.

use waywarden_v2x_wire::coer::{Raw, SequenceOf, Text};
use waywarden_v2x_wire::ieee1609dot2::*;
use waywarden_v2x_wire::ieee1609dot2dot1::*;

use super::Maker;

impl Maker {
    pub(crate) fn scms(&mut self) -> ScmsPdu<'static> {
        ScmsPdu::new(match self.random.below(5) {
            0 => ScmsContent::AcaEe(AcaEeInterfacePdu::CertResponse(self.certified_answer())),
            1 => ScmsContent::AcaRa(self.between_authorities()),
            2 => ScmsContent::Cert(self.management()),
            _ => ScmsContent::EeRa(self.registration()),
        })
    }

    pub(crate) fn signed_request(&mut self) -> SignedCertificateRequest<'static> {
        SignedCertificateRequest {
            hash_algorithm: self.hash_algorithm(),
            request: Raw::new(self.scms()),
            signer: SignerIdentifier::Certificate(self.list(Self::certificate)),
            signature: self.signature(),
        }
    }

    pub(crate) fn trust_list(&mut self) -> FullIeeeTbsCtl<'static> {
        FullIeeeTbsCtl {
            kind: MultiSignedCtlType(1),
            elector_group: ElectorGroupId(self.own()),
            sequence_number: CtlSequenceNumber(self.number() as u16),
            effective: self.time(),
            approved_electors: self.list(|own| HashedId48(own.own())),
            removed_electors: self.list(|own| HashedId48(own.own())),
            approved_roots: self.list(|own| HashedId32(own.own())),
            removed_roots: self.list(|own| HashedId32(own.own())),
            quorum: self.maybe(|own| own.number() as i64),
            unknown: self.additions(),
        }
    }

    pub(crate) fn role(&mut self) -> ScmsSsp<'static> {
        let role = RoleSsp {
            version: Version2,
            unknown: self.additions(),
        };
        match self.random.below(14) {
            0 => ScmsSsp::Elector(role),
            1 => ScmsSsp::Root(role),
            2 => ScmsSsp::PolicyGenerator(role),
            3 => ScmsSsp::Intermediate(role),
            4 => ScmsSsp::Enrolment(role),
            5 => ScmsSsp::Authorization(role),
            6 => ScmsSsp::CrlSigner(role),
            7 => ScmsSsp::DeviceConfigurationManager(role),
            8 => ScmsSsp::Linkage(LaSsp {
                version: Version2,
                la_id: Uint16(self.number() as u16),
                unknown: self.additions(),
            }),
            9 => ScmsSsp::LocationObscurerProxy(role),
            10 => ScmsSsp::Misbehaviour(MaSsp {
                version: Version2,
                relevant_psids: self.list(|own| Psid(own.number())),
                unknown: self.additions(),
            }),
            11 => ScmsSsp::Registration(role),
            12 => ScmsSsp::Station(role),
            _ => ScmsSsp::DistributionCentre(role),
        }
    }

    fn time(&mut self) -> Time32 {
        Time32(self.number() as u32)
    }

    fn kind(&mut self) -> CertificateType {
        match self.random.once_in(2) {
            true => CertificateType::Explicit,
            false => CertificateType::Implicit,
        }
    }

    /// Returns the contents of a requested certificate of either kind.
    fn requested(&mut self) -> ToBeSignedCertificate<'static> {
        *self.certificate().to_be_signed
    }

    fn expansion(&mut self) -> ButterflyExpansion<'static> {
        ButterflyExpansion::Aes128(self.array())
    }

    fn registration(&mut self) -> EeRaInterfacePdu<'static> {
        match self.random.below(6) {
            0 => EeRaInterfacePdu::CertAck(RaEeCertAck {
                version: Version2,
                generation_time: self.time(),
                request_hash: HashedId8(self.own()),
                first_i: self.maybe(|own| IValue(own.number() as u16)),
                next_download: self.time(),
                unknown: self.additions(),
            }),
            1 => EeRaInterfacePdu::CertInfo(RaEeCertInfo {
                version: Version2,
                generation_time: self.time(),
                current_i: IValue(self.number() as u16),
                request_hash: HashedId8(self.own()),
                next_download: self.time(),
                acpc_tree_id: self.maybe(|own| AcpcTreeId(own.own())),
                unknown: self.additions(),
            }),
            2 => EeRaInterfacePdu::DownloadRequest(EeRaDownloadRequest {
                generation_time: self.time(),
                filename: Text::new("8E_0").unwrap(),
                unknown: self.additions(),
            }),
            3 => EeRaInterfacePdu::SuccessorEnrolment(self.data()),
            _ => EeRaInterfacePdu::CertRequest(self.request()),
        }
    }

    fn request(&mut self) -> EeRaCertRequest<'static> {
        EeRaCertRequest {
            version: Version2,
            generation_time: self.time(),
            kind: self.kind(),
            tbs_cert: self.requested(),
            additional_params: self.maybe(|own| match own.random.below(4) {
                0 => AdditionalParams::Original(ButterflyParamsOriginal {
                    signing_expansion: own.expansion(),
                    encryption_key: own.encryption_key(),
                    encryption_expansion: own.expansion(),
                }),
                1 => AdditionalParams::Unified(own.expansion()),
                2 => AdditionalParams::CompactUnified(own.expansion()),
                _ => AdditionalParams::EncryptionKey(own.encryption_key()),
            }),
            unknown: self.additions(),
        }
    }

    fn between_authorities(&mut self) -> AcaRaInterfacePdu<'static> {
        let (version, generation_time) = (Version2, self.time());
        if self.random.once_in(2) {
            let response = self.data();
            return AcaRaInterfacePdu::CertResponse(AcaRaCertResponse {
                version,
                generation_time,
                request_hash: HashedId8(self.own()),
                response: match self.random.below(3) {
                    0 => AcaResponse::Plain(response),
                    1 => AcaResponse::Private(response),
                    _ => AcaResponse::Cubk(response),
                },
                unknown: self.additions(),
            });
        }
        let plv = |own: &mut Self| EncryptedIndividualPlv {
            version,
            la_id: LaId(own.own()),
            enc_plv: own.data(),
        };
        AcaRaInterfacePdu::CertRequest(RaAcaCertRequest {
            version,
            generation_time,
            kind: self.kind(),
            flags: match self.random.below(3) {
                0 => RaAcaCertRequestFlags::NONE,
                1 => RaAcaCertRequestFlags::BUTTERFLY_EXPLICIT,
                _ => RaAcaCertRequestFlags::CUBK,
            },
            linkage_info: self.maybe(|own| LinkageInfo {
                plv_1: plv(own),
                plv_2: plv(own),
                unknown: own.additions(),
            }),
            cert_enc_key: self.maybe(Self::encryption_key),
            tbs_cert: self.requested(),
            unknown: self.additions(),
        })
    }

    fn certified_answer(&mut self) -> AcaEeCertResponse<'static> {
        AcaEeCertResponse {
            version: Version2,
            generation_time: self.time(),
            certificate: self.certificate(),
            private_key_info: self.maybe(Self::array),
            unknown: self.additions(),
        }
    }

    fn management(&mut self) -> CertManagementPdu<'static> {
        match self.random.below(5) {
            0 => CertManagementPdu::CompositeCrl(CompositeCrl {
                crls: self.list(Self::data),
                home_ctl: self.data(),
                unknown: self.additions(),
            }),
            1 => CertManagementPdu::CertificateChain(CertificateChain {
                home_ctl: self.data(),
                others: self.list(Self::certificate),
                unknown: self.additions(),
            }),
            2 => CertManagementPdu::MultiSignedCtl(MultiSignedCtl {
                kind: MultiSignedCtlType(1),
                tbs_ctl: self.opaque(),
                unsigned: self.opaque(),
                signatures: self.list(Self::data),
            }),
            3 => CertManagementPdu::CtlSignature(ToBeSignedCtlSignature {
                elector_group: ElectorGroupId(self.own()),
                kind: MultiSignedCtlType(self.number() as u8),
                sequence_number: CtlSequenceNumber(self.number() as u16),
                hash: HashedId48(self.own()),
            }),
            _ => CertManagementPdu::InfoStatus(self.status()),
        }
    }

    fn status(&mut self) -> CertificateManagementInfoStatus<'static> {
        let crls: SequenceOf<'_, _> = self.list(|own| CrlInfoStatus {
            craca_id: HashedId8(own.own()),
            series: CrlSeries(own.number() as u16),
            issue_date: own.time(),
            unknown: own.additions(),
        });
        CertificateManagementInfoStatus {
            crls,
            ctls: self.list(|own| CtlInfoStatus {
                elector_group: ElectorGroupId(own.own()),
                sequence_number: CtlSequenceNumber(own.number() as u16),
                last_update: own.time(),
                unknown: own.additions(),
            }),
            chain_file: self.time(),
            misbehaviour: self.list(|own| MaInfoStatus {
                psids: own.list(|own| Psid(own.number())),
                updated: own.time(),
                unknown: own.additions(),
            }),
            registration: self.maybe(Self::time),
            unknown: self.additions(),
        }
    }
}
