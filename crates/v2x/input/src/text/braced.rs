//! Lines between braces or brackets: values of JSON, and arrays of C and languages like it.

use super::{BLOCK_MAX, Item, Step, lists};

/// Lines up to the one that closes what the first one opens.
pub(super) struct Braced {
    lines: Vec<(usize, String)>,
    size: usize,
    scan: Scan,
    /// Error that ended it before its end.
    failed: Option<&'static str>,
}

/// The languages that are distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    /// Not known yet: only an opening brace was seen.
    Open,
    Json,
    /// An array in braces or in brackets.
    List {
        open: char,
        close: char,
    },
}

/// State of the scan in the text.
struct Scan {
    language: Language,
    depth: usize,
    /// True if a list has to come still: `=` was the last sign.
    is_awaited: bool,
    is_in_string: bool,
    is_escaped: bool,
    is_in_comment: bool,
}

impl Braced {
    /// Opens a block if a line opens something.
    pub(super) fn opens(line: &str) -> Option<Self> {
        let language = language(line)?;
        Some(Self {
            lines: Vec::new(),
            size: 0,
            scan: Scan {
                language,
                depth: 0,
                is_awaited: false,
                is_in_string: false,
                is_escaped: false,
                is_in_comment: false,
            },
            failed: None,
        })
    }

    pub(super) fn step(&mut self, number: usize, line: &str) -> Step {
        if self.size + line.len() > BLOCK_MAX {
            self.failed = Some("longer than 16 MiB");
            return Step::Foreign;
        }
        self.size += line.len() + 1;
        self.lines.push((number, line.to_owned()));
        self.failed = self.scan.line(line).err();
        match self.failed.is_some() || !self.scan.is_open() {
            true => Step::Ended,
            false => Step::Taken,
        }
    }

    /// Returns true if all that was opened is closed.
    pub(super) fn is_whole(&self) -> bool {
        self.failed.is_none() && !self.scan.is_open()
    }

    /// Reads the block. Returns lines to be read one by one.
    pub(super) fn finish(mut self, items: &mut Vec<Item>) -> Vec<(usize, String)> {
        let Some((first, _)) = self.lines.first() else {
            return Vec::new();
        };
        let first = *first;
        let is_json = self.scan.language == Language::Json;
        if self.is_whole() {
            let text: Vec<&str> = self.lines.iter().map(|(_, line)| line.as_str()).collect();
            let text = text.join("\n");
            let last = first + self.lines.len() - 1;
            if is_json {
                lists::json(&text, (first, last), items);
                return Vec::new();
            }
            let begun = items.len();
            match lists::arrays(&text, (first, last), items) {
                Ok(()) => return Vec::new(),
                Err(_) if self.lines.len() == 1 => {
                    items.truncate(begun);
                    return self.lines;
                }
                Err((error, remedy)) => {
                    items.push(Item::wrong(first, error, remedy));
                    return Vec::new();
                }
            }
        }
        if self.lines.len() > 1 || is_json {
            let what = if is_json { "JSON" } else { "an array" };
            let last = first + self.lines.len() - 1;
            let why = self.failed.unwrap_or("without an end");
            let error = format!("{what}, lines {first} to {last}: {why}");
            items.push(Item::wrong(
                first,
                error,
                "close it, or give one value a line",
            ));
            self.lines.remove(0);
        }
        self.lines
    }
}

/// Returns the language that a line begins something of.
fn language(line: &str) -> Option<Language> {
    let braces = Language::List {
        open: '{',
        close: '}',
    };
    if let Some(rest) = line.strip_prefix(['{', '[']) {
        let is_brace = line.starts_with('{');
        return Some(match rest.trim_start().chars().next() {
            None => Language::Open,
            Some('"' | '[' | '}' | ']') => Language::Json,
            Some('{') if !is_brace => Language::Json,
            _ if is_brace => braces,
            _ => Language::List {
                open: '[',
                close: ']',
            },
        });
    }
    if line.ends_with('=') {
        // Base64 ends so, too, and has no blanks.
        return line.contains([' ', '[']).then_some(Language::Open);
    }
    let is_list = |text: &str| {
        let text = text.trim_start();
        let is_item = text.starts_with(|letter: char| letter.is_ascii_hexdigit());
        text.is_empty() || is_item || text.starts_with(['/', '{', '}', ']'])
    };
    let is_declared = |text: &str| text.trim_end().ends_with(['=', ']', '(', 'e', '8']);
    if let Some((before, rest)) = line.split_once('{') {
        return (is_declared(before) && is_list(rest)).then_some(braces);
    }
    let (before, rest) = line.rsplit_once('[')?;
    let is_assigned = before.trim_end().ends_with(['=', '(', '!']);
    (is_assigned && is_list(rest)).then_some(Language::List {
        open: '[',
        close: ']',
    })
}

impl Scan {
    fn is_open(&self) -> bool {
        self.depth > 0 || self.is_awaited || self.is_in_comment
    }

    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        if self.language == Language::Open {
            self.decide(line);
        }
        match self.language {
            Language::Open => {
                self.depth = 1;
                Ok(())
            }
            Language::Json => self.json(line),
            Language::List { open, close } => self.list(line, open, close),
        }
    }

    /// Decides the language by the first sign behind the opening brace, in this line or a later.
    fn decide(&mut self, line: &str) {
        let text = line.trim();
        let inner = match self.depth {
            0 => text.trim_start_matches(['{', '[']),
            _ => text,
        };
        let braces = Language::List {
            open: '{',
            close: '}',
        };
        self.language = match inner.trim_start().chars().next() {
            _ if text.ends_with('=') => braces,
            None => Language::Open,
            Some('"' | '}') => Language::Json,
            _ => braces,
        };
    }

    fn json(&mut self, line: &str) -> Result<(), &'static str> {
        for letter in line.chars() {
            if self.is_in_string {
                match letter {
                    _ if self.is_escaped => self.is_escaped = false,
                    '\\' => self.is_escaped = true,
                    '"' => self.is_in_string = false,
                    _ => {}
                }
                continue;
            }
            match letter {
                '"' => self.is_in_string = true,
                '{' | '[' => self.depth += 1,
                '}' | ']' => {
                    self.depth = self.depth.checked_sub(1).ok_or("closed more than opened")?;
                }
                _ => {}
            }
        }
        match self.is_in_string {
            true => Err("a string goes over the end of its line"),
            false => Ok(()),
        }
    }

    fn list(&mut self, line: &str, open: char, close: char) -> Result<(), &'static str> {
        let text = lists::without_comments(line, &mut self.is_in_comment);
        let text = text.trim();
        // The sizes of a declaration are no list.
        let from = match (self.depth, open) {
            (0, '[') => text.rfind('[').unwrap_or(0),
            _ => 0,
        };
        for letter in text[from..].chars() {
            if letter == open {
                self.depth += 1;
                self.is_awaited = false;
            } else if letter == close {
                self.depth = self.depth.checked_sub(1).ok_or("closed more than opened")?;
            } else if self.depth > 0 {
                let is_item = letter.is_ascii_hexdigit() || "xXuU, \t-".contains(letter);
                if !is_item {
                    return Err("something else than numbers in it");
                }
            }
        }
        if self.depth == 0 {
            let is_last = text.ends_with('=');
            self.is_awaited = is_last || (self.is_awaited && text.is_empty());
        }
        Ok(())
    }
}
