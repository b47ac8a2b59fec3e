//! The trust list of a European root \[TS 102 941\].

use std::path::{Path, PathBuf};

use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_command_line::terminal::plain;
use waywarden_pki_folder::directory::{PkiDirectory, certificate};
use waywarden_pki_folder::index::{CertificateShape, HolderRole, Index, IndexEntry};
use waywarden_pki_folder::passphrase::Passphrases;
use waywarden_pki_folder::token::TokenSource;
use waywarden_pki_folder::{random, validity};
use waywarden_v2x_input::certificates::id_of;
use waywarden_v2x_pki::trust_list::{ListCommand, RootCtl};
use waywarden_v2x_pki_service::server::Endpoint;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, Duration, HashedId8, Time64};

use crate::clock::Clock;
use crate::error::PkiError;
use crate::list_time::Making;
use crate::root_list;

/// The longest list that is read.
const LIST_MAX: usize = 16 << 20;

/// A trust list to be made.
#[derive(Clone, Debug)]
pub struct NewCtl {
    /// A second file for the full list; the first is in the folder.
    pub output: Option<PathBuf>,
    /// The file for a list of what changed since the list before (delta CTL).
    pub delta: Option<PathBuf>,
    /// URL of both authorities, and of the lists. Default: as in the list before.
    pub url: Option<String>,
    /// URL of the enrolment authority, if elsewhere.
    pub ea_url: Option<String>,
    /// URL of the authorization authority, if elsewhere.
    pub aa_url: Option<String>,
    /// URL of a distribution centre for the lists, if elsewhere.
    pub dc_url: Option<String>,
    /// Authorities that are on no list from now on: names or HashedId8s.
    pub delete: Vec<String>,
    /// Authorities that are on lists again.
    pub add: Vec<String>,
    /// True to make a list although the one before is of a later time: the clock was ahead, and no
    /// receiver has that list.
    pub discard_later: bool,
    /// Time from now until the next list is due: at most 100 years. After that receivers trust none
    /// of the authorities by this one.
    pub next: Duration,
}

impl NewCtl {
    /// A list as the one before, due again after a week.
    pub const FULL: Self = Self {
        output: None,
        delta: None,
        url: None,
        ea_url: None,
        aa_url: None,
        dc_url: None,
        delete: Vec::new(),
        add: Vec::new(),
        discard_later: false,
        next: Duration::Hours(7 * 24),
    };
}

/// A trust list that was made.
#[derive(Clone, Debug)]
pub struct MadeCtl {
    /// The file in the folder of the PKI, from which `pki serve` gives it out.
    pub path: PathBuf,
    /// The signed list.
    pub bytes: Vec<u8>,
    /// The signed list of changes, if one was asked for.
    pub delta: Option<Vec<u8>>,
    /// `ctlSequence` of the list.
    pub sequence: u8,
    /// Number of enrolment authorities on it.
    pub enrolment: usize,
    /// Number of authorization authorities on it.
    pub authorization: usize,
    /// Time at which the next list is due.
    pub next: Time64,
}

/// The full list before, as it is in the folder.
struct Before {
    bytes: Vec<u8>,
    list: RootCtl,
}

/// Makes and signs the trust list of a European root. It is verified as a receiver would before it
/// is written.
///
/// # Errors
/// [`PkiError`] for an American PKI, if a later list was made before, for an authority without a
/// URL, for a wrong passphrase, and for what the operating system refuses; no list is made then.
pub fn make_ctl(
    folder: &Path,
    new: &NewCtl,
    clock: Clock,
    passphrases: &mut Passphrases<'_>,
    token: &TokenSource,
) -> Result<MadeCtl, PkiError> {
    new.check()?;
    let directory = PkiDirectory::open_to_change(folder)?;
    let root = root_list::root(&directory)?;
    let mut index = directory.index.clone();
    new.mark(&mut index, &directory, root)?;
    if new.discard_later {
        index.discard_later_ctl(clock.now());
    }
    let making = Making {
        clock,
        folder: &directory.path,
        list: "trust list",
        before: index.ctl_time(),
    };
    let now = making.time(|_| true)?;
    let sequence = index.number_ctl(now)?;
    let place = root_list::place(&directory, root, "ctl");
    let before = match place.exists() {
        true => before(files::bytes(&place, LIST_MAX)?),
        false => None,
    };
    let due = Time64(now.0 + new.next.microseconds());
    let list = RootCtl {
        made: now,
        next_update: validity::start(due).map_err(Failure::new)?,
        sequence,
        changes: None,
        commands: new.commands(&directory, &index, root, before.as_ref(), clock.now())?,
    };
    let (mut store, credential) = root_list::credential(&directory, root, passphrases, token)?;
    let mut sign = |list: &RootCtl| {
        let signed = list.sign(&mut store, &credential, &mut random::seeds()?);
        signed.map_err(|error| Failure::new(format_args!("{}: {error}", place.display())))
    };
    let full = sign(&list)?;
    let mut files = Vec::new();
    files.extend(new.output.as_deref().map(|path| (path, &full[..])));
    let mut delta = None;
    if new.delta.is_some() {
        let before = before.filter(|one| one.list.sequence.wrapping_add(1) == list.sequence);
        let changes = before.and_then(|before| list.changes_since(before.bytes));
        let changes = changes.ok_or_else(|| {
            Failure::new(format_args!(
                "--delta: {}: the list before is not there; make a full list first, without \
                 --delta",
                place.display()
            ))
        })?;
        delta = Some(sign(&changes)?);
    }
    files.extend(new.delta.as_deref().zip(delta.as_deref()));
    root_list::publish(&directory, &index, &files, (&place, &full))?;
    let count = |is_listed: fn(&ListCommand) -> bool| {
        list.commands.iter().filter(|one| is_listed(one)).count()
    };
    Ok(MadeCtl {
        enrolment: count(|one| matches!(one, ListCommand::AddEnrolmentAuthority { .. })),
        authorization: count(|one| matches!(one, ListCommand::AddAuthorizationAuthority { .. })),
        sequence,
        delta,
        next: due,
        path: place,
        bytes: full,
    })
}

impl NewCtl {
    fn check(&self) -> Result<(), Failure> {
        if self.delta.is_some() && self.discard_later {
            let why = "--discard-later: is for full lists; leave --delta out";
            return Err(Failure::new(why));
        }
        for (option, given) in [
            ("--url", &self.url),
            ("--ea-url", &self.ea_url),
            ("--aa-url", &self.aa_url),
            ("--dc-url", &self.dc_url),
        ] {
            if let Some(given) = given {
                url(given).map_err(|why| Failure::new(format_args!("{option}: {why}")))?;
            }
        }
        Ok(())
    }

    /// Notes which authorities are on no list, or on lists again.
    fn mark(
        &self,
        index: &mut Index,
        directory: &PkiDirectory,
        root: &IndexEntry,
    ) -> Result<(), Failure> {
        let deleted = self.delete.iter().map(|name| (name, true));
        let added = self.add.iter().map(|name| (name, false));
        for (name, is_off) in deleted.chain(added) {
            let named = directory.entry(name)?;
            if !is_listable(named, root) {
                return Err(Failure::new(format_args!(
                    "{}: {} is no enrolment or authorization authority right below the root, and \
                     on no list of it",
                    plain(name),
                    named.role.show(CertificateShape::Etsi)
                )));
            }
            let by_name = named.name == *name;
            let is_meant = |one: &IndexEntry| match by_name {
                true => one.name == named.name,
                false => one.id == named.id,
            };
            for entry in index.entries.iter_mut().filter(|one| is_meant(one)) {
                entry.unlisted = is_off;
            }
        }
        Ok(())
    }

    /// Returns the entries of the full list, the newest authorities first.
    fn commands(
        &self,
        directory: &PkiDirectory,
        index: &Index,
        root: &IndexEntry,
        before: Option<&Before>,
        now: Time64,
    ) -> Result<Vec<ListCommand>, Failure> {
        let known: &[ListCommand] = before.map_or(&[], |before| &before.list.commands);
        let urls = self.urls(known);
        let mut commands = Vec::new();
        let mut has_enrolment = false;
        let entries = index.entries.iter().rev();
        let listed =
            |one: &&IndexEntry| is_listable(one, root) && one.revoked.is_none() && !one.unlisted;
        for entry in entries.filter(listed) {
            let certificate = certificate(&directory.file(&entry.certificate))?;
            let view: Certificate<'_> = parse(&certificate).map_err(Failure::new)?;
            if view.to_be_signed.validity_period.end() <= now {
                continue;
            }
            let missing = |option: &str| {
                Failure::new(format_args!(
                    "{}: where is it reached? Give --url or {option}",
                    plain(&entry.name)
                ))
            };
            commands.push(match entry.role {
                HolderRole::Enrolment => ListCommand::AddEnrolmentAuthority {
                    certificate,
                    aa_access_point: urls.validation.clone().ok_or_else(|| missing("--ea-url"))?,
                    // Stations enrol with the newest one, which alone is served.
                    its_access_point: urls.enrolment.clone().filter(|_| !has_enrolment),
                },
                _ => ListCommand::AddAuthorizationAuthority {
                    certificate,
                    access_point: urls
                        .authorization
                        .clone()
                        .ok_or_else(|| missing("--aa-url"))?,
                },
            });
            has_enrolment |= entry.role == HolderRole::Enrolment;
        }
        commands.extend(self.centres(directory, root, known)?);
        Ok(commands)
    }
    /// Returns the URLs of the authorities: as the options say, or as in the list before.
    fn urls(&self, known: &[ListCommand]) -> Urls {
        let mut urls = Urls::default();
        for one in known {
            match one {
                ListCommand::AddEnrolmentAuthority {
                    aa_access_point,
                    its_access_point,
                    ..
                } => {
                    urls.validation.get_or_insert(aa_access_point.clone());
                    urls.enrolment = urls.enrolment.or(its_access_point.clone());
                }
                ListCommand::AddAuthorizationAuthority { access_point, .. } => {
                    urls.authorization.get_or_insert(access_point.clone());
                }
                _ => {}
            }
        }
        let at = |base: &String, endpoint: Endpoint| {
            format!("{}{}", base.trim_end_matches('/'), endpoint.path())
        };
        if let Some(base) = self.ea_url.as_ref().or(self.url.as_ref()) {
            urls.validation = Some(at(base, Endpoint::Validation));
            urls.enrolment = Some(at(base, Endpoint::Enrolment));
        }
        if let Some(base) = self.aa_url.as_ref().or(self.url.as_ref()) {
            urls.authorization = Some(at(base, Endpoint::Authorization));
        }
        urls
    }

    /// Returns the entry with the URL of the lists: as the options say, or as in the list before.
    fn centres(
        &self,
        directory: &PkiDirectory,
        root: &IndexEntry,
        known: &[ListCommand],
    ) -> Result<Vec<ListCommand>, Failure> {
        let is_centre =
            |one: &&ListCommand| matches!(one, ListCommand::AddDistributionCentre { .. });
        let Some(url) = self.dc_url.as_ref().or(self.url.as_ref()) else {
            return Ok(known.iter().filter(is_centre).cloned().collect());
        };
        Ok(vec![ListCommand::AddDistributionCentre {
            url: url.clone(),
            roots: vec![own_id(directory, root)?],
        }])
    }
}

/// URLs of the authorities.
#[derive(Default)]
struct Urls {
    /// The enrolment authority, by authorization authorities.
    validation: Option<String>,
    /// The enrolment authority, by stations.
    enrolment: Option<String>,
    /// The authorization authority.
    authorization: Option<String>,
}

/// Returns true if an authority can be on the trust list of a root.
fn is_listable(entry: &IndexEntry, root: &IndexEntry) -> bool {
    let is_of_role = matches!(
        entry.role,
        HolderRole::Enrolment | HolderRole::Authorization
    );
    is_of_role && root_list::is_below(entry, root)
}

fn own_id(directory: &PkiDirectory, root: &IndexEntry) -> Result<HashedId8, Failure> {
    let path = directory.file(&root.certificate);
    let bytes = certificate(&path)?;
    let view: Certificate<'_> = parse(&bytes).map_err(Failure::new)?;
    id_of(&view).ok_or_else(|| Failure::new(format_args!("{}: it has no hash", path.display())))
}

/// Reads the list before; `None` if the file is none.
fn before(bytes: Vec<u8>) -> Option<Before> {
    let list = RootCtl::read(&bytes)?;
    Some(Before { bytes, list })
}

/// Takes the URL of a server.
///
/// # Errors
/// The form of one, for another text.
pub fn url(text: &str) -> Result<String, String> {
    let host = text
        .strip_prefix("http://")
        .or(text.strip_prefix("https://"));
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
    match host.is_some_and(|host| !host.is_empty()) && is_plain {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "{text:?}: give a URL such as http://pki.example:8102"
        )),
    }
}
