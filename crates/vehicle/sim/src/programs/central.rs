//! The central unit: `PMkey` owns the keypad, `PMcs` makes messages for wheels and clusters of what
//! it says \[VULCAN\].

use waywarden_work::Instant;

use super::keypad::{Keypad, Stroke};
use super::{Caller, Door, EcuProgram, KeyPress, RefusedDoor, Shown};
use waywarden_vehicle_file::KeypadKey;

/// One key stroke changes the speed by so much.
const STEP: u8 = 10;
/// Greatest speed.
const SPEED_MAX: u8 = 80;
/// The outer wheels turn faster by so much in a bend.
const BEND: u8 = 5;

/// The streams of the central unit, by their places in the vehicle file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CentralStreams {
    /// Speed of the left wheels, 1 byte.
    pub left: usize,
    /// Speed of the right wheels, 1 byte.
    pub right: usize,
    /// Engine speed, 8 bytes as `Motor_1` of its car.
    pub rpm: usize,
    /// Indicators, 8 bytes as `BSG_Kombi`.
    pub indicators: usize,
}

/// Program of the central unit.
#[derive(Clone, Debug)]
pub struct CentralUnit {
    keypad: Keypad,
    system: Pmcs,
    streams: CentralStreams,
    strokes: u64,
}

/// `PMcs`: the settings that the keypad selects.
#[derive(Clone, Copy, Debug)]
struct Pmcs {
    door: Door,
    speed: u8,
    left: bool,
    right: bool,
    hazard: bool,
}

impl CentralUnit {
    /// Creates a central unit with these strokes; `before` came before this boot, and their effect
    /// is gone with it.
    #[must_use]
    pub fn new(
        strokes: Vec<Stroke>,
        before: u64,
        streams: CentralStreams,
        is_protected: bool,
    ) -> Self {
        CentralUnit {
            keypad: Keypad::new(strokes),
            system: Pmcs {
                door: Door::linked_with("PMkey", is_protected),
                speed: 0,
                left: false,
                right: false,
                hazard: false,
            },
            streams,
            strokes: before,
        }
    }
}

impl Pmcs {
    fn stroke(&mut self, caller: Caller, stroke: Stroke) -> Result<(), RefusedDoor> {
        self.door.enter(caller)?;
        match (stroke.key, stroke.is_down) {
            (KeypadKey::Faster, true) => self.speed = (self.speed + STEP).min(SPEED_MAX),
            (KeypadKey::Slower, true) => self.speed = self.speed.saturating_sub(STEP),
            (KeypadKey::Hazard, true) => self.hazard = !self.hazard,
            (KeypadKey::Left, down) => self.left = down,
            (KeypadKey::Right, down) => self.right = down,
            (KeypadKey::Faster | KeypadKey::Slower | KeypadKey::Hazard, false) => {}
        }
        Ok(())
    }

    /// In a bend the wheels on the other side have the longer way.
    fn wheel(&self, is_turning_away: bool) -> u8 {
        match is_turning_away && self.speed > 0 {
            true => self.speed + BEND,
            false => self.speed,
        }
    }

    fn rpm(&self) -> [u8; 64] {
        // `Motordrehzahl` is a quarter of a turn a minute in bytes 2 and 3, little endian; a speed
        // of 80 is 8,000 turns.
        let turns = u16::from(self.speed) * 400;
        let [low, high] = turns.to_le_bytes();
        padded(&[0x49, 0x0E, low, high, 0x0E, 0x00, 0x1B, 0x0E])
    }

    fn indicators(&self) -> [u8; 64] {
        let left = u8::from(self.left || self.hazard);
        let right = u8::from(self.right || self.hazard);
        padded(&[left | right << 1, 0, 0x01, 0, 0, 0, 0, 0])
    }
}

fn padded(bytes: &[u8]) -> [u8; 64] {
    let mut payload = [0; 64];
    payload[..bytes.len()].copy_from_slice(bytes);
    payload
}

impl EcuProgram for CentralUnit {
    fn tick(&mut self, now: Instant) -> Vec<KeyPress> {
        let mut pressed = Vec::new();
        while let Some(stroke) = self.keypad.due(now) {
            // PMkey is the module that PMcs is linked with.
            if self.system.stroke(Caller::Module("PMkey"), stroke).is_ok() {
                self.strokes += 1;
                pressed.push(KeyPress {
                    module: "PMkey",
                    number: self.strokes,
                    key: stroke.key,
                    is_down: stroke.is_down,
                });
            }
        }
        pressed
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.keypad.next()
    }

    fn payload(&self, stream: usize) -> Option<[u8; 64]> {
        let CentralStreams {
            left,
            right,
            rpm,
            indicators,
        } = self.streams;
        match stream {
            _ if stream == left => Some(padded(&[self.system.wheel(self.system.right)])),
            _ if stream == right => Some(padded(&[self.system.wheel(self.system.left)])),
            _ if stream == rpm => Some(self.system.rpm()),
            _ if stream == indicators => Some(self.system.indicators()),
            _ => None,
        }
    }

    fn cause(&self) -> Option<u64> {
        (self.strokes > 0).then_some(self.strokes)
    }

    fn intrude(&mut self, caller: Caller, choice: u64) -> (Vec<Shown>, u64) {
        let (_, key) = KeypadKey::ALL[(choice % 5) as usize];
        let stroke = Stroke {
            at: Instant::ZERO,
            key,
            is_down: true,
        };
        let refused = self.system.stroke(caller, stroke).is_err();
        (Vec::new(), u64::from(refused))
    }
}

#[cfg(test)]
mod tests {
    use waywarden_work::Duration;

    use super::*;

    const STREAMS: CentralStreams = CentralStreams {
        left: 0,
        right: 1,
        rpm: 2,
        indicators: 3,
    };

    fn stroke(millis: u64, key: KeypadKey, is_down: bool) -> Stroke {
        let at = at(millis);
        Stroke { at, key, is_down }
    }

    fn at(millis: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(millis)
    }

    #[test]
    fn keys_become_what_wheels_and_clusters_receive() {
        let strokes = vec![
            stroke(10, KeypadKey::Faster, true),
            stroke(20, KeypadKey::Faster, true),
            stroke(30, KeypadKey::Left, true),
            stroke(45, KeypadKey::Left, false),
            stroke(60, KeypadKey::Hazard, true),
            stroke(70, KeypadKey::Slower, true),
        ];
        let mut unit = CentralUnit::new(strokes, 0, STREAMS, true);
        let mut see = |millis| {
            unit.tick(at(millis));
            let byte = |stream, at: usize| unit.payload(stream).unwrap()[at];
            (byte(0, 0), byte(1, 0), byte(3, 0), unit.cause())
        };
        assert_eq!(see(5), (0, 0, 0, None));
        assert_eq!(see(25), (20, 20, 0, Some(2)));
        assert_eq!(
            see(35),
            (20, 25, 1, Some(3)),
            "the right wheels are the outer ones"
        );
        assert_eq!(see(50), (20, 20, 0, Some(4)), "let go");
        assert_eq!(see(65), (20, 20, 3, Some(5)));
        assert_eq!(see(75), (10, 10, 3, Some(6)));
        let rpm = unit.payload(2).unwrap();
        assert_eq!(u16::from_le_bytes([rpm[2], rpm[3]]) / 4, 1_000);
    }

    #[test]
    fn only_the_keypads_module_is_let_in() {
        let mut protected = CentralUnit::new(Vec::new(), 0, STREAMS, true);
        assert_eq!(protected.intrude(Caller::Unprotected, 1).1, 1);
        assert_eq!(protected.payload(0).unwrap()[0], 0);
        let mut plain = CentralUnit::new(Vec::new(), 0, STREAMS, false);
        assert_eq!(plain.intrude(Caller::Unprotected, 1).1, 0);
        assert_eq!(plain.payload(0).unwrap()[0], 10);
    }
}
