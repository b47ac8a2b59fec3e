//! Errors of opening a path, each with what to do about it.

use std::fs;
use std::io;
use std::path::Path;

/// The most names of a folder that are compared with a mistyped one.
const NAMES_MAX: usize = 1_000;

/// The most letters that differ between a name and the one that was probably meant.
const TYPING_ERRORS_MAX: usize = 2;

/// Describes an error of the operating system and its remedy, without the number of the error.
/// `base` says where a relative path begins; none stands for the current folder.
#[must_use]
pub fn explained(path: &str, error: &io::Error, base: Option<&str>) -> String {
    let text = error.to_string();
    let text = text.split(" (os error ").next().unwrap_or_default();
    match remedy(Path::new(path), error.kind(), base) {
        Some(remedy) => format!("{text}; {remedy}"),
        None => error.to_string(),
    }
}

/// Returns what to do about an error; none if the path does not tell.
fn remedy(path: &Path, kind: io::ErrorKind, base: Option<&str>) -> Option<String> {
    match kind {
        io::ErrorKind::NotFound => Some(match (missing(path), base) {
            (Some(why), Some(base)) => format!("{why} ({base})"),
            (None, Some(base)) => base.to_owned(),
            (Some(why), None) => why,
            (None, None) => beginning(path),
        }),
        io::ErrorKind::IsADirectory => Some("give the name of a file in it".to_owned()),
        io::ErrorKind::NotADirectory => {
            let file = path.ancestors().find(|one| one.is_file())?;
            Some(format!("{} is a file, not a folder", file.display()))
        }
        io::ErrorKind::PermissionDenied if path.exists() => {
            let path = path.display();
            Some(format!("`ls -l {path}` shows who may read and write it"))
        }
        io::ErrorKind::StorageFull => Some("free some space there, or write elsewhere".to_owned()),
        io::ErrorKind::QuotaExceeded => {
            Some("free some of your space there, or write elsewhere".to_owned())
        }
        _ => None,
    }
}

/// Returns what a path lacks: the target of a link or a folder; or the name that was probably
/// meant.
fn missing(path: &Path) -> Option<String> {
    if let Ok(target) = fs::read_link(path) {
        let target = target.display();
        return Some(format!("the link leads to {target}, which is missing"));
    }
    let folders = path.ancestors().skip(1);
    let missing = folders.take_while(|one| *one != Path::new("") && !one.exists());
    if let Some(folder) = missing.last() {
        let folder = folder.display();
        return Some(format!(
            "there is no folder {folder}: correct the path, or create the folder"
        ));
    }
    let meant = path.with_file_name(similar(path)?);
    Some(format!("did you mean {}?", meant.display()))
}

/// Returns where a relative path begins.
fn beginning(path: &Path) -> String {
    match std::env::current_dir() {
        Ok(folder) if path.is_relative() => {
            format!("correct the path; it begins at {}", folder.display())
        }
        _ => "correct the path".to_owned(),
    }
}

/// Returns the file of the same folder whose name is nearest to that of a path.
fn similar(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|one| *one != Path::new(""));
    let names = fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let names = names.take(NAMES_MAX).flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    let distances = names.map(|other| (typing_errors(name, &other), other));
    let nearest = distances.min()?;
    let is_near = nearest.0 <= TYPING_ERRORS_MAX && nearest.0 * 3 <= name.chars().count();
    is_near.then_some(nearest.1)
}

/// Counts the letters that are inserted, left out or replaced between two names, whose case is
/// ignored (the Levenshtein distance).
fn typing_errors(one: &str, other: &str) -> usize {
    let letters: Vec<char> = other.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=letters.len()).collect();
    for (above, letter) in one.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = above + 1;
        for (at, own) in letters.iter().enumerate() {
            let replaced = diagonal + usize::from(*own != letter);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(diagonal + 1).min(row[at] + 1);
        }
    }
    row[letters.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn not_found(path: &str) -> String {
        explained(path, &io::Error::from_raw_os_error(2), None)
    }

    #[test]
    fn letters_are_counted_that_differ() {
        for (one, other, expected) in [
            ("", "", 0),
            ("car.toml", "car.toml", 0),
            ("car.toml", "Car.TOML", 0),
            ("car.toml", "cra.toml", 2),
            ("car.tml", "car.toml", 1),
            ("a", "", 1),
            ("", "ab", 2),
        ] {
            assert_eq!(typing_errors(one, other), expected, "{one} {other}");
            assert_eq!(typing_errors(other, one), expected, "{other} {one}");
        }
    }

    #[test]
    fn missing_file_is_explained_by_its_folder() {
        // Tests run in the folder of their crate.
        let cases = [
            ("Cargo.tml", "did you mean Cargo.toml?"),
            ("src/libs.rs", "did you mean src/lib.rs?"),
            ("no/such/car.toml", "there is no folder no: "),
            ("src/such/car.toml", "there is no folder src/such: "),
            ("/no-such-file-here", "correct the path"),
            ("x", "it begins at /"),
        ];
        for (path, expected) in cases {
            let text = not_found(path);
            assert!(text.contains(expected), "{path}: {text}");
            assert!(!text.contains("os error"), "{path}: {text}");
        }
    }

    #[test]
    fn file_in_the_place_of_a_folder_is_named() {
        let error = io::Error::from(io::ErrorKind::NotADirectory);
        for path in ["Cargo.toml", "Cargo.toml/x"] {
            let text = remedy(Path::new(path), error.kind(), None);
            assert_eq!(text.as_deref(), Some("Cargo.toml is a file, not a folder"));
        }
    }

    #[test]
    fn path_that_a_file_names_is_relative_to_that_file() {
        let error = io::Error::from_raw_os_error(2);
        for (path, expected) in [
            ("no/board.toml", "create the folder (relative to the car)"),
            (
                "Cargo.tml",
                "did you mean Cargo.toml? (relative to the car)",
            ),
            ("x", "directory; relative to the car"),
        ] {
            let text = explained(path, &error, Some("relative to the car"));
            assert!(text.ends_with(expected), "{path}: {text}");
        }
    }

    #[test]
    fn other_errors_keep_their_text() {
        let error = io::Error::other("odd");
        assert_eq!(explained("Cargo.toml", &error, None), "odd");
        let error = io::Error::from(io::ErrorKind::IsADirectory);
        assert!(explained("src", &error, None).contains("give the name of a file"));
        let error = io::Error::from(io::ErrorKind::NotADirectory);
        let text = explained("Cargo.toml/car.toml", &error, None);
        assert!(
            text.contains("Cargo.toml is a file, not a folder"),
            "{text}"
        );
    }
}
