//! SAE J1939: parameter groups, source addresses and the transport protocol.

use super::{ARXML, read};
use waywarden_can::Id;
use waywarden_can_matrix::j1939::{TransportFrames, parameter_group, source_address};

fn id(raw: u32) -> Id {
    Id::extended(raw).unwrap()
}

#[test]
fn parameter_groups_leave_addresses_out() {
    // A broadcast group has the group extension, one to an address has not.
    assert_eq!(parameter_group(id(0x0CF0_0417)), Some(0xF004));
    assert_eq!(parameter_group(id(0x18EA_FF21)), Some(0xEA00));
    assert_eq!(parameter_group(id(0x19FE_0503)), Some(0x1FE05));
    assert_eq!(parameter_group(Id::standard(0x7FF).unwrap()), None);
    assert_eq!(source_address(id(0x0CF0_0417)), Some(0x17));
}

#[test]
fn message_of_the_null_address_is_carried_by_its_group_of_any_source() {
    let matrix = read(ARXML);
    let truck = &matrix.clusters[1].messages;
    let (speed, configuration) = (&truck[0], &truck[1]);
    assert!(speed.is_of_any_source());
    for (raw, carries) in [
        (0x0CF0_04FE, true),
        (0x0CF0_0400, true),
        (0x18F0_0417, true),
        (0x0CF0_0500, false),
    ] {
        assert_eq!(speed.is_carried_by(id(raw)), carries, "{raw:#X}");
    }
    assert!(!configuration.is_of_any_source());
    assert!(configuration.is_carried_by(id(0x18FE_E300)));
    assert!(!configuration.is_carried_by(id(0x18FE_E301)));
}

#[test]
fn long_message_has_its_frames_of_the_transport_protocol() {
    let matrix = read(ARXML);
    let configuration = &matrix.clusters[1].messages[1];
    assert_eq!(configuration.length, 39);
    assert!(configuration.needs_transport());
    let frames = TransportFrames {
        announcement: 0x1CEC_FF00,
        data: 0x1CEB_FF00,
        data_frames: 6,
    };
    assert_eq!(configuration.transport_frames(), Some(frames));
    assert_eq!(matrix.clusters[1].messages[0].transport_frames(), None);
}
