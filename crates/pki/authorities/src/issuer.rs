//! Certificates made and collected, to be written together.

use waywarden_ecverify::{Curve, Point};
use waywarden_v2x_keys::{KeyHandle, KeyStore as _, Uses, ecqv};
use waywarden_v2x_pki::{Authority, Contents, Seeds};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, Time32};
use zeroize::Zeroizing;

use super::specification::{CRL_SERIES, Specification};
use waywarden_command_line::exit::Failure;
use waywarden_pki_folder::directory::{PkiDirectory, certificate_path, key_path};
use waywarden_pki_folder::index::{
    CertificateShape, HolderRole, Index, IndexEntry, KeyForm, show_id,
};
use waywarden_pki_folder::key_file::{self, KeyWriter};
use waywarden_pki_folder::key_store::{KeyStoreName, Keys};
use waywarden_pki_folder::passphrase::Passphrases;
use waywarden_pki_folder::random;
use waywarden_pki_folder::token::TokenSource;
use waywarden_pki_folder::transaction::NewFile;
use waywarden_v2x_input::certificates::id_of;

/// Key that a new certificate is for.
#[derive(Clone, Copy)]
pub(crate) enum Subject<'p> {
    /// A new key.
    New,
    /// A new key, by way of an implicit certificate.
    Implicit,
    /// The holder's, of whom only the public key is known.
    Public(&'p Point),
}

/// Makes certificates; what it made is written by the caller, together.
pub struct Workshop<'w> {
    /// The keys.
    pub store: Keys,
    /// Seeds of the operating system.
    pub seeds: Seeds,
    writer: KeyWriter<'w>,
    form: KeyForm,
    /// Files that it made, to be written.
    pub files: Vec<NewFile>,
}

impl<'w> Workshop<'w> {
    /// Begins with no file; keys are written by `writer`.
    ///
    /// # Errors
    /// [`Failure`] if the operating system has no random numbers.
    pub fn new(writer: KeyWriter<'w>) -> Result<Self, Failure> {
        Ok(Self {
            store: Keys::default(),
            seeds: random::seeds()?,
            writer,
            form: match writer {
                KeyWriter::Encrypted(_) => KeyForm::Encrypted,
                KeyWriter::Unencrypted => KeyForm::Unencrypted,
                KeyWriter::Plain => KeyForm::Plain,
            },
            files: Vec::new(),
        })
    }

    /// Loads an authority of a PKI with its key. One whose key is in a token, or in the memory of
    /// AWS-LC, issues no implicit certificates.
    pub fn authority(
        &mut self,
        directory: &PkiDirectory,
        entry: &IndexEntry,
        passphrases: &mut Passphrases<'_>,
        select: impl FnOnce(Curve) -> Result<KeyStoreName, Failure>,
        token: &TokenSource,
    ) -> Result<Authority, Failure> {
        let chain = directory.chain(entry)?;
        let file = directory.file(&entry.certificate);
        let failed = |key: &dyn std::fmt::Display, error: &dyn std::fmt::Display| {
            Failure::new(format_args!("{key}: with {}: {error}", file.display()))
        };
        let bytes: Vec<&[u8]> = chain.iter().map(Vec::as_slice).collect();
        if let Some((uri, handle)) = token.key(&mut self.store, entry)? {
            let authority = Authority::new(&self.store, handle, &bytes);
            return authority.map_err(|error| failed(&uri, &error));
        }
        let key = entry.key.as_ref().ok_or_else(|| {
            Failure::new(format_args!(
                "{}: has no private key of {}: it was issued for a key from elsewhere",
                directory.path.display(),
                entry.name
            ))
        })?;
        let key = directory.file(key);
        let own = key_file::read(&key, curve_of(&chain)?, passphrases)?;
        let name = select(own.curve())?;
        let uses = match name {
            KeyStoreName::Software => Uses::SIGN | Uses::ISSUE_IMPLICIT,
            KeyStoreName::AwsLc => Uses::SIGN,
        };
        let handle = self.store.import(name, &own, uses);
        let handle = handle.map_err(|error| failed(&key.display(), &error))?;
        let authority = Authority::new(&self.store, handle, &bytes);
        let authority = authority.map_err(|error| failed(&key.display(), &error))?;
        Ok(match name {
            KeyStoreName::Software => authority.with_implicit_key(handle),
            KeyStoreName::AwsLc => authority,
        })
    }

    /// Returns true if a new key goes into the open token: those of authorities that issue, and of
    /// the CRL generator, but for the American one that issues implicit certificates.
    fn is_for_token(&self, specification: &Specification, shape: CertificateShape) -> bool {
        let role = specification.role;
        let issues_implicit = shape == CertificateShape::Us && role == HolderRole::Authorization;
        let signs = role.issues() || role == HolderRole::CrlSigner;
        self.store.token().is_some() && signs && !issues_implicit
    }

    /// Makes the key of a new certificate.
    fn signing_key(
        &mut self,
        specification: &Specification,
        shape: CertificateShape,
    ) -> Result<KeyHandle, Failure> {
        let curve = specification.curve;
        if self.is_for_token(specification, shape)
            && let Some(token) = self.store.token_mut()
        {
            let key = token.generate_labelled(curve, Uses::SIGN, &specification.name);
            return key.map_err(|error| Failure::new(format_args!("--token: {error}")));
        }
        let uses = match specification.role.issues() {
            true => Uses::SIGN | Uses::ISSUE_IMPLICIT,
            false => Uses::SIGN,
        };
        self.generate(curve, uses)
    }

    /// Makes a root and its authority.
    pub(crate) fn root(
        &mut self,
        index: &mut Index,
        specification: &Specification,
        start: Time32,
    ) -> Result<Authority, Failure> {
        let (contents, decrypting) = self.contents(specification, start)?;
        let key = self.signing_key(specification, index.shape)?;
        let root = Authority::root(&mut self.store, key, &contents, &mut self.seeds)
            .map_err(|error| refused(&specification.name, &error))?;
        let certificate = root.credential().certificate().bytes().to_vec();
        self.keep(
            index,
            specification,
            None,
            certificate,
            (Some(key), decrypting),
        )?;
        Ok(match self.store.is_in_token(key) {
            true => root,
            false => root.with_implicit_key(key),
        })
    }

    /// Makes a certificate and collects its files. Returns the key of an authority, to go on with.
    pub(crate) fn issue(
        &mut self,
        index: &mut Index,
        issuer: &Authority,
        specification: &Specification,
        start: Time32,
        subject: Subject<'_>,
    ) -> Result<(Option<KeyHandle>, Vec<u8>), Failure> {
        let (mut contents, decrypting) = self.contents(specification, start)?;
        if !specification.is_named() {
            let (issuer_start, _) = issuer.credential().certificate().validity();
            let validity = specification.validity;
            let period = index.grid().period_below(issuer_start, start, validity);
            (contents.start, contents.duration) = (period.start, period.duration);
        }
        // Without a signer of lists it is on no list; Europe's certificates name no CRACA.
        if index.of_role(HolderRole::CrlSigner).is_some()
            && let Some(root) = issuer.credential().certificate().chain().last()
        {
            contents.craca = root.digest().id_3();
            contents.crl_series = CRL_SERIES;
        }
        let refused = |error: &dyn std::fmt::Display| refused(&specification.name, error);
        let (key, certificate) = match subject {
            Subject::Public(public) => {
                let issued = issuer.issue(&mut self.store, &contents, public, &mut self.seeds);
                (None, issued.map_err(|error| refused(&error))?)
            }
            Subject::New => {
                let key = self.signing_key(specification, index.shape)?;
                let public = self.store.public_key(key).map_err(Failure::new)?;
                let issued = issuer.issue(&mut self.store, &contents, &public, &mut self.seeds);
                (Some(key), issued.map_err(|error| refused(&error))?)
            }
            Subject::Implicit => {
                let (key, certificate) = self.implicit(issuer, &contents, &specification.name)?;
                (Some(key), certificate)
            }
        };
        let id = show_id(issuer.credential().id());
        let keys = (key, decrypting);
        self.keep(index, specification, Some(id), certificate.clone(), keys)?;
        Ok((key, certificate))
    }

    /// Forgets a key that was written.
    pub fn retire(&mut self, key: Option<KeyHandle>) {
        if let Some(key) = key {
            let _ = self.store.retire(key);
        }
    }

    /// Makes a key.
    pub fn generate(&mut self, curve: Curve, uses: Uses) -> Result<KeyHandle, Failure> {
        let seed = self.seeds.next();
        self.store
            .generate(curve, uses, &seed)
            .map_err(Failure::new)
    }

    fn implicit(
        &mut self,
        issuer: &Authority,
        contents: &Contents,
        name: &str,
    ) -> Result<(KeyHandle, Vec<u8>), Failure> {
        let refused = |error: &dyn std::fmt::Display| refused(name, error);
        let own = issuer.credential();
        let seed = self.seeds.next();
        let request = ecqv::request(&mut self.store, own.curve(), &seed);
        let request = request.map_err(|error| refused(&error))?;
        let issued = issuer
            .issue_implicit(&mut self.store, contents, &request.public, &mut self.seeds)
            .map_err(|error| refused(&error))?;
        let r = Zeroizing::new(issued.r);
        let public = self.store.public_key(own.key()).map_err(Failure::new)?;
        let by = ecqv::Issuer {
            public,
            digest: *own.digest(),
        };
        let certificate = parse(&issued.certificate).map_err(|error| refused(&error))?;
        let key = ecqv::receive(
            &mut self.store,
            request.key,
            &certificate,
            &by,
            &r,
            Uses::SIGN,
        );
        let key = key.map_err(|error| refused(&error))?;
        self.retire(Some(request.key));
        Ok((key, issued.certificate))
    }

    /// Puts together what a certificate says, with a new encryption key if it is to have one.
    fn contents(
        &mut self,
        specification: &Specification,
        start: Time32,
    ) -> Result<(Contents, Option<KeyHandle>), Failure> {
        let mut contents = Contents::new(start, specification.validity);
        contents.name = specification.is_named().then(|| specification.name.clone());
        contents.region.clone_from(&specification.region);
        contents.permissions.clone_from(&specification.permissions);
        contents.issues.clone_from(&specification.issues);
        contents.requests.clone_from(&specification.requests);
        let mut decrypting = None;
        if specification.encryption_key {
            // ECIES is defined on curves of 256 bits alone.
            let curve = match specification.curve {
                Curve::P256 | Curve::P384 => Curve::P256,
                Curve::BrainpoolP256r1 | Curve::BrainpoolP384r1 => Curve::BrainpoolP256r1,
            };
            let key = self.generate(curve, Uses::AGREE)?;
            contents = contents.encrypted_to(self.store.public_key(key).map_err(Failure::new)?);
            decrypting = Some(key);
        }
        Ok((contents, decrypting))
    }

    /// Collects the files of a certificate, and adds it to the index.
    pub fn keep(
        &mut self,
        index: &mut Index,
        specification: &Specification,
        issuer: Option<String>,
        certificate: Vec<u8>,
        (signing, decrypting): (Option<KeyHandle>, Option<KeyHandle>),
    ) -> Result<(), Failure> {
        let id = parse::<Certificate<'_>>(&certificate).ok();
        let id = id.and_then(|certificate| id_of(&certificate)).map(show_id);
        let id = id.ok_or_else(|| refused(&specification.name, &"the certificate has no hash"))?;
        let name = &specification.name;
        let path = certificate_path(specification.role.is_authority(), name, &id);
        let in_token = signing.filter(|key| self.store.is_in_token(*key));
        let uri = match (self.store.token(), in_token) {
            (Some(token), Some(key)) => Some(token.uri(key).map_err(Failure::new)?.to_string()),
            _ => None,
        };
        let in_file = signing.filter(|_| uri.is_none());
        let entry = IndexEntry {
            name: name.clone(),
            role: specification.role,
            issuer,
            certificate: path.clone(),
            key: self.keep_key(in_file, &id, false)?,
            token: uri,
            encryption_key: self.keep_key(decrypting, &id, true)?,
            revoked: None,
            listed: false,
            unlisted: false,
            id,
        };
        self.retire(decrypting);
        self.files.push(NewFile {
            path,
            bytes: Zeroizing::new(certificate),
            is_secret: false,
        });
        index.entries.push(entry);
        Ok(())
    }

    fn keep_key(
        &mut self,
        key: Option<KeyHandle>,
        id: &str,
        decrypts: bool,
    ) -> Result<Option<std::path::PathBuf>, Failure> {
        let Some(key) = key else {
            return Ok(None);
        };
        let private = self.store.software.export(key).map_err(Failure::new)?;
        let public = self.store.public_key(key).map_err(Failure::new)?;
        let path = key_path(self.form, id, decrypts);
        self.files.push(NewFile {
            path: path.clone(),
            bytes: self.writer.write(&private, &public)?,
            is_secret: true,
        });
        Ok(Some(path))
    }
}

/// The curve of the first certificate's key; `None` where it is implicit: it has its issuer's.
pub fn curve_of(chain: &[Vec<u8>]) -> Result<Option<Curve>, Failure> {
    use waywarden_v2x_wire::ieee1609dot2::{
        PublicVerificationKey as Key, VerificationKeyIndicator,
    };
    for certificate in chain {
        let view: Certificate<'_> = parse(certificate).map_err(Failure::new)?;
        if let VerificationKeyIndicator::VerificationKey(key) =
            view.to_be_signed.verify_key_indicator
        {
            return Ok(match key {
                Key::EcdsaNistP256(_) => Some(Curve::P256),
                Key::EcdsaNistP384(_) => Some(Curve::P384),
                Key::EcdsaBrainpoolP256r1(_) => Some(Curve::BrainpoolP256r1),
                Key::EcdsaBrainpoolP384r1(_) => Some(Curve::BrainpoolP384r1),
                _ => None,
            });
        }
    }
    Ok(None)
}

fn refused(name: &str, error: &dyn std::fmt::Display) -> Failure {
    Failure::new(format_args!(
        "{name}: {error}; nothing was written: ask for what the issuer covers"
    ))
}
