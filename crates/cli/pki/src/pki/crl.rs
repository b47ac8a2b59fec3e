//! `waywarden pki crl`: a signed revocation list of IEEE 1609.2.

use std::path::PathBuf;

use waywarden_v2x_pki::crl::{Crl, CrlEntries};
use waywarden_v2x_pki::pseudonym::Period;
use waywarden_v2x_wire::ieee1609dot2::{Duration, IValue, Time32, Time64};

use super::clock;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files::OutputFile;
use waywarden_command_line::messages;
use waywarden_pki_authorities::list::{self, List};
use waywarden_pki_authorities::list_time::Making;
use waywarden_pki_authorities::pseudonyms::{holders, unlistable};
use waywarden_pki_authorities::revoked_seeds::SeedsFile;
use waywarden_pki_authorities::specification::CRL_SERIES;
use waywarden_pki_authorities::{root_crl, root_list};
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::{CertificateShape, HolderRole, Index};
use waywarden_pki_folder::passphrase::{PassphraseSource, Passphrases};
use waywarden_pki_folder::random;
use waywarden_pki_folder::token::TokenSource;
use waywarden_pki_folder::{transaction, validity};
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
/// Receivers take the latest full list for the whole one, so add --delta where both kinds of
/// command are used.
///
/// Each list is verified as a receiver would before it is written. Receivers may skip a list that
/// is older than the one they have: if the clock is behind the time of the list before, no list is
/// made, and the error has both times.
///
/// Exit code 0 if all were written, 2 if not.
#[derive(Debug, clap::Args)]
#[command(name = "crl", after_long_help = EXAMPLES)]
pub(crate) struct CrlCommand {
    /// The folder of the PKI.
    dir: PathBuf,
    /// The file for the list; one by linkage values goes beside it. A file that is there is
    /// replaced; a symbolic link is refused.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Revoke by the linkage seeds in this file (TOML), not by hash.
    #[arg(long, value_name = "FILE")]
    seeds: Option<PathBuf>,
    /// Only what no list has yet; with --seeds: the file has only that.
    #[arg(long)]
    delta: bool,
    /// Make a list although the one before is of a later time: the clock was ahead, and no receiver
    /// has that list.
    #[arg(long, conflicts_with = "delta")]
    discard_later: bool,
    /// Time from now until the next list is due: at most 100y.
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
        let directory = PkiDirectory::open_to_change(&self.dir)?;
        let mut passphrases = Passphrases::new(&self.passphrase);
        if directory.index.shape == CertificateShape::Etsi {
            self.check_etsi()?;
            let mut directory = directory;
            if self.discard_later {
                directory.index.discard_later_crls(clock::now());
            }
            let (output, token) = (&self.output, &self.token);
            root_crl::make(
                &directory,
                clock::CLOCK,
                output,
                self.next,
                &mut passphrases,
                token,
            )?;
            return Ok(Answer::Yes);
        }
        let path = directory.path.display();
        let signer = directory
            .index
            .of_role(HolderRole::CrlSigner)
            .ok_or_else(|| {
                Failure::new(format_args!(
                    "{path}: has no CRL generator; `waywarden pki init --us` makes a PKI with one"
                ))
            })?;
        let token = &self.token;
        let signer = root_list::credential(&directory, signer, &mut passphrases, token)?;
        let (mut store, credential) = signer;
        let craca = credential.certificate().issuer().map(|root| root.id());
        let craca = craca.ok_or_else(|| Failure::new("the CRL generator has no issuer"))?;
        let mut index = directory.index.clone();
        if self.discard_later {
            index.discard_later_crls(clock::now());
        }
        let seeds = self.seeds.as_deref().map(SeedsFile::read).transpose()?;
        let issue_date = self.issue_date(&directory, &index, seeds.as_ref())?;
        let next = Time64(u64::from(issue_date.0) * 1_000_000 + self.next.microseconds());
        let (lists, unlisted) = match seeds {
            Some(entries) => (vec![self.of_seeds(&mut index, entries, issue_date)?], None),
            None => self.lists(&directory, &mut index, &mut passphrases, issue_date)?,
        };
        let mut outputs = Vec::new();
        for List { path, entries, .. } in &lists {
            let crl = Crl {
                craca,
                series: CRL_SERIES,
                issue_date,
                next_crl: validity::start(next).map_err(Failure::new)?,
                is_full: !self.delta,
                entries: entries.clone(),
            };
            let signed = crl.sign(&mut store, &credential, &mut random::seeds()?);
            let failed = |error| Failure::new(format_args!("{}: {error}", path.display()));
            outputs.push(root_list::written(path, &signed.map_err(failed)?)?);
        }
        publish(&directory, &mut index, outputs, |index| {
            lists.iter().for_each(|list| list.mark(index, !self.delta));
        })?;
        for list in &lists {
            messages::status(format_args!(
                "{}: revokes {}; the next list is due {}",
                list.path.display(),
                list.words(),
                time::show(next)
            ));
        }
        match unlisted {
            Some(why) => Err(why.prefixed("no list by linkage values was made: ")),
            None => Ok(Answer::Yes),
        }
    }

    /// Returns the time of the lists, which is later than that of those before of their kinds.
    fn issue_date(
        &self,
        directory: &PkiDirectory,
        index: &Index,
        seeds: Option<&CrlEntries>,
    ) -> Result<Time32, Failure> {
        let making = |list, before| Making {
            clock: clock::CLOCK,
            folder: &directory.path,
            list,
            before,
        };
        if seeds.is_none() {
            making("revocation list by hash", index.crl_time()).time(|_| true)?;
        }
        let has_linked = seeds.is_some() || !index.revoked_vehicles.is_empty();
        let list = "revocation list by linkage values";
        let before = index.linked_time().filter(|_| has_linked);
        let time = making(list, before).time(|now| {
            let second = u32::try_from(now.0 / 1_000_000).unwrap_or(u32::MAX);
            let (week, number) = match seeds {
                Some(CrlEntries::Holders { i_rev, index, .. }) => (i_rev.0, *index),
                _ => {
                    let week = Period::at(now).unwrap_or(Period::LAST).0;
                    (week, index.linked_number(week))
                }
            };
            !has_linked || index.is_newest_linked((second, week, number))
        })?;
        validity::start(time).map_err(Failure::new)
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

    /// Returns the list of the holders in a file of seeds. The index has its time then.
    fn of_seeds(
        &self,
        index: &mut Index,
        entries: CrlEntries,
        issued: Time32,
    ) -> Result<List, Failure> {
        if let CrlEntries::Holders {
            i_rev,
            index: number,
            ..
        } = &entries
        {
            index.number_linked((issued.0, i_rev.0, *number), true, !self.delta)?;
        }
        Ok(List::new(&self.output, entries))
    }

    /// Returns what the lists revoke, and where each goes; the index has their numbers then. The
    /// list by hash is made in any case: the second value is the reason against the other one.
    fn lists(
        &self,
        directory: &PkiDirectory,
        index: &mut Index,
        passphrases: &mut Passphrases<'_>,
        issued: Time32,
    ) -> Result<(Vec<List>, Option<Failure>), Failure> {
        let serial = index.number_crl(issued);
        let revoked = list::revoked(directory, self.delta, issued)?;
        let (ids, certificates) = revoked.into_iter().unzip();
        let by_hash = CrlEntries::Certificates {
            serial,
            certificates,
        };
        let mut lists = vec![List {
            ids,
            ..List::new(&self.output, by_hash)
        }];
        if index.revoked_vehicles.is_empty() {
            return Ok((lists, None));
        }
        let unlisted = unlistable(directory)?;
        if unlisted.is_none() {
            lists.push(self.linked(directory, index, passphrases, issued)?);
        }
        Ok((lists, unlisted))
    }

    /// Returns the list by linkage values. All its seeds are of the current week: those of an
    /// earlier one would make known what vehicles sent before they were revoked.
    fn linked(
        &self,
        directory: &PkiDirectory,
        index: &mut Index,
        passphrases: &mut Passphrases<'_>,
        issued: Time32,
    ) -> Result<List, Failure> {
        let path = list::linked_output(&self.output)?;
        let week = Period::at(Time64(u64::from(issued.0) * 1_000_000));
        let week = week.ok_or_else(|| Failure::new("the clock: certificates end before 2140"))?;
        let revoked = holders(directory, passphrases, week, self.delta)?;
        let number = index.linked_number(week.0);
        index.number_linked((issued.0, week.0, number), false, !self.delta)?;
        let entries = CrlEntries::Holders {
            i_rev: IValue(week.0),
            index: number,
            holders: revoked.holders,
            groups: Vec::new(),
        };
        Ok(List {
            unconfirmed: revoked.unconfirmed,
            vehicles: revoked.names,
            ..List::new(&path, entries)
        })
    }
}

/// Puts lists that could be written in their places, and notes in the index that they are made.
///
/// Their numbers are committed before: better a number without a list than two lists with one
/// number. Only lists in their places count as made: of a command that was ended between, the next
/// delta list has all that its lists have.
fn publish(
    directory: &PkiDirectory,
    index: &mut Index,
    outputs: Vec<OutputFile>,
    mark: impl FnOnce(&mut Index),
) -> Result<(), Failure> {
    transaction::commit(&directory.path, &[], index)?;
    for output in outputs {
        output.finish_durably()?;
    }
    mark(index);
    transaction::commit(&directory.path, &[], index)
}
