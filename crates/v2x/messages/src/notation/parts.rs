//! Shapes of types in the notation.

use serde_json::Value;

use super::{Definition, NotationError, Parser};
use crate::layout::{
    Addition, Alphabet, Alternative, Choice, Enumerated, Field, Open, Presence, Range, Sequence,
    Shape, Size, Text, TypeId,
};

impl Parser {
    /// Reads a type; one that is named is a place that may be filled later.
    pub(super) fn of_type(&mut self) -> Result<TypeId, NotationError> {
        let word = self.next()?;
        let shape = match word {
            "BOOLEAN" => Shape::Boolean,
            "NULL" => Shape::Null,
            "INTEGER" => Shape::Integer(self.range()?),
            "ENUMERATED" => Shape::Enumerated(self.enumerated()?),
            "BITS" => Shape::Bits(self.size()?, self.bit_names()?),
            "OCTETS" => Shape::Octets(self.size()?),
            "IA5" => self.text(0..=127)?,
            "VISIBLE" => self.text(32..=126)?,
            "NUMERIC" => self.text([b' '].into_iter().chain(b'0'..=b'9'))?,
            "PRINTABLE" => self.text(printable())?,
            "UTF8" => Shape::Text(Text {
                size: match self.peek().is_some_and(|token| token.starts_with('(')) {
                    true => self.size()?,
                    false => Size::ANY,
                },
                alphabet: Alphabet::Utf8,
            }),
            "SEQUENCE" => Shape::Sequence(self.sequence()?),
            "CHOICE" => Shape::Choice(self.choice()?),
            "LIST" => {
                let size = self.size()?;
                Shape::List(size, self.of_type()?)
            }
            "OPEN" => Shape::Open(self.open()?),
            name if name.starts_with(|first: char| first.is_ascii_uppercase()) => {
                return Ok(self.place(name));
            }
            other => return Err(self.fault(format!("{other} is no type"))),
        };
        self.types
            .push((kind_name(&shape), Definition::Shape(shape)));
        Ok(self.types.len() - 1)
    }

    fn range(&mut self) -> Result<Range, NotationError> {
        let bounds = self.peek().and_then(|token| token.split_once(".."));
        let Some((low, high)) = bounds else {
            return Ok(Range {
                low: None,
                high: None,
                is_extensible: false,
            });
        };
        self.next()?;
        let (high, is_extensible) = marked(high);
        Ok(Range {
            low: self.bound(low)?,
            high: self.bound(high)?,
            is_extensible,
        })
    }

    /// Reads a bound; nothing if it is left out.
    fn bound<T: std::str::FromStr>(&self, text: &str) -> Result<Option<T>, NotationError> {
        match text {
            "" => Ok(None),
            number => number
                .parse()
                .map(Some)
                .map_err(|_| self.fault(format!("{number} is no bound"))),
        }
    }

    fn size(&mut self) -> Result<Size, NotationError> {
        let token = self.next()?;
        let inner = token
            .strip_prefix('(')
            .and_then(|rest| rest.strip_suffix(')'))
            .ok_or_else(|| self.fault(format!("{token} is no size")))?;
        let (inner, is_extensible) = marked(inner);
        let (low, high) = inner.split_once("..").unwrap_or((inner, inner));
        Ok(Size {
            low: self.bound(low)?.unwrap_or(0),
            high: self.bound(high)?,
            is_extensible,
        })
    }

    fn enumerated(&mut self) -> Result<Enumerated, NotationError> {
        let (mut names, mut additions) = (Vec::new(), None::<Vec<_>>);
        self.expect("{")?;
        while !self.take("}") {
            let token = self.next()?;
            let name = token.split('(').next().unwrap_or(token);
            match (token, &mut additions) {
                ("...", _) => additions = Some(Vec::new()),
                (_, Some(more)) => more.push(name),
                (_, None) => names.push(name),
            }
        }
        Ok(Enumerated { names, additions })
    }

    fn bit_names(&mut self) -> Result<Vec<&'static str>, NotationError> {
        let mut names = Vec::new();
        if self.take("{") {
            while !self.take("}") {
                names.push(match self.next()? {
                    "-" => "",
                    name => name,
                });
            }
        }
        Ok(names)
    }

    fn text(&mut self, all: impl IntoIterator<Item = u8>) -> Result<Shape, NotationError> {
        let size = self.size()?;
        let from = self.peek().and_then(|token| token.strip_prefix("from:"));
        let characters = match from {
            None => all.into_iter().collect(),
            Some(codes) => {
                self.next()?;
                let byte = |at: usize| codes.get(at..at + 2);
                let bytes = (0..codes.len()).step_by(2).map(|at| {
                    let code = byte(at).and_then(|code| u8::from_str_radix(code, 16).ok());
                    code.ok_or_else(|| self.fault("an alphabet is pairs of hexadecimal digits"))
                });
                let mut bytes = bytes.collect::<Result<Vec<_>, _>>()?;
                bytes.sort_unstable();
                bytes
            }
        };
        Ok(Shape::Text(Text {
            size,
            alphabet: Alphabet::Of(characters),
        }))
    }

    fn sequence(&mut self) -> Result<Sequence, NotationError> {
        let mut sequence = Sequence::default();
        // Fields behind a second marker belong to the root.
        let mut is_root = true;
        self.expect("{")?;
        while !self.take("}") {
            if self.take("...") {
                is_root = sequence.additions.is_some();
                sequence.additions.get_or_insert_default();
            } else if self.take("[[") {
                let group = self.group()?;
                let additions = sequence.additions.get_or_insert_default();
                additions.push(Addition::Group(group));
            } else {
                let field = self.field()?;
                match &mut sequence.additions {
                    Some(additions) if !is_root => additions.push(Addition::Field(field)),
                    _ => sequence.fields.push(field),
                }
            }
        }
        Ok(sequence)
    }

    fn group(&mut self) -> Result<Vec<Field>, NotationError> {
        let mut fields = Vec::new();
        while !self.take("]]") {
            fields.push(self.field()?);
        }
        Ok(fields)
    }

    fn field(&mut self) -> Result<Field, NotationError> {
        let name = self.next()?;
        let presence = if self.take("?") {
            Presence::Optional
        } else if self.take(":=") {
            Presence::Default(self.literal()?)
        } else {
            Presence::Required
        };
        Ok(Field {
            name,
            of_type: self.of_type()?,
            presence,
        })
    }

    fn literal(&mut self) -> Result<Value, NotationError> {
        Ok(match self.next()? {
            "TRUE" => Value::Bool(true),
            "FALSE" => Value::Bool(false),
            "{" => {
                self.expect("}")?;
                Value::Array(Vec::new())
            }
            "{}" => Value::Array(Vec::new()),
            other => match other.parse::<i64>() {
                Ok(number) => number.into(),
                Err(_) => other.into(),
            },
        })
    }

    fn choice(&mut self) -> Result<Choice, NotationError> {
        let (mut alternatives, mut additions) = (Vec::new(), None::<Vec<_>>);
        self.expect("{")?;
        while !self.take("}") {
            if self.take("...") {
                additions.get_or_insert_default();
                continue;
            }
            let name = self.next()?;
            let of_type = self.of_type()?;
            let all = additions.as_mut().unwrap_or(&mut alternatives);
            all.push(Alternative { name, of_type });
        }
        Ok(Choice {
            alternatives,
            additions,
        })
    }

    fn open(&mut self) -> Result<Open, NotationError> {
        let (by, mut types) = (self.next()?, Vec::new());
        self.expect("{")?;
        while !self.take("}") {
            let number = self.next()?;
            let number = number
                .parse()
                .map_err(|_| self.fault(format!("{number} is no number of a type")))?;
            types.push((number, self.of_type()?));
        }
        Ok(Open { by, types })
    }
}

/// Takes the mark of an extensible constraint from its end.
fn marked(bounds: &str) -> (&str, bool) {
    match bounds.strip_suffix(",...") {
        Some(bounds) => (bounds, true),
        None => (bounds, false),
    }
}

/// Characters of a PrintableString \[X.680 §41.4\], in their order.
fn printable() -> impl Iterator<Item = u8> {
    let is_other = |byte: &u8| b" '()+,-./:=?".contains(byte);
    (b' '..=b'z').filter(move |byte| byte.is_ascii_alphanumeric() || is_other(byte))
}

/// ASN.1's name of a type that has none of its own.
fn kind_name(shape: &Shape) -> &'static str {
    match shape {
        Shape::Boolean => "BOOLEAN",
        Shape::Null => "NULL",
        Shape::Integer(_) => "INTEGER",
        Shape::Enumerated(_) => "ENUMERATED",
        Shape::Bits(..) => "BIT STRING",
        Shape::Octets(_) => "OCTET STRING",
        Shape::Text(text) => match text.alphabet {
            Alphabet::Utf8 => "UTF8String",
            Alphabet::Of(_) => "IA5String",
        },
        Shape::Sequence(_) => "SEQUENCE",
        Shape::Choice(_) => "CHOICE",
        Shape::List(..) => "SEQUENCE OF",
        Shape::Open(_) => "open type",
    }
}
