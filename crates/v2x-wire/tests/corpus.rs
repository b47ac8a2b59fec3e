//! Real data: every byte of it is read, and written again as it was.

mod corpus {
    //! Where real data lies.

    use std::path::{Path, PathBuf};

    /// Returns a folder of the corpus; `None`, with a message, where it is missing and may be.
    pub(crate) fn folder(name: &str) -> Option<PathBuf> {
        let root = std::env::var_os("WAYWARDEN_CORPUS").map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
            PathBuf::from,
        );
        let folder = root.join(name);
        if folder.exists() {
            return Some(folder);
        }
        assert!(
            std::env::var_os("WAYWARDEN_REQUIRE_CORPUS").is_none(),
            "{} is missing",
            folder.display()
        );
        println!("skipped: corpus not found");
        None
    }
}

use std::fs;

use waywarden_v2x_wire::coer::{Decode, Encode, Rebuilt, Slice, emit, length, parse};
use waywarden_v2x_wire::ieee1609dot2::{Certificate, Ieee1609Dot2Content, Ieee1609Dot2Data};

/// Reads `bytes`, and writes them again.
fn comes_back<'a, T: Decode<'a> + Encode>(bytes: &'a [u8]) -> T {
    let value: T = parse(bytes).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(length(&value), Ok(bytes.len()));
    let mut buffer = vec![0; bytes.len()];
    assert_eq!(emit(&value, &mut buffer), Ok(bytes));
    // From its parts, not only as it was read.
    let mut rebuilt = vec![0; bytes.len()];
    let mut slice = Slice::new(&mut rebuilt);
    value.encode(&mut Rebuilt(&mut slice)).unwrap();
    assert_eq!(slice.used(), bytes.len());
    assert_eq!(rebuilt, bytes);
    value
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(digit).collect()
}

#[test]
fn certificates_of_the_etsi_suite() {
    let Some(folder) = corpus::folder("v2x/etsi_tsits_certs") else {
        return;
    };
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "oer") {
            let bytes = fs::read(&path).unwrap();
            println!("{}", path.display());
            comes_back::<Certificate<'_>>(&bytes);
            count += 1;
        }
    }
    assert_eq!(count, 105);
}

#[test]
fn messages_from_the_field() {
    let Some(folder) = corpus::folder("v2x/us_field") else {
        return;
    };
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        println!("{}", path.display());
        if path.extension().is_some_and(|end| end == "hex") {
            for line in fs::read_to_string(&path).unwrap().lines() {
                let word = line.split_whitespace().last().unwrap();
                let bytes = bytes_of(word);
                let data: Ieee1609Dot2Data<'_> = comes_back(&bytes);
                assert!(matches!(data.content, Ieee1609Dot2Content::Signed(_)));
                count += 1;
            }
        }
    }
    assert_eq!(count, 843);
}
