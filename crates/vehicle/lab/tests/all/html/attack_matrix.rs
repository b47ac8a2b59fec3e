//! The matrix of attacks by protocol: what each cell says is what the run counted.

use super::{Tag, run, tags};

/// A stream with SecOC and one without, each spoofed, and a flood that is after neither.
const CAR: &str = "[vehicle]\nname = 'car'\nduration = '1s'\nseed = 3\n\
    [[bus]]\nname = 'a'\nbitrate = '500k'\n\
    [[ecu]]\nname = 'tx'\nports = ['a']\n[[ecu]]\nname = 'rx'\nports = ['a']\n\
    [[ecu]]\nname = 'gateway'\nports = ['a']\n\
    [[stream]]\nname = 'Speed'\nid = 0x100\nsender = 'tx'\nreceivers = ['rx']\nlength = 4\n\
    period = '10ms'\n\
    [[stream]]\nname = 'Plain'\nid = 0x200\nsender = 'tx'\nreceivers = ['rx', 'gateway']\n\
    length = 4\nperiod = '10ms'\n\
    [[authentication]]\nname = 'tags'\nprotect = ['Speed']\nscheme = 'secoc'\n\
    profile = 'production'\nmaster = 'gateway'\nkey_store = 'software'\n\
    [[attacker]]\nname = 'liar'\nkind = 'spoof'\nstream = 'Speed'\nbus = 'a'\nperiod = '5ms'\n\
    from = '300ms'\nuntil = '400ms'\n\
    [[attacker]]\nname = 'thief'\nkind = 'spoof'\nstream = 'Plain'\nbus = 'a'\nperiod = '5ms'\n\
    from = '500ms'\nuntil = '600ms'\n\
    [[attacker]]\nname = 'late'\nkind = 'spoof'\nstream = 'Speed'\nbus = 'a'\nperiod = '5ms'\n\
    from = '2s'\nuntil = '3s'\noptional = true\n\
    [[attacker]]\nname = 'noise'\nkind = 'flood'\nbus = 'a'\nid = 0x7FF\nrate = '100/s'\n\
    from = '700ms'\nuntil = '800ms'\n";

/// Returns the cells of the matrix, each with its class and its text.
fn cells(tags: &[Tag]) -> Vec<(String, String)> {
    let mut cells: Vec<(String, String)> = Vec::new();
    for tag in tags {
        let is_inside = tag.inside.iter().any(|name| name == "td");
        if tag.name == "td" && tag.has_class("cell") {
            let class = tag.attribute("class").to_owned();
            cells.push((class, tag.text.trim().to_owned()));
        } else if let Some((_, text)) = cells.last_mut().filter(|_| is_inside && tag.name != "td") {
            *text = format!("{text} {}", tag.text.trim()).trim().to_owned();
        }
        if tag.name == "h2" && !cells.is_empty() {
            break;
        }
    }
    cells
}

#[test]
fn each_cell_says_how_many_messages_were_taken_and_refused_and_by_whom() {
    let (_, report, outcome, text) = run(CAR);
    let tags = tags(&text);
    let cells = cells(&tags);
    let columns = tags.iter().filter(|tag| tag.attribute("scope") == "col");
    let columns: Vec<&str> = columns.map(|tag| tag.text.trim()).collect();
    let at = columns.iter().position(|name| *name == "attack").unwrap();
    assert_eq!(columns[at..at + 3], ["attack", "tags", "none"]);
    let refused: u64 = report.authentication[0].checks[0].refused();
    let taken = outcome.measure.forgeries.of_attack("thief");
    assert!(refused > 10 && taken > 20, "{refused} {taken}");
    let cell = |class: &str, text: &str| (class.to_owned(), text.to_owned());
    let expected = [
        cell("cell refused", &format!("\u{2713} {refused} refused by rx")),
        cell("cell", "\u{2013} not aimed at"),
        cell("cell", "\u{2013} not aimed at"),
        cell(
            "cell taken",
            &format!("\u{2717} {taken} taken by rx, gateway"),
        ),
        cell("cell", "\u{2013} never ran"),
        cell("cell", "\u{2013} not aimed at"),
        cell("cell", "\u{2013} forges nothing"),
        cell("cell", "\u{2013} forges nothing"),
    ];
    assert_eq!(cells, expected);
}

#[test]
fn a_car_without_attackers_has_no_matrix() {
    let peaceful = CAR.split_once("[[attacker]]").unwrap().0;
    assert!(!run(peaceful).3.contains("Attacks by protocol"));
}
