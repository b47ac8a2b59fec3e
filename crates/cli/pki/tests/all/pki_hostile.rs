//! `waywarden pki` with hostile key files and profiles: what is refused, and that nothing changes.

use std::fs;

use waywarden_testkit::Random;

use crate::support::World;

/// Returns a DER INTEGER.
fn integer(value: u64) -> Vec<u8> {
    let bytes = value.to_be_bytes();
    let first = bytes.iter().position(|byte| *byte != 0).unwrap_or(7);
    let mut content = bytes[first..].to_vec();
    if content[0] >= 0x80 {
        content.insert(0, 0);
    }
    [vec![2, u8::try_from(content.len()).unwrap()], content].concat()
}

/// Puts other scrypt parameters into an encrypted key whose lengths have two bytes at the outside.
fn with_scrypt(key: &[u8], n: u64, r: u64, p: u64) -> Vec<u8> {
    let own = [integer(1 << 14), integer(8), integer(5)].concat();
    let other = [integer(n), integer(r), integer(p)].concat();
    let at = key.windows(own.len()).position(|part| part == own).unwrap();
    let mut changed = key.to_vec();
    changed.splice(at..at + own.len(), other.iter().copied());
    // The lengths of the SEQUENCEs around the parameters, from the innermost one.
    let mut grown = Vec::new();
    let (mut from, mut end) = (0, key.len());
    while from < at {
        let (head, length) = match key[from + 1] {
            0x81 => (3, usize::from(key[from + 2])),
            short => (2, usize::from(short)),
        };
        if key[from] == 0x30 && from + head + length > at {
            grown.push((from, head, length));
            from += head;
            end = end.min(from + length);
        } else {
            from += head + length;
        }
    }
    for (from, head, length) in grown {
        let length = u8::try_from(length + other.len() - own.len()).unwrap();
        assert!(head == 3 || length < 0x80);
        changed[from + head - 1] = length;
    }
    changed
}

#[test]
fn memory_of_all_scrypt_lanes_counts_and_n_is_at_least_2() {
    let world = World::new();
    world.write("secret", "x\n");
    world.works("pki init p --passphrase-file secret");
    let key = world.newest("p", "aa", "key");
    let bytes = fs::read(world.path(&key)).unwrap();
    let mut random = Random::new(10);
    let refused = |(n, r, p): (u64, u64, u64), reason: &str| {
        world.write(&key, with_scrypt(&bytes, n, r, p));
        let issue = "pki issue p --name car --passphrase-file secret";
        println!("seed 10: N = {n}, r = {r}, p = {p}");
        world.refused(issue, &[&key, reason]);
    };
    refused((2, 64, 65_535), "256 MiB");
    refused((1, 64, 65_535), "N of at least 2");
    refused((1, 8, 1), "N of at least 2");
    // Of any r and p whose lanes take more than 256 MiB, whatever N is.
    for _ in 0..20 {
        let p = 40_000 + random.below(25_536);
        let least = (256 << 20) / (128 * p) + 1;
        let r = least + random.below(100);
        refused((2 << random.below(4), r, p), "256 MiB");
    }
}

#[test]
fn issuing_needs_an_encrypted_issuer_key_to_prove_the_passphrase() {
    let world = World::new();
    world.write("secret", "x\n");
    world.write("wrong", "y\n");
    world.works("pki init p --passphrase-file secret");
    world.works("pki issue p --name car --passphrase-file secret");
    world.works("pki init clear --no-passphrase");
    let before = fs::read(world.path("p/pki.toml")).unwrap();
    let clear = fs::read(world.path(&world.newest("clear", "aa", "key"))).unwrap();
    let key = world.newest("p", "aa", "key");
    for bytes in [&clear[..], &[7; 32]] {
        world.write(&key, bytes);
        for words in ["issue p --name car2", "renew p car"] {
            let words = format!("pki {words} --passphrase-file wrong");
            world.refused(&words, &[&key, "not encrypted"]);
        }
    }
    assert_eq!(fs::read(world.path("p/pki.toml")).unwrap(), before);
}

#[test]
fn profiles_give_1_to_100_years_as_the_option_does() {
    let world = World::new();
    for years in ["0", "101", "65535"] {
        world.write("profile.toml", format!("years = {years}\n"));
        world.refused(
            "pki init p --no-passphrase --profile profile.toml",
            &["profile.toml", "years"],
        );
        world.refused(
            &format!("pki init p --no-passphrase --years {years}"),
            &["--years"],
        );
        assert!(!world.path("p").exists());
    }
    world.write("profile.toml", "years = 100\n");
    world.works("pki init p --no-passphrase --profile profile.toml");
}
