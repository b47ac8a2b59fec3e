//! Key files: who may read them, passphrases, damaged and exchanged keys, renewal.

use std::fs;

use waywarden_testkit::Random;

use crate::support::{World, snapshot};

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
        crate::support::PROGRAM,
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
    world.works(&format!("verify @{file} --trust @p/trust"));
    world.write("chip", &public.as_bytes()[1..]);
    world.refused(
        "pki issue p --name chip --public chip",
        &["chip: no public key"],
    );
    world.refused("pki renew p chip", &["its private key is elsewhere"]);
}
