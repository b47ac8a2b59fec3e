//! `waywarden sign`, `encrypt` and `decrypt`: what one makes the other takes, and what `verify`
//! says of it.

use std::fs;

use crate::support::World;
use crate::support::corpus;

/// A PKI with a station, and a payload.
fn world(options: &str, issue: &str) -> World {
    let world = World::new();
    world.works(&format!("pki init @p --no-passphrase {options}"));
    world.works(&format!("pki issue @p --name car {issue}"));
    world.write("payload", "hello");
    world
}

const PLACE: &str = "--location 48.1,11.5,500";

#[test]
fn what_is_signed_is_verified_for_each_application_curve_and_form() {
    for (curve, x_only) in [("p256", ""), ("p384", "--x-only"), ("brainpool-p256r1", "")] {
        let all = "--psid CAM --psid DENM --psid SPATEM --psid 639";
        let world = world(&format!("--curve {curve}"), all);
        for (psid, place) in [
            ("CAM", ""),
            ("DENM", PLACE),
            ("SPATEM", PLACE),
            ("639", PLACE),
        ] {
            let sign = format!("sign payload --pki p --as car --psid {psid} {place} {x_only}");
            world.works(&format!("{sign} -o signed.hex"));
            world.works("verify signed.hex --trust p/trust");
            // The payload is none of these applications', so that `inspect` complains of it alone.
            let shown = world.run("inspect signed.hex").out;
            assert!(shown.contains("SignedData"), "{shown}");
            assert!(!shown.contains("not as TS 103 097"), "{shown}");
            world.works(&format!("{sign} --format raw -o signed.coer"));
            world.works("verify signed.coer --trust p/trust");
        }
    }
}

#[test]
fn american_messages_are_verified_with_implicit_certificates() {
    let world = world("--us", "--count 2");
    for id in world.indexed("p", "car", "id") {
        let sign = format!("sign payload --pki p --as {} --psid BSM", &id[2..]);
        world.works(&format!("{sign} -o signed.hex"));
        world.works("verify signed.hex --trust p/trust");
    }
    world.works("sign payload --pki p --as car --psid BSM --signer chain --lifetime 10s -o s.hex");
    world.works("verify s.hex --trust p/trust");
}

#[test]
fn many_lines_are_signed_and_known_signers_are_named_by_digest() {
    let world = world("", "");
    let lines: Vec<String> = (0..50).map(|line| format!("{line:04x}")).collect();
    world.write("lines", format!("# payloads\n\n{}\n", lines.join("\n")));
    let sign = "sign lines --lines --pki p --as car --psid CAM";
    let first = world.works("sign payload --pki p --as car --psid CAM");
    let device = "sign payload --pki p --as car --psid CAM -o /dev/stdout";
    assert!(cfg!(windows) || !world.works(device).is_empty());
    let others = world.works(&format!("{sign} --signer digest"));
    assert_eq!(others.lines().count(), 50);
    world.write("all.hex", format!("{first}{others}"));
    world.works("verify all.hex --trust p/trust --at generation");
    world.write("lines", "00\n0g\n");
    world.refused(sign, &["lines:2", "hexadecimal digits"]);
    world.write("lines", "\n");
    world.refused(sign, &["has no payload"]);
    world.refused(&format!("{sign} --format raw"), &["has no payload"]);
    world.write("lines", "00\n01\n");
    world.refused(
        &format!("{sign} --format raw -o two.coer"),
        &["one message"],
    );
    assert!(!world.path("two.coer").exists());
}

#[test]
fn a_message_outside_of_its_certificate_is_not_signed() {
    let start = "--start 2026-01-01T00:00:00Z";
    let world = world(start, &format!("{start} --region circle:48.1,11.5,1000"));
    let file = world.newest("p", "car", "certificate");
    let time = "--time 2026-01-02T00:00:00Z";
    for (options, reasons) in [
        (
            format!("--psid DENM {time}"),
            vec!["generationLocation", "--location"],
        ),
        (
            format!("--psid CAM {time} {PLACE}"),
            vec!["generationLocation", "may not be there"],
        ),
        (
            format!("--psid DENM {time} {PLACE} --signer digest"),
            vec!["signer"],
        ),
        (
            format!("--psid CAM {time} --lifetime 1s"),
            vec!["expiryTime"],
        ),
        (format!("--psid CAM {time} --signer chain"), vec!["signer"]),
        (format!("--psid BSM {time}"), vec![&file, "appPermissions"]),
        ("--psid CAM".to_owned(), vec![&file, "no longer valid"]),
        (
            "--psid CAM --time 2025-12-31T00:00:00Z".to_owned(),
            vec![&file, "not valid yet"],
        ),
        (
            format!("--psid DENM {time} --location 52,13"),
            vec![&file, "region"],
        ),
        (format!("--psid WHAT {time}"), vec!["is no application"]),
        (
            format!("--psid 8002 {time}"),
            vec![
                "decimal PSID 8002 (write 0x1F42)",
                "0p80-02, PSID 130 (write 0x82)",
            ],
        ),
        (
            format!("--psid CAM {time} --location 91,0"),
            vec!["LATITUDE"],
        ),
    ] {
        let words = format!("sign payload --pki p --as car {options} -o signed.hex");
        world.refused(&words, &reasons);
        assert!(!world.path("signed.hex").exists(), "{options}");
    }
    // What the profile forbids can be signed for a test, and `verify` refuses it.
    let lenient = format!("sign payload --pki p --as car --psid CAM {time} {PLACE} --lenient");
    world.works(&format!("{lenient} -o signed.hex"));
    let verify = "verify signed.hex --trust p/trust --at generation";
    assert_eq!(world.run(verify).code, Some(1));
    world.works(&format!("{verify} --lenient"));
}

#[test]
fn a_changed_message_is_refused() {
    let world = world("", "");
    let signed = world.works("sign payload --pki p --as car --psid CAM");
    let changed = signed.replacen("68656c6c6f", "68656c6c70", 1);
    assert_ne!(signed, changed);
    world.write("changed.hex", changed);
    let ended = world.run("verify changed.hex --trust p/trust");
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.out.contains("spduCryptoVerificationFailure"),
        "{}",
        ended.out
    );
}

#[test]
fn etsi_test_certificates_and_keys_sign() {
    let Some(folder) = corpus("v2x/etsi_tsits_certs") else {
        return;
    };
    let world = World::new();
    world.write("payload", "hello");
    let file = |name: &str| folder.join(name).display().to_string();
    let (at, key) = (file("CERT_IUT_A_AT.oer"), file("CERT_IUT_A_AT.vkey"));
    let chain = [file("CERT_IUT_A_RCA.oer"), file("CERT_IUT_A_AA.oer")];
    let own = format!("sign payload --certificate {at} --key {key} --psid CAM");
    let shown = world.works(&format!("pki show @{at}"));
    let (_, start) = shown.split_once("valid ").unwrap();
    let time = start.split_once(' ').unwrap().0;
    let sign = format!("{own} --chain {} --chain {}", chain[0], chain[1]);
    fs::create_dir(world.path("trust")).unwrap();
    for from in &chain {
        fs::copy(
            from,
            world.path("trust").join(from.rsplit('/').next().unwrap()),
        )
        .unwrap();
    }
    world.works(&format!("{sign} --time {time} -o signed.hex"));
    world.works("verify signed.hex --trust trust --at generation");
    world.refused(
        &format!("{own} --chain {} --time {time}", chain[0]),
        &[&at, "--chain"],
    );
    let other = file("CERT_IUT_A1_AT.vkey");
    let wrong = sign.replace(&key, &other);
    world.refused(
        &format!("{wrong} --time {time}"),
        &[&other, &at, "verifyKeyIndicator"],
    );
}

#[test]
fn what_is_encrypted_is_read_by_its_recipients_alone() {
    for curve in ["p256", "brainpool-p256r1", "p384"] {
        let world = world(&format!("--curve {curve}"), "--encryption-key");
        world.works("sign payload --pki p --as car --psid CAM -o signed.hex");
        let [aa, ea, car] = ["aa", "ea", "car"].map(|name| world.newest("p", name, "certificate"));
        world.works(&format!(
            "encrypt signed.hex --to {aa} --to {car} -o encrypted.hex"
        ));
        let signed = fs::read_to_string(world.path("signed.hex")).unwrap();
        for name in ["aa", "car"] {
            let decrypt = format!("decrypt encrypted.hex --pki p --as {name}");
            assert_eq!(world.works(&decrypt), signed);
        }
        world.works("decrypt encrypted.hex --pki p --as aa -o plain.hex");
        world.works("verify plain.hex --trust p/trust");
        let ended = world.run("decrypt encrypted.hex --pki p --as ea");
        assert_eq!((ended.code, ended.out.as_str()), (Some(1), ""));
        assert!(
            ended.complaint.contains("recipients"),
            "{}",
            ended.complaint
        );
        let (key, other) = (
            world.newest("p", "aa", "encryption_key"),
            world.newest("p", "ea", "encryption_key"),
        );
        let decrypt = "decrypt encrypted.hex --certificate";
        assert_eq!(world.works(&format!("{decrypt} {aa} --key {key}")), signed);
        let wrong = format!("{decrypt} {aa} --key {other}");
        world.refused(&wrong, &[&aa, "encryptionKey"]);
        let mut changed = fs::read_to_string(world.path("encrypted.hex")).unwrap();
        let end = changed.trim_end().len() - 1;
        let last = if changed.as_bytes()[end] == b'0' {
            "1"
        } else {
            "0"
        };
        changed.replace_range(end..=end, last);
        world.write("encrypted.hex", changed);
        assert_eq!(
            world.run("decrypt encrypted.hex --pki p --as aa").code,
            Some(1)
        );
        let root = world.newest("p", "root", "certificate");
        world.refused(
            &format!("encrypt signed.hex --to {root}"),
            &[&root, "encryptionKey"],
        );
        world.refused(
            &format!("encrypt payload --to {ea}"),
            &["payload", "--payload"],
        );
        world.refused(
            "decrypt encrypted.hex --pki p --as root",
            &["encryptionKey"],
        );
    }
}

#[test]
fn renewed_certificates_sign_when_they_are_valid_and_old_messages_stay_readable() {
    let world = world("", "--encryption-key --validity 24h");
    let old = world.newest("p", "car", "certificate");
    world.works(&format!("encrypt payload --payload --to {old} -o e.hex"));
    world.works("pki renew @p car --start 2030-01-01T00:00:00Z");
    let ids = world.indexed("p", "car", "id");
    for (time, id) in [("now", &ids[0]), ("2030-01-01T12:00:00Z", &ids[1])] {
        let sign = format!("sign payload --pki p --as car --psid CAM --time {time}");
        world.works(&format!("{sign} --signer digest -o signed.hex"));
        let shown = world.run("inspect signed.hex").out;
        assert!(shown.contains(&id[2..]), "{shown}");
    }
    let read = world.works("decrypt e.hex --pki p --as car --payload --format raw");
    assert_eq!(read, "hello");
}

#[test]
fn shared_keys_and_response_keys_encrypt_and_decrypt() {
    use p256::elliptic_curve::sec1::ToSec1Point as _;
    let world = World::new();
    world.write("payload", "hello");
    world.write("shared", [9; 16]);
    world.write("shared.hex", "09".repeat(16));
    world.works("encrypt payload --payload --pre-shared-key shared -o e.hex");
    let read = "decrypt e.hex --payload --format raw";
    assert_eq!(
        world.works(&format!("{read} --pre-shared-key shared.hex")),
        "hello"
    );
    world.write("other", [8; 16]);
    assert_eq!(
        world.run("decrypt e.hex --pre-shared-key other").code,
        Some(1)
    );
    world.write("short", [8; 15]);
    world.refused(
        "decrypt e.hex --pre-shared-key short",
        &["short: a key of AES-128"],
    );
    let key = p256::SecretKey::from_slice(&[7; 32]).unwrap();
    world.write("response.ekey", [7; 32]);
    for compress in [false, true] {
        let public = key.public_key().to_sec1_point(compress);
        world.write("response.pub", public.as_bytes());
        world.works("encrypt payload --payload --to-response-key response.pub -o e.hex");
        assert_eq!(world.works(&format!("{read} --key response.ekey")), "hello");
    }
    world.refused("encrypt payload --payload", &["required"]);
    world.refused("decrypt e.hex", &["--pre-shared-key"]);
}

#[test]
fn answers_are_encrypted_to_the_key_in_a_signed_message() {
    use p256::elliptic_curve::sec1::ToSec1Point as _;
    let world = world("", "--psid CAM --psid 639");
    let key = p256::SecretKey::from_slice(&[7; 32]).unwrap();
    world.write("answer.ekey", [7; 32]);
    world.write("other.ekey", [8; 32]);
    world.write(
        "answer.pub",
        key.public_key().to_sec1_point(true).as_bytes(),
    );
    let sign = format!("sign payload --pki p --as car --psid 639 {PLACE}");
    world.works(&format!("{sign} --answer-key answer.pub -o request.hex"));
    world.works("verify request.hex --trust p/trust");
    world.works("encrypt payload --payload --to-signer-of request.hex -o e.hex");
    let read = "decrypt e.hex --payload --format raw --answer-to request.hex";
    assert_eq!(world.works(&format!("{read} --key answer.ekey")), "hello");
    world.refused(
        &format!("{read} --key other.ekey"),
        &["other.ekey", "--answer-to"],
    );
    // Without the message that it answers the key is another recipient's.
    assert_eq!(world.run("decrypt e.hex --key answer.ekey").code, Some(1));
    world.works(&format!("{sign} -o keyless.hex"));
    world.refused(
        "encrypt payload --payload --to-signer-of keyless.hex",
        &["keyless.hex", "encryptionKey", "--answer-key"],
    );
    // The profile of CAMs has no key in the header.
    world.refused(
        "sign payload --pki p --as car --psid CAM --answer-key answer.pub",
        &["encryptionKey"],
    );
}

#[test]
fn nothing_to_sign_encrypt_or_decrypt_is_an_error() {
    let world = world("", "--encryption-key");
    let car = world.newest("p", "car", "certificate");
    for text in ["", "\n\n", "# a comment\n"] {
        world.write("empty", text);
        for words in [
            "sign empty --lines --pki p --as car --psid CAM".to_owned(),
            format!("encrypt empty --lines --to {car}"),
            format!("encrypt empty --lines --payload --to {car}"),
            "decrypt empty --pki p --as car".to_owned(),
        ] {
            world.refused(&format!("{words} -o out"), &["empty"]);
            assert!(!world.path("out").exists(), "{words}");
        }
    }
}

#[test]
fn the_newest_valid_certificate_signs_behind_any_number_of_later_ones() {
    let world = world("", "");
    world.works("pki issue @p --name car --count 17 --start 2030-01-01T00:00:00Z");
    world.works("sign payload --pki p --as car --psid CAM -o signed.hex");
    world.works("verify signed.hex --trust p/trust");
}

#[test]
fn a_place_outside_of_the_certificate_s_country_is_never_signed() {
    let world = world("--region country:276", "");
    let file = world.newest("p", "car", "certificate");
    let sign = "sign payload --pki p --as car --psid DENM -o signed.hex --location";
    for options in ["", "--lenient"] {
        let words = format!("{sign} 48.85,2.35 {options}");
        world.refused(&words, &[&file, "region"]);
        assert!(!world.path("signed.hex").exists());
    }
    world.works(&format!("{sign} 48.1,11.5"));
    world.works("verify signed.hex --trust p/trust");
}
