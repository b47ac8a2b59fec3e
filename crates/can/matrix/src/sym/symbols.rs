//! Identifiers and signals of symbols.

use std::collections::HashMap;

use crate::number::sawtooth;
use crate::text::excerpt;
use crate::{ByteOrder, MatrixSignal, number};

/// Signals that are defined once, for any symbol to place.
#[derive(Default)]
pub(super) struct Definitions(HashMap<String, MatrixSignal>);

impl Definitions {
    /// Takes `Sig=<name> <type> [<bits>] <options>`.
    pub(super) fn define(&mut self, words: &[String], odd: &mut Vec<String>) -> Result<(), String> {
        const FORM: &str = "a signal is `Sig=<name> <type> <bits> <options>`";
        let (name, kind) = words.get(1).zip(words.get(2)).ok_or(FORM)?;
        let length = bits(kind, words.get(3)).ok_or(FORM)?;
        let options = words.get(3..).unwrap_or_default();
        let signal = with_options(name, kind, (0, length), (options, odd));
        self.0.insert(name.clone(), signal);
        Ok(())
    }

    /// Takes `Sig=<name> <first bit>` of a symbol.
    pub(super) fn placed(&self, words: &[String]) -> Result<MatrixSignal, String> {
        let start = words.get(2).and_then(|word| position(word));
        let (name, start) = words
            .get(1)
            .zip(start)
            .ok_or("a signal of a symbol is `Sig=<name> <first bit>`")?;
        let signal = self
            .0
            .get(name)
            .ok_or("{SIGNALS} has no signal of that name")?;
        Ok(MatrixSignal {
            start: first_bit(start, signal.byte_order),
            ..signal.clone()
        })
    }
}

/// Takes `Var=<name> <type> <first bit>,<bits> <options>`. Before format 6.0 a name may have blanks
/// without quotes.
pub(super) fn variable(words: &[String], odd: &mut Vec<String>) -> Result<MatrixSignal, String> {
    const FORM: &str = "a variable is `Var=<name> <type> <first bit>,<bits> <options>`";
    let at = place_at(words).filter(|at| *at >= 3).ok_or(FORM)?;
    let (name, kind) = (words[1..at - 1].join(" "), &words[at - 1]);
    let (start, rest) = place(&words[at..]).ok_or(FORM)?;
    let length = bits(kind, Some(&start.1.to_string())).ok_or(FORM)?;
    Ok(with_options(&name, kind, (start.0, length), (rest, odd)))
}

/// Takes `Mux=<name> <first bit>,<bits> <value> <options>`, and returns the multiplexer with the
/// value; a multiplexer of no bits is none.
pub(super) fn multiplexer(
    words: &[String],
    odd: &mut Vec<String>,
) -> Result<Option<(MatrixSignal, u64)>, String> {
    const FORM: &str = "a multiplexer is `Mux=<name> <first bit>,<bits> <value> <options>`";
    let at = place_at(words).filter(|at| *at >= 2).ok_or(FORM)?;
    let name = words[1..at].join(" ");
    let ((start, length), rest) = place(&words[at..]).ok_or(FORM)?;
    let mut signal = with_options(&name, "unsigned", (start, length), (rest, odd));
    signal.is_multiplexer = true;
    if length == 0 {
        return Ok(None);
    }
    let value = rest
        .first()
        .and_then(|word| match word.strip_suffix(['h', 'H']) {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => number::whole(word),
        });
    Ok(Some((signal, value.ok_or(FORM)?)))
}

/// Takes a time in ms; zero is none.
pub(super) fn time(text: &str) -> Result<f64, &'static str> {
    let is_time = |ms: &f64| *ms == 0.0 || number::seconds(ms / 1e3).is_some();
    let ms = number::real(text).filter(is_time);
    ms.ok_or("a time is a number of milliseconds, below a day; 0 is none")
}

/// Returns the position of `<first bit>,<bits>`.
fn place_at(words: &[String]) -> Option<usize> {
    let is_place = |word: &String| {
        let number = word.split(',').next().unwrap_or_default();
        word.contains(',') && position(number).is_some()
    };
    words.iter().skip(1).position(is_place).map(|at| at + 1)
}

/// Returns the first and the last identifier of a range, and true if it is written with the eight
/// digits of 29 bits.
pub(super) fn identifiers(text: &str) -> Option<(u32, u32, bool)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let digits = |text: &str| {
        let text = text.trim();
        let digits = text.strip_suffix(['h', 'H']).unwrap_or(text);
        Some((u32::from_str_radix(digits, 16).ok()?, digits.len() >= 8))
    };
    let ((first, is_long), (last, _)) = (digits(first)?, digits(last)?);
    Some((first, last, is_long))
}

/// Returns the first bit and the length that `<first bit>,<bits>` states, and the words behind it.
fn place(words: &[String]) -> Option<((u32, u32), &[String])> {
    // A space may stand behind the comma.
    let (joined, used) = match words {
        [first, second, ..] if first.ends_with(',') => (format!("{first}{second}"), 2),
        [first, ..] => (first.clone(), 1),
        [] => return None,
    };
    let (start, length) = joined.split_once(',')?;
    let place = (position(start)?, position(length)?);
    Some((place, words.get(used..).unwrap_or_default()))
}

fn position(text: &str) -> Option<u32> {
    const BITS_MAX: u64 = 8 * crate::LENGTH_MAX;
    let number = number::whole(text).filter(|number| *number <= BITS_MAX)?;
    u32::try_from(number).ok()
}

/// Returns the bits of a type: its own, or those that stand behind it.
fn bits(kind: &str, stated: Option<&String>) -> Option<u32> {
    match kind {
        "float" => Some(32),
        "double" => Some(64),
        "bit" => Some(1),
        "char" => Some(8),
        _ => position(stated?),
    }
}

fn with_options(
    name: &str,
    kind: &str,
    (start, length): (u32, u32),
    (options, odd): (&[String], &mut Vec<String>),
) -> MatrixSignal {
    let mut value = |option: &str, default: f64| {
        let mut found = options.iter().filter_map(|word| word.strip_prefix(option));
        let Some(text) = found.next() else {
            return default;
        };
        number::real(text).unwrap_or_else(|| {
            let (name, shown) = (excerpt(name), excerpt(text));
            odd.push(format!(
                "{name}: {option}{shown} cannot be read; {default} is taken"
            ));
            default
        })
    };
    let byte_order = match options.iter().any(|word| word == "-m") {
        true => ByteOrder::BigEndian,
        false => ByteOrder::LittleEndian,
    };
    let unit = options.iter().find_map(|word| word.strip_prefix("/u:"));
    let start = first_bit(start, byte_order);
    MatrixSignal {
        byte_order,
        is_signed: kind == "signed",
        is_float: matches!(kind, "float" | "double"),
        factor: value("/f:", 1.0),
        offset: value("/o:", 0.0),
        unit: unit.unwrap_or_default().to_owned(),
        ..MatrixSignal::new(name.to_owned(), start, length)
    }
}

/// Returns DBC's number of a first bit.
fn first_bit(start: u32, order: ByteOrder) -> u32 {
    match order {
        ByteOrder::BigEndian => sawtooth(start),
        ByteOrder::LittleEndian => start,
    }
}
