//! Each result of the standard that a receiver can produce, by a message that produces it and
//! nothing else: the same message without its one flaw is accepted. The table is that of
//! docs/protocols/1609dot2.md.

mod chains;
mod consistency;
mod internal;
mod parsing;
mod relevance;

use std::collections::BTreeSet;

use waywarden_testkit_v2x::world::{Holder, MessageContents, Named, Spec, now};
use waywarden_v2x_security::profile::SecurityProfile;
use waywarden_v2x_security::{Profiles, ReceptionContext, ResultCode, Verifier};
use waywarden_v2x_wire::ieee1609dot2::{
    Elevation, Latitude, Longitude, ThreeDLocation, Time64, TwoDLocation,
};

use self::chains::chains;
use self::consistency::{consistency, location};
use self::internal::{internal, local};
use self::parsing::parsing;
use self::relevance::{certificate_expiry, relevance};

const MINUTE: u64 = 60_000_000;

/// A place near which everything is.
const HERE: TwoDLocation = TwoDLocation {
    latitude: Latitude(435_551_000),
    longitude: Longitude(103_036_000),
};

fn at(place: TwoDLocation) -> Option<ThreeDLocation> {
    Some(ThreeDLocation {
        latitude: place.latitude,
        longitude: place.longitude,
        elevation: Elevation(4_100),
    })
}

/// Everything that demands something.
const STRICT: SecurityProfile = SecurityProfile {
    needs_generation_time: true,
    needs_generation_location: true,
    needs_expiry_time: true,
    distance: Some(5_000),
    checks_certificate_expiry: true,
    chain_max: 3,
    crl_tolerance: Some(MINUTE),
    ..SecurityProfile::DEFAULT
};

struct World {
    root: Holder,
    authority: Holder,
    station: Holder,
}

impl World {
    /// A root, an authority and a station, with these changes.
    fn new(authority: &Spec, station: &Spec) -> Self {
        let root = Holder::issue(&Spec::authority(1), None);
        let authority = Holder::issue(authority, Some(&root));
        let station = Holder::issue(station, Some(&authority));
        Self {
            root,
            authority,
            station,
        }
    }

    fn plain() -> Self {
        Self::new(&Spec::authority(2), &Spec::station(3))
    }

    fn verifier(&self, profile: SecurityProfile) -> Verifier {
        let mut verifier = Verifier::default().with_profiles(Profiles::all(profile));
        verifier.add_trust_anchor(&self.root.certificate).unwrap();
        verifier
    }
}

/// A message with everything that a strict profile demands.
fn whole(named: Named<'_>) -> MessageContents<'_> {
    MessageContents {
        expires: Some(Time64(now().0 + MINUTE)),
        place: at(HERE),
        named,
        ..MessageContents::new()
    }
}

fn here(now: Time64) -> ReceptionContext<'static> {
    ReceptionContext {
        place: Some(HERE),
        ..ReceptionContext::at(now)
    }
}

/// Names of the result codes that occurred.
struct Matrix(BTreeSet<&'static str>);

impl Matrix {
    /// `flawed` is refused so, and `sound` is accepted, by the same verifier.
    fn row(
        &mut self,
        code: ResultCode,
        verifier: &mut Verifier,
        (flawed, then): (&[u8], &ReceptionContext<'_>),
        (sound, now): (&[u8], &ReceptionContext<'_>),
    ) {
        let refusal = verifier.verify(flawed, then).expect_err(code.name());
        assert_eq!(refusal.code, code, "{refusal}");
        println!("{refusal}");
        if let Err(refusal) = verifier.verify(sound, now) {
            panic!("{code}: the sound one: {refusal}");
        }
        self.0.insert(code.name());
    }
}

#[test]
fn every_result_has_its_message() {
    let mut matrix = Matrix(BTreeSet::new());
    parsing(&mut matrix);
    chains(&mut matrix);
    consistency(&mut matrix);
    location(&mut matrix);
    internal(&mut matrix);
    local(&mut matrix);
    relevance(&mut matrix);
    certificate_expiry(&mut matrix);
    let all = ResultCode::ALL.iter().map(|code| code.name());
    let missing: Vec<_> = all.filter(|name| !matrix.0.contains(name)).collect();
    // Nothing is refused with these two: the first is no refusal, the second says that no rule
    // applies.
    assert_eq!(missing, ["success", "unknown"]);
}
