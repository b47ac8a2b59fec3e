//! Messages of IEEE 1609.2.1 come back as they were written; cut and changed ones never panic, and
//! no two encodings are of one value.

use waywarden_testkit::{Random, seeds};
use waywarden_v2x_wire::ParseFault;
use waywarden_v2x_wire::coer::{CoerDecode, CoerEncode, parse};
use waywarden_v2x_wire::detect::{Unsecured, unsecured};
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Ieee1609Dot2Data, Version3};
use waywarden_v2x_wire::ieee1609dot2dot1::{
    CertManagementPdu, FullIeeeTbsCtl, ScmsContent, ScmsPdu, ScmsSsp, SignedCertificateRequest,
};

use crate::support::maker::{Maker, Scope};
use crate::support::{comes_back, written};

const SCOPE: Scope = Scope {
    of_2022: true,
    unknown_additions: true,
    unknown_alternatives: true,
    any_extension: true,
    contributed: true,
    long_names: true,
    byte_additions: true,
    plain_requested: false,
};

fn check<'a, T: CoerDecode<'a> + CoerEncode>(bytes: &'static [u8], random: &mut Random) {
    comes_back::<T>(bytes).unwrap();
    for _ in 0..8 {
        assert!(parse::<T>(&bytes[..random.index(bytes.len())]).is_err());
        let mut changed = bytes.to_vec();
        let at = random.index(changed.len());
        changed[at] ^= 1 << random.below(8);
        // What is still read is written as it stands.
        let _ = comes_back::<T>(changed.leak());
    }
}

#[test]
fn messages_of_a_public_key_infrastructure_come_back() {
    let test = "messages_of_a_public_key_infrastructure_come_back";
    let mut random = Random::of_test(test);
    for seed in 0..seeds(300) {
        let mut maker = Maker::new(seed, SCOPE);
        check::<ScmsPdu<'_>>(written(&maker.scms()).leak(), &mut random);
        let request = written(&maker.signed_request()).leak();
        check::<SignedCertificateRequest<'_>>(request, &mut random);
        check::<FullIeeeTbsCtl<'_>>(written(&maker.trust_list()).leak(), &mut random);
        check::<ScmsSsp<'_>>(written(&maker.role()).leak(), &mut random);
    }
}

/// The acknowledgement of a request, written by pycrate.
const ACKNOWLEDGEMENT: [u8; 21] = [
    2, 0x87, 0x81, 0, 2, 0, 0, 0, 5, b'1', b'2', b'3', b'4', b'5', b'6', b'7', b'8', 0, 0, 0, 7,
];

#[test]
fn other_versions_and_interfaces_that_are_not_read_are_refused() {
    assert!(parse::<ScmsPdu<'_>>(&ACKNOWLEDGEMENT).is_ok());
    for (at, value, fault) in [
        (
            0,
            1,
            ParseFault::Version {
                expected: 2,
                found: 1,
            },
        ),
        (
            4,
            3,
            ParseFault::Version {
                expected: 2,
                found: 3,
            },
        ),
        // Enrolment, and an alternative of the future.
        (1, 0x85, ParseFault::UnknownCritical(5)),
        (1, 0x8b, ParseFault::UnknownCritical(11)),
    ] {
        let mut changed = ACKNOWLEDGEMENT;
        changed[at] = value;
        let refused = parse::<ScmsPdu<'_>>(&changed).unwrap_err();
        assert_eq!(refused.fault, fault);
    }
}

/// Messages of certificate management are found alone and in an SPDU; other ones are named.
#[test]
fn certificate_management_is_found_in_an_spdu_and_alone() {
    let refused = |bytes: &[u8]| CertManagementPdu::read(bytes).unwrap_err();
    let mut found = 0;
    for seed in 0..seeds(60) {
        let mut maker = Maker::new(seed, SCOPE);
        let pdu = maker.scms();
        let alone = written(&pdu);
        assert_eq!(unsecured(&alone), Some(Unsecured::Scms));
        let spdu = written(&Ieee1609Dot2Data {
            version: Version3,
            content: Ieee1609Dot2Content::Unsecured(&alone),
        });
        let ScmsContent::Cert(_) = pdu.content else {
            assert_eq!(refused(&spdu).field, "content");
            assert_eq!(refused(&alone).field, "content");
            continue;
        };
        found += 1;
        for bytes in [&spdu, &alone] {
            let read = CertManagementPdu::read(bytes).unwrap();
            assert!(written(&ScmsPdu::new(ScmsContent::Cert(read))) == alone);
        }
        let (last, cut) = spdu.split_last().unwrap();
        assert!(CertManagementPdu::read(cut).is_err());
        assert!(CertManagementPdu::read(&[&spdu[..], &[*last]].concat()).is_err());
    }
    assert!(found > 0);
    for bytes in [&[][..], &[3], &[2], &[3, 0x80, 0], &[2, 0x84, 0x85]] {
        let _ = refused(bytes);
    }
}
