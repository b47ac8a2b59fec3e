//! Memory of a stream in an ECU: to be reviewed when it changes.

use core::mem::size_of;

use waywarden_can::MessageHandle;
use waywarden_can_auth::stream::{LeiaReceivers, LeiaSenders};
use waywarden_can_auth::{leia, paired, secoc};

/// Sizes as stated, on a machine whose addresses have 64 bits, in bytes; smaller machines need no
/// more. `cargo test -p waywarden-can-auth --test all size:: -- --nocapture` prints the actual
/// ones.
#[test]
fn states_are_no_larger_than_stated() {
    let rows = [
        ("PairedSender", size_of::<paired::PairedSender>(), 128),
        ("PairedReceiver", size_of::<paired::PairedReceiver>(), 488),
        ("SecocSender", size_of::<secoc::SecocSender>(), 88),
        ("SecocReceiver", size_of::<secoc::SecocReceiver>(), 88),
        (
            "secoc::FreshnessFollower",
            size_of::<secoc::FreshnessFollower>(),
            64,
        ),
        (
            "secoc::FreshnessMaster",
            size_of::<secoc::FreshnessMaster>(),
            40,
        ),
        (
            "LeiaSenders, one stream",
            size_of::<LeiaSenders<[leia::LeiaSender; 1], [leia::LeiaConnection; 1]>>(),
            768,
        ),
        (
            "LeiaReceivers, one stream",
            size_of::<LeiaReceivers<[leia::LeiaConnection; 1]>>(),
            744,
        ),
    ];
    let mut wrong = 0;
    for (name, bytes, stated) in rows {
        println!("{name:26} {bytes:4} bytes, stated {stated}");
        // In a simulation each payload and frame kept has a handle besides.
        wrong += usize::from(bytes > stated + 16 * size_of::<MessageHandle>());
    }
    assert_eq!(wrong, 0, "states that are larger than stated");
}
