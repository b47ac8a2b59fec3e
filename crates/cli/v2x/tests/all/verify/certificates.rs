//! Certificates, their issuers and their keys.

use std::fs;
use std::path::Path;

use super::{TRUST, json, run, text};
use crate::support::workspace;

#[test]
fn certificates_are_verified_against_their_issuers() {
    let files = [
        "verify",
        "examples/v2x/trust/root.oer",
        "examples/v2x/trust/authority.oer",
        "examples/v2x/implicit.oer",
    ];
    let (code, all) = json(&[&files, TRUST].concat());
    assert_eq!((code, &all["accepted"]), (Some(1), &2.into()), "{all}");
    assert_eq!(
        (&all["signature_valid"], &all["verdicts"]["unknown"]),
        (&2.into(), &1.into())
    );
    let (code, all) = json(
        &[
            &files[..2],
            &[
                "--trust",
                "examples/v2x/trust",
                "--at",
                "2090-01-01T00:00:00Z",
            ],
        ]
        .concat(),
    );
    assert_eq!(
        (code, &all["verdicts"]["spduCertificateExpired"]),
        (Some(1), &1.into()),
        "{all}"
    );
    let (code, all) = json(&["verify", "examples/v2x/trust/authority.oer"]);
    let verdict = "spduCertificateChainNotEnoughInformationToConstructChain";
    assert_eq!((code, &all["verdicts"][verdict]), (Some(1), &1.into()));
}

/// The key that a second implementation rebuilt is not at hand: the issuer's part of an implicit
/// certificate and the station's give a private key, and a message signed with it verifies under
/// the key that is shown.
#[test]
fn an_implicit_certificates_key_is_shown() {
    let issuer = ["--issuer-cert", "examples/v2x/trust/authority.oer"];
    let output = run(&[&["inspect", "examples/v2x/implicit.oer"], &issuer[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let key = "02d26ba9b2512f00fa07b34380b834693891d2f314f97c3060344124a2cffdf2af";
    assert!(text(&output).contains(key), "{}", text(&output));
    let explicit = ["inspect", "examples/v2x/trust/authority.oer"];
    let output = run(&[&explicit[..], &issuer[..]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output).contains("nothing to rebuild"),
        "{}",
        text(&output)
    );
    let wrong = ["--issuer-cert", "examples/v2x/trust/root.oer"];
    let output = run(&[&["inspect", "examples/v2x/implicit.oer"], &wrong[..]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output).contains("its issuer is 973531e9a3f9d897"),
        "{}",
        text(&output)
    );
    let short = ["--issuer-hash", "00", "--issuer-key", "02"];
    let output = run(&[&["inspect", "examples/v2x/implicit.oer"], &short[..]].concat());
    assert!(
        text(&output).contains("--issuer-hash: 64 hexadecimal digits"),
        "{}",
        text(&output)
    );
}

/// The authority is in the folder, and is not taken: that is why its certificates are not.
#[test]
fn an_issuer_that_is_refused_itself_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let trust = folder.path().join("trust");
    fs::create_dir(&trust).unwrap();
    let examples = workspace().join("examples/v2x/trust");
    fs::copy(examples.join("root.oer"), trust.join("root.oer")).unwrap();
    let mut authority = fs::read(examples.join("authority.oer")).unwrap();
    *authority.last_mut().unwrap() ^= 1;
    let path = trust.join("authority.oer");
    fs::write(&path, &authority).unwrap();
    let trust = trust.display().to_string();
    let output = run(&["verify", &path.display().to_string(), "--trust", &trust]);
    assert!(text(&output).contains("authority.oer is not taken: spduCryptoVerificationFailure"));
    // Without its root: the authority is refused for that, and its certificates for both.
    let path = examples.join("authority.oer");
    fs::copy(&path, Path::new(&trust).join("authority.oer")).unwrap();
    fs::remove_file(Path::new(&trust).join("root.oer")).unwrap();
    let words = ["verify", "examples/v2x/messages.hex", "--trust", &trust];
    let (code, all) = json(&[&words[..], &["--at", "generation"]].concat());
    assert_eq!(code, Some(1));
    let reason = all["messages"][0]["reason"].as_str().unwrap();
    let issuer = "certificate 973531e9a3f9d897 is not known; it is in ";
    assert!(reason.starts_with(issuer), "{reason}");
    let refused = "authority.oer, and not taken: \
                   spduCertificateChainNotEnoughInformationToConstructChain";
    assert!(reason.contains(refused), "{reason}");
}

/// Keys that are known otherwise may be of each curve that messages are signed on.
#[test]
fn signers_keys_are_points_of_four_curves() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    let certificate = fs::read(workspace().join("examples/v2x/trust/authority.oer")).unwrap();
    let hex = |bytes: &[u8]| -> String { bytes.iter().map(|byte| format!("{byte:02x}")).collect() };
    let read = |x: &str, y: &str| {
        let entry = format!(
            "[{{\"hashed_id8\":\"973531e9a3f9d897\",\"certificate\":\"{}\",\
             \"public_key_x\":\"{x}\",\"public_key_y\":\"{y}\"}}]",
            hex(&certificate)
        );
        fs::write(&path, entry).unwrap();
        let keys = path.display().to_string();
        run(&["verify", "examples/v2x/altered.hex", "--signer-keys", &keys])
    };
    // The generators.
    let points = [
        (
            "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
            "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
        ),
        (
            "8bd2aeb9cb7e57cb2c4b482ffc81b7afb9de27e1e3bd23c23a4453bd9ace3262",
            "547ef835c3dac4fd97f8461a14611dc9c27745132ded8e545c1d54c72f046997",
        ),
        (
            "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a38\
             5502f25dbf55296c3a545e3872760ab7",
            "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c0\
             0a60b1ce1d7e819d7a431d7c90ea0e5f",
        ),
        (
            "1d1c64f068cf45ffa2a63a81b7c13f6b8847a3e77ef14fe3db7fcafe0cbd10e8\
             e826e03436d646aaef87b2e247d4af1e",
            "8abe1d7520f9c2a45cb1eb8e95cfd55262b70b29feec5864e19c054ff9912928\
             0e4646217791811142820341263c5315",
        ),
    ];
    for (x, y) in points {
        let output = read(x, y);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output));
        let output = read(x, &y.replace('1', "2"));
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output).contains("entry 1: public_key_x, public_key_y: no point of"));
    }
    assert!(text(&read("00", "00")).contains("public_key_x has 1 bytes, not 32 or 48"));
}
