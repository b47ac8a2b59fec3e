//! The protocols of the matrix, with their profiles, and what their pages promise.

/// A protocol with its profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protocol {
    /// CAN without any authentication.
    Plain,
    /// vatiCAN as published.
    VaticanPublished,
    /// vatiCAN, hardened.
    Vatican,
    /// LeiA as published.
    LeiaPublished,
    /// LeiA, hardened.
    Leia,
    /// SecOC, AUTOSAR's first profile, with freshness by a counter.
    Autosar1,
    /// SecOC, AUTOSAR's second profile without freshness.
    Autosar2Published,
    /// SecOC, AUTOSAR's second profile with synchronised freshness.
    Autosar2,
    /// SecOC, AUTOSAR's third profile.
    Jaspar,
    /// SecOC as in production cars.
    Production,
}

impl Protocol {
    /// All, plain CAN first.
    pub const ALL: [Protocol; 10] = [
        Protocol::Plain,
        Protocol::VaticanPublished,
        Protocol::Vatican,
        Protocol::LeiaPublished,
        Protocol::Leia,
        Protocol::Autosar1,
        Protocol::Autosar2Published,
        Protocol::Autosar2,
        Protocol::Jaspar,
        Protocol::Production,
    ];

    /// Returns one word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Protocol::Plain => "plain",
            Protocol::VaticanPublished => "vatican-as-published",
            Protocol::Vatican => "vatican",
            Protocol::LeiaPublished => "leia-as-published",
            Protocol::Leia => "leia",
            Protocol::Autosar1 => "autosar-1",
            Protocol::Autosar2Published => "autosar-2-as-published",
            Protocol::Autosar2 => "autosar-2",
            Protocol::Jaspar => "jaspar",
            Protocol::Production => "production",
        }
    }

    /// Returns what people call it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Protocol::Plain => "plain CAN",
            Protocol::VaticanPublished => "vatiCAN, as published",
            Protocol::Vatican => "vatiCAN, hardened",
            Protocol::LeiaPublished => "LeiA, as published",
            Protocol::Leia => "LeiA, hardened",
            Protocol::Autosar1 => "SecOC, AUTOSAR 1",
            Protocol::Autosar2Published => "SecOC, AUTOSAR 2 as published",
            Protocol::Autosar2 => "SecOC, AUTOSAR 2 synchronised",
            Protocol::Jaspar => "SecOC, JASPAR",
            Protocol::Production => "SecOC, production",
        }
    }

    /// Returns the time after an attack within which every message is authentic again, as its page
    /// states; none where nothing is promised.
    #[must_use]
    pub const fn bound_ms(self) -> Option<f64> {
        match self {
            Protocol::Plain
            | Protocol::VaticanPublished
            | Protocol::LeiaPublished
            | Protocol::Autosar2Published => None,
            // 320 ms, four periods, and 40 ms for questions of others.
            Protocol::Vatican | Protocol::Leia => Some(400.0),
            // 34 periods; writing takes no time on the boards here.
            Protocol::Autosar1 => Some(340.0),
            // Six cycles of 20 ms, one period.
            Protocol::Autosar2 | Protocol::Jaspar | Protocol::Production => Some(130.0),
        }
    }

    /// Returns true if a message is two frames.
    pub(super) const fn is_paired(self) -> bool {
        matches!(
            self,
            Protocol::VaticanPublished
                | Protocol::Vatican
                | Protocol::LeiaPublished
                | Protocol::Leia
        )
    }

    /// Returns true if a master announces the time of the car.
    pub(super) const fn has_master(self) -> bool {
        matches!(
            self,
            Protocol::Autosar2 | Protocol::Jaspar | Protocol::Production
        )
    }

    /// The words of vehicle files.
    pub(super) const fn scheme(self) -> Option<(&'static str, &'static str)> {
        Some(match self {
            Protocol::Plain => return None,
            Protocol::VaticanPublished => ("vatican", "as-published"),
            Protocol::Vatican => ("vatican", "hardened"),
            Protocol::LeiaPublished => ("leia", "as-published"),
            Protocol::Leia => ("leia", "hardened"),
            Protocol::Autosar1 => ("secoc", "autosar-1"),
            Protocol::Autosar2Published => ("secoc", "autosar-2-as-published"),
            Protocol::Autosar2 => ("secoc", "autosar-2"),
            Protocol::Jaspar => ("secoc", "jaspar"),
            Protocol::Production => ("secoc", "production"),
        })
    }
}
