//! Tests of what the station's screen shows of what was heard.

use std::sync::Arc;
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use waywarden_v2x_neighbourhood::{EthernetFrame, NotSentCause, SenderOrigin, StationMoment};
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_station::content::StationMessageKind;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Latitude, Longitude, TwoDLocation};

use super::*;

const NOW: Time64 = Time64(722_000_000_000_000);

fn place(latitude: i32) -> TwoDLocation {
    TwoDLocation {
        latitude: Latitude(latitude),
        longitude: Longitude(115_750_000),
    }
}

fn happened(station: usize, event: NeighbourhoodEvent) -> StationEvent {
    let now = StationMoment {
        time: NOW,
        elapsed: Duration::ZERO,
    };
    StationEvent {
        station,
        now,
        event,
    }
}

fn heard(verdict: ReceptionVerdict, name: u32) -> NeighbourhoodEvent {
    let content = MessageContent {
        kind: StationMessageKind::Cam,
        station: Some(name),
        place: Some(place(481_370_000)),
        speed_cm_s: Some(1_390),
        heading_decidegrees: Some(900),
        acceleration_cm_s2: None,
        yaw_rate_centidegrees_s: None,
    };
    NeighbourhoodEvent::Heard(Box::new(Reception {
        frame: EthernetFrame {
            bytes: Arc::from([0; 4]),
            origin: SenderOrigin::Unknown,
        },
        link: [2, 0, 0, 0, 0, 7],
        content: verdict.is_accepted().then_some(content),
        verdict,
        is_new: false,
        received: NOW,
        latency: Duration::ZERO,
    }))
}

fn view() -> View {
    let mut view = View::default();
    let accepted = ReceptionVerdict::Accepted {
        signer: HashedId8([0xab; 8]),
        psid: Psid(36),
        payload: Vec::new(),
        payload_check: None,
    };
    let refused = ReceptionVerdict::Refused {
        code: ResultCode::CryptoVerificationFailure,
        reason: String::new(),
    };
    view.take(&happened(0, heard(accepted, 4_711)));
    view.take(&happened(0, heard(refused, 1)));
    view.take(&happened(
        1,
        NeighbourhoodEvent::Impaired(NotSentCause::Position),
    ));
    view.log("one line".to_owned());
    view
}

fn drawn(view: &View, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| view.draw(frame)).unwrap();
    terminal.backend().to_string()
}

#[test]
fn screen_shows_who_is_heard_what_is_refused_and_why_nothing_is_sent() {
    let mut view = view();
    view.input = "event\u{1b}[2J".to_owned();
    let text = drawn(&view, 110, 30);
    for part in [
        "Station 0 of 2",
        "1 in reach",
        "4711",
        "CAM",
        "13.9 m/s",
        "90.0 °",
        "abababababababab",
        "02:00:00:00:00:07",
        "spduCryptoVerificationFailure",
        "one line",
        "> event",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains('\u{1b}'));
    view.select(true);
    let text = drawn(&view, 110, 30);
    assert!(
        text.contains("sends nothing: the position is not known"),
        "{text}"
    );
    view.select(true);
    assert_eq!(view.selected, 0);
    view.select(false);
    assert_eq!(view.selected, 1);
}

#[test]
fn every_size_of_a_terminal_is_drawn() {
    let (empty, view) = (View::default(), view());
    for width in [1, 2, 10, 40, 200] {
        for height in [1, 2, 5, 12, 60] {
            drawn(&empty, width, height);
            drawn(&view, width, height);
        }
    }
}
