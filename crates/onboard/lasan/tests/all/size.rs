//! Memory of a role with its arrays, checked against an upper bound.

use core::mem::size_of;

use waywarden_lasan::{
    AuthenticationSuite, EcdheEcdsa, EcuArrays, FourQSchnorrQ, LasanConfiguration, LasanEcu,
    MlKem512FnDsa512, MlKem768MlDsa44, MlKem768MlDsa65, ModuleArrays, ModuleMessages, Party,
    Permission, SecurityModule,
};

/// A network, in memory that is there anyway.
type Directory = &'static LasanConfiguration<
    &'static [u8],
    &'static [Party<&'static [u8]>],
    &'static [Permission],
>;

/// An ECU with 8 streams, and a security module for 32 ECUs, four at a time, and 32 permissions,
/// with their arrays: `M` and `K` are the longest message and the public key. Most of that are
/// places for long messages: two of an ECU's and one of its own; three of each handshake's and the
/// start-up message.
fn lasan_sizes<S: AuthenticationSuite, const M: usize, const K: usize>() -> (usize, usize) {
    (
        size_of::<LasanEcu<'_, S, Directory>>() + size_of::<EcuArrays<M, K, 8>>(),
        size_of::<SecurityModule<'_, S, Directory>>()
            + size_of::<ModuleArrays<'_, S, 32, 4, 32>>()
            + size_of::<ModuleMessages<M, 4>>(),
    )
}

/// [`lasan_sizes`] of a suite by its name.
macro_rules! sizes {
    ($suite:ident) => {
        lasan_sizes::<$suite, { $suite::MESSAGE_MAX }, { $suite::SIZES.public_key }>()
    };
}

#[test]
fn roles_stay_within_their_memory() {
    let sizes = [
        ("p256", sizes!(EcdheEcdsa), (5_120, 23_552)),
        ("fourq", sizes!(FourQSchnorrQ), (5_120, 23_552)),
        (
            "ml-kem-512+fn-dsa-512",
            sizes!(MlKem512FnDsa512),
            (16_384, 57_344),
        ),
        (
            "ml-kem-768+ml-dsa-44",
            sizes!(MlKem768MlDsa44),
            (24_576, 90_112),
        ),
        (
            "ml-kem-768+ml-dsa-65",
            sizes!(MlKem768MlDsa65),
            (29_696, 110_592),
        ),
    ];
    for (suite, (ecu, module), (ecu_most, module_most)) in sizes {
        println!("{suite}: ECU {ecu} bytes, at most {ecu_most}");
        println!("{suite}: security module {module} bytes, at most {module_most}");
        assert!(ecu <= ecu_most && module <= module_most, "{suite}");
    }
}
