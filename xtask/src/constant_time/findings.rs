//! Findings of memcheck, and the declared public ones among them.

use std::fmt;
use std::fs;
use std::path::Path;

/// A conditional jump depends on uninitialised data.
pub(super) const JUMP: &str = "UninitCondition";
/// An address does.
pub(super) const ADDRESS: &str = "UninitValue";

/// Lines of source that publish a part of a secret's outcome, by design: file, text of the line,
/// reason.
const DECLARED: &[(&str, &str, &str)] = &[(
    "crates/crypto/fourq/src/dh.rs",
    "if product.is_neutral() {",
    "whether the shared secret is neutral is the error everybody sees",
)];

/// Extent to which a call is public.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Public {
    /// Only whether it has a result: a branch in `subtle` or `core`, and nothing that computes.
    Presence,
    /// All that it computes with.
    Whole,
}

/// Calls that publish values, by design: file, text of the line, extent, reason. Files of other
/// crates have their version in their name, so that a new one is looked at again.
const DECLARED_CALLS: &[(&str, &str, Public, &str)] = &[
    (
        "crates/v2x/keys/src/arithmetic.rs",
        "scalar.into_option().ok_or(KeyError::ScalarOutOfRange)",
        Public::Presence,
        "whether a private value is in 1..n is the error that the caller sees",
    ),
    (
        "crates/v2x/keys/src/arithmetic.rs",
        "let sum = NonZeroScalar::<C>::new(sum).into_option();",
        Public::Presence,
        "whether a sum is 0 is the error that the caller sees",
    ),
    (
        "crates/v2x/keys/src/arithmetic.rs",
        "Point::decode(C::CURVE, &encoded).map_err(|_| KeyError::Infinity)",
        Public::Whole,
        "a public key is public",
    ),
    (
        "crates/v2x/keys/src/slots.rs",
        "Some(key) if key.handle == handle => Ok(place),",
        Public::Presence,
        "a handle holds a part of the public key",
    ),
    (
        "rfc6979-0.6.0/src/lib.rs",
        "if ((!candidate_k.is_zero()) & candidate_k.ct_lt(self.q)).to_bool() {",
        Public::Presence,
        "a nonce out of range is dropped, and says nothing of the next",
    ),
    (
        "ecdsa-0.17.0/src/hazmat.rs",
        "if let Some(k) = NonZeroScalar::<C>::from_repr(k_bytes).into_option() {",
        Public::Presence,
        "a nonce out of range is dropped, and says nothing of the next",
    ),
    (
        "elliptic-curve-0.14.3/src/scalar/nonzero.rs",
        "scalar: Invert::invert(&self.scalar).unwrap(),",
        Public::Presence,
        "a nonce that is not 0 has an inverse",
    ),
    (
        "ecdsa-0.17.0/src/hazmat.rs",
        "let mut signature = Signature::from_scalars(r, s)?;",
        Public::Whole,
        "r and s are the signature",
    ),
];

/// One place memcheck complains about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    /// Memcheck's word for it.
    pub(super) kind: String,
    /// The calls that led there, innermost first.
    pub(super) frames: Vec<Frame>,
}

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    function: String,
    /// Folder and file, as the compiler knew them.
    path: String,
    line: usize,
}

impl Finding {
    /// Returns the reason why this is public by design, if it is: a branch on a line of
    /// [`DECLARED`], in nothing that the line calls.
    pub(super) fn declared(&self, root: &Path) -> Option<&'static str> {
        self.declared_line(root)
            .or_else(|| self.declared_call(root))
    }

    /// Returns the reason why a call on the way here is public, if one of [`DECLARED_CALLS`] is.
    fn declared_call(&self, root: &Path) -> Option<&'static str> {
        self.frames.iter().enumerate().find_map(|(inner, frame)| {
            let computes = self.frames[..inner].iter().any(Frame::computes);
            let mut entries = DECLARED_CALLS.iter();
            let found = entries.find(|(file, text, public, _)| {
                let is_foreign = !file.starts_with("crates/");
                let path = Path::new(&frame.path);
                let own = root.join(file);
                frame.path.ends_with(file)
                    && (*public == Public::Whole || !computes)
                    && frame.is_line(if is_foreign { path } else { &own }, text)
            });
            found.map(|(.., why)| *why)
        })
    }

    fn declared_line(&self, root: &Path) -> Option<&'static str> {
        let frame = self.frames.first().filter(|_| self.kind == JUMP)?;
        let (file, text, why) = DECLARED
            .iter()
            .find(|(file, ..)| frame.path.ends_with(file))?;
        frame.is_line(&root.join(file), text).then_some(*why)
    }
}

impl Frame {
    /// Returns true if it is in code that computes, and not in code that branches on presence.
    fn computes(&self) -> bool {
        let branches = ["/subtle-2.6.1/src/lib.rs", "/library/core/src/"];
        !branches.iter().any(|part| self.path.contains(part))
    }

    /// Returns true if the line that it is on has this text.
    fn is_line(&self, file: &Path, text: &str) -> bool {
        let source = fs::read_to_string(file).unwrap_or_default();
        let line = self.line.checked_sub(1);
        let line = line.and_then(|line| source.lines().nth(line));
        line.is_some_and(|line| line.trim() == text)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind.as_str() {
            JUMP => "a branch",
            ADDRESS => "an address",
            other => other,
        })?;
        for (at, frame) in self.frames.iter().take(4).enumerate() {
            let before = if at == 0 { "in" } else { "<-" };
            write!(
                f,
                " {before} {} ({}:{})",
                frame.function, frame.path, frame.line
            )?;
        }
        Ok(())
    }
}

/// Reads memcheck's XML; none if it is not complete.
pub(super) fn parse(xml: &str) -> Option<Vec<Finding>> {
    if !xml.contains("<state>FINISHED</state>") {
        return None;
    }
    xml.split("<error>")
        .skip(1)
        .map(|error| {
            let error = error.split("</error>").next()?;
            let kind = between(error, "kind")?.to_owned();
            // The first stack is where it happened; a second one says where the memory came from.
            let stack = between(error, "stack")?;
            let frames = stack.split("<frame>").skip(1).map(|frame| Frame {
                // Type parameters come escaped and say little.
                function: between(frame, "fn")
                    .map_or("?", before_parameters)
                    .to_owned(),
                path: match (between(frame, "dir"), between(frame, "file")) {
                    (Some(folder), Some(file)) => format!("{folder}/{file}"),
                    (None, Some(file)) => file.to_owned(),
                    _ => "?".to_owned(),
                },
                line: between(frame, "line")
                    .and_then(|line| line.parse().ok())
                    .unwrap_or(0),
            });
            Some(Finding {
                kind,
                frames: frames.collect(),
            })
        })
        .collect()
}

fn before_parameters(function: &str) -> &str {
    function
        .split_once("&lt;")
        .map_or(function, |(name, _)| name)
}

/// The text of the first element of this name.
fn between<'a>(xml: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = xml.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>")).map(|(text, _)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "<valgrindoutput>
<error><unique>0x0</unique><kind>UninitCondition</kind><what>Conditional jump</what>
<stack><frame><ip>0x1</ip><fn>core::cmp</fn><dir>/x/src</dir><file>cmp.rs</file><line>7</line>
</frame><frame><ip>0x2</ip><fn>main</fn></frame></stack></error>
<status><state>FINISHED</state></status>";

    #[test]
    fn a_report_is_read_with_its_places() {
        let findings = parse(REPORT).unwrap();
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].kind, JUMP);
        assert_eq!(findings[0].frames.len(), 2);
        assert_eq!(findings[0].frames[0].path, "/x/src/cmp.rs");
        assert_eq!(findings[0].frames[0].line, 7);
        assert_eq!(findings[0].declared(Path::new(".")), None);
    }

    #[test]
    fn a_report_cut_short_is_no_report() {
        assert_eq!(parse(&REPORT.replace("FINISHED", "RUNNING")), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn a_declared_line_is_found_by_its_text_and_its_innermost_frame_only() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let (file, text, _) = DECLARED[0];
        let source = fs::read_to_string(root.join(file)).unwrap();
        let at = source.lines().position(|line| line.trim() == text);
        let line = at.expect("the declared line is gone: look at it again") + 1;
        let frame = |line| Frame {
            function: String::new(),
            path: format!("/x/{file}"),
            line,
        };
        let finding = |kind: &str, frames: Vec<Frame>| Finding {
            kind: kind.to_owned(),
            frames,
        };
        assert!(finding(JUMP, vec![frame(line)]).declared(&root).is_some());
        assert_eq!(finding(JUMP, vec![frame(line + 1)]).declared(&root), None);
        assert_eq!(finding(ADDRESS, vec![frame(line)]).declared(&root), None);
        let inner = Frame {
            path: "field.rs".to_owned(),
            ..frame(1)
        };
        assert_eq!(
            finding(JUMP, vec![inner, frame(line)]).declared(&root),
            None
        );
    }
}
