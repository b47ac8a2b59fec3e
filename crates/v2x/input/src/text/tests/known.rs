//! Known texts, and what is said of damaged ones.

use super::{bytes, found, read, spdu, wrong};
use crate::digits::show;
use crate::text::Item;

/// Rows of a dump that have the same bytes are a star.
#[test]
fn repeated_rows_of_a_dump_are_read() {
    let text = "00000000  03 80 24 00 00 00 00 00  00 00 00 00 00 00 00 00  |..$.............|\n\
                00000010  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|\n\
                *\n\
                00000030  01 02 03                                          |...|\n\
                00000033\n";
    let mut expected = [0; 0x33];
    expected[..3].copy_from_slice(&[3, 0x80, 0x24]);
    expected[0x30..].copy_from_slice(&[1, 2, 3]);
    assert_eq!(bytes(text), [&expected[..]]);
    let cut = text.replace(
        "00000030  01 02 03                                          |...|\n",
        "",
    );
    assert!(wrong(&cut.replace("00000033\n", ""))[0].error.contains('*'));
}

fn assert_named(cases: &[(String, usize, &str)]) {
    for (text, line, expected) in cases {
        let all = wrong(text);
        assert!(!all.is_empty(), "{text}");
        assert_eq!(all[0].line, *line, "{text}: {all:?}");
        assert!(all[0].error.contains(expected), "{text}: {all:?}");
        assert!(!all[0].remedy.is_empty());
    }
}

#[test]
fn damaged_digits_and_dumps_are_named_with_their_line() {
    let message = show(&spdu(&[7; 20]));
    let row = "00000000: 0380 0514";
    assert_named(&[
        (
            format!("{message}\nlabel {message}0"),
            2,
            "an odd number of hexadecimal digits (47)",
        ),
        (
            format!("{message}\n{}O{}", &message[..9], &message[10..]),
            2,
            "'O' in column 10",
        ),
        (
            "0000000 8003 1405 0000\n".into(),
            1,
            "whose bytes are swapped",
        ),
        (
            format!("{row}\n00000008: 01"),
            2,
            "offset 00000008 where 4 is next",
        ),
        (
            "00000010: 0380 0514\n".into(),
            1,
            "what is before is missing",
        ),
        (
            format!("{row}  ab"),
            1,
            "neither digits nor the text of 4 bytes",
        ),
        (
            "12:00 RX 0102030405060708 a\n".into(),
            1,
            "among other text (\"12:00 RX \u{2026} a\")",
        ),
    ]);
}

#[test]
fn damaged_blocks_are_named_with_their_line() {
    let message = show(&spdu(&[7; 20]));
    let wsm = format!("0300{message}");
    assert_named(&[
        (
            "{\"payload\": \"0380\n\"}\n".into(),
            1,
            "JSON, lines 1 to 1: a string goes over",
        ),
        ("{\"a\": 1}\n".into(), 1, "JSON"),
        (
            format!("{{\"a\": \"{message}0\"}}\n"),
            1,
            "the string \"a\" of JSON begins as",
        ),
        (
            format!("{{\"a\": {{\"b\": \"{wsm}0\"}}}}\n"),
            1,
            "a certificate; \"a.b\": an odd number of hexadecimal digits (51)",
        ),
        ("{\"a\":\n 1,}\n".into(), 2, "JSON that cannot be read"),
        (
            "uint8_t a[] = {\n0x03, 0x1234, 0x05 };\n".into(),
            1,
            "\"0x1234\" in an array",
        ),
        (
            "uint8_t a[] = {0x03, 0x1234, 0x05};\n".into(),
            1,
            "\"0x1234\" in an array",
        ),
        ("a = [3, 500]\n".into(), 1, "\"500\" in an array"),
        (
            "uint8_t a[4] = {\n0x03, 0x80, 0x05 };\n".into(),
            1,
            "an array of 4 bytes that has 3",
        ),
        (
            "uint8_t a[] = {\n10, 20, 30 };\n".into(),
            1,
            "decimal or hexadecimal",
        ),
        (
            "-----BEGIN X-----\nA4EAQA==\n".into(),
            1,
            "without its END line",
        ),
        (
            "-----BEGIN X-----\nA4EAQA==\n-----END Y-----\n".into(),
            1,
            "X that ends as Y",
        ),
    ]);
}

/// Each line alone comes first, then all together, then each alone with a remark.
#[test]
fn lines_are_messages_alone_before_they_are_one_together() {
    let [one, two] = [spdu(&[1; 9]), spdu(&[2; 9])];
    let text = format!("{}\n{}\n", show(&one), show(&two));
    assert_eq!(bytes(&text), [&one[..], &two]);
    // The first line is labelled, the message is whole with the second.
    let (head, tail) = (show(&one[..6]), show(&one[6..]));
    let text = format!("label {head}\n{tail}\nlabel {}", show(&two));
    let all = found(&text);
    assert_eq!(
        (all[0].label.as_deref(), all[0].lines),
        (Some("label"), (1, 2))
    );
    assert_eq!(bytes(&text), [&one[..], &two]);
    // Broken, and no line but the first begins as a message.
    let text = format!("{}\n{}\n", show(&one[..6]), show(&one[6..10]));
    let all = found(&text);
    assert_eq!((all.len(), &all[0].bytes[..]), (1, &one[..10]));
    assert!(all[0].remark.as_deref().unwrap().contains("lines 1 to 2"));
    // No line begins as a message: each is an input, and says that they were joined.
    let all = found("0102030405\n0102030405\n");
    assert_eq!(all.len(), 2);
    assert!(all[1].remark.as_deref().unwrap().contains("lines 1 to 2"));
}

#[test]
fn one_bad_line_costs_no_other() {
    let message = spdu(&[9; 30]);
    let digits = show(&message);
    let line = format!("{{\"payload\": \"{digits}\"}}\n");
    for bad in [
        "{\"payload\": \"0381\n",
        "{\"payload\":\n",
        "uint8_t a[] = {\n",
        "zz\n",
        "-----BEGIN X-----\n-----BEGIN Y-----\n-----END Y-----\n",
        "00000000: zz\n",
        "\u{fc}\u{fc} \u{fc}\n",
    ] {
        let text = format!("{line}{bad}{line}{line}");
        let items = read(&text);
        let count = items
            .iter()
            .filter(|item| matches!(item, Item::Found(found) if found.bytes == message));
        assert_eq!(count.count(), 3, "{text}\n{items:#?}");
        assert!(!wrong(&text).is_empty(), "{text}");
    }
}

/// Java has signed bytes: casts where it is written, numbers below zero where it prints them.
#[test]
fn bytes_of_java_are_read() {
    let message = spdu(&[0x80, 0xff, 0, 0x7f, 0x81, 3, 200, 9]);
    let list = |one: &dyn Fn(u8) -> String| {
        let items: Vec<String> = message.iter().map(|byte| one(*byte)).collect();
        items.join(", ")
    };
    let signed = list(&|byte| byte.cast_signed().to_string());
    let cast = list(&|byte| format!("(byte) 0x{byte:02X}"));
    let cast_high = list(&|byte| match byte {
        0..=0x7f => format!("0x{byte:02x}"),
        _ => format!("(byte)0x{byte:02x}"),
    });
    for text in [
        format!("[{signed}]"),
        format!("{{\"message\": [{signed}]}}"),
        format!("byte[] message = {{{signed}}};"),
        format!("byte[] message = new byte[] {{{cast}}};"),
        format!(
            "byte[] message = {{\n    {}\n}};",
            cast_high.replace(", ", ",\n    ")
        ),
    ] {
        assert_eq!(bytes(&text), [&message[..]], "{text}");
    }
    let beyond = format!("byte[] message = {{{signed}, -129}};");
    assert!(
        wrong(&beyond)[0].error.contains("\"-129\" in an array"),
        "{:?}",
        wrong(&beyond)
    );
}

/// A queue exports a record of JSON as a string of JSON.
#[test]
fn json_in_a_string_of_json_is_read() {
    let message = spdu(&[7; 20]);
    let inner = format!("{{\"data\": {{\"bytes\": \"{}\"}}}}", show(&message));
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let once = format!("{{\"value\": \"{}\"}}", quoted(&inner));
    let twice = format!("{{\"value\": \"{}\"}}", quoted(&once));
    for (text, label) in [
        (once, "value.data.bytes"),
        (twice, "value.value.data.bytes"),
    ] {
        let all = found(&text);
        assert_eq!(all[0].bytes, message, "{text}");
        assert_eq!(all[0].label.as_deref(), Some(label));
    }
}
