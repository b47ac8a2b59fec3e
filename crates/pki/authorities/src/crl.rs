//! Signed revocation lists: of IEEE 1609.2 for an American PKI, of TS 102 941 for a European root.

use std::path::Path;

use waywarden_command_line::exit::Failure;
use waywarden_command_line::files::OutputFile;
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::{CertificateShape, HolderRole, Index};
use waywarden_pki_folder::passphrase::Passphrases;
use waywarden_pki_folder::token::TokenSource;
use waywarden_pki_folder::{random, transaction, validity};
use waywarden_v2x_pki::crl::{Crl, CrlEntries};
use waywarden_v2x_pki::pseudonym::Period;
use waywarden_v2x_wire::ieee1609dot2::{IValue, Time32, Time64};

use crate::clock::Clock;
use crate::error::PkiError;
use crate::list::{self, List};
use crate::list_time::Making;
use crate::note::Notes;
use crate::pseudonyms::{holders, unlistable};
use crate::revocation_lists::{MadeCrls, NewCrl};
use crate::revoked_seeds::SeedsFile;
use crate::specification::CRL_SERIES;
use crate::{root_crl, root_list};

/// Makes and signs the revocation lists of a PKI. Each is verified as a receiver would before it is
/// written; numbers are committed before lists are in their places.
///
/// # Errors
/// [`PkiError`] if a later list was made before, for a wrong passphrase, for settings that the
/// shape does not have, and for what the operating system refuses; no list is made then.
pub fn make_crl(
    folder: &Path,
    new: &NewCrl,
    clock: Clock,
    passphrases: &mut Passphrases<'_>,
    token: &TokenSource,
    notes: Notes<'_>,
) -> Result<MadeCrls, PkiError> {
    if new.is_delta && new.discard_later {
        return Err(PkiError::new(
            "--discard-later: is for full lists; leave --delta out",
        ));
    }
    let mut directory = PkiDirectory::open_to_change(folder)?;
    if directory.index.shape == CertificateShape::Etsi {
        new.check_etsi(folder)?;
        if new.discard_later {
            directory.index.discard_later_crls(clock.now());
        }
        return Ok(root_crl::make(&directory, clock, new, passphrases, token)?);
    }
    let made = Lists {
        new,
        clock,
        directory,
    };
    Ok(made.make(passphrases, token, notes)?)
}

impl NewCrl {
    /// A list of TS 102 941 has authorities by their certificates, and all that are revoked.
    fn check_etsi(&self, folder: &Path) -> Result<(), Failure> {
        let refused = |option: &str, why: &str| {
            Err(Failure::new(format_args!(
                "{option}: {} was not made with --us: a list of ETSI TS 102 941 {why}",
                folder.display()
            )))
        };
        match (&self.seeds, self.is_delta) {
            (Some(_), _) => refused("--seeds", "has authorities, and no seeds"),
            (None, true) => refused("--delta", "is full"),
            (None, false) => Ok(()),
        }
    }
}

/// The lists of an American PKI.
struct Lists<'n> {
    new: &'n NewCrl,
    clock: Clock,
    directory: PkiDirectory,
}

impl Lists<'_> {
    fn make(
        &self,
        passphrases: &mut Passphrases<'_>,
        token: &TokenSource,
        notes: Notes<'_>,
    ) -> Result<MadeCrls, Failure> {
        let directory = &self.directory;
        let path = directory.path.display();
        let signer = directory.index.of_role(HolderRole::CrlSigner);
        let signer = signer.ok_or_else(|| {
            Failure::new(format_args!(
                "{path}: has no CRL generator; `waywarden pki init --us` makes a PKI with one"
            ))
        })?;
        let (mut store, credential) = root_list::credential(directory, signer, passphrases, token)?;
        let craca = credential.certificate().issuer().map(|root| root.id());
        let craca = craca.ok_or_else(|| Failure::new("the CRL generator has no issuer"))?;
        let mut index = directory.index.clone();
        if self.new.discard_later {
            index.discard_later_crls(self.clock.now());
        }
        let seeds = self.new.seeds.as_deref().map(SeedsFile::read).transpose()?;
        let issue_date = self.issue_date(&index, seeds.as_ref())?;
        let next = Time64(u64::from(issue_date.0) * 1_000_000 + self.new.next.microseconds());
        let (lists, unlisted) = match seeds {
            Some(entries) => (vec![self.of_seeds(&mut index, entries, issue_date)?], None),
            None => self.lists(&mut index, passphrases, issue_date, notes)?,
        };
        let (mut outputs, mut made) = (Vec::new(), Vec::new());
        for list in &lists {
            let crl = Crl {
                craca,
                series: CRL_SERIES,
                issue_date,
                next_crl: validity::start(next).map_err(Failure::new)?,
                is_full: !self.new.is_delta,
                entries: list.entries.clone(),
            };
            let signed = crl.sign(&mut store, &credential, &mut random::seeds()?);
            let place = list.path.as_deref().unwrap_or(&directory.path).display();
            let failed = |error| Failure::new(format_args!("{place}: {error}"));
            let bytes = signed.map_err(failed)?;
            if let Some(path) = &list.path {
                outputs.push(root_list::written(path, &bytes)?);
            }
            made.push(list.made(bytes));
        }
        publish(directory, &mut index, outputs, |index| {
            let lists = lists.iter();
            lists.for_each(|list| list.mark(index, !self.new.is_delta));
        })?;
        Ok(MadeCrls {
            lists: made,
            next,
            unlisted,
        })
    }

    /// Returns the time of the lists, which is later than that of those before of their kinds.
    fn issue_date(&self, index: &Index, seeds: Option<&CrlEntries>) -> Result<Time32, Failure> {
        let making = |list, before| Making {
            clock: self.clock,
            folder: &self.directory.path,
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
            let is_full = !self.new.is_delta;
            index.number_linked((issued.0, i_rev.0, *number), true, is_full)?;
        }
        Ok(List::new(self.new.output.clone(), entries))
    }

    /// Returns what the lists revoke, and where each goes; the index has their numbers then. The
    /// list by hash is made in any case: the second value is the reason against the other one.
    fn lists(
        &self,
        index: &mut Index,
        passphrases: &mut Passphrases<'_>,
        issued: Time32,
        notes: Notes<'_>,
    ) -> Result<(Vec<List>, Option<PkiError>), Failure> {
        let serial = index.number_crl(issued);
        let revoked = list::revoked(&self.directory, self.new.is_delta, issued)?;
        let (ids, certificates) = revoked.into_iter().unzip();
        let by_hash = CrlEntries::Certificates {
            serial,
            certificates,
        };
        let mut lists = vec![List {
            ids,
            ..List::new(self.new.output.clone(), by_hash)
        }];
        if index.revoked_vehicles.is_empty() {
            return Ok((lists, None));
        }
        let unlisted = unlistable(&self.directory)?;
        if unlisted.is_none() {
            lists.push(self.linked(index, passphrases, issued, notes)?);
        }
        Ok((lists, unlisted))
    }

    /// Returns the list by linkage values. All its seeds are of the current week: those of an
    /// earlier one would make known what vehicles sent before they were revoked.
    fn linked(
        &self,
        index: &mut Index,
        passphrases: &mut Passphrases<'_>,
        issued: Time32,
        notes: Notes<'_>,
    ) -> Result<List, Failure> {
        let (directory, is_delta) = (&self.directory, self.new.is_delta);
        let path = self.new.output.as_deref().map(list::linked_output);
        let path = path.transpose()?;
        let week = Period::at(Time64(u64::from(issued.0) * 1_000_000));
        let week = week.ok_or_else(|| Failure::new("the clock: certificates end before 2140"))?;
        let revoked = holders(directory, passphrases, week, is_delta, notes)?;
        let number = index.linked_number(week.0);
        index.number_linked((issued.0, week.0, number), false, !is_delta)?;
        let entries = CrlEntries::Holders {
            i_rev: IValue(week.0),
            index: number,
            holders: revoked.holders,
            groups: Vec::new(),
        };
        Ok(List {
            unconfirmed: revoked.unconfirmed,
            vehicles: revoked.names,
            ..List::new(path, entries)
        })
    }
}

/// Puts lists that could be written in their places, and notes in the index that they are made.
///
/// Their numbers are committed before: better a number without a list than two lists with one
/// number. Only lists in their places count as made: of a call that was ended between, the next
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
