//! The revocation list of a European root: which of its authorities are revoked \[TS 102 941\].

use waywarden_v2x_pki::trust_list::RootCrl;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, HashedId8, Time32, Time64};

use super::clock::Clock;
use super::list_time::Making;
use super::revocation_lists::{CrlKind, MadeCrl, MadeCrls, NewCrl};
use super::root_list;
use waywarden_command_line::exit::Failure;
use waywarden_pki_folder::directory::{PkiDirectory, certificate};
use waywarden_pki_folder::index::IndexEntry;
use waywarden_pki_folder::passphrase::Passphrases;
use waywarden_pki_folder::random;
use waywarden_pki_folder::token::TokenSource;
use waywarden_pki_folder::validity;
use waywarden_v2x_input::certificates::id_of;

/// Makes and signs the list, and puts it where it is served, too.
pub(crate) fn make(
    directory: &PkiDirectory,
    clock: Clock,
    new: &NewCrl,
    passphrases: &mut Passphrases<'_>,
    token: &TokenSource,
) -> Result<MadeCrls, Failure> {
    let root = root_list::root(directory)?;
    let making = Making {
        clock,
        folder: &directory.path,
        list: "revocation list of the root",
        before: directory.index.crl_time(),
    };
    // Receivers refuse two lists of one second.
    let latest = directory.index.latest_crl.map(|latest| latest.issued);
    let time = making.time(|now| latest.is_none_or(|one| now.0 / 1_000_000 > u64::from(one)))?;
    let this_update = validity::start(time).map_err(Failure::new)?;
    let (mut store, credential) = root_list::credential(directory, root, passphrases, token)?;
    let due = Time64(u64::from(this_update.0) * 1_000_000 + new.next.microseconds());
    let list = RootCrl {
        this_update,
        next_update: validity::start(due).map_err(Failure::new)?,
        revoked: revoked(directory, root, this_update)?,
    };
    let signed = list.sign(&mut store, &credential, &mut random::seeds()?);
    let output = new.output.as_deref();
    let place = output.unwrap_or(&directory.path).display();
    let failed = |error| Failure::new(format_args!("{place}: {error}"));
    let signed = signed.map_err(failed)?;
    let mut index = directory.index.clone();
    index.number_crl(this_update);
    let served = root_list::place(directory, root, "crl");
    let files: Vec<_> = output.map(|path| (path, &signed[..])).into_iter().collect();
    root_list::publish(directory, &index, &files, (&served, &signed))?;
    Ok(MadeCrls {
        lists: vec![MadeCrl {
            kind: CrlKind::Root,
            path: new.output.clone(),
            revokes: format!("{} authorities", list.revoked.len()),
            bytes: signed,
        }],
        next: due,
        unlisted: None,
    })
}

/// The authorities below the root that are revoked and have not expired.
fn revoked(
    directory: &PkiDirectory,
    root: &IndexEntry,
    now: Time32,
) -> Result<Vec<HashedId8>, Failure> {
    let entries = directory.index.entries.iter();
    let entries = entries.filter(|one| one.revoked.is_some() && root_list::is_below(one, root));
    let mut ids = Vec::new();
    for entry in entries {
        let path = directory.file(&entry.certificate);
        let bytes = certificate(&path)?;
        let view: Certificate<'_> = parse(&bytes).map_err(Failure::new)?;
        let id = id_of(&view)
            .ok_or_else(|| Failure::new(format_args!("{}: it has no hash", path.display())))?;
        if view.to_be_signed.validity_period.end().0 > u64::from(now.0) * 1_000_000 {
            ids.push(id);
        }
    }
    Ok(ids)
}
