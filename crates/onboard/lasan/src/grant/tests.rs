//! The plaintexts about streams, byte by byte.

use std::vec::Vec;

use super::*;

const PROFILES: [LasanProfile; 3] = [
    LasanProfile::AsPublished,
    LasanProfile::Hardened,
    LasanProfile::Compact,
];

const STREAM: StreamId = StreamId(0x8123_4567);
const NAME: Name = Name(*b"ECUID0");
const OTHER: Name = Name(*b"ECUID1");
const TIME: NetworkTime = NetworkTime(0x0102_0304_0506_0708);

fn granted() -> Grant {
    Grant {
        stream: STREAM,
        generation: 0x0001_0002,
        sender: Address(7),
        end: 60_000,
        key: Secret::from_bytes(core::array::from_fn(|at| at as u8)),
        receiver_name: NAME,
        sender_name: OTHER,
        time: TIME,
    }
}

fn written((bytes, length): Plain) -> Vec<u8> {
    bytes[..length].to_vec()
}

/// By hand, from the table of the protocol's page.
#[test]
fn messages_lie_as_the_page_says() {
    let key: Vec<u8> = (0..32).collect();
    let (stream, time) = ([0x81, 0x23, 0x45, 0x67], [1, 2, 3, 4, 5, 6, 7, 8]);
    for profile in PROFILES {
        let published = profile == LasanProfile::AsPublished;
        let request = Request {
            name: NAME,
            stream: STREAM,
            time: TIME,
        };
        let denial = Denial {
            stream: STREAM,
            reason: DenialReason::Revoked,
            retry: RetryHint::In(0x0102_0304),
        };
        let expected: [Vec<u8>; 3] = match published {
            true => [
                [&b"ECUID0"[..], &stream, &time].concat(),
                [&b"ECUID0"[..], &stream, &key, &time, b"ECUID1"].concat(),
                [&b"ECUID0"[..], &stream, &time].concat(),
            ],
            false => [
                stream.to_vec(),
                [&stream[..], &[0, 1, 0, 2, 7, 0, 0, 0xEA, 0x60], &key].concat(),
                [&stream[..], &[3, 1, 2, 3, 4]].concat(),
            ],
        };
        assert_eq!(written(request.write(profile)), expected[0], "{profile:?}");
        assert_eq!(written(granted().write(profile)), expected[1]);
        assert_eq!(written(denial.write(profile, NAME, TIME)), expected[2]);
    }
}

#[test]
fn messages_read_as_they_were_written() {
    for profile in PROFILES {
        let published = profile == LasanProfile::AsPublished;
        let bytes = written(granted().write(profile));
        let read = Grant::read(profile, &bytes).unwrap();
        let meant = granted();
        assert!(read.stream == meant.stream && read.key == meant.key);
        match published {
            true => assert_eq!(
                (read.receiver_name, read.sender_name, read.time),
                (NAME, OTHER, TIME)
            ),
            false => assert_eq!(
                (read.generation, read.sender, read.end),
                (meant.generation, meant.sender, meant.end)
            ),
        }
        for (reason, retry, read_again) in [
            (DenialReason::NotAllowed, RetryHint::Never, RetryHint::Never),
            (DenialReason::NotNow, RetryHint::In(0), RetryHint::In(0)),
            (
                DenialReason::Revoked,
                RetryHint::In(NEVER),
                RetryHint::In(NEVER - 1),
            ),
        ] {
            let denial = Denial {
                stream: STREAM,
                reason,
                retry,
            };
            let bytes = written(denial.write(profile, NAME, TIME));
            let read = Denial::read(profile, &bytes).unwrap();
            assert_eq!(read.stream, STREAM);
            // As published nothing is said of it.
            assert_eq!(
                read.reason == reason,
                !published || reason == DenialReason::NotAllowed
            );
            let expected = if published {
                RetryHint::Unsaid
            } else {
                read_again
            };
            assert_eq!(read.retry, expected);
        }
    }
}

#[test]
fn what_is_cut_is_refused() {
    for profile in PROFILES {
        let request = Request {
            name: NAME,
            stream: STREAM,
            time: TIME,
        };
        let request = written(request.write(profile));
        for length in 0..request.len() {
            assert!(Request::read(profile, &request[..length]).is_none());
        }
        let grant = written(granted().write(profile));
        for length in 0..grant.len() {
            assert!(Grant::read(profile, &grant[..length]).is_none());
        }
        let denial = Denial {
            stream: STREAM,
            reason: DenialReason::NotNow,
            retry: RetryHint::In(7),
        };
        let needed = match profile {
            // No reader needs the time at the end.
            LasanProfile::AsPublished => 10,
            _ => 9,
        };
        let denial = written(denial.write(profile, NAME, TIME));
        for length in 0..needed {
            assert!(
                Denial::read(profile, &denial[..length]).is_none(),
                "{length}"
            );
        }
    }
}

#[test]
fn reasons_that_are_none_are_refused() {
    for code in 0..=u8::MAX {
        let bytes = [0, 0, 0, 1, code, 0, 0, 0, 0];
        let read = Denial::read(LasanProfile::Hardened, &bytes);
        assert_eq!(read.is_some(), (1..=3).contains(&code), "{code}");
    }
}

/// Whatever a key stands in on its way is wiped.
#[test]
fn what_may_hold_a_key_is_wiped() {
    fn wiped<T: zeroize::ZeroizeOnDrop>(_: &T) {}
    for profile in PROFILES {
        let (bytes, _) = granted().write(profile);
        wiped(&bytes);
    }
    wiped(&crate::session::Opened::new([0; 88]));
    wiped(&granted().key);
}
