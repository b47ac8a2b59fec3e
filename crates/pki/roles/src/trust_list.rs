//! The lists of a root authority of ETSI's PKI, made and signed \[TS 102 941 Annex A\]: which
//! authorities it has (CTL), and which of them are revoked (CRL).
//!
//! A list is verified as a receiver that trusts the root would, before anyone has it: an entry that
//! the root's certificate does not permit is refused by name, and so is a list of changes that does
//! not follow from the full list before. The lists of a trust list manager are not made here.

use std::fmt;

use waywarden_v2x_borders::CountryBorders;
use waywarden_v2x_keys::{KeyStore, Nonce, NonceForm};
use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_security::trust::{
    Document, DocumentKind, ImportContext, ImportRefusal, TrustStore,
};
use waywarden_v2x_security::{Capacity, Verifier};
use waywarden_v2x_signing::{
    Credential, PayloadToSign, SignError, SignerForm, SigningOptions, UnsignedMessage, sign,
    written,
};
use waywarden_v2x_wire::coer::{SequenceOf, UnknownAdditions, parse};
use waywarden_v2x_wire::etsi102941::{
    AaEntry, Boolean, CtlCommand, CtlDelete, CtlEntry, CtlFormat, DataVersion1, DcEntry, EaEntry,
    EtsiTs102941Data, EtsiTs102941DataContent, ListVersion1, ToBeSignedCrl, Url,
};
use waywarden_v2x_wire::etsi103097::its_aid;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, HashedId8, HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data, Psid, Time32, Time64,
};
use waywarden_v2x_wire::{EmitError, WireError};

use crate::seeds::Seeds;

/// Entry that a trust list adds or removes. Texts are ASCII.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListCommand {
    /// An enrolment authority.
    AddEnrolmentAuthority {
        /// Its certificate, encoded.
        certificate: Vec<u8>,
        /// The URL at which authorization authorities ask it.
        aa_access_point: String,
        /// The URL at which stations ask it, if they may.
        its_access_point: Option<String>,
    },
    /// An authorization authority.
    AddAuthorizationAuthority {
        /// Its certificate, encoded.
        certificate: Vec<u8>,
        /// The URL at which stations ask it.
        access_point: String,
    },
    /// A place where lists can be had.
    AddDistributionCentre {
        /// Its URL.
        url: String,
        /// The roots whose lists it has.
        roots: Vec<HashedId8>,
    },
    /// No longer the authority with this certificate: in a list of changes alone.
    DeleteCertificate(HashedId8),
    /// No longer this place: in a list of changes alone.
    DeleteDistributionCentre(String),
}

impl ListCommand {
    fn wire<'a>(&'a self, roots: &'a [HashedId8]) -> Result<CtlCommand<'a>, ListError> {
        Ok(match self {
            Self::AddEnrolmentAuthority {
                certificate,
                aa_access_point,
                its_access_point,
            } => CtlCommand::Add(CtlEntry::EnrolmentAuthority(EaEntry {
                certificate: parse(certificate)?,
                aa_access_point: url(aa_access_point)?,
                its_access_point: its_access_point.as_deref().map(url).transpose()?,
            })),
            Self::AddAuthorizationAuthority {
                certificate,
                access_point,
            } => CtlCommand::Add(CtlEntry::AuthorizationAuthority(AaEntry {
                certificate: parse(certificate)?,
                access_point: url(access_point)?,
            })),
            Self::AddDistributionCentre { url: text, .. } => {
                CtlCommand::Add(CtlEntry::DistributionCentre(DcEntry {
                    url: url(text)?,
                    certificates: sequence(roots, "cert")?,
                }))
            }
            Self::DeleteCertificate(id) => CtlCommand::Delete(CtlDelete::Certificate(*id)),
            Self::DeleteDistributionCentre(text) => {
                CtlCommand::Delete(CtlDelete::DistributionCentre(url(text)?))
            }
        })
    }

    fn read(entry: &CtlCommand<'_>) -> Option<Self> {
        let text = |url: &Url<'_>| url.as_str().to_owned();
        let bytes = |one: &Certificate<'_>| one.bytes().map(<[u8]>::to_vec);
        Some(match entry {
            CtlCommand::Add(CtlEntry::EnrolmentAuthority(own)) => Self::AddEnrolmentAuthority {
                certificate: bytes(&own.certificate)?,
                aa_access_point: text(&own.aa_access_point),
                its_access_point: own.its_access_point.as_ref().map(text),
            },
            CtlCommand::Add(CtlEntry::AuthorizationAuthority(own)) => {
                Self::AddAuthorizationAuthority {
                    certificate: bytes(&own.certificate)?,
                    access_point: text(&own.access_point),
                }
            }
            CtlCommand::Add(CtlEntry::DistributionCentre(own)) => Self::AddDistributionCentre {
                url: text(&own.url),
                roots: own.certificates.iter().collect::<Result<_, _>>().ok()?,
            },
            CtlCommand::Delete(CtlDelete::Certificate(id)) => Self::DeleteCertificate(*id),
            CtlCommand::Delete(CtlDelete::DistributionCentre(url)) => {
                Self::DeleteDistributionCentre(text(url))
            }
            _ => return None,
        })
    }

    /// The command that takes away what this one adds.
    fn deletion(&self) -> Option<Self> {
        match self {
            Self::AddEnrolmentAuthority { certificate, .. }
            | Self::AddAuthorizationAuthority { certificate, .. } => {
                let view = parse::<Certificate<'_>>(certificate).ok()?;
                Some(Self::DeleteCertificate(certificate_digest(&view)?.id_8()))
            }
            Self::AddDistributionCentre { url, .. } => {
                Some(Self::DeleteDistributionCentre(url.clone()))
            }
            Self::DeleteCertificate(_) | Self::DeleteDistributionCentre(_) => None,
        }
    }

    /// The roots of a distribution centre.
    fn roots(&self) -> &[HashedId8] {
        match self {
            Self::AddDistributionCentre { roots, .. } => roots,
            _ => &[],
        }
    }
}

/// The trust list of a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootCtl {
    /// Time at which the list is made.
    pub made: Time64,
    /// Time at which the next list is due.
    pub next_update: Time32,
    /// One more than that of the list before, modulo 256.
    pub sequence: u8,
    /// The full list that this one changes, encoded; `None`: this one is full.
    pub changes: Option<Vec<u8>>,
    /// Entries that the list adds or removes.
    pub commands: Vec<ListCommand>,
}

/// The revocation list of a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootCrl {
    /// Time at which the list is made: later than the list before.
    pub this_update: Time32,
    /// Time at which the next list is due.
    pub next_update: Time32,
    /// Authorities below the root, by their certificates.
    pub revoked: Vec<HashedId8>,
}

/// Reason why no list is signed.
#[derive(Clone, Debug, PartialEq)]
pub enum ListError {
    /// This is no ASCII.
    Url(String),
    /// A certificate in the list cannot be read.
    Certificate(WireError),
    /// The list cannot be written.
    Emit(EmitError),
    /// It cannot be signed.
    Sign(SignError),
    /// The list before, or the root, is none that a receiver has.
    Before(ImportRefusal),
    /// A receiver would refuse it.
    Refused(ImportRefusal),
}

impl fmt::Display for ListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(text) => write!(f, "{text:?}: a URL has ASCII alone"),
            Self::Certificate(error) => write!(f, "a listed certificate: {error}"),
            Self::Emit(error) => error.fmt(f),
            Self::Sign(error) => error.fmt(f),
            Self::Before(refusal) => write!(f, "the root or its list before: {refusal}"),
            Self::Refused(refusal) => write!(f, "receivers would refuse the list: {refusal}"),
        }
    }
}

impl core::error::Error for ListError {}

impl From<WireError> for ListError {
    fn from(error: WireError) -> Self {
        Self::Certificate(error)
    }
}

impl From<EmitError> for ListError {
    fn from(error: EmitError) -> Self {
        Self::Emit(error)
    }
}

impl RootCtl {
    /// Reads a full list, as [`sign`](Self::sign) makes it. Nothing is verified: it is for a list
    /// of one's own. `None`: these bytes are none, or it has something that is not made here.
    #[must_use]
    pub fn read(list: &[u8]) -> Option<Self> {
        let data: Ieee1609Dot2Data<'_> = parse(list).ok()?;
        let Ieee1609Dot2Content::Signed(signed) = data.content else {
            return None;
        };
        let inner = signed.tbs_data.payload.data.as_ref()?.view().ok()?;
        let Ieee1609Dot2Content::Unsecured(payload) = inner.content else {
            return None;
        };
        let content = parse::<EtsiTs102941Data<'_>>(payload).ok()?.content;
        let EtsiTs102941DataContent::CertificateTrustListRca(format) = content else {
            return None;
        };
        let commands = format.commands.iter();
        let commands = commands.map(|one| ListCommand::read(&one.ok()?));
        Some(Self {
            made: signed.tbs_data.header_info.generation_time?,
            next_update: format.next_update,
            sequence: format.sequence,
            changes: None,
            commands: commands.collect::<Option<_>>()?,
        })
        .filter(|_| format.is_full.0)
    }

    /// Returns the list of changes that says what this full list says to who has the one before.
    /// `None`: the bytes before are no full list.
    #[must_use]
    pub fn changes_since(&self, before: Vec<u8>) -> Option<Self> {
        let known = Self::read(&before)?.commands;
        let kept: Vec<_> = self.commands.iter().map(ListCommand::deletion).collect();
        let gone = known.iter().map(ListCommand::deletion);
        let gone = gone.filter(|one| !kept.contains(one)).flatten();
        let new = self.commands.iter().filter(|one| !known.contains(one));
        Some(Self {
            commands: gone.chain(new.cloned()).collect(),
            changes: Some(before),
            ..self.clone()
        })
    }

    /// Signs the list with the root's key, and verifies it as a receiver would that trusts the
    /// root and has the list before.
    ///
    /// # Errors
    /// [`ListError`].
    pub fn sign<S: KeyStore + ?Sized>(
        &self,
        store: &mut S,
        root: &Credential,
        seeds: &mut Seeds,
    ) -> Result<Vec<u8>, ListError> {
        let commands = self.commands.iter().map(|one| one.wire(one.roots()));
        let commands = commands.collect::<Result<Vec<_>, _>>()?;
        let content = EtsiTs102941DataContent::CertificateTrustListRca(CtlFormat {
            version: ListVersion1,
            next_update: self.next_update,
            is_full: Boolean(self.changes.is_none()),
            sequence: self.sequence,
            commands: sequence(&commands, "ctlCommands")?,
            unknown: UnknownAdditions::default(),
        });
        let list = signed(store, root, (its_aid::CTL, content, self.made), seeds)?;
        check(&list, root, self.changes.as_deref(), self.made)?;
        Ok(list)
    }
}

impl RootCrl {
    /// Signs the list with the root's key, and verifies it as a receiver would that trusts the
    /// root.
    ///
    /// # Errors
    /// [`ListError`].
    pub fn sign<S: KeyStore + ?Sized>(
        &self,
        store: &mut S,
        root: &Credential,
        seeds: &mut Seeds,
    ) -> Result<Vec<u8>, ListError> {
        let content = EtsiTs102941DataContent::CertificateRevocationList(ToBeSignedCrl {
            version: ListVersion1,
            this_update: self.this_update,
            next_update: self.next_update,
            entries: sequence(&self.revoked, "entries")?,
            unknown: UnknownAdditions::default(),
        });
        let made = Time64(u64::from(self.this_update.0) * 1_000_000);
        let list = signed(store, root, (its_aid::CRL, content, made), seeds)?;
        check(&list, root, None, made)?;
        Ok(list)
    }
}

fn sequence<'a, T>(all: &'a [T], field: &'static str) -> Result<SequenceOf<'a, T>, EmitError> {
    SequenceOf::new(all).ok_or(EmitError::OutOfRange(field))
}

fn url(text: &str) -> Result<Url<'_>, ListError> {
    Url::new(text).ok_or_else(|| ListError::Url(text.to_owned()))
}

/// Signs a list with the header that lists have.
fn signed<S: KeyStore + ?Sized>(
    store: &mut S,
    root: &Credential,
    (psid, content, made): (Psid, EtsiTs102941DataContent<'_>, Time64),
    seeds: &mut Seeds,
) -> Result<Vec<u8>, ListError> {
    let payload = written(&EtsiTs102941Data {
        version: DataVersion1,
        content,
    })?;
    let message = UnsignedMessage {
        payload: PayloadToSign::Data(&payload),
        header: HeaderInfo {
            generation_time: Some(made),
            ..HeaderInfo::new(psid)
        },
    };
    let nonce = seeds.next();
    let options = SigningOptions {
        // Whom the list is of must be known before: a root is not learnt from its own list.
        signer: SignerForm::Digest,
        form: NonceForm::XOnly,
        nonce: Nonce::Hedged { entropy: &nonce },
    };
    sign(store, root, &message, &options).map_err(ListError::Sign)
}

/// Takes a list in as a receiver does that trusts the root, and that has the list before.
fn check(
    list: &[u8],
    root: &Credential,
    before: Option<&[u8]>,
    now: Time64,
) -> Result<(), ListError> {
    let own = root.digest();
    let context = ImportContext {
        now,
        approves: &|digest| digest == own,
        verifier: &|| {
            let verifier = Verifier::new(Capacity::MINIMAL);
            verifier.with_borders(CountryBorders::new())
        },
    };
    let mut receiver = TrustStore::new();
    let anchor = receiver.import(root.certificate().bytes(), &context);
    anchor.map_err(ListError::Before)?;
    if let Some(bytes) = before {
        let document = Document {
            kind: DocumentKind::CtlRca,
            issuer: root.id(),
            bytes,
        };
        let restored = receiver.restore(&document);
        restored.map_err(ListError::Before)?;
    }
    let taken = receiver.import(list, &context);
    taken.map(drop).map_err(ListError::Refused)
}
