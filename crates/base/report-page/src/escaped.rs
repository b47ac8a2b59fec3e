//! Text that becomes HTML and SVG.

use std::fmt::{self, Display, Write};

/// Text with everything replaced that markup would be made of, in an element or in an attribute
/// between quotes.
#[derive(Clone, Copy, Debug)]
pub struct Escaped<'a>(pub &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|char| match char {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '"' => f.write_str("&quot;"),
            '\'' => f.write_str("&#39;"),
            // Neither HTML nor XML has a way to write most control characters.
            '\n' | '\t' => f.write_char(' '),
            char if char.is_control() => f.write_char('\u{FFFD}'),
            char => f.write_char(char),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_name_becomes_markup() {
        let hostile = "<script>alert(\"x\")</script>&amp;'\u{0}\n";
        let safe = "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;amp;&#39;\u{FFFD} ";
        assert_eq!(Escaped(hostile).to_string(), safe);
    }
}
