//! Files and names that are broken, foreign or hostile.

use std::fs;
use std::io::Write as _;

use super::{Folder, TRUST, counts, hex, messages, packed, run, said, verify};
use crate::support::capture::{example, pcap, wsm};
use crate::support::workspace;

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
fn a_broken_certificate_in_the_folder_is_reported() {
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
    // Files that options name, too.
    let authority = fs::read(workspace().join("examples/v2x/trust/authority.oer")).unwrap();
    let authority = [&packed(&authority)[..], b"garbage"].concat();
    let authority = folder.write("authority.oer", authority);
    let implicit = workspace().join("examples/v2x/implicit.oer");
    let option = ["--issuer-cert", authority.to_str().unwrap()];
    let rebuilt = run("inspect", &implicit, &option);
    let words = said(&rebuilt);
    assert_eq!(rebuilt.status.code(), Some(0), "{words}");
    assert!(
        words.contains("authority.oer: what stands behind"),
        "{words}"
    );
    let option = ["--trust", folder.0.path().to_str().unwrap()];
    let words = verify(&implicit, &option).2;
    assert!(
        words.contains("authority.oer: what stands behind"),
        "{words}"
    );
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
fn a_capture_of_another_version_is_refused() {
    let folder = Folder::new();
    let mut bytes = pcap(&[wsm(36, &example(0))]);
    bytes[4] = 3;
    let (code, all, words) = verify(&folder.write("a.pcap", bytes), &TRUST);
    assert_eq!((code, counts(&all)), (Some(2), [0, 0]));
    let expected = "packet 0: version 3.4 of the format pcap; this reads version 2 (write it again";
    assert!(words.contains(expected), "{words}");
}
