//! Profiles, frames and layouts: which ones are refused, and what they protect.

use waywarden_can::{Frame, Id};
use waywarden_can_auth::event::FrameOutcome;
use waywarden_can_auth::key_store::Usage;
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, MacKey};
use waywarden_can_auth::secoc::{
    AnnouncementFrame, FreshnessState, FreshnessWidths, Layout, ProfileError, ProfileParameters,
    ProtectError, SecocCarrier, SecocProfile, SecocReceiver, SecocSender, SecocStream, StreamError,
    Synchronisation, SynchronisationError,
};
use waywarden_work::NoMeter;

use super::{KEY, Pair, SECRET};
use crate::secoc::car::{Kind, STREAM, standard};

/// A system that is judged as it is may have a shorter code, and the same faults else.
#[test]
fn code_of_a_judged_system_may_be_shorter() {
    let parameters = |mac| ProfileParameters {
        freshness: FreshnessWidths::counter(32),
        truncated_bits: 6,
        mac_bits: mac,
        attempts: 2,
    };
    let judged = |mac| SecocProfile::as_found(parameters(mac));
    assert_eq!(judged(7), Err(ProfileError::MacTooShort(7)));
    assert_eq!(judged(8).unwrap().trailer_length(), 2);
    assert_eq!(judged(23).unwrap().mac_bits(), 23);
    assert_eq!(judged(129), Err(ProfileError::MacTooLong(129)));
    let made = SecocProfile::new(parameters(23));
    assert_eq!(made, Err(ProfileError::MacTooShort(23)));
}

#[test]
fn contradictory_profiles_have_their_errors() {
    let sync = |trip, reset, message, flag| FreshnessWidths {
        trip,
        reset,
        message,
        flag,
    };
    let cases = [
        (
            sync(24, 20, 20, 1),
            4,
            28,
            1,
            ProfileError::FreshnessTooLong(65),
        ),
        (sync(25, 20, 8, 2), 4, 28, 1, ProfileError::EpochTooLong),
        (sync(0, 20, 8, 2), 4, 28, 1, ProfileError::HalfAnEpoch),
        (sync(16, 20, 0, 2), 2, 28, 1, ProfileError::NoMessageCounter),
        (sync(16, 20, 8, 3), 4, 28, 1, ProfileError::FlagTooLong(3)),
        (sync(16, 1, 8, 2), 4, 28, 1, ProfileError::FlagTooLong(2)),
        (
            sync(16, 20, 8, 2),
            11,
            28,
            1,
            ProfileError::TruncatedTooLong(11),
        ),
        (
            sync(16, 20, 8, 2),
            1,
            28,
            1,
            ProfileError::TruncatedWithinFlag(1),
        ),
        (sync(16, 20, 8, 2), 4, 23, 1, ProfileError::MacTooShort(23)),
        (sync(16, 20, 8, 2), 4, 129, 1, ProfileError::MacTooLong(129)),
        (sync(16, 20, 8, 2), 4, 28, 0, ProfileError::Attempts(0)),
        (sync(16, 20, 8, 2), 4, 28, 9, ProfileError::Attempts(9)),
        (
            FreshnessWidths::counter(64),
            5,
            24,
            1,
            ProfileError::WindowTooSmall(32),
        ),
    ];
    for (freshness, truncated, mac, attempts, error) in cases {
        let profile = SecocProfile::new(ProfileParameters {
            freshness,
            truncated_bits: truncated,
            mac_bits: mac,
            attempts,
        });
        assert_eq!(profile, Err(error), "{error}");
    }
}

#[test]
fn contradictory_layouts_have_their_errors() {
    let stream =
        |layout| SecocStream::new(SecocProfile::PRODUCTION, layout, standard(1), KEY).err();
    let classic = |length| Layout::fixed(SecocCarrier::Classic, length);
    let (shortest, longest) = (3, 2);
    let lengths = StreamError::Lengths { shortest, longest };
    assert_eq!(
        stream(Layout::variable(SecocCarrier::Classic, shortest..=longest)),
        Some(lengths)
    );
    assert_eq!(stream(classic(5)), Some(StreamError::TooLong(9)));
    assert_eq!(
        stream(Layout::fixed(SecocCarrier::Fd, 61)),
        Some(StreamError::TooLong(65))
    );
    for (offset, length) in [(0, 0), (0, 5), (4, 1), (255, 0)] {
        let error = StreamError::SecuredArea { offset, length };
        assert_eq!(
            stream(classic(4).secured(offset..offset + length)),
            Some(error),
            "{error}"
        );
    }
}

#[test]
fn contradictory_announcements_have_their_errors() {
    let announced = |profile: &SecocProfile, mac| {
        Synchronisation::new(
            profile,
            AnnouncementFrame {
                carrier: SecocCarrier::Classic,
                id: standard(1),
                mac_bits: mac,
            },
            KEY,
        )
        .err()
    };
    let error = SynchronisationError::Unsynchronised;
    assert_eq!(
        announced(&SecocProfile::AUTOSAR_1, 28),
        Some(error),
        "{error}"
    );
    let error = SynchronisationError::Mac(ProfileError::MacTooShort(8));
    assert_eq!(announced(&SecocProfile::JASPAR, 8), Some(error), "{error}");
    let error = SynchronisationError::TooLong(9);
    assert_eq!(announced(&SecocProfile::JASPAR, 29), Some(error), "{error}");
}

#[test]
fn frames_may_have_29_bits_and_the_code_is_the_same() {
    let long = Id::extended(0x09FD_0269).unwrap();
    let layout = Layout::fixed(SecocCarrier::Fd, 8);
    let short = SecocStream::new(
        SecocProfile::AUTOSAR_2_AS_PUBLISHED,
        layout,
        standard(1),
        KEY,
    )
    .unwrap();
    let stream = short.with_frame_id(long);
    assert_eq!((stream.frame_id(), stream.id()), (long, standard(1)));
    let mut ring = Keyring::<AesCmac, 1>::new();
    ring.insert(KEY, Usage::Both, &MacKey::from_bytes(SECRET))
        .unwrap();
    let mut protect = |stream| {
        let mut sender = SecocSender::under_fresh_key(stream);
        let (payload, freshness_state) = (&[7; 8], &FreshnessState::UNSYNCHRONISED);
        sender
            .protect(payload, freshness_state, &mut ring, &mut NoMeter)
            .unwrap()
    };
    let (one, other) = (protect(stream), protect(short));
    assert_eq!((one.id(), one.data()), (long, other.data()));
    let mut receiver = SecocReceiver::under_fresh_key(stream);
    assert!(receiver.knows(&one) && !receiver.knows(&other));
    let mut accept = |frame| {
        let freshness_state = &FreshnessState::UNSYNCHRONISED;
        receiver
            .accept(frame, freshness_state, &mut ring, &mut NoMeter)
            .unwrap()
    };
    let Some(FrameOutcome::Authentic { stream, .. }) = accept(&one) else {
        panic!("not authentic");
    };
    assert_eq!(stream, standard(1));
    assert_eq!(accept(&other), None);
}

#[test]
fn outside_the_secured_area_anybody_may_write() {
    let mut pair = Pair::new(Kind::Fd, 1);
    let frame = pair.send();
    let mut data = frame.data().to_vec();
    data[..6].fill(0x99);
    let (event, _) = pair.receiver.take(&Frame::fd(frame.id(), &data).unwrap());
    match event {
        Some(FrameOutcome::Authentic { payload, .. }) => {
            assert_eq!(payload.as_bytes(), &data[..10]);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn lengths_may_vary_where_the_frame_tells_them() {
    for (carrier, lengths) in [
        (SecocCarrier::Classic, vec![0, 1, 2, 3, 4]),
        (
            SecocCarrier::Fd,
            vec![0, 1, 2, 3, 4, 8, 12, 16, 20, 28, 44, 60],
        ),
    ] {
        let mut pair = Pair::new(Kind::Counter, 0);
        let longest = if carrier == SecocCarrier::Fd { 60 } else { 4 };
        let layout = Layout::variable(carrier, 0..=longest);
        let stream =
            SecocStream::new(SecocProfile::AUTOSAR_1, layout, standard(STREAM), KEY).unwrap();
        (pair.sender.role, pair.receiver.role) = (
            SecocSender::under_fresh_key(stream),
            SecocReceiver::under_fresh_key(stream),
        );
        for length in 0..=64 {
            pair.retain();
            let payload = vec![length as u8; length];
            let sent = pair.sender.send(&payload);
            if !lengths.contains(&length) {
                assert_eq!(sent, Err(ProtectError::Length(length)));
                continue;
            }
            match pair.receiver.take(&sent.unwrap()).0 {
                Some(FrameOutcome::Authentic { payload: came, .. }) => {
                    assert_eq!(came.as_bytes(), payload);
                }
                other => panic!("{length} bytes: {other:?}"),
            }
        }
    }
}
