//! Leaves: numbers, sizes, strings.

use serde_json::Value;
use waywarden_v2x_wire::uper::{UperSink, put_integer, put_length, width};

use super::{Constraints, Growing, Written};
use crate::error::ValueError;
use crate::layout::{Alphabet, Enumerated, Range, Size, Text};
use crate::read::BOUNDED_SIZES;

/// Returns the number of a value that a later version added.
pub(super) fn number_of(name: &str) -> Option<usize> {
    let digits = name.strip_prefix('#')?;
    let number: usize = digits.parse().ok()?;
    (number < 64 && number.to_string() == digits).then_some(number)
}

pub(super) fn integer(out: &mut Growing, range: &Range, value: &Value) -> Written {
    let number = value.as_i64();
    let number = number.ok_or_else(|| ValueError::expected("a whole number", value))?;
    let is_within = range.contains(number);
    if !is_within && !range.is_extensible {
        let shown = |bound: Option<i64>| bound.map_or(String::new(), |bound| bound.to_string());
        let (low, high) = (shown(range.low), shown(range.high));
        return Err(ValueError::new(format!(
            "{number} is not within {low}..{high}"
        )));
    }
    if range.is_extensible {
        out.put((!is_within).into(), 1)?;
    }
    match (range.low, range.high) {
        (Some(low), Some(high)) if is_within => {
            out.put(number.abs_diff(low), width(low.abs_diff(high)))?;
        }
        (Some(low), None) if is_within => {
            let above = number.abs_diff(low);
            let octets = width(above).div_ceil(8).max(1);
            out.put(octets.into(), 8)?;
            out.put(above, octets * 8)?;
        }
        _ => put_integer(number, out)?,
    }
    Ok(())
}

pub(super) fn enumerated(out: &mut Growing, enumerated: &Enumerated, value: &Value) -> Written {
    let name = value.as_str();
    let name = name.ok_or_else(|| ValueError::expected("the name of a value", value))?;
    let find = |names: &[&str]| names.iter().position(|one| *one == name);
    let additions = enumerated.additions.as_deref();
    if let Some(at) = find(&enumerated.names) {
        if additions.is_some() {
            out.put(0, 1)?;
        }
        return Ok(out.put(
            at as u64,
            width(enumerated.names.len().saturating_sub(1) as u64),
        )?);
    }
    let unnamed = number_of(name).filter(|at| additions.is_some_and(|all| *at >= all.len()));
    match additions.and_then(find).or(unnamed) {
        Some(at) => addition(out, at),
        None => {
            let added = additions.unwrap_or_default().iter();
            let all: Vec<&str> = enumerated.names.iter().chain(added).copied().collect();
            Err(ValueError::unknown(name, &all.join(", ")))
        }
    }
}

/// Writes the number of an addition \[X.691 §11.6\].
pub(super) fn addition(out: &mut Growing, at: usize) -> Written {
    out.put(1, 1)?;
    out.put(0, 1)?;
    Ok(out.put(at as u64, 6)?)
}

/// Refuses a number of parts beyond the bounds of a size.
fn check_size(size: &Size, count: u64, parts: &str) -> Written {
    if size.contains(count) || size.is_extensible {
        return Ok(());
    }
    let high = size.high.map_or(String::new(), |high| high.to_string());
    let (verb, low) = (if count == 1 { "is" } else { "are" }, size.low);
    let parts = if count == 1 {
        parts.trim_end_matches('s')
    } else {
        parts
    };
    Err(ValueError::new(format!(
        "{count} {parts} {verb} not within {low}..{high}"
    )))
}

/// Writes the number of elements of a list or string.
pub(super) fn count(out: &mut Growing, size: &Size, count: usize) -> Written {
    let count = count as u64;
    check_size(size, count, "elements")?;
    let is_within = size.contains(count);
    if size.is_extensible {
        out.put((!is_within).into(), 1)?;
    }
    let bounded = size.high.filter(|high| *high < BOUNDED_SIZES && is_within);
    match bounded {
        Some(high) => out.put(count - size.low, width(high - size.low))?,
        None => length(out, count as usize)?,
    }
    Ok(())
}

/// Reads hexadecimal digits.
fn digits(value: &Value) -> Result<Vec<u8>, ValueError> {
    let expected = || ValueError::expected("a text of pairs of hexadecimal digits", value);
    let text = value.as_str().ok_or_else(expected)?;
    if !text.len().is_multiple_of(2) || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(expected());
    }
    let pairs = text.as_bytes().chunks_exact(2);
    let octet = |pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    pairs.map(octet).collect::<Option<_>>().ok_or_else(expected)
}

fn put_octets(out: &mut Growing, octets: &[u8]) -> Written {
    for octet in octets {
        out.put((*octet).into(), 8)?;
    }
    Ok(())
}

pub(super) fn octets(out: &mut Growing, size: &Size, value: &Value) -> Written {
    let octets = digits(value)?;
    count(out, size, octets.len())?;
    put_octets(out, &octets)
}

/// Writes a length without bounds. Longer parts would come in fragments, which are not written.
fn length(out: &mut Growing, length: usize) -> Written {
    const LENGTH_MAX: usize = 0x3FFF;
    match length > LENGTH_MAX {
        true => Err(ValueError::new(format!(
            "{length} bytes or elements are more than the {LENGTH_MAX} that are written in one part"
        ))),
        false => Ok(put_length(length, out)?),
    }
}

/// Writes an open type of whole bytes.
pub(super) fn open(out: &mut Growing, octets: &[u8]) -> Written {
    length(out, octets.len())?;
    put_octets(out, octets)
}

/// Writes the bytes of an open type that no layout names.
pub(super) fn raw(out: &mut Growing, value: &Value) -> Written {
    let octets = digits(value)?;
    match octets.is_empty() {
        true => Err(ValueError::new("an open type has one byte at least")),
        false => open(out, &octets),
    }
}

pub(super) fn bits(out: &mut Growing, size: &Size, names: &[&str], value: &Value) -> Written {
    let (octets, length) = match (value, size.fixed()) {
        (Value::Array(set), fixed) => named_bits(names, set, fixed.unwrap_or(names.len() as u64))?,
        (Value::String(_), Some(fixed)) => (digits(value)?, fixed),
        (Value::Object(members), None) if members.len() == 2 => {
            let part = |name: &str| members.get(name);
            let octets = part("value").map(digits).transpose()?;
            let length = part("length").and_then(Value::as_u64);
            octets
                .zip(length)
                .ok_or_else(|| expected_bits(size, names, value))?
        }
        _ => return Err(expected_bits(size, names, value)),
    };
    let unused = (octets.len() as u64 * 8).checked_sub(length);
    let fills = |unused: &u64| {
        *unused < 8
            && octets
                .last()
                .is_none_or(|last| last << ((8 - unused) % 8) == 0 || *unused == 0)
    };
    if unused.filter(fills).is_none() {
        return Err(ValueError::new(format!(
            "{value} is not {length} bits and zeros behind them"
        )));
    }
    count(out, size, length as usize)?;
    let mut left = length as u32;
    for octet in octets {
        let taken = left.min(8);
        out.put(u64::from(octet) >> (8 - taken), taken)?;
        left -= taken;
    }
    Ok(())
}

fn expected_bits(size: &Size, names: &[&str], value: &Value) -> ValueError {
    let digits = match size.fixed() {
        Some(bits) => format!("a text of hexadecimal digits for {bits} bits"),
        None => "an object with value and length".to_owned(),
    };
    let expected = match names.is_empty() {
        true => digits,
        false => format!("{digits} or a list of names of bits"),
    };
    ValueError::expected(&expected, value)
}

/// Sets bits by their names.
fn named_bits(names: &[&str], set: &[Value], length: u64) -> Result<(Vec<u8>, u64), ValueError> {
    let mut octets = vec![0; length.div_ceil(8) as usize];
    for name in set {
        let at = names
            .iter()
            .position(|one| !one.is_empty() && name.as_str() == Some(one));
        let byte = at.and_then(|at| Some((octets.get_mut(at / 8)?, at % 8)));
        let Some((byte, bit)) = byte else {
            return Err(ValueError::unknown(&name.to_string(), &names.join(", ")));
        };
        *byte |= 0x80 >> bit;
    }
    Ok((octets, length))
}

pub(super) fn text(
    out: &mut Growing,
    text: &Text,
    value: &Value,
    constraints: Constraints,
) -> Written {
    let given = value.as_str();
    let given = given.ok_or_else(|| ValueError::expected("a text", value))?;
    let Alphabet::Of(characters) = &text.alphabet else {
        if constraints == Constraints::All {
            check_size(&text.size, given.chars().count() as u64, "characters")?;
        }
        count(out, &Size::ANY, given.len())?;
        return put_octets(out, given.as_bytes());
    };
    let (width, is_by_place) = Alphabet::width(characters);
    count(out, &text.size, given.chars().count())?;
    for character in given.chars() {
        let at = characters
            .iter()
            .position(|own| char::from(*own) == character);
        let at = at.ok_or_else(|| ValueError::new(format!("{character:?} is not permitted")))?;
        let code = if is_by_place {
            at as u64
        } else {
            character.into()
        };
        out.put(code, width)?;
    }
    Ok(())
}
