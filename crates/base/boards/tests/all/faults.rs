//! Broken board files: each message gives file, line, column, error and remedy.
//! And hostile ones: no text makes the reader panic.

use waywarden_boards::{Board, BoardErrorCause};
use waywarden_testkit::Random;

const HEAD: &str = "title = \"Mine\"\n\n[characteristics]\narchitecture = \"32-bit\"\ncores = 2\n\
                    clock = \"120 MHz\"\nassumed = \"a test\"\n";

/// The message for `HEAD` followed by `rest`, which starts in line 8.
fn fault(rest: &str) -> String {
    let text = format!("{HEAD}{rest}");
    match Board::parse("boards/mine.toml", &text) {
        Ok(_) => panic!("was read:\n{text}"),
        Err(error) => error.to_string(),
    }
}

fn figure(lines: &str) -> String {
    format!("[[figure]]\noperation = \"tag\"\nalgorithm = \"chaskey\"\n{lines}\n")
}

#[test]
fn a_whole_board_reads() {
    let rest = figure(
        "cycles = 100\ncycles_per_unit = 168\nunit = \"16 bytes\"\n\
         measured = { on = \"it\", how = \"once\" }",
    );
    let board = Board::parse("boards/mine.toml", &format!("{HEAD}{rest}")).unwrap();
    assert_eq!((board.name(), board.title()), ("mine", "Mine"));
    assert_eq!(board.characteristics().cores, 2);
}

/// The text behind `HEAD`, the beginning of its message, and the remedy in it.
type Fault<'a> = (&'a str, &'a str, &'a str);

fn assert_faults(faults: &[Fault<'_>]) {
    for (rest, start, remedy) in faults {
        let message = fault(rest);
        assert!(
            message.starts_with(start),
            "{message}\nshould start with\n{start}"
        );
        assert!(
            message.contains(remedy),
            "{message}\nshould contain\n{remedy}"
        );
    }
}

#[test]
fn faults_of_syntax_and_names_have_their_place_and_remedy() {
    assert_faults(&[
        ("[[figure\n", "boards/mine.toml:8:9: ", "docs/boards.md"),
        (
            "[[figure]]\noperatoin = \"tag\"\n",
            "boards/mine.toml:9:1: unknown field `operatoin`, expected one of `operation`",
            "docs/boards.md",
        ),
        (
            "[[figure]]\noperation = \"tga\"\nalgorithm = \"chaskey\"\ncycles = 1\n\
             assumed = \"x\"\n",
            "boards/mine.toml:9:13: unknown operation `tga`; one of: key-generate, ",
            " tag, ",
        ),
        (
            "[[figure]]\noperation = \"tag\"\nalgorithm = \"rot13\"\ncycles = 1\nassumed = \"x\"\n",
            "boards/mine.toml:10:13: unknown algorithm `rot13`; one of: fourq, ",
            " chaskey, ",
        ),
    ]);
}

#[test]
fn faults_of_the_cost_of_a_figure_have_their_place_and_remedy() {
    assert_faults(&[
        (
            &figure("duration = \"5\"\nassumed = \"x\""),
            "boards/mine.toml:11:12: `duration = \"5\"` cannot be read",
            "a time such as \"1.92 ms\"",
        ),
        (
            &figure("cycles = -1\nassumed = \"x\""),
            "boards/mine.toml:11:10: invalid value: integer `-1`",
            "expected u64",
        ),
        (
            &figure("assumed = \"x\""),
            "boards/mine.toml:8:1: ",
            "exactly one of `duration` and `cycles`, this one has neither",
        ),
        (
            &figure("cycles = 1\nduration = \"1 us\"\nassumed = \"x\""),
            "boards/mine.toml:8:1: ",
            "this one has both",
        ),
        (
            &figure("cycles = 1\ncycles_per_unit = 2\nassumed = \"x\""),
            "boards/mine.toml:8:1: ",
            "needs `cycles_per_unit` and `unit` together",
        ),
        (
            &figure("cycles = 1\nduration_per_unit = \"2 us\"\nunit = \"8 bit\"\nassumed = \"x\""),
            "boards/mine.toml:8:1: ",
            "needs `cycles_per_unit` and `unit` together",
        ),
        (
            &figure("cycles = 1\ncycles_per_unit = 2\nunit = \"0 bytes\"\nassumed = \"x\""),
            "boards/mine.toml:13:8: `unit = \"0 bytes\"` cannot be read",
            "at least one bit",
        ),
    ]);
}

#[test]
fn faults_of_the_source_of_a_figure_have_their_place_and_remedy() {
    assert_faults(&[
        (
            &figure("cycles = 1"),
            "boards/mine.toml:8:1: ",
            "found 0; for a guess write `assumed = \"why\"`",
        ),
        (
            &figure("cycles = 1\nassumed = \"x\"\npaper = { key = \"GKE\", place = \"Table IV\" }"),
            "boards/mine.toml:8:1: exactly one of `paper`, `measured`, `scaled`, `assumed`",
            "found 2",
        ),
        (
            &figure("cycles = 1\npaper = { key = \"GKE\" }"),
            "boards/mine.toml:12:9: missing field `place`",
            "docs/boards.md",
        ),
        (
            &(figure("cycles = 1\nassumed = \"x\"") + &figure("cycles = 2\nassumed = \"y\"")),
            "boards/mine.toml:14:13: a second figure for tag with chaskey",
            "remove one",
        ),
    ]);
}

#[test]
fn faults_of_the_scaling_have_their_place_and_remedy() {
    assert_faults(&[
        (
            "[scaling]\nbases = [\"cortex-m4-portable\", \"cortex-m5\"]\nas_fast_as = \"1 MHz\"\n\
             rule = \"x\"\n",
            "boards/mine.toml:9:32: unknown base table `cortex-m5`",
            "one of: cortex-m4-assembly, cortex-m4-portable",
        ),
        (
            "[scaling]\nbases = []\nas_fast_as = \"0 MHz\"\nrule = \"x\"\n",
            "boards/mine.toml:10:14: `as_fast_as = \"0 MHz\"` cannot be read",
            "a frequency such as \"133 MHz\"",
        ),
    ]);
}

#[test]
fn faults_of_the_characteristics() {
    for (from, to, start) in [
        (
            "cores = 2",
            "cores = 0",
            "mine.toml:5:9: `cores = 0` is out of range; it should be from 1 to 256",
        ),
        (
            "120 MHz",
            "120",
            "mine.toml:6:9: `clock = \"120\"` cannot be read; it should be a frequency",
        ),
        (
            "assumed = \"a test\"\n",
            "",
            "mine.toml:3:1: exactly one of `paper`, `measured`",
        ),
        (
            "cores = 2",
            "cores = 2\nram = \"4 MB\"",
            "mine.toml:6:7: `ram = \"4 MB\"` cannot be read; it should be a size",
        ),
        (
            "cores = 2",
            "cores = 2\nflash = \"0 KiB\"",
            "mine.toml:6:9: `flash = \"0 KiB\"` is out of range; it should be at least one",
        ),
        (
            "cores = 2",
            "cores = 2\nram = \"0 KiB\"",
            "mine.toml:6:7: `ram = \"0 KiB\"` is out of range; it should be at least one",
        ),
        (
            "title = \"Mine\"\n",
            "",
            "mine.toml:1:1: missing field `title`",
        ),
        (
            "title = \"Mine\"",
            "title = \"é\" # ü\nclock = 1",
            "mine.toml:2:1: unknown field `clock`",
        ),
    ] {
        let message = Board::parse("mine", &HEAD.replace(from, to))
            .unwrap_err()
            .to_string();
        assert!(
            message.starts_with(start),
            "{message}\nshould start with\n{start}"
        );
    }
}

#[test]
fn a_huge_file_is_refused_unread() {
    let error = Board::parse("mine", &"#".repeat((1 << 20) + 1)).unwrap_err();
    assert!(matches!(
        error.cause,
        BoardErrorCause::TooLarge {
            bytes: 1_048_577,
            limit: 1_048_576
        }
    ));
}

#[test]
fn no_text_makes_the_reader_panic() {
    let mut generator = Random::of_test("texts");
    let mut random = |below: usize| generator.index(below);
    let original: Vec<char> = Board::builtin_text("sancus").unwrap().chars().collect();
    let spice: Vec<char> = "\"'[]{}=#.\n\r\t0-9\u{0}é𝄞\\_".chars().collect();
    for _ in 0..1_500 {
        let mut text = original.clone();
        for _ in 0..=random(4) {
            let at = random(text.len());
            match random(3) {
                0 => text[at] = spice[random(spice.len())],
                1 => text.insert(at, spice[random(spice.len())]),
                _ => text.truncate(at.max(1)),
            }
        }
        let text: String = text.into_iter().collect();
        if let Err(error) = Board::parse("mine", &text) {
            assert!(error.line >= 1 && error.line <= text.matches('\n').count() + 1);
            assert!(!error.to_string().is_empty());
        }
    }
}
