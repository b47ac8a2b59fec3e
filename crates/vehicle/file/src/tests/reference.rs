//! docs/vehicle-file.md: its tables of keys are those of the grammar.

use waywarden_testkit::workspace;

use waywarden_vehicle_grammar::reference::page;

/// Writes the tables of the page, in place of checking them.
const WRITES: &str = "WAYWARDEN_WRITE_TABLES";

#[test]
fn tables_of_the_page_are_those_of_the_grammar() {
    let path = workspace().join("docs/vehicle-file.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let made = page(&text).unwrap();
    if std::env::var_os(WRITES).is_some() {
        std::fs::write(&path, made).unwrap();
        return;
    }
    let differs = text
        .lines()
        .zip(made.lines())
        .find(|(one, other)| one != other);
    assert!(
        text == made,
        "docs/vehicle-file.md: {differs:?}; {WRITES}=1 cargo test -p waywarden-vehicle-file writes \
         its tables"
    );
}

#[test]
fn text_without_a_table_or_an_end_is_refused() {
    for (text, expected) in [
        (
            "<!-- keys of wheel -->\n<!-- end of keys -->",
            "no such table",
        ),
        ("<!-- keys of bus -->\n| key |", "no <!-- end of keys -->"),
        ("<!-- keys of bus", "no name"),
    ] {
        let error = page(text).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}
