//! Hostile bytes and floods: nothing altered is accepted, nothing panics, nothing grows without
//! bound.

mod damaged;
mod floods;
mod signature_forms;

use waywarden_testkit_v2x::world::{Holder, MessageContents, Spec};
use waywarden_v2x_security::{Capacity, Profiles, Verifier};
use waywarden_v2x_wire::ieee1609dot2::{Elevation, Latitude, Longitude, ThreeDLocation};

/// A root, an authority under it, and a verifier that knows the root.
struct World {
    root: Holder,
    authority: Holder,
}

impl World {
    fn new() -> Self {
        let root = Holder::issue(&Spec::authority(1), None);
        let authority = Holder::issue(&Spec::authority(2), Some(&root));
        Self { root, authority }
    }

    /// With the profiles that are shipped.
    fn verifier(&self) -> Verifier {
        self.verifier_with(Profiles::default())
    }

    fn verifier_with(&self, profiles: Profiles) -> Verifier {
        let mut verifier = Verifier::new(Capacity {
            certificates: 256,
            messages: 1_024,
            ..Capacity::DEFAULT
        })
        .with_profiles(profiles);
        verifier.add_trust_anchor(&self.root.certificate).unwrap();
        verifier
            .add_certificate(&self.authority.certificate)
            .unwrap();
        verifier
    }
}

/// Applications whose messages are signed with a point, and those where the x-coordinate alone will
/// do, each with a place where it may have one.
const APPLICATIONS: [u64; 4] = [36, 32, 37, 135];

/// A hundred messages of explicit and implicit certificates, each of another content, in four
/// applications.
fn hundred(world: &World) -> Vec<Vec<u8>> {
    // Several, so that the points of certificates' signatures have even and odd y-coordinates.
    let stations: Vec<Holder> = (0..8)
        .map(|number| {
            let implicit = number % 2 == 1;
            let spec = Spec {
                implicit,
                ..Spec::station(10 + number)
            };
            Holder::issue(&spec, Some(&world.authority))
        })
        .collect();
    let sign = |at: usize| {
        let payload = vec![at as u8; 1 + at % 40];
        let message = MessageContents {
            psid: APPLICATIONS[at % APPLICATIONS.len()],
            // A CAM has its place in the payload.
            place: (APPLICATIONS[at % APPLICATIONS.len()] != 36).then_some(ThreeDLocation {
                latitude: Latitude(435_551_000),
                longitude: Longitude(103_036_000),
                elevation: Elevation(4_100),
            }),
            payload: &payload,
            ..MessageContents::new()
        };
        // Every application with every station.
        message.sign(&stations[(at + at / stations.len()) % stations.len()])
    };
    (0..100).map(sign).collect()
}
