//! The stored tables of the generators, computed again from the generators alone.

use std::path::PathBuf;
use std::vec::Vec;

use crate::curves::{BrainpoolP256r1, BrainpoolP384r1, FieldElement, P256, P384, Weierstrass};
use crate::group::{Affine, Jacobian};
use crate::lanes::{GENERATOR, form_of};
use crate::multiply::Shape;

/// The words of a coordinate.
type Form<C, const N: usize> = fn(FieldElement<C, N>) -> [u64; N];

/// The bytes of the table of a curve's model: for each piece i and j the point (2 j + 1) 2^(s i) G.
fn bytes<C: Weierstrass<N>, const N: usize>(shape: Shape, form: Form<C, N>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut base: Jacobian<C, N> = Affine::GENERATOR.to_jacobian();
    for _ in 0..shape.pieces {
        let twice = base.double();
        let mut multiple = base;
        for _ in 0..shape.multiples() {
            let affine = multiple.to_affine().expect("not infinity");
            assert!(Affine::<C, N>::new(affine.x, affine.y).is_some());
            for limb in [form(affine.x), form(affine.y)].concat() {
                bytes.extend(limb.to_le_bytes());
            }
            multiple = multiple.add(&twice);
        }
        for _ in 0..shape.spacing::<N>() {
            base = base.double();
        }
    }
    bytes
}

/// As residues are stored.
fn residues<C: Weierstrass<N>, const N: usize>() -> Vec<u8> {
    bytes::<C::Model, N>(Shape::STORED, |coordinate| coordinate.stored())
}

/// As vectors have them.
fn lanes<C: Weierstrass<4>>() -> Vec<u8> {
    bytes::<C::Model, 4>(GENERATOR, |coordinate| {
        form_of::<C::Field>(&coordinate.to_integer())
    })
}

/// Name and bytes of each file.
fn files() -> [(&'static str, Vec<u8>); 6] {
    [
        ("p256", residues::<P256, 4>()),
        ("p384", residues::<P384, 6>()),
        ("brainpool_p256r1", residues::<BrainpoolP256r1, 4>()),
        ("brainpool_p384r1", residues::<BrainpoolP384r1, 6>()),
        ("lanes_p256", lanes::<P256>()),
        ("lanes_brainpool_p256r1", lanes::<BrainpoolP256r1>()),
    ]
}

fn path(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/tables");
    folder.join(name).with_extension("bin")
}

#[test]
fn the_tables_are_multiples_of_the_generators() {
    for (name, bytes) in files() {
        let stored = std::fs::read(path(name)).expect("the table");
        assert!(stored == bytes, "{name}");
    }
}

/// `cargo test -p waywarden-ecverify write_tables -- --ignored` after a change of their shape.
#[test]
#[ignore = "writes the files"]
fn write_tables() {
    for (name, bytes) in files() {
        std::fs::write(path(name), bytes).expect("written");
    }
}
