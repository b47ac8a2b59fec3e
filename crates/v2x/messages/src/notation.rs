//! Reads files of layouts: a notation of this crate, a line of the head for each message and a
//! definition for each type. `layouts/README.md` describes it.

mod parts;

use std::collections::{BTreeMap, BTreeSet};

use crate::layout::{Layouts, Root, Shape, Type, TypeId};

/// A fault of a file of layouts: the token near it and the reason.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NotationError {
    pub(crate) line: usize,
    pub(crate) reason: String,
}

/// Reads a file of one or several texts. A text may define types of those before it again; its own
/// messages are those of the last.
///
/// # Errors
/// The first fault, with its line.
pub(crate) fn parse(texts: &[&'static str]) -> Result<Layouts, NotationError> {
    let (mut parser, mut heads) = (Parser::default(), Vec::new());
    for text in texts {
        let tokens;
        (heads, tokens) = split(text);
        parser.read(tokens)?;
    }
    let mut layouts = parser.finish()?;
    for (line, head) in heads {
        let root = root(head, &layouts.types);
        layouts.messages.push(root.ok_or_else(|| NotationError {
            line,
            reason: format!("not a message's line, or of an unknown type: {head}"),
        })?);
    }
    Ok(layouts)
}

type Line = (usize, &'static str);

/// Returns the lines of messages and the tokens of definitions, each with its line from 1 on.
fn split(text: &'static str) -> (Vec<Line>, Vec<Line>) {
    let (mut heads, mut tokens) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or(line).trim();
        match line.strip_prefix("message ") {
            Some(head) => heads.push((number + 1, head)),
            None => tokens.extend(line.split_whitespace().map(|token| (number + 1, token))),
        }
    }
    (heads, tokens)
}

/// Reads `KIND release N protocol N "standard" root TypeName`; the protocol may be left out.
fn root(head: &'static str, types: &[Type]) -> Option<Root> {
    let (kind, rest) = head.split_once(" release ")?;
    let (release, rest) = rest.split_once(" \"")?;
    let (standard, name) = rest.split_once("\" root ")?;
    let (release, protocol) = match release.split_once(" protocol ") {
        Some((release, protocol)) => (release, Some(protocol.parse().ok()?)),
        None => (release, None),
    };
    Some(Root {
        kind,
        release: release.parse().ok()?,
        protocol,
        standard,
        of_type: types.iter().position(|one| one.name == name.trim())?,
    })
}

/// Reads definitions. A type that is named before it is defined has a place without a shape.
#[derive(Default)]
struct Parser {
    tokens: Vec<Line>,
    at: usize,
    /// Types that this text has defined.
    defined: BTreeSet<&'static str>,
    types: Vec<(&'static str, Definition)>,
    named: BTreeMap<&'static str, TypeId>,
}

/// Shape of a type, as far as it is known.
#[derive(Clone)]
enum Definition {
    /// It was named only.
    Open,
    /// It has the shape of another.
    As(TypeId),
    Shape(Shape),
}

impl Parser {
    /// Reads the definitions of one text.
    fn read(&mut self, tokens: Vec<Line>) -> Result<(), NotationError> {
        (self.tokens, self.at) = (tokens, 0);
        self.defined.clear();
        while self.peek().is_some() {
            self.definition()?;
        }
        Ok(())
    }

    fn peek(&self) -> Option<&'static str> {
        self.tokens.get(self.at).map(|(_, token)| *token)
    }

    fn next(&mut self) -> Result<&'static str, NotationError> {
        let token = self.peek().ok_or_else(|| self.fault("the file ends"))?;
        self.at += 1;
        Ok(token)
    }

    fn fault(&self, reason: impl Into<String>) -> NotationError {
        let last = self.tokens.get(self.at).or(self.tokens.last());
        NotationError {
            line: last.map_or(0, |(line, _)| *line),
            reason: reason.into(),
        }
    }

    fn expect(&mut self, token: &str) -> Result<(), NotationError> {
        match self.next()? {
            found if found == token => Ok(()),
            found => Err(self.fault(format!("{token} is expected, not {found}"))),
        }
    }

    /// Takes a token if it is the next one.
    fn take(&mut self, token: &str) -> bool {
        let is_next = self.peek() == Some(token);
        self.at += usize::from(is_next);
        is_next
    }

    /// Returns the place of a type with this name.
    fn place(&mut self, name: &'static str) -> TypeId {
        let next = self.types.len();
        let place = *self.named.entry(name).or_insert(next);
        if place == next {
            self.types.push((name, Definition::Open));
        }
        place
    }

    fn definition(&mut self) -> Result<(), NotationError> {
        let name = self.next()?;
        self.expect("=")?;
        let place = self.place(name);
        let as_other = Definition::As(self.of_type()?);
        if !self.defined.insert(name) {
            return Err(self.fault(format!("{name} is defined twice")));
        }
        if let Some((_, own)) = self.types.get_mut(place) {
            *own = as_other;
        }
        Ok(())
    }

    /// Returns the shape of a type that may be defined as another one.
    fn shape(&self, of_type: TypeId) -> Option<&Shape> {
        let mut at = of_type;
        for _ in 0..self.types.len() {
            match &self.types.get(at)?.1 {
                Definition::Open => return None,
                Definition::As(other) => at = *other,
                Definition::Shape(shape) => return Some(shape),
            }
        }
        None
    }

    fn finish(self) -> Result<Layouts, NotationError> {
        let mut types = Vec::with_capacity(self.types.len());
        for (at, (name, _)) in self.types.iter().enumerate() {
            let shape = self.shape(at).cloned().ok_or_else(|| NotationError {
                line: 0,
                reason: format!("{name} is not defined"),
            })?;
            types.push(Type { name, shape });
        }
        Ok(Layouts {
            types,
            messages: Vec::new(),
        })
    }
}
