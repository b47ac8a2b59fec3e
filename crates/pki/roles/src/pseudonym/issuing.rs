//! A pseudonym authority: one certificate a request, for a holder that it does not know.

use std::collections::BTreeSet;

use waywarden_ecverify::Point;
use waywarden_v2x_keys::KeyStore;
use waywarden_v2x_security::encoded;
use waywarden_v2x_security::hash::{HashFunction, hash_canonical};
use waywarden_v2x_security::linkage::{PreLinkageValue, linkage_value};
use waywarden_v2x_signing::{DecryptionKeys, Recipient, Seed, decrypt, encrypt, written};
use waywarden_v2x_wire::coer::{UnknownAdditions, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    CertificateId, CertificateType, CrlSeries, CurvePoint, HashedId3, IValue, LaId, LinkageData,
    LinkageValue, Time32, ToBeSignedCertificate, VerificationKeyIndicator,
};
use waywarden_v2x_wire::ieee1609dot2dot1::{
    AcaEeCertResponse, AcaEeInterfacePdu, AcaRaCertResponse, AcaRaInterfacePdu, AcaResponse,
    EncryptedIndividualPlv, LinkageInfo, RaAcaCertRequest, RaAcaCertRequestFlags, ScmsContent,
    ScmsPdu, Version2,
};
use zeroize::Zeroizing;

use super::error::PseudonymError;
use super::message::{pdu, request_hash, signed, wrong};
use super::period::Period;
use crate::authority::{Authority, ImplicitCertificate};
use crate::error::IssueError;
use crate::seeds::Seeds;

/// Maximum number of different contents that are remembered as covered by the authority's chain:
/// those of a year for a few kinds of vehicle. The memory restarts when it is full.
pub const CHECKED_MAX: usize = 1_024;

/// Issues implicit certificates with linkage values, encrypted to cocoon keys.
///
/// It remembers nothing of a request, neither prelinkage values nor cocoon keys.
pub struct PseudonymAuthority {
    authority: Authority,
    linkage: [(LaId, DecryptionKeys); 2],
    revoked_by: (HashedId3, CrlSeries),
    /// Hashes of contents that a receiver accepts under this authority.
    checked: BTreeSet<[u8; 32]>,
}

impl PseudonymAuthority {
    /// Takes an authority with a key for implicit certificates, the two linkage authorities with
    /// the keys that they share with it, and by whom and in which series its certificates are
    /// revoked.
    ///
    /// # Errors
    /// [`PseudonymError::Message`] for linkage authorities with one identifier.
    pub fn new(
        authority: Authority,
        linkage: [(LaId, [u8; 16]); 2],
        revoked_by: (HashedId3, CrlSeries),
    ) -> Result<Self, PseudonymError> {
        let [one, other] = linkage.map(|(id, shared)| {
            let shared = Zeroizing::new(shared);
            Ok((id, DecryptionKeys::new().with_symmetric_key(&shared)?))
        });
        let linkage: [(LaId, DecryptionKeys); 2] = [
            one.map_err(IssueError::Emit)?,
            other.map_err(IssueError::Emit)?,
        ];
        if linkage[0].0 == linkage[1].0 {
            return Err(wrong("laId", "two linkage authorities"));
        }
        Ok(Self {
            authority,
            linkage,
            revoked_by,
            checked: BTreeSet::new(),
        })
    }

    /// Returns the authority that issues.
    #[must_use]
    pub fn authority(&self) -> &Authority {
        &self.authority
    }

    /// Answers a registration authority's request: the answer names the request by its hash, and
    /// has the certificate encrypted to the holder and signed over that. Without the signature a
    /// registration authority could put a key of its own in the request, open the answer and
    /// encrypt it again.
    ///
    /// # Errors
    /// [`PseudonymError`].
    pub fn answer<S: KeyStore + ?Sized>(
        &mut self,
        store: &mut S,
        request: &[u8],
        now: Time32,
        seeds: &mut Seeds,
    ) -> Result<Vec<u8>, PseudonymError> {
        let hash = request_hash(request);
        let ScmsContent::AcaRa(AcaRaInterfacePdu::CertRequest(request)) =
            parse::<ScmsPdu<'_>>(request)?.content
        else {
            return Err(wrong("content", "raAcaCertRequest"));
        };
        let key = request.cert_enc_key.as_ref();
        let key = key.ok_or(wrong("certEncKey", "a key to encrypt the certificate to"))?;
        let recipient = Recipient::response_key(key)?;
        let issued = self.issue(store, &request, seeds)?;
        let r = Zeroizing::new(issued.r);
        let answer = AcaEeCertResponse {
            version: Version2,
            generation_time: now,
            certificate: parse(&issued.certificate)?,
            private_key_info: Some(&r),
            unknown: UnknownAdditions::default(),
        };
        let answer = pdu(ScmsContent::AcaEe(AcaEeInterfacePdu::CertResponse(answer)))?;
        let answer = Zeroizing::new(answer);
        let seed = Seed::new(*seeds.next());
        let encrypted = encrypt(store, &[recipient], &answer, &seed)?;
        let own = self.authority.credential();
        let private = signed(store, own, &encrypted, now, seeds)?;
        let response = AcaRaCertResponse {
            version: Version2,
            generation_time: now,
            request_hash: hash,
            response: AcaResponse::Private(parse(&private)?),
            unknown: UnknownAdditions::default(),
        };
        Ok(pdu(ScmsContent::AcaRa(AcaRaInterfacePdu::CertResponse(
            response,
        )))?)
    }

    fn issue<S: KeyStore + ?Sized>(
        &mut self,
        store: &mut S,
        request: &RaAcaCertRequest<'_>,
        seeds: &mut Seeds,
    ) -> Result<ImplicitCertificate, PseudonymError> {
        let asked = &request.tbs_cert;
        let i = check(request)?;
        let VerificationKeyIndicator::ReconstructionValue(cocoon) = &asked.verify_key_indicator
        else {
            return Err(wrong("verifyKeyIndicator", "a cocoon key"));
        };
        let curve = self.authority.credential().curve();
        let cocoon = Point::decode(curve, &encoded(cocoon));
        let cocoon = cocoon.map_err(|_| wrong("verifyKeyIndicator", "a point of our curve"))?;
        let info = request.linkage_info.as_ref();
        let value = self.linkage_value(store, info.ok_or(wrong("linkageInfo", "two values"))?)?;
        let contents = |value| ToBeSignedCertificate {
            id: CertificateId::LinkageData(LinkageData {
                period: IValue(i.0),
                value,
                group: None,
            }),
            craca_id: self.revoked_by.0,
            crl_series: self.revoked_by.1,
            // What was read would be written as it was read.
            verify_key_indicator: VerificationKeyIndicator::ReconstructionValue(CurvePoint::Fill),
            ..*asked
        };
        // Contents with the same hash differ in the linkage value and the key alone. No rule of
        // receivers compares the one, and issuing checks the other: so what was accepted once is
        // accepted each time.
        let hash = hash_canonical(HashFunction::Sha256, &contents(NO_VALUE))?;
        let hash: [u8; 32] = hash
            .as_bytes()
            .try_into()
            .map_err(|_| PseudonymError::Unknown)?;
        let issued = self
            .authority
            .implicit(store, contents(value), &cocoon, seeds)?;
        if !self.checked.contains(&hash) {
            let verifier = self.authority.verifier();
            let accepted = verifier.verify_certificate(&issued.certificate);
            accepted.map_err(IssueError::Refused)?;
            if self.checked.len() >= CHECKED_MAX {
                self.checked.clear();
            }
            self.checked.insert(hash);
        }
        Ok(issued)
    }

    /// Opens the two prelinkage values, one of each linkage authority, in either order.
    fn linkage_value<S: KeyStore + ?Sized>(
        &self,
        store: &mut S,
        info: &LinkageInfo<'_>,
    ) -> Result<LinkageValue, PseudonymError> {
        let [first, second] = &self.linkage;
        let (one, other) = (&info.plv_1, &info.plv_2);
        let (one, other) = match (one.la_id == first.0, other.la_id == first.0) {
            (true, false) => (one, other),
            (false, true) => (other, one),
            _ => return Err(wrong("laId", "one value of each linkage authority")),
        };
        if other.la_id != second.0 {
            return Err(wrong(
                "laId",
                "a linkage authority that we share a key with",
            ));
        }
        let one = opened(store, &first.1, one)?;
        let other = opened(store, &second.1, other)?;
        Ok(linkage_value(one, other))
    }
}

const NO_VALUE: LinkageValue = LinkageValue([0; 9]);

fn opened<S: KeyStore + ?Sized>(
    store: &mut S,
    keys: &DecryptionKeys,
    value: &EncryptedIndividualPlv<'_>,
) -> Result<PreLinkageValue, PseudonymError> {
    let opened = decrypt(store, keys, &written(&value.enc_plv)?)?;
    let value = opened[..].try_into();
    let value = value.map_err(|_| wrong("encPlv", "a prelinkage value of 9 octets"))?;
    Ok(PreLinkageValue(value))
}

/// Checks what does not need a key; returns the period.
fn check(request: &RaAcaCertRequest<'_>) -> Result<Period, PseudonymError> {
    let asked = &request.tbs_cert;
    if request.kind != CertificateType::Implicit {
        return Err(wrong("type", "implicit"));
    }
    if request.flags != RaAcaCertRequestFlags::NONE {
        return Err(wrong("flags", "none"));
    }
    if request.unknown.any() {
        return Err(wrong("raAcaCertRequest", "no extension"));
    }
    let CertificateId::LinkageData(LinkageData {
        period: i_cert,
        group: None,
        ..
    }) = asked.id
    else {
        return Err(wrong("id", "linkageData, without a group"));
    };
    check_same(asked)?;
    let i = Period(i_cert.0);
    let period = asked.validity_period;
    if Some(period.start) != i.start() || period.duration != Period::duration() {
        return Err(wrong("validityPeriod", "that of iCert"));
    }
    Ok(i)
}

/// Refuses what a certificate of a batch never has: a name or a key that is the same in all would
/// link them.
pub(super) fn check_same(asked: &ToBeSignedCertificate<'_>) -> Result<(), PseudonymError> {
    let is_placeholder = asked.craca_id == HashedId3([0; 3]) && asked.crl_series == CrlSeries(0);
    for (is_right, field, why) in [
        (is_placeholder, "cracaId", "000000, and the series 0"),
        (
            asked.assurance_level.is_none(),
            "assuranceLevel",
            "none: it would tell a vehicle's certificates from others",
        ),
        (asked.app_permissions.is_some(), "appPermissions", "some"),
        (
            asked.cert_issue_permissions.is_none(),
            "certIssuePermissions",
            "none",
        ),
        (
            asked.cert_request_permissions.is_none() && asked.can_request_rollover.is_none(),
            "certRequestPermissions",
            "none",
        ),
        (
            asked.encryption_key.is_none(),
            "encryptionKey",
            "none: it would link the certificates",
        ),
        (
            asked.flags.is_none()
                && asked.app_extensions.is_none()
                && asked.cert_issue_extensions.is_none()
                && asked.cert_request_extensions.is_none()
                && !asked.unknown.any(),
            "tbsCert",
            "no extension",
        ),
    ] {
        if !is_right {
            return Err(wrong(field, why));
        }
    }
    Ok(())
}
