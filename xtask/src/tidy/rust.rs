//! Reads Rust just well enough for the rules: code, comments and tests.
//!
//! Not a parser. It knows comments, string and character literals, and which braces belong to an
//! item behind `#[cfg(test)]`; so a rule's own strings do not trip the rule.

/// One Rust file seen three ways. All views have the same lines as the file.
#[derive(Debug)]
pub(super) struct Source {
    /// The code; comments and the insides of literals are blank.
    pub(super) code: Vec<String>,
    /// The comments; everything else is blank.
    pub(super) comments: Vec<String>,
    /// By line: true if it is compiled for tests only.
    pub(super) test: Vec<bool>,
    /// Paths named in the code, `use` trees spelled out.
    pub(super) paths: Vec<NamedPath>,
    /// Modules declared by `mod name;`.
    pub(super) declared: Vec<Declared>,
}

/// A path such as `crate::frame::Frame`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedPath {
    /// Segments of the path, at least two; `*` for a glob.
    pub(super) segments: Vec<String>,
    /// Counted from 1.
    pub(super) line: usize,
    /// True if a `use` names it.
    pub(super) is_use: bool,
}

/// `mod name;`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    pub(super) name: String,
    /// Counted from 1.
    pub(super) line: usize,
    /// True if only tests have it.
    pub(super) test: bool,
}

impl Source {
    pub(super) fn new(text: &str) -> Source {
        let (code, comments) = split(text);
        let test = test_lines(&code);
        let tokens = tokens(&code);
        let paths = paths(&tokens);
        let declared = declared(&tokens, &test);
        let lines = |view: String| view.split('\n').map(str::to_owned).collect();
        Source {
            code: lines(code),
            comments: lines(comments),
            test,
            paths,
            declared,
        }
    }

    /// The lines of code that are not for tests only, counted from 1.
    pub(super) fn shipped(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..)
            .zip(&self.code)
            .filter(|(line, _)| !self.is_test(*line))
            .map(|(line, code)| (line, code.as_str()))
    }

    /// Returns true if the line, counted from 1, is for tests only.
    pub(super) fn is_test(&self, line: usize) -> bool {
        self.test.get(line - 1).copied().unwrap_or(false)
    }
}

/// Kind of text at the reader's position.
enum State {
    Code,
    LineComment,
    BlockComment(u32),
    Text,
    RawText(usize),
}

/// Splits a file into its code and its comments, each with the rest blanked.
fn split(text: &str) -> (String, String) {
    let chars: Vec<char> = text.chars().collect();
    let (mut code, mut comments) = (String::new(), String::new());
    let mut state = State::Code;
    let mut at = 0;
    while at < chars.len() {
        let next = |ahead: usize| chars.get(at + ahead).copied().unwrap_or('\0');
        // How many characters this step takes, and whether code and comments get to see them.
        let (taken, seen, commented) = match state {
            State::Code => {
                let (taken, entered) = enter(&chars, at);
                let commented =
                    matches!(entered, Some(State::LineComment | State::BlockComment(_)));
                let literal = chars[at] == '\'' && taken > 1;
                state = entered.unwrap_or(State::Code);
                (taken, !commented && !literal, commented)
            }
            State::LineComment => {
                if next(0) == '\n' {
                    state = State::Code;
                }
                (1, false, true)
            }
            State::BlockComment(depth) => match (next(0), next(1)) {
                ('*', '/') if depth == 1 => {
                    state = State::Code;
                    (2, false, true)
                }
                ('*', '/') => {
                    state = State::BlockComment(depth - 1);
                    (2, false, true)
                }
                ('/', '*') => {
                    state = State::BlockComment(depth + 1);
                    (2, false, true)
                }
                _ => (1, false, true),
            },
            State::Text => match next(0) {
                '\\' => (2, false, false),
                '"' => {
                    state = State::Code;
                    (1, true, false)
                }
                _ => (1, false, false),
            },
            State::RawText(hashes) => {
                let closes = next(0) == '"' && (1..=hashes).all(|ahead| next(ahead) == '#');
                if closes {
                    state = State::Code;
                }
                (if closes { 1 + hashes } else { 1 }, closes, false)
            }
        };
        for &c in &chars[at..(at + taken).min(chars.len())] {
            let blank = if c == '\n' { '\n' } else { ' ' };
            code.push(if seen { c } else { blank });
            comments.push(if commented { c } else { blank });
        }
        at += taken;
    }
    (code, comments)
}

/// At a place in code: how many characters the token's opening takes, and what it opens.
fn enter(chars: &[char], at: usize) -> (usize, Option<State>) {
    let next = |ahead: usize| chars.get(at + ahead).copied().unwrap_or('\0');
    let after_word = at > 0 && is_word(chars[at - 1]);
    match next(0) {
        '/' if next(1) == '/' => (2, Some(State::LineComment)),
        '/' if next(1) == '*' => (2, Some(State::BlockComment(1))),
        '"' => (1, Some(State::Text)),
        'r' if !after_word || matches!(chars[at - 1], 'b' | 'c') => {
            let hashes = (1..).take_while(|&ahead| next(ahead) == '#').count();
            if next(1 + hashes) == '"' {
                (2 + hashes, Some(State::RawText(hashes)))
            } else {
                (1, None)
            }
        }
        // A character literal; anything else behind a quote is a lifetime.
        '\'' if next(1) == '\\' => {
            let length = (3..12).find(|&ahead| next(ahead) == '\'').unwrap_or(0);
            (length + 1, None)
        }
        '\'' if next(2) == '\'' => (3, None),
        _ => (1, None),
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns, by line, true if it belongs to an item behind `#[cfg(test)]`.
fn test_lines(code: &str) -> Vec<bool> {
    let mut test = vec![false; code.split('\n').count()];
    let mut from = 0;
    while let Some(found) = code[from..].find("#[cfg(") {
        let start = from + found;
        from = start + 1;
        let Some(close) = code[start..].find(']') else {
            break;
        };
        let condition = &code[start..start + close];
        let words: Vec<&str> = condition.split(|c| !is_word(c)).collect();
        if !words.contains(&"test") || words.contains(&"not") || words.contains(&"any") {
            continue;
        }
        let end = item_end(code, start + close + 1);
        let line_of = |place: usize| code[..place].matches('\n').count();
        test[line_of(start)..=line_of(end)].fill(true);
        from = end;
    }
    test
}

/// Returns the end of the item that begins after an attribute: its `;`, or the brace that closes
/// it.
fn item_end(code: &str, from: usize) -> usize {
    let mut depth = 0_u32;
    for (at, c) in code[from..].char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' if depth <= 1 => return from + at,
            '}' | ')' | ']' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => return from + at,
            _ => {}
        }
    }
    code.len()
}

/// A word or a mark of the code, and its line.
type Token<'a> = (&'a str, usize);

fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    for (line, text) in (1..).zip(code.split('\n')) {
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = if is_word(first) {
                rest.find(|c| !is_word(c)).unwrap_or(rest.len())
            } else if rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            let (token, tail) = rest.split_at(length);
            if !first.is_whitespace() {
                tokens.push((token, line));
            }
            rest = tail;
        }
    }
    tokens
}

/// Every path of two or more segments.
fn paths(tokens: &[Token<'_>]) -> Vec<NamedPath> {
    let mut paths = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let is_use = at > 0 && tokens[at - 1].0 == "use";
        at = path_tree(tokens, at, &[], is_use, &mut paths).max(at + 1);
    }
    paths
}

/// Reads the path or the `{}` tree at `at`, below `prefix`; returns where it ends.
fn path_tree(
    tokens: &[Token<'_>],
    mut at: usize,
    prefix: &[String],
    is_use: bool,
    paths: &mut Vec<NamedPath>,
) -> usize {
    let mut segments = prefix.to_vec();
    let line = tokens.get(at).map_or(0, |token| token.1);
    while let Some(&(token, _)) = tokens.get(at) {
        if token == "{" && !prefix.is_empty() | (segments.len() > prefix.len()) {
            at += 1;
            while let Some(&(token, _)) = tokens.get(at) {
                at = match token {
                    "}" => return at + 1,
                    "," => at + 1,
                    _ => path_tree(tokens, at, &segments, is_use, paths).max(at + 1),
                };
            }
            return at;
        }
        if !(token.starts_with(is_word) || token == "*") {
            break;
        }
        segments.push(token.to_owned());
        at += 1;
        match tokens.get(at) {
            Some(("::", _)) => at += 1,
            _ => break,
        }
    }
    if segments.len() > prefix.len() && segments.len() > 1 {
        paths.push(NamedPath {
            segments,
            line,
            is_use,
        });
    }
    at
}

/// Every `mod name;`.
fn declared(tokens: &[Token<'_>], test: &[bool]) -> Vec<Declared> {
    tokens
        .windows(3)
        .filter(|window| window[0].0 == "mod" && window[2].0 == ";")
        .map(|window| Declared {
            name: window[1].0.to_owned(),
            line: window[0].1,
            test: test[window[0].1 - 1],
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_comments_are_not_code() {
        let text =
            "let a = \"dbg!\"; // todo\nlet b = r#\"x\"y\"#; /* 1 /* 2 */ 3 */ f('\"', 'a', '\\n')";
        let source = Source::new(text);
        assert_eq!(source.code[0], "let a = \"    \";        ");
        assert!(
            source.code[1].starts_with("let b = r#\"   \"#;"),
            "{}",
            source.code[1]
        );
        assert!(source.code[1].ends_with(')'));
        assert!(!source.code[1].contains('3'));
        assert_eq!(source.comments[0].trim(), "// todo");
        assert_eq!(source.comments[1].trim(), "/* 1 /* 2 */ 3 */");
    }

    #[test]
    fn a_lifetime_opens_no_literal() {
        let source = Source::new("fn f<'a>(x: &'a str) -> &'a str { x } // end");
        assert!(source.code[0].contains("-> &'a str { x }"));
    }

    #[test]
    fn what_is_behind_cfg_test_is_test() {
        let text = "use a::b;\n#[cfg(test)]\nmod tests {\n    fn f() {}\n}\nfn g() {}\n\
                    #[cfg(test)]\nmod far;\n#[cfg(not(test))]\nfn h() {}";
        let source = Source::new(text);
        let test: Vec<usize> = (1..=10).filter(|&line| source.is_test(line)).collect();
        assert_eq!(test, [2, 3, 4, 5, 7, 8]);
        assert_eq!(source.declared.len(), 1);
        assert!(source.declared[0].test);
    }

    #[test]
    fn use_trees_are_spelled_out() {
        let source = Source::new("use std::{fs, io::{self, Read}};\nlet x = crate::a::B::new(y);");
        let found: Vec<String> = source.paths.iter().map(|p| p.segments.join("::")).collect();
        assert_eq!(
            found,
            [
                "std::fs",
                "std::io::self",
                "std::io::Read",
                "crate::a::B::new"
            ]
        );
        assert!(source.paths[0].is_use && !source.paths[3].is_use);
    }

    #[test]
    fn a_match_arm_before_a_brace_is_no_tree() {
        let source = Source::new("match x { A::B { y } => C::D, _ => E::F }");
        let found: Vec<String> = source.paths.iter().map(|p| p.segments.join("::")).collect();
        assert_eq!(found, ["A::B", "C::D", "E::F"]);
    }
}
