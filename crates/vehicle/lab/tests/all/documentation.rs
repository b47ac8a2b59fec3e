//! docs/vehicle-file.md: its pieces of TOML make one file that parses, and it names every key.

use std::path::PathBuf;

use waywarden_vehicle_file::{Problem, VehicleFile};

fn page() -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../docs/vehicle-file.md");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the pieces of TOML one after the other.
fn pieces(page: &str) -> String {
    let mut text = String::new();
    for piece in page.split("```toml\n").skip(1) {
        let (piece, _) = piece.split_once("```").expect("a closed piece of TOML");
        text.push_str(piece);
        text.push('\n');
    }
    text
}

#[test]
fn the_pieces_of_toml_make_a_vehicle() {
    let text = pieces(&page());
    let file = VehicleFile::parse("docs/vehicle-file.md", &text)
        .unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    assert_eq!(
        (
            file.attackers.len(),
            file.interferers.len(),
            file.faults.len()
        ),
        (13, 8, 4)
    );
}

/// Puts a key that does not exist into each table of the pieces: the error names those that do.
#[test]
fn every_key_is_documented() {
    let page = page();
    let text = pieces(&page);
    let mut seen = 0;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        offset += line.len();
        if !line.starts_with('[') {
            continue;
        }
        let with_unknown = format!("{}no_such_key = 0\n{}", &text[..offset], &text[offset..]);
        let errors = VehicleFile::parse("page", &with_unknown).expect_err(line);
        for error in errors.listed() {
            let Problem::UnknownKey { valid, section, .. } = &error.problem else {
                continue;
            };
            seen += valid.len();
            for key in valid {
                let named =
                    page.contains(&format!("`{key}`")) || page.contains(&format!("\n{key} ="));
                assert!(
                    named,
                    "docs/vehicle-file.md says nothing of `{key}` of {section}"
                );
            }
        }
    }
    assert!(seen > 100, "{seen} keys");
}
