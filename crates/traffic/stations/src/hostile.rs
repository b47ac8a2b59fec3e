//! Kinds of hostile vehicles, and their share of the traffic.

use waywarden_random::Random;

macro_rules! kinds {
    ($($(#[$meta:meta])* $kind:ident = $name:literal;)*) => {
        /// Kind of a hostile vehicle.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum HostileKind {
            $($(#[$meta])* $kind,)*
        }

        impl HostileKind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// Returns its name in options and reports.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }
        }
    };
}

kinds! {
    /// It signs by its own key, in the name of another vehicle that it has heard.
    Forged = "forged";
    /// It sends messages of others again, after 300 ms.
    Replayed = "replayed";
    /// It sends messages of others again, after ten seconds.
    Late = "late";
    /// Its certificate has expired the day before.
    Expired = "expired";
    /// Its certificate is revoked, and all receivers have the list.
    Revoked = "revoked";
    /// Its certificate is of an authority that no receiver knows.
    UnknownAuthority = "unknown-authority";
    /// It claims to stand where it was first, at its speed.
    ConstantPosition = "constant-position";
    /// It claims a place with an offset that stays.
    ConstantOffset = "constant-offset";
    /// It claims any place within 300 m.
    RandomPosition = "random-position";
    /// It claims a place with an offset that changes, up to 70 m.
    RandomOffset = "random-offset";
    /// It claims to stand, at its true places.
    ZeroSpeed = "zero-speed";
    /// It claims to be faster or slower by as much all the time.
    ConstantSpeedOffset = "constant-speed-offset";
    /// It claims any speed up to 40 m/s.
    RandomSpeed = "random-speed";
    /// It claims to drive into the opposite direction.
    ReversedHeading = "reversed-heading";
    /// After five seconds it claims to have stopped.
    EventualStop = "eventual-stop";
    /// It claims to brake hard for two seconds, each six seconds.
    FeignedBraking = "feigned-braking";
    /// It claims three times its acceleration.
    AccelerationMultiplication = "acceleration-multiplication";
    /// It claims its motion of two seconds ago.
    TimeDelay = "time-delay";
    /// It claims the motion of a vehicle that it has heard.
    DataReplay = "data-replay";
    /// It is four vehicles by its messages, in a row.
    Sybil = "sybil";
    /// It sends its message again each 20 ms, newly signed.
    Flood = "flood";
    /// Its messages are honest, and it reports each vehicle that it hears.
    LyingReporter = "lying-reporter";
}

impl HostileKind {
    /// Returns true if its certificates are valid and its signatures are its own: what is wrong is
    /// what it claims, or how often.
    #[must_use]
    pub fn is_misbehaviour(self) -> bool {
        !matches!(
            self,
            Self::Forged
                | Self::Replayed
                | Self::Late
                | Self::Expired
                | Self::Revoked
                | Self::UnknownAuthority
        )
    }

    /// Returns how many vehicles it is by its messages.
    pub(crate) fn names(self) -> usize {
        match self {
            Self::Sybil => 4,
            _ => 1,
        }
    }
}

/// The hostile vehicles of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostileSettings {
    /// Kinds, of which each hostile vehicle is one.
    pub kinds: Vec<HostileKind>,
    /// Share of vehicles that are hostile, 0 to 1.
    pub share: f64,
}

impl HostileSettings {
    /// Returns true if a vehicle may be hostile.
    #[must_use]
    pub fn is_any(&self) -> bool {
        !self.kinds.is_empty() && self.share > 0.0
    }

    /// Draws the kind of a vehicle; `None`: it is honest.
    pub(crate) fn draw(&self, random: &Random) -> Option<HostileKind> {
        if !self.is_any() {
            return None;
        }
        let mut random = random.stream("hostile", 0);
        if !random.chance(self.share) {
            return None;
        }
        let at = random.below(self.kinds.len() as u64) as usize;
        self.kinds.get(at).copied()
    }
}
