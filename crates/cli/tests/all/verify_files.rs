//! `waywarden verify` and `waywarden inspect` on files that are broken, foreign or hostile, and
//! what of all that a program is told.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::capture::{example, pcap, wsm};
use crate::support::{waywarden, workspace};

const TRUST: [&str; 4] = ["--trust", "examples/v2x/trust", "--at", "generation"];

/// A folder with files.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }
}

fn run(command: &str, path: &Path, more: &[&str]) -> Output {
    waywarden()
        .arg(command)
        .arg(path)
        .args(more)
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Verifies: exit code, the document, and what is said beside it.
fn verify(path: &Path, more: &[&str]) -> (Option<i32>, Value, String) {
    let output = run("verify", path, &[more, &["--format", "json"]].concat());
    let words = said(&output);
    let all = serde_json::from_slice(&output.stdout);
    let all = all.unwrap_or_else(|error| panic!("{error}: {words}"));
    (output.status.code(), all, words)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn messages() -> String {
    fs::read_to_string(workspace().join("examples/v2x/messages.hex")).unwrap()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

fn counts(all: &Value) -> [u64; 2] {
    ["inputs", "accepted"].map(|name| all[name].as_u64().unwrap())
}

/// The DENM of the examples with its signature in the other form: one bit.
fn other_form() -> Vec<u8> {
    let mut message = example(2);
    let choice = message.len() - 65;
    assert_eq!(message[choice], 0x82, "a point with an even y");
    message[choice] = 0x80;
    message
}

#[test]
fn the_form_of_signatures_is_what_profiles_say_or_the_user() {
    let folder = Folder::new();
    let own = folder.write("own.oer", example(2));
    let other = folder.write("other.oer", other_form());
    let form = |path: &Path, form: &str| {
        let (code, all, _) = verify(path, &[&TRUST[..], &["--nonce-form", form]].concat());
        let one = &all["messages"][0];
        let word = |name: &str| one[name].as_str().unwrap_or("").to_owned();
        (code, word("verdict"), word("field"), word("reason"))
    };
    let refused = |why: &str| {
        let verdict = "spduParsingInvalidInput".to_owned();
        (Some(1), verdict, "rSig".to_owned(), why.to_owned())
    };
    let accepted = (Some(0), "success".to_owned(), String::new(), String::new());
    for path in [&own, &other] {
        assert_eq!(verify(path, &TRUST).1["accepted"], 1, "an ETSI application");
        assert_eq!(form(path, "any"), accepted);
    }
    assert_eq!(form(&own, "point"), accepted);
    assert_eq!(form(&other, "x-only"), accepted);
    let why = "an x-coordinate, where a point is demanded";
    assert_eq!(form(&other, "point"), refused(why));
    let why = "a point, where an x-coordinate is demanded";
    assert_eq!(form(&own, "x-only"), refused(why));
    // Whichever comes first, the other is its replay.
    for two in [[&own, &other], [&other, &own]] {
        let second = two[1].display().to_string();
        let (code, all, _) = verify(two[0], &[&[second.as_str()], &TRUST[..]].concat());
        assert_eq!((code, counts(&all)), (Some(1), [2, 1]));
        assert_eq!(all["verdicts"]["spduRelevanceReplayedSpdu"], 1);
    }
    // In America points are demanded: a BSM in the other form is refused.
    let mut safety = example(3);
    let choice = safety.len() - 65;
    safety[choice] = 0x80;
    let safety = folder.write("bsm.oer", safety);
    assert_eq!(verify(&safety, &TRUST).1["messages"][0]["field"], "rSig");
}

#[test]
fn a_copy_with_a_broken_signature_is_no_replay() {
    let folder = Folder::new();
    let mut broken = example(0);
    *broken.last_mut().unwrap() ^= 1;
    let lines = format!("{}\n{}\n", hex(&example(0)), hex(&broken));
    let (_, all, _) = verify(&folder.write("two.hex", lines), &TRUST);
    let second = &all["messages"][1];
    let expected = ("spduCryptoVerificationFailure", false);
    let verdict = second["verdict"].as_str().unwrap();
    assert_eq!((verdict, second["signature_valid"] == true), expected);
}

/// A program is told in the document, also where nothing can be read.
#[test]
fn the_document_is_printed_whatever_can_be_read() {
    let folder = Folder::new();
    let cut = folder.write("cut.hex", format!("{}zz\n", messages()));
    let nowhere = folder.0.path().join("nowhere.hex");
    let empty = folder.write("empty", "");
    let capture = folder.write("cut.pcap", &pcap(&[wsm(36, &example(0))])[..60]);
    for (path, inputs, place, error) in [
        (&nowhere, 0, Value::Null, "No such file"),
        (&empty, 0, Value::Null, "empty"),
        (&cut, 4, "line 5".into(), "no hexadecimal digits"),
        (&capture, 0, "packet 1".into(), "ends in the middle"),
    ] {
        let (code, all, words) = verify(path, &TRUST);
        assert_eq!((code, &all["inputs"]), (Some(2), &inputs.into()), "{all}");
        assert_eq!(all["messages"].as_array().unwrap().len(), inputs);
        let told = &all["errors"][0];
        assert_eq!(told["file"], path.display().to_string());
        assert_eq!(told["place"], place);
        assert!(told["error"].as_str().unwrap().contains(error), "{told}");
        assert!(!told["remedy"].as_str().unwrap().is_empty());
        assert!(words.starts_with("error: "), "{words}");
        let shown = run("inspect", path, &["--format", "json"]);
        assert_eq!(shown.status.code(), Some(2));
        let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
        let last = shown.as_array().unwrap().last().unwrap();
        assert!(last["error"].as_str().unwrap().contains(error), "{last}");
    }
    for option in ["--trust", "--signer-keys"] {
        let (code, all, _) = verify(&cut, &[option, "/nowhere"]);
        assert_eq!((code, counts(&all)), (Some(2), [0, 0]));
        let told = all["errors"][0]["error"].as_str().unwrap();
        assert!(told.contains("/nowhere"), "{told}");
    }
    let whole = workspace().join("examples/v2x/messages.hex");
    let (code, all, _) = verify(&whole, &TRUST);
    assert_eq!((code, &all["errors"]), (Some(0), &Value::Array(Vec::new())));
}

#[test]
fn text_of_other_kinds_is_called_by_its_name() {
    let folder = Folder::new();
    let utf16 = |big: bool| -> Vec<u8> {
        let letters = messages().encode_utf16().collect::<Vec<_>>();
        let bytes = letters.iter().map(|letter| match big {
            true => letter.to_be_bytes(),
            false => letter.to_le_bytes(),
        });
        bytes.flatten().collect()
    };
    let pem = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----\n";
    let cases: [(Vec<u8>, &str); 7] = [
        (pem.into(), ":1: a PEM file"),
        (format!("\u{feff}{pem}").into(), ":1: a PEM file"),
        (b"{\"a\": 1}\n".to_vec(), ":1: JSON"),
        ([vec![0xFF, 0xFE], utf16(false)].concat(), "text in UTF-16"),
        ([vec![0xFE, 0xFF], utf16(true)].concat(), "text in UTF-16"),
        (utf16(false), "text in UTF-16"),
        (utf16(true), "text in UTF-16"),
    ];
    for (bytes, expected) in cases {
        let path = folder.write("file", &bytes);
        for command in ["verify", "inspect"] {
            let output = run(command, &path, &[]);
            assert_eq!(output.status.code(), Some(2), "{expected}");
            assert!(said(&output).contains(expected), "{}", said(&output));
            assert!(!said(&output).contains("hexadecimal digits, two"));
        }
    }
    // A byte order mark is nothing, and a label may be in any script.
    let marked = messages().replacen("cam", "grüße", 1);
    let path = folder.write("marked.hex", format!("\u{feff}{marked}"));
    let (code, all, _) = verify(&path, &TRUST);
    assert_eq!((code, counts(&all)), (Some(0), [4, 4]));
    assert_eq!(all["messages"][0]["label"], "grüße-with-certificate");
}

#[test]
fn a_broken_certificate_in_the_folder_is_told() {
    let folder = Folder::new();
    let examples = workspace().join("examples/v2x/trust");
    let read = |name: &str| fs::read(examples.join(name)).unwrap();
    let (root, authority) = (read("root.oer"), read("authority.oer"));
    folder.write("authority.oer", &authority);
    folder.write("root.oer", &root[..root.len() - 1]);
    folder.write("other", &root[..root.len() - 1]);
    folder.write("empty.oer", "");
    folder.write("lines.hex", format!("{}\nzz\n", hex(&authority)));
    folder.write("README", "Certificates.\n");
    folder.write("key.pem", "-----BEGIN EC PRIVATE KEY-----\n");
    folder.write("message.oer", example(0));
    let trust = folder.0.path().display().to_string();
    let path = workspace().join("examples/v2x/messages.hex");
    let (code, all, words) = verify(&path, &["--trust", &trust, "--at", "generation"]);
    assert_eq!((code, counts(&all)), (Some(1), [4, 0]));
    for expected in [
        "/root.oer is no certificate: ",
        "/other is no certificate: ",
        "/empty.oer: empty",
        "/lines.hex:2: no hexadecimal digits",
    ] {
        assert!(words.contains(expected), "{expected}: {words}");
    }
    for quiet in ["README", "key.pem", "message.oer"] {
        assert!(!words.contains(quiet), "{words}");
    }
    assert!(
        all["warnings"]
            .to_string()
            .contains("root.oer is no certificate")
    );
    // Nothing but broken ones: the error names them.
    let folder = Folder::new();
    folder.write("root.oer", &root[..40]);
    let trust = folder.0.path().display().to_string();
    let (code, _, words) = verify(&path, &["--trust", &trust]);
    assert_eq!(code, Some(2));
    assert!(words.contains("root.oer is no certificate: "), "{words}");
}

#[test]
fn a_file_with_nothing_in_it_is_an_error_of_one_kind() {
    let folder = Folder::new();
    let cases: [(&[u8], &str); 6] = [
        (b"", "empty"),
        (b"\n\n \n", "only empty lines and comments"),
        (b"# nothing\n", "only empty lines and comments"),
        (b"\xEF\xBB\xBF\n", "only empty lines and comments"),
        (&packed(b""), "empty"),
        (&pcap(&[]), "a capture without a packet"),
    ];
    for (bytes, expected) in cases {
        let path = folder.write("file", bytes);
        for command in ["verify", "inspect"] {
            let output = run(command, &path, &[]);
            assert_eq!(output.status.code(), Some(2), "{expected}");
            let words = said(&output);
            assert!(
                words.contains("file: ") && words.contains(expected),
                "{words}"
            );
        }
    }
}

#[test]
fn messages_without_a_time_of_their_own_are_judged_now_and_that_is_said() {
    let folder = Folder::new();
    let path = workspace().join("examples/v2x/messages.hex");
    let at = ["--trust", "examples/v2x/trust", "--at", "capture"];
    let (_, all, words) = verify(&path, &at);
    let expected = "4 messages do not say when they were captured, and judged at this moment";
    assert!(words.contains(expected), "{words}");
    assert!(all["warnings"][0].as_str().unwrap().contains(expected));
    let capture = folder.write("a.pcap", pcap(&[wsm(36, &example(0))]));
    let (code, all, words) = verify(&capture, &at);
    assert_eq!((code, counts(&all), words.as_str()), (Some(0), [1, 1], ""));
}

#[test]
fn what_stands_behind_compressed_data_costs_no_line() {
    let folder = Folder::new();
    let whole = messages();
    let bytes = packed(whole.trim_end().as_bytes());
    let zeros = folder.write("zeros.gz", [&bytes[..], &[0; 512]].concat());
    let (code, all, words) = verify(&zeros, &TRUST);
    assert_eq!((code, counts(&all), words.as_str()), (Some(0), [4, 4], ""));
    let garbage = folder.write("garbage.gz", [&bytes[..], b"garbage"].concat());
    let (code, all, words) = verify(&garbage, &TRUST);
    assert_eq!((code, counts(&all)), (Some(0), [4, 4]));
    let expected = "garbage.gz: what stands behind the end of the compressed data";
    assert!(words.contains(expected), "{words}");
    assert!(said(&run("inspect", &garbage, &[])).contains(expected));
    let cut = folder.write("cut.gz", &bytes[..bytes.len() - 9]);
    let (code, all, _) = verify(&cut, &TRUST);
    assert_eq!(code, Some(2));
    assert_eq!(all["errors"].as_array().unwrap().len(), 1);
}

/// A megabyte that unpacks to more than a gigabyte of empty lines.
#[test]
fn no_more_than_the_bound_is_unpacked() {
    let folder = Folder::new();
    let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let block = vec![b'\n'; 1 << 20];
    (0..64).for_each(|_| member.write_all(&block).unwrap());
    let bomb = member.finish().unwrap().repeat(17);
    let path = folder.write("bomb.gz", [packed(messages().as_bytes()), bomb].concat());
    let begun = std::time::Instant::now();
    let (code, all, words) = verify(&path, &TRUST);
    println!("{:?}", begun.elapsed());
    assert_eq!((code, counts(&all)), (Some(2), [4, 4]));
    assert!(
        words.contains("unpacks to more than 1073741824 bytes (unpack it"),
        "{words}"
    );
}

#[test]
fn two_keys_for_one_signer_are_an_error_that_names_both() {
    let folder = Folder::new();
    let authority = fs::read(workspace().join("examples/v2x/trust/authority.oer")).unwrap();
    let entry = |y: &str| {
        format!(
            "{{\"hashed_id8\":\"973531e9a3f9d897\",\"certificate\":\"{}\",\"public_key_x\":\
             \"6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296\",\
             \"public_key_y\":\"{y}\"}}",
            hex(&authority)
        )
    };
    let y = "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";
    let negated = "b01cbd1c01e58065711814b583f061e9d431cca994cea1313449bf97c840ae0a";
    let path = workspace().join("examples/v2x/altered.hex");
    let keys = |entries: &[String]| {
        let file = folder.write("keys.json", format!("[{}]", entries.join(",")));
        run(
            "verify",
            &path,
            &["--signer-keys", &file.display().to_string()],
        )
    };
    assert_eq!(keys(&[entry(y), entry(y)]).status.code(), Some(1));
    let output = keys(&[entry(y), entry(y), entry(negated)]);
    assert_eq!(output.status.code(), Some(2));
    let expected = "keys.json, entry 3: another key for 973531e9a3f9d897 than entry 1 has";
    assert!(said(&output).contains(expected), "{}", said(&output));
}

#[cfg(unix)]
#[test]
fn nothing_in_a_name_acts_on_the_terminal() {
    let folder = Folder::new();
    let name = "a\u{1b}[31m\nerror: b.oer";
    let whole = folder.write(name, example(0));
    let broken = folder.write(&format!("c{name}"), "zz\n");
    let labelled = folder.write(
        "d.hex",
        format!("#\n{}\nl\u{1b}[31m {}", messages(), hex(&example(0))),
    );
    for path in [&whole, &broken, &labelled] {
        for (command, format) in [
            ("verify", "table"),
            ("verify", "csv"),
            ("verify", "json"),
            ("inspect", "tree"),
            ("inspect", "json"),
        ] {
            let output = run(command, path, &["--format", format]);
            let all = [&output.stdout[..], &output.stderr].concat();
            assert!(!all.contains(&0x1B), "{command} {format}");
            let text = String::from_utf8(all).unwrap();
            assert!(!text.contains("\nerror: b.oer"), "{text}");
            assert!(text.contains("u{1b}") || text.contains("u001b"), "{text}");
        }
    }
    // A program has the name as it is.
    let (_, all, _) = verify(&whole, &[]);
    assert_eq!(all["messages"][0]["input"], whole.display().to_string());
}

#[test]
fn standard_input_is_read() {
    let with = |command: &str, bytes: &[u8]| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_waywarden"))
            .current_dir(workspace())
            .args([command, "-", "--format", "json"])
            .args(if command == "verify" { &TRUST[..] } else { &[] })
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        // In two parts, as pipes bring them.
        let (first, second) = bytes.split_at(1);
        pipe.write_all(first).unwrap();
        pipe.flush().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        pipe.write_all(second).unwrap();
        drop(pipe);
        let output = child.wait_with_output().unwrap();
        let all: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), all)
    };
    for bytes in [messages().into_bytes(), packed(messages().as_bytes())] {
        let (code, all) = with("verify", &bytes);
        assert_eq!((code, counts(&all)), (Some(0), [4, 4]));
        assert_eq!(all["messages"][3]["input"], "standard input:4");
    }
    let (code, all) = with("inspect", &example(0));
    assert_eq!(
        (code, &all[0]["input"]),
        (Some(0), &"standard input".into())
    );
}

#[test]
fn a_capture_of_another_version_is_refused() {
    let folder = Folder::new();
    let mut bytes = pcap(&[wsm(36, &example(0))]);
    bytes[4] = 3;
    let (code, all, words) = verify(&folder.write("a.pcap", bytes), &TRUST);
    assert_eq!((code, counts(&all)), (Some(2), [0, 0]));
    let expected = "packet 0: version 3.4 of the format pcap; this reads version 2 (write it again";
    assert!(words.contains(expected), "{words}");
}

/// The examples carry words where a message of the application would stand; that is said, and what
/// is neither is told as not read.
#[test]
fn what_is_carried_is_read_or_said_to_be_words() {
    let folder = Folder::new();
    let path = workspace().join("examples/v2x/messages.hex");
    let output = run("inspect", &path, &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(!text.contains("not read"), "{text}");
    for expected in [
        "carries: 22 bytes of text in place of a GeoNetworking packet: \"a CAM would stand here\"",
        "carries: 22 bytes of text in place of a SAE J2735 message: \"a BSM would stand here\"",
    ] {
        assert!(text.contains(expected), "{text}");
    }
    let mut other = example(0);
    let at = other.windows(5).position(|part| part == b"a CAM").unwrap();
    other[at] = 0xFF;
    let output = run("inspect", &folder.write("a.oer", other), &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("carries: GeoNetworking packet\n"), "{text}");
    assert!(text.contains("not read: "), "{text}");
}
