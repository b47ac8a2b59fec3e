//! Secrets cannot be printed, and stores not copied: this file would not compile otherwise.

use std::fmt::{Debug, Display};

use waywarden_v2x_keys::{PrecomputedNonces, PrivateKey, SharedSecret, SoftwareStore};
use zeroize::ZeroizeOnDrop;

/// Fails to compile if a type has a trait: then the method below is one of two.
macro_rules! has_none_of {
    ($type:ty: $($trait:ident),*) => {
        $(const _: fn() = || {
            trait Ambiguous<A> {
                fn method() {}
            }
            impl<T: ?Sized> Ambiguous<()> for T {}
            struct WithTrait;
            impl<T: ?Sized + $trait> Ambiguous<WithTrait> for T {}
            let _ = <$type as Ambiguous<_>>::method;
        };)*
    };
}

#[cfg(feature = "aws-lc")]
pub(crate) use has_none_of;

has_none_of!(PrivateKey: Debug, Display, Copy);
has_none_of!(SharedSecret: Debug, Display, Clone);
has_none_of!(SoftwareStore<4, 4>: Debug, Display, Clone);
has_none_of!(PrecomputedNonces<4>: Debug, Display, Clone);

const _: fn() = || {
    fn is_wiped<T: ZeroizeOnDrop>() {}
    is_wiped::<PrivateKey>();
    is_wiped::<SharedSecret>();
};
