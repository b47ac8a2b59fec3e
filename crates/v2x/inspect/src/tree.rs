//! The parts of a value as a tree, as a visitor of its reader sees them.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_v2x_wire::coer::{LeafValue, Visitor};

use waywarden_v2x_wire::ieee1609dot2::Psid;

use crate::annotate::{annotate, permissions, region_of};
use waywarden_v2x_input::records;

/// Maximum number of an octet string's bytes that are shown to people.
const SHOWN: usize = 32;

/// One part.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Part {
    /// The field's name; empty for an element of a list.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub field: &'static str,
    /// The type's name.
    #[serde(rename = "type")]
    pub of_type: &'static str,
    /// Offset of the first byte.
    pub offset: usize,
    /// Length, in bytes.
    pub length: usize,
    /// Value of a leaf.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<serde_json::Value>,
    /// Meaning of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<String>,
    /// True if the part could be read.
    #[serde(skip_serializing_if = "is_true")]
    pub is_complete: bool,
    /// Components of the part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_true(is: &bool) -> bool {
    *is
}

/// Builds the tree.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// Parts that are not complete, the outermost one first.
    open: Vec<Part>,
    root: Option<Part>,
    /// The country that was read last: it says what the numbers of regions mean.
    country: u64,
    /// The application that was read last: it says what the bits of an SSP mean.
    psid: Option<Psid>,
}

impl Tree {
    /// Returns the tree; after a fault the parts in which it was are not complete.
    pub(crate) fn finish(mut self) -> Option<Part> {
        while let Some(part) = self.open.pop() {
            self.close(part);
        }
        self.root
    }

    fn close(&mut self, part: Part) {
        match self.open.last_mut() {
            Some(outer) => outer.parts.push(part),
            None => self.root = Some(part),
        }
    }
}

/// Returns true if a field has the number of a region, or a list of such numbers.
fn is_region(field: &&str) -> bool {
    ["region", "regions"].contains(field)
}

impl Visitor for Tree {
    fn enter(&mut self, field: &'static str, of_type: &'static str, offset: usize) {
        self.open.push(Part {
            field,
            of_type,
            offset,
            length: 0,
            value: None,
            meaning: None,
            is_complete: false,
            parts: Vec::new(),
        });
    }

    fn value(&mut self, value: LeafValue<'_>) {
        let list = self
            .open
            .iter()
            .rev()
            .nth(1)
            .map_or("", |outer| outer.field);
        let around = self.open.iter().rev().nth(1);
        let is_ssp = around.is_some_and(|outer| outer.of_type == "ServiceSpecificPermissions");
        if let Some(part) = self.open.last_mut() {
            part.meaning = match (part.of_type, &value) {
                ("Uint8", LeafValue::Unsigned(region))
                    if [part.field, list].iter().any(is_region) =>
                {
                    Some(region_of(self.country, *region))
                }
                ("UnCountryId", LeafValue::Unsigned(country)) => {
                    self.country = *country;
                    annotate(part.field, part.of_type, &value)
                }
                ("Psid", LeafValue::Unsigned(psid)) => {
                    self.psid = Some(Psid(*psid));
                    annotate(part.field, part.of_type, &value)
                }
                (_, LeafValue::Octets(octets)) if is_ssp => {
                    self.psid.and_then(|psid| permissions(psid, octets))
                }
                _ => annotate(part.field, part.of_type, &value),
            };
            part.value = Some(match value {
                LeafValue::Unsigned(number) => number.into(),
                LeafValue::Signed(number) => number.into(),
                LeafValue::Octets(octets) => records::show(octets).into(),
                // As it would stand in a program: nothing in it moves the terminal's cursor.
                LeafValue::Text(text) => text.escape_debug().to_string().into(),
                LeafValue::Name(name) => name.into(),
                LeafValue::Absent => serde_json::Value::Null,
            });
        }
    }

    fn leave(&mut self, offset: usize) {
        if let Some(mut part) = self.open.pop() {
            part.length = offset - part.offset;
            part.is_complete = true;
            self.close(part);
        }
    }
}

impl Part {
    /// Gives each octet string of this type a meaning.
    pub(crate) fn explain(&mut self, of_type: &str, meaning: &impl Fn(&str) -> Option<String>) {
        if self.of_type == of_type
            && let Some(serde_json::Value::String(octets)) = &self.value
        {
            self.meaning = meaning(octets);
        }
        for part in &mut self.parts {
            part.explain(of_type, meaning);
        }
    }

    /// Prints it and its parts, each in a line: place, name, type, value, meaning.
    pub(crate) fn print(&self, out: &mut impl Write, depth: usize) -> io::Result<()> {
        let name = match self.field {
            "" => self.of_type.to_owned(),
            field => format!("{field}: {}", self.of_type),
        };
        write!(
            out,
            "{:>6} {:indent$}{name}",
            self.offset,
            "",
            indent = 2 * depth
        )?;
        match &self.value {
            Some(serde_json::Value::String(text)) if text.len() > 2 * SHOWN => {
                let bytes = text.len() / 2;
                write!(
                    out,
                    " = {}... ({bytes} bytes)",
                    text.get(..2 * SHOWN).unwrap_or(text)
                )?;
            }
            Some(serde_json::Value::String(text)) => write!(out, " = {text}")?,
            Some(value) => write!(out, " = {value}")?,
            None => {}
        }
        if let Some(meaning) = &self.meaning {
            write!(out, " ({meaning})")?;
        }
        if !self.is_complete {
            write!(out, " ... not read to its end")?;
        }
        writeln!(out)?;
        self.parts
            .iter()
            .try_for_each(|part| part.print(out, depth + 1))
    }
}
