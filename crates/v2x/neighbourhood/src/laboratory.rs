//! Certificates for stations of a laboratory: everything follows from one number, so that programs
//! with the same number trust each other's stations. Never for the road: who knows the number has
//! every key.

use std::sync::{Arc, Mutex, PoisonError};

use waywarden_ecverify::Curve;
use waywarden_v2x_keys::{KeyHandle, KeyStore, SoftwareStore, Uses, ecqv};
use waywarden_v2x_pki::{Authority, Contents, GeographicPoint, IssueError, Region, Seeds};
use waywarden_v2x_security::{Refusal, Verifier};
use waywarden_v2x_signing::{Credential, Seed};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi103097::its_aid;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, Duration, Psid, Time32, Time64};

use crate::security::{IdentitySource, NoCertificate, StationIdentity};

/// The application of basic safety messages.
const BSM: Psid = Psid(32);
/// Version 1, and every permission of CAM \[EN 302 637-2 §6.2.3\].
const CAM_PERMISSIONS: &[u8] = &[1, 0xFF, 0xFC];
/// Version 1, and every permission of DENM \[EN 302 637-3 §6.2.2\].
const DENM_PERMISSIONS: &[u8] = &[1, 0xFF, 0xFF, 0xFF];

/// Begin of the authorities' validity: the same for all programs, whenever they start.
const FOUNDED: Time32 = Time32(0);
/// Validity of the authorities, in years: until 2104.
const YEARS: u16 = 100;
/// A station's certificate begins so long before it is issued, for receivers whose clocks are late.
const EARLIER_S: u64 = 3_600;
/// Validity of a station's certificate.
const TICKET: Duration = Duration::Hours(24 * 7);

/// Limit on the authorities of a laboratory.
pub const AUTHORITIES_MAX: usize = 8;

/// Form of the public key in a certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CertificateForm {
    /// As itself, with the issuer's signature, as in Europe.
    #[default]
    Explicit,
    /// As a reconstruction value (ECQV), as in America and \[ECQV-CITS\].
    Implicit,
}

type Store = SoftwareStore<{ AUTHORITIES_MAX + 4 }>;

/// A root and the authorization authorities below it.
pub struct Laboratory {
    store: Store,
    seeds: Seeds,
    root: Vec<u8>,
    authorities: Vec<Authority>,
}

impl Laboratory {
    /// Makes the authorities of a number: 1 to [`AUTHORITIES_MAX`]. The certificates of stations
    /// follow from `stations`, 32 bytes that are the same for no two programs.
    ///
    /// # Errors
    /// [`IssueError`], for none that is made here.
    pub fn new(number: u64, authorities: usize, stations: [u8; 32]) -> Result<Self, IssueError> {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&number.to_be_bytes());
        let mut seeds = Seeds::new(*Seed::new(seed).derive("laboratory", 0));
        let mut store = Store::new();
        let own = Contents::new(FOUNDED, Duration::Years(YEARS));
        let key = store.generate(Curve::P256, Uses::SIGN, &seeds.next())?;
        let contents = own.clone().named("laboratory root").issuing_all();
        let root = Authority::root(&mut store, key, &contents, &mut seeds)?;
        let root_bytes = root.credential().certificate().bytes().to_vec();
        let authority = |number: usize| {
            let name = format!("laboratory authority {}", number + 1);
            let contents = own.clone().named(&name).issuing_all();
            let uses = Uses::SIGN | Uses::ISSUE_IMPLICIT;
            let key = store.generate(Curve::P256, uses, &seeds.next())?;
            let public = store.public_key(key)?;
            let certificate = root.issue(&mut store, &contents, &public, &mut seeds)?;
            let authority = Authority::new(&store, key, &[&certificate, &root_bytes])?;
            Ok(authority.with_implicit_key(key))
        };
        let count = authorities.clamp(1, AUTHORITIES_MAX);
        let authorities = (0..count).map(authority);
        let authorities = authorities.collect::<Result<Vec<_>, IssueError>>()?;
        Ok(Self {
            root: root_bytes,
            authorities,
            seeds: Seeds::new(stations),
            store,
        })
    }

    /// Returns the root's certificate.
    #[must_use]
    pub fn root(&self) -> &[u8] {
        &self.root
    }

    /// Returns the certificates of the authorities.
    pub fn authorities(&self) -> impl Iterator<Item = &[u8]> {
        let credentials = self.authorities.iter().map(Authority::credential);
        credentials.map(|one| one.certificate().bytes())
    }

    /// Has a verifier trust the root, and know the first `known` authorities. Those beyond are
    /// learnt from messages.
    ///
    /// # Errors
    /// [`Refusal`], for none that is made here.
    pub fn teach(&self, verifier: &mut Verifier, known: usize) -> Result<(), Refusal> {
        verifier.add_trust_anchor(&self.root)?;
        for certificate in self.authorities().take(known) {
            verifier.add_certificate(certificate)?;
        }
        Ok(())
    }

    /// Issues a station's certificate, valid from an hour before this time on for a week, for CAM,
    /// DENM and BSM, and for more applications with their bitmaps of permissions; within a circle,
    /// if one is given (its radius in metres).
    ///
    /// # Errors
    /// [`IssueError`].
    pub fn issue(
        &mut self,
        authority: usize,
        form: CertificateForm,
        more: &[(Psid, Vec<u8>)],
        within: Option<(GeographicPoint, u16)>,
        now: Time64,
    ) -> Result<StationIdentity, IssueError> {
        let start = (now.0 / 1_000_000).saturating_sub(EARLIER_S);
        let start = Time32(u32::try_from(start).unwrap_or(u32::MAX));
        let mut contents = Contents::new(start, TICKET)
            .permitting(its_aid::CAM, CAM_PERMISSIONS)
            .permitting(its_aid::DENM, DENM_PERMISSIONS)
            .permitting(BSM, &[]);
        for (psid, bitmap) in more {
            contents = contents.permitting(*psid, bitmap);
        }
        if let Some((centre, radius_m)) = within {
            contents = contents.within(Region::Circle(centre, radius_m));
        }
        let at = authority % self.authorities.len();
        let mut store = SoftwareStore::<2>::new();
        let uses = match form {
            CertificateForm::Explicit => Uses::SIGN,
            CertificateForm::Implicit => Uses::RECONSTRUCT,
        };
        let key = store.generate(Curve::P256, uses, &self.seeds.next())?;
        let (key, certificate) = match form {
            CertificateForm::Explicit => {
                let public = store.public_key(key)?;
                let (authority, own) = (&self.authorities[at], &mut self.store);
                (
                    key,
                    authority.issue(own, &contents, &public, &mut self.seeds)?,
                )
            }
            CertificateForm::Implicit => self.implicit(at, &contents, &mut store, key)?,
        };
        let verifier = self.authorities[at].verifier();
        let verified = verifier.verify_certificate(&certificate)?;
        Ok(StationIdentity {
            credential: Credential::new(&store, key, verified)?,
            store: Box::new(store),
        })
    }

    /// Issues an implicit certificate, and makes its private key of the requester's.
    fn implicit(
        &mut self,
        at: usize,
        contents: &Contents,
        store: &mut SoftwareStore<2>,
        key: KeyHandle,
    ) -> Result<(KeyHandle, Vec<u8>), IssueError> {
        let authority = &self.authorities[at];
        let request = store.public_key(key)?;
        let issued =
            authority.issue_implicit(&mut self.store, contents, &request, &mut self.seeds)?;
        let own = authority.credential();
        let issuer = ecqv::Issuer {
            public: self.store.public_key(own.key())?,
            digest: *own.digest(),
        };
        let view: Certificate<'_> =
            parse(&issued.certificate).map_err(|_| IssueError::Contents {
                field: "certificate",
                why: "it cannot be read again",
            })?;
        let private = ecqv::receive(store, key, &view, &issuer, &issued.r, Uses::SIGN)?;
        Ok((private, issued.certificate))
    }
}

/// The certificates of one station of a laboratory: a new one each time.
pub struct Tickets {
    laboratory: Arc<Mutex<Laboratory>>,
    authority: usize,
    form: CertificateForm,
    more: Vec<(Psid, Vec<u8>)>,
    within: Option<(GeographicPoint, u16)>,
}

impl Tickets {
    /// Has them issued by an authority, counted from 0.
    #[must_use]
    pub fn new(
        laboratory: &Arc<Mutex<Laboratory>>,
        authority: usize,
        form: CertificateForm,
    ) -> Self {
        Self {
            laboratory: Arc::clone(laboratory),
            authority,
            form,
            more: Vec::new(),
            within: None,
        }
    }

    /// Has them permit another application, too, with this bitmap of permissions; without one, if
    /// it is empty. CAM, DENM and BSM are permitted in any case.
    #[must_use]
    pub fn permitting(mut self, psid: Psid, bitmap: &[u8]) -> Self {
        let is_permitted = [its_aid::CAM, its_aid::DENM, BSM].contains(&psid)
            || self.more.iter().any(|(own, _)| *own == psid);
        if !is_permitted {
            self.more.push((psid, bitmap.to_vec()));
        }
        self
    }

    /// Has them be valid within a circle only; the radius is in metres.
    #[must_use]
    pub fn within(mut self, centre: GeographicPoint, radius_m: u16) -> Self {
        self.within = Some((centre, radius_m));
        self
    }
}

impl IdentitySource for Tickets {
    fn next(&mut self, now: Time64) -> Result<StationIdentity, NoCertificate> {
        let mut laboratory = self
            .laboratory
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let issued = laboratory.issue(self.authority, self.form, &self.more, self.within, now);
        issued.map_err(|error| NoCertificate(error.to_string()))
    }
}
