//! `waywarden pki serve`: the enrolment and the authorisation authority of a PKI over HTTP.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use waywarden_v2x_pki::Authority;
use waywarden_v2x_pki::enrolment::{AuthorizationAuthority, EnrolmentAuthority, RequestHashOf};
use waywarden_v2x_pki_service::client::{Client, ClientLimits};
use waywarden_v2x_pki_service::database::{DATABASE, Database};
use waywarden_v2x_pki_service::server::{Document, Limits, RateLimit, Stop, serve};
use waywarden_v2x_pki_service::{Authorities, EnrolmentPeer, Registry, RegistryLimits, Role};
use waywarden_v2x_signing::written;
use waywarden_v2x_wire::coer::{SequenceOf, parse};
use waywarden_v2x_wire::ieee1609dot2::{Certificate, HashedId8};

use super::credential::decryption_key;
use super::directory::{Directory, certificate};
use super::index::{Entry, Role as IndexRole, Shape, TRUST, show_id};
use super::issuer::Workshop;
use super::key_file::KeyWriter;
use super::passphrase::{PassphraseSource, Passphrases};
use super::token::TokenSource;
use super::{recorded, registration};
use crate::exit::{Answer, Failure};
use crate::key_store::{KeyStoreName, Store};
use crate::terminal::plain;
use crate::v2x::time;

/// The longest list that is served.
const LIST_MAX: u64 = 16 << 20;

/// The most requests of one address each second.
const RATE_MAX: i64 = 1_000_000;

const EXAMPLES: &str = "\
Examples:
  waywarden pki serve my-pki
  waywarden pki serve my-pki --listen 127.0.0.1:8102 --role ea --passphrase-file secret.txt
  waywarden pki serve my-pki --role aa --ea http://127.0.0.1:8102";

/// Which authorities are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Served {
    /// The enrolment authority.
    Ea,
    /// The authorisation authority.
    Aa,
    Both,
}

/// Serve a PKI to stations: enrolment and authorisation of ETSI TS 102 941 over HTTP.
///
/// Registered stations (`pki register`) ask for an enrolment credential at /enrolment, and with it
/// for authorisation tickets at /authorization. GET /certificates, /getctl/HASHEDID8 and
/// /getcrl/HASHEDID8 return what anyone may have. Requests are limited in size, rate and time.
///
/// What is issued is in pki.sqlite before it leaves. Prints the address, then runs until SIGTERM or
/// ^C; requests under way are answered first. The log goes to standard error and has no secrets.
///
/// Exit code 0 once it was told to end, 2 if it could not serve.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Serve {
    /// The folder of the PKI.
    dir: PathBuf,
    /// The address and port; port 0 is any free one. Beyond this computer it is as safe as what
    /// stands before it.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Which authorities.
    #[arg(long, value_enum, default_value = "both")]
    role: Served,
    /// Where the enrolment authority is, if it is not in this process; not with --role ea.
    #[arg(long, value_name = "URL")]
    ea: Option<String>,
    /// How many requests of one address are answered each second; three times as many at once.
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=RATE_MAX))]
    rate: u32,
    /// Which bytes of a request its response names by their hash. TS 102 941 speaks of the signed
    /// data; the stations that were tried expect the hash of the message. Ours take either.
    #[arg(long, value_enum, value_name = "BYTES", default_value = "message")]
    request_hash: HashedBytes,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

/// Which bytes of a request are hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum HashedBytes {
    /// The whole message, encrypted.
    Message,
    /// The signed data, before it is encrypted.
    SignedData,
}

impl From<HashedBytes> for RequestHashOf {
    fn from(bytes: HashedBytes) -> Self {
        match bytes {
            HashedBytes::Message => Self::Message,
            HashedBytes::SignedData => Self::SignedData,
        }
    }
}

impl Serve {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        if self.ea.is_some() && self.role == Served::Ea {
            return Err(Failure::new(
                "--ea: the enrolment authority asks no other one; leave --ea out, or serve --role \
                 aa",
            ));
        }
        let authorities = self.authorities()?;
        let listening = |error: io::Error| match error.kind() {
            io::ErrorKind::AddrInUse => Failure::new(format_args!(
                "{}: {error}; give --listen another port, or port 0 for any free one",
                self.listen
            )),
            _ => Failure::file(self.listen, &error),
        };
        let listener = TcpListener::bind(self.listen).map_err(listening)?;
        let address = listener.local_addr().map_err(listening)?;
        let mut out = io::stdout();
        writeln!(out, "listening on http://{address}")?;
        out.flush()?;
        // Signals alone end it: the handle is kept.
        let (_stop, stopped) = Stop::new();
        let limits = Limits {
            rate: RateLimit {
                burst: 3 * self.rate,
                per_second: self.rate,
            },
            ..Limits::default()
        };
        serve(listener, Arc::new(authorities), limits, stopped, true).map_err(Failure::new)?;
        writeln!(out, "ended")?;
        Ok(Answer::Yes)
    }

    /// Loads what is served. The folder is locked meanwhile, and not while it is served.
    fn authorities(&self) -> Result<Authorities, Failure> {
        let directory = Directory::open_to_change(&self.dir)?;
        if directory.index.shape == Shape::Us {
            return Err(Failure::new(format_args!(
                "{}: was made with --us; the protocol of ETSI TS 102 941 needs a European PKI",
                self.dir.display()
            )));
        }
        recorded::open(&directory.path, &directory.index)?;
        let mut passphrases = Passphrases::new(&self.passphrase);
        let (path, certificates) = (directory.path.clone(), certificates(&directory)?);
        let mut authorities = Authorities::new(move |one| document(&path, &certificates, one), log);
        if self.role != Served::Aa {
            let (authority, keys, registry) =
                loaded(&directory, IndexRole::Enrolment, &mut passphrases)?;
            let mut authority = EnrolmentAuthority::new(authority.0, authority.1)
                .map_err(|error| unfit(&directory, IndexRole::Enrolment, &error))?
                .with_request_hash_of(self.request_hash.into());
            for other in of_role(&directory, IndexRole::Authorization) {
                let added = authority.add_authorization_authority(&other.1);
                added.map_err(|error| unfit_entry(&directory, other.0, &error))?;
            }
            authorities = authorities.with_enrolment(Role {
                authority,
                keys,
                registry,
            });
        }
        if self.role != Served::Ea {
            let (authority, keys, registry) =
                loaded(&directory, IndexRole::Authorization, &mut passphrases)?;
            let mut authority = AuthorizationAuthority::new(authority.0, authority.1)
                .map_err(|error| unfit(&directory, IndexRole::Authorization, &error))?
                .with_request_hash_of(self.request_hash.into());
            let mut peers = BTreeMap::new();
            for other in of_role(&directory, IndexRole::Enrolment) {
                let added = authority.add_enrolment_authority(&other.1);
                let added = added.map_err(|error| unfit_entry(&directory, other.0, &error))?;
                peers.insert(added.id(), self.peer()?);
            }
            let role = Role {
                authority,
                keys,
                registry,
            };
            authorities = authorities.with_authorization(role, peers);
        }
        Ok(authorities)
    }

    /// Where the enrolment authority is.
    fn peer(&self) -> Result<EnrolmentPeer, Failure> {
        match (&self.ea, self.role) {
            (Some(url), _) => {
                // Less than a station waits for its answer, which says then what is wrong.
                let limits = ClientLimits {
                    answer: Duration::from_secs(10),
                    ..ClientLimits::default()
                };
                let client = Client::new(url, limits);
                client.map(EnrolmentPeer::At).map_err(Failure::new)
            }
            (None, Served::Both) => Ok(EnrolmentPeer::Here),
            (None, _) => Err(Failure::new(
                "--role aa: give --ea URL, where the enrolment authority is",
            )),
        }
    }
}

/// An authority with its decryption key; its private keys; its memory.
type Loaded = (
    (Authority, waywarden_v2x_keys::KeyHandle),
    Box<Store>,
    Registry,
);

/// Loads the newest authority of a role.
fn loaded(
    directory: &Directory,
    role: IndexRole,
    passphrases: &mut Passphrases<'_>,
) -> Result<Loaded, Failure> {
    let entry = newest(directory, role)?;
    // Nothing is written: the form does not count.
    let mut workshop = Workshop::new(KeyWriter::Unencrypted)?;
    if entry.token.is_some() {
        return Err(Failure::new(format_args!(
            "{}: the key of {} is in a token, and a server takes keys from files: issue with \
             `waywarden pki issue --token` and `enrol --token`, or serve a PKI with keys in files",
            directory.path.display(),
            entry.name
        )));
    }
    let software = |_| Ok(KeyStoreName::Software);
    let token = TokenSource::default();
    let authority = workshop.authority(directory, entry, passphrases, software, &token)?;
    let file = entry.encryption_key.as_ref().ok_or_else(|| {
        let path = directory.file(&entry.certificate);
        Failure::new(format_args!(
            "{}: encryptionKey: there is no private key to open requests with",
            path.display()
        ))
    })?;
    let key = decryption_key(
        &directory.file(file),
        &mut workshop.store.software,
        passphrases,
    )?;
    let database = Database::open(&directory.path.join(DATABASE))?;
    let registry = Registry::new(
        database,
        registration::read_profile,
        RegistryLimits::default(),
    )?;
    let keys = Box::new(workshop.store.software);
    Ok(((authority, key), keys, registry))
}

fn newest(directory: &Directory, role: IndexRole) -> Result<&Entry, Failure> {
    directory.index.of_role(role).ok_or_else(|| {
        Failure::new(format_args!(
            "{}: has no {}; serve another --role",
            directory.path.display(),
            role.show(Shape::Etsi)
        ))
    })
}

/// The certificates of a role that can be read.
fn of_role<'d>(directory: &'d Directory, role: IndexRole) -> Vec<(&'d Entry, Vec<u8>)> {
    let entries = directory.index.entries.iter();
    let entries = entries.filter(|entry| entry.role == role);
    let read = |entry: &'d Entry| {
        let bytes = certificate(&directory.file(&entry.certificate)).ok()?;
        Some((entry, bytes))
    };
    entries.filter_map(read).collect()
}

fn unfit(directory: &Directory, role: IndexRole, error: &dyn std::fmt::Display) -> Failure {
    match newest(directory, role) {
        Ok(entry) => unfit_entry(directory, entry, error),
        Err(failure) => failure,
    }
}

fn unfit_entry(directory: &Directory, entry: &Entry, error: &dyn std::fmt::Display) -> Failure {
    let path = directory.file(&entry.certificate);
    Failure::new(format_args!("{}: {error}", path.display()))
}

/// The certificates of the authorities, as one list.
fn certificates(directory: &Directory) -> Result<Vec<u8>, Failure> {
    let entries = directory.index.entries.iter();
    let authorities = entries.filter(|entry| entry.role.is_authority());
    let all = authorities.map(|entry| certificate(&directory.file(&entry.certificate)));
    let all = all.collect::<Result<Vec<_>, _>>()?;
    let views = all.iter().map(|one| parse::<Certificate<'_>>(one));
    let views = views.collect::<Result<Vec<_>, _>>().map_err(Failure::new)?;
    let list = SequenceOf::<_, 0>::new(&views);
    let list = list.ok_or_else(|| Failure::new("a list may be empty"))?;
    written(&list).map_err(Failure::new)
}

/// Returns what anyone may have: certificates of when the server began, lists of now.
fn document(folder: &Path, certificates: &[u8], document: Document) -> Option<Vec<u8>> {
    let list = |id: HashedId8, end: &str| {
        let path = folder.join(TRUST).join(format!("{}.{end}", show_id(id)));
        // What a link leads to is nothing that anyone may have.
        if !path.symlink_metadata().ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        let read = File::open(path)
            .ok()?
            .take(LIST_MAX + 1)
            .read_to_end(&mut bytes);
        (read.ok()? as u64 <= LIST_MAX).then_some(bytes)
    };
    match document {
        Document::TrustList(id) => list(id, "ctl"),
        Document::RevocationList(id) => list(id, "crl"),
        Document::Certificates => Some(certificates.to_vec()),
    }
}

fn log(line: &str) {
    // The peer chooses a part of it. A log that is closed is no reason to end.
    let line = format!("{} {}\n", time::show(time::now()), plain(line));
    let _ = io::stderr().write_all(line.as_bytes());
}
