//! The least value of a message, for people to begin with.

use serde_json::{Map, Value, json};

use crate::layout::{Alphabet, Field, Layouts, Presence, Shape, Size, TypeId};
use crate::read::hex;

/// Returns the least value of a type: what is required, zeros where zeros are allowed.
pub(crate) fn least(layouts: &Layouts, of_type: TypeId) -> Value {
    in_sequence(layouts, of_type, &Map::new())
}

/// The same of a field, with the fields before it.
fn in_sequence(layouts: &Layouts, of_type: TypeId, before: &Map<String, Value>) -> Value {
    let Some(found) = layouts.types.get(of_type) else {
        return Value::Null;
    };
    match &found.shape {
        Shape::Boolean => false.into(),
        Shape::Null => Value::Null,
        Shape::Integer(range) => match range.contains(0) {
            true => 0.into(),
            false => range.low.or(range.high).unwrap_or(0).into(),
        },
        Shape::Enumerated(one) => one.names.first().copied().unwrap_or_default().into(),
        Shape::Bits(size, _) => {
            let digits = hex(&vec![0; size.low.div_ceil(8) as usize]);
            match size.fixed() {
                Some(_) => digits.into(),
                None => json!({ "value": digits, "length": size.low }),
            }
        }
        Shape::Octets(size) => hex(&vec![0; size.low as usize]).into(),
        Shape::Text(text) => least_text(&text.size, &text.alphabet).into(),
        Shape::Sequence(one) => least_fields(layouts, &one.fields).into(),
        Shape::Choice(one) => match one.alternatives.first() {
            Some(first) => json!({ (first.name): least(layouts, first.of_type) }),
            None => Value::Null,
        },
        Shape::List(size, of_type) => (0..size.low).map(|_| least(layouts, *of_type)).collect(),
        Shape::Open(open) => match open.of(before.get(open.by).and_then(Value::as_i64)) {
            Some(of_type) => least(layouts, of_type),
            None => "00".into(),
        },
    }
}

fn least_text(size: &Size, alphabet: &Alphabet) -> String {
    let first = match alphabet {
        Alphabet::Utf8 => ' ',
        Alphabet::Of(characters) => match characters.contains(&b' ') {
            true => ' ',
            false => characters.first().copied().unwrap_or(b' ').into(),
        },
    };
    (0..size.low).map(|_| first).collect()
}

fn least_fields(layouts: &Layouts, fields: &[Field]) -> Map<String, Value> {
    let mut members = Map::new();
    let required = fields
        .iter()
        .filter(|one| one.presence == Presence::Required);
    for field in required {
        // The number of an open type is the first that has one.
        let chosen = fields.iter().find_map(|other| {
            let found = layouts.types.get(other.of_type).map(|found| &found.shape);
            match found {
                Some(Shape::Open(open)) if open.by == field.name => open.types.first(),
                _ => None,
            }
        });
        let value = match chosen {
            Some((number, _)) => (*number).into(),
            None => in_sequence(layouts, field.of_type, &members),
        };
        members.insert(field.name.to_owned(), value);
    }
    members
}
