//! Names of bus channels in the comment of a file, as our writer keeps them.

use std::fmt::Write as _;

const NAMES_BEGIN: &str = "<HDcomment><TX>Bus channels:";

/// Words the comment of the file, which keeps the name of each bus channel.
pub(super) fn comment(names: &[(u16, String)]) -> Vec<u8> {
    let mut comment = NAMES_BEGIN.to_owned();
    for (number, name) in names {
        let name = name.replace('&', "&amp;").replace('<', "&lt;");
        // Writing to a string does not fail.
        let _ = write!(comment, " {number} is {name};");
    }
    comment += "</TX></HDcomment>\0";
    comment.into_bytes()
}

/// Returns the names in such a comment, each with its bus channel; none in that of another program.
pub(super) fn names(comment: &str) -> impl Iterator<Item = (u16, String)> {
    let inner = comment.strip_prefix(NAMES_BEGIN).unwrap_or_default();
    let inner = inner.split('<').next().unwrap_or_default();
    let mut words = inner.split_ascii_whitespace();
    std::iter::from_fn(move || {
        let (number, _, name) = (words.next()?, words.next()?, words.next()?);
        let name = name.strip_suffix(';')?;
        let name = name.replace("&lt;", "<").replace("&amp;", "&");
        Some((number.parse().ok()?, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_as_they_were() {
        let known = [(0, "can2".to_owned()), (7, "a&amp;<b;".to_owned())];
        let text = String::from_utf8(comment(&known)).unwrap();
        assert!(names(&text).eq(known));
        assert_eq!(
            names("<HDcomment><TX>0 is can0;</TX></HDcomment>").count(),
            0
        );
    }
}
