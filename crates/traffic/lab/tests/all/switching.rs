//! Stations that alternate between the control channel and a service channel \[1609.4\].

use waywarden_traffic_lab::radio::{
    ChannelSwitching, Medium, PlanePoint, Propagation, RadioFrame, RadioReception, RadioSettings,
    RadioSink,
};

const SECOND: u64 = 1_000_000_000;
const MILLISECOND: u64 = 1_000_000;
const STANDARD: ChannelSwitching = ChannelSwitching::STANDARD;
const BYTES: u32 = 460;

/// Keeps what happens.
#[derive(Default)]
struct Events {
    sent: Vec<u64>,
    received: Vec<RadioReception>,
}

impl RadioSink for Events {
    fn sent(&mut self, time_ns: u64, _sender: usize, _frame: &RadioFrame) {
        self.sent.push(time_ns);
    }

    fn received(&mut self, reception: &RadioReception) {
        self.received.push(*reception);
    }
}

/// So many stations on a road of 1 km, for 4 s.
fn run(stations: usize, channel_switching: Option<ChannelSwitching>, bytes: u32) -> Events {
    let settings = RadioSettings {
        channel_switching,
        ..RadioSettings::DEFAULT
    };
    let mut medium = Medium::new(settings, Propagation::FREE_SPACE, (bytes, SECOND / 10), 1);
    for station in 0..stations {
        let x_m = 1_000.0 * station as f64 / stations as f64;
        medium.place(station, Some(PlanePoint { x_m, y_m: 0.0 }.into()));
    }
    let mut events = Events::default();
    medium.run_until(4 * SECOND, &mut events);
    events
}

#[test]
fn no_frame_is_on_air_outside_of_the_control_channel_interval() {
    let airtime = RadioSettings::DEFAULT.airtime_ns(BYTES);
    for stations in [20, 100] {
        let events = run(stations, Some(STANDARD), BYTES);
        assert!(events.sent.len() > stations * 15, "{}", events.sent.len());
        for begin in &events.sent {
            let begin = begin % STANDARD.sync_interval_ns;
            assert!(begin >= STANDARD.guard_ns, "{begin}");
            assert!(begin + airtime <= STANDARD.control_interval_ns, "{begin}");
        }
    }
}

/// The share of messages that arrive at a station.
fn delivered(stations: usize, events: &Events) -> f64 {
    events.received.len() as f64 / (events.sent.len() * (stations - 1)) as f64
}

#[test]
fn collisions_rise_at_the_begin_of_the_control_channel_interval() {
    let (with, without) = (run(100, Some(STANDARD), BYTES), run(100, None, BYTES));
    let (share_with, share_without) = (delivered(100, &with), delivered(100, &without));
    assert!(
        share_with < 0.8 * share_without,
        "{share_with} {share_without}"
    );
    // Of 40 stations half have waited for the interval: they collide at its begin, and later ones
    // have the channel nearly for themselves.
    let events = run(40, Some(STANDARD), BYTES);
    let is_early = |time: u64| time % STANDARD.sync_interval_ns < 15 * MILLISECOND;
    let sent = events.sent.iter().filter(|time| is_early(**time)).count();
    let (early, late) = (sent * 39, (events.sent.len() - sent) * 39);
    let airtime = RadioSettings::DEFAULT.airtime_ns(BYTES);
    let received = events.received.iter();
    let received = received
        .filter(|one| is_early(one.time_ns - airtime))
        .count();
    let early = received as f64 / early as f64;
    let late = (events.received.len() - received) as f64 / late as f64;
    assert!(early < late - 0.1, "{early} {late}");
}

#[test]
fn messages_of_the_service_channel_interval_arrive_at_most_100_ms_later() {
    let events = run(20, Some(STANDARD), BYTES);
    let (mut waited, mut longest) = (0, 0);
    for one in &events.received {
        if !STANDARD.is_control_interval(one.made_ns) {
            waited += 1;
            longest = longest.max(one.time_ns - one.made_ns);
            // Not before the guard of the next interval is over.
            let opens = one.made_ns.next_multiple_of(STANDARD.sync_interval_ns) + STANDARD.guard_ns;
            assert!(one.time_ns > opens);
        }
    }
    assert!(waited > 1_000, "{waited}");
    assert!(
        (50 * MILLISECOND..=100 * MILLISECOND).contains(&longest),
        "{longest}"
    );
}

#[test]
fn a_frame_longer_than_the_control_channel_interval_is_never_sent() {
    assert!(!run(2, None, 40_000).sent.is_empty());
    assert!(run(2, Some(STANDARD), 40_000).sent.is_empty());
}
