//! The stations in reach, as far as their messages were verified, and the links from which came
//! what was refused.
//!
//! A message that is refused says nothing about a station: anybody can put a station's address on
//! a frame. So refusals are counted by the link's address apart from the stations, and a flood
//! of them fills its own table only.

use alloc::collections::BTreeMap;

use waywarden_v2x_security::ResultCode;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Time64};

use crate::content::{MessageContent, StationMessageKind};

/// Most known stations. Beyond that, the one that was heard longest ago is forgotten.
pub const NEIGHBOURS_MAX: usize = 1_024;
/// Most known links with refused messages.
pub const LINKS_MAX: usize = 256;
/// After so many microseconds without a message a station is gone.
///
/// `Choice:` five of the longest periods of awareness messages.
pub const LIFETIME_US: u64 = 5_000_000;

/// A station in reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The certificate that its last message was signed with.
    pub signer: HashedId8,
    /// The address of the link that its last message came from.
    pub link: [u8; 6],
    /// Content of its last awareness or basic safety message; of one that sends none, of its last
    /// other message.
    pub content: MessageContent,
    /// Time of reception of that message.
    pub heard: Time64,
    /// Number of accepted messages from it.
    pub accepted: u64,
    /// The mean time between its messages, in microseconds; `None` before the second one.
    pub interval_us: Option<u64>,
    /// Number of accepted DENMs from it.
    pub events: u64,
}

impl Neighbour {
    /// Returns the number of its messages a second.
    #[must_use]
    pub fn rate_hz(&self) -> Option<f64> {
        let interval = self.interval_us.filter(|interval| *interval > 0)?;
        Some(1e6 / interval as f64)
    }
}

/// A link from which messages came that were refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedLink {
    /// Address of the link.
    pub link: [u8; 6],
    /// Number of refused messages.
    pub refused: u64,
    /// Result code of the last refusal.
    pub code: ResultCode,
    /// Time of reception of the last refused message.
    pub heard: Time64,
}

/// The stations in reach. Its memory is bounded by [`NEIGHBOURS_MAX`] and [`LINKS_MAX`].
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    stations: BTreeMap<HashedId8, Neighbour>,
    links: BTreeMap<[u8; 6], RefusedLink>,
}

impl Neighbours {
    /// Takes note of a message that was accepted. Returns whether its signer is a new neighbour.
    pub fn accept(
        &mut self,
        signer: HashedId8,
        link: [u8; 6],
        content: MessageContent,
        now: Time64,
    ) -> bool {
        if let Some(known) = self.stations.get_mut(&signer) {
            known.take(link, content, now);
            return false;
        }
        if self.stations.len() >= NEIGHBOURS_MAX {
            let oldest = self.stations.values().min_by_key(|one| one.heard);
            if let Some(oldest) = oldest.map(|one| one.signer) {
                self.stations.remove(&oldest);
            }
        }
        let neighbour = Neighbour {
            signer,
            link,
            content,
            heard: now,
            accepted: 1,
            interval_us: None,
            events: u64::from(matches!(content.kind, StationMessageKind::Denm(_))),
        };
        self.stations.insert(signer, neighbour);
        true
    }

    /// Takes note of a message that was refused.
    pub fn refuse(&mut self, link: [u8; 6], code: ResultCode, now: Time64) {
        if !self.links.contains_key(&link) && self.links.len() >= LINKS_MAX {
            let oldest = self.links.values().min_by_key(|one| one.heard);
            if let Some(oldest) = oldest.map(|one| one.link) {
                self.links.remove(&oldest);
            }
        }
        let known = self.links.entry(link).or_insert(RefusedLink {
            link,
            refused: 0,
            code,
            heard: now,
        });
        known.refused = known.refused.saturating_add(1);
        (known.code, known.heard) = (code, now);
    }

    /// Forgets what was heard more than [`LIFETIME_US`] ago.
    pub fn forget_old(&mut self, now: Time64) {
        let is_young = |heard: Time64| now.0.saturating_sub(heard.0) < LIFETIME_US;
        self.stations.retain(|_, one| is_young(one.heard));
        self.links.retain(|_, one| is_young(one.heard));
    }

    /// Returns the stations, by their certificates.
    pub fn iter(&self) -> impl Iterator<Item = &Neighbour> {
        self.stations.values()
    }

    /// Returns the links whose messages were refused, by their addresses.
    pub fn refused_links(&self) -> impl Iterator<Item = &RefusedLink> {
        self.links.values()
    }

    /// Returns the number of stations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.stations.len()
    }

    /// Returns true if there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stations.is_empty()
    }
}

impl Neighbour {
    fn take(&mut self, link: [u8; 6], content: MessageContent, now: Time64) {
        // `Choice:` an eighth of the difference: the mean follows within some eight messages.
        const SHARE: u64 = 8;
        self.link = link;
        self.accepted = self.accepted.saturating_add(1);
        if matches!(content.kind, StationMessageKind::Denm(_)) {
            self.events = self.events.saturating_add(1);
            // Where an event is says nothing of where the station is.
            return;
        }
        // Neither do messages of other kinds, beside those about the station.
        if self.content.kind.is_awareness() && !content.kind.is_awareness() {
            return;
        }
        let interval = now.0.saturating_sub(self.heard.0);
        self.interval_us = Some(match self.interval_us {
            None => interval,
            Some(mean) => mean - mean / SHARE + interval / SHARE,
        });
        self.content = content;
        self.heard = now;
    }
}
