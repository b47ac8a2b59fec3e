//! The revocation list of a European root: which of its authorities are revoked \[TS 102 941\].

use std::path::Path;
use std::thread::sleep;

use waywarden_v2x_pki::trust_list::RootCrl;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, Duration, HashedId8, Time32, Time64};

use super::directory::{Directory, certificate};
use super::index::{Entry, LatestCrl};
use super::passphrase::Passphrases;
use super::root_list;
use super::token::TokenSource;
use super::validity;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::messages;
use waywarden_command_line::random;
use waywarden_v2x_input::certificates::id_of;
use waywarden_v2x_input::time;

/// Makes and signs the list, and puts it where it is served, too.
pub(crate) fn make(
    directory: &Directory,
    output: &Path,
    next: Duration,
    passphrases: &mut Passphrases<'_>,
    token: &TokenSource,
) -> Result<(), Failure> {
    let root = root_list::root(directory)?;
    let latest = directory.index.latest_crl;
    let this_update = later_than(latest.map(|latest| latest.issued))?;
    let (mut store, credential) = root_list::credential(directory, root, passphrases, token)?;
    let due = Time64(u64::from(this_update.0) * 1_000_000 + next.microseconds());
    let list = RootCrl {
        this_update,
        next_update: validity::start(due).map_err(Failure::new)?,
        revoked: revoked(directory, root, this_update)?,
    };
    let signed = list.sign(&mut store, &credential, &mut random::seeds()?);
    let failed = |error| Failure::new(format_args!("{}: {error}", output.display()));
    let signed = signed.map_err(failed)?;
    let mut index = directory.index.clone();
    index.latest_crl = Some(LatestCrl {
        serial: latest.map_or(0, |latest| latest.serial).wrapping_add(1),
        issued: this_update.0,
    });
    let served = root_list::place(directory, root, "crl");
    let files = [(output, &signed[..])];
    root_list::publish(directory, &index, &files, (&served, &signed))?;
    messages::status(format_args!(
        "{}: revokes {} authorities; the next list is due {}",
        output.display(),
        list.revoked.len(),
        time::show(due)
    ));
    Ok(())
}

/// Returns the time in whole seconds, which is later than the list before: receivers refuse two
/// lists of one second. It waits for the next second, and for no more.
fn later_than(latest: Option<u32>) -> Result<Time32, Failure> {
    loop {
        let now = validity::start(time::now()).map_err(Failure::new)?;
        match latest {
            Some(latest) if latest > now.0 => {
                let latest = Time64(u64::from(latest) * 1_000_000);
                return Err(Failure::new(format_args!(
                    "the clock: the list before is of {}; set the clock, for receivers take no \
                     list that is older",
                    time::show(latest)
                )));
            }
            Some(latest) if latest == now.0 => sleep(std::time::Duration::from_millis(20)),
            _ => return Ok(now),
        }
    }
}

/// The authorities below the root that are revoked and have not expired.
fn revoked(directory: &Directory, root: &Entry, now: Time32) -> Result<Vec<HashedId8>, Failure> {
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
