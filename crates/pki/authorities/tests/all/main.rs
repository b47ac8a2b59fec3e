//! A PKI by library calls: what they return, and what they refuse without a change.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use tempfile::TempDir;
use waywarden_pki_authorities::clock::Clock;
use waywarden_pki_authorities::profile::Profile;
use waywarden_pki_authorities::{
    CertificateForm, CrlKind, NewCertificates, NewCredential, NewCrl, NewCtl, NewKeys, NewPeriod,
    NewPki, Note, PkiError, create, enrol, ignore, issue, make_crl, make_ctl, renew, revoke,
};
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::{CertificateShape, HolderRole, IndexEntry};
use waywarden_pki_folder::key_file;
use waywarden_pki_folder::key_store::MemoryKeys;
use waywarden_pki_folder::passphrase::{Passphrase, Passphrases};
use waywarden_pki_folder::token::TokenSource;
use waywarden_v2x_keys::{KeyStore as _, Uses};
use waywarden_v2x_wire::ieee1609dot2::Time64;
use zeroize::Zeroizing;

/// A folder with a PKI.
struct World(TempDir);

impl World {
    fn of(shape: CertificateShape) -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        let new = NewPki {
            shape: Some(shape),
            ..NewPki::default()
        };
        create(&world.pki(), &new, || Ok(NewKeys::Unencrypted)).unwrap();
        world
    }

    fn pki(&self) -> PathBuf {
        self.0.path().join("pki")
    }

    fn issue(&self, new: &NewCertificates) -> Result<Vec<IndexEntry>, PkiError> {
        let mut none = Passphrases::known(None);
        let token = TokenSource::default();
        let issued = issue(&self.pki(), new, &mut none, &token, &mut ignore)?;
        Ok(issued.entries().to_vec())
    }

    /// Every file of the folder with its bytes, but for the database's: it may be opened.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        fn list(folder: &Path, all: &mut Vec<(PathBuf, Vec<u8>)>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => list(&path, all),
                    false => all.push((path.clone(), fs::read(path).unwrap())),
                }
            }
        }
        let mut all = Vec::new();
        list(&self.pki(), &mut all);
        all.retain(|(path, _)| !path.to_string_lossy().contains("sqlite"));
        all.sort();
        all
    }
}

#[test]
fn call_returns_what_it_issued_and_the_folder_has_it() {
    let world = World::of(CertificateShape::Etsi);
    let new = NewCertificates {
        count: 3,
        ..NewCertificates::of("car")
    };
    let issued = world.issue(&new).unwrap();
    assert_eq!(issued.len(), 3);
    assert!(issued.iter().all(|one| one.role == HolderRole::Station));
    let index = PkiDirectory::open(&world.pki()).unwrap().index;
    let ids = |entries: &[IndexEntry]| entries.iter().map(|one| one.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&index.entries[3..]), ids(&issued));
    let mut none = Passphrases::known(None);
    let token = TokenSource::default();
    let period = NewPeriod::default();
    let renewed = renew(&world.pki(), "car", period, &mut none, &token).unwrap();
    assert_eq!(renewed.entries().len(), 1);
    drop(renewed);
    let credential = NewCredential {
        name: "station".to_owned(),
        issuer: None,
        period,
        region: None,
        curve: None,
    };
    let enrolled = enrol(&world.pki(), &credential, &mut none, &token).unwrap();
    assert_eq!(enrolled.entries()[0].role, HolderRole::Credential);
}

#[test]
fn refused_certificates_change_nothing() {
    let world = World::of(CertificateShape::Etsi);
    let before = world.files();
    let car = || NewCertificates::of("car");
    let period = NewPeriod {
        start: Some(Time64(0)),
        validity: None,
    };
    let of_issuer = |name: &str| NewCertificates {
        issuer: Some(name.to_owned()),
        ..car()
    };
    let key = world.0.path().join("key.der");
    fs::write(&key, b"no key").unwrap();
    let cases = [
        (NewCertificates::of("../car"), "--name"),
        (NewCertificates::of(""), "--name"),
        (NewCertificates::of("aa"), "--name aa"),
        (NewCertificates { count: 0, ..car() }, "--count"),
        (
            NewCertificates {
                count: 10_001,
                ..car()
            },
            "--count",
        ),
        (of_issuer("unknown"), "no certificate of"),
        (of_issuer("car"), "no certificate of"),
        (
            NewCertificates {
                is_authority: true,
                count: 2,
                ..car()
            },
            "--authority",
        ),
        (
            NewCertificates {
                form: CertificateForm::Implicit,
                is_authority: true,
                ..car()
            },
            "--implicit",
        ),
        (
            NewCertificates {
                public: Some(key.clone()),
                encryption_key: true,
                ..car()
            },
            "--public",
        ),
        (
            NewCertificates {
                public: Some(key),
                ..car()
            },
            "key.der",
        ),
        (NewCertificates { period, ..car() }, "validityPeriod"),
    ];
    for (new, expected) in cases {
        let error = world.issue(&new).unwrap_err();
        assert!(error.to_string().contains(expected), "{expected}: {error}");
        assert_eq!(world.files(), before, "{error}");
    }
}

#[test]
fn folder_appears_whole_or_not_at_all() {
    let world = tempfile::tempdir().unwrap();
    let folder = world.path().join("pki");
    let new = NewPki::default();
    let refused = create(&folder, &new, || Err(PkiError::new("passphrase: none")));
    assert!(refused.is_err() && !folder.exists());
    let years = NewPki {
        years: Some(101),
        ..NewPki::default()
    };
    let asked = || -> Result<NewKeys, PkiError> { panic!("asked before the plan was checked") };
    assert!(create(&folder, &years, asked).is_err());
    assert!(create(Path::new("/"), &new, asked).is_err());
    let directory = create(&folder, &new, || Ok(NewKeys::Plain)).unwrap();
    assert_eq!(directory.index.entries.len(), 3);
    assert!(create(&folder, &new, asked).is_err());
    assert_eq!(fs::read_dir(world.path()).unwrap().count(), 1);
}

#[test]
fn keys_of_an_encrypted_pki_open_with_its_passphrase_alone() {
    let world = World(tempfile::tempdir().unwrap());
    let passphrase = |text: &[u8]| Passphrase::chosen(Zeroizing::new(text.to_vec())).unwrap();
    let profile = "years = 4\n[station]\npermissions = ['CAM']\n";
    let new = NewPki {
        profile: Profile::parse(profile).unwrap(),
        ..NewPki::default()
    };
    create(&world.pki(), &new, || {
        Ok(NewKeys::Encrypted(passphrase(b"right")))
    })
    .unwrap();
    let before = world.files();
    for known in [None, Some(passphrase(b"wrong"))] {
        let mut known = Passphrases::known(known);
        let (new, token) = (NewCertificates::of("car"), TokenSource::default());
        let error = issue(&world.pki(), &new, &mut known, &token, &mut ignore);
        assert!(error.is_err_and(|error| error.to_string().contains("passphrase")));
        assert_eq!(world.files(), before);
    }
    let mut known = Passphrases::known(Some(passphrase(b"right")));
    let (new, token) = (NewCertificates::of("car"), TokenSource::default());
    assert!(issue(&world.pki(), &new, &mut known, &token, &mut ignore).is_ok());
}

#[test]
fn public_key_that_is_known_is_a_note_and_one_of_an_authority_refused() {
    let world = World::of(CertificateShape::Etsi);
    world.issue(&NewCertificates::of("car")).unwrap();
    let directory = PkiDirectory::open(&world.pki()).unwrap();
    let file = world.0.path().join("key.der");
    let (mut none, token) = (Passphrases::known(None), TokenSource::default());
    let mut notes = Vec::new();
    for (name, is_refused) in [("car", false), ("aa", true)] {
        let key = directory.file(directory.entry(name).unwrap().key.as_ref().unwrap());
        let private = key_file::read(&key, None, &mut Passphrases::known(None));
        let mut store = MemoryKeys::new();
        let handle = store.import(&private.unwrap(), Uses::SIGN).unwrap();
        let public = store.public_key(handle).unwrap();
        fs::write(&file, key_file::public(&public).unwrap()).unwrap();
        let new = NewCertificates {
            public: Some(file.clone()),
            ..NewCertificates::of("other")
        };
        let note = &mut |note| notes.push(note);
        let issued = issue(&world.pki(), &new, &mut none, &token, note);
        assert_eq!(issued.is_err(), is_refused, "{name}");
    }
    let is_warning =
        |note: &&Note| matches!(note, Note::Warning(text) if text.contains("certified already"));
    assert_eq!(notes.iter().filter(is_warning).count(), 1);
}

#[test]
fn lists_are_returned_and_written_only_where_asked() {
    let world = World::of(CertificateShape::Us);
    world.issue(&NewCertificates::of("car")).unwrap();
    let done = revoke(&world.pki(), &["car".to_owned()], Clock::SYSTEM).unwrap();
    assert!(done.revoked.len() == 1 && done.revoked[0].is_new);
    assert!(matches!(done.unlistable, Ok(None)));
    let (mut none, token) = (Passphrases::known(None), TokenSource::default());
    let before = world.files().len();
    let made = make_crl(
        &world.pki(),
        &NewCrl::FULL,
        Clock::SYSTEM,
        &mut none,
        &token,
        &mut ignore,
    );
    let made = made.unwrap();
    assert_eq!(made.lists.len(), 1);
    assert_eq!(made.lists[0].kind, CrlKind::Certificates);
    assert!(made.lists[0].path.is_none() && !made.lists[0].bytes.is_empty());
    assert_eq!(world.files().len(), before);
    let european = World::of(CertificateShape::Etsi);
    let ctl = NewCtl {
        url: Some("http://pki.example".to_owned()),
        ..NewCtl::FULL
    };
    let made = make_ctl(&european.pki(), &ctl, Clock::SYSTEM, &mut none, &token).unwrap();
    assert_eq!((made.enrolment, made.authorization), (1, 1));
    assert_eq!(fs::read(&made.path).unwrap(), made.bytes);
    for wrong in ["", "pki.example", "http://", "http://a b"] {
        let ctl = NewCtl {
            url: Some(wrong.to_owned()),
            ..NewCtl::FULL
        };
        let made = make_ctl(&european.pki(), &ctl, Clock::SYSTEM, &mut none, &token);
        assert!(
            made.unwrap_err().to_string().starts_with("--url"),
            "{wrong}"
        );
    }
    assert!(make_ctl(&world.pki(), &ctl, Clock::SYSTEM, &mut none, &token).is_err());
}

/// The time of the next test's clock.
static NOW: Mutex<u64> = Mutex::new(0);

#[test]
fn list_of_a_clock_that_was_behind_is_refused_unless_the_later_one_is_discarded() {
    let world = World::of(CertificateShape::Us);
    let start = Clock::SYSTEM.now().0;
    let clock = Clock {
        now: || Time64(*NOW.lock().unwrap()),
        sleep: |duration: Duration| *NOW.lock().unwrap() += duration.as_micros() as u64,
    };
    let make = |discard_later: bool| {
        let new = NewCrl {
            discard_later,
            ..NewCrl::FULL
        };
        let (mut none, token) = (Passphrases::known(None), TokenSource::default());
        make_crl(&world.pki(), &new, clock, &mut none, &token, &mut ignore).map(drop)
    };
    *NOW.lock().unwrap() = start + 3_600_000_000;
    make(false).unwrap();
    *NOW.lock().unwrap() = start;
    let before = world.files();
    let error = make(false).unwrap_err();
    assert!(error.to_string().contains("--discard-later"), "{error}");
    assert_eq!(world.files(), before);
    make(true).unwrap();
}
