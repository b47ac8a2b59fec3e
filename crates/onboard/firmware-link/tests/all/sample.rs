//! One message of each kind, and a record that is as full as can be.

use waywarden_can::node::{BusState, Port, Slot};
use waywarden_can::{FdFlags, Frame, Id, MessageHandle, StandardId};
use waywarden_can_auth::event::{CanPayload, FrameOutcome};
use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_can_auth::mac::MacKey;
use waywarden_can_auth::secoc::{
    AnnouncementFrame, Layout, SecocCarrier, SecocProfile, SecocStream,
};
use waywarden_ecu::{
    CheckReport, KeptBack, PayloadContent, PeriodicStream, StreamFormat, Withheld,
};
use waywarden_firmware_link::{
    Announcements, Answer, ENDS_MAX, EcuRecord, FreshnessRecord, KEYS_MAX, KeyRecord, Request,
    RetainedSlots, SLOTS_MAX, STREAMS_MAX, SignedItem, SignedKind, Status, TimedRequest, VERSION,
    Verdict,
};
use waywarden_group_keys::{Address, ExchangeFailure, GroupRoleEvent};
use waywarden_work::{Duration, Instant};

const NAME: MessageHandle = MessageHandle::new([1, 2, u32::MAX]);

fn frames() -> Vec<Frame> {
    let standard = Id::standard(0x7FF).expect("11 bits");
    let extended = Id::extended(0x1FFF_FFFF).expect("29 bits");
    let flags = FdFlags {
        bit_rate_switch: true,
        error_state_indicator: true,
    };
    let made = [
        Frame::classic(standard, &[1, 2, 3]),
        Frame::classic(extended, &[0; 8]).and_then(|frame| frame.with_raw_dlc(12)),
        Frame::remote(standard, 5),
        Frame::fd(extended, &[9; 12]),
        Frame::fd_with(standard, &[0xA5; 64], flags),
    ];
    let named = |frame: Result<Frame, _>| frame.expect("a frame").with_message(NAME);
    made.map(named).into()
}

fn outcomes() -> Vec<FrameOutcome> {
    let id = StandardId::new(0x120).expect("11 bits");
    vec![
        FrameOutcome::Authentic {
            stream: id,
            payload: CanPayload::new(&[7; 64]).with_message(NAME),
        },
        FrameOutcome::WrongTag(id),
        FrameOutcome::Replay(id),
        FrameOutcome::Missing(id),
        FrameOutcome::TagWithoutData(id),
        FrameOutcome::OutOfStep(id),
        FrameOutcome::Resynced(id),
        FrameOutcome::UnknownId(Id::extended(5).expect("29 bits")),
    ]
}

fn group_events() -> Vec<GroupRoleEvent> {
    let (ecu, epoch) = (Address(9), 1 << 40);
    let failures = [
        ExchangeFailure::Orchestration,
        ExchangeFailure::SecretMissing(ecu),
        ExchangeFailure::Share,
        ExchangeFailure::Confirmation,
        ExchangeFailure::Timeout,
        ExchangeFailure::PublicKeyMissing(ecu),
    ];
    let result = Address(255);
    let failed = failures.map(|failure| GroupRoleEvent::Failed { result, failure });
    let mut events = vec![
        GroupRoleEvent::Formed(ecu),
        GroupRoleEvent::Confirmed { epoch },
        GroupRoleEvent::Missed { epoch },
        GroupRoleEvent::Starved { renewals: 8 },
        GroupRoleEvent::Unresponsive(ecu),
        GroupRoleEvent::Removed(ecu),
        GroupRoleEvent::Included(ecu),
        GroupRoleEvent::Renewing,
        GroupRoleEvent::PortLags(Port(0)),
        GroupRoleEvent::PortFollows(Port(0)),
        GroupRoleEvent::Unacknowledged { epoch, members: 3 },
    ];
    events.extend(failed);
    events
}

/// Returns a request of each kind.
pub(crate) fn requests() -> Vec<TimedRequest<'static>> {
    let until = Some(Instant::from_nanos(u64::MAX));
    let reasons = [
        KeptBack::Skipped,
        KeptBack::Withheld(Withheld::Unretained),
        KeptBack::Withheld(Withheld::Faulty),
    ];
    let mut requests = vec![
        Request::Boot { version: VERSION },
        Request::Wait { until: None },
        Request::Wait { until },
        Request::Receive,
        Request::Store {
            slot: Slot(3),
            value: [0x5A; 32],
        },
        Request::Released { stream: 7 },
        Request::Sampled(NAME),
        Request::NotChecked { is_full: true },
        Request::Stack(1_234),
        Request::TakeSigned(None),
        Request::TakeSigned(Some(Verdict {
            is_accepted: false,
            reason: "spduRelevanceReplayedSpdu",
        })),
        Request::Failed("index out of bounds: the length is 3 but the index is 7"),
        Request::GroupBegun,
        Request::GroupKey {
            epoch: 7,
            key: 1 << 63,
        },
    ];
    requests.extend(group_events().into_iter().map(Request::GroupEvent));
    requests.extend(frames().into_iter().map(Request::Send));
    let message = NAME;
    requests.extend(reasons.map(|why| Request::KeptBack { message, why }));
    requests.extend(outcomes().into_iter().map(|event| {
        Request::Checked(CheckReport {
            port: Port(0),
            event,
            message,
            is_stopped: false,
        })
    }));
    let timed = (0..).zip(requests).map(|(at, request)| TimedRequest {
        instructions: at << 32,
        request,
    });
    timed.collect()
}

/// Returns an answer of each kind.
pub(crate) fn answers() -> Vec<Answer<'static>> {
    let states = [BusState::Active, BusState::Passive, BusState::Off];
    let status = |state| Status {
        now: Instant::from_nanos(1 << 40),
        is_sent: true,
        state,
        has_frame: false,
    };
    let mut answers = vec![
        Answer::Boot {
            status: status(BusState::Active),
            picoseconds: 12_500,
            seed: [9; 32],
            retained: RetainedSlots::new(&[5; 33 * SLOTS_MAX]).expect("whole entries"),
            record: &[1, 2, 3],
        },
        Answer::Received {
            status: status(BusState::Active),
            frame: None,
        },
        Answer::Named(NAME),
        Answer::Finish,
    ];
    let kinds = [
        SignedKind::TrustAnchor,
        SignedKind::Certificate,
        SignedKind::Message { now: u64::MAX },
    ];
    answers.extend(kinds.map(|kind| {
        Answer::Signed(SignedItem {
            kind,
            bytes: &[0x80, 3, 0],
        })
    }));
    answers.extend(states.map(|state| Answer::Status(status(state))));
    answers.extend(frames().into_iter().map(|frame| Answer::Received {
        status: status(BusState::Passive),
        frame: Some(frame),
    }));
    answers
}

/// Returns a record with every list full.
pub(crate) fn record() -> EcuRecord {
    let contents = [
        PayloadContent::Counter,
        PayloadContent::Random,
        PayloadContent::Constant([3; 64]),
    ];
    let formats = [
        StreamFormat::Classic,
        StreamFormat::Fd {
            bit_rate_switch: false,
        },
        StreamFormat::Fd {
            bit_rate_switch: true,
        },
    ];
    let stream = |at: usize| PeriodicStream {
        port: Port(0),
        id: Id::extended(0x100 + at as u32).expect("29 bits"),
        format: formats[at % 3],
        length: 8,
        period: Duration::from_millis(10),
        offset: Duration::from_micros(7),
        jitter: Duration::from_micros(100),
        content: contents[at % 3],
    };
    let secured = |at: usize| {
        let layout = Layout::fixed(SecocCarrier::Fd, 12);
        let layout = layout.secured(1..11).padded_with(0xCC);
        let id = StandardId::new(0x200 + at as u16).expect("11 bits");
        let made = SecocStream::new(SecocProfile::PRODUCTION, layout, id, KeyId(at as u16));
        let frame_id = Id::extended(0x1000 + at as u32).expect("29 bits");
        let made = made.expect("it fits").with_frame_id(frame_id);
        made.with_data_id(0x1111)
    };
    EcuRecord {
        streams: (0..STREAMS_MAX).map(stream).collect(),
        freshness: FreshnessRecord::Master {
            announcements: Announcements {
                profile: SecocProfile::PRODUCTION,
                frame: AnnouncementFrame {
                    carrier: SecocCarrier::Classic,
                    id: StandardId::new(0xF).expect("11 bits"),
                    mac_bits: 28,
                },
                key: KeyId(0xFFFF),
            },
            pace: Duration::from_millis(100),
        },
        senders: (0..ENDS_MAX).map(secured).collect(),
        receivers: (ENDS_MAX..2 * ENDS_MAX).map(secured).collect(),
        keys: (0..KEYS_MAX)
            .map(|at| KeyRecord {
                id: KeyId(at as u16),
                usage: [Usage::Protect, Usage::Check, Usage::Both][at % 3],
                key: MacKey::from_bytes([at as u8; 16]),
            })
            .collect(),
    }
}
