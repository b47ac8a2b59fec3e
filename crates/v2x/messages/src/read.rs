//! Reads a value in UPER by its layout into JSON after \[X.697\], and shows it to a visitor.
//!
//! A value costs at most so many parts as the message has bits, and some more: a list of elements
//! without bits cannot make a short message a large one.

mod parts;

pub(crate) use parts::{BOUNDED_SIZES, hex};

use serde_json::{Map, Value};
use waywarden_v2x_wire::coer::{LeafValue, Silent, Visitor};
use waywarden_v2x_wire::uper::{Bits, UperReader};
use waywarden_v2x_wire::{ParseFault, WireError};

use crate::layout::{
    Addition, Alternative, Choice, Enumerated, Field, Layouts, Presence, Sequence, Shape, TypeId,
};

/// Parts of a value beyond the number of its bits.
const SPARE_PARTS: usize = 256;

/// Nesting of parts that are read and written: some types of IVIM contain themselves.
pub(crate) const DEPTH_MAX: usize = 64;

/// Member of an object that has what a later version added, and no layout names.
pub(crate) const UNKNOWN_ADDITIONS: &str = "...";

type Reader<'a> = UperReader<'a, Silent>;

/// Reads a value that fills all of `bytes`, but for the bits that fill its last byte. Tells
/// how the layout fits, too.
pub(crate) fn read<V: Visitor>(
    layouts: &Layouts,
    of_type: TypeId,
    bytes: &[u8],
    visitor: &mut V,
) -> Result<(Value, LayoutFit), WireError> {
    let mut reader = UperReader::new(bytes, Silent);
    let mut decoder = Decoder {
        layouts,
        visitor,
        parts_left: bytes.len().saturating_mul(8).saturating_add(SPARE_PARTS),
        depth: 0,
        layout_fit: LayoutFit::default(),
    };
    let value = decoder.value(&mut reader, "", of_type, None)?;
    reader.finish()?;
    Ok((value, decoder.layout_fit))
}

struct Decoder<'l, 'v, V> {
    layouts: &'l Layouts,
    visitor: &'v mut V,
    parts_left: usize,
    depth: usize,
    layout_fit: LayoutFit,
}

/// Fit of a layout to the bits of a message.
#[derive(Clone, Debug, Default)]
pub(crate) struct LayoutFit {
    /// End of each leaf, in bits.
    pub(crate) leaves: Vec<usize>,
    /// There are values or additions that the layout does not name.
    pub(crate) has_unknown: bool,
}

impl<V: Visitor> Decoder<'_, '_, V> {
    /// Reads a part; `siblings` are those before it in the same sequence.
    fn value(
        &mut self,
        reader: &mut Reader<'_>,
        field: &'static str,
        of_type: TypeId,
        siblings: Option<&Map<String, Value>>,
    ) -> Result<Value, WireError> {
        let offset = reader.offset();
        let fault = |fault| WireError {
            fault,
            offset,
            field,
        };
        self.take_part().map_err(fault)?;
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(fault(ParseFault::TooDeep));
        }
        let layouts = self.layouts;
        let found = layouts.types.get(of_type);
        let found =
            found.ok_or_else(|| fault(ParseFault::Inconsistent("a type without layout")))?;
        // An open type is shown as what it holds.
        if let Shape::Open(open) = &found.shape
            && let Some(of_type) = open.of(siblings.and_then(|all| all.get(open.by)?.as_i64()))
        {
            let value = reader.open(|inner| self.value(inner, field, of_type, None))?;
            self.depth -= 1;
            return Ok(value);
        }
        self.visitor.enter(field, found.name, offset);
        let value = self.shape(reader, &found.shape);
        let value = value.map_err(|mut error| {
            // The innermost field is named.
            if error.field.is_empty() {
                error.field = field;
            }
            error
        })?;
        if !matches!(value, Value::Object(_) | Value::Array(_)) {
            self.layout_fit.leaves.push(reader.place());
        }
        self.visitor.leave(reader.place().div_ceil(8));
        self.depth -= 1;
        Ok(value)
    }

    /// Counts one of the parts that a value may have.
    fn take_part(&mut self) -> Result<(), ParseFault> {
        let left = self.parts_left.checked_sub(1);
        self.parts_left = left.ok_or(ParseFault::CountTooLarge(1))?;
        Ok(())
    }

    fn shape(&mut self, reader: &mut Reader<'_>, shape: &Shape) -> Result<Value, WireError> {
        match shape {
            Shape::Boolean => {
                let is_set = reader.bit()?;
                self.visitor.value(LeafValue::Unsigned(is_set.into()));
                Ok(Value::Bool(is_set))
            }
            Shape::Null => Ok(Value::Null),
            Shape::Integer(range) => {
                let number = parts::integer(reader, range)?;
                self.visitor.value(LeafValue::Signed(number));
                Ok(number.into())
            }
            Shape::Enumerated(enumerated) => self.enumerated(reader, enumerated),
            Shape::Bits(size, names) => self.bits(reader, size, names),
            Shape::Octets(size) => {
                let octets = parts::octets(reader, size)?;
                self.visitor.value(LeafValue::Octets(&octets));
                Ok(hex(&octets).into())
            }
            Shape::Text(text) => {
                let text = parts::text(reader, text)?;
                self.visitor.value(LeafValue::Text(&text));
                Ok(text.into())
            }
            Shape::Sequence(sequence) => self.sequence(reader, sequence),
            Shape::Choice(choice) => self.choice(reader, choice),
            Shape::List(size, of_type) => {
                let count = parts::count(reader, size)?;
                let mut items = Vec::new();
                for _ in 0..count {
                    items.push(self.value(reader, "", *of_type, None)?);
                }
                Ok(Value::Array(items))
            }
            Shape::Open(_) => reader.open(|inner| {
                let content: Bits<'_> = inner.rest();
                let octets: Vec<u8> = content.bytes().collect();
                self.visitor.value(LeafValue::Octets(&octets));
                Ok(hex(&octets).into())
            }),
        }
    }

    fn enumerated(
        &mut self,
        reader: &mut Reader<'_>,
        enumerated: &Enumerated,
    ) -> Result<Value, WireError> {
        let is_added = enumerated.additions.is_some() && reader.bit()?;
        let (names, at) = if is_added {
            let additions = enumerated.additions.as_deref();
            (additions.unwrap_or_default(), usize::from(reader.small()?))
        } else {
            let greatest = enumerated.names.len().saturating_sub(1) as u64;
            (
                enumerated.names.as_slice(),
                reader.up_to(greatest)? as usize,
            )
        };
        Ok(match names.get(at) {
            Some(name) => {
                self.visitor.value(LeafValue::Name(name));
                (*name).into()
            }
            // A value of a later version has a number only.
            None => {
                self.layout_fit.has_unknown = true;
                self.visitor.value(LeafValue::Unsigned(at as u64));
                parts::numbered(at).into()
            }
        })
    }

    fn sequence(
        &mut self,
        reader: &mut Reader<'_>,
        sequence: &Sequence,
    ) -> Result<Value, WireError> {
        let is_extended = sequence.additions.is_some() && reader.bit()?;
        let mut members = Map::new();
        self.fields(reader, &sequence.fields, &mut members)?;
        if let (true, Some(additions)) = (is_extended, &sequence.additions) {
            self.additions(reader, additions, &mut members)?;
        }
        Ok(Value::Object(members))
    }

    /// Reads which optional fields are there, then the fields.
    fn fields(
        &mut self,
        reader: &mut Reader<'_>,
        fields: &[Field],
        members: &mut Map<String, Value>,
    ) -> Result<(), WireError> {
        let mut is_there = Vec::with_capacity(fields.len());
        for field in fields {
            is_there.push(field.presence == Presence::Required || reader.bit()?);
        }
        for (field, _) in fields.iter().zip(is_there).filter(|(_, is)| *is) {
            let offset = reader.offset();
            let value = self.value(reader, field.name, field.of_type, Some(members))?;
            if field.presence == Presence::Default(value.clone()) {
                return Err(WireError {
                    fault: ParseFault::NotCanonical,
                    offset,
                    field: field.name,
                });
            }
            members.insert(field.name.to_owned(), value);
        }
        Ok(())
    }

    /// Reads additions, each an open type. The number of those that the sender knows is kept where
    /// it is not that of the layout, and so is the content of those that are not known here.
    fn additions(
        &mut self,
        reader: &mut Reader<'_>,
        additions: &[Addition],
        members: &mut Map<String, Value>,
    ) -> Result<(), WireError> {
        let count = usize::from(reader.small()?) + 1;
        let present = reader.bits(count as u32)?;
        let mut unknown = Map::new();
        for at in (0..count).filter(|at| present >> (count - 1 - at) & 1 != 0) {
            let content = match additions.get(at) {
                Some(Addition::Field(field)) => {
                    let value = reader.open(|inner| {
                        self.value(inner, field.name, field.of_type, Some(members))
                    })?;
                    members.insert(field.name.to_owned(), value);
                    continue;
                }
                Some(Addition::Group(fields)) => {
                    let (offset, before) = (reader.offset(), members.len());
                    reader.open(|inner| self.fields(inner, fields, members))?;
                    // A group without a field is left out.
                    if members.len() == before {
                        return Err(WireError::at(ParseFault::NotCanonical, offset));
                    }
                    continue;
                }
                None => reader.open(|inner| Ok(parts::hex_of(&inner.rest())))?,
            };
            unknown.insert(at.to_string(), content.into());
        }
        if count != additions.len() || present == 0 {
            unknown.insert("count".to_owned(), count.into());
        }
        if !unknown.is_empty() {
            self.take_part()
                .map_err(|fault| WireError::at(fault, reader.offset()))?;
            self.layout_fit.has_unknown |= unknown.keys().any(|key| key != "count");
            self.visitor
                .enter(UNKNOWN_ADDITIONS, "extension additions", reader.offset());
            self.visitor.value(LeafValue::Unsigned(count as u64));
            self.visitor.leave(reader.offset());
            members.insert(UNKNOWN_ADDITIONS.to_owned(), unknown.into());
        }
        Ok(())
    }

    fn choice(&mut self, reader: &mut Reader<'_>, choice: &Choice) -> Result<Value, WireError> {
        let is_added = choice.additions.is_some() && reader.bit()?;
        if !is_added {
            let greatest = choice.alternatives.len().saturating_sub(1) as u64;
            let at = reader.up_to(greatest)?;
            // The choice is a field as others are, where it has bits.
            if greatest > 0 {
                self.layout_fit.leaves.push(reader.place());
            }
            let offset = reader.offset();
            let chosen = choice.alternatives.get(at as usize);
            let chosen = chosen.ok_or(WireError::at(ParseFault::UnknownTag(at), offset))?;
            return self.chosen(reader, chosen);
        }
        let at = usize::from(reader.small()?);
        let known = choice.additions.as_ref().and_then(|all| all.get(at));
        reader.open(|inner| match known {
            Some(chosen) => self.chosen(inner, chosen),
            None => {
                let name = parts::numbered(at);
                self.layout_fit.has_unknown = true;
                self.visitor.value(LeafValue::Unsigned(at as u64));
                Ok(object(name, parts::hex_of(&inner.rest()).into()))
            }
        })
    }

    fn chosen(
        &mut self,
        reader: &mut Reader<'_>,
        chosen: &Alternative,
    ) -> Result<Value, WireError> {
        self.visitor.value(LeafValue::Name(chosen.name));
        let value = self.value(reader, chosen.name, chosen.of_type, None)?;
        Ok(object(chosen.name.to_owned(), value))
    }
}

fn object(name: String, value: Value) -> Value {
    Value::Object(Map::from_iter([(name, value)]))
}
