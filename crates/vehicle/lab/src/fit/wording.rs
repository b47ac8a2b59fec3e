//! The words of message matrices: vehicle files say stream where matrices say message.

/// Limit on names that a remark lists; the rest is counted.
const NAMED_MAX: usize = 5;

/// Says message for stream, but in names and in the words of a file: what is in quotation marks,
/// backticks or brackets stays.
pub(super) fn in_messages(text: &str) -> String {
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '`', '[']) {
        let (plain, quoted) = rest.split_at(at);
        let end = match quoted.as_bytes()[0] {
            b'[' => ']',
            mark => char::from(mark),
        };
        let length = quoted[1..].find(end).map_or(quoted.len(), |at| at + 2);
        let (quoted, after) = quoted.split_at(length);
        said += &plain.replace("stream", "message");
        said += quoted;
        rest = after;
    }
    said + &rest.replace("stream", "message")
}

/// Counts messages that have something.
pub(super) fn have(messages: usize) -> String {
    match messages {
        1 => "1 message has".to_owned(),
        number => format!("{number} messages have"),
    }
}

/// Names the first of a list, and counts the others.
pub(super) fn listed(names: &[&str]) -> String {
    let first = names.iter().take(NAMED_MAX).copied().collect::<Vec<_>>();
    match names.len().saturating_sub(NAMED_MAX) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::in_messages;

    #[test]
    fn names_and_the_words_of_a_file_stay() {
        for (text, said) in [
            (
                "none of 3 streams: stream \"stream1\" has",
                "none of 3 messages: message \"stream1\" has",
            ),
            ("`stream` of [[stream]] \"a", "`stream` of [[stream]] \"a"),
            ("", ""),
            ("a stream", "a message"),
        ] {
            assert_eq!(in_messages(text), said);
        }
    }
}
