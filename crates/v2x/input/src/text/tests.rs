//! Text in the forms that people paste: read back as it was written, and damage reported.

mod known;

use std::fmt::Write as _;

use waywarden_testkit::{Random, seeds};

use super::{Found, Item, TextReader, Wrong};
use crate::digits::show;

/// Reads lines of a text.
fn read(text: &str) -> Vec<Item> {
    let (mut reader, mut items) = (TextReader::default(), Vec::new());
    for (at, line) in text.lines().enumerate() {
        reader.line(at + 1, line, &mut items);
    }
    reader.end(&mut items);
    items
}

fn found(text: &str) -> Vec<Found> {
    let each = read(text).into_iter().map(|item| match item {
        Item::Found(found) => found,
        Item::Wrong(wrong) => panic!("{wrong:?} of\n{text}"),
    });
    each.collect()
}

fn bytes(text: &str) -> Vec<Vec<u8>> {
    found(text).into_iter().map(|one| one.bytes).collect()
}

fn wrong(text: &str) -> Vec<Wrong> {
    let each = read(text).into_iter().filter_map(|item| match item {
        Item::Wrong(wrong) => Some(wrong),
        Item::Found(_) => None,
    });
    each.collect()
}

/// An SPDU of unsecured data.
fn spdu(payload: &[u8]) -> Vec<u8> {
    let length = payload.len();
    let head = match length {
        0..=0x7F => vec![length as u8],
        0x80..=0xFF => vec![0x81, length as u8],
        _ => vec![0x82, (length >> 8) as u8, length as u8],
    };
    [&[3, 0x80][..], &head, payload].concat()
}

fn random_spdu(random: &mut Random, most: usize) -> Vec<u8> {
    let length = 8 + random.index(most);
    spdu(&random.bytes(length))
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for part in bytes.chunks(3) {
        let mut group = [0; 3];
        group[..part.len()].copy_from_slice(part);
        let all = u32::from_be_bytes([0, group[0], group[1], group[2]]);
        for at in 0..4 {
            let letter = LETTERS[(all >> (18 - 6 * at)) as usize & 63];
            text.push(if at > part.len() { '=' } else { letter.into() });
        }
    }
    text
}

/// Breaks a text into lines of so many letters.
fn wrap(text: &str, width: usize) -> String {
    let letters = text.as_bytes().chunks(width);
    let lines = letters.map(|line| std::str::from_utf8(line).unwrap());
    lines.collect::<Vec<_>>().join("\n")
}

/// Writes rows as `xxd` (a colon), `hexdump -C` (bars) or Wireshark (three blanks) do.
fn dump(bytes: &[u8], width: usize, form: usize) -> String {
    let mut all = String::new();
    for (at, row) in bytes.chunks(width).enumerate() {
        let text: String = row
            .iter()
            .map(|byte| match byte {
                b' '..=b'~' => char::from(*byte),
                _ => '.',
            })
            .collect();
        let groups = |size: usize| row.chunks(size).map(show).collect::<Vec<_>>().join(" ");
        let offset = at * width;
        let _ = match form {
            0 => writeln!(all, "{offset:08x}: {:<40}  {text}", groups(2)),
            1 => writeln!(all, "{offset:08x}  {:<48}  |{text}|", groups(1)),
            2 => writeln!(all, "{offset:04x}  {:<47}   {text}", groups(1)),
            3 => writeln!(all, "{offset:04x}   {}", groups(1)),
            _ => writeln!(all, "\t0x{offset:04x}:  {:<39}  {text}", groups(2)),
        };
    }
    if form == 1 {
        let _ = writeln!(all, "{:08x}", bytes.len());
    }
    all
}

/// Writes an array of C with comments.
fn array(bytes: &[u8], width: usize) -> String {
    let rows = bytes.chunks(width).enumerate().map(|(at, row)| {
        let items: Vec<String> = row.iter().map(|byte| format!("{byte:#04x}")).collect();
        format!("    {}, /* {at} */", items.join(", "))
    });
    let rows: Vec<String> = rows.collect();
    let rows = rows.join("\n");
    format!(
        "// generated\nstatic const uint8_t spdu[{}] = {{\n{rows}\n}};\n",
        bytes.len()
    )
}

/// Every form of the same messages, at any width, after each other in one text.
#[test]
fn forms_over_several_lines_have_the_same_bytes() {
    let mut random = Random::of_test("forms over lines");
    for _ in 0..seeds(100) {
        let any = random.bytes_up_to(200);
        let any = if any.is_empty() { vec![7] } else { any };
        let message = random_spdu(&mut random, 300);
        let width = 1 + random.index(16);
        for form in 0..5 {
            let text = dump(&any, width, form);
            assert_eq!(bytes(&text), [&any[..]], "{text}");
            let twice = text.repeat(2);
            assert_eq!(bytes(&twice), [&any[..], &any], "{twice}");
        }
        let text = array(&any, width);
        assert_eq!(bytes(&text), [&any[..]], "{text}");
        let sized = format!("{text}unsigned int spdu_len = {};\n", any.len());
        assert_eq!(bytes(&sized), [&any[..]], "{sized}");
        let sized = format!("{text}unsigned int spdu_len = {};\n", any.len() + 1);
        assert_eq!(wrong(&sized).len(), 1, "{sized}");
        assert_eq!(found(&text)[0].label.as_deref(), Some("spdu"));
        let columns = 9 + random.index(90);
        for (text, columns) in [
            (show(&message), columns),
            (show(&message).to_uppercase(), columns),
            (base64(&message), columns.max(16)),
        ] {
            let text = wrap(&text, columns);
            assert_eq!(bytes(&text), [&message[..]], "{text}");
            let twice = format!("{text}\n\n{text}");
            assert_eq!(bytes(&twice), [&message[..], &message], "{twice}");
            let lines = text.lines().count();
            assert_eq!(found(&text)[0].lines, (1, lines));
        }
        let text = base64(&any);
        let text = format!(
            "-----BEGIN SPDU-----\n{}\n-----END SPDU-----\n",
            wrap(&text, 64)
        );
        if any[0] != 0x30 {
            assert_eq!(bytes(&text), [&any[..]], "{text}");
        }
        for coded in [show(&message), base64(&message)] {
            let line = format!("{{\"time\": 1.5, \"data\": {{\"payload\": \"{coded}\"}}}}");
            let label = Some("data.payload".to_owned());
            assert_eq!(bytes(&line), [&message[..]], "{line}");
            assert_eq!(found(&line)[0].label, label);
            let pretty = line
                .replace([','], ",\n  ")
                .replace('{', "{\n  ")
                .replace('}', "\n}");
            assert_eq!(bytes(&pretty), [&message[..]], "{pretty}");
            let all = format!("[\n{line},\n{line}\n]\n");
            assert_eq!(bytes(&all), [&message[..], &message], "{all}");
        }
        let line = format!(
            "2026-03-01 12:00:00.5 [rx] dsrc0: {} rssi=-70",
            show(&message)
        );
        let label = "2026-03-01 12:00:00.5 [rx] dsrc0 \u{2026} rssi=-70";
        assert_eq!(found(&line)[0].label.as_deref(), Some(label));
        assert_eq!(bytes(&line), [&message[..]]);
    }
}

/// Digits of the bytes that items have, and of the lines that cannot be read.
fn account(text: &str) -> (usize, usize) {
    let items = read(text);
    let bytes = items.iter().map(|item| match item {
        // Digits before digits may be a label, which is shown.
        Item::Found(found) => {
            let label = found.label.as_deref().unwrap_or("");
            let is_digits = label.bytes().all(|byte| byte.is_ascii_hexdigit());
            found.bytes.len()
                + if is_digits {
                    label.len().div_ceil(2)
                } else {
                    0
                }
        }
        Item::Wrong(_) => 0,
    });
    let total = bytes.sum();
    (total, wrong(text).len())
}

/// A damaged text panics nothing, and has all its bytes or an error.
#[test]
fn damaged_text_loses_no_bytes_in_silence() {
    let mut random = Random::of_test("damaged text");
    let (mut damaged, mut reported) = (0, 0);
    for _ in 0..seeds(400) {
        let message = random_spdu(&mut random, 120);
        let width = 4 + random.index(13);
        let form = random.index(9);
        let one_array = || {
            array(&message, width)
                .trim_start_matches("// generated\n")
                .to_owned()
        };
        let text = match form {
            0..=4 => dump(&message, width, form),
            5 => one_array(),
            8 => one_array().trim().replace('\n', " "),
            6 => wrap(&show(&message), 16 + random.index(60)),
            _ => format!("{{\n  \"payload\": \"{}\"\n}}\n", show(&message)),
        };
        let mut letters = text.clone().into_bytes();
        let at = random.index(letters.len());
        const OTHERS: &[u8] = b"g*0a ,}{\"\n|:-";
        match random.index(3) {
            0 => letters[at] = OTHERS[random.index(OTHERS.len())],
            1 => drop(letters.remove(at)),
            _ => letters.insert(at, OTHERS[random.index(OTHERS.len())]),
        }
        let changed = String::from_utf8(letters).unwrap();
        let (total, wrong) = account(&changed);
        damaged += 1;
        reported += usize::from(wrong > 0);
        // One letter costs at most one byte, unless more is reported.
        assert!(
            wrong > 0 || total + 1 >= message.len(),
            "{total} of {} bytes of form {form}:\n{text}\nchanged\n{changed}",
            message.len()
        );
    }
    println!("{reported} of {damaged} damaged texts are told");
    assert!(reported * 4 > damaged);
}

#[test]
fn any_text_is_read_without_panic() {
    const PARTS: [&str; 34] = [
        "{",
        "}",
        "[",
        "]",
        "\"",
        ":",
        ",",
        "\n",
        "\n",
        "\n",
        "-----BEGIN X-----",
        "0x03",
        "0381",
        "-----END X-----",
        "03",
        "00000000: ",
        "00000010  ",
        "0000  ",
        "*",
        "|",
        "#",
        "/*",
        "*/",
        "//",
        "=",
        "A4EAQA==",
        " ",
        "  ",
        "   ",
        "\u{fc}",
        "label ",
        "\\",
        "uint8_t a[] = {",
        "03800501020304",
    ];
    let mut random = Random::of_test("any text");
    for _ in 0..seeds(3_000) {
        let parts = random.index(60);
        let text: String = (0..parts)
            .map(|_| PARTS[random.index(PARTS.len())])
            .collect();
        read(&text);
        // A line with digits is read or reported; remarks and the offset that ends a dump are
        // neither.
        let line = text.replace('\n', "");
        let is_remark = line.trim_start().starts_with(['#', '/']);
        let has_bytes = line.contains("0x03") || line.contains("0381") || line.contains("03800");
        if has_bytes && !is_remark {
            assert!(!read(&line).is_empty(), "{line}");
        }
    }
}
