//! ECU images of a few bytes, to test readers of their files with.

/// Returns an ELF file for a 32-bit ARM core with 16 bytes of flash at an address, and the note of
/// an image if its words are given.
#[must_use]
pub fn elf_image(flash: u32, words: Option<&str>) -> Vec<u8> {
    let code = [0u8; 16];
    let names = b"\0.note.waywarden\0.names\0";
    let mut note = Vec::new();
    if let Some(words) = words {
        let lengths = [10, words.len() as u32, 1];
        note.extend(lengths.iter().flat_map(|word| word.to_le_bytes()));
        note.extend(b"Waywarden\0\0\0");
        note.extend(words.as_bytes());
    }
    let (code_at, note_at) = (84, 84 + code.len());
    let names_at = note_at + note.len();
    let table_at = names_at + names.len();
    let sections: &[[u32; 10]] = &[
        [0; 10],
        [1, 7, 0, 0, note_at as u32, note.len() as u32, 0, 0, 4, 0],
        [17, 3, 0, 0, names_at as u32, names.len() as u32, 0, 0, 1, 0],
    ];
    // A file without the note has no first name.
    let kept = if words.is_some() { 0 } else { 2 };
    let sections = &sections[kept..];
    let mut file = b"\x7FELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    let halves = |file: &mut Vec<u8>, values: &[u16]| {
        file.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    };
    let words = |file: &mut Vec<u8>, values: &[u32]| {
        file.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    };
    halves(&mut file, &[2, 40]);
    words(&mut file, &[1, flash, 52, table_at as u32, 0]);
    let count = sections.len() as u16;
    halves(&mut file, &[52, 32, 1, 40, count, count - 1]);
    let length = code.len() as u32;
    words(&mut file, &[1, code_at, flash, flash, length, length, 5, 4]);
    file.extend(code);
    file.extend(note);
    file.extend(names);
    for section in sections {
        words(&mut file, section);
    }
    file
}
