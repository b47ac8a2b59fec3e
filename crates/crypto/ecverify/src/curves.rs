//! The four curves, as constants: y^2 = x^3 + a x + b over GF(p), a generator of prime order n.
//!
//! P-256 and P-384 after SP 800-186, brainpoolP256r1 and brainpoolP384r1 after RFC 5639. All four
//! have cofactor 1: a point on the curve is a point of the group. The tests check that the
//! generator is on the curve and has order n.

use crate::limbs::{equal, from_hex, less, small, sub};
use crate::residue::{Prime, Residue};

/// A curve by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Curve {
    /// NIST P-256, also secp256r1 and prime256v1.
    P256,
    /// NIST P-384, also secp384r1.
    P384,
    /// brainpoolP256r1 of RFC 5639.
    BrainpoolP256r1,
    /// brainpoolP384r1 of RFC 5639.
    BrainpoolP384r1,
}

impl Curve {
    /// Every curve there is.
    pub const ALL: [Self; 4] = [
        Self::P256,
        Self::P384,
        Self::BrainpoolP256r1,
        Self::BrainpoolP384r1,
    ];

    /// Bytes of a coordinate, and of r and s: 32 or 48.
    #[must_use]
    pub const fn field_bytes(self) -> usize {
        match self {
            Self::P256 | Self::BrainpoolP256r1 => 32,
            Self::P384 | Self::BrainpoolP384r1 => 48,
        }
    }
}

/// Returns n - s, big-endian, in the first bytes of an array: the other half of a signature, with
/// which the same r is valid, too. `None` if s is not in 1..n or not as long as a coordinate.
/// Public data only.
#[must_use]
pub fn negated(curve: Curve, s: &[u8]) -> Option<[u8; 48]> {
    on_curve!(curve, negated_on(s))
}

fn negated_on<C: Weierstrass<N>, const N: usize>(s_bytes: &[u8]) -> Option<[u8; 48]> {
    let order = <C::Order as Prime<N>>::MODULUS;
    let s = crate::limbs::from_bytes::<N>(s_bytes)?;
    if s_bytes.len() != 8 * N || !less(&s, &order) || equal(&s, &small(0)) {
        return None;
    }
    let mut bytes = [0; 48];
    crate::limbs::to_bytes(&sub(&order, &s).0, &mut bytes[..8 * N]);
    Some(bytes)
}

/// Runs a generic function `f::<C, N>(arguments)` for the curve of that name.
macro_rules! on_curve {
    ($curve:expr, $($function:ident)::+ ( $($argument:expr),* $(,)? )) => {
        match $curve {
            $crate::Curve::P256 => $($function)::+::<$crate::curves::P256, 4>($($argument),*),
            $crate::Curve::P384 => $($function)::+::<$crate::curves::P384, 6>($($argument),*),
            $crate::Curve::BrainpoolP256r1 => {
                $($function)::+::<$crate::curves::BrainpoolP256r1, 4>($($argument),*)
            }
            $crate::Curve::BrainpoolP384r1 => {
                $($function)::+::<$crate::curves::BrainpoolP384r1, 6>($($argument),*)
            }
        }
    };
}
pub(crate) use on_curve;

/// The constants of a curve in short Weierstrass form.
pub(crate) trait Weierstrass<const N: usize>: Copy + 'static {
    type Field: Prime<N>;
    type Order: Prime<N>;
    /// The isomorphic curve on which multiples are computed: this one, or one with a = -3.
    type Model: Weierstrass<N, Field = Self::Field, Order = Self::Order>;
    /// u: a point (x, y) is (u^2 x, u^3 y) on the model, whose equation has a u^4 and b u^6.
    const SCALE: [u64; N];
    /// The name; a model bears that of the curve for which it stands.
    const CURVE: Curve;
    const A: [u64; N];
    const B: [u64; N];
    #[cfg(test)]
    const GENERATOR_X: [u64; N];
    #[cfg(test)]
    const GENERATOR_Y: [u64; N];
    /// True if a = -3, which makes doubling cheaper.
    const A_IS_MINUS_THREE: bool = equal(&Self::A, &sub(&Self::Field::MODULUS, &small(3)).0);
    /// True if the curve is its own model.
    const IS_MODEL: bool = equal(&Self::SCALE, &small(1));
    /// p - n, positive for all four curves: an r below it is the remainder of r + n too.
    const FIELD_ABOVE_ORDER: [u64; N] = {
        assert!(less(&Self::Order::MODULUS, &Self::Field::MODULUS));
        sub(&Self::Field::MODULUS, &Self::Order::MODULUS).0
    };
}

/// An element of the curve's field.
pub(crate) type FieldElement<C, const N: usize> = Residue<<C as Weierstrass<N>>::Field, N>;
/// An integer modulo the order of the curve's group.
pub(crate) type Scalar<C, const N: usize> = Residue<<C as Weierstrass<N>>::Order, N>;

/// Declares the primes of a curve.
macro_rules! primes {
    ($name:ident, $limbs:literal, $field:ident, $order:ident: p $p:literal, n $n:literal) => {
        #[doc = concat!("The field of ", stringify!($name), ".")]
        #[derive(Clone, Copy)]
        pub(crate) struct $field;
        impl Prime<$limbs> for $field {
            const MODULUS: [u64; $limbs] = from_hex($p);
        }

        #[doc = concat!("The order of the group of ", stringify!($name), ".")]
        #[derive(Clone, Copy)]
        pub(crate) struct $order;
        impl Prime<$limbs> for $order {
            const MODULUS: [u64; $limbs] = from_hex($n);
        }
    };
}

/// Declares the equation of a curve, and its model.
macro_rules! curve {
    ($name:ident, $limbs:literal, $field:ident, $order:ident, $curve:ident, $model:ident:
     u $u:expr, a $a:literal, b $b:literal, x $x:literal, y $y:literal) => {
        #[doc = concat!("The constants of ", stringify!($name), ".")]
        #[derive(Clone, Copy)]
        pub(crate) struct $name;
        impl Weierstrass<$limbs> for $name {
            type Field = $field;
            type Order = $order;
            type Model = $model;
            const SCALE: [u64; $limbs] = $u;
            const CURVE: Curve = Curve::$curve;
            const A: [u64; $limbs] = from_hex($a);
            const B: [u64; $limbs] = from_hex($b);
            #[cfg(test)]
            const GENERATOR_X: [u64; $limbs] = from_hex($x);
            #[cfg(test)]
            const GENERATOR_Y: [u64; $limbs] = from_hex($y);
        }
    };
}

primes!(P256, 4, P256Field, P256Order:
    p "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
    n "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");
curve!(P256, 4, P256Field, P256Order, P256, P256:
    u small(1),
    a "ffffffff00000001000000000000000000000000fffffffffffffffffffffffc",
    b "5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b",
    x "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
    y "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5");

primes!(P384, 6, P384Field, P384Order:
    p "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe\
       ffffffff0000000000000000ffffffff",
    n "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf\
       581a0db248b0a77aecec196accc52973");
curve!(P384, 6, P384Field, P384Order, P384, P384:
    u small(1),
    a "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe\
       ffffffff0000000000000000fffffffc",
    b "b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875a\
       c656398d8a2ed19d2a85c8edd3ec2aef",
    x "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a38\
       5502f25dbf55296c3a545e3872760ab7",
    y "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c0\
       0a60b1ce1d7e819d7a431d7c90ea0e5f");

primes!(BrainpoolP256r1, 4, Brainpool256Field, Brainpool256Order:
    p "a9fb57dba1eea9bc3e660a909d838d726e3bf623d52620282013481d1f6e5377",
    n "a9fb57dba1eea9bc3e660a909d838d718c397aa3b561a6f7901e0e82974856a7");
curve!(BrainpoolP256r1, 4, Brainpool256Field, Brainpool256Order, BrainpoolP256r1, BrainpoolP256t1:
    u from_hex("3e2d4bd9597b58639ae7aa669cab9837cf5cf20a2c852d10f655668dfc150ef0"),
    a "7d5a0975fc2c3057eef67530417affe7fb8055c126dc5c6ce94a4b44f330b5d9",
    b "26dc5c6ce94a4b44f330b5d9bbd77cbf958416295cf7e1ce6bccdc18ff8c07b6",
    x "8bd2aeb9cb7e57cb2c4b482ffc81b7afb9de27e1e3bd23c23a4453bd9ace3262",
    y "547ef835c3dac4fd97f8461a14611dc9c27745132ded8e545c1d54c72f046997");

primes!(BrainpoolP384r1, 6, Brainpool384Field, Brainpool384Order:
    p "8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b412b1da197fb71123\
       acd3a729901d1a71874700133107ec53",
    n "8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b31f166e6cac0425a7\
       cf3ab6af6b7fc3103b883202e9046565");
curve!(BrainpoolP384r1, 6, Brainpool384Field, Brainpool384Order, BrainpoolP384r1, BrainpoolP384t1:
    u from_hex("41dfe8dd399331f7166a66076734a89cd0d2bcdb7d068e44e1f378f41ecbae97\
       d2d63dbc87bccddccc5da39e8589291c"),
    a "7bc382c63d8c150c3c72080ace05afa0c2bea28e4fb22787139165efba91f90f\
       8aa5814a503ad4eb04a8c7dd22ce2826",
    b "04a8c7dd22ce28268b39b55416f0447c2fb77de107dcd2a62e880ea53eeb62d5\
       7cb4390295dbc9943ab78696fa504c11",
    x "1d1c64f068cf45ffa2a63a81b7c13f6b8847a3e77ef14fe3db7fcafe0cbd10e8\
       e826e03436d646aaef87b2e247d4af1e",
    y "8abe1d7520f9c2a45cb1eb8e95cfd55262b70b29feec5864e19c054ff9912928\
       0e4646217791811142820341263c5315");

// The curves of RFC 5639 with a = -3, which are isomorphic to the others over the same field.
curve!(BrainpoolP256t1, 4, Brainpool256Field, Brainpool256Order, BrainpoolP256r1, BrainpoolP256t1:
    u small(1),
    a "a9fb57dba1eea9bc3e660a909d838d726e3bf623d52620282013481d1f6e5374",
    b "662c61c430d84ea4fe66a7733d0b76b7bf93ebc4af2f49256ae58101fee92b04",
    x "a3e8eb3cc1cfe7b7732213b23a656149afa142c47aafbc2b79a191562e1305f4",
    y "2d996c823439c56d7f7b22e14644417e69bcb6de39d027001dabe8f35b25c9be");

curve!(BrainpoolP384t1, 6, Brainpool384Field, Brainpool384Order, BrainpoolP384r1, BrainpoolP384t1:
    u small(1),
    a "8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b412b1da197fb71123\
       acd3a729901d1a71874700133107ec50",
    b "7f519eada7bda81bd826dba647910f8c4b9346ed8ccdc64e4b1abd11756dce1d\
       2074aa263b88805ced70355a33b471ee",
    x "18de98b02db9a306f2afcd7235f72a819b80ab12ebd653172476fecd462aabff\
       c4ff191b946a5f54d8d0aa2f418808cc",
    y "25ab056962d30651a114afd2755ad336747f93475b7a1fca3b88f2b6a208ccfe\
       469408584dc2b2912675bf5b9e582928");
