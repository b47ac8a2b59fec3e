//! Lists that revoke all certificates of a holder by linkage values.

mod bounds;
mod oracle;
mod property;
mod verdicts;

use waywarden_testkit::Random;
use waywarden_testkit_v2x::world::{Holder, ISSUER_IS_CRACA, Spec, now};
use waywarden_v2x_security::{ReceptionContext, Verifier};
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, LaId, LinkageSeed, Time64};

pub(crate) use waywarden_testkit_v2x::linked_lists::{List, Revoked};

/// A root that is the CRACA, and a signer of its lists.
pub(crate) struct Craca {
    pub(crate) root: Holder,
    pub(crate) signer: Holder,
}

impl Craca {
    pub(crate) fn new(seed: u8) -> Self {
        let root = Holder::issue(&Spec::authority(seed), None);
        let spec = Spec {
            app: &[(256, Some(ISSUER_IS_CRACA))],
            ..Spec::station(seed + 100)
        };
        let signer = Holder::issue(&spec, Some(&root));
        Self { root, signer }
    }

    pub(crate) fn id(&self) -> HashedId8 {
        self.root.id()
    }

    /// Returns the last three bytes, by which certificates name it.
    pub(crate) fn short(&self) -> [u8; 3] {
        let [.., a, b, c] = self.id().0;
        [a, b, c]
    }

    pub(crate) fn verifier(&self) -> Verifier {
        let mut verifier = Verifier::default();
        verifier.add_trust_anchor(&self.root.certificate).unwrap();
        verifier
    }
}

pub(crate) fn at() -> ReceptionContext<'static> {
    let context = ReceptionContext::at(Time64(now().0 + 20_000_000));
    ReceptionContext {
        source: waywarden_v2x_security::MessageSource::File,
        ..context
    }
}

/// A holder with two seeds and 20 certificates a period.
pub(crate) fn holder(random: &mut Random) -> Revoked {
    Revoked {
        authorities: (LaId(random.array()), LaId(random.array())),
        first: LinkageSeed(random.array()),
        second: Some(LinkageSeed(random.array())),
        j_max: Some(20),
        i_max: 1_000,
    }
}
