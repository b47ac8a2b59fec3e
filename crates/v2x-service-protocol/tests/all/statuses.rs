//! Codes and names of statuses.

use std::collections::BTreeSet;

use waywarden_v2x_service_protocol::Status;

#[test]
fn statuses_have_their_own_codes_and_names() {
    let codes: BTreeSet<_> = Status::ALL.iter().map(|one| *one as u16).collect();
    let names: BTreeSet<_> = Status::ALL.iter().map(|one| one.name()).collect();
    assert_eq!(codes.len(), Status::ALL.len());
    assert_eq!(names.len(), Status::ALL.len());
    for status in Status::ALL {
        assert_eq!(Status::of_code(*status as u16), Some(*status));
    }
    assert_eq!(Status::of_code(u16::MAX), None);
}
