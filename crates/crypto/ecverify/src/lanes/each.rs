//! Loops over vectors that are computed side by side, in functions over a vector V and a number K
//! of them.

/// An array of `$value` for each `$g` below K.
macro_rules! each {
    ($g:ident, $value:expr) => {
        V::each::<_, K>(
            #[inline(always)]
            |$g| $value,
        )
    };
}
pub(super) use each;

/// Does `$step` for each `$g` below K: what is written in place has no copy.
macro_rules! for_each {
    ($g:ident, $step:expr) => {
        let mut $g = 0;
        while $g < K {
            $step;
            $g += 1;
        }
    };
}
pub(super) use for_each;
