//! `waywarden pki crl`: a signed revocation list of IEEE 1609.2.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use waywarden_v2x_pki::crl::{Crl, CrlEntries, RevokedCertificate};
use waywarden_v2x_pki::pseudonym::Period;
use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, Duration, IValue, Time32, Time64};

use super::directory::{Directory, certificate};
use super::index::{Entry, Index, LatestCrl, LatestLinkedCrl, Role, Shape};
use super::passphrase::{PassphraseSource, Passphrases};
use super::pseudonyms::holders;
use super::revoked_seeds::SeedsFile;
use super::specification::CRL_SERIES;
use super::token::TokenSource;
use super::{root_crl, root_list, transaction, validity};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files::Output;
use waywarden_command_line::messages;
use waywarden_command_line::random;
use waywarden_v2x_input::time;

const EXAMPLES: &str = "\
Examples:
  waywarden pki revoke my-pki car1
  waywarden pki crl my-pki -o list.oer --passphrase-file secret.txt
  waywarden verify said.pcap --trust my-pki/trust --crl list.oer
  waywarden pki revoke my-pki vehicle1                # has pseudonyms
  waywarden pki crl my-pki -o list.oer                # makes list.linked.oer, too
  waywarden verify said.pcap --trust my-pki/trust --crl list.oer --crl list.linked.oer
  waywarden pki crl my-pki -o other.oer --seeds seeds.toml
  waywarden pki revoke european aa2
  waywarden pki crl european -o root.crl              # of ETSI TS 102 941

A file of seeds, all of period 130:
  i_rev = 130
  [[holder]]
  seeds = [{ la = \"8e09\", seed = \"4840ed221502d9ab6786bf68fba9f210\" },
           { la = \"59ce\", seed = \"6b71a7eb5755f16e89981d2189a6daea\" }]
  j_max = 20
  i_max = 260";

/// Make and sign the revocation list of a PKI: of IEEE 1609.2, in series 1, for one made with --us;
/// of ETSI TS 102 941 for a European one.
///
/// That of a European PKI is signed by the root, and has the HashedId8 of each authority right
/// below it that `pki revoke` revoked and that has not expired. It is full; the list is put in the
/// folder as trust/HASHEDID8.crl, too, where `pki serve` gives it out. What follows is about --us.
///
/// Without --seeds the list has the hashes of all certificates that `pki revoke` revoked and that
/// have not expired. Where `pki revoke` revoked vehicles with pseudonyms, there is a second list,
/// by linkage values: of `list.oer` it is `list.linked.oer`. Its seeds are those of the current
/// week: messages of earlier weeks stay unlinkable, and are not refused.
///
/// With --seeds there is one list, which revokes the holders, or groups, of a file by linkage
/// values: a group is a table `[[group]]` with `seeds` and `i_max`. A holder has one seed or two.
/// A full list replaces the one before of its kind, so add --delta where both kinds of command are
/// used.
///
/// Each list is verified as a receiver would before it is written.
///
/// Exit code 0 if all were written, 2 if not.
#[derive(Debug, clap::Args)]
#[command(name = "crl", after_long_help = EXAMPLES)]
pub(crate) struct CrlCommand {
    /// The folder of the PKI.
    dir: PathBuf,
    /// Where the list goes; one by linkage values goes beside it. A file that is there is replaced;
    /// a symbolic link is refused.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Revoke by the linkage seeds in this file (TOML), not by hash.
    #[arg(long, value_name = "FILE")]
    seeds: Option<PathBuf>,
    /// Only what was revoked since the list before; with --seeds: the file has only that.
    #[arg(long)]
    delta: bool,
    /// When the next list is due, from now: at most 100y.
    #[arg(long, value_name = "DURATION", default_value = "24h")]
    #[arg(value_parser = validity::until_next)]
    next: Duration,
    #[command(flatten)]
    passphrase: PassphraseSource,
    #[command(flatten)]
    token: TokenSource,
}

impl CrlCommand {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let directory = Directory::open_to_change(&self.dir)?;
        let mut passphrases = Passphrases::new(&self.passphrase);
        if directory.index.shape == Shape::Etsi {
            self.check_etsi()?;
            let (output, token) = (&self.output, &self.token);
            root_crl::make(&directory, output, self.next, &mut passphrases, token)?;
            return Ok(Answer::Yes);
        }
        let path = directory.path.display();
        let signer = directory.index.of_role(Role::CrlSigner).ok_or_else(|| {
            Failure::new(format_args!(
                "{path}: has no CRL generator; `waywarden pki init --us` makes a PKI with one"
            ))
        })?;
        let token = &self.token;
        let signer = root_list::credential(&directory, signer, &mut passphrases, token)?;
        let (mut store, credential) = signer;
        let craca = credential.certificate().issuer().map(|root| root.id());
        let craca = craca.ok_or_else(|| Failure::new("the CRL generator has no issuer"))?;
        let issue_date = validity::start(time::now()).map_err(Failure::new)?;
        let next = Time64(u64::from(issue_date.0) * 1_000_000 + self.next.microseconds());
        let mut index = directory.index.clone();
        let mut lists = Vec::new();
        for list in self.lists(&directory, &mut index, &mut passphrases, issue_date)? {
            let what = list.words();
            let List { path, entries, .. } = list;
            let crl = Crl {
                craca,
                series: CRL_SERIES,
                issue_date,
                next_crl: validity::start(next).map_err(Failure::new)?,
                is_full: !self.delta,
                entries,
            };
            let list = crl.sign(&mut store, &credential, &mut random::seeds()?);
            let failed = |error| Failure::new(format_args!("{}: {error}", path.display()));
            let list = list.map_err(failed)?;
            let mut output = Output::create_unlinked(&path)?;
            output.write_all(&list).map_err(Failure::writing)?;
            output.flush().map_err(Failure::writing)?;
            lists.push((output, what, path));
        }
        // After all lists could be written, for a later delta list has not what this one has. And
        // before they are in place: better a number without a list than two lists with one number.
        transaction::commit(&directory.path, &[], &index)?;
        for (output, what, path) in lists {
            output.finish()?;
            messages::status(format_args!(
                "{}: revokes {what}; the next list is due {}",
                path.display(),
                time::show(next)
            ));
        }
        Ok(Answer::Yes)
    }

    /// A list of TS 102 941 has authorities by their certificates, and all that are revoked.
    fn check_etsi(&self) -> Result<(), Failure> {
        let refused = |option: &str, why: &str| {
            Err(Failure::new(format_args!(
                "{option}: {} was not made with --us: a list of ETSI TS 102 941 {why}",
                self.dir.display()
            )))
        };
        match (&self.seeds, self.delta) {
            (Some(_), _) => refused("--seeds", "has authorities, and no seeds"),
            (None, true) => refused("--delta", "is full"),
            (None, false) => Ok(()),
        }
    }

    /// What the lists revoke, and where each goes. The index has their numbers then.
    fn lists(
        &self,
        directory: &Directory,
        index: &mut Index,
        passphrases: &mut Passphrases<'_>,
        issued: Time32,
    ) -> Result<Vec<List>, Failure> {
        if let Some(path) = &self.seeds {
            return Ok(vec![List::new(&self.output, SeedsFile::read(path)?)]);
        }
        let latest = index.latest_crl;
        let since = latest.filter(|_| self.delta);
        let since = since.map_or(0, |latest| latest.issued);
        let serial = latest.map_or(0, |latest| latest.serial).wrapping_add(1);
        index.latest_crl = Some(LatestCrl {
            serial,
            issued: issued.0,
        });
        let certificates = revoked(directory, since, issued)?;
        let by_hash = CrlEntries::Certificates {
            serial,
            certificates,
        };
        let mut lists = vec![List::new(&self.output, by_hash)];
        if !index.revoked_vehicles.is_empty() {
            lists.push(self.linked(directory, index, passphrases, issued)?);
        }
        Ok(lists)
    }

    /// The list by linkage values. All its seeds are of the current week: those of an earlier one
    /// would make known what vehicles sent before they were revoked.
    fn linked(
        &self,
        directory: &Directory,
        index: &mut Index,
        passphrases: &mut Passphrases<'_>,
        issued: Time32,
    ) -> Result<List, Failure> {
        let path = linked_output(&self.output)?;
        let week = Period::at(Time64(u64::from(issued.0) * 1_000_000));
        let week = week.ok_or_else(|| Failure::new("the clock: certificates end before 2140"))?;
        let latest = index.latest_linked_crl;
        let revoked = holders(directory, passphrases, week, latest.filter(|_| self.delta))?;
        // Receivers order lists by their time first, so that the last number may be there twice.
        let same_week = latest.filter(|latest| latest.period == week.0);
        let number = same_week.map_or(0, |latest| latest.index.saturating_add(1));
        index.latest_linked_crl = Some(LatestLinkedCrl {
            period: week.0,
            index: number,
            vehicles: directory.index.revoked_vehicles.len(),
        });
        let entries = CrlEntries::Holders {
            i_rev: IValue(week.0),
            index: number,
            holders: revoked.holders,
            groups: Vec::new(),
        };
        Ok(List {
            unconfirmed: revoked.unconfirmed,
            ..List::new(&path, entries)
        })
    }
}

/// A list to be made.
struct List {
    /// Where it goes.
    path: PathBuf,
    entries: CrlEntries,
    /// How many of its holders have certificates that it does not revoke.
    unconfirmed: usize,
}

impl List {
    fn new(path: &Path, entries: CrlEntries) -> Self {
        Self {
            path: path.to_owned(),
            entries,
            unconfirmed: 0,
        }
    }

    /// What it revokes.
    fn words(&self) -> String {
        match &self.entries {
            CrlEntries::Certificates { certificates, .. } => {
                format!("{} certificates", certificates.len())
            }
            CrlEntries::Holders {
                i_rev,
                holders,
                groups,
                ..
            } => {
                let revoked = holders.len().saturating_sub(self.unconfirmed);
                let others = match self.unconfirmed {
                    0 => String::new(),
                    count => format!(", and not {count} holders whose certificates are others"),
                };
                format!(
                    "{revoked} holders and {} groups from period {} on{others}",
                    groups.len(),
                    i_rev.0
                )
            }
        }
    }
}

/// Where the list by linkage values goes: `list.linked.oer` for `list.oer`.
fn linked_output(output: &Path) -> Result<PathBuf, Failure> {
    let stem = output.file_stem().filter(|_| output != Path::new("-"));
    let stem = stem.ok_or_else(|| {
        Failure::new("--output: give the name of a file, beside which the list by linkage goes")
    })?;
    let mut name = stem.to_os_string();
    name.push(".linked");
    if let Some(extension) = output.extension() {
        name.push(".");
        name.push(extension);
    }
    Ok(output.with_file_name(name))
}

/// The certificates that were revoked since a time and have not expired.
fn revoked(
    directory: &Directory,
    since: u32,
    now: Time32,
) -> Result<Vec<RevokedCertificate>, Failure> {
    let mut certificates = Vec::new();
    let is_new = |one: &&Entry| one.revoked.is_some_and(|revoked| revoked >= since);
    for entry in directory.index.entries.iter().filter(is_new) {
        let path = directory.file(&entry.certificate);
        let bytes = certificate(&path)?;
        let view: Certificate<'_> = parse(&bytes).map_err(Failure::new)?;
        let end = view
            .to_be_signed
            .validity_period
            .end()
            .0
            .div_ceil(1_000_000);
        // The last moment that a list can say is in 2140.
        let expiry = Time32(u32::try_from(end).unwrap_or(u32::MAX));
        let digest = certificate_digest(&view)
            .ok_or_else(|| Failure::new(format_args!("{}: it has no hash", path.display())))?;
        if expiry > now {
            certificates.push(RevokedCertificate {
                id: digest.id_10(),
                expiry,
            });
        }
    }
    Ok(certificates)
}
