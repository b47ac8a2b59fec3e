//! Patterns of message names.

/// Returns true if a name matches a pattern, in which `*` is any text and `?` any letter.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut own) = (0, 0);
    // The last `*`, and the first letter that it does not stand for yet.
    let mut star: Option<(usize, usize)> = None;
    while own < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, own));
                at += 1;
            }
            Some(letter) if *letter == '?' || *letter == name[own] => {
                at += 1;
                own += 1;
            }
            _ => match &mut star {
                None => return false,
                Some((from, taken)) => {
                    *taken += 1;
                    (at, own) = (*from + 1, *taken);
                }
            },
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_match_names_from_end_to_end() {
        for (pattern, name, is_match) in [
            ("*", "", true),
            ("*", "Motor_01", true),
            ("Motor_*", "Motor_01", true),
            ("Motor_*", "Getriebe_Motor_01", false),
            ("*_01", "Motor_01", true),
            ("*_0?", "Motor_01", true),
            ("*_0?", "Motor_012", false),
            ("M*r*1", "Motor_01", true),
            ("*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaa", false),
            ("Motor", "motor", false),
            ("", "", true),
            ("?", "", false),
        ] {
            assert_eq!(matches(pattern, name), is_match, "{pattern} {name}");
        }
    }
}
