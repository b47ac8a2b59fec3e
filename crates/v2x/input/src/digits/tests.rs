//! Lines of digits in every form.

use waywarden_testkit::{Random, seeds};

use super::*;

#[test]
fn usual_lines_are_read_in_one_pass_as_any_line_is() {
    const PARTS: [&str; 16] = [
        " ", "  ", "\t", "\u{b}", "\u{2003}", "0x", "#", "ab", "C0", "f", "c0ffee", "label",
        "ab-cd", "\u{fc}", "0", "\r",
    ];
    let mut random = Random::of_test("lines of digits");
    let (mut usual, mut read) = (0, 0);
    for _ in 0..seeds(20_000) {
        let parts = 1 + random.index(6);
        let line: String = (0..parts)
            .map(|_| PARTS[random.index(PARTS.len())])
            .collect();
        let expected = any_record(&line);
        if let Some(found) = plain_record(line.trim()) {
            usual += 1;
            assert_eq!(Ok(Some(found)), expected, "{line:?}");
        }
        read += usize::from(matches!(expected, Ok(Some(_))));
    }
    println!("{usual} of {read} lines in one pass");
    assert!(usual > 100 && usual < read);
}

/// Every form of the same bytes, alone and behind a label.
#[test]
fn forms_that_people_paste_have_the_same_bytes() {
    let mut random = Random::of_test("forms of digits");
    for _ in 0..seeds(2_000) {
        let count = 3 + random.index(40);
        let mut bytes: Vec<u8> = (0..count).map(|_| random.index(256) as u8).collect();
        bytes[0] |= 0x10;
        let size = 1 + random.index(count);
        let groups: Vec<String> = bytes.chunks(size).map(show).collect();
        let marked: Vec<String> = bytes.iter().map(|byte| format!("0x{byte:x}")).collect();
        let apart: Vec<String> = bytes.iter().map(|byte| show(&[*byte])).collect();
        let forms = [
            show(&bytes),
            format!("0x{}", show(&bytes)),
            show(&bytes).to_uppercase(),
            groups.join(" "),
            groups.join("  "),
            groups.join(","),
            apart.join(":"),
            apart.join("-"),
            marked.join(", "),
            format!("{},", marked.join(",")),
            marked.join(" "),
            format!("\"\\x{}\"", apart.join("\\x")),
            format!("uint8_t spdu[] = {{ {} }};", marked.join(", ")),
        ];
        for form in &forms {
            assert_eq!(record(form), Ok(Some((None, bytes.clone()))), "{form:?}");
        }
        for form in &forms[..12] {
            let line = format!("label {form}");
            let expected = Some((Some("label".to_owned()), bytes.clone()));
            assert_eq!(record(&line), Ok(expected), "{line:?}");
        }
    }
}

#[test]
fn labels_of_digits_stay_labels_and_doubt_is_an_error() {
    let read = |line: &str| record(line).map(|found| found.unwrap());
    let bytes = |label: &str, bytes: &[u8]| Ok((Some(label.to_owned()), bytes.to_vec()));
    assert_eq!(read("cafe 038100"), bytes("cafe", &[3, 0x81, 0]));
    assert_eq!(read("ab-cd 0381"), bytes("ab-cd", &[3, 0x81]));
    assert_eq!(read("0381 0040 03"), Ok((None, vec![3, 0x81, 0, 0x40, 3])));
    for doubtful in ["cafe00 0381 00", "0381 004003 80", "038100 40 0380"] {
        assert!(read(doubtful).is_err(), "{doubtful}");
    }
}

#[test]
fn base64_is_read_in_both_alphabets() {
    assert_eq!(base64("A4EAQA=="), Some(vec![3, 0x81, 0, 0x40]));
    assert_eq!(base64("A4EAQA"), Some(vec![3, 0x81, 0, 0x40]));
    assert_eq!(base64("+/-_"), Some(vec![0xFB, 0xFF, 0xBF]));
    for wrong in ["", "A", "A4EAQB==", "A4EAQA=", "A4 A", "===="] {
        assert_eq!(base64(wrong), None, "{wrong}");
    }
    // Words that only look like it are no messages.
    assert!(record("nothing4").is_err());
    let unsecured = [3, 0x80, 3, 1, 2, 3];
    let line = Ok(Some((Some("label".to_owned()), unsecured.to_vec())));
    assert_eq!(record("label A4ADAQID"), line);
}

#[test]
fn bytes_are_read_from_digits_as_they_are_written() {
    let bytes: Vec<u8> = (0..=u8::MAX).collect();
    let digits = show(&bytes);
    assert_eq!(hex(&digits).as_ref(), Some(&bytes));
    assert_eq!(hex(&digits.to_uppercase()), Some(bytes));
    for wrong in [
        "", "0x", "0", "0g", "g0", "/0", ":0", "@0", "`0", "0 ", "\u{fc}",
    ] {
        assert_eq!(hex(wrong), None, "{wrong}");
    }
}
