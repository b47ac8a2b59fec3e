//! XML documents as trees of bounded depth and size.
//!
//! Names lose their prefixes, so that a document with and without namespaces reads alike. Entities
//! other than those of XML itself are refused: none is ever expanded.

mod builder;

use std::collections::HashMap;

use quick_xml::Reader;
use quick_xml::events::Event;

use self::builder::Builder;
use crate::MatrixError;

/// Stands for no element.
const NONE: u32 = u32::MAX;

/// The most children that are looked at one by one for a name.
const SCANNED_MAX: u32 = 16;

/// An element of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Element(u32);

/// A document.
pub(crate) struct Document {
    nodes: Vec<Node>,
    names: Vec<String>,
    /// The number of each name.
    known: HashMap<String, u32>,
    texts: String,
    /// In the order of their elements.
    attributes: Vec<Attribute>,
    /// The first child of a name in an element of many: looking at each child for every reference
    /// to the element would take the square of a file's length.
    firsts: HashMap<(u32, u32), u32>,
}

struct Node {
    name: u32,
    parent: u32,
    first_child: u32,
    last_child: u32,
    next: u32,
    /// The next child of the same parent and name.
    next_same: u32,
    /// The number of children, as far as [`SCANNED_MAX`] is concerned.
    children: u32,
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

    /// Returns the elements of a name within an element, without looking at others.
    pub(crate) fn children_of(
        &self,
        element: Element,
        name: &str,
    ) -> impl Iterator<Item = Element> {
        let first = self.child(element, name);
        std::iter::successors(first, |child| present(self.node(*child).next_same))
    }

    /// Returns the first element of a name within an element, in constant time.
    pub(crate) fn child(&self, element: Element, name: &str) -> Option<Element> {
        if self.node(element).children > SCANNED_MAX {
            let name = *self.known.get(name)?;
            return self.firsts.get(&(element.0, name)).copied().map(Element);
        }
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
        let of_name = |name: &&'a str| self.children_of(element, name);
        let mut found: Vec<Element> = containers.iter().flat_map(of_name).collect();
        found.sort_by_key(|container| container.0);
        found
            .into_iter()
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

fn present(element: u32) -> Option<Element> {
    (element != NONE).then_some(Element(element))
}

fn count_lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}
