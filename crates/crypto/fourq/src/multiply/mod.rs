//! Scalar multiplication, three ways.
//!
//! | routine | scalar | time | used by |
//! |---|---|---|---|
//! | [`fixed`] | secret | constant | shares, public keys, signing |
//! | [`variable`] | secret | constant | Diffie-Hellman |
//! | [`vartime`] | public | variable | verification, alone and in batches |
//!
//! [`variable`] and the endomorphism half of [`vartime`] are right only for points of order N:
//! elsewhere phi and psi are no multiplications by lambda_phi and lambda_psi.

pub(crate) mod fixed;
pub(crate) mod variable;
pub(crate) mod vartime;
