//! A log played back onto buses.

use std::sync::Arc;

use waywarden_can::Frame;
use waywarden_can::node::{Input, Node, Output, Port, Ports, Token};
use waywarden_work::{Duration, Instant};

use waywarden_vehicle_file::PlaybackSpeed;

/// The part of a log that goes out on one port, in order of time from the log's beginning.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Port of the frames.
    pub port: Port,
    /// Frames with their times. Shared: a log may be large and a node is made at each boot.
    pub frames: Arc<[(Duration, Frame)]>,
}

/// Plays lanes side by side; a lane whose bus is full holds up no other.
#[derive(Debug)]
pub struct Playback {
    lanes: Vec<(Lane, usize)>,
    pace: PlaybackSpeed,
    /// The length of the log where it starts again at its end.
    repeat: Option<Duration>,
    begun: Instant,
    until: Instant,
    token: u32,
}

impl Playback {
    /// Starts at `now` with the log's first frame.
    #[must_use]
    pub fn new(
        lanes: Vec<Lane>,
        pace: PlaybackSpeed,
        repeat: Option<Duration>,
        now: Instant,
        until: Instant,
    ) -> Self {
        let lanes = lanes.into_iter().map(|lane| (lane, 0)).collect();
        let repeat = repeat.filter(|length| *length > Duration::ZERO);
        Playback {
            lanes,
            pace,
            repeat,
            begun: now,
            until,
            token: 0,
        }
    }

    fn rewind(&mut self, now: Instant) {
        let Some(length) = self.repeat else { return };
        if self
            .lanes
            .iter()
            .any(|(lane, next)| *next < lane.frames.len())
        {
            return;
        }
        self.begun = match self.pace {
            PlaybackSpeed::Recorded => self.begun + length,
            PlaybackSpeed::Fast => now,
        };
        self.lanes.iter_mut().for_each(|(_, next)| *next = 0);
    }
}

impl Node for Playback {
    fn handle(&mut self, _now: Instant, _input: Input<'_>) {}

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.rewind(now);
        let mut earliest = Instant::MAX;
        for (lane, next) in &mut self.lanes {
            let Some(&(at, frame)) = lane.frames.get(*next) else {
                continue;
            };
            let due = match self.pace {
                PlaybackSpeed::Recorded => self.begun + at,
                PlaybackSpeed::Fast => now,
            };
            if due >= self.until {
                continue;
            }
            if due > now {
                earliest = earliest.min(due);
            } else if room.contains(lane.port) {
                *next += 1;
                self.token = self.token.wrapping_add(1);
                return Output::Transmit {
                    port: lane.port,
                    token: Token(self.token),
                    frame,
                };
            }
        }
        Output::Idle((earliest != Instant::MAX).then_some(earliest))
    }
}
