//! Writes a value that is given as JSON in UPER, by its layout.

mod parts;

use core::cell::Cell;

use serde_json::{Map, Value};
use waywarden_v2x_wire::EmitError;
use waywarden_v2x_wire::uper::{UperSink, width};

use crate::error::ValueError;
use crate::layout::{
    Addition, Alternative, Choice, Field, Layouts, Presence, Sequence, Shape, TypeId,
};
use crate::read::{DEPTH_MAX, UNKNOWN_ADDITIONS};

/// The most additions of a sequence that are read and written.
const ADDITIONS_MAX: usize = 64;

/// Constraints that a written value has to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Constraints {
    /// Those that UPER encodes: each value that was read keeps them.
    Encoded,
    /// All of the layout, also the number of characters in a text of UTF-8.
    All,
}

/// Writes a value; its last byte is filled with zeros.
pub(crate) fn write(
    layouts: &Layouts,
    of_type: TypeId,
    value: &Value,
    constraints: Constraints,
) -> Result<Vec<u8>, ValueError> {
    let encoder = Encoder {
        layouts,
        constraints,
        depth: Cell::new(0),
    };
    let mut out = Growing::default();
    encoder.value(&mut out, of_type, value, None)?;
    Ok(out.octets())
}

/// Bits that grow.
#[derive(Clone, Debug, Default)]
pub(super) struct Growing {
    octets: Vec<u8>,
    /// Number of bits.
    used: usize,
}

impl Growing {
    /// Returns whole bytes; one at least, as the standard has it \[X.691 §11.1.3\].
    fn octets(mut self) -> Vec<u8> {
        if self.octets.is_empty() {
            self.octets.push(0);
        }
        self.octets
    }
}

impl UperSink for Growing {
    fn put(&mut self, number: u64, count: u32) -> Result<(), EmitError> {
        let mut left = count;
        while left > 0 {
            let free = 8 - (self.used % 8) as u32;
            if free == 8 {
                self.octets.push(0);
            }
            let taken = free.min(left);
            left -= taken;
            let part = number >> left & ((1 << taken) - 1);
            if let Some(byte) = self.octets.last_mut() {
                *byte |= (part << (free - taken)) as u8;
            }
            self.used += taken as usize;
        }
        Ok(())
    }
}

struct Encoder<'l> {
    layouts: &'l Layouts,
    constraints: Constraints,
    /// Nesting of the part that is written.
    depth: Cell<usize>,
}

type Written = Result<(), ValueError>;

impl Encoder<'_> {
    /// Writes a part; `siblings` has all parts of the same sequence.
    fn value(
        &self,
        out: &mut Growing,
        of_type: TypeId,
        value: &Value,
        siblings: Option<&Map<String, Value>>,
    ) -> Written {
        self.depth.set(self.depth.get() + 1);
        if self.depth.get() > DEPTH_MAX {
            let reason = format!("more than {DEPTH_MAX} parts lie in each other");
            return Err(ValueError::new(reason));
        }
        self.shape(out, of_type, value, siblings)?;
        self.depth.set(self.depth.get() - 1);
        Ok(())
    }

    fn shape(
        &self,
        out: &mut Growing,
        of_type: TypeId,
        value: &Value,
        siblings: Option<&Map<String, Value>>,
    ) -> Written {
        let shape = self.layouts.types.get(of_type).map(|found| &found.shape);
        let shape = shape.ok_or_else(|| ValueError::new("a type without layout"))?;
        match shape {
            Shape::Boolean => match value.as_bool() {
                Some(is_set) => Ok(out.put(is_set.into(), 1)?),
                None => Err(ValueError::expected("true or false", value)),
            },
            Shape::Null => match value {
                Value::Null => Ok(()),
                _ => Err(ValueError::expected("null", value)),
            },
            Shape::Integer(range) => parts::integer(out, range, value),
            Shape::Enumerated(enumerated) => parts::enumerated(out, enumerated, value),
            Shape::Bits(size, names) => parts::bits(out, size, names, value),
            Shape::Octets(size) => parts::octets(out, size, value),
            Shape::Text(text) => parts::text(out, text, value, self.constraints),
            Shape::Sequence(sequence) => self.sequence(out, sequence, value),
            Shape::Choice(choice) => self.choice(out, choice, value),
            Shape::List(size, of_type) => {
                let items = value.as_array();
                let items = items.ok_or_else(|| ValueError::expected("a list", value))?;
                parts::count(out, size, items.len())?;
                for (at, item) in items.iter().enumerate() {
                    let written = self.value(out, *of_type, item, None);
                    written.map_err(|error| error.within(format!("[{at}]")))?;
                }
                Ok(())
            }
            Shape::Open(open) => {
                let number = siblings.and_then(|all| all.get(open.by)?.as_i64());
                match open.of(number) {
                    Some(of_type) => {
                        self.open(out, |inner| self.value(inner, of_type, value, None))
                    }
                    None => parts::raw(out, value),
                }
            }
        }
    }

    /// Writes an open type: its length in bytes, then its content.
    fn open(&self, out: &mut Growing, write: impl FnOnce(&mut Growing) -> Written) -> Written {
        let mut inner = Growing::default();
        write(&mut inner)?;
        parts::open(out, &inner.octets())
    }

    fn sequence(&self, out: &mut Growing, sequence: &Sequence, value: &Value) -> Written {
        let members = value.as_object();
        let members = members.ok_or_else(|| ValueError::expected("an object", value))?;
        check_names(sequence, members)?;
        let unknown = match (members.get(UNKNOWN_ADDITIONS), &sequence.additions) {
            (None, _) => None,
            (Some(Value::Object(unknown)), Some(_)) => Some(unknown),
            (Some(other), additions) => {
                let error = match additions {
                    Some(_) => ValueError::expected("an object of additions by number", other),
                    None => ValueError::new("the type has no additions: leave this member out"),
                };
                return Err(error.within(UNKNOWN_ADDITIONS.to_owned()));
            }
        };
        let additions = sequence.additions.as_deref();
        let is_extended = unknown.is_some()
            || additions.is_some_and(|all| all.iter().any(|one| one.is_in(members)));
        if additions.is_some() {
            out.put(is_extended.into(), 1)?;
        }
        self.fields(out, &sequence.fields, members)?;
        match additions {
            Some(additions) if is_extended => self.additions(out, additions, members, unknown),
            _ => Ok(()),
        }
    }

    /// Writes which optional fields are there, then the fields.
    fn fields(&self, out: &mut Growing, fields: &[Field], members: &Map<String, Value>) -> Written {
        for field in fields
            .iter()
            .filter(|one| one.presence != Presence::Required)
        {
            out.put(field.is_in(members).into(), 1)?;
        }
        for field in fields {
            match members.get(field.name) {
                Some(_) if !field.is_in(members) => {}
                Some(value) => {
                    let written = self.value(out, field.of_type, value, Some(members));
                    written.map_err(|error| error.within(field.name.to_owned()))?;
                }
                None if field.presence == Presence::Required => {
                    return Err(ValueError::new(format!("{} is missing", field.name)));
                }
                None => {}
            }
        }
        Ok(())
    }

    fn additions(
        &self,
        out: &mut Growing,
        additions: &[Addition],
        members: &Map<String, Value>,
        unknown: Option<&Map<String, Value>>,
    ) -> Written {
        let named = |name: &str| unknown.and_then(|all| all.get(name));
        if let Some(unknown) = unknown {
            check_unknown(additions.len(), unknown)
                .map_err(|error| error.within(UNKNOWN_ADDITIONS.to_owned()))?;
        }
        let count = named("count").map_or(Some(additions.len() as u64), Value::as_u64);
        let count = count
            .filter(|count| (1..=ADDITIONS_MAX as u64).contains(count))
            .ok_or_else(|| {
                let error = ValueError::new("a number from 1 to 64 is expected");
                let error = error.within("count".to_owned());
                error.within(UNKNOWN_ADDITIONS.to_owned())
            })?;
        out.put(0, 1)?;
        out.put(count.saturating_sub(1), 6)?;
        let is_there = |at: usize| match additions.get(at) {
            Some(addition) => addition.is_in(members),
            None => named(&at.to_string()).is_some(),
        };
        let last = (0..ADDITIONS_MAX).rev().find(|at| is_there(*at));
        if last.is_some_and(|last| last as u64 >= count) {
            return Err(ValueError::new(format!("{count} additions are too few")));
        }
        for at in 0..count as usize {
            out.put(is_there(at).into(), 1)?;
        }
        for at in (0..count as usize).filter(|at| is_there(*at)) {
            match (additions.get(at), named(&at.to_string())) {
                (Some(Addition::Field(field)), _) => {
                    let Some(value) = members.get(field.name) else {
                        continue;
                    };
                    self.open(out, |inner| {
                        self.value(inner, field.of_type, value, Some(members))
                    })
                    .map_err(|error| error.within(field.name.to_owned()))?;
                }
                (Some(Addition::Group(fields)), _) => {
                    self.open(out, |inner| self.fields(inner, fields, members))?;
                }
                (None, Some(content)) => parts::raw(out, content)?,
                (None, None) => {}
            }
        }
        Ok(())
    }

    fn choice(&self, out: &mut Growing, choice: &Choice, value: &Value) -> Written {
        let mut members = value.as_object().into_iter().flatten();
        let (Some((name, value)), None) = (members.next(), members.next()) else {
            let names = names_of(choice);
            let expected = format!("an object with one member of {names}");
            return Err(ValueError::expected(&expected, value));
        };
        let find = |all: &[Alternative]| all.iter().position(|one| one.name == name);
        let written = match (find(&choice.alternatives), &choice.additions) {
            (Some(at), additions) => {
                if additions.is_some() {
                    out.put(0, 1)?;
                }
                let greatest = choice.alternatives.len().saturating_sub(1) as u64;
                out.put(at as u64, width(greatest))?;
                self.value(out, choice.alternatives[at].of_type, value, None)
            }
            (None, Some(additions)) => match (find(additions), parts::number_of(name)) {
                (Some(at), _) => {
                    parts::addition(out, at)?;
                    self.open(out, |inner| {
                        self.value(inner, additions[at].of_type, value, None)
                    })
                }
                (None, Some(at)) if at >= additions.len() => {
                    parts::addition(out, at)?;
                    parts::raw(out, value)
                }
                _ => Err(ValueError::unknown(name, &names_of(choice))),
            },
            (None, None) => Err(ValueError::unknown(name, &names_of(choice))),
        };
        written.map_err(|error| error.within(name.clone()))
    }
}

impl Field {
    /// Returns true if a value has to be written; one that is the default is not.
    fn is_in(&self, members: &Map<String, Value>) -> bool {
        members
            .get(self.name)
            .is_some_and(|value| match &self.presence {
                Presence::Default(default) => value != default,
                _ => true,
            })
    }
}

impl Addition {
    fn is_in(&self, members: &Map<String, Value>) -> bool {
        self.fields().iter().any(|field| field.is_in(members))
    }

    fn fields(&self) -> &[Field] {
        match self {
            Self::Field(field) => std::slice::from_ref(field),
            Self::Group(fields) => fields,
        }
    }
}

fn names_of(choice: &Choice) -> String {
    let added = choice.additions.iter().flatten();
    let all = choice.alternatives.iter().chain(added);
    let names: Vec<&str> = all.map(|one| one.name).collect();
    names.join(", ")
}

/// Refuses members that are no additions without a layout.
fn check_unknown(known: usize, unknown: &Map<String, Value>) -> Written {
    let is_one = |name: &str| {
        let number = name.parse().ok();
        let number = number.filter(|at: &usize| (known..ADDITIONS_MAX).contains(at));
        name == "count" || number.is_some_and(|at| at.to_string() == name)
    };
    match unknown.keys().find(|name| !is_one(name)) {
        Some(name) => Err(ValueError::unknown(
            name,
            &format!(
                "count, and numbers of additions from {known} to {}",
                ADDITIONS_MAX - 1
            ),
        )),
        None => Ok(()),
    }
}

/// Refuses members that the type does not have.
fn check_names(sequence: &Sequence, members: &Map<String, Value>) -> Written {
    let additions = sequence.additions.iter().flatten();
    let added = additions.flat_map(Addition::fields);
    let names: Vec<&str> = sequence
        .fields
        .iter()
        .chain(added)
        .map(|one| one.name)
        .collect();
    let mut given = members.keys().filter(|name| *name != UNKNOWN_ADDITIONS);
    match given.find(|name| !names.contains(&name.as_str())) {
        Some(name) => Err(ValueError::unknown(name, &names.join(", "))),
        None => Ok(()),
    }
}
