//! The record and the reports of a party under a security module.

use waywarden_can::node::Port;
use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_firmware_link::{
    GrantedKeyRecord, LASAN_PARTIES_MAX, LasanPart, LasanParties, LasanRecord, LasanReport, List,
    MessageError, Record, Request, TimedRequest,
};
use waywarden_key_suites::{AgreementError, Secret, VerifyError};
use waywarden_lasan::{
    Address, AddressSet, CertificateError, Credentials, DenialReason, EcuEvent, HandshakeFailure,
    IDENTIFIERS, LasanProfile, LasanTiming, ModuleEvent, Name, NetworkSettings, NetworkTime, Party,
    PartyDirectory, Permission, StreamId, Transport,
};
use waywarden_testkit::{Random, cases, first_seed};
use waywarden_work::{Duration, Instant};

use crate::{encoded, sample};

fn settings() -> NetworkSettings {
    NetworkSettings {
        profile: LasanProfile::Compact,
        credentials: Credentials::Digests,
        transport: Transport::Fd,
        identifiers: IDENTIFIERS,
        pacing: Some(Duration::from_micros(500)),
        gives_way: true,
        security_module: Address(9),
        time_at_zero: NetworkTime(1_234),
        timing: LasanTiming {
            authentication: Duration::from_millis(1),
            answer: Duration::from_millis(2),
            patience: Duration::from_millis(3),
            stream_key: Duration::from_millis(4),
        },
    }
}

fn parties() -> LasanParties {
    let ecus: AddressSet = [1, 2, 3, 64, 127].map(Address).into_iter().collect();
    let authority = (Name(*b"issuer"), &[7; 33][..]);
    let mut parties = LasanParties::new(settings(), ecus, authority).expect("room");
    for at in 0..LASAN_PARTIES_MAX as u8 {
        let party = Party {
            address: Address(1 + at),
            name: Name([at; 6]),
            key: &[at; 32][..],
            credential: &[0xA0 + at; 120][..],
        };
        parties.add(&party).expect("room");
    }
    parties.permit(permission()).expect("room");
    parties
}

fn permission() -> Permission {
    Permission {
        stream: StreamId(0x120),
        sender: Address(1),
        receivers: [2, 3].map(Address).into_iter().collect(),
        from: NetworkTime(5),
        until: NetworkTime::MAX,
    }
}

fn record(part: LasanPart) -> LasanRecord {
    let mut ecu = sample::record();
    ecu.keys = List::new();
    ecu.streams.truncate(3);
    LasanRecord {
        ecu,
        suite: 0x12,
        address: Address(3),
        secret: Secret::from_bytes([0x42; 32]),
        parties: parties(),
        part,
    }
}

fn records() -> [LasanRecord; 2] {
    let key = GrantedKeyRecord {
        from: StreamId(0x8000_0001),
        id: KeyId(0xFFFF),
        usage: Usage::Check,
        sends: false,
        of: [1, u64::MAX],
    };
    let ecu = LasanPart::Ecu {
        requests: [StreamId(1), StreamId(2)].into_iter().collect(),
        keys: [key; 17].into_iter().collect(),
        overlap: Duration::from_millis(9),
    };
    let module = LasanPart::Module {
        start: Instant::from_nanos(7),
        renewal: Some(Duration::from_millis(1)),
    };
    [record(ecu), record(module)]
}

#[test]
fn a_record_comes_back() {
    for record in records() {
        let bytes = encoded(|into| record.encode(into));
        let read = LasanRecord::decode(&bytes).expect("our own");
        assert_eq!(encoded(|into| read.encode(into)), bytes);
        assert_eq!(read.parties.settings(), &settings());
        assert_eq!(read.parties.permissions(), [permission()]);
        let last = read.parties.find(Address(9)).expect("a party");
        assert_eq!(
            (last.key, last.credential),
            (&[8; 32][..], &[0xA8; 120][..])
        );
        assert!(read.parties.find(Address(10)).is_none());
        for length in 0..bytes.len() {
            assert!(LasanRecord::decode(&bytes[..length]).is_err(), "{length}");
        }
    }
}

#[test]
fn more_than_there_is_room_for_is_refused() {
    let mut parties = parties();
    let party = Party {
        address: Address(100),
        name: Name([0; 6]),
        key: &[][..],
        credential: &[][..],
    };
    let error = parties.add(&party).expect_err("no room");
    assert!(error.to_string().contains("the number of parties"));
    while parties.permit(permission()).is_ok() {}
    let long = [0; 4_000];
    let made = LasanParties::new(settings(), AddressSet::NONE, (Name([0; 6]), &long));
    let error = made.err().expect("no room");
    assert!(
        error.to_string().contains("keys and credentials"),
        "{error}"
    );
}

fn reports() -> Vec<LasanReport> {
    let failures = [
        HandshakeFailure::Timeout,
        HandshakeFailure::Certificate(CertificateError::Expired),
        HandshakeFailure::Signature(VerifyError::Mismatch),
        HandshakeFailure::Agreement(AgreementError::Neutral),
        HandshakeFailure::Proof,
    ];
    let (stream, ecu, reason) = (StreamId(0x123), Address(5), DenialReason::Revoked);
    let generation = 77;
    let mut reports: Vec<LasanReport> = failures
        .into_iter()
        .flat_map(|failure| {
            [
                LasanReport::Ecu(EcuEvent::Failed(failure)),
                LasanReport::Module(ModuleEvent::Failed { ecu, failure }),
            ]
        })
        .collect();
    let of_ecu = [
        EcuEvent::Authenticated { epoch: u64::MAX },
        EcuEvent::SessionLost,
        EcuEvent::Granted {
            stream,
            sender: ecu,
            generation,
        },
        EcuEvent::Denied { stream, reason },
        EcuEvent::Expired(stream),
    ];
    let of_module = [
        ModuleEvent::Started { epoch: 3 },
        ModuleEvent::Authenticated(ecu),
        ModuleEvent::Keyed { stream, generation },
        ModuleEvent::Granted {
            stream,
            ecu,
            generation,
        },
        ModuleEvent::Refused {
            stream,
            ecu,
            reason,
        },
        ModuleEvent::Revoked(stream),
        ModuleEvent::Enrolled(ecu),
        ModuleEvent::PortLags(Port(1)),
        ModuleEvent::PortFollows(Port(2)),
        ModuleEvent::Retired(ecu),
    ];
    reports.extend(of_ecu.map(LasanReport::Ecu));
    reports.extend(of_module.map(LasanReport::Module));
    reports
}

#[test]
fn reports_come_back() {
    for report in reports() {
        let bytes = encoded(|into| report.encode(into));
        assert!(bytes.len() <= LasanReport::LENGTH_MAX, "{report:?}");
        assert_eq!(LasanReport::decode(&bytes), Ok(report));
        for length in 0..bytes.len() {
            assert!(LasanReport::decode(&bytes[..length]).is_err());
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(LasanReport::decode(&longer), Err(MessageError::Long));
        let request = TimedRequest {
            instructions: 5,
            request: Request::Authorized(&bytes),
        };
        let bytes = encoded(|into| request.encode(into));
        assert_eq!(TimedRequest::decode(&bytes), Ok(request));
        for length in 0..bytes.len() {
            assert!(TimedRequest::decode(&bytes[..length]).is_err());
        }
    }
}

#[test]
fn any_bytes_are_a_report_or_none() {
    let mut random = Random::new(first_seed(1));
    for _ in 0..cases(50_000) {
        let length = random.index(LasanReport::LENGTH_MAX + 1);
        let mut bytes: Vec<u8> = (0..length).map(|_| random.u64() as u8).collect();
        if let Some(kind) = bytes.first_mut() {
            *kind %= 32;
        }
        if let Ok(report) = LasanReport::decode(&bytes) {
            assert_eq!(encoded(|into| report.encode(into)), bytes);
        }
    }
}

#[test]
fn hostile_bytes_are_refused_or_read_alike_again() {
    let seed = first_seed(1);
    let mut random = Random::new(seed);
    let records = records().map(|record| encoded(|into| record.encode(into)));
    for case in 0..cases(20_000) {
        let mut bytes = records[case % 2].clone();
        for _ in 0..=random.below(3) {
            let at = random.index(bytes.len());
            bytes[at] = random.u64() as u8;
        }
        if let Ok(read) = LasanRecord::decode(&bytes) {
            let mut again = vec![0; bytes.len()];
            assert_eq!(read.encode(&mut again), Ok(bytes.len()), "seed {seed}");
            assert_eq!(again, bytes, "seed {seed}");
        }
    }
}
