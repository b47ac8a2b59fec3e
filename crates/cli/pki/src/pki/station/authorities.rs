//! The authorities that a station asks, and what it asks them with.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use waywarden_command_line::answers;
use waywarden_command_line::exit::Failure;
use waywarden_ecverify::Curve;
use waywarden_v2x_borders::CountryBorders;
use waywarden_v2x_input::certificates::Trust;
use waywarden_v2x_input::time;
use waywarden_v2x_keys::Uses;
use waywarden_v2x_pki::enrolment::{Requester, ssp};
use waywarden_v2x_pki::{Contents, Region, SspPermission};
use waywarden_v2x_security::{Capacity, Verified, Verifier};
use waywarden_v2x_signing::Credential;
use waywarden_v2x_wire::coer::{SequenceOf, parse};
use waywarden_v2x_wire::etsi103097::its_aid::CERTIFICATE_REQUEST;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, Duration, Psid, Time32, Time64};

use super::super::issue::Period;
use super::super::requests::Requests;
use super::super::{registration, show};
use super::{EARLIER, Station, TICKETS_MAX, TIMEOUT_MAX};
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::INDEX;
use waywarden_pki_folder::index::KeyForm;
use waywarden_pki_folder::passphrase::{NewPassphrase, Passphrase, Passphrases};
use waywarden_pki_folder::permission::{PsidPermission, permission};
use waywarden_pki_folder::{key_file, validity};

/// Requests of a station to a server.
#[derive(Debug, clap::Args)]
pub(crate) struct Remote {
    /// Ask the server at this URL, as a station. DIR is the folder of the station then.
    #[arg(long, value_name = "URL", requires_all = ["id", "key", "trust"])]
    #[arg(conflicts_with = "token")]
    pub(crate) from: Option<String>,
    /// The canonical identifier that is registered.
    #[arg(long, value_name = "CANONICAL", requires = "from", value_parser = registration::id)]
    pub(super) id: Option<String>,
    /// The canonical private key.
    #[arg(long, value_name = "FILE", requires = "from")]
    pub(super) key: Option<PathBuf>,
    /// A folder with the certificate of the root that the station trusts.
    #[arg(long, value_name = "DIR", requires = "from")]
    pub(super) trust: Option<PathBuf>,
    /// Number of authorization tickets: 0 to 1000.
    #[arg(long, requires = "from", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=TICKETS_MAX))]
    pub(super) tickets: u32,
    /// Ask for a new credential, with the one that the station has.
    #[arg(long, requires = "from")]
    pub(super) renew: bool,
    /// Permissions of the tickets [default: CAM and DENM].
    #[arg(long, value_name = "APPLICATION[:BITMAP]", requires = "from", value_parser = permission)]
    pub(super) psid: Vec<PsidPermission>,
    /// Timeout of one request, in seconds: 1 to 3600.
    #[arg(long, value_name = "SECONDS", requires = "from", default_value_t = 60)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=TIMEOUT_MAX))]
    pub(super) timeout: u32,
    /// Time that the tickets are for [default: now]. The server moves their beginning to that of a
    /// week, or of the cell of its grid: ask for those of the next week beforehand.
    #[arg(long, value_name = "TIME", requires = "from", value_parser = time::parse_time)]
    pub(super) ticket_start: Option<Time64>,
    /// Longest validity of a ticket [default: 168h].
    #[arg(long, value_name = "DURATION", requires = "from", value_parser = validity::duration)]
    pub(super) ticket_validity: Option<Duration>,
}

/// Options of the command beside it.
pub(crate) struct Asked<'a> {
    /// The folder of the station.
    pub(crate) folder: &'a Path,
    pub(crate) name: &'a str,
    /// Validity period of the credential.
    pub(crate) period: &'a Period,
    pub(crate) region: Option<&'a Region>,
    pub(crate) passphrase: &'a NewPassphrase,
}

impl Asked<'_> {
    /// Returns the contents of the requested credential.
    fn contents(&self, authorities: &Authorities) -> Result<Contents, Failure> {
        let from = match self.period.start {
            Some(from) => validity::start(from).map_err(Failure::new)?,
            None => start(&[&authorities.enrolment])?,
        };
        let duration = self.period.validity.unwrap_or(Duration::Years(3));
        let mut contents = Contents::new(from, duration);
        contents.region = self.region.cloned();
        Ok(contents.permitting(CERTIFICATE_REQUEST, &ssp::ENROLMENT_CREDENTIAL))
    }
}

/// The authorities, as their certificates say.
pub(super) struct Authorities {
    pub(super) verifier: Verifier,
    pub(super) root: Arc<Verified>,
    pub(super) enrolment: Arc<Verified>,
    pub(super) authorization: Option<Arc<Verified>>,
}

impl Remote {
    /// Enrols the station unless it has a credential, gets its tickets, and shows what it got.
    pub(crate) fn enrol(&self, url: &str, asked: &Asked<'_>) -> Result<(), Failure> {
        let (Some(id), Some(key), Some(trust)) = (&self.id, &self.key, &self.trust) else {
            return Err(Failure::new("--from: give --id, --key and --trust, too"));
        };
        let client = Requests::new(url, self.timeout)?;
        let authorities = Authorities::ask(&client, url, trust)?;
        let directory = match asked.folder.join(INDEX).exists() {
            true => Some(PkiDirectory::open_to_change(asked.folder)?),
            false => None,
        };
        let mut passphrases = Passphrases::new(&asked.passphrase.source);
        let passphrase = passphrase(asked, directory.as_ref(), key, &mut passphrases)?;
        let mut station = Station::open(asked.folder, directory, passphrase.as_ref())?;
        let before = station.index.entries.len();
        let name = format!("{}-credential", asked.name);
        let held = station.credential(&name, &mut passphrases)?;
        // That of an authority that was renewed since is of no use to the new one.
        let held = held.filter(|held| authorities.issued(held));
        let credential = match held {
            Some(credential) if !self.renew => credential,
            held => {
                let canonical = key_file::read(key, Some(Curve::P256), &mut passphrases)?;
                let canonical = station
                    .workshop
                    .store
                    .software
                    .import(&canonical, Uses::SIGN);
                let requester = match &held {
                    Some(credential) => Requester::Enrolled(credential),
                    None => Requester::Registered {
                        canonical_id: id.as_bytes(),
                        key: canonical.map_err(Failure::new)?,
                    },
                };
                let contents = asked.contents(&authorities)?;
                station.enrol(&client, &authorities, requester, &name, &contents)?
            }
        };
        station.keep_authorities(&authorities)?;
        let done = self.fill(&client, &authorities, &mut station, &credential, asked.name);
        // What was issued is kept even where a later request was refused.
        let written = station.write();
        if let Some(directory) = &station.directory {
            let mut out = answers::out();
            for entry in station.index.entries.iter().skip(before) {
                show::entry(&mut out, directory, entry, 0)?;
            }
        }
        written.and(done)
    }

    /// Gets the tickets.
    fn fill(
        &self,
        client: &Requests,
        authorities: &Authorities,
        station: &mut Station<'_>,
        credential: &Credential,
        name: &str,
    ) -> Result<(), Failure> {
        if self.tickets == 0 {
            return Ok(());
        }
        let authority = authorities.authorization.as_ref().ok_or_else(|| {
            Failure::new("the server has no authorization authority: ask for no --tickets")
        })?;
        let validity = self.ticket_validity.unwrap_or(Duration::Hours(168));
        let from = match self.ticket_start {
            Some(from) => validity::start(from).map_err(Failure::new)?,
            None => start(&[authority, credential.certificate()])?,
        };
        let mut contents = Contents::new(from, validity);
        contents.permissions = permissions(&self.psid);
        for _ in 0..self.tickets {
            station.ticket(client, authorities, authority, credential, name, &contents)?;
        }
        Ok(())
    }
}

/// Returns the passphrase of the station's keys: of those that it has, or for new ones.
pub(super) fn passphrase(
    asked: &Asked<'_>,
    directory: Option<&PkiDirectory>,
    key: &Path,
    passphrases: &mut Passphrases<'_>,
) -> Result<Option<Passphrase>, Failure> {
    let Some(directory) = directory else {
        return asked.passphrase.chosen();
    };
    if directory.index.keys != KeyForm::Encrypted {
        return Ok(None);
    }
    // A key that is there proves the passphrase, as `pki issue` has it.
    let mut own = directory
        .index
        .entries
        .iter()
        .filter_map(|one| one.key.as_ref());
    let proof = own.next().map(|own| directory.file(own));
    let proof = proof.as_deref().unwrap_or(key);
    key_file::read(proof, Some(Curve::P256), passphrases)?;
    passphrases.existing(proof).map(|one| Some(one.copy()))
}

fn permissions(psid: &[PsidPermission]) -> Vec<(Psid, SspPermission)> {
    let usual = ["CAM", "DENM"].into_iter();
    let usual: Vec<PsidPermission> = usual.filter_map(|text| permission(text).ok()).collect();
    let given = if psid.is_empty() { &usual } else { psid };
    given.iter().cloned().map(|one| (one.0, one.1)).collect()
}

/// Returns the start of a certificate: a little before now, and not before those that it rests on.
pub(super) fn start(below: &[&Verified]) -> Result<Time32, Failure> {
    let earlier = Time64(time::now().0.saturating_sub(EARLIER));
    let from = below.iter().map(|one| one.validity().0);
    validity::start(from.fold(earlier, Time64::max)).map_err(Failure::new)
}

impl Authorities {
    /// Returns true if the enrolment authority issued a credential.
    fn issued(&self, credential: &Credential) -> bool {
        let issuer = credential.certificate().issuer();
        issuer.is_some_and(|issuer| issuer.id() == self.enrolment.id())
    }

    /// Returns the curve of new keys: that of the enrolment authority.
    pub(super) fn curve(&self) -> Result<Curve, Failure> {
        let key = self.enrolment.public_key();
        let key = key.ok_or_else(|| Failure::new("the enrolment authority has no key"))?;
        Ok(key.curve())
    }

    /// Gets the certificates of a server, and takes those below a trusted root.
    fn ask(client: &Requests, url: &str, trust: &Path) -> Result<Self, Failure> {
        let mut verifier = Verifier::new(Capacity {
            table_bytes: 0,
            ..Capacity::DEFAULT
        })
        .with_borders(CountryBorders::new());
        Trust::load(trust, &mut verifier)?;
        let list = client.get("/certificates")?;
        let list: SequenceOf<'_, Certificate<'_>> = parse(&list)
            .map_err(|error| Failure::new(format_args!("{url}: /certificates: {error}")))?;
        let mut below = Vec::new();
        for certificate in &list {
            let certificate = certificate.map_err(Failure::new)?;
            let bytes = certificate.bytes().unwrap_or_default();
            // What does not verify is of another root, or of none.
            below.extend(verifier.add_certificate(bytes));
        }
        let now = time::now();
        let is_valid = |one: &&Arc<Verified>| {
            let (start, end) = one.validity();
            (start..end).contains(&now)
        };
        // The newest stands last.
        let newest = |bit| {
            let mut all = below.iter().rev().filter(is_valid);
            all.find(|one| ssp::permits(one, bit)).cloned()
        };
        let enrolment = newest(ssp::ENROLMENT_RESPONSE).ok_or_else(|| {
            Failure::new(format_args!(
                "{url}: has no enrolment authority below a root of {}",
                trust.display()
            ))
        })?;
        let root = enrolment.issuer().cloned().ok_or_else(|| {
            Failure::new(format_args!("{url}: the enrolment authority has no issuer"))
        })?;
        Ok(Self {
            authorization: newest(ssp::AUTHORIZATION_RESPONSE),
            verifier,
            root,
            enrolment,
        })
    }
}
