//! The note of an image: words in ASCII in the section `.note.waywarden`.

use super::{u16_at, u32_at};
use crate::seam::{ImageNote, ImageRole};

/// The name of the section.
const SECTION: &[u8] = b".note.waywarden\0";
/// The owner of the note, as its section has it.
const OWNER: &[u8] = b"Waywarden\0";
/// The type of a note of these words.
const WORDS: u32 = 1;
/// Bytes of an entry of the table of sections.
const ENTRY: usize = 40;
/// The longest note, in bytes: a few words.
const LENGTH_MAX: usize = 512;

/// Reads the note of a file; none if it has none, or its table of sections is damaged, which
/// nothing else needs.
///
/// # Errors
/// The reason, with its place in the file, of a note that does not have the form.
pub(crate) fn note(file: &[u8]) -> Result<Option<ImageNote>, String> {
    let Some((at, section)) = section(file) else {
        return Ok(None);
    };
    let read = || {
        if section.len() > LENGTH_MAX {
            return Err(format!(
                "it has {} bytes, at most {LENGTH_MAX}",
                section.len()
            ));
        }
        image_note(words(section).ok_or("it does not have the form of an ELF note")?)
    };
    let note = read().map_err(|why| {
        format!("byte {at}: its note .note.waywarden: {why}; docs/firmware.md has its words")
    });
    note.map(Some)
}

/// Finds the section; returns its place in the file, too.
fn section(file: &[u8]) -> Option<(usize, &[u8])> {
    let (table, size, count, names) = (
        u32_at(file, 32).ok()? as usize,
        usize::from(u16_at(file, 46).ok()?),
        usize::from(u16_at(file, 48).ok()?),
        usize::from(u16_at(file, 50).ok()?),
    );
    if size != ENTRY || names >= count {
        return None;
    }
    // The table has at most 65,535 entries, by its count.
    let entry = |index: usize| table.checked_add(index * ENTRY);
    let content = |index: usize| {
        let at = |field: usize| u32_at(file, entry(index)?.checked_add(field)?).ok();
        let (start, length) = (at(16)? as usize, at(20)? as usize);
        Some((start, file.get(start..start.checked_add(length)?)?))
    };
    let (_, names) = content(names)?;
    let is_note = |index: &usize| {
        let name = entry(*index).and_then(|entry| u32_at(file, entry).ok());
        let name = name.and_then(|name| names.get(name as usize..));
        name.is_some_and(|name| name.starts_with(SECTION))
    };
    content((0..count).find(is_note)?)
}

/// Returns the words of a note.
fn words(section: &[u8]) -> Option<&str> {
    let (owner, length) = (
        u32_at(section, 0).ok()? as usize,
        u32_at(section, 4).ok()? as usize,
    );
    // Owner and words begin at multiples of 4.
    let start = 12 + OWNER.len().next_multiple_of(4);
    let is_ours = owner == OWNER.len() && section.get(12..)?.starts_with(OWNER);
    if !is_ours || u32_at(section, 8).ok()? != WORDS {
        return None;
    }
    let words = section.get(start..start.checked_add(length)?)?;
    let words = std::str::from_utf8(words).ok()?;
    words
        .bytes()
        .all(|byte| matches!(byte, b' '..=b'~'))
        .then_some(words)
}

/// Reads words of the form `key=value`, of which `purpose` is the last and has the rest. Others
/// than those that have a meaning are skipped.
fn image_note(words: &str) -> Result<ImageNote, String> {
    let (words, purpose) = match words.split_once(" purpose=") {
        Some((words, purpose)) => (words, Some(purpose.to_owned())),
        None => (words, None),
    };
    let value = |key: &str| {
        let mut words = words.split_ascii_whitespace();
        words.find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    };
    let number = |key: &str, max: u16| match value(key).map(str::parse::<u16>) {
        None => Ok(None),
        Some(Ok(number)) if number <= max => Ok(Some(number)),
        Some(_) => Err(format!("`{key}` is no number of at most {max}")),
    };
    let link = number("link", u16::MAX)?;
    let record = number("record", u16::from(u8::MAX))?;
    let machine = value("machine").ok_or("it has no `machine`")?;
    let role = match (record, purpose) {
        (Some(record), None) => ImageRole::Ecu {
            record: record as u8,
            suite: value("suite").map(str::to_owned),
        },
        (None, Some(purpose)) => ImageRole::NoEcu(purpose),
        _ => return Err("it has one of `record` and `purpose`".to_owned()),
    };
    if matches!(role, ImageRole::Ecu { .. }) && link.is_none() {
        return Err("it has no `link`".to_owned());
    }
    Ok(ImageNote {
        link,
        machine: machine.to_owned(),
        role,
    })
}
