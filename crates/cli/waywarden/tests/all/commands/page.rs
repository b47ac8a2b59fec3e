//! A page of Markdown: the commands in its blocks, and the output that it shows for them.

/// Mark of a block that is not run, in the line before it; a reason follows.
const NOT_RUN: &str = "<!-- not run: ";

/// A line that stands for any number of lines of an output.
const LEFT_OUT: &str = "...";

/// A command of a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Printed {
    /// Counted from 1.
    pub(super) line: usize,
    pub(super) command: String,
    /// The exit code that the page states behind it; 0 without a statement.
    pub(super) code: i32,
    /// Output that the page shows below it; empty if it shows nothing.
    pub(super) output: Vec<String>,
    /// Reason for not running it.
    pub(super) not_run: Option<String>,
}

/// A block between two lines of back quotes.
#[derive(Default)]
struct Block<'a> {
    mark: &'a str,
    not_run: Option<String>,
    /// Indentation of the block, in a list.
    indent: usize,
    /// The lines, with their numbers.
    lines: Vec<(usize, &'a str)>,
}

impl Block<'_> {
    fn has(&self, line: usize) -> bool {
        self.lines.iter().any(|(own, _)| *own == line)
    }
}

/// Returns the commands of a page: the lines of blocks that are marked `sh`, and of blocks that
/// are marked `console` those behind a prompt.
pub(super) fn commands(page: &str) -> Vec<Printed> {
    let mut found = Vec::new();
    for block in blocks(page) {
        for (line, text) in &block.lines {
            let command = match block.mark {
                "sh" => Some(*text),
                "console" => text.strip_prefix("$ "),
                _ => None,
            };
            match (command, found.last_mut()) {
                (Some(command), _) => found.extend(printed(*line, command, &block.not_run)),
                (None, Some(last)) if block.mark == "console" => last.output.push((*text).into()),
                (None, _) => {}
            }
        }
    }
    found
}

/// Returns the numbers of lines that are commands and in a block that is marked neither `sh` nor
/// `console`, or indented as code is: such a line would be skipped without a word.
pub(super) fn unmarked(page: &str) -> Vec<usize> {
    let programs = [
        "$ ",
        "waywarden ",
        "make ",
        "cargo ",
        "python3 ",
        "sumo ",
        "cd ",
        "install ",
        "xtask/",
        "ip ",
        "softhsm2-util ",
    ];
    let is_command = |text: &str| programs.iter().any(|name| text.starts_with(name));
    let blocks = blocks(page);
    let mut found = Vec::new();
    for block in &blocks {
        if !["sh", "console"].contains(&block.mark) {
            let commands = block.lines.iter().filter(|(_, text)| is_command(text));
            found.extend(commands.map(|(line, _)| *line));
        }
    }
    let fenced = |line| blocks.iter().any(|block| block.has(line));
    let indented = (1..).zip(page.lines()).filter(|(line, text)| {
        let code = text.strip_prefix("    ");
        code.is_some_and(is_command) && !fenced(*line)
    });
    found.extend(indented.map(|(line, _)| line));
    found
}

/// Tells whether an output is what a page shows: a line of three points there stands for any
/// lines, and a figure that depends on the machine is a word in angle brackets.
pub(super) fn is_shown(shown: &[String], output: &[&str]) -> bool {
    match (shown, output) {
        ([], _) => output.is_empty(),
        ([first, rest @ ..], _) if first == LEFT_OUT => {
            (0..=output.len()).any(|skipped| is_shown(rest, &output[skipped..]))
        }
        ([first, rest @ ..], [line, others @ ..]) => is_line(first, line) && is_shown(rest, others),
        _ => false,
    }
}

/// Tells whether a line is the one shown, with any figures in place of words in angle brackets.
fn is_line(shown: &str, line: &str) -> bool {
    let Some((before, name, after)) = placeholder(shown) else {
        return shown.trim_end() == line.trim_end();
    };
    let Some(rest) = line.strip_prefix(before) else {
        return false;
    };
    let figure = rest.split(' ').next().unwrap_or_default();
    assert!(!name.is_empty());
    (1..=figure.len())
        .filter(|length| rest.is_char_boundary(*length))
        .any(|length| is_line(after, &rest[length..]))
}

/// Parts a line at its first word in angle brackets.
fn placeholder(shown: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = shown.split_once('<')?;
    let (name, after) = rest.split_once('>')?;
    let is_word = !name.is_empty() && name.chars().all(|one| one.is_ascii_lowercase());
    is_word.then_some((before, name, after))
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<Block<'_>> = None;
    let mut before = "";
    for (number, line) in (1..).zip(page.lines()) {
        let inner = line.trim_start();
        match (inner.strip_prefix("```"), &mut open) {
            (Some(mark), None) => {
                let reason = before.strip_prefix(NOT_RUN);
                let not_run = reason.and_then(|reason| reason.strip_suffix(" -->"));
                open = Some(Block {
                    mark,
                    not_run: not_run.map(str::to_owned),
                    indent: line.len() - inner.len(),
                    lines: Vec::new(),
                });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => {
                let text = line.get(block.indent..).unwrap_or_default();
                block.lines.push((number, text));
            }
            (None, None) => {}
        }
        before = inner;
    }
    blocks
}

/// Parts a command from its remark, which stands behind blanks: a single # is part of a frame.
fn printed(line: usize, text: &str, not_run: &Option<String>) -> Option<Printed> {
    let (command, remark) = text.split_once("  #").unwrap_or((text, ""));
    let code = remark
        .split_once("exit code ")
        .map_or("0", |(_, rest)| rest);
    let digits: String = code.chars().take_while(char::is_ascii_digit).collect();
    let command = format!("{} ", command.trim());
    (command != " ").then(|| Printed {
        line,
        command,
        code: digits.parse().expect("an exit code"),
        output: Vec::new(),
        not_run: not_run.clone(),
    })
}

#[test]
fn a_command_is_parted_from_its_remark_and_exit_code() {
    let page = "`a`\n```sh\nx 1#2   # why; exit code 1\n\n```\n```\nno\n```\n\
                ```console\n$ y\nz\n  z\n```\n<!-- not run: slow -->\n   ```sh\n   z\n   ```\n";
    let printed = |line: usize, command: &str, code: i32| Printed {
        line,
        command: command.to_owned(),
        code,
        ..Printed::default()
    };
    let mut expected = [
        printed(3, "x 1#2 ", 1),
        printed(10, "y ", 0),
        printed(16, "z ", 0),
    ];
    expected[1].output = vec!["z".to_owned(), "  z".to_owned()];
    expected[2].not_run = Some("slow".to_owned());
    assert_eq!(commands(page), expected);
}

#[test]
fn a_command_without_a_mark_is_found() {
    let page = "```\nwaywarden run a\n```\n```text\nerror\n$ b\n```\n```sh\nwaywarden c\n```\n\
                \n    waywarden d\n";
    assert_eq!(unmarked(page), [2, 6, 12]);
}

#[test]
fn an_output_is_compared_line_by_line_with_figures_and_lines_left_out() {
    let shown: Vec<String> = ["a <seconds> s", LEFT_OUT, "z"].map(str::to_owned).into();
    assert!(is_shown(&shown, &["a 1.5 s", "z"]));
    assert!(is_shown(&shown, &["a 20 s", "b", "c", "z"]));
    for wrong in [
        &["a  s", "z"][..],
        &["a 1 2 s", "z"],
        &["a 1 s", "z", "b"],
        &["a 1 s"],
    ] {
        assert!(!is_shown(&shown, wrong), "{wrong:?}");
    }
}
