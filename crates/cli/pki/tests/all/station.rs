//! A station that speaks the protocol by itself, so that it can send the same bytes again.

use std::fs;
use std::sync::Arc;

use waywarden_ecverify::Curve;
use waywarden_testkit::{Random, hex_of};
use waywarden_v2x_keys::{KeyHandle, KeyStore as _, SoftwareStore, Uses};
use waywarden_v2x_pki::enrolment::{PendingEnrolment, Requester, request_enrolment, ssp};
use waywarden_v2x_pki::{Contents, Seeds};
use waywarden_v2x_security::time::from_unix;
use waywarden_v2x_security::{Verified, Verifier};
use waywarden_v2x_wire::etsi103097::its_aid::CERTIFICATE_REQUEST;
use waywarden_v2x_wire::ieee1609dot2::{Duration, Time32, Time64};

use crate::support::World;

pub(crate) fn now() -> Time64 {
    let unix = std::time::UNIX_EPOCH.elapsed().unwrap().as_micros();
    from_unix(i64::try_from(unix).unwrap()).unwrap()
}

pub(crate) struct Station {
    pub(crate) store: SoftwareStore<64>,
    pub(crate) seeds: Seeds,
    canonical: KeyHandle,
    pub(crate) verifier: Verifier,
    pub(crate) ea: Arc<Verified>,
    pub(crate) aa: Arc<Verified>,
}

impl Station {
    /// Makes a station and registers it with the PKI `p`.
    pub(crate) fn new(world: &World, random: &mut Random) -> Self {
        let mut store = SoftwareStore::new();
        let mut seeds = Seeds::new(random.array());
        let canonical = store
            .generate(Curve::P256, Uses::SIGN, &seeds.next())
            .unwrap();
        let public = store.public_key(canonical).unwrap();
        let encoded = [&[4], public.x(), public.y()].concat();
        world.write("station.hex", hex_of(&encoded));
        // As many tickets as the test asks for.
        world.write("profile", "tickets = 1000000\npermissions = ['CAM']");
        world.works("pki register p --id STATION --public-key station.hex --profile profile");
        let mut verifier = Verifier::default();
        let mut add = |name: &str, is_root: bool| {
            let file = world.indexed("p", name, "certificate").pop().unwrap();
            let bytes = fs::read(world.path(&file)).unwrap();
            match is_root {
                true => verifier.add_trust_anchor(&bytes).unwrap(),
                false => verifier.add_certificate(&bytes).unwrap(),
            }
        };
        add("root", true);
        let (ea, aa) = (add("ea", false), add("aa", false));
        Self {
            store,
            seeds,
            canonical,
            verifier,
            ea,
            aa,
        }
    }

    pub(crate) fn key(&mut self) -> KeyHandle {
        let seed = self.seeds.next();
        self.store.generate(Curve::P256, Uses::SIGN, &seed).unwrap()
    }

    /// Asks for a credential.
    pub(crate) fn ask(
        &mut self,
        ea: &Arc<Verified>,
        key: KeyHandle,
        now: Time64,
    ) -> (Vec<u8>, PendingEnrolment) {
        let contents = Contents::new(start(ea), Duration::Years(1))
            .permitting(CERTIFICATE_REQUEST, &ssp::ENROLMENT_CREDENTIAL);
        let requester = Requester::Registered {
            canonical_id: b"STATION",
            key: self.canonical,
        };
        let Self { store, seeds, .. } = self;
        request_enrolment(store, requester, key, &contents, ea, now, seeds).unwrap()
    }
}

/// Returns the start that a station asks for: a minute ago, and not before its issuer.
pub(crate) fn start(issuer: &Verified) -> Time32 {
    let (issuer_start, _) = issuer.validity();
    let start = issuer_start.max(Time64(now().0 - 60_000_000));
    Time32(u32::try_from(start.0 / 1_000_000).unwrap())
}
