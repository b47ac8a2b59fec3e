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

/// Reads the note of a file; none if it has none.
///
/// # Errors
/// The reason, with its place in the file, of a table of sections that is damaged, so that a note
/// in it would be overlooked, and of a note that does not have the form.
pub(crate) fn note(file: &[u8]) -> Result<Option<ImageNote>, String> {
    let section = section(file).map_err(|why| format!("{why}; build or copy the file again"))?;
    let Some((at, section)) = section else {
        return Ok(None);
    };
    let read = || {
        if section.len() > LENGTH_MAX {
            return Err(format!(
                "it has {} bytes, at most {LENGTH_MAX}",
                section.len()
            ));
        }
        image_note(words(section)?)
    };
    let note = read().map_err(|why| {
        format!("byte {at}: its note .note.waywarden: {why}; docs/firmware.md has its words")
    });
    note.map(Some)
}

/// Finds the section; returns its place in the file, too. None of a file without sections.
fn section(file: &[u8]) -> Result<Option<(usize, &[u8])>, String> {
    let (table, size, count, names) = (
        u32_at(file, 32)? as usize,
        usize::from(u16_at(file, 46)?),
        usize::from(u16_at(file, 48)?),
        usize::from(u16_at(file, 50)?),
    );
    if table == 0 {
        return Ok(None);
    }
    if size != ENTRY {
        return Err(format!(
            "byte 46: an entry of its table of sections has {size} bytes, not {ENTRY}"
        ));
    }
    // The table has at most 65,535 entries, by its count.
    let end = table.saturating_add(count * ENTRY);
    if end > file.len() {
        let length = file.len();
        return Err(format!(
            "byte 32: its table of sections ends at byte {end}, the file at byte {length}"
        ));
    }
    if names >= count {
        return Err(format!(
            "byte 50: the names of its sections are in section {names} of {count}"
        ));
    }
    let (_, names) = content(file, table + names * ENTRY)?;
    let mut found = None;
    for entry in (0..count).map(|index| table + index * ENTRY) {
        let name = names.get(u32_at(file, entry)? as usize..);
        let name = name.ok_or_else(|| format!("byte {entry}: a section without a name"))?;
        if name.starts_with(SECTION) && found.replace(content(file, entry)?).is_some() {
            return Err(format!("byte {entry}: a second section .note.waywarden"));
        }
    }
    Ok(found)
}

/// Returns the content of a section by its entry, and the place of it.
fn content(file: &[u8], entry: usize) -> Result<(usize, &[u8]), String> {
    let (start, length) = (
        u32_at(file, entry + 16)? as usize,
        u32_at(file, entry + 20)? as usize,
    );
    let end = start.saturating_add(length);
    let content = file.get(start..end).ok_or_else(|| {
        let length = file.len();
        format!("byte {entry}: a section ends at byte {end}, the file at byte {length}")
    });
    Ok((start, content?))
}

/// Returns the words of a note.
fn words(section: &[u8]) -> Result<&str, &'static str> {
    let read = || {
        let field = |at| u32_at(section, at).ok();
        let (owner, length, kind) = (field(0)? as usize, field(4)? as usize, field(8)?);
        // Owner and words begin at multiples of 4.
        let start = 12 + OWNER.len().next_multiple_of(4);
        let is_ours = owner == OWNER.len() && section.get(12..)?.starts_with(OWNER);
        let end = start.checked_add(length)?;
        let words = std::str::from_utf8(section.get(start..end)?).ok()?;
        let is_text = words.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        (is_ours && kind == WORDS && is_text).then_some((words, &section[end..]))
    };
    match read() {
        Some((words, rest)) if rest.iter().all(|byte| *byte == 0) => Ok(words),
        Some(_) => Err("it has something behind its words, as a second note"),
        None => Err("it does not have the form of an ELF note"),
    }
}

/// Reads words of the form `key=value`, of which `purpose` is the last and has the rest. Others
/// than those that have a meaning are skipped.
fn image_note(words: &str) -> Result<ImageNote, String> {
    let (words, purpose) = match words.split_once(" purpose=") {
        Some((words, purpose)) => (words, Some(purpose.to_owned())),
        None => (words, None),
    };
    let values = |key: &'static str| {
        let words = words.split_ascii_whitespace();
        words.filter_map(move |word| word.strip_prefix(key)?.strip_prefix('='))
    };
    let keys = ["link", "machine", "record", "suite"];
    if let Some(key) = keys.into_iter().find(|key| values(key).count() > 1) {
        return Err(format!("it has `{key}` twice"));
    }
    let value = |key| values(key).next();
    let number = |key: &'static str, max: u16| match value(key).map(str::parse::<u16>) {
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
