//! The file of leap seconds that the service reads.

use std::fs;

use waywarden_v2x_security::time::LeapSeconds;
use waywarden_v2x_service::leap_file::{NOTICE, expires_soon, load};
use waywarden_v2x_wire::ieee1609dot2::Time64;

#[test]
fn an_error_names_the_file_the_line_and_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("leap-seconds.list");
    let error = load(&path).unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("{}: ", path.display())),
        "{error}"
    );
    assert!(error.ends_with("give the path of a leap-seconds.list that the service may read"));
    fs::write(&path, "# one\n2272060800\n").unwrap();
    let error = load(&path).unwrap_err().to_string();
    let expected = "line 2: expected seconds since 1900 and TAI - UTC; use an unchanged \
                    leap-seconds.list of the IERS";
    assert_eq!(error, format!("{}: {expected}", path.display()));
    fs::write(&path, vec![b'#'; (64 << 10) + 1]).unwrap();
    let error = load(&path).unwrap_err().to_string();
    assert!(error.contains("longer than 64 KiB"), "{error}");
    // A device may have no end, and a pipe no writer.
    let error = load("/dev/zero".as_ref()).unwrap_err().to_string();
    assert!(error.contains("is no regular file"), "{error}");
}

#[test]
fn a_table_is_reported_from_sixty_days_before_it_expires() {
    let table = LeapSeconds::built_in();
    let expiry = table.from_unix(table.expiry() * 1_000_000).unwrap();
    let begin = expiry.0 - NOTICE;
    assert_eq!(expires_soon(&table, Time64(begin - 1)), None);
    assert_eq!(expires_soon(&table, Time64(begin)), Some(expiry));
    assert_eq!(expires_soon(&table, Time64(expiry.0 + 1)), Some(expiry));
}
