//! The folder of a station, and the requests that fill it.

use std::path::Path;
use std::sync::Arc;

use waywarden_command_line::exit::Failure;
use waywarden_ecverify::Curve;
use waywarden_pki_folder::credential::Held;
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::{CertificateShape, HolderRole, Index, KeyForm, show_id};
use waywarden_pki_folder::key_file::{self, KeyWriter};
use waywarden_pki_folder::passphrase::{Passphrase, Passphrases};
use waywarden_pki_folder::{folder_lock, transaction, validity};
use waywarden_v2x_input::time;
use waywarden_v2x_keys::{KeyHandle, Uses};
use waywarden_v2x_pki::Contents;
use waywarden_v2x_pki::enrolment::{
    EnrolmentLimits, Requester, ResponseRefusal, TicketRequest, request_authorization,
    request_enrolment,
};
use waywarden_v2x_pki_service::server::Endpoint;
use waywarden_v2x_security::Verified;
use waywarden_v2x_signing::Credential;
use waywarden_v2x_wire::etsi102941::AuthorizationResponseCode;
use waywarden_v2x_wire::ieee1609dot2::Duration;

use super::authorities::{Authorities, start};
use super::request::StationRequest;
use super::requests::Requests;
use crate::issuer::Workshop;
use crate::note::Notes;
use crate::specification::Specification;

/// The server that is asked.
pub(super) struct Server {
    pub(super) requests: Requests,
    pub(super) authorities: Authorities,
}

/// The folder of a station while a call fills it.
pub(super) struct Station<'a> {
    folder: &'a Path,
    /// Held while it is changed; none for a new one.
    pub(super) directory: Option<PkiDirectory>,
    pub(super) index: Index,
    workshop: Workshop<'a>,
}

impl<'a> Station<'a> {
    /// Opens a folder, or begins a new one.
    pub(super) fn open(
        folder: &'a Path,
        directory: Option<PkiDirectory>,
        passphrase: Option<&'a Passphrase>,
    ) -> Result<Self, Failure> {
        let writer = passphrase.map_or(KeyWriter::Unencrypted, KeyWriter::Encrypted);
        let form = match passphrase {
            Some(_) => KeyForm::Encrypted,
            None => KeyForm::Unencrypted,
        };
        let index = match &directory {
            Some(directory) => directory.index.clone(),
            None => Index::new(CertificateShape::Etsi, form),
        };
        Ok(Self {
            folder,
            directory,
            index,
            workshop: Workshop::new(writer)?,
        })
    }

    /// Finds the credential of a name that is valid now, and loads its key.
    fn credential(
        &mut self,
        name: &str,
        passphrases: &mut Passphrases<'_>,
    ) -> Result<Option<Credential>, Failure> {
        let Some(directory) = &self.directory else {
            return Ok(None);
        };
        let mut newest = self.index.entries.iter().rev();
        let newest = newest.find(|one| one.name == name && one.role == HolderRole::Credential);
        let Some(entry) = newest else {
            return Ok(None);
        };
        let held = Held::of(directory, entry)?;
        let credential = held.credential_in(&mut self.workshop.store, passphrases)?;
        let (start, end) = credential.certificate().validity();
        let is_valid = (start..end).contains(&time::now());
        Ok(is_valid.then_some(credential))
    }

    /// Gets a credential unless there is one, and tickets. The inner result is that of the tickets:
    /// what was issued before is to be kept.
    pub(super) fn get(
        &mut self,
        server: &Server,
        request: &StationRequest,
        passphrases: &mut Passphrases<'_>,
        notes: Notes<'_>,
    ) -> Result<Result<(), Failure>, Failure> {
        let authorities = &server.authorities;
        let name = format!("{}-credential", request.name);
        let held = self.credential(&name, passphrases)?;
        // That of an authority that was renewed since is of no use to the new one.
        let held = held.filter(|held| authorities.issued(held));
        let credential = match held {
            Some(credential) if !request.renews => credential,
            held => {
                let key = &request.canonical_key;
                let canonical = key_file::read(key, Some(Curve::P256), passphrases)?;
                let software = &mut self.workshop.store.software;
                let canonical = software.import(&canonical, Uses::SIGN);
                let requester = match &held {
                    Some(credential) => Requester::Enrolled(credential),
                    None => Requester::Registered {
                        canonical_id: request.canonical_id.as_bytes(),
                        key: canonical.map_err(Failure::new)?,
                    },
                };
                let contents = request.credential(authorities)?;
                self.enrol(server, requester, (&name, &contents), notes)?
            }
        };
        self.keep_authorities(authorities)?;
        Ok(self.fill(server, request, &credential, notes))
    }

    /// Gets the tickets.
    fn fill(
        &mut self,
        server: &Server,
        request: &StationRequest,
        credential: &Credential,
        notes: Notes<'_>,
    ) -> Result<(), Failure> {
        if request.tickets == 0 {
            return Ok(());
        }
        let authority = server.authorities.authorization.as_ref().ok_or_else(|| {
            Failure::new("the server has no authorization authority: ask for no --tickets")
        })?;
        let validity = request.ticket_validity.unwrap_or(Duration::Hours(168));
        let from = match request.ticket_start {
            Some(from) => validity::start(from).map_err(Failure::new)?,
            None => start(&[authority, credential.certificate()])?,
        };
        let mut contents = Contents::new(from, validity);
        contents.permissions = request.of_tickets();
        for _ in 0..request.tickets {
            self.ticket(
                server,
                authority,
                credential,
                (&request.name, &contents),
                notes,
            )?;
        }
        Ok(())
    }

    /// Asks for a credential and keeps it.
    fn enrol(
        &mut self,
        server: &Server,
        requester: Requester<'_>,
        (name, contents): (&str, &Contents),
        notes: Notes<'_>,
    ) -> Result<Credential, Failure> {
        let authorities = &server.authorities;
        let curve = authorities.curve()?;
        let key = self.workshop.generate(curve, Uses::SIGN)?;
        let Workshop { store, seeds, .. } = &mut self.workshop;
        let now = time::now();
        let asked = &authorities.enrolment;
        let made = request_enrolment(store, requester, key, contents, asked, now, seeds);
        let (request, pending) = made.map_err(Failure::new)?;
        let response = server.requests.post(Endpoint::Enrolment, &request, notes)?;
        let limits = EnrolmentLimits::DEFAULT;
        let (verifier, now) = (&authorities.verifier, time::now());
        let opened = pending.open(store, verifier, &response, now, &limits);
        let opened = opened.map_err(|why| refused("enrolment", &why))?;
        self.keep_authorities(authorities)?;
        let specification =
            Specification::new(name, HolderRole::Credential, None, contents.duration);
        self.keep(&specification, &opened, Some(key))?;
        self.write()?;
        Credential::new(&self.workshop.store, key, opened).map_err(Failure::new)
    }

    /// Asks for a ticket and keeps it.
    fn ticket(
        &mut self,
        server: &Server,
        authority: &Arc<Verified>,
        credential: &Credential,
        (name, contents): (&str, &Contents),
        notes: Notes<'_>,
    ) -> Result<(), Failure> {
        let authorities = &server.authorities;
        let curve = authorities.curve()?;
        let key = self.workshop.generate(curve, Uses::SIGN)?;
        let asked = TicketRequest {
            credential,
            key,
            contents,
            enrolment_authority: &authorities.enrolment,
            authorization_authority: authority,
            is_private: true,
            proves_possession: true,
        };
        let Workshop { store, seeds, .. } = &mut self.workshop;
        let made = request_authorization(store, &asked, time::now(), seeds);
        let (request, pending) = made.map_err(Failure::new)?;
        let response = server
            .requests
            .post(Endpoint::Authorization, &request, notes)?;
        let limits = EnrolmentLimits::DEFAULT;
        let (verifier, now) = (&authorities.verifier, time::now());
        let opened = pending.open(store, verifier, &response, now, &limits);
        let opened = opened.map_err(|why| match why {
            ResponseRefusal::Denied(AuthorizationResponseCode::AaEaCantReachEa) => {
                Failure::new(format_args!(
                    "authorization: {why}: the authorization authority has no answer of the \
                     enrolment authority; start that, or correct the --ea of `waywarden pki serve \
                     --role aa`, and try again"
                ))
            }
            _ => refused("authorization", &why),
        })?;
        let specification = Specification::new(name, HolderRole::Station, None, contents.duration);
        self.keep(&specification, &opened, Some(key))?;
        self.workshop.retire(Some(key));
        Ok(())
    }

    /// Keeps the certificates above the station's, which receivers and `sign` need.
    fn keep_authorities(&mut self, authorities: &Authorities) -> Result<(), Failure> {
        let aa = authorities.authorization.iter();
        let below = [(&authorities.enrolment, "ea", HolderRole::Enrolment)];
        let below = below
            .into_iter()
            .chain(aa.map(|one| (one, "aa", HolderRole::Authorization)));
        let root = (&authorities.root, "root", HolderRole::Root);
        for (certificate, name, role) in [root].into_iter().chain(below) {
            if self.index.of_id(&show_id(certificate.id())).is_none() {
                let validity = Duration::Years(1);
                let specification = Specification::new(name, role, None, validity);
                self.keep(&specification, certificate, None)?;
            }
        }
        Ok(())
    }

    fn keep(
        &mut self,
        specification: &Specification,
        certificate: &Verified,
        key: Option<KeyHandle>,
    ) -> Result<(), Failure> {
        let issuer = certificate.issuer().map(|issuer| show_id(issuer.id()));
        let bytes = certificate.bytes().to_vec();
        let keys = (key, None);
        self.workshop
            .keep(&mut self.index, specification, issuer, bytes, keys)
    }

    /// Writes what was kept since the last time.
    pub(super) fn write(&mut self) -> Result<(), Failure> {
        let files = std::mem::take(&mut self.workshop.files);
        if files.is_empty() {
            return Ok(());
        }
        match &self.directory {
            Some(_) => transaction::commit(self.folder, &files, &self.index),
            None => {
                let _lock = folder_lock::lock(transaction::parent(self.folder))?;
                transaction::create(self.folder, &files, &self.index)?;
                self.directory = Some(PkiDirectory::open_to_change(self.folder)?);
                Ok(())
            }
        }
    }
}

fn refused(what: &str, why: &dyn std::fmt::Display) -> Failure {
    Failure::new(format_args!(
        "{what}: {why}; the log of the server says more; stations are registered with `waywarden \
         pki register`"
    ))
}
