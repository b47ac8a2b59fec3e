//! References between elements, by the paths of their short names.

use std::collections::HashMap;

use crate::text::excerpt;
use crate::xml::{Document, Element};

/// The most names of a path that are followed.
const SEGMENTS_MAX: usize = 64;

/// The elements with short names, by their path.
pub(super) struct Paths<'d> {
    /// The element of a name within another one; a package that stands in several places is one.
    named: HashMap<(Option<Element>, &'d str), Element>,
    /// The short names of elements that have one.
    names: HashMap<Element, &'d str>,
    /// The packages of reference bases, by the element that lists them and their label; without
    /// a label the default one.
    bases: HashMap<(Element, Option<&'d str>), &'d str>,
}

impl<'d> Paths<'d> {
    pub(super) fn of(document: &'d Document) -> Self {
        let mut paths = Paths {
            named: HashMap::new(),
            names: HashMap::new(),
            bases: HashMap::new(),
        };
        // The nearest element with a short name that an element is or lies in.
        let mut owners: Vec<Option<Element>> = Vec::new();
        for element in document.elements() {
            let parent = document.parent(element);
            let outer = parent.and_then(|parent| owners[document.position(parent)]);
            let name = document.text_at(element, &["SHORT-NAME"]);
            owners.push(match name {
                Some(name) => {
                    paths.names.insert(element, name);
                    Some(*paths.named.entry((outer, name)).or_insert(element))
                }
                None => outer,
            });
            if document.name(element) == "REFERENCE-BASES"
                && let Some(lister) = parent
            {
                paths.add_bases(document, lister, element);
            }
        }
        paths
    }

    /// Adds the reference bases of a package; of two with one label the first one counts.
    fn add_bases(&mut self, document: &'d Document, lister: Element, list: Element) {
        for base in document.children(list) {
            let Some(package) = document.text_at(base, &["PACKAGE-REF"]) else {
                continue;
            };
            if let Some(label) = document.text_at(base, &["SHORT-LABEL"]) {
                let key = (lister, Some(label));
                self.bases.entry(key).or_insert(package);
            }
            if document.text_at(base, &["IS-DEFAULT"]) == Some("true") {
                self.bases.entry((lister, None)).or_insert(package);
            }
        }
    }

    /// Returns the element that a reference leads to.
    pub(super) fn resolve(&self, document: &'d Document, reference: Element) -> Option<Element> {
        let text = document.text(reference);
        match text.strip_prefix('/') {
            Some(path) => self.walk(None, path),
            None => {
                let base = self.base(document, reference)?;
                self.walk(base, text)
            }
        }
    }

    fn walk(&self, from: Option<Element>, path: &str) -> Option<Element> {
        let mut at = from;
        for (depth, name) in path.split('/').enumerate() {
            // A longer path leads nowhere: its beginning is another element.
            if depth >= SEGMENTS_MAX {
                return None;
            }
            at = Some(*self.named.get(&(at, name.trim()))?);
        }
        at
    }

    /// Returns the package that a relative reference starts from: the reference base that it
    /// names, or the default one.
    fn base(&self, document: &'d Document, reference: Element) -> Option<Option<Element>> {
        let asked = document.attribute(reference, "BASE");
        let mut ancestors = std::iter::successors(Some(reference), |one| document.parent(*one));
        let package = ancestors.find_map(|ancestor| self.bases.get(&(ancestor, asked)))?;
        self.walk(None, package.strip_prefix('/')?).map(Some)
    }

    /// Returns the short name of an element.
    pub(super) fn short_name(&self, element: Element) -> Option<&'d str> {
        self.names.get(&element).copied()
    }

    /// Returns the element's name and its path.
    pub(super) fn place(&self, document: &Document, element: Element) -> String {
        let ancestors = std::iter::successors(Some(element), |one| document.parent(*one));
        let mut names: Vec<String> = ancestors
            .filter_map(|one| self.names.get(&one))
            .map(|name| excerpt(name))
            .collect();
        names.reverse();
        format!("{} /{}", document.name(element), names.join("/"))
    }
}
