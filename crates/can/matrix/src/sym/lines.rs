//! Statements of a symbol file, and their words.

/// A statement with the line that it begins in.
pub(super) struct Statement<'a> {
    pub(super) line: usize,
    /// Its text without the comment at its end.
    pub(super) text: &'a str,
}

/// Divides a text into statements: each line is one, but for enumerations, which end with a
/// bracket.
pub(super) fn statements(text: &str) -> impl Iterator<Item = Statement<'_>> {
    let mut depth = Depth::default();
    text.lines().enumerate().filter_map(move |(at, line)| {
        let text = without_comment(line).trim();
        let is_inside = depth.is_open;
        let is_enumeration = text.starts_with("Enum") || text.starts_with("enum");
        if is_inside || is_enumeration {
            depth.read(text);
            // A line that only ends an enumeration is none by itself.
            return (!is_inside).then_some(Statement { line: at + 1, text });
        }
        (!text.is_empty()).then_some(Statement { line: at + 1, text })
    })
}

/// An enumeration's state: within its brackets, and within a text.
#[derive(Default)]
struct Depth {
    is_open: bool,
    is_quoted: bool,
}

impl Depth {
    fn read(&mut self, text: &str) {
        for letter in text.chars() {
            match letter {
                '"' => self.is_quoted = !self.is_quoted,
                '(' if !self.is_quoted => self.is_open = true,
                ')' if !self.is_quoted => self.is_open = false,
                _ => {}
            }
        }
    }
}

/// Returns a line without its comment: two slashes outside of texts and units.
fn without_comment(line: &str) -> &str {
    let mut is_quoted = false;
    let mut is_unit = false;
    let bytes = line.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b' ' | b'\t' => is_unit = false,
            b'/' if is_unit => {}
            b'/' if bytes[at..].starts_with(b"/u:") => is_unit = true,
            b'/' if bytes[at..].starts_with(b"//") => return &line[..at],
            _ => {}
        }
    }
    line
}

impl Statement<'_> {
    /// Returns the words: the key, then those of the value. `[name]` is one word. Quotes are taken
    /// off, and an option such as `/u:"m/s"` is one word.
    pub(super) fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut word = String::new();
        let mut has_word = false;
        let mut is_quoted = false;
        let (is_symbol, text) = match self.text.strip_prefix('[') {
            Some(rest) => (true, rest),
            None => (false, self.text),
        };
        let mut is_key = !is_symbol;
        for letter in text.chars() {
            let ends = match letter {
                '"' => {
                    is_quoted = !is_quoted;
                    has_word = true;
                    continue;
                }
                _ if is_quoted => false,
                ']' if is_symbol => break,
                '=' if is_key => {
                    is_key = false;
                    true
                }
                ' ' | '\t' => !is_key && !is_symbol,
                _ => false,
            };
            if !ends {
                word.push(letter);
                has_word = true;
            } else if has_word {
                words.push(std::mem::take(&mut word).trim().to_owned());
                has_word = false;
            }
        }
        if has_word {
            words.push(word.trim().to_owned());
        }
        words
    }
}
