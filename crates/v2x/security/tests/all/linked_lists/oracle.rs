//! Linkage values computed by python cryptography: a receiver with the same seeds revokes them.

use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;
use std::process::Command;

use waywarden_testkit::{Random, bytes_of, hex_of, output_of, python_with, seeds};
use waywarden_testkit_v2x::linked_lists::{List, Revoked};
use waywarden_v2x_security::revocation::LinkageStatus;
use waywarden_v2x_wire::ieee1609dot2::{
    CrlSeries, GroupLinkageValue, HashedId3, IValue, JValue, LinkageData, LinkageValue,
};

use super::{Craca, at, holder};

const FIRST: u16 = 500;

#[test]
fn receiver_revokes_the_values_of_python_cryptography() {
    let Some(interpreter) = python_with("cryptography") else {
        return;
    };
    let mut random = Random::of_test("linkage_oracle");
    let craca = Craca::new(1);
    let holders: Vec<Revoked> = (0..seeds(200).min(2_000))
        .map(|number| {
            let mut one = holder(&mut random);
            one.second = one.second.filter(|_| number % 3 != 0);
            one.j_max = one.j_max.filter(|_| number % 10 != 0);
            one
        })
        .collect();
    let mut verifier = craca.verifier();
    let list = List::full(craca.id(), FIRST, holders.clone());
    verifier
        .apply_crl(&list.sign(&craca.signer), &at())
        .unwrap();
    for steps in [0, 1, 17] {
        let period = IValue(FIRST + steps);
        verifier.revocations_mut().expand(period).unwrap();
        let indices: Vec<u32> = holders
            .iter()
            .map(|one| {
                one.j_max.map_or(random.u64() as u32, |j| {
                    random.below(u64::from(j) + 1) as u32
                })
            })
            .collect();
        let values = answers(&interpreter, &holders, steps, &indices);
        for ((one, j), value) in holders.iter().zip(&indices).zip(values) {
            let linkage = match one.j_max {
                Some(_) => LinkageData {
                    period,
                    value,
                    group: None,
                },
                None => LinkageData {
                    period,
                    value: LinkageValue([1; 9]),
                    group: Some(GroupLinkageValue {
                        j: JValue(j.to_be_bytes()),
                        value,
                    }),
                },
            };
            let craca = HashedId3(craca.short());
            let status = verifier.revocations().linked(craca, CrlSeries(0), &linkage);
            assert_eq!(status, LinkageStatus::Revoked, "{one:?}, {steps}, {j}");
        }
    }
}

fn answers(
    interpreter: &Path,
    holders: &[Revoked],
    steps: u16,
    indices: &[u32],
) -> Vec<LinkageValue> {
    let mut questions = String::new();
    for (one, j) in holders.iter().zip(indices) {
        let second = one.second.map_or("-".to_owned(), |seed| hex_of(&seed.0));
        let (la_1, la_2) = one.authorities;
        let (la_1, la_2, first) = (hex_of(&la_1.0), hex_of(&la_2.0), hex_of(&one.first.0));
        writeln!(questions, "{la_1} {first} {la_2} {second} {steps} {j:08x}").unwrap();
    }
    // Through a file: a pipe could fill on both sides.
    let file = std::env::temp_dir().join(format!("waywarden-linkage-{}", std::process::id()));
    std::fs::write(&file, questions).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/linkage_oracle.py");
    let mut command = Command::new(interpreter);
    command.arg(script).stdin(File::open(&file).unwrap());
    let printed = output_of(&mut command);
    std::fs::remove_file(&file).unwrap();
    let value = |line: &str| LinkageValue(bytes_of(line).try_into().unwrap());
    printed.lines().map(value).collect()
}
