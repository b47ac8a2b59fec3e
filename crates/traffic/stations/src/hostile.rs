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
