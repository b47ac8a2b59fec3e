//! `waywarden verify` and `waywarden inspect` on examples, on real data and on what is neither.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::support::capture::{example, pcap, pcapng, wsm};
use crate::support::{corpus, waywarden, workspace};

fn run(words: &[&str]) -> Output {
    waywarden().args(words).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The exit code and the answer.
fn json(words: &[&str]) -> (Option<i32>, Value) {
    let mut command = waywarden();
    command.args(words).args(["--format", "json"]);
    let code = command.output().unwrap().status.code();
    (code, crate::support::json(&mut command))
}

const TRUST: &[&str] = &["--trust", "examples/v2x/trust", "--at", "generation"];

#[test]
fn the_examples_are_accepted_and_the_altered_one_is_not() {
    let (code, all) = json(&[&["verify", "examples/v2x/messages.hex"], TRUST].concat());
    assert_eq!(
        (code, &all["accepted"], &all["inputs"]),
        (Some(0), &4.into(), &4.into())
    );
    let (code, all) = json(&[&["verify", "examples/v2x/altered.hex"], TRUST].concat());
    assert_eq!((code, &all["accepted"]), (Some(1), &0.into()));
    let one = &all["messages"][0];
    assert_eq!(one["verdict"], "spduCryptoVerificationFailure");
    assert_eq!(
        (&one["field"], &one["label"]),
        (&"signature".into(), &"bsm-altered".into())
    );
    // The same messages twice: the second time they are replays.
    let twice = [
        "verify",
        "examples/v2x/messages.hex",
        "examples/v2x/messages.hex",
    ];
    let (code, all) = json(&[&twice, TRUST].concat());
    assert_eq!(
        (code, &all["accepted"], &all["signature_valid"]),
        (Some(1), &4.into(), &8.into())
    );
    assert_eq!(all["verdicts"]["spduRelevanceReplayedSpdu"], 4);
    // Now they are too old; no authority is trusted without --trust.
    let (_, all) = json(&["verify", "examples/v2x/messages.hex"]);
    assert_eq!(
        (&all["accepted"], &all["signature_valid"]),
        (&0.into(), &0.into())
    );
}

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

#[test]
fn inspect_shows_parts_with_their_places() {
    let (code, all) = json(&["inspect", "examples/v2x/trust/authority.oer"]);
    assert_eq!(code, Some(0));
    let own = &all[0];
    assert_eq!(own["hashed_id8"], "973531e9a3f9d897");
    assert_eq!(own["parts"]["length"], own["length"]);
    let field = |part: &Value, name: &str| {
        let parts = part["parts"].as_array().unwrap();
        parts
            .iter()
            .find(|part| part["field"] == name)
            .cloned()
            .unwrap()
    };
    let start = field(
        &field(&field(&own["parts"], "toBeSigned"), "validityPeriod"),
        "start",
    );
    assert_eq!(start["meaning"], "2026-03-07T10:26:35Z");
    let output = run(&["inspect", "examples/v2x/messages.hex"]);
    assert!(text(&output).contains("psid: Psid = 36 (0x24, cooperative awareness, CAM)"));
}

/// One message in every kind of file.
#[test]
fn messages_come_in_all_kinds_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let spdu = example(0);
    let digits: String = spdu.iter().map(|byte| format!("{byte:02x}")).collect();
    let frames = [wsm(36, &spdu)];
    let (pcap, pcapng) = (pcap(&frames), pcapng(&frames));
    let files: [(&str, &[u8]); 4] = [
        ("message.oer", &spdu),
        ("line.txt", digits.as_bytes()),
        ("capture.pcap", &pcap),
        ("capture.pcapng", &pcapng),
    ];
    for (name, bytes) in files {
        let plain = folder.path().join(name);
        fs::write(&plain, bytes).unwrap();
        let packed = folder.path().join(format!("{name}.gz"));
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(bytes).unwrap();
        fs::write(&packed, writer.finish().unwrap()).unwrap();
        for path in [plain, packed] {
            let path = path.display().to_string();
            let at = if name.starts_with("capture") {
                "capture"
            } else {
                "2026-03-07T20:26:36Z"
            };
            let (code, all) = json(&["verify", &path, "--trust", "examples/v2x/trust", "--at", at]);
            assert_eq!(
                (code, &all["accepted"]),
                (Some(0), &1.into()),
                "{path}: {all}"
            );
            let kind = if name.starts_with("capture") {
                "WSM"
            } else {
                "SPDU"
            };
            assert_eq!(all["messages"][0]["kind"], kind);
            assert_eq!(run(&["inspect", &path]).status.code(), Some(0), "{path}");
        }
    }
}

#[test]
fn what_is_no_message_is_called_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let name = path.display().to_string();
    let cases: [(&[u8], i32, &str); 8] = [
        (
            b"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
            2,
            "a PEM file",
        ),
        (&[0x30, 0x82, 1, 0, 0], 1, "X.509"),
        (&[2, 0, 0, 0], 1, "version 2"),
        (b"PK\x03\x04\x00", 1, "ZIP"),
        (&[3, 0x81, 0], 1, "missing"),
        (b"zz 0102\nlabel 010\n", 2, ":2: no hexadecimal digits"),
        (&[0xD4, 0xC3, 0xB2, 0xA1, 0, 0], 2, "packet 0"),
        (&[0x1F, 0x8B, 9, 9], 2, "file: "),
    ];
    for (bytes, code, expected) in cases {
        fs::write(&path, bytes).unwrap();
        for command in ["verify", "inspect"] {
            let output = run(&[command, &name]);
            assert_eq!(
                output.status.code(),
                Some(code),
                "{expected}: {}",
                text(&output)
            );
            assert!(
                text(&output).contains(expected),
                "{expected}: {}",
                text(&output)
            );
        }
    }
    fs::write(&path, b"").unwrap();
    assert_eq!(run(&["verify", &name]).status.code(), Some(2));
    let output = run(&[
        "verify",
        &name,
        "--trust",
        &folder.path().display().to_string(),
    ]);
    assert!(
        text(&output).contains("has no certificate of IEEE 1609.2"),
        "{}",
        text(&output)
    );
    let output = run(&["verify", "examples/v2x/messages.hex", "--at", "yesterday"]);
    assert!(
        text(&output).contains("2026-03-01T12:00:00Z"),
        "{}",
        text(&output)
    );
    assert_eq!(run(&["verify", "nowhere.hex"]).status.code(), Some(2));
}

#[test]
fn real_certificates_and_messages() {
    if let Some(folder) = corpus("v2x/etsi_tsits_certs") {
        let folder = folder.display().to_string();
        let entries = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let files = entries.filter(|path| path.extension().is_some_and(|end| end == "oer"));
        let files: Vec<String> = files.map(|path| path.display().to_string()).collect();
        let names: Vec<&str> = files.iter().map(String::as_str).collect();
        let (_, all) = json(&[&["verify", "--trust", &folder], &names[..]].concat());
        let figures = ["inputs", "parsed", "signature_valid", "accepted"].map(|name| &all[name]);
        assert_eq!(figures, [105, 105, 105, 83].map(Value::from).each_ref());
    }
    if let Some(folder) = corpus("v2x/us_field") {
        let folder = folder.display().to_string();
        let messages = format!("{folder}/signed.hex");
        let keys = format!("{folder}/us_field_recovered_keys.json");
        let (code, all) = json(&["verify", &messages, "--signer-keys", &keys]);
        let figures = ["inputs", "parsed", "signature_valid", "accepted"].map(|name| &all[name]);
        assert_eq!(figures, [843, 843, 843, 0].map(Value::from).each_ref());
        assert_eq!(code, Some(1));
    }
    if let Some(folder) = corpus("v2x/eu_trust") {
        let folder = folder.display().to_string();
        let list = format!("{folder}/CE4CF6C19BFED720.oer");
        let (code, all) = json(&["verify", &list, "--trust", &folder, "--at", "generation"]);
        assert_eq!((code, &all["accepted"]), (Some(0), &1.into()), "{all}");
        let attack = format!("{folder}/CE4CF6C19BFED720_with_recursion_depth150.oer");
        let (code, all) = json(&["verify", &attack, "--trust", &folder]);
        assert_eq!(
            (code, &all["verdicts"]["spduParsingInvalidInput"]),
            (Some(1), &1.into())
        );
    }
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

/// What messages carry is shown, too: where cars were in Wyoming, and the roots of Europe.
#[test]
fn inspect_shows_what_messages_carry() {
    if let Some(folder) = corpus("v2x/us_field") {
        let messages = folder.join("signed.hex").display().to_string();
        let (code, all) = json(&["inspect", &messages]);
        assert_eq!(code, Some(0));
        let carried = all.as_array().unwrap().iter().map(|one| &one["payload"][0]);
        let safety = carried.filter(|layer| layer["kind"] == "SAE J2735 message");
        let mut count = 0;
        for layer in safety {
            assert!(layer["error"].is_null(), "{layer}");
            let text = layer.to_string();
            // Latitude in tenths of a microdegree: 41 degrees north.
            assert!(
                text.contains("\"field\":\"lat\"") && text.contains("\"value\":41"),
                "{text}"
            );
            count += 1;
        }
        println!("{count} basic safety messages");
        assert!(count > 100);
    }
    if let Some(folder) = corpus("v2x/eu_trust") {
        let list = folder.join("CE4CF6C19BFED720.oer").display().to_string();
        let (code, all) = json(&["inspect", &list]);
        assert_eq!(code, Some(0));
        assert!(all.to_string().contains("1_EU-ROOT-CA_L2"));
        assert_eq!(all[0]["payload"][0]["kind"], "message of TS 102 941");
    }
}
