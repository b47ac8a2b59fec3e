//! rasn-its, an independent reader and writer of the same standard \[2022\].
//!
//! What it does otherwise, and what is therefore not shown to it:
//! - an open type has no length of its own there, but its content stands bare. An application's
//!   extension is an object identifier, whose own length takes that place; permissions to issue or
//!   request extensions are `all`, never `specific`;
//! - contributions to a header are a CHOICE there, not an open type under a number;
//! - alternatives that it does not know are refused everywhere, not only where they are critical;
//! - extension additions that it does not know are not skipped (0.30.0): what stands behind them is
//!   read from their bytes. pycrate is asked instead;
//! - the size of a name counts bytes in writing, not characters \[X.680 §51.5\]; pycrate agrees
//!   with us. Names here have at most 63 characters, and so at most 252 bytes;
//! - the additions of one byte lose their size (0.30.0): `flags`, a BIT STRING of exactly eight
//!   bits \[X.696 §13.2\], and `pduFunctionalType`, an INTEGER of 0 to 255 \[X.696 §10.3\], have a
//!   length there. For the latter pycrate agrees with us;
//! - what stands after an extension marker *inside* an extension addition overwrites the beginning
//!   of its output (0.30.0: its encoder swaps two buffers and finds the outer one not empty). So a
//!   certificate in `requestedCertificate` is plain where it has to write it.

use rasn::coer;
use rasn_its::ieee1609dot2::base_types::{Psid, Time32, Time64};
use rasn_its::ieee1609dot2::{self as its, crl_base_types};

use crate::support::maker::{Maker, Scope};
use crate::support::{comes_back, written};
use waywarden_testkit::{Random, each_seed, hex_of};
use waywarden_v2x_wire::coer::{CoerDecode, CoerEncode};
use waywarden_v2x_wire::ieee1609dot2::{Certificate, CrlContents, Ieee1609Dot2Data};

/// Parts of the standard that both implementations know.
const SCOPE: Scope = Scope {
    of_2022: true,
    unknown_additions: false,
    unknown_alternatives: false,
    any_extension: false,
    contributed: false,
    long_names: false,
    byte_additions: false,
    plain_requested: true,
};

/// Number of values in the quick run.
const FEW: u64 = 500;

/// One value of each type, as we write it.
struct Ours {
    data: Vec<u8>,
    certificate: Vec<u8>,
    revocation_list: Vec<u8>,
}

impl Ours {
    fn new(seed: u64, scope: Scope) -> Self {
        let mut maker = Maker::new(seed, scope);
        Self {
            data: written(&maker.data()),
            certificate: written(&maker.certificate()),
            revocation_list: written(&maker.revocation_list()),
        }
    }

    fn read(&self) -> Theirs {
        Theirs {
            data: read(&self.data),
            certificate: read(&self.certificate),
            revocation_list: read(&self.revocation_list),
        }
    }
}

/// The same, as rasn has it.
struct Theirs {
    data: its::Ieee1609Dot2Data,
    certificate: its::Certificate,
    revocation_list: crl_base_types::CrlContents,
}

fn read<T: rasn::Decode>(bytes: &[u8]) -> T {
    match coer::decode(bytes) {
        Ok(value) => value,
        Err(error) => panic!("{error}: {}", hex_of(bytes)),
    }
}

fn we_read<'a, T: CoerDecode<'a> + CoerEncode>(bytes: &'a [u8]) -> T {
    comes_back(bytes).unwrap_or_else(|error| panic!("{error}: {}", hex_of(bytes)))
}

fn written_by_rasn<T: rasn::Encode>(value: &T) -> Vec<u8> {
    coer::encode(value).unwrap()
}

#[test]
fn reads_what_we_write_and_writes_it_as_we_do() {
    let seeds = each_seed(FEW, |seed| {
        let ours = Ours::new(seed, SCOPE);
        let theirs = ours.read();
        let pairs = [
            (written_by_rasn(&theirs.data), &ours.data),
            (written_by_rasn(&theirs.certificate), &ours.certificate),
            (
                written_by_rasn(&theirs.revocation_list),
                &ours.revocation_list,
            ),
        ];
        for (theirs, ours) in pairs {
            assert_eq!(hex_of(&theirs), hex_of(ours), "as rasn, and as we write it");
        }
        comes_back::<Ieee1609Dot2Data<'_>>(&ours.data).unwrap();
        comes_back::<Certificate<'_>>(&ours.certificate).unwrap();
        comes_back::<CrlContents<'_>>(&ours.revocation_list).unwrap();
    });
    println!("{} values of each of three types", seeds.len());
}

#[test]
fn reads_requested_certificates_that_it_cannot_write() {
    let scope = Scope {
        plain_requested: false,
        ..SCOPE
    };
    each_seed(FEW, |seed| {
        let theirs = Ours::new(seed, scope).read();
        let its::Ieee1609Dot2Content::SignedData(signed) = theirs.data.content else {
            return;
        };
        // By itself it writes it.
        if let Some(certificate) = signed.tbs_data.header_info.requested_certificate {
            let bytes = written_by_rasn(&certificate);
            comes_back::<Certificate<'_>>(&bytes).unwrap();
        }
    });
}

#[test]
fn we_read_what_it_writes_of_its_own() {
    let seeds = each_seed(FEW, |seed| {
        let mut one = Ours::new(2 * seed, SCOPE).read();
        let two = Ours::new(2 * seed + 1, SCOPE).read();
        let mut random = Random::new(seed);
        change_data(&mut random, &mut one.data, &two);
        let bytes = written_by_rasn(&one.data);
        we_read::<Ieee1609Dot2Data<'_>>(&bytes);
        let certificate = other_certificate(&mut random, &one.certificate, &two.certificate);
        let bytes = written_by_rasn(&certificate);
        we_read::<Certificate<'_>>(&bytes);
        let list = &mut one.revocation_list;
        list.crl_series.0 = random.u64() as u16;
        list.issue_date = Time32(random.u64() as u32);
        list.priority_info.priority = Some(random.u64() as u8);
        if random.once_in(2) {
            list.type_specific = two.revocation_list.type_specific;
        }
        let bytes = written_by_rasn(&*list);
        let read = we_read::<CrlContents<'_>>(&bytes);
        assert_eq!(read.crl_series.0, list.crl_series.0);
        assert_eq!(read.issue_date.0, list.issue_date.0);
        assert_eq!(read.priority_info.priority, list.priority_info.priority);
    });
    println!("{} values of each of three types", seeds.len());
}

/// Makes another value of two: parts change hands, numbers are new.
fn change_data(random: &mut Random, data: &mut its::Ieee1609Dot2Data, other: &Theirs) {
    let its::Ieee1609Dot2Content::SignedData(signed) = &mut data.content else {
        return;
    };
    if let its::Ieee1609Dot2Content::SignedData(theirs) = &other.data.content {
        if random.once_in(2) {
            signed.tbs_data.header_info = theirs.tbs_data.header_info.clone();
        }
        if random.once_in(2) {
            signed.tbs_data.payload = theirs.tbs_data.payload.clone();
        }
        if random.once_in(2) {
            signed.signature = theirs.signature.clone();
        }
    }
    if random.once_in(2) {
        let certificates = vec![other.certificate.clone()];
        signed.signer = its::SignerIdentifier::Certificate(certificates.into());
    }
    let header = &mut signed.tbs_data.header_info;
    header.psid = Psid((random.u64() >> random.below(64)).into());
    header.generation_time = Some(Time64(random.u64()));
    if random.once_in(2) {
        header.expiry_time = None;
    }
}

fn other_certificate(
    random: &mut Random,
    one: &its::Certificate,
    two: &its::Certificate,
) -> its::Certificate {
    let mut base = (**one).clone();
    let theirs = (**two).clone().to_be_signed;
    let own = &mut base.to_be_signed;
    own.validity_period.start = Time32(random.u64() as u32);
    own.crl_series.0 = random.u64() as u16;
    if random.once_in(2) {
        own.id = theirs.id;
    }
    if random.once_in(2) {
        own.region = theirs.region;
    }
    if let Some(permissions) = theirs.app_permissions.filter(|_| random.once_in(2)) {
        own.app_permissions = Some(permissions);
    }
    if let Some(permissions) = theirs.cert_issue_permissions.filter(|_| random.once_in(2)) {
        own.cert_issue_permissions = Some(permissions);
    }
    if random.once_in(2) {
        own.encryption_key = theirs.encryption_key;
    }
    match base.is_explicit() {
        true => its::ExplicitCertificate::new(base).unwrap().into(),
        false => its::ImplicitCertificate::new(base).unwrap().into(),
    }
}
