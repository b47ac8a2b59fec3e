//! A wheel with traction: `PMrpm` takes the speed, `PMled` shows it with two digits \[VULCAN\].

use super::{Caller, Door, EcuProgram, RefusedDoor, Shown};
use waywarden_vehicle_trace::ValueSource;

/// Program of a wheel.
#[derive(Clone, Debug)]
pub struct Wheel {
    stream: usize,
    display: Pmled,
}

/// `PMled`: two digits, or `bAd`.
#[derive(Clone, Copy, Debug)]
struct Pmled {
    door: Door,
    value: Option<u8>,
    is_bad: bool,
}

impl Wheel {
    /// Shows the first byte of a stream, which stands at this place in the vehicle file.
    #[must_use]
    pub fn new(stream: usize, is_protected: bool) -> Self {
        Wheel {
            stream,
            display: Pmled {
                door: Door::linked_with("PMrpm", is_protected),
                value: None,
                is_bad: false,
            },
        }
    }
}

impl Pmled {
    fn show(
        &mut self,
        caller: Caller,
        value: u8,
        source: ValueSource,
    ) -> Result<Option<Shown>, RefusedDoor> {
        self.door.enter(caller)?;
        self.is_bad = false;
        if self.value.replace(value) == Some(value) {
            return Ok(None);
        }
        Ok(Some(Shown {
            by: "PMled",
            text: format!("{value:02}"),
            source: Some(source),
        }))
    }

    fn bad(&mut self, caller: Caller) -> Result<Option<Shown>, RefusedDoor> {
        self.door.enter(caller)?;
        if std::mem::replace(&mut self.is_bad, true) {
            return Ok(None);
        }
        Ok(Some(Shown {
            by: "PMled",
            text: "bAd".to_owned(),
            source: None,
        }))
    }
}

/// `PMrpm`, as whom the wheel's own code calls the display.
const PMRPM: Caller = Caller::Module("PMrpm");

impl EcuProgram for Wheel {
    fn take(&mut self, stream: usize, payload: &[u8], source: ValueSource) -> Vec<Shown> {
        let speed = payload.first().filter(|_| stream == self.stream);
        let shown = speed.and_then(|&speed| self.display.show(PMRPM, speed, source).ok()?);
        shown.into_iter().collect()
    }

    fn refuse(&mut self, stream: usize) -> Vec<Shown> {
        match stream == self.stream {
            true => self.display.bad(PMRPM).ok().flatten().into_iter().collect(),
            false => Vec::new(),
        }
    }

    fn intrude(&mut self, caller: Caller, choice: u64) -> (Vec<Shown>, u64) {
        match self
            .display
            .show(caller, (choice % 100) as u8, ValueSource::AttackerCode)
        {
            Ok(shown) => (shown.into_iter().collect(), 0),
            Err(RefusedDoor) => (Vec::new(), 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wheel_shows_what_came_authentic_and_says_when_it_did_not() {
        let sent = |number| ValueSource::Message { stream: 4, number };
        let mut wheel = Wheel::new(4, true);
        let texts = |shown: Vec<Shown>| shown.into_iter().map(|one| one.text).collect::<Vec<_>>();
        assert_eq!(texts(wheel.take(4, &[20], sent(1))), ["20"]);
        assert!(wheel.take(4, &[20], sent(2)).is_empty(), "no change");
        assert!(wheel.take(5, &[30], sent(3)).is_empty(), "another's");
        assert_eq!(texts(wheel.refuse(4)), ["bAd"]);
        assert!(wheel.refuse(4).is_empty());
        assert_eq!(wheel.intrude(Caller::Unprotected, 66), (Vec::new(), 1));
        assert_eq!(texts(wheel.take(4, &[5], sent(4))), ["05"]);
        let mut plain = Wheel::new(4, false);
        assert_eq!(texts(plain.intrude(Caller::Unprotected, 66).0), ["66"]);
    }
}
