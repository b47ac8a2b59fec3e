//! Memory of an authenticator in an ECU: to be reviewed when it changes.

use core::mem::size_of;

use waywarden_can::MessageHandle;
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::AesCmac;
use waywarden_can_auth::{paired, secoc};
use waywarden_ecu::{Authenticator, End};

/// An authenticator of one key, with `N` ends each way.
type Of<S, R, const N: usize> = Authenticator<Keyring<AesCmac, 1>, [End<S>; N], [End<R>; N], S, R>;
type Paired<const N: usize> = Of<paired::PairedSender, paired::PairedReceiver, N>;
type SecOc<const N: usize> = Of<secoc::SecocSender, secoc::SecocReceiver, N>;

/// Sizes as stated, on a machine whose addresses have 64 bits, in bytes; smaller machines need no
/// more. `cargo test -p waywarden-ecu --test all size:: -- --nocapture` prints the actual ones.
#[test]
fn states_are_no_larger_than_stated() {
    let rows = [
        ("no ends", size_of::<SecOc<0>>(), 7_360),
        ("a paired stream each way", size_of::<Paired<1>>(), 8_000),
        (
            "eight paired streams each way",
            size_of::<Paired<8>>(),
            12_416,
        ),
        ("a SecOC stream each way", size_of::<SecOc<1>>(), 7_552),
        ("eight SecOC streams each way", size_of::<SecOc<8>>(), 8_896),
    ];
    let mut wrong = 0;
    for (name, bytes, stated) in rows {
        println!("{name:30} {bytes:6} bytes, stated {stated}");
        // In a simulation each payload and frame kept has a handle besides.
        wrong += usize::from(bytes > stated + 192 * size_of::<MessageHandle>());
    }
    assert_eq!(wrong, 0, "states that are larger than stated");
    // An end more costs itself and its port, and nothing besides.
    let end = size_of::<End<secoc::SecocSender>>() + size_of::<End<secoc::SecocReceiver>>();
    assert_eq!(size_of::<SecOc<8>>() - size_of::<SecOc<0>>(), 8 * end);
}
