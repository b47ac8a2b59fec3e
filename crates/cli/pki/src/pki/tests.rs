//! Commands in one process with a clock that tests set, and a receiver of their lists.

mod clocks;
mod restored;

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser as _;
use tempfile::TempDir;
use waywarden_v2x_pki::pseudonym::Period;
use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_security::revocation::LinkageStatus;
use waywarden_v2x_security::{Capacity, CrlRefusal, MessageSource, ReceptionContext, Verifier};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateId, CrlSeries, HashedId3, HashedId10, IValue, LinkageData, Time64,
};

use super::clock;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::messages;
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::HolderRole;
use waywarden_pki_folder::passphrase::Passphrases;
use waywarden_pki_folder::pseudonyms::open as open_pseudonym;

/// The week in which all histories begin.
const WEEK: u16 = 1_100;

const SECOND: u64 = 1_000_000;

const HOUR: u64 = 3_600 * SECOND;

const DAY: u64 = 24 * HOUR;

/// Number of random histories at most: a command synchronises files some times.
const HISTORIES_MAX: u64 = 2_000;

#[derive(clap::Parser)]
struct Line {
    #[command(flatten)]
    pki: super::Pki,
}

/// Runs a test with the stack of a process: stores of keys are larger than that of a test's thread
/// where nothing is optimised.
fn with_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1 << 26).spawn(test);
    if let Err(cause) = thread.unwrap().join() {
        std::panic::resume_unwind(cause);
    }
}

/// A time in a week, after its begin.
fn in_week(week: u16, after: u64) -> Time64 {
    Time64(u64::from(Period(week).start().unwrap().0) * SECOND + after)
}

/// A folder with PKIs.
struct World(TempDir);

impl World {
    fn new() -> Self {
        messages::configure(true, messages::Color::Never);
        Self(tempfile::tempdir().unwrap())
    }

    /// An American PKI that is valid from two weeks before.
    fn american() -> Self {
        let world = Self::new();
        clock::tests::set(in_week(WEEK, 0));
        let start = in_week(WEEK - 2, 0).0;
        world.works(&format!("init @p --us --no-passphrase --start {start}"));
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs a command; `@` stands for the folder.
    fn run(&self, words: &str) -> Result<(), String> {
        let folder = format!("{}/", self.0.path().display());
        let words = words.replace('@', &folder);
        let line = Line::try_parse_from(["pki"].into_iter().chain(words.split_whitespace()));
        let line = line.unwrap_or_else(|error| panic!("{words}: {error}"));
        let done = line.pki.execute();
        done.map(drop)
            .map_err(|failure: Failure| failure.lines().join("; "))
    }

    fn works(&self, words: &str) {
        self.run(words)
            .unwrap_or_else(|why| panic!("{words}: {why}"));
    }

    fn directory(&self) -> PkiDirectory {
        PkiDirectory::open(&self.path("p")).unwrap()
    }

    /// The pseudonym of a vehicle.
    fn pseudonym(&self, name: &str, week: u16, j: u8) -> Revocable {
        let mut passphrases = Passphrases::known(None);
        let time = in_week(week, DAY);
        let opened = open_pseudonym(&self.directory(), name, time, j, &mut passphrases);
        Revocable::of(&opened.unwrap().unwrap().certificate)
    }

    /// The certificate of a name.
    fn certificate(&self, name: &str) -> Revocable {
        let directory = self.directory();
        let entry = directory.entry(name).unwrap();
        Revocable::of(&fs::read(directory.file(&entry.certificate)).unwrap())
    }

    /// A receiver that trusts the root and has no list.
    fn receiver(&self) -> Verifier {
        let directory = self.directory();
        let mut receiver = Verifier::new(Capacity {
            certificates: 16,
            messages: 16,
            table_bytes: 0,
        });
        let root = directory.index.of_role(HolderRole::Root).unwrap();
        let root = fs::read(directory.file(&root.certificate)).unwrap();
        receiver.add_trust_anchor(&root).unwrap();
        receiver
    }

    /// Reads a list that a command made.
    fn list(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }
}

/// The fields of a certificate that revocation lists name.
#[derive(Clone, Debug)]
struct Revocable {
    craca: HashedId3,
    series: CrlSeries,
    id: HashedId10,
    linkage: Option<LinkageData>,
}

impl Revocable {
    fn of(certificate: &[u8]) -> Self {
        let view: Certificate<'_> = parse(certificate).unwrap();
        let own = &view.to_be_signed;
        Self {
            craca: own.craca_id,
            series: own.crl_series,
            id: certificate_digest(&view).unwrap().id_10(),
            linkage: match &own.id {
                CertificateId::LinkageData(linkage) => Some(*linkage),
                _ => None,
            },
        }
    }

    /// True if a receiver refuses it. Its period is expanded first.
    fn is_revoked_at(&self, receiver: &mut Verifier) -> bool {
        let revocations = receiver.revocations_mut();
        match &self.linkage {
            None => revocations.has(self.craca, self.series, self.id),
            Some(linkage) => {
                revocations.expand(IValue(linkage.period.0)).unwrap();
                let status = revocations.linked(self.craca, self.series, linkage);
                status == LinkageStatus::Revoked
            }
        }
    }
}

/// Has a receiver apply a list at a time.
fn apply(receiver: &mut Verifier, list: &[u8], time: Time64) -> Result<(), CrlRefusal> {
    let context = ReceptionContext {
        source: MessageSource::File,
        ..ReceptionContext::at(time)
    };
    receiver.apply_crl(list, &context).map(drop)
}

/// Copies the files below a folder into a new one.
fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|one| (one.path(), one.file_name())).unwrap();
        match path.is_dir() {
            true => copy(&path, &to.join(name)),
            false => drop(fs::copy(&path, to.join(name)).unwrap()),
        }
    }
}
