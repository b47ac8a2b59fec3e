//! The protocols of the matrix, with their profiles, and what their pages promise.

/// A protocol with its profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AttackedProtocol {
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

impl AttackedProtocol {
    /// All, plain CAN first.
    pub const ALL: [AttackedProtocol; 10] = [
        AttackedProtocol::Plain,
        AttackedProtocol::VaticanPublished,
        AttackedProtocol::Vatican,
        AttackedProtocol::LeiaPublished,
        AttackedProtocol::Leia,
        AttackedProtocol::Autosar1,
        AttackedProtocol::Autosar2Published,
        AttackedProtocol::Autosar2,
        AttackedProtocol::Jaspar,
        AttackedProtocol::Production,
    ];

    /// Returns one word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            AttackedProtocol::Plain => "plain",
            AttackedProtocol::VaticanPublished => "vatican-as-published",
            AttackedProtocol::Vatican => "vatican",
            AttackedProtocol::LeiaPublished => "leia-as-published",
            AttackedProtocol::Leia => "leia",
            AttackedProtocol::Autosar1 => "autosar-1",
            AttackedProtocol::Autosar2Published => "autosar-2-as-published",
            AttackedProtocol::Autosar2 => "autosar-2",
            AttackedProtocol::Jaspar => "jaspar",
            AttackedProtocol::Production => "production",
        }
    }

    /// Returns what people call it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            AttackedProtocol::Plain => "plain CAN",
            AttackedProtocol::VaticanPublished => "vatiCAN, as published",
            AttackedProtocol::Vatican => "vatiCAN, hardened",
            AttackedProtocol::LeiaPublished => "LeiA, as published",
            AttackedProtocol::Leia => "LeiA, hardened",
            AttackedProtocol::Autosar1 => "SecOC, AUTOSAR 1",
            AttackedProtocol::Autosar2Published => "SecOC, AUTOSAR 2 as published",
            AttackedProtocol::Autosar2 => "SecOC, AUTOSAR 2 synchronised",
            AttackedProtocol::Jaspar => "SecOC, JASPAR",
            AttackedProtocol::Production => "SecOC, production",
        }
    }

    /// Returns the time after an attack within which every message is authentic again, as its page
    /// states; none where nothing is promised.
    #[must_use]
    pub const fn bound_ms(self) -> Option<f64> {
        match self {
            AttackedProtocol::Plain
            | AttackedProtocol::VaticanPublished
            | AttackedProtocol::LeiaPublished
            | AttackedProtocol::Autosar2Published => None,
            // 320 ms, four periods, and 40 ms for questions of others.
            AttackedProtocol::Vatican | AttackedProtocol::Leia => Some(400.0),
            // 34 periods; writing takes no time on the boards here.
            AttackedProtocol::Autosar1 => Some(340.0),
            // Six cycles of 20 ms, one period.
            AttackedProtocol::Autosar2
            | AttackedProtocol::Jaspar
            | AttackedProtocol::Production => Some(130.0),
        }
    }

    /// Returns true if a message is two frames.
    pub(super) const fn is_paired(self) -> bool {
        matches!(
            self,
            AttackedProtocol::VaticanPublished
                | AttackedProtocol::Vatican
                | AttackedProtocol::LeiaPublished
                | AttackedProtocol::Leia
        )
    }

    /// Returns true if a master announces the time of the car.
    pub(super) const fn has_master(self) -> bool {
        matches!(
            self,
            AttackedProtocol::Autosar2 | AttackedProtocol::Jaspar | AttackedProtocol::Production
        )
    }

    /// The words of vehicle files.
    pub(super) const fn scheme(self) -> Option<(&'static str, &'static str)> {
        Some(match self {
            AttackedProtocol::Plain => return None,
            AttackedProtocol::VaticanPublished => ("vatican", "as-published"),
            AttackedProtocol::Vatican => ("vatican", "hardened"),
            AttackedProtocol::LeiaPublished => ("leia", "as-published"),
            AttackedProtocol::Leia => ("leia", "hardened"),
            AttackedProtocol::Autosar1 => ("secoc", "autosar-1"),
            AttackedProtocol::Autosar2Published => ("secoc", "autosar-2-as-published"),
            AttackedProtocol::Autosar2 => ("secoc", "autosar-2"),
            AttackedProtocol::Jaspar => ("secoc", "jaspar"),
            AttackedProtocol::Production => ("secoc", "production"),
        })
    }
}
