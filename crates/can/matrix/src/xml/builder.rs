//! Builds a document from the events of the reader.

use std::collections::HashMap;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart};

use super::{Attribute, Document, Kept, NONE, Node, SCANNED_MAX};
use crate::{DEPTH_MAX, ELEMENTS_MAX, MatrixError};

/// A document while it is read.
pub(super) struct Builder {
    pub(super) document: Document,
    pub(super) open: Vec<u32>,
    /// For each open element the first and the last child of a name.
    ends: Vec<HashMap<u32, (u32, u32)>>,
    /// The text of the innermost element so far.
    pending: String,
    kept: Kept,
    /// The depth within an element that is left out.
    pub(super) skipped: usize,
}

impl Builder {
    pub(super) fn new(kept: Kept) -> Self {
        let document = Document {
            nodes: Vec::new(),
            names: Vec::new(),
            known: HashMap::new(),
            texts: String::new(),
            attributes: Vec::new(),
            firsts: HashMap::new(),
        };
        Builder {
            document,
            open: Vec::new(),
            ends: Vec::new(),
            pending: String::new(),
            kept,
            skipped: 0,
        }
    }

    pub(super) fn start(&mut self, tag: &BytesStart<'_>, line: usize) -> Result<(), MatrixError> {
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
            next_same: NONE,
            children: 0,
            line: u32::try_from(line).unwrap_or(u32::MAX),
            text: (0, 0),
        });
        if let Some(parent) = self.document.nodes.get_mut(parent as usize) {
            parent.children += 1;
            let before = std::mem::replace(&mut parent.last_child, at);
            match self.document.nodes.get_mut(before as usize) {
                Some(before) => before.next = at,
                None => self.set_first_child(at),
            }
        }
        if let Some(ends) = self.ends.last_mut() {
            let (_, last) = ends.entry(name).or_insert((at, at));
            let before = std::mem::replace(last, at);
            if before != at {
                self.document.nodes[before as usize].next_same = at;
            }
        }
        self.open.push(at);
        self.ends.push(HashMap::new());
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

    pub(super) fn end(&mut self) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        let Some(at) = self.open.pop() else {
            return;
        };
        let ends = self.ends.pop().unwrap_or_default();
        let node = &self.document.nodes[at as usize];
        if node.children > SCANNED_MAX {
            let firsts = ends.iter().map(|(name, (first, _))| ((at, *name), *first));
            self.document.firsts.extend(firsts);
        }
        if node.first_child == NONE {
            let pending = std::mem::take(&mut self.pending);
            let text = self.store(pending.trim());
            self.document.nodes[at as usize].text = text;
        }
        self.pending.clear();
    }

    pub(super) fn characters(&mut self, text: &str) {
        if self.skipped == 0 && !self.open.is_empty() {
            self.pending.push_str(text);
        }
    }

    pub(super) fn reference(
        &mut self,
        reference: &BytesRef<'_>,
        line: usize,
    ) -> Result<(), MatrixError> {
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
        if let Some(known) = self.document.known.get(name) {
            return *known;
        }
        let number = self.document.names.len() as u32;
        self.document.names.push(name.to_owned());
        self.document.known.insert(name.to_owned(), number);
        number
    }

    /// Keeps a text. Texts are parts of the file, each once, so that their length fits.
    fn store(&mut self, text: &str) -> (u32, u32) {
        let start = self.document.texts.len() as u32;
        self.document.texts.push_str(text);
        (start, self.document.texts.len() as u32)
    }
}
