//! Memory that roles, suites and images take: the figures are those of their sources, and a board
//! that has less is found.

use std::fs;

use toml::{Table, Value};
use waywarden_boards::{Board, MemoryNeed, NeedKind};
use waywarden_testkit::workspace;

fn text(name: &str) -> String {
    fs::read_to_string(workspace().join(name)).expect(name)
}

fn parsed(name: &str) -> Table {
    let parsed = text(name).parse();
    parsed.unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn number(of: &Value, key: &str) -> Option<u64> {
    of.get(key)?.as_integer()?.try_into().ok()
}

/// The allowed difference, in parts of a thousand.
const DIFFERENCE_MAX: u64 = 20;

fn holds(own: Option<u64>, source: Option<u64>, of: &str) {
    let is_near = match (own, source) {
        (Some(own), Some(source)) => own.abs_diff(source) * 1_000 <= source * DIFFERENCE_MAX,
        (own, source) => own == source,
    };
    assert!(
        is_near,
        "needs.toml: {of}: {own:?}, and its source has {source:?}"
    );
}

/// Flash and stack of all functions of a type, in the table of the page: the most of each.
fn functions(of: &str) -> (u64, u64) {
    let page = text("docs/embedding.md");
    let start = format!("| `{of}::");
    let number = |cell: &str| {
        let digits = cell
            .trim()
            .chars()
            .take_while(|one| *one != ' ' && *one != '\u{a0}');
        let digits: String = digits.filter(char::is_ascii_digit).collect();
        digits.parse::<u64>().expect("a number")
    };
    // The V2X examples have a type of the same name: the first rows are those of the buses.
    let rows = page.lines().filter(|line| {
        line.starts_with(&start) && !line.contains("(V2X") && !line.contains("::receive")
    });
    let rows = rows.filter(|line| !line.contains("`Station::send`"));
    let (mut flash, mut stack) = (0, 0);
    for row in rows {
        let cells: Vec<&str> = row.split('|').collect();
        flash = flash.max(number(cells[2]));
        stack = stack.max(number(cells[3].split(',').collect::<String>().trim()));
    }
    (flash, stack)
}

/// The deepest stack of the algorithms of a suite in a table of operations.
fn deepest(table: &str, suite: &str) -> u64 {
    let table = parsed(table);
    let rows = table["operations"].as_array().expect("rows");
    let parts: Vec<&str> = suite.split('+').collect();
    let own = rows.iter().filter(|row| {
        let is_part = parts.contains(&row["algorithm"].as_str().expect("a name"));
        is_part && row["by"].as_str() == Some("key-suites")
    });
    let stacks = own.map(|row| number(row, "stack").expect("an operation that fits"));
    stacks.max().expect("an operation")
}

#[test]
fn the_figures_are_those_of_their_sources() {
    let file = parsed("crates/base/boards/data/memory/needs.toml");
    let needs = file["need"].as_array().expect("needs");
    let budgets = parsed("firmware/budgets.toml");
    for need in needs {
        let own = |key| number(need, key);
        let source = |key: &str| need.get(key).and_then(Value::as_str);
        if let Some(image) = source("image") {
            let row = &budgets[image];
            for (key, of_image) in [
                ("flash", "flash_bytes"),
                ("ram", "ram_bytes"),
                ("stack", "stack_bytes"),
            ] {
                holds(own(key), number(row, of_image), &format!("{image}: {key}"));
            }
        } else if let Some(example) = source("example") {
            let (flash, stack) = functions(example);
            holds(own("flash"), Some(flash), example);
            holds(own("stack"), Some(stack), example);
        } else {
            let table = source("table").expect("a source");
            let suite = source("suite").expect("a suite");
            holds(own("stack"), Some(deepest(table, suite)), suite);
        }
    }
    assert_eq!(MemoryNeed::all().len(), needs.len());
}

/// Each role is measured as an image with it alone: what all images share counts once.
#[test]
fn values_of_several_roles_are_not_added() {
    let need = |name| MemoryNeed::of(NeedKind::Role, name).expect(name);
    let (secoc, paired) = (need("secoc"), need("vatican-leia"));
    let values = secoc.ram.max(paired.ram).expect("whole images");
    let both = values + secoc.stack.max(paired.stack);
    let short = with_ram(both - 1).lacks([secoc, paired]);
    assert_eq!(short.len(), 1, "{short:?}");
    assert_eq!((short[0].needed, &*short[0].most), (both, "vatican-leia"));
    assert_eq!(with_ram(both).lacks([secoc, paired]), []);
}

/// A board that states its RAM alone.
fn with_ram(bytes: u64) -> Board {
    let text = format!(
        "title = 't'\n[characteristics]\narchitecture = 'a'\ncores = 1\nclock = '1 MHz'\n\
         can_fd = true\nram = '{bytes} B'\nassumed = 'a test'\n"
    );
    Board::parse("boards/mine.toml", &text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_board_with_less_is_found() {
    let need = |kind, name| MemoryNeed::of(kind, name).expect(name);
    let receiver = need(NeedKind::Role, "v2x-receiver");
    let [module, suite] = [
        need(NeedKind::Role, "lasan-module"),
        need(NeedKind::Suite, "ml-kem-768+ml-dsa-44"),
    ];
    let board = |name| Board::builtin(name).expect(name);
    assert_eq!(board("m4f-emulated").lacks([receiver]), []);
    assert_eq!(board("m4f-emulated").lacks([module]), []);
    let short = board("m4f-emulated").lacks([module, suite]);
    assert_eq!(short.len(), 1, "{short:?}");
    assert_eq!((short[0].memory(), short[0].has), ("RAM", 128 << 10));
    assert_eq!(short[0].most, "ml-kem-768+ml-dsa-44");
    assert_eq!(board("m33-emulated").lacks([module, suite]), []);
    // A V2X receiver takes more than the 512 KB of flash and than 96 KB of RAM.
    let short = board("m3").lacks([receiver]);
    assert_eq!(short.len(), 2, "{short:?}");
    // No memory is stated: nothing is compared.
    assert_eq!(board("ideal").lacks([receiver, module, suite]), []);
}
