//! Planned changes while the attacker is at work: an ECU is retired and perhaps taken back, a
//! window opens and ends, a certificate ends. All of them take effect in spite of the attacker.

use waywarden_can_sim::random::Random;
use waywarden_lasan::Address;
use waywarden_lasan::{AuthenticationSuite, Credentials, NetworkTime, Validity};
use waywarden_work::Duration;

use super::INSIDER;
use crate::lab::{Lab, changed};
use crate::network::{Known, NetworkConfig, identity_secret, name, party, stream_of};

/// Lifetime of the keys of streams in these runs, in milliseconds: an ECU that no message reaches
/// may hold a revoked key for so long.
pub(super) const KEY_MS: u64 = 3_000;

/// The planned changes, in milliseconds from the start.
#[derive(Debug, Default)]
pub(super) struct Delivery {
    /// The sender whose stream has a window, and the window's start and end.
    window: Option<(u8, u64, u64)>,
    retired: Option<Retirement>,
    /// The ECU whose certificate ends, and the time of that.
    expires: Option<(u8, u64)>,
}

#[derive(Debug)]
struct Retirement {
    ecu: u8,
    from: u64,
    until: u64,
    /// The newest generation of each sender's stream when it was retired.
    known: Option<[u32; 3]>,
}

impl Delivery {
    /// Draws changes at random and writes the window into the configuration.
    pub(super) fn new(network_config: &mut NetworkConfig, random: &mut Random) -> Self {
        let mut delivery = Delivery::default();
        network_config.timing.stream_key = Duration::from_millis(KEY_MS);
        let mut time = |from: u64, most: u64| from + random.below(most);
        if time(0, 2) == 0 {
            let ecu = time(1, 3) as u8;
            // Some are shorter than the pauses between requests.
            let from = time(0, 2_000);
            let until = from + time(100, 1_500);
            let zero = network_config.settings().time_at_zero.0;
            let line = &mut network_config.streams[usize::from(ecu) - 1];
            (line.from, line.until) = (NetworkTime(zero + from), NetworkTime(zero + until));
            delivery.window = Some((ecu, from, until));
        }
        if time(0, 2) == 0 {
            let from = time(300, 2_000);
            let until = [from + time(200, 2_000), u64::MAX][time(0, 2) as usize];
            delivery.retired = Some(Retirement {
                ecu: time(1, 3) as u8,
                from,
                until,
                known: None,
            });
        }
        if network_config.credentials == Credentials::Certificates && time(0, 2) == 0 {
            delivery.expires = Some((time(1, 3) as u8, time(500, 2_300)));
        }
        delivery
    }

    /// Returns what all know, with the certificate that ends.
    pub(super) fn known<S: AuthenticationSuite>(&self, network_config: &NetworkConfig) -> Known {
        let plain = crate::network::directory::<S>(network_config);
        let Some((ecu, last)) = self.expires else {
            return plain;
        };
        let network_config = NetworkConfig {
            validity: Validity {
                first: NetworkTime(0),
                last: NetworkTime(network_config.settings().time_at_zero.0 + last),
            },
            ..network_config.clone()
        };
        let own = party::<S>(&network_config, ecu, &identity_secret(ecu, 0));
        changed(&plain, |network| {
            network.parties[usize::from(ecu) - 1] = own;
        })
    }

    /// Carries out the changes that are due.
    pub(super) fn apply<S: AuthenticationSuite>(&mut self, lab: &mut Lab<S>) {
        let now = millis(lab);
        let Some(retired) = &mut self.retired else {
            return;
        };
        let ecu = Address(retired.ecu);
        if retired.known.is_some() && now >= retired.until {
            retired.known = None;
            (retired.from, retired.until) = (u64::MAX, u64::MAX);
            let back = lab.module.borrow_mut().enrol(ecu, name(ecu.0), None);
            assert!(back || lab.known.settings.credentials != Credentials::Certificates);
        } else if retired.known.is_none() && now >= retired.from {
            let newest = |sender: u8| {
                let held = (1..=INSIDER).filter_map(|at| lab.stream_key(at, sender));
                held.map(|(generation, _)| generation).max().unwrap_or(0)
            };
            let known = [1, 2, 3].map(newest);
            lab.module.borrow_mut().retire(ecu);
            // It is written down before anything else happens.
            lab.run(1);
            retired.known = Some(known);
        }
    }

    /// Asserts that all of it holds.
    pub(super) fn check<S: AuthenticationSuite>(&self, lab: &Lab<S>) {
        let now = millis(lab);
        for sender in 1..=INSIDER {
            let held = (1..=INSIDER).find(|&at| lab.stream_key(at, sender).is_some());
            let open = self.is_open(sender, now);
            assert!(
                open || held.is_none(),
                "{self:?}: {held:?} has {sender} at {now}"
            );
        }
        if let Some((ecu, last)) = self.expires
            && now > last + 1
        {
            assert!(
                !lab.module.borrow().is_authenticated(Address(ecu)),
                "{self:?}"
            );
            for other in 1..=INSIDER {
                assert_eq!(lab.stream_key(ecu, other), None, "{self:?} at {now}");
                assert_eq!(lab.stream_key(other, ecu), None, "{self:?} at {now}");
            }
        }
        let Some(Retirement {
            ecu,
            from,
            known: Some(known),
            ..
        }) = &self.retired
        else {
            return;
        };
        assert!(
            !lab.module.borrow().is_authenticated(Address(*ecu)),
            "{self:?}"
        );
        for sender in 1..=INSIDER {
            let key = lab.stream_key(*ecu, sender);
            let old = known[usize::from(sender) - 1];
            assert!(
                key.is_none_or(|(held, _)| held <= old),
                "{self:?}: a new key"
            );
        }
        if now > from + KEY_MS + 2 {
            let held = (1..=INSIDER).find(|&at| lab.stream_key(at, *ecu).is_some());
            assert_eq!(held, None, "{self:?}: its stream is over");
        }
    }

    /// Returns true if frames of a stream may be taken.
    pub(super) fn is_open(&self, sender: u8, now: u64) -> bool {
        self.window
            .is_none_or(|(ecu, from, until)| ecu != sender || (from <= now && now <= until + 1))
    }

    /// Returns true if an ECU takes part in the end.
    pub(super) fn takes_part(&self, ecu: u8) -> bool {
        let retired = self.retired.as_ref();
        let out = retired.is_some_and(|one| one.ecu == ecu && one.known.is_some());
        !out && self.expires.is_none_or(|(other, _)| other != ecu)
    }
}

/// Returns the time of the clocks, in milliseconds.
pub(super) fn millis<S: AuthenticationSuite>(lab: &Lab<S>) -> u64 {
    lab.now.as_nanos() / 1_000_000
}

/// The identifier of an ECU's stream.
pub(super) fn identifier(sender: u8) -> waywarden_can::Id {
    waywarden_can::Id::standard(stream_of(sender).0 as u16).unwrap()
}
