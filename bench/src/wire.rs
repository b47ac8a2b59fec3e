//! IEEE 1609.2 data and certificates: our views against rasn-its, which builds values of its own.
//!
//! Inputs are real: 843 signed messages from the field and the 105 certificates of the ETSI test
//! suite (`$WAYWARDEN_CORPUS`, or beside the checkout); without them there is no case, and it says
//! so. Reading is complete on both sides: every field is checked. In `message-lists` our side reads
//! every permission of a certificate a second time, as a receiver does that needs them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rasn_its::ieee1609dot2 as its;
use waywarden_v2x_wire::coer::{CoerDecode, CoerEncode, CoerSlice, Rebuilt, emit, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, Ieee1609Dot2Content, Ieee1609Dot2Data, SignerIdentifier,
};

use crate::race::{Case, Contestant};

/// Longer than any input.
const ROOM: usize = 4096;

pub(crate) fn cases() -> Result<Vec<Case>> {
    let folder = std::env::var_os("WAYWARDEN_CORPUS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus"),
        PathBuf::from,
    );
    let folder = folder.join("v2x");
    if !folder.exists() {
        eprintln!("skipped: wire needs the corpus at {}", folder.display());
        return Ok(Vec::new());
    }
    let messages = messages(&folder)?;
    let certificates = certificates(&folder)?;
    Ok(vec![
        Case {
            name: "message-decode",
            what: "a signed message from the field (149 to 968 bytes), checked to its end",
            ours: Contestant::new("waywarden", messages.clone(), |bytes: &Vec<u8>| {
                assert!(parse::<Ieee1609Dot2Data<'_>>(bytes).is_ok());
            }),
            peers: vec![decoded_by_rasn::<its::Ieee1609Dot2Data>(&messages)],
        },
        Case {
            name: "message-lists",
            what: "the same, then every permission of the certificates in it",
            ours: Contestant::new("waywarden", messages.clone(), |bytes: &Vec<u8>| {
                permissions(bytes)
            }),
            peers: vec![decoded_by_rasn::<its::Ieee1609Dot2Data>(&messages)],
        },
        Case {
            name: "certificate-decode",
            what: "a certificate of the ETSI suite, checked to its end",
            ours: Contestant::new("waywarden", certificates.clone(), |bytes: &Vec<u8>| {
                assert!(parse::<Certificate<'_>>(bytes).is_ok());
            }),
            peers: vec![decoded_by_rasn::<its::Certificate>(&certificates)],
        },
        Case {
            name: "message-encode",
            what: "a message that was read, written from its parts, not copied",
            ours: rebuilt::<Ieee1609Dot2Data<'_>>(&messages),
            peers: vec![encoded_by_rasn::<its::Ieee1609Dot2Data>(&messages)],
        },
        Case {
            name: "message-emit",
            what: "a message that was read, written as it was read",
            ours: emitted::<Ieee1609Dot2Data<'_>>(&messages),
            peers: vec![encoded_by_rasn::<its::Ieee1609Dot2Data>(&messages)],
        },
        Case {
            name: "certificate-encode",
            what: "a certificate that was read, written from its parts",
            ours: rebuilt::<Certificate<'_>>(&certificates),
            peers: vec![encoded_by_rasn::<its::Certificate>(&certificates)],
        },
    ])
}

/// The messages from the field: lines of a name and hexadecimal digits.
fn messages(folder: &Path) -> Result<Vec<Vec<u8>>> {
    let text = fs::read_to_string(folder.join("us_field/signed.hex"))?;
    text.lines()
        .map(|line| {
            let digits = line.split_whitespace().last().context("an empty line")?;
            let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16);
            Ok((0..digits.len())
                .step_by(2)
                .map(byte)
                .collect::<Result<_, _>>()?)
        })
        .collect()
}

fn certificates(folder: &Path) -> Result<Vec<Vec<u8>>> {
    let mut paths = fs::read_dir(folder.join("etsi_tsits_certs"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|end| end == "oer"));
    paths.sort();
    paths.iter().map(|path| Ok(fs::read(path)?)).collect()
}

fn permissions(bytes: &[u8]) -> usize {
    let data: Ieee1609Dot2Data<'_> = parse(bytes).expect("it was read before");
    let Ieee1609Dot2Content::Signed(signed) = data.content else {
        return 0;
    };
    let SignerIdentifier::Certificate(chain) = signed.signer else {
        return 0;
    };
    let permissions = |certificate: Certificate<'_>| {
        let list = certificate.to_be_signed.app_permissions;
        list.map_or(0, |list| list.iter().filter(Result::is_ok).count())
    };
    chain.iter().flatten().map(permissions).sum()
}

fn rebuilt<T: CoerDecode<'static> + CoerEncode + 'static>(inputs: &[Vec<u8>]) -> Contestant {
    let mut room = vec![0; ROOM];
    Contestant::new("waywarden", values::<T>(inputs), move |value: &T| {
        let mut slice = CoerSlice::new(&mut room);
        value
            .encode(&mut Rebuilt(&mut slice))
            .expect("the room is large enough");
        slice.used()
    })
}

fn emitted<T: CoerDecode<'static> + CoerEncode + 'static>(inputs: &[Vec<u8>]) -> Contestant {
    let mut room = vec![0; ROOM];
    Contestant::new("waywarden", values::<T>(inputs), move |value: &T| {
        emit(value, &mut room)
            .expect("the room is large enough")
            .len()
    })
}

/// Values that live as long as the program: so do their bytes.
fn values<T: CoerDecode<'static>>(inputs: &[Vec<u8>]) -> Vec<T> {
    let read = |bytes: &Vec<u8>| parse(bytes.clone().leak()).expect("real data is valid");
    inputs.iter().map(read).collect()
}

fn decoded_by_rasn<T: rasn::Decode + 'static>(inputs: &[Vec<u8>]) -> Contestant {
    Contestant::new("rasn-its", inputs.to_vec(), |bytes: &Vec<u8>| {
        rasn::coer::decode::<T>(bytes).expect("real data is valid")
    })
}

fn encoded_by_rasn<T: rasn::Decode + rasn::Encode + 'static>(inputs: &[Vec<u8>]) -> Contestant {
    let read = |bytes: &Vec<u8>| rasn::coer::decode::<T>(bytes).expect("real data is valid");
    let values: Vec<T> = inputs.iter().map(read).collect();
    Contestant::new("rasn-its", values, |value: &T| {
        rasn::coer::encode(value)
            .expect("what was read can be written")
            .len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contestant_works() {
        // Each asserts its own result; without the corpus there is none.
        for row in crate::race::run(cases().unwrap(), 3).unwrap() {
            assert!(row.ratio.is_finite() && row.ratio > 0.0, "{row:?}");
        }
    }
}
