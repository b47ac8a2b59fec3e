//! ETSI's lists and profile: the list of the EU, messages from the field, the certificates of the
//! test suite.

use std::fs;

use waywarden_testkit::corpus;
use waywarden_v2x_wire::ParseFault;
use waywarden_v2x_wire::coer::{
    CoerDecode, CoerEncode, CoerSlice, Rebuilt, SequenceOf, emit, length, parse,
};
use waywarden_v2x_wire::etsi102941::{
    AaEntry, Boolean, CrlRequest, CtlCommand, CtlDelete, CtlEntry, CtlFormat, DataVersion1,
    DcEntry, DeltaCtlRequest, EaEntry, EtsiTs102941Data, EtsiTs102941DataContent, HeaderExtension,
    ListVersion1, RootCaEntry, TlmEntry, ToBeSignedCrl, Url,
};
use waywarden_v2x_wire::etsi103097::{
    CertificateRole, Deviation, FieldRule, check_certificate, check_message,
};
use waywarden_v2x_wire::geonet::{Body, Packet};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, HashedId8, Ieee1609Dot2Content, Ieee1609Dot2Data, Psid, SignedData,
    SignerIdentifier, Time32,
};

/// Writes a value in both forms, reads it again, and cuts it anywhere.
fn round<T: CoerEncode>(value: &T) -> Vec<u8> {
    let mut bytes = vec![0; length(value).unwrap()];
    emit(value, &mut bytes).unwrap();
    let mut rebuilt = vec![0; bytes.len()];
    let mut slice = CoerSlice::new(&mut rebuilt);
    value.encode(&mut Rebuilt(&mut slice)).unwrap();
    assert_eq!(rebuilt, bytes);
    bytes
}

fn comes_back<'a, T: CoerDecode<'a> + CoerEncode>(bytes: &'a [u8]) -> T {
    let value: T = parse(bytes).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(round(&value), bytes);
    for length in 0..bytes.len() {
        assert!(parse::<T>(&bytes[..length]).is_err(), "{length}");
    }
    value
}

fn signed<'a>(data: &Ieee1609Dot2Data<'a>) -> SignedData<'a> {
    match data.content {
        Ieee1609Dot2Content::Signed(signed) => signed,
        other => panic!("{other:?}"),
    }
}

fn payload<'a>(signed: &SignedData<'a>) -> &'a [u8] {
    let inner = signed.tbs_data.payload.data.unwrap().view().unwrap();
    match inner.content {
        Ieee1609Dot2Content::Unsecured(bytes) => bytes,
        other => panic!("{other:?}"),
    }
}

fn deviations(data: &Ieee1609Dot2Data<'_>) -> Vec<Deviation> {
    let mut all = Vec::new();
    check_message(data, &mut |deviation| all.push(deviation));
    all
}

fn certificate_deviations(certificate: &Certificate<'_>, role: CertificateRole) -> Vec<Deviation> {
    let mut all = Vec::new();
    check_certificate(certificate, role, &mut |deviation| all.push(deviation));
    all
}

#[test]
fn the_list_of_the_eu() {
    let Some(folder) = corpus("v2x/eu_trust") else {
        return;
    };
    let bytes = fs::read(folder.join("CE4CF6C19BFED720.oer")).unwrap();
    let message: Ieee1609Dot2Data<'_> = parse(&bytes).unwrap();
    let signed = signed(&message);
    assert_eq!(signed.tbs_data.header_info.psid, Psid(624));
    let data: EtsiTs102941Data<'_> = comes_back(payload(&signed));
    let EtsiTs102941DataContent::CertificateTrustListTlm(list) = data.content else {
        panic!("{data:?}");
    };
    assert!(list.is_full.0);
    let mut kinds = Vec::new();
    for command in &list.commands {
        match command.unwrap() {
            CtlCommand::Add(CtlEntry::RootCa(entry)) => {
                let found = certificate_deviations(&entry.certificate, CertificateRole::RootCa);
                println!("root {:?}", entry.certificate.to_be_signed.id);
                assert_eq!(found, []);
                kinds.push("rca");
            }
            CtlCommand::Add(CtlEntry::TrustListManager(entry)) => {
                let found =
                    certificate_deviations(&entry.certificate, CertificateRole::TrustListManager);
                assert_eq!(found, []);
                println!("manager at {}", entry.access_point.as_str());
                kinds.push("tlm");
            }
            CtlCommand::Add(CtlEntry::DistributionCentre(entry)) => {
                println!("lists at {}", entry.url.as_str());
                kinds.push("dc");
            }
            other => panic!("{other:?}"),
        }
    }
    println!(
        "sequence {}, {kinds:?}, {:?}",
        list.sequence,
        deviations(&message)
    );
    assert_eq!(kinds.len(), 5);
}

#[test]
fn lists_made_of_every_entry() {
    let Some(folder) = corpus("v2x/eu_trust") else {
        return;
    };
    let tlm = fs::read(folder.join("E7A4B2B045E7ACF9.oer")).unwrap();
    let certificate: Certificate<'_> = parse(&tlm).unwrap();
    let url = Url::new("http://cpoc.example/").unwrap();
    let hashes = [HashedId8([1; 8]), HashedId8([2; 8])];
    let entries = [
        CtlEntry::RootCa(RootCaEntry {
            certificate,
            successor_to: Some(certificate),
        }),
        CtlEntry::EnrolmentAuthority(EaEntry {
            certificate,
            aa_access_point: url,
            its_access_point: Some(url),
        }),
        CtlEntry::AuthorizationAuthority(AaEntry {
            certificate,
            access_point: url,
        }),
        CtlEntry::DistributionCentre(DcEntry {
            url,
            certificates: SequenceOf::new(&hashes).unwrap(),
        }),
        CtlEntry::TrustListManager(TlmEntry {
            certificate,
            successor_to: None,
            access_point: url,
        }),
    ];
    let mut commands = entries.map(CtlCommand::Add).to_vec();
    commands.push(CtlCommand::Delete(CtlDelete::Certificate(hashes[0])));
    commands.push(CtlCommand::Delete(CtlDelete::DistributionCentre(url)));
    let list = CtlFormat {
        version: ListVersion1,
        next_update: Time32(700_000_000),
        is_full: Boolean(false),
        sequence: 7,
        commands: SequenceOf::new(&commands).unwrap(),
        unknown: Default::default(),
    };
    let data = EtsiTs102941Data {
        version: DataVersion1,
        content: EtsiTs102941DataContent::CertificateTrustListRca(list),
    };
    let bytes = round(&data);
    let read: EtsiTs102941Data<'_> = comes_back(&bytes);
    assert_eq!(read, data);
}

#[test]
fn revocations_and_requests() {
    // Written by hand: version, revocation list, no additions, version, times, two entries.
    let bytes = [
        &[1, 0x84, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2][..],
        &[0xAA; 8],
        &[0xBB; 8],
    ]
    .concat();
    let data: EtsiTs102941Data<'_> = comes_back(&bytes);
    let entries = [HashedId8([0xAA; 8]), HashedId8([0xBB; 8])];
    let crl = ToBeSignedCrl {
        version: ListVersion1,
        this_update: Time32(1),
        next_update: Time32(2),
        entries: SequenceOf::new(&entries).unwrap(),
        unknown: Default::default(),
    };
    assert_eq!(
        data.content,
        EtsiTs102941DataContent::CertificateRevocationList(crl)
    );
    // A header's extension: a request for a revocation list, for what changed in a list.
    let extension = [&[1, 13, 0x80], &[0xAA; 8][..], &[0, 0, 0, 9]].concat();
    let read: HeaderExtension<'_> = comes_back(&extension);
    let request: CrlRequest = comes_back(read.content.0);
    assert_eq!((read.id, request.last_known_update), (1, Some(Time32(9))));
    let delta = [&[0x80][..], &[0xAA; 8], &[5]].concat();
    let request: DeltaCtlRequest = comes_back(&delta);
    assert_eq!(
        (request.issuer_id, request.last_known_sequence),
        (entries[0], Some(5))
    );
    // What is refused: other versions, other messages, booleans that are neither, other texts.
    let fault = |bytes: &[u8]| parse::<EtsiTs102941Data<'_>>(bytes).unwrap_err().fault;
    let expected = 1;
    assert_eq!(fault(&[2]), ParseFault::Version { expected, found: 2 });
    assert_eq!(
        fault(&[1, 0x84, 0, 1, 2]),
        ParseFault::Version { expected, found: 2 }
    );
    assert_eq!(fault(&[1, 0x8A]), ParseFault::UnknownTag(10));
    assert_eq!(
        fault(&[1, 0x85, 0, 1, 1, 0, 0, 0, 1, 1]),
        ParseFault::NotCanonical
    );
    assert_eq!(
        parse::<Url<'_>>(&[1, 0x80]).unwrap_err().fault,
        ParseFault::OutOfRange
    );
    assert_eq!(Url::new("ü"), None);
}

/// The messages of `vectors/geonetworking.txt` that are secured.
fn field_messages() -> Vec<(&'static str, Vec<u8>)> {
    let mut packets: Vec<(&str, String)> = Vec::new();
    let text = include_str!("../../../../../vectors/geonetworking.txt");
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix("packet ") {
            Some(name) => packets.push((name, String::new())),
            None => packets.last_mut().unwrap().1.push_str(line),
        }
    }
    packets
        .into_iter()
        .filter_map(|(name, hex)| {
            let digit = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
            let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(digit).collect();
            let packet: Packet<'_> = parse(&bytes).unwrap();
            match packet.body {
                Body::Secured(spdu) => Some((name, spdu.to_vec())),
                Body::Clear(_) => None,
            }
        })
        .collect()
}

#[test]
fn messages_from_the_field() {
    for (name, spdu) in field_messages() {
        let data: Ieee1609Dot2Data<'_> = parse(&spdu).unwrap();
        let found = deviations(&data);
        let header = signed(&data).tbs_data.header_info;
        println!("{name}: {:?} {found:?}", header.psid);
        assert_eq!(found, [], "{name}");
    }
}

#[test]
fn messages_that_deviate() {
    let (_, spdu) = field_messages().swap_remove(0);
    let data: Ieee1609Dot2Data<'_> = parse(&spdu).unwrap();
    let good = signed(&data);
    let reported = |change: &dyn Fn(&mut SignedData<'_>)| -> Vec<(&'static str, FieldRule)> {
        let mut signed = good;
        change(&mut signed);
        let content = Ieee1609Dot2Content::Signed(signed);
        let found = deviations(&Ieee1609Dot2Data { content, ..data });
        found.iter().map(|one| (one.field, one.rule)).collect()
    };
    assert_eq!(reported(&|_| {}), []);
    let self_signed = |signed: &mut SignedData<'_>| {
        signed.signer = SignerIdentifier::OwnKey(waywarden_v2x_wire::coer::Null);
    };
    assert_eq!(
        reported(&self_signed),
        [("signer", FieldRule::Is("digest or certificate"))]
    );
    let chain = |signed: &mut SignedData<'_>| {
        signed.signer = SignerIdentifier::Certificate(SequenceOf::new(&[]).unwrap());
    };
    assert_eq!(
        reported(&chain),
        [("signer", FieldRule::Is("exactly one certificate"))]
    );
    let text = Deviation {
        field: "generationTime",
        rule: FieldRule::Present,
    }
    .to_string();
    assert_eq!(text, "generationTime is missing");
}

#[test]
fn certificates_of_the_suite() {
    let Some(folder) = corpus("v2x/etsi_tsits_certs") else {
        return;
    };
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.extension().is_none_or(|end| end != "oer") {
            continue;
        }
        let role = match name.as_str() {
            _ if name.ends_with("_RCA") => CertificateRole::RootCa,
            _ if name.ends_with("_EC") || name.contains("_EC_") => {
                CertificateRole::EnrolmentCredential
            }
            _ if name.contains("_AA") || name.contains("_EA") => CertificateRole::SubordinateCa,
            _ => CertificateRole::AuthorizationTicket,
        };
        let bytes = fs::read(&path).unwrap();
        let certificate: Certificate<'_> = parse(&bytes).unwrap();
        let found = certificate_deviations(&certificate, role);
        assert_eq!(found, [], "{name} as {role:?}");
        // In another's role there is something to tell.
        let other = match role {
            CertificateRole::AuthorizationTicket | CertificateRole::EnrolmentCredential => {
                CertificateRole::SubordinateCa
            }
            _ => CertificateRole::AuthorizationTicket,
        };
        assert_ne!(
            certificate_deviations(&certificate, other),
            [],
            "{name} as {other:?}"
        );
        count += 1;
    }
    assert_eq!(count, 105);
}
