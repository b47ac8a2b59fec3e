//! Random values of a layout: every alternative, optional part and addition gets its turn.

use serde_json::{Map, Value, json};
use waywarden_testkit::Random;

use crate::layout::{
    Addition, Alphabet, Field, Layouts, Presence, Range, Sequence, Shape, Size, Text, TypeId,
};
use crate::read::hex;

pub(crate) struct Values<'r> {
    pub(crate) layouts: &'static Layouts,
    pub(crate) random: &'r mut Random,
    /// Parts that may still be made; when none are left, lists are short and options absent.
    pub(crate) left: usize,
    /// Values and additions of later versions are made, too.
    pub(crate) has_unknown: bool,
}

impl Values<'_> {
    fn below(&mut self, bound: u64) -> u64 {
        self.random.below(bound.max(1))
    }

    fn is_chosen(&mut self) -> bool {
        self.left > 0 && self.below(2) == 0
    }

    fn count(&mut self, size: &Size) -> u64 {
        let most = size.high.unwrap_or(size.low + 20).min(size.low + 300);
        match self.below(8) {
            0 => size.low,
            1 if self.left > 0 => most,
            _ if self.left > 0 => size.low + self.below((most - size.low + 1).min(5)),
            _ => size.low,
        }
    }

    pub(crate) fn value(&mut self, of_type: TypeId, siblings: &Map<String, Value>) -> Value {
        self.left = self.left.saturating_sub(1);
        match &self.layouts.types[of_type].shape {
            Shape::Boolean => (self.below(2) == 0).into(),
            Shape::Null => Value::Null,
            Shape::Integer(range) => self.integer(range).into(),
            Shape::Enumerated(one) => {
                let additions = one.additions.as_deref();
                let unknown = usize::from(self.has_unknown);
                let count = one.names.len() + additions.map_or(0, |all| all.len() + unknown);
                let at = self.below(count as u64) as usize;
                let all = one.names.iter().chain(additions.unwrap_or_default());
                match all.clone().nth(at) {
                    Some(name) => (*name).into(),
                    None => format!("#{}", additions.map_or(0, <[_]>::len) + 2).into(),
                }
            }
            Shape::Bits(size, _) => self.bits(size),
            Shape::Octets(size) => {
                let count = self.count(size);
                hex(&self.octets(count)).into()
            }
            Shape::Text(text) => self.text(text).into(),
            Shape::Sequence(one) => self.sequence(one).into(),
            Shape::Choice(one) => {
                let additions = one.additions.as_deref().unwrap_or_default();
                let all = one.alternatives.iter().chain(additions);
                let count = one.alternatives.len() + additions.len();
                let at = self.below(count as u64) as usize;
                let chosen = all.clone().nth(at).expect("an alternative");
                let value = self.value(chosen.of_type, &Map::new());
                json!({ (chosen.name): value })
            }
            Shape::List(size, of_type) => {
                let count = self.count(size);
                (0..count)
                    .map(|_| self.value(*of_type, &Map::new()))
                    .collect()
            }
            Shape::Open(open) => match open.of(siblings.get(open.by).and_then(Value::as_i64)) {
                Some(of_type) => self.value(of_type, &Map::new()),
                None => hex(&self.octets(3)).into(),
            },
        }
    }

    fn integer(&mut self, range: &Range) -> i64 {
        let low = range.low.unwrap_or(-70_000);
        let high = range.high.unwrap_or(70_000);
        match self.below(6) {
            0 => low,
            1 => high,
            2 if self.has_unknown && range.is_extensible => {
                high.saturating_add(self.below(1 << 40) as i64 + 1)
            }
            _ => {
                let span = high.abs_diff(low);
                let step = match span {
                    u64::MAX => self.random.u64(),
                    _ => self.below(span + 1),
                };
                low.wrapping_add(step as i64)
            }
        }
    }

    fn bits(&mut self, size: &Size) -> Value {
        let length = self.count(size);
        let mut octets = self.octets(length.div_ceil(8));
        if let (Some(last), unused @ 1..) = (octets.last_mut(), (8 - length % 8) % 8) {
            *last &= 0xFF << unused;
        }
        match size.fixed() {
            Some(_) => hex(&octets).into(),
            None => json!({ "value": hex(&octets), "length": length }),
        }
    }

    fn text(&mut self, text: &Text) -> String {
        let count = self.count(&text.size);
        let all = match &text.alphabet {
            Alphabet::Utf8 => "aZ9 äß€".chars().collect::<Vec<_>>(),
            Alphabet::Of(bytes) => bytes.iter().map(|byte| char::from(*byte)).collect(),
        };
        let text: String = (0..count)
            .map(|_| all[self.below(all.len() as u64) as usize])
            .collect();
        text
    }

    fn sequence(&mut self, one: &Sequence) -> Map<String, Value> {
        let mut members = Map::new();
        self.fields(&one.fields, &mut members);
        for addition in one.additions.iter().flatten() {
            if self.below(3) != 0 {
                continue;
            }
            match addition {
                Addition::Field(field) => self.field(field, &mut members),
                Addition::Group(fields) => self.fields(fields, &mut members),
            }
        }
        // Additions of a later version.
        let has_room = one.additions.as_ref().is_some_and(|all| all.len() < 60);
        if self.has_unknown && has_room && self.below(40) == 0 {
            let count = one.additions.as_ref().map_or(0, Vec::len);
            let unknown = json!({ "count": count + 2, (count + 1).to_string(): "A500" });
            members.insert("...".to_owned(), unknown);
        }
        members
    }

    fn octets(&mut self, count: u64) -> Vec<u8> {
        (0..count).map(|_| self.random.u64() as u8).collect()
    }

    fn fields(&mut self, fields: &[Field], members: &mut Map<String, Value>) {
        // The number that chooses an open type is one that has a type, as a rule.
        for field in fields {
            if field.presence == Presence::Required || self.is_chosen() {
                self.field(field, members);
            }
        }
        for field in fields {
            let Shape::Open(open) = &self.layouts.types[field.of_type].shape else {
                continue;
            };
            if open.types.is_empty() || !members.contains_key(field.name) || self.below(5) == 0 {
                continue;
            }
            let (number, _) = open.types[self.below(open.types.len() as u64) as usize];
            members.insert(open.by.to_owned(), number.into());
            let value = self.value(field.of_type, &members.clone());
            members.insert(field.name.to_owned(), value);
        }
    }

    fn field(&mut self, field: &Field, members: &mut Map<String, Value>) {
        let value = self.value(field.of_type, &members.clone());
        if field.presence != Presence::Default(value.clone()) {
            members.insert(field.name.to_owned(), value);
        }
    }
}
