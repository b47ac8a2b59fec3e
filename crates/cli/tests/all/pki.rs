//! `waywarden pki`: what it makes, what it refuses, and what it keeps secret.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use waywarden_testkit::Random;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi103097::{Role, check_certificate};
use waywarden_v2x_wire::ieee1609dot2::{Certificate, CertificateType};

use crate::support::{waywarden, workspace};

/// A folder with PKIs, and the command in it.
pub(crate) struct World {
    folder: TempDir,
}

/// How a command ended.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) complaint: String,
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    /// Runs a command whose words are separated by blanks.
    pub(crate) fn run(&self, words: &str) -> Ended {
        let mut command = waywarden();
        command.current_dir(self.folder.path());
        let output = command.args(words.split_whitespace()).output().unwrap();
        Ended {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            complaint: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub(crate) fn works(&self, words: &str) -> String {
        let ended = self.run(words);
        assert_eq!(ended.code, Some(0), "{words}: {}", ended.complaint);
        ended.out
    }

    /// Runs a command that is refused, and for these reasons.
    pub(crate) fn refused(&self, words: &str, reasons: &[&str]) {
        let ended = self.run(words);
        assert_eq!(ended.code, Some(2), "{words}: {}", ended.complaint);
        for reason in reasons {
            let complaint = &ended.complaint;
            assert!(complaint.contains(reason), "{words}: {reason}: {complaint}");
        }
    }

    /// The values of a field of the index, of the certificates with a name.
    pub(crate) fn indexed(&self, pki: &str, name: &str, field: &str) -> Vec<String> {
        let text = fs::read_to_string(self.path(pki).join("pki.toml")).unwrap();
        let tables = text.split("[[certificate]]");
        let named = tables.filter(|table| table.contains(&format!("name = \"{name}\"\n")));
        let start = format!("\n{field} = \"");
        let values = named.filter_map(|table| {
            let (_, rest) = table.split_once(&start)?;
            Some(format!("{pki}/{}", rest.split_once('"')?.0))
        });
        values.collect()
    }

    /// The newest of them.
    pub(crate) fn newest(&self, pki: &str, name: &str, field: &str) -> String {
        self.indexed(pki, name, field).pop().expect(name)
    }
}

/// Every file below a folder, with its bytes.
pub(crate) fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(snapshot(&path)),
            false => {
                found.insert(path.clone(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn european_certificates_deviate_nowhere_from_their_profile() {
    for curve in ["p256", "p384", "brainpool-p256r1", "brainpool-p384r1"] {
        let world = World::new();
        world.works(&format!("pki init p --no-passphrase --curve {curve}"));
        world.works("pki enrol p --name credential");
        world.works("pki issue p --name car --encryption-key");
        world.works("pki issue p --name aa2 --issuer root --authority --issues CAM");
        for (name, role) in [
            ("root", Role::RootCa),
            ("ea", Role::SubordinateCa),
            ("aa", Role::SubordinateCa),
            ("aa2", Role::SubordinateCa),
            ("credential", Role::EnrolmentCredential),
            ("car", Role::AuthorizationTicket),
        ] {
            let bytes = fs::read(world.path(&world.newest("p", name, "certificate"))).unwrap();
            let certificate: Certificate<'_> = parse(&bytes).unwrap();
            let mut deviations = Vec::new();
            check_certificate(&certificate, role, &mut |one| {
                deviations.push(one.to_string());
            });
            assert_eq!(deviations, [""; 0], "{curve} {name}");
        }
        // Receivers take each of them, and `inspect` reads them.
        for name in ["ea", "aa", "aa2", "credential", "car"] {
            let file = world.newest("p", name, "certificate");
            world.works(&format!("verify {file} --trust p/trust"));
            world.works(&format!("inspect {file}"));
        }
    }
}

#[test]
fn american_certificates_are_implicit_and_the_example_profile_works() {
    let world = World::new();
    world.works("pki init u --us --no-passphrase");
    // More than the keys that the command keeps in memory at once.
    world.works("pki issue u --name car --count 40");
    world.works("pki issue u --name unit --explicit --encryption-key --count 40");
    world.works("pki enrol u --name credential");
    let kinds = |name: &str| -> Vec<CertificateType> {
        let files = world.indexed("u", name, "certificate").into_iter();
        let kinds = files.map(|file| {
            let bytes = fs::read(world.path(&file)).unwrap();
            parse::<Certificate<'_>>(&bytes).unwrap().kind
        });
        kinds.collect()
    };
    assert_eq!(kinds("car"), [CertificateType::Implicit; 40]);
    assert_eq!(kinds("unit"), [CertificateType::Explicit; 40]);
    let example = workspace().join("examples/v2x/pki.toml");
    let shown = world.works(&format!(
        "pki init e --no-passphrase --profile {}",
        example.display()
    ));
    assert!(
        shown.contains("roadside: authorisation authority"),
        "{shown}"
    );
    let profile = format!("--profile {}", example.display());
    let shown = world.works(&format!("pki issue e --name car {profile} --validity 24h"));
    assert!(shown.contains("CAM:010000 DENM:01ffffff"), "{shown}");
    let issuer = &world.newest("e", "cars", "id")[2..];
    assert_eq!(&world.newest("e", "car", "issuer")[2..], issuer);
    let place = "circle:48.137,11.575,1000";
    world.works(&format!(
        "pki issue e --name light --issuer roadside --psid SPATEM --region {place}"
    ));
}

#[cfg(unix)]
#[test]
fn keys_are_for_their_owner_and_encrypted_and_their_passphrase_is_shown_nowhere() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    world.write("secret", "correct horse\n");
    world.write("wrong", "battery staple\n");
    let mut printed = world.works("pki init p --passphrase-file secret");
    printed += &world.works("pki issue p --name car --passphrase-file secret");
    printed += &world.works("pki show p");
    for (path, bytes) in snapshot(&world.path("p/keys")) {
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("horse"), "{}", path.display());
        // The object identifier of an unencrypted key stands in no encrypted one.
        let elliptic = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01];
        assert!(!bytes.windows(7).any(|part| part == elliptic));
        let shown = world.works(&format!("pki show {}", path.display()));
        assert!(shown.contains("scrypt N = 16384, r = 8, p = 5"), "{shown}");
    }
    let folder = fs::metadata(world.path("p/keys"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(folder & 0o777, 0o700);
    let before = snapshot(&world.path("p"));
    let key = world.newest("p", "aa", "key");
    let ended = world.run("pki issue p --name car2 --passphrase-file wrong");
    assert_eq!(ended.code, Some(2));
    let remedy = format!("{key}: the passphrase is wrong");
    assert!(ended.complaint.contains(&remedy), "{}", ended.complaint);
    printed += &ended.complaint;
    world.write("empty", "\n");
    world.refused(
        "pki issue p --name car2 --passphrase-file empty",
        &["empty: the passphrase is empty"],
    );
    world.refused(
        "pki issue p --name car2 --passphrase horse",
        &["unexpected argument"],
    );
    assert_eq!(snapshot(&world.path("p")), before);
    for secret in ["horse", "staple"] {
        assert!(!printed.contains(secret), "{printed}");
    }
    // A descriptor gives the passphrase, too.
    let command = format!(
        "{} pki issue {} --name car2 --passphrase-fd 3 3< {}",
        assert_cmd::cargo::cargo_bin("waywarden").display(),
        world.path("p").display(),
        world.path("secret").display()
    );
    let status = std::process::Command::new("sh")
        .args(["-c", &command])
        .output()
        .unwrap();
    assert!(status.status.success());
}

#[test]
fn a_key_file_that_would_take_gigabytes_is_refused_before_it_is_tried() {
    let world = World::new();
    world.write("secret", "x\n");
    world.works("pki init p --passphrase-file secret");
    let key = world.newest("p", "aa", "key");
    let mut bytes = fs::read(world.path(&key)).unwrap();
    // INTEGER 16384, INTEGER 8, INTEGER 5: N, r and p of scrypt.
    let parameters = [2, 2, 0x40, 0, 2, 1, 8, 2, 1, 5];
    let at = bytes
        .windows(10)
        .position(|part| part == parameters)
        .unwrap();
    bytes[at + 9] = 0x7F;
    world.write(&key, &bytes);
    world.refused(
        "pki issue p --name car --passphrase-file secret",
        &[&key, "256 MiB"],
    );
}

#[test]
fn what_the_issuer_does_not_cover_is_refused_by_file_and_field_and_nothing_is_written() {
    let world = World::new();
    world.works(
        "pki init p --no-passphrase --region circle:48,11,50000 --start 2026-01-01T00:00:00Z",
    );
    world.works("pki issue p --name car --start 2026-02-01T00:00:00Z");
    let before = snapshot(&world.path("p"));
    let issuer = world.newest("p", "aa", "certificate");
    let start = "--start 2026-02-01T00:00:00Z";
    for (arguments, field) in [
        ("--psid SCR", "appPermissions"),
        ("--psid CAM:01FFFF", "appPermissions"),
        ("--psid CAM:020000", "appPermissions"),
        ("--validity 50y", "validityPeriod"),
        ("--start 2025-12-31T00:00:00Z", "validityPeriod"),
        ("--region circle:52,13,100", "region"),
        ("--region circle:48,11,60000", "region"),
        ("--authority", "appPermissions"),
    ] {
        let start = if arguments.contains("--start") {
            ""
        } else {
            start
        };
        let words = format!("pki issue p --name other {start} {arguments}");
        world.refused(&words, &[&issuer, field, "nothing was written"]);
    }
    let car = world.newest("p", "car", "certificate");
    world.refused(
        "pki issue p --name x --issuer car",
        &[&car, "certIssuePermissions"],
    );
    world.refused(
        "pki issue p --name x --issuer nemo",
        &["no certificate of \"nemo\"", "root, ea, aa, car"],
    );
    world.refused(
        "pki issue p --name aa",
        &["is the name of authorisation authority"],
    );
    world.refused("pki renew p root", &["a root cannot be renewed"]);
    assert_eq!(snapshot(&world.path("p")), before);
}

#[test]
fn keys_of_other_certificates_are_refused_with_both_files() {
    let world = World::new();
    for (form, end) in [("--no-passphrase", "p8"), ("--plain-keys", "vkey")] {
        let pki = format!("of-{end}");
        world.works(&format!("pki init {pki} {form}"));
        let (aa, ea) = (
            world.newest(&pki, "aa", "key"),
            world.newest(&pki, "ea", "key"),
        );
        assert!(aa.ends_with(end), "{aa}");
        let own = fs::read(world.path(&aa)).unwrap();
        let others = fs::read(world.path(&ea)).unwrap();
        world.write(&aa, &others);
        let certificate = world.newest(&pki, "aa", "certificate");
        let issue = format!("pki issue {pki} --name car");
        world.refused(&issue, &[&aa, &certificate, "verifyKeyIndicator"]);
        fs::remove_file(world.path(&aa)).unwrap();
        world.refused(&issue, &[&aa]);
        world.refused(&format!("pki show {pki}"), &["the private key is missing"]);
        // Damaged files are refused, whatever the damage: none makes the command panic.
        let mut random = Random::of_test("keys_of_other_certificates_are_refused_with_both_files");
        for _ in 0..20 {
            let mut damaged = own.clone();
            let at = random.bytes(2);
            let index = usize::from(at[0]) % damaged.len();
            match at[1] % 3 {
                0 => damaged.truncate(index),
                1 => damaged.insert(index, at[1]),
                _ => damaged[index] ^= 1 << (at[1] % 8),
            }
            world.write(&aa, &damaged);
            let ended = world.run(&issue);
            // The public key inside is not read; a flip there changes nothing.
            assert!(matches!(ended.code, Some(0 | 2)), "{}", ended.complaint);
            assert!(!ended.complaint.contains("panicked"), "{}", ended.complaint);
        }
        world.write(&aa, &own);
        world.works(&issue);
    }
}

#[test]
fn renewal_keeps_the_old_certificate_and_makes_a_new_key() {
    let world = World::new();
    world.works("pki init u --us --no-passphrase");
    world.works("pki issue u --name car --region country:840");
    world.works("pki renew u pca");
    world.works("pki renew u car --validity 24h");
    let keys = world.indexed("u", "car", "key");
    let files = world.indexed("u", "car", "certificate");
    assert_eq!(keys.len(), 2);
    assert_ne!(
        fs::read(world.path(&keys[0])).unwrap(),
        fs::read(world.path(&keys[1])).unwrap()
    );
    let [old, new] = [0, 1].map(|at| world.works(&format!("pki show {}", files[at])));
    let pca = world.indexed("u", "pca", "id");
    // The new one is the renewed issuer's.
    for (shown, id) in [(&old, &pca[0]), (&new, &pca[1])] {
        assert!(shown.contains("region country:840"), "{shown}");
        assert!(shown.contains(&id[2..]), "{shown}: {id}");
    }
}

#[test]
fn what_is_there_stays_and_foreign_indexes_name_nothing_outside() {
    let world = World::new();
    world.works("pki init p --no-passphrase");
    let before = snapshot(&world.path("p"));
    world.refused("pki init p --no-passphrase", &["is there and not empty"]);
    assert_eq!(snapshot(&world.path("p")), before);
    world.refused("pki show nothing", &["nothing"]);
    world.refused("pki issue nothing --name x", &["no PKI", "pki init"]);
    world.refused(
        "pki init q --no-passphrase --passphrase-fd 3",
        &["cannot be used with"],
    );
    for name in ["../x", "a/b", "", "0123456789abcdef", ".x"] {
        let mut command = waywarden();
        command.current_dir(world.path(""));
        let name = format!("--name={name}");
        let output = command.args(["pki", "issue", "p", &name]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}");
    }
    let index = fs::read_to_string(world.path("p/pki.toml")).unwrap();
    world.write("p/pki.toml", index.replace("keys/", "../keys/"));
    world.refused("pki issue p --name x", &["p/pki.toml", "not a path below"]);
    world.write("p/pki.toml", index.replace("version = 1", "version = 2"));
    world.refused("pki show p", &["version 2"]);
    world.write("p/pki.toml", "x");
    world.refused("pki show p", &["p/pki.toml"]);
}

#[test]
fn a_public_key_from_elsewhere_gets_a_certificate_and_no_key_file() {
    use p256::elliptic_curve::sec1::ToSec1Point as _;
    let world = World::new();
    world.works("pki init p --no-passphrase");
    let key = p256::SecretKey::from_slice(&[7; 32]).unwrap();
    let public = key.public_key().to_sec1_point(true);
    world.write("chip", public.as_bytes());
    world.works("pki issue p --name chip --public chip");
    assert_eq!(world.indexed("p", "chip", "key"), [""; 0]);
    let file = world.newest("p", "chip", "certificate");
    world.works(&format!("verify {file} --trust p/trust"));
    world.write("chip", &public.as_bytes()[1..]);
    world.refused(
        "pki issue p --name chip --public chip",
        &["chip: no public key"],
    );
    world.refused("pki renew p chip", &["its private key is elsewhere"]);
}
