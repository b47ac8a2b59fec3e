//! A registration authority: knows who asks, expands keys, mixes the requests of many.

use core::ops::Range;
use std::collections::BTreeMap;

use waywarden_v2x_keys::butterfly::cocoon_key;
use waywarden_v2x_keys::{KeyStore, compressed};
use waywarden_v2x_security::Verifier;
use waywarden_v2x_signing::{Credential, DecryptionKeys, decrypt, wire_key, written};
use waywarden_v2x_wire::coer::{UnknownAdditions, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    CertificateId, CertificateType, HashedId8, IValue, LaId, LinkageData, LinkageValue, Time32,
    ToBeSignedCertificate, ValidityPeriod, VerificationKeyIndicator,
};
use waywarden_v2x_wire::ieee1609dot2dot1::{
    AcaRaInterfacePdu, AcaResponse, EeRaInterfacePdu, EncryptedIndividualPlv, LinkageInfo,
    RaAcaCertRequest, RaAcaCertRequestFlags, RaEeCertAck, ScmsContent, ScmsPdu, Version2,
};

use super::error::PseudonymError;
use super::linkage::{LinkageChain, LinkageRequest};
use super::message::{pdu, request_hash, signed, wrong};
use super::period::{CertificatePosition, Period};
use super::received::ReceivedRequest;
use crate::seeds::Seeds;

/// Maximum number of requests to the pseudonym authority that wait for their answers.
pub const PENDING_MAX: usize = 65_536;

/// Maximum number of requests that are kept: those of a fleet, each with some 700 bytes.
pub const REGISTERED_MAX: usize = 65_536;

/// A request that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// The hash of the request, by which it goes from now on.
    pub id: HashedId8,
    /// The signed acknowledgement, for the holder.
    pub acknowledgement: Vec<u8>,
}

/// Certificates of one request and period to be asked for, with what both linkage authorities
/// answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PseudonymOrder {
    /// The holder's request.
    pub id: HashedId8,
    /// The period of the certificates.
    pub i: Period,
    /// The indices of the certificates in the period.
    pub j: Range<u8>,
    /// For each index an encrypted value, of the one and of the other linkage authority.
    pub values: [Vec<Vec<u8>>; 2],
}

/// An answer of the pseudonym authority, for the holder: a file of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectedCertificate {
    /// The request that it answers.
    pub id: HashedId8,
    /// Place of the certificate in the request.
    pub position: CertificatePosition,
    /// Message that the holder opens.
    pub response: Vec<u8>,
}

/// State that is kept of a request.
struct Registered {
    received: ReceivedRequest,
    first: Period,
}

/// Takes requests, expands their keys, has linkage values made, and collects the certificates.
pub struct RegistrationAuthority {
    credential: Credential,
    decryption: DecryptionKeys,
    /// Knows the authorities of enrolment certificates.
    verifier: Verifier,
    linkage: [LaId; 2],
    registered: BTreeMap<HashedId8, Registered>,
    /// By the hash of a request to the pseudonym authority: for whom it is.
    pending: BTreeMap<HashedId8, (HashedId8, CertificatePosition)>,
}

impl RegistrationAuthority {
    /// Takes its own certificate with the key that signs, the keys that decrypt requests, who
    /// knows the authorities of enrolment certificates, and the two linkage authorities.
    #[must_use]
    pub fn new(
        credential: Credential,
        decryption: DecryptionKeys,
        verifier: Verifier,
        linkage: [LaId; 2],
    ) -> Self {
        Self {
            credential,
            decryption,
            verifier,
            linkage,
            registered: BTreeMap::new(),
            pending: BTreeMap::new(),
        }
    }

    /// Returns the hash by which a request goes once it is registered.
    #[must_use]
    pub fn id(request: &[u8]) -> HashedId8 {
        request_hash(request)
    }

    /// Takes a holder's request: decrypts it, verifies the enrolment certificate and the signature,
    /// and checks that the certificate permits what is asked for. `first` is the first period for
    /// which there will be certificates, `now` the time.
    ///
    /// # Errors
    /// [`PseudonymError`]; [`PseudonymError::Replayed`] for a request that is there,
    /// [`PseudonymError::TooMany`] for more than [`REGISTERED_MAX`].
    pub fn register<S: KeyStore + ?Sized>(
        &mut self,
        store: &mut S,
        request: &[u8],
        first: Period,
        now: Time32,
        seeds: &mut Seeds,
    ) -> Result<Registration, PseudonymError> {
        let id = request_hash(request);
        if self.registered.contains_key(&id) {
            return Err(PseudonymError::Replayed);
        }
        if self.registered.len() >= REGISTERED_MAX {
            return Err(PseudonymError::TooMany);
        }
        let opened = decrypt(store, &self.decryption, request)?;
        let received = ReceivedRequest::new(&opened, &self.verifier, now)?;
        let acknowledgement = RaEeCertAck {
            version: Version2,
            generation_time: now,
            request_hash: id,
            first_i: Some(IValue(first.0)),
            next_download: first.start().unwrap_or(now),
            unknown: UnknownAdditions::default(),
        };
        let content = EeRaInterfacePdu::CertAck(acknowledgement);
        let payload = pdu(ScmsContent::EeRa(content))?;
        let acknowledgement = signed(store, &self.credential, &payload, now, seeds)?;
        self.registered.insert(id, Registered { received, first });
        Ok(Registration {
            id,
            acknowledgement,
        })
    }

    /// Forgets a request: there will be no more certificates for it.
    pub fn forget(&mut self, id: HashedId8) {
        self.registered.remove(&id);
    }

    /// Returns what each linkage authority is asked for.
    ///
    /// # Errors
    /// [`PseudonymError::Unknown`].
    pub fn linkage_requests(
        &self,
        id: HashedId8,
        i: Period,
        j: Range<u8>,
    ) -> Result<[LinkageRequest; 2], PseudonymError> {
        let first = self
            .registered
            .get(&id)
            .ok_or(PseudonymError::Unknown)?
            .first;
        Ok(self.linkage.map(|authority| LinkageRequest {
            chain: LinkageChain::of(id, authority),
            first,
            i,
            j: j.clone(),
        }))
    }

    /// Makes the requests to the pseudonym authority, in an order that says nothing of whose they
    /// are. The more holders are mixed, the more they hide each other.
    ///
    /// # Errors
    /// [`PseudonymError::TooMany`], [`PseudonymError::Unknown`], [`PseudonymError::Message`] for
    /// values that are not those that were asked for; then nothing is pending.
    pub fn requests(
        &mut self,
        orders: &[PseudonymOrder],
        now: Time32,
        seeds: &mut Seeds,
    ) -> Result<Vec<Vec<u8>>, PseudonymError> {
        let count: usize = orders.iter().map(|order| order.j.len()).sum();
        if self.pending.len() + count > PENDING_MAX {
            return Err(PseudonymError::TooMany);
        }
        let mut made = Vec::with_capacity(count);
        for order in orders {
            let registered = self.registered.get(&order.id);
            let registered = registered.ok_or(PseudonymError::Unknown)?;
            let [one, other] = &order.values;
            if one.len() != order.j.len() || other.len() != order.j.len() {
                return Err(wrong("linkageInfo", "a value for each index"));
            }
            for (j, values) in order.j.clone().zip(one.iter().zip(other)) {
                let position = CertificatePosition { i: order.i, j };
                let request = request(&registered.received, self.linkage, position, values, now)?;
                made.push((request, (order.id, position)));
            }
        }
        shuffle(&mut made, seeds);
        let requests = made.into_iter().map(|(request, whose)| {
            self.pending.insert(request_hash(&request), whose);
            request
        });
        Ok(requests.collect())
    }

    /// Takes an answer of the pseudonym authority.
    ///
    /// # Errors
    /// [`PseudonymError::Unknown`] for an answer to no request that waits, so also for a second
    /// one.
    pub fn collect(&mut self, answer: &[u8]) -> Result<CollectedCertificate, PseudonymError> {
        let ScmsContent::AcaRa(AcaRaInterfacePdu::CertResponse(answer)) =
            parse::<ScmsPdu<'_>>(answer)?.content
        else {
            return Err(wrong("content", "acaRaCertResponse"));
        };
        let AcaResponse::Private(private) = &answer.response else {
            return Err(wrong("acaResponse", "private"));
        };
        let response = written(private)?;
        let whose = self.pending.remove(&answer.request_hash);
        let (id, position) = whose.ok_or(PseudonymError::Unknown)?;
        Ok(CollectedCertificate {
            id,
            position,
            response,
        })
    }

    /// Gives up requests that wait for their answers, such as after a failure.
    pub fn give_up(&mut self) {
        self.pending.clear();
    }
}

/// Makes one request to the pseudonym authority.
fn request(
    registered: &ReceivedRequest,
    authorities: [LaId; 2],
    position: CertificatePosition,
    (one, other): (&Vec<u8>, &Vec<u8>),
    now: Time32,
) -> Result<Vec<u8>, PseudonymError> {
    let [signing, encryption] = registered.caterpillars();
    let [by, encryption_by] = registered.expansions();
    let cocoon = cocoon_key(signing, &position.expand(by))?;
    let encryption = cocoon_key(encryption, &position.expand(encryption_by))?;
    let (one, other): (EncryptedIndividualPlv<'_>, EncryptedIndividualPlv<'_>) =
        (parse(one)?, parse(other)?);
    if [one.la_id, other.la_id] != authorities {
        return Err(wrong("laId", "one value of each linkage authority"));
    }
    let start = position.i.start();
    let asked = registered.contents()?;
    let request = RaAcaCertRequest {
        version: Version2,
        generation_time: now,
        kind: CertificateType::Implicit,
        flags: RaAcaCertRequestFlags::NONE,
        linkage_info: Some(LinkageInfo {
            plv_1: one,
            plv_2: other,
            unknown: UnknownAdditions::default(),
        }),
        cert_enc_key: Some(wire_key(&encryption)?),
        tbs_cert: ToBeSignedCertificate {
            id: CertificateId::LinkageData(LinkageData {
                period: IValue(position.i.0),
                value: LinkageValue([0; 9]),
                group: None,
            }),
            validity_period: ValidityPeriod {
                start: start.ok_or(wrong("i", "a period before 2140"))?,
                duration: Period::duration(),
            },
            verify_key_indicator: VerificationKeyIndicator::ReconstructionValue(compressed(
                &cocoon,
            )),
            ..asked
        },
        unknown: UnknownAdditions::default(),
    };
    Ok(pdu(ScmsContent::AcaRa(AcaRaInterfacePdu::CertRequest(
        request,
    )))?)
}

/// Puts items in a random order (Fisher and Yates). 64 random bits against a count of at most 2^16:
/// no order is more likely than another by more than 2^-48.
fn shuffle<T>(items: &mut [T], seeds: &mut Seeds) {
    for last in (1..items.len()).rev() {
        let random = seeds.next();
        let random = random
            .first_chunk()
            .map_or(0, |first| u64::from_be_bytes(*first));
        items.swap(last, (random % (last as u64 + 1)) as usize);
    }
}
