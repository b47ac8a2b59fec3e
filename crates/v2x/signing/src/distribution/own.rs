//! The certificates that a station signs with, found by what others ask for.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;

use waywarden_v2x_security::store::Verified;
use waywarden_v2x_wire::ieee1609dot2::{HashedId3, HashedId8};

/// The certificates that a station signs with, and when each has to be in a message. Every
/// operation but the collecting of them is a look-up, however many there are: a service has one of
/// these for all its pseudonyms.
#[derive(Clone, Debug, Default)]
pub struct OwnCertificates {
    own: BTreeMap<HashedId8, Own>,
    /// The same by the last three bytes, by which others ask for them.
    endings: BTreeSet<(HashedId3, HashedId8)>,
    /// The authorities that issued them, but for trust anchors.
    issuers: BTreeMap<HashedId3, Arc<Verified>>,
    /// Number of messages from stations that may lack the certificates. It stands in place of a
    /// flag in each certificate.
    unknown_stations: u64,
}

/// A certificate that the station signs with.
#[derive(Clone, Copy, Debug, Default)]
struct Own {
    /// Another station asked for it.
    is_wanted: bool,
    /// The last message carried it in place of an answer.
    yields: bool,
    /// Number of messages from unknown stations before it was shown last.
    shown: u64,
}

impl<'c> FromIterator<&'c Arc<Verified>> for OwnCertificates {
    fn from_iter<I: IntoIterator<Item = &'c Arc<Verified>>>(certificates: I) -> Self {
        let mut all = Self::default();
        for certificate in certificates {
            let id = certificate.id();
            all.own.insert(id, Own::default());
            all.endings.insert((certificate.digest().id_3(), id));
            // A trust anchor is nothing that a stranger can give.
            let issuer = certificate.issuer();
            if let Some(issuer) = issuer.filter(|issuer| issuer.issuer().is_some()) {
                let ending = issuer.digest().id_3();
                all.issuers.insert(ending, Arc::clone(issuer));
            }
        }
        all
    }
}

impl OwnCertificates {
    /// Takes note of a station that may lack all of them.
    pub(super) fn met_unknown_station(&mut self) {
        self.unknown_stations += 1;
    }

    /// Takes note of a request. Returns false if no own certificate has these last bytes.
    pub(super) fn ask(&mut self, id: HashedId3) -> bool {
        let all = (id, HashedId8([0; 8]))..=(id, HashedId8([u8::MAX; 8]));
        let mut is_own = false;
        for (_, own) in self.endings.range(all) {
            if let Some(own) = self.own.get_mut(own) {
                own.is_wanted = true;
                is_own = true;
            }
        }
        is_own
    }

    /// Returns the authority with these last bytes that issued one of them.
    pub(super) fn issuer(&self, id: HashedId3) -> Option<&Arc<Verified>> {
        self.issuers.get(&id)
    }

    /// Returns true if another station needs the certificate.
    pub(super) fn is_wanted(&self, id: HashedId8) -> bool {
        let own = self.own.get(&id);
        own.is_some_and(|own| own.is_wanted || own.shown < self.unknown_stations)
    }

    /// The next message shows the certificate.
    pub(super) fn show(&mut self, id: HashedId8) {
        if let Some(own) = self.own.get_mut(&id) {
            own.is_wanted = false;
            own.shown = self.unknown_stations;
        }
    }

    pub(super) fn yields(&self, id: HashedId8) -> bool {
        self.own.get(&id).is_some_and(|own| own.yields)
    }

    pub(super) fn set_yields(&mut self, id: HashedId8, yields: bool) {
        if let Some(own) = self.own.get_mut(&id) {
            own.yields = yields;
        }
    }
}
