//! Whole messages, certificates and lists: cut off, changed, spliced, and made of chance.

use waywarden_testkit::{Random, each_seed, hex_of};
use waywarden_v2x_wire::WireError;
use waywarden_v2x_wire::coer::{
    Canonical, CoerDecode, CoerEncode, CoerSlice, Silent, parse, parse_with,
};
use waywarden_v2x_wire::etsi102941::{EtsiTs102941Data, InnerEcRequest};
use waywarden_v2x_wire::ieee1609dot2::{Certificate, CrlContents, Ieee1609Dot2Data};

use crate::support::maker::{Maker, Scope};
use crate::support::{comes_back, etsi_certificates, field_messages, written};

/// Everything.
pub(crate) const SCOPE: Scope = Scope {
    of_2022: true,
    unknown_additions: true,
    unknown_alternatives: true,
    any_extension: true,
    contributed: true,
    long_names: true,
    byte_additions: true,
    plain_requested: false,
};

/// Of each kind of bytes that changes begin with.
const SEEDS: usize = 20;

/// A fuzzed decoder: it ends for any input, and writes unchanged every input that it accepts.
pub(crate) type Fuzz = fn(&[u8]) -> Result<(), WireError>;

pub(crate) fn fuzz_data(bytes: &[u8]) -> Result<(), WireError> {
    fuzz::<Ieee1609Dot2Data<'_>>(bytes)
}

pub(crate) fn fuzz_certificate(bytes: &[u8]) -> Result<(), WireError> {
    fuzz::<Certificate<'_>>(bytes)
}

pub(crate) fn fuzz_revocation_list(bytes: &[u8]) -> Result<(), WireError> {
    fuzz::<CrlContents<'_>>(bytes)
}

fn fuzz_pki_message(bytes: &[u8]) -> Result<(), WireError> {
    fuzz::<EtsiTs102941Data<'_>>(bytes)
}

fn fuzz_enrolment_request(bytes: &[u8]) -> Result<(), WireError> {
    fuzz::<InnerEcRequest<'_>>(bytes)
}

const DECODERS: [Fuzz; 5] = [
    fuzz_data,
    fuzz_certificate,
    fuzz_revocation_list,
    fuzz_pki_message,
    fuzz_enrolment_request,
];

fn fuzz<'a, T: CoerDecode<'a> + CoerEncode + PartialEq + core::fmt::Debug>(
    bytes: &'a [u8],
) -> Result<(), WireError> {
    let value: T = comes_back(bytes).inspect_err(|error| {
        assert!(error.offset <= bytes.len(), "{error} in {}", hex_of(bytes));
        assert!(!error.to_string().is_empty());
    })?;
    assert!(!format!("{value:?}").is_empty());
    assert!(parse_with::<T, _>(bytes, Silent).unwrap() == value);
    canonical_once_is_canonical::<T>(bytes, &value);
    Ok(())
}

/// The canonical form is another value of the same type, and its own canonical form.
fn canonical_once_is_canonical<'a, T: CoerDecode<'a> + CoerEncode>(bytes: &[u8], value: &T) {
    let write = |value: &dyn Fn(&mut Canonical<'_, CoerSlice<'_>>)| {
        let mut room = vec![0; bytes.len()];
        let mut slice = CoerSlice::new(&mut room);
        value(&mut Canonical(&mut slice));
        let used = slice.used();
        room.truncate(used);
        room
    };
    // It is never longer: points only lose a coordinate.
    let canonical: &'static [u8] = write(&|sink| value.encode(sink).unwrap()).leak();
    let read: T = parse(canonical).unwrap_or_else(|error| panic!("{error}: {}", hex_of(bytes)));
    assert_eq!(write(&|sink| read.encode(sink).unwrap()), canonical);
}

/// Bytes that parse, with the decoder that takes them.
fn seeds() -> Vec<(Vec<u8>, Fuzz)> {
    let mut seeds: Vec<(Vec<u8>, Fuzz)> = Vec::new();
    for seed in 0..SEEDS as u64 {
        let mut maker = Maker::new(seed, SCOPE);
        seeds.push((written(&maker.data()), fuzz_data));
        seeds.push((written(&maker.certificate()), fuzz_certificate));
        seeds.push((written(&maker.revocation_list()), fuzz_revocation_list));
        seeds.push((written(&maker.pki_message()), fuzz_pki_message));
        seeds.push((written(&maker.enrolment_request()), fuzz_enrolment_request));
    }
    // The larger ones cost time and show nothing more.
    seeds.retain(|(bytes, _)| bytes.len() < 1500);
    for (_, bytes) in etsi_certificates().iter().flatten().step_by(5) {
        seeds.push((bytes.clone(), fuzz_certificate));
    }
    for (_, bytes) in field_messages().iter().flatten().step_by(43) {
        seeds.push((bytes.clone(), fuzz_data));
    }
    assert!(seeds.len() >= 50);
    seeds
}

#[test]
fn cut_off_at_any_byte_is_an_error() {
    let mut cuts = 0;
    for (bytes, fuzz) in seeds() {
        fuzz(&bytes).unwrap();
        for length in 0..bytes.len() {
            fuzz(&bytes[..length]).unwrap_err();
            cuts += 1;
        }
        let longer = [bytes.as_slice(), &[0]].concat();
        fuzz(&longer).unwrap_err();
    }
    println!("{cuts} cuts");
}

#[test]
fn changed_bytes_are_refused_or_written_as_they_are() {
    let seeds = seeds();
    let rounds = each_seed(100, |seed| {
        let mut random = Random::new(seed);
        for (bytes, fuzz) in &seeds {
            let mut changed = bytes.clone();
            let at = random.below(changed.len() as u64) as usize;
            changed[at] = match random.below(4) {
                0 => changed[at] ^ 1 << random.below(8),
                1 => changed[at].wrapping_add(1),
                2 => [0, 0x7F, 0x80, 0x81, 0xFF][random.below(5) as usize],
                _ => random.u64() as u8,
            };
            // Both answers are good; what is not good panics inside.
            let _ = fuzz(&changed);
        }
    });
    println!("{} changes of each of {}", rounds.len(), seeds.len());
}

#[test]
fn pieces_put_together_otherwise_are_refused_or_written_as_they_are() {
    let seeds = seeds();
    each_seed(100, |seed| {
        let mut random = Random::new(seed);
        let mut piece = || {
            let (bytes, fuzz) = &seeds[random.below(seeds.len() as u64) as usize];
            let (a, b) = (random.below(bytes.len() as u64), random.below(64));
            let at = a as usize;
            (bytes, *fuzz, at, (at + b as usize).min(bytes.len()))
        };
        let ((bytes, fuzz, from, to), (others, _, begin, end)) = (piece(), piece());
        let pieces = [&bytes[..from], &others[begin..end], &bytes[to..]];
        let _ = fuzz(&pieces.concat());
    });
}

#[test]
fn chance_is_refused_or_written_as_it_is() {
    let mut taken = 0;
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let length = random.below(80) as usize;
        let mut bytes = random.bytes(length);
        // With the right first bytes it gets further.
        let begin: &[&[u8]] = &[
            &[],
            &[3],
            &[3, 0x81, 0, 0x40, 3, 0x80],
            &[0x80, 3, 0],
            &[1],
            &[1, 0x81],
        ];
        let begin = begin[random.below(6) as usize];
        bytes.splice(..0, begin.iter().copied());
        for decoder in DECODERS {
            taken += usize::from(decoder(&bytes).is_ok());
        }
    }
    println!("{taken} were taken");
}
