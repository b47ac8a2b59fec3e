//! `waywarden pki revoke`: certificates that the next revocation list has.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::Certificate;

use super::clock;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain;
use waywarden_pki_authorities::pseudonyms::{KnownVehicles, unlistable};
use waywarden_pki_authorities::root_list;
use waywarden_pki_folder::directory::{PkiDirectory, certificate};
use waywarden_pki_folder::index::{
    CertificateShape, HolderRole, IndexEntry, RevokedVehicle, show_id,
};
use waywarden_pki_folder::{transaction, validity};
use waywarden_v2x_input::certificates::id_of;

const EXAMPLES: &str = "\
Examples:
  waywarden pki revoke my-pki car1               # all certificates of the name, and its pseudonyms
  waywarden pki revoke my-pki 8082cb0fb4263789   # this one
  waywarden pki revoke my-pki found.oer
  waywarden pki crl my-pki -o list.oer           # makes the list";

/// Revoke certificates and vehicles of a PKI: the next lists that `pki crl` makes have them.
///
/// A certificate is revoked by its hash. A vehicle that `pki pseudonyms` issued to is revoked by
/// linkage: all its pseudonyms from the week of the list on. A name may have both. No passphrase is
/// needed, and a revocation is not taken back.
///
/// A PKI made with --us has a CRL generator, and its certificates name the root as the CRACA that
/// revokes them. Of a European PKI, authorities right below the root are revoked. Its tickets and
/// credentials are on no list: tickets run out, and `pki register --block` refuses new ones.
///
/// Exit code 0 if they are revoked, also if they were before; 2 if not, and none is then.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Revoke {
    /// The folder of the PKI.
    dir: PathBuf,
    /// Names of stations, authorities or vehicles; HashedId8s, or files with a certificate.
    #[arg(required = true, value_name = "NAME|FILE")]
    certificates: Vec<String>,
}

impl Revoke {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let directory = PkiDirectory::open_to_change(&self.dir)?;
        let mut index = directory.index.clone();
        if index.shape == CertificateShape::Us && index.of_role(HolderRole::CrlSigner).is_none() {
            return Err(Failure::new(format_args!(
                "{}: has no CRL generator, and its certificates name no CRACA; make a PKI whose \
                 certificates can be revoked with `waywarden pki init --us`",
                self.dir.display()
            )));
        }
        let now = validity::start(clock::now()).map_err(Failure::new)?.0;
        let known = KnownVehicles::open(&directory)?;
        let (mut ids, mut vehicles) = (Vec::new(), Vec::new());
        for name in &self.certificates {
            let is_vehicle = known.has(name)?;
            if is_vehicle {
                vehicles.push(name.as_str());
            }
            // The name of a vehicle may be that of certificates, too, and is that of no file.
            if !is_vehicle || directory.index.find(name).is_some() {
                ids.extend(self::ids(&directory, &known, name)?);
            }
        }
        // Reported once it is on the medium.
        let mut report = Vec::new();
        for entry in index.entries.iter_mut().filter(|one| ids.contains(&one.id)) {
            let state = match entry.revoked {
                None => "revoked",
                Some(_) => "was revoked before",
            };
            entry.revoked.get_or_insert(now);
            let (name, id) = (plain(&entry.name), plain(&entry.id));
            report.push(format!("{name}, HashedId8 {id}: {state}"));
        }
        for name in &vehicles {
            let state = match index.has_revoked_vehicle(name) {
                true => "were revoked before",
                false => "revoked",
            };
            if !index.has_revoked_vehicle(name) {
                index.revoked_vehicles.push(RevokedVehicle {
                    name: (*name).to_owned(),
                    revoked: now,
                    listed: false,
                });
            }
            report.push(format!("{}, pseudonyms: {state}", plain(name)));
        }
        transaction::commit(&directory.path, &[], &index)?;
        let mut out = super::stdout();
        for line in report {
            writeln!(out, "{line}")?;
        }
        out.flush()?;
        if !vehicles.is_empty()
            && let Some(why) = unlistable(&directory)?
        {
            warn("no list will have these pseudonyms", &why);
        }
        Ok(Answer::Yes)
    }
}

/// Prints a warning with its reasons.
pub(super) fn warn(consequence: &str, why: &Failure) {
    for line in why.lines() {
        messages::warning(format_args!("{consequence}: {}", plain(line)));
    }
}

/// The certificates that are meant; each can be on a list.
fn ids(
    directory: &PkiDirectory,
    known: &KnownVehicles,
    what: &str,
) -> Result<Vec<String>, Failure> {
    let entries = &directory.index.entries;
    let named: Vec<&IndexEntry> = entries.iter().filter(|one| one.name == what).collect();
    let found = match named.is_empty() {
        false => named,
        true if Path::new(what).is_file() => {
            let bytes = certificate(Path::new(what))?;
            let view: Certificate<'_> = parse(&bytes).map_err(Failure::new)?;
            let id = id_of(&view).map(show_id).unwrap_or_default();
            let issued = directory.index.of_id(&id).ok_or_else(|| {
                let path = directory.path.display();
                Failure::new(format_args!("{what}: {path} did not issue {id}"))
            })?;
            vec![issued]
        }
        true => match directory.index.find(what) {
            Some(entry) => vec![entry],
            None => return Err(known.unknown(directory, what)?),
        },
    };
    for entry in &found {
        check(directory, entry)?;
    }
    Ok(found.into_iter().map(|entry| entry.id.clone()).collect())
}

/// Checks that a certificate can be on a list: in Europe that of an authority right below the root,
/// elsewhere one that names a CRACA.
fn check(directory: &PkiDirectory, entry: &IndexEntry) -> Result<(), Failure> {
    let path = directory.file(&entry.certificate);
    if directory.index.shape == CertificateShape::Etsi {
        let root = root_list::root(directory)?;
        return match root_list::is_below(entry, root) {
            true => Ok(()),
            false => Err(Failure::new(format_args!(
                "{}: {} is no authority right below the root, and is on no list; none was revoked: \
                 `pki register --block` keeps a station from new tickets, and those that it has \
                 run out",
                path.display(),
                entry.name
            ))),
        };
    }
    let bytes = certificate(&path)?;
    let view: Certificate<'_> = parse(&bytes).map_err(Failure::new)?;
    match view.to_be_signed.craca_id.0 == [0; 3] {
        false => Ok(()),
        true => Err(Failure::new(format_args!(
            "{}: cracaId: {} names no CRACA, and is on no list; none was revoked",
            path.display(),
            entry.name
        ))),
    }
}
