//! XML documents as trees of bounded depth and size.
//!
//! Names lose their prefixes, so that a document with and without namespaces reads alike. Entities
//! other than those of XML itself are refused: none is ever expanded.

use std::collections::HashMap;

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::{DEPTH_MAX, ELEMENTS_MAX, MatrixError};

/// Stands for no element.
const NONE: u32 = u32::MAX;

/// An element of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Element(u32);

/// A document.
pub(crate) struct Document {
    nodes: Vec<Node>,
    names: Vec<String>,
    texts: String,
    /// In the order of their elements.
    attributes: Vec<Attribute>,
}

struct Node {
    name: u32,
    parent: u32,
    first_child: u32,
    last_child: u32,
    next: u32,
    line: u32,
    text: (u32, u32),
}

struct Attribute {
    element: u32,
    name: u32,
    text: (u32, u32),
}

/// The parts of a document that are kept.
#[derive(Clone, Copy)]
pub(crate) struct Kept {
    /// Returns true for an element that is left out with all that is in it.
    pub(crate) is_skipped: fn(&str) -> bool,
    /// Returns true for an attribute that is kept.
    pub(crate) is_attribute: fn(&str) -> bool,
}

/// A document while it is read.
struct Builder {
    document: Document,
    known: HashMap<String, u32>,
    open: Vec<u32>,
    /// The text of the innermost element so far.
    pending: String,
    kept: Kept,
    /// The depth within an element that is left out.
    skipped: usize,
}

impl Document {
    /// Reads a document.
    pub(crate) fn parse(text: &str, kept: Kept) -> Result<Self, MatrixError> {
        let mut reader = Reader::from_str(text);
        let mut builder = Builder::new(kept);
        let (mut position, mut line) = (0, 1);
        loop {
            let event = reader.read_event();
            let at = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
            let at = at.min(text.len());
            let start = line;
            line += count_lines(&text.as_bytes()[position..at]);
            position = at;
            let event = event.map_err(|error| MatrixError::Xml {
                line,
                cause: error.to_string(),
            })?;
            // A tag is where it ends; text is where it begins.
            match event {
                Event::Start(tag) => builder.start(&tag, line)?,
                Event::Empty(tag) => {
                    builder.start(&tag, line)?;
                    builder.end();
                }
                Event::End(_) => builder.end(),
                Event::Text(text) => builder.characters(&text.xml10_content()),
                Event::CData(text) => builder.characters(&text.xml10_content()),
                Event::GeneralRef(reference) => builder.reference(&reference, start)?,
                Event::Eof => break,
                Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Comment(_) => {}
            }
        }
        if !builder.open.is_empty() || builder.skipped > 0 {
            return Err(MatrixError::Xml {
                line,
                cause: "the file ends within an element".to_owned(),
            });
        }
        Ok(builder.document)
    }

    /// Returns the outermost element.
    pub(crate) fn root(&self) -> Option<Element> {
        (!self.nodes.is_empty()).then_some(Element(0))
    }

    /// Returns all elements, in the order of the file.
    pub(crate) fn elements(&self) -> impl Iterator<Item = Element> + use<> {
        (0..self.nodes.len() as u32).map(Element)
    }

    fn node(&self, element: Element) -> &Node {
        &self.nodes[element.0 as usize]
    }

    /// Returns the position of an element in the order of the file.
    pub(crate) fn position(&self, element: Element) -> usize {
        element.0 as usize
    }

    /// Returns the name of an element, without its prefix.
    pub(crate) fn name(&self, element: Element) -> &str {
        &self.names[self.node(element).name as usize]
    }

    /// Returns the line that an element begins in.
    pub(crate) fn line(&self, element: Element) -> usize {
        self.node(element).line as usize
    }

    /// Returns the text of an element without elements in it.
    pub(crate) fn text(&self, element: Element) -> &str {
        let (start, end) = self.node(element).text;
        &self.texts[start as usize..end as usize]
    }

    pub(crate) fn parent(&self, element: Element) -> Option<Element> {
        present(self.node(element).parent)
    }

    pub(crate) fn children(&self, element: Element) -> impl Iterator<Item = Element> {
        let first = present(self.node(element).first_child);
        std::iter::successors(first, |child| present(self.node(*child).next))
    }

    /// Returns the elements of a name within an element.
    pub(crate) fn children_of<'a>(
        &'a self,
        element: Element,
        name: &'a str,
    ) -> impl Iterator<Item = Element> + 'a {
        self.children(element)
            .filter(move |child| self.name(*child) == name)
    }

    /// Returns the first element of a name within an element.
    pub(crate) fn child(&self, element: Element, name: &str) -> Option<Element> {
        let mut children = self.children(element);
        children.find(|child| self.name(*child) == name)
    }

    /// Returns the element that a path of names leads to, by the first of each name.
    pub(crate) fn descendant(&self, element: Element, path: &[&str]) -> Option<Element> {
        let mut found = Some(element);
        for name in path {
            found = found.and_then(|one| self.child(one, name));
        }
        found
    }

    /// Returns the text that a path of names leads to.
    pub(crate) fn text_at(&self, element: Element, path: &[&str]) -> Option<&str> {
        let found = self.descendant(element, path)?;
        Some(self.text(found))
    }

    /// Returns the elements within any of the containers of these names.
    pub(crate) fn within<'a>(
        &'a self,
        element: Element,
        containers: &'a [&'a str],
    ) -> impl Iterator<Item = Element> + 'a {
        self.children(element)
            .filter(move |child| containers.contains(&self.name(*child)))
            .flat_map(move |container| self.children(container))
    }

    /// Returns an attribute of an element.
    pub(crate) fn attribute(&self, element: Element, name: &str) -> Option<&str> {
        let first = self
            .attributes
            .partition_point(|one| one.element < element.0);
        let mut own = self.attributes[first..]
            .iter()
            .take_while(|one| one.element == element.0);
        let found = own.find(|one| self.names[one.name as usize] == name)?;
        Some(&self.texts[found.text.0 as usize..found.text.1 as usize])
    }
}

impl Builder {
    fn new(kept: Kept) -> Self {
        let document = Document {
            nodes: Vec::new(),
            names: Vec::new(),
            texts: String::new(),
            attributes: Vec::new(),
        };
        Builder {
            document,
            known: HashMap::new(),
            open: Vec::new(),
            pending: String::new(),
            kept,
            skipped: 0,
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>, line: usize) -> Result<(), MatrixError> {
        if self.open.len() + self.skipped >= DEPTH_MAX {
            return Err(MatrixError::TooDeep { line });
        }
        let name = tag.local_name();
        let name = name.into_inner();
        let is_second = self.open.is_empty() && !self.document.nodes.is_empty();
        if is_second {
            return Err(MatrixError::Xml {
                line,
                cause: format!(
                    "a second outermost element <{}>",
                    crate::text::excerpt(name)
                ),
            });
        }
        if self.skipped > 0 || (self.kept.is_skipped)(name) {
            self.skipped += 1;
            return Ok(());
        }
        let at = self.document.nodes.len();
        if at >= ELEMENTS_MAX {
            return Err(MatrixError::TooManyElements { line });
        }
        let at = at as u32;
        self.pending.clear();
        let parent = self.open.last().copied().unwrap_or(NONE);
        let name = self.name(name);
        self.document.nodes.push(Node {
            name,
            parent,
            first_child: NONE,
            last_child: NONE,
            next: NONE,
            line: u32::try_from(line).unwrap_or(u32::MAX),
            text: (0, 0),
        });
        if let Some(parent) = self.document.nodes.get_mut(parent as usize) {
            let before = std::mem::replace(&mut parent.last_child, at);
            match self.document.nodes.get_mut(before as usize) {
                Some(before) => before.next = at,
                None => self.set_first_child(at),
            }
        }
        self.open.push(at);
        self.attributes(tag, at, line)
    }

    fn set_first_child(&mut self, child: u32) {
        let parent = self.document.nodes[child as usize].parent;
        self.document.nodes[parent as usize].first_child = child;
    }

    fn attributes(
        &mut self,
        tag: &BytesStart<'_>,
        element: u32,
        line: usize,
    ) -> Result<(), MatrixError> {
        let fault = |cause: String| MatrixError::Xml { line, cause };
        let mut attributes = tag.attributes();
        // Looking for the same name twice takes the square of their number.
        attributes.with_checks(false);
        for attribute in attributes {
            let attribute = attribute.map_err(|error| fault(error.to_string()))?;
            let name = attribute.key.local_name().into_inner();
            if !(self.kept.is_attribute)(name) {
                continue;
            }
            let value = attribute
                .normalized_value(XmlVersion::Implicit1_0)
                .map_err(|error| fault(error.to_string()))?;
            let name = self.name(name);
            let text = self.store(&value);
            self.document.attributes.push(Attribute {
                element,
                name,
                text,
            });
        }
        Ok(())
    }

    fn end(&mut self) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        let Some(at) = self.open.pop() else {
            return;
        };
        let is_leaf = self.document.nodes[at as usize].first_child == NONE;
        if is_leaf {
            let pending = std::mem::take(&mut self.pending);
            let text = self.store(pending.trim());
            self.document.nodes[at as usize].text = text;
        }
        self.pending.clear();
    }

    fn characters(&mut self, text: &str) {
        if self.skipped == 0 && !self.open.is_empty() {
            self.pending.push_str(text);
        }
    }

    fn reference(&mut self, reference: &BytesRef<'_>, line: usize) -> Result<(), MatrixError> {
        let fault = |cause: String| MatrixError::Xml { line, cause };
        let of_number = reference
            .resolve_char_ref()
            .map_err(|error| fault(error.to_string()))?;
        let name = reference.xml10_content();
        let letter = match (of_number, name.as_ref()) {
            (Some(letter), _) => letter,
            (None, "amp") => '&',
            (None, "lt") => '<',
            (None, "gt") => '>',
            (None, "quot") => '"',
            (None, "apos") => '\'',
            (None, other) => {
                return Err(fault(format!(
                    "entity &{}; is none of XML's own, and no other is expanded; write its text \
                     instead",
                    crate::text::excerpt(other)
                )));
            }
        };
        self.characters(letter.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn name(&mut self, name: &str) -> u32 {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let number = self.document.names.len() as u32;
        self.document.names.push(name.to_owned());
        self.known.insert(name.to_owned(), number);
        number
    }

    /// Keeps a text. Texts are parts of the file, each once, so that their length fits.
    fn store(&mut self, text: &str) -> (u32, u32) {
        let start = self.document.texts.len() as u32;
        self.document.texts.push_str(text);
        (start, self.document.texts.len() as u32)
    }
}

fn present(element: u32) -> Option<Element> {
    (element != NONE).then_some(Element(element))
}

fn count_lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}
