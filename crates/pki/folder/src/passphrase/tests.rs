//! Tests of passphrases: where they come from, and what is refused.

use super::*;

#[cfg(unix)]
#[test]
fn the_interrupt_key_ends_a_question_at_once() {
    for (text, interrupt, expected) in [
        (&b"ab\x03"[..], 3, true),
        (b"\x03", 3, true),
        (b"ab\n", 3, false),
        (b"ab\x03\n", 0, false),
    ] {
        let mut typed = terminal::Typed {
            input: text,
            interrupt,
            is_interrupted: false,
        };
        assert_eq!(
            line(&mut typed, "f", PASSPHRASE).is_err(),
            expected,
            "{text:?}"
        );
        assert_eq!(typed.is_interrupted, expected, "{text:?}");
    }
}

#[test]
fn a_passphrase_is_the_first_line_and_not_empty() {
    for (text, expected) in [("a b\nc", "a b"), ("a\r\n", "a"), ("a", "a")] {
        let Ok(read) = line(text.as_bytes(), "f", PASSPHRASE) else {
            panic!("{text:?}");
        };
        assert_eq!(read.as_bytes(), expected.as_bytes());
    }
    let long = "x".repeat(PASSPHRASE_MAX);
    assert!(line(long.as_bytes(), "f", PASSPHRASE).is_ok());
    for text in ["", "\n", "\r\n", &format!("{long}x")] {
        assert!(line(text.as_bytes(), "f", PASSPHRASE).is_err());
    }
}

#[test]
fn a_new_passphrase_is_one_that_a_file_can_have() {
    let chosen = |bytes: &[u8]| Passphrase::chosen(Zeroizing::new(bytes.to_vec()));
    for wrong in [
        &b""[..],
        b"a\nb",
        b"\n",
        b"a\r",
        &[b'a'; PASSPHRASE_MAX + 1],
    ] {
        assert!(chosen(wrong).is_err(), "{wrong:?}");
    }
    for right in [&b"a"[..], b"\0", b"a\rb", &[0xFF; PASSPHRASE_MAX]] {
        assert!(chosen(right).is_ok_and(|one| one.as_bytes() == right));
    }
}
