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
}

impl<'d> Paths<'d> {
    pub(super) fn of(document: &'d Document) -> Self {
        let mut named = HashMap::new();
        // The nearest element with a short name that an element is or lies in.
        let mut owners: Vec<Option<Element>> = Vec::new();
        for element in document.elements() {
            let parent = document.parent(element);
            let outer = parent.and_then(|parent| owners[document.position(parent)]);
            let name = document.text_at(element, &["SHORT-NAME"]);
            owners.push(match name {
                Some(name) => Some(*named.entry((outer, name)).or_insert(element)),
                None => outer,
            });
        }
        Paths { named }
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
        for name in path.split('/').take(SEGMENTS_MAX) {
            at = Some(*self.named.get(&(at, name.trim()))?);
        }
        at
    }

    /// Returns the package that a relative reference starts from: the reference base that it
    /// names, or the default one.
    fn base(&self, document: &'d Document, reference: Element) -> Option<Option<Element>> {
        let asked = document.attribute(reference, "BASE");
        let ancestors = std::iter::successors(Some(reference), |one| document.parent(*one));
        for ancestor in ancestors {
            for base in document.within(ancestor, &["REFERENCE-BASES"]) {
                let label = document.text_at(base, &["SHORT-LABEL"]);
                let is_default = document.text_at(base, &["IS-DEFAULT"]) == Some("true");
                let is_it = match asked {
                    Some(asked) => label == Some(asked),
                    None => is_default,
                };
                let package = document.text_at(base, &["PACKAGE-REF"]);
                if let (true, Some(package)) = (is_it, package) {
                    return self.walk(None, package.strip_prefix('/')?).map(Some);
                }
            }
        }
        None
    }

    /// Returns the element's name and its path.
    pub(super) fn place(&self, document: &Document, element: Element) -> String {
        let mut names = Vec::new();
        let mut at = Some(element);
        while let Some(one) = at {
            if let Some(name) = document.text_at(one, &["SHORT-NAME"]) {
                names.push(excerpt(name));
            }
            at = document.parent(one);
        }
        names.reverse();
        format!("{} /{}", document.name(element), names.join("/"))
    }
}
