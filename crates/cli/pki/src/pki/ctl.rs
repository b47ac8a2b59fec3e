//! `waywarden pki ctl`: the trust list of a European root.

use std::path::PathBuf;

use waywarden_v2x_pki::trust_list::{ListCommand, RootCtl};
use waywarden_v2x_pki_service::server::Endpoint;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, Duration, HashedId8, Time64};

use super::clock;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files;
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain;
use waywarden_pki_authorities::list_time::Making;
use waywarden_pki_authorities::root_list;
use waywarden_pki_folder::directory::{PkiDirectory, certificate};
use waywarden_pki_folder::index::{CertificateShape, HolderRole, Index, IndexEntry};
use waywarden_pki_folder::passphrase::{PassphraseSource, Passphrases};
use waywarden_pki_folder::random;
use waywarden_pki_folder::token::TokenSource;
use waywarden_pki_folder::validity;
use waywarden_v2x_input::certificates::id_of;
use waywarden_v2x_input::time;

/// The longest list that is read.
const LIST_MAX: usize = 16 << 20;

const EXAMPLES: &str = "\
Examples:
  waywarden pki ctl my-pki --url http://pki.example:8102
  waywarden pki renew my-pki aa
  waywarden pki ctl my-pki -o root.ctl --delta changes.ctl    # the URLs are those of before
  waywarden pki ctl my-pki --delete aa2
  waywarden pki trust import trust my-pki/trust/*.oer root.ctl --trust-anchor 8082cb0fb4263789";

/// Make and sign the trust list (CTL) of a European root, as ETSI TS 102 941 has it.
///
/// It lists the enrolment and authorization authorities right below the root, with the URLs at
/// which they are reached, and where lists can be had. Authorities that expired, were revoked or
/// taken off with --delete are not on it. Receivers that had one of these on the list before refuse
/// it from then on, and what it issued: leave a renewed authority on the list as long as its
/// tickets are valid.
///
/// The full list is put in the folder of the PKI as trust/HASHEDID8.ctl, where `pki serve` gives it
/// out. Each list is verified as a receiver would before it is written.
///
/// Exit code 0 if all were written, 2 if not.
#[derive(Debug, clap::Args)]
#[command(name = "ctl", after_long_help = EXAMPLES)]
pub(crate) struct CtlCommand {
    /// The folder of the PKI.
    dir: PathBuf,
    /// A second file for the full list. A file that is there is replaced; a symbolic link is
    /// refused.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write what changed since the list before to this file, too: a list of changes (delta CTL).
    #[arg(long, value_name = "FILE")]
    delta: Option<PathBuf>,
    /// URL of `pki serve`: of both authorities, and of the lists [default: as in the list before].
    #[arg(long, value_name = "URL", value_parser = url)]
    url: Option<String>,
    /// URL of the enrolment authority, if elsewhere.
    #[arg(long, value_name = "URL", value_parser = url)]
    ea_url: Option<String>,
    /// URL of the authorization authority, if elsewhere.
    #[arg(long, value_name = "URL", value_parser = url)]
    aa_url: Option<String>,
    /// URL of a distribution centre for the lists, if elsewhere.
    #[arg(long, value_name = "URL", value_parser = url)]
    dc_url: Option<String>,
    /// Take an authority off this list and those after it: its name or HashedId8. May be given more
    /// than once.
    #[arg(long, value_name = "NAME")]
    delete: Vec<String>,
    /// Put an authority that was taken off on the list again. May be given more than once.
    #[arg(long, value_name = "NAME")]
    add: Vec<String>,
    /// Make a list although the one before is of a later time: the clock was ahead, and no receiver
    /// has that list.
    #[arg(long, conflicts_with = "delta")]
    discard_later: bool,
    /// Time from now until the next list is due: at most 100y. After that receivers trust none of
    /// the authorities by this one.
    #[arg(long, value_name = "DURATION", default_value = "7d")]
    #[arg(value_parser = validity::until_next)]
    next: Duration,
    #[command(flatten)]
    passphrase: PassphraseSource,
    #[command(flatten)]
    token: TokenSource,
}

/// The full list before, as it is in the folder.
struct Before {
    bytes: Vec<u8>,
    list: RootCtl,
}

impl CtlCommand {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let directory = PkiDirectory::open_to_change(&self.dir)?;
        let root = root_list::root(&directory)?;
        let mut index = directory.index.clone();
        self.mark(&mut index, &directory, root)?;
        if self.discard_later {
            index.discard_later_ctl(clock::now());
        }
        let making = Making {
            clock: clock::CLOCK,
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
        let due = Time64(now.0 + self.next.microseconds());
        let list = RootCtl {
            made: now,
            next_update: validity::start(due).map_err(Failure::new)?,
            sequence,
            changes: None,
            commands: self.commands(&directory, &index, root, before.as_ref())?,
        };
        let mut passphrases = Passphrases::new(&self.passphrase);
        let signer = root_list::credential(&directory, root, &mut passphrases, &self.token)?;
        let (mut store, credential) = signer;
        let mut sign = |list: &RootCtl| {
            let signed = list.sign(&mut store, &credential, &mut random::seeds()?);
            signed.map_err(|error| Failure::new(format_args!("{}: {error}", place.display())))
        };
        let full = sign(&list)?;
        let mut files = Vec::new();
        files.extend(self.output.as_deref().map(|path| (path, &full[..])));
        let delta;
        if let Some(path) = &self.delta {
            let before = before.filter(|one| one.list.sequence.wrapping_add(1) == list.sequence);
            let changes = before.and_then(|before| list.changes_since(before.bytes));
            delta = sign(&changes.ok_or_else(|| {
                Failure::new(format_args!(
                    "--delta: {}: the list before is not there; make a full list first, without \
                     --delta",
                    place.display()
                ))
            })?)?;
            files.push((path, &delta));
        }
        root_list::publish(&directory, &index, &files, (&place, &full))?;
        let count = |is_listed: fn(&ListCommand) -> bool| {
            list.commands.iter().filter(|one| is_listed(one)).count()
        };
        messages::status(format_args!(
            "{}: ctlSequence {}, {} enrolment and {} authorization authorities; the next list is \
             due {}",
            place.display(),
            list.sequence,
            count(|one| matches!(one, ListCommand::AddEnrolmentAuthority { .. })),
            count(|one| matches!(one, ListCommand::AddAuthorizationAuthority { .. })),
            time::show(due)
        ));
        Ok(Answer::Yes)
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
    ) -> Result<Vec<ListCommand>, Failure> {
        let known: &[ListCommand] = before.map_or(&[], |before| &before.list.commands);
        let urls = self.urls(known);
        let now = clock::now();
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
fn url(text: &str) -> Result<String, String> {
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
