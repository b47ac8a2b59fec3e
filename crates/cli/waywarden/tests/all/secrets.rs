//! Keys, passphrases and decrypted messages: who else can read them.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::cargo::cargo_bin;

use crate::support::{World, snapshot};

/// A user that is not root: the kernel gives the files in /proc of a process that is not dumpable
/// to root.
const UNPRIVILEGED_USER: u32 = 65_534;

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Gives a folder and what is in it to a user.
fn give(path: &Path, user: u32) {
    chown(path, Some(user), Some(user)).unwrap();
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            give(&entry.unwrap().path(), user);
        }
    }
}

/// Starts a command that waits for its standard input, as a user that is not root.
fn waiting(world: &World, words: &str) -> Child {
    let mut command = Command::new(cargo_bin("waywarden"));
    command
        .current_dir(world.path(""))
        .args(words.split_whitespace());
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    if is_root() {
        give(&world.path(""), UNPRIVILEGED_USER);
        command.uid(UNPRIVILEGED_USER).gid(UNPRIVILEGED_USER);
    }
    command.spawn().unwrap()
}

/// Waits until the memory of a process is protected; what is wrong if it never is.
fn unprotected(child: &mut Child) -> Option<String> {
    let process = PathBuf::from(format!("/proc/{}", child.id()));
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let owner = fs::metadata(process.join("environ")).map(|found| found.uid());
        let limits = fs::read_to_string(process.join("limits")).unwrap_or_default();
        let core = limits
            .lines()
            .find(|line| line.starts_with("Max core file size"));
        let core = core.unwrap_or_default().to_owned();
        let has_core = !core.split_whitespace().skip(4).take(2).eq(["0", "0"]);
        match owner {
            // Root: no process of its own user may read its memory.
            Ok(0) if !has_core => return None,
            owner if Instant::now() > until => {
                return Some(format!("owner of environ: {owner:?}; {core}"));
            }
            _ if child.try_wait().unwrap().is_some() => {
                let mut complaint = String::new();
                let mut stderr = child.stderr.take().unwrap();
                stderr.read_to_string(&mut complaint).unwrap();
                return Some(format!("ended: {complaint}"));
            }
            _ => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

#[test]
fn commands_with_keys_are_not_dumpable_and_leave_no_core() {
    let world = World::new();
    world.works("pki init p --no-passphrase");
    world.works("pki issue p --name car --encryption-key");
    world.write("shared", "00112233445566778899aabbccddeeff");
    for words in [
        "pki serve p",
        "pki init new --passphrase-fd 0",
        "pki keygen car.p8 --public car.der --passphrase-fd 0",
        "sign - --pki p --as car --psid CAM",
        "decrypt - --pki p --as car",
        "encrypt - --pre-shared-key shared",
    ] {
        let mut child = waiting(&world, words);
        let wrong = unprotected(&mut child);
        let _ = child.kill();
        child.wait().unwrap();
        assert_eq!(wrong, None, "{words}");
    }
}

#[test]
fn passphrase_files_that_others_can_read_are_refused() {
    let world = World::new();
    world.write("secret", "right\n");
    world.works("pki init p --passphrase-file secret");
    let words = "pki issue p --name car --passphrase-file secret";
    for mode in [0o644, 0o604, 0o660, 0o620, 0o601, 0o602] {
        world.set_mode("secret", mode);
        world.refused(
            words,
            &[
                &format!("secret: has a secret, and its mode {mode:04o}"),
                "chmod 0600",
            ],
        );
    }
    for mode in [0o400, 0o600, 0o640] {
        world.set_mode("secret", mode);
        world.works(words);
    }
    if is_root() {
        chown(world.path("secret"), Some(UNPRIVILEGED_USER), None).unwrap();
        world.refused(words, &["secret: has a secret, and belongs to user 65534"]);
    }
}

#[test]
fn keys_without_a_passphrase_that_others_can_read_are_warned_of() {
    let world = World::new();
    world.works("pki init p --no-passphrase");
    world.works("pki issue p --name car");
    let key = world.newest("p", "car", "key");
    world.set_mode(&key, 0o644);
    world.write("payload", "hello");
    let ended = world.run("sign payload --pki p --as car --psid CAM");
    assert_eq!(ended.code, Some(0), "{}", ended.complaint);
    assert!(
        ended.complaint.contains(&format!("{key}: has a secret")),
        "{}",
        ended.complaint
    );
}

#[test]
fn decrypted_messages_are_for_their_owner_alone() {
    let world = World::new();
    world.write("shared", "00112233445566778899aabbccddeeff");
    world.write("payload", "hello");
    world.works("encrypt payload --payload --pre-shared-key shared -o encrypted");
    let decrypt = "decrypt encrypted --pre-shared-key shared --payload --format raw -o plain";
    world.works(decrypt);
    let mode = |name: &str| fs::metadata(world.path(name)).unwrap().mode() & 0o777;
    assert_eq!(format!("{:04o}", mode("plain")), "0600");
    assert_eq!(fs::read(world.path("plain")).unwrap(), b"hello");
    // Also where it replaces a file that others could read.
    world.set_mode("plain", 0o644);
    world.works(decrypt);
    assert_eq!(format!("{:04o}", mode("plain")), "0600");
}

#[test]
fn public_keys_that_the_pki_knows_are_refused_or_warned_of() {
    let world = World::new();
    for (pki, shape) in [("p", ""), ("u", "--us")] {
        world.works(&format!("pki init {pki} --no-passphrase {shape}"));
        world.works("pki keygen own.p8 --public own.der --no-passphrase");
        let issue =
            |name: &str| world.run(&format!("pki issue {pki} --name {name} --public own.der"));
        let first = issue("car");
        assert_eq!((first.code, &first.complaint[..]), (Some(0), ""), "{pki}");
        let second = issue("bus");
        assert_eq!(second.code, Some(0), "{}", second.complaint);
        let warning = "own.der: is certified already, for";
        assert!(second.complaint.contains(warning), "{}", second.complaint);
        assert!(second.complaint.contains(" car ("), "{}", second.complaint);
        fs::remove_file(world.path("own.p8")).unwrap();
        fs::remove_file(world.path("own.der")).unwrap();
        let before = snapshot(&world.path(pki));
        for name in ["root", "ea", "aa", "pca", "crlg"] {
            let of_pki = world.indexed(pki, name, "certificate");
            let Some(certificate) = of_pki.last() else {
                continue;
            };
            let shown = fs::read(world.path(certificate)).unwrap();
            let key = verification_key(&shown);
            world.write("theirs", &key);
            world.refused(
                &format!("pki issue {pki} --name thief --public theirs"),
                &["--public theirs: is a key of the PKI itself, of", name],
            );
        }
        assert_eq!(snapshot(&world.path(pki)), before);
    }
}

/// The compressed point of an explicit certificate's key.
fn verification_key(certificate: &[u8]) -> Vec<u8> {
    use waywarden_v2x_wire::coer::parse;
    use waywarden_v2x_wire::ieee1609dot2::{
        Certificate, CurvePoint, PublicVerificationKey, VerificationKeyIndicator,
    };
    let view: Certificate<'_> = parse(certificate).unwrap();
    let VerificationKeyIndicator::VerificationKey(PublicVerificationKey::EcdsaNistP256(point)) =
        view.to_be_signed.verify_key_indicator
    else {
        panic!("another key");
    };
    match point {
        CurvePoint::CompressedY0(x) => [&[2][..], x].concat(),
        CurvePoint::CompressedY1(x) => [&[3][..], x].concat(),
        other => panic!("{other:?}"),
    }
}
