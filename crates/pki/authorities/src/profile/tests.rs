//! Profiles: what is read, what is refused, and whether their schema says so.

mod refused;
mod schema;

use super::*;

const ROOT: &str = "[[authority]]\nname = 'root'\nrole = 'root'\nissues = ['CAM']\n";
const BELOW: &str = "[[authority]]\nname = 'aa'\nrole = 'authorization'\nissues = ['CAM']\n";

/// Returns profiles that are refused, and what the refusal says.
fn mistakes() -> Vec<(String, &'static str)> {
    vec![
        (format!("{ROOT}{BELOW}"), "issuer"),
        (format!("{BELOW}issuer = 'root'\n{ROOT}"), "issuer"),
        (format!("{ROOT}{BELOW}issuer = 'rot'\n"), "stands before"),
        (format!("{ROOT}issuer = 'root'\n"), "without an issuer"),
        (format!("{ROOT}{ROOT}"), "two of this name"),
        (format!("{ROOT}chain = [2, 1]\n"), "chain"),
        (format!("{ROOT}chain = [0, 1]\n"), "chain"),
        (format!("{ROOT}chain = [1]\n"), "chain"),
        (format!("{ROOT}chain = [1, 2, 3]\n"), "chain"),
        (format!("{ROOT}chain = [1, 256]\n"), "chain"),
        ("station = []\n".to_owned(), "one table [station]"),
        ("[[station]]\n".to_owned(), "one table [station]"),
        (
            "authority = [['root', 'root']]\n".to_owned(),
            "expected tables [[authority]]",
        ),
        (ROOT.replace("CAM", "CAMM"), "no application"),
        (ROOT.replace("'root'\nrole", "'a/b'\nrole"), "letters"),
        (
            ROOT.replace("'root'\nrole", "'0123456789ABCDEF'\nrole"),
            "no HashedId8",
        ),
        (ROOT.replace("issues = ['CAM']\n", ""), "issues"),
        (ROOT.replace("'CAM'", ""), "issues"),
        (ROOT.replace("role = 'root'", "role = 'station'"), "role"),
        (ROOT.replace("role = 'root'\n", ""), "role"),
        (format!("{ROOT}color = 1\n"), "color"),
        (format!("{ROOT}end_entities = 'all'\n"), "all"),
        (format!("{ROOT}curve = 'p521'\n"), "p521"),
        (format!("{ROOT}encryption_key = 'yes'\n"), "encryption_key"),
        ("[station]\nissues = ['CAM']\n".to_owned(), "issues"),
        ("shape = 'eu'".to_owned(), "shape"),
        ("region = 'circle:1'".to_owned(), "region"),
        ("start = 'soon'".to_owned(), "time"),
        ("start = '2026-13-01T12:00:00Z'".to_owned(), "time"),
        ("years = 0".to_owned(), "years: 0"),
        ("years = 101".to_owned(), "years: 101"),
        ("years = 65535".to_owned(), "1 to 100"),
        ("years = 65536".to_owned(), "years"),
    ]
}

#[test]
fn a_profile_names_issuers_before_those_whom_they_issue_to() {
    assert!(Profile::parse(&format!("{ROOT}{BELOW}issuer = 'root'\n")).is_ok());
    assert!(Profile::parse("years = 1").is_ok() && Profile::parse("years = 100").is_ok());
    for (text, why) in mistakes() {
        let error = Profile::parse(&text).expect_err(&text);
        assert!(error.contains(why), "{text}: {error}");
    }
}
