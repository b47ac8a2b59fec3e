//! The file of leap seconds that the service reads.

use std::fs;

use waywarden_v2x_service::time::leap_file::load;

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
    // A device without end is not read to its end.
    let error = load("/dev/zero".as_ref()).unwrap_err().to_string();
    assert!(error.contains("longer than 64 KiB"), "{error}");
}
