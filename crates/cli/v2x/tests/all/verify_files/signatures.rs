//! Forms of signatures, copies with a broken signature, and two keys for one signer.

use std::fs;
use std::path::Path;

use super::{Folder, TRUST, counts, hex, run, said, verify};
use crate::support::capture::example;
use crate::support::workspace;

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
    // Stations in America send both forms: a BSM is taken in each.
    let mut safety = example(3);
    let choice = safety.len() - 65;
    safety[choice] = 0x80;
    let safety = folder.write("bsm.oer", safety);
    assert_eq!(verify(&safety, &TRUST).1["accepted"], 1);
    assert_eq!(
        form(&safety, "point"),
        refused("an x-coordinate, where a point is demanded")
    );
}

#[test]
fn a_copy_with_a_broken_signature_is_no_replay() {
    let folder = Folder::new();
    let mut broken = example(0);
    *broken.last_mut().unwrap() ^= 1;
    let lines = format!("{}\n{}\n", hex(&example(0)), hex(&broken));
    let (_, all, _) = verify(&folder.write("two.hex", lines), &TRUST);
    let second = &all["messages"][1];
    let expected = ("spduCryptoVerificationFailure", &false.into());
    let verdict = second["verdict"].as_str().unwrap();
    assert_eq!((verdict, &second["signature_valid"]), expected);
    assert_eq!(all["signature_invalid"], 1);
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

#[test]
fn entry_that_cannot_be_used_is_skipped_and_counted() {
    let folder = Folder::new();
    let authority = fs::read(workspace().join("examples/v2x/trust/authority.oer")).unwrap();
    let entry = |certificate: &str| {
        format!(
            "{{\"hashed_id8\":\"973531e9a3f9d897\",\"certificate\":\"{certificate}\",\
             \"public_key_x\":\
             \"6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296\",\
             \"public_key_y\":\
             \"4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5\"}}"
        )
    };
    let path = workspace().join("examples/v2x/altered.hex");
    let keys = |entries: &[String], more: &[&str]| {
        let file = folder.write("keys.json", format!("[{}]", entries.join(",")));
        let file = file.display().to_string();
        run(
            "verify",
            &path,
            &[&["--signer-keys", &file][..], more].concat(),
        )
    };
    let good = entry(&hex(&authority));
    let bad = [entry("00"), "{}".to_owned(), entry("zz"), good.clone()];
    let output = keys(&bad, &[]);
    assert_eq!(output.status.code(), Some(1));
    let note = "keys.json: 3 of 4 entries cannot be used and are skipped: entry 1: certificate: ";
    assert!(said(&output).contains(note), "{}", said(&output));
    let output = keys(&bad, &["--strict"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("keys.json, entry 1: certificate: "));
    // Without any key left the option would do nothing.
    assert_eq!(keys(&bad[..3], &[]).status.code(), Some(2));
    assert_eq!(keys(&[good], &["--strict"]).status.code(), Some(1));
}
