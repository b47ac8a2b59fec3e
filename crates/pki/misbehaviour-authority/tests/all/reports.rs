//! Real reports: pseudonyms with linkage values, evidence, decisions, and receivers that refuse the
//! next pseudonyms of a revoked vehicle.

use waywarden_ecverify::Curve;
use waywarden_misbehaviour_authority::{
    Counted, LinkageIndex, MisbehaviourAuthority, NotCounted, Policy, Received, ReportFault,
    VehicleId,
};
use waywarden_testkit::Random;
use waywarden_testkit_v2x::linked_lists::{List, Revoked};
use waywarden_testkit_v2x::world::{Holder, ISSUER_IS_CRACA, MessageContents, Named, Spec, now};
use waywarden_v2x_keys::{KeyStore as _, SoftwareStore, Uses};
use waywarden_v2x_misbehaviour_report::layout::TargetId;
use waywarden_v2x_misbehaviour_report::{
    Draft, EvidenceFault, ObservationKind, ReportRefusal, encrypt_report,
};
use waywarden_v2x_security::{ReceptionContext, ResultCode, Verifier};
use waywarden_v2x_signing::{DecryptionKeys, Recipient, Seed, wire_key};
use waywarden_v2x_wire::ieee1609dot2::{
    Elevation, HashedId8, IValue, LaId, Latitude, LinkageSeed, Longitude, ThreeDLocation, Time64,
};

const PERIOD: u16 = 130;
/// An observation that no message can show: its meaning is not public.
const UNKNOWN: (TargetId, u8) = (TargetId(9), 1);

/// A PKI with vehicles, and the authority.
struct World {
    root: Holder,
    signer: Holder,
    vehicles: Vec<Revoked>,
    index: LinkageIndex,
    authority: MisbehaviourAuthority,
    recipient: Recipient,
    store: SoftwareStore<4>,
    random: Random,
    seed: u8,
}

impl World {
    fn new(test: &str, vehicles: u32) -> Self {
        let mut random = Random::of_test(test);
        let root = Holder::issue(&Spec::authority(1), None);
        let spec = Spec {
            app: &[(256, Some(ISSUER_IS_CRACA))],
            ..Spec::station(2)
        };
        let signer = Holder::issue(&spec, Some(&root));
        let mut index = LinkageIndex::new();
        let vehicles: Vec<Revoked> = (0..vehicles)
            .map(|number| {
                let one = Revoked {
                    authorities: (LaId([0, 1]), LaId([0, 2])),
                    first: LinkageSeed(random.array()),
                    second: Some(LinkageSeed(random.array())),
                    j_max: Some(3),
                    i_max: PERIOD + 10,
                };
                let (first, second) = one.authorities;
                let seeds = [(first, one.first), (second, one.second.unwrap())];
                index.add(VehicleId(number), IValue(PERIOD), &seeds, 3);
                one
            })
            .collect();
        let mut store = SoftwareStore::new();
        let key = store.generate(Curve::P256, Uses::AGREE, &random.array());
        let public = store.public_key(key.unwrap()).unwrap();
        let recipient = Recipient::response_key(&wire_key(&public).unwrap()).unwrap();
        let keys = DecryptionKeys::new().with_private_key(recipient.clone(), key.unwrap());
        let mut verifier = Verifier::default();
        verifier.add_trust_anchor(&root.certificate).unwrap();
        let authority = MisbehaviourAuthority::new(keys, verifier, Policy::default());
        Self {
            root,
            signer,
            vehicles,
            index,
            authority: authority.unwrap(),
            recipient,
            store,
            random,
            seed: 10,
        }
    }

    /// A pseudonym of a vehicle, in a period so many periods after the first.
    fn pseudonym(&mut self, vehicle: usize, later: u16, j: u32) -> Holder {
        self.seed = self.seed.wrapping_add(1);
        let HashedId8([.., a, b, c]) = self.root.id();
        let spec = Spec {
            app: &[(32, None), (38, None)],
            craca: [a, b, c],
            linkage: Some(self.vehicles[vehicle].linkage(PERIOD, PERIOD + later, j)),
            implicit: true,
            ..Spec::station(self.seed)
        };
        Holder::issue(&spec, Some(&self.root))
    }

    fn report(&mut self, by: &Holder, kind: (TargetId, u8), messages: &[&[u8]]) -> Vec<u8> {
        let draft = Draft {
            generation_time: now(),
            observation_location: ThreeDLocation {
                latitude: Latitude(0),
                longitude: Longitude(0),
                elevation: Elevation(0),
            },
            observations: &[kind],
            messages,
            subject: 0,
            certificate: None,
        };
        let signed = MessageContents {
            psid: 38,
            made: None,
            payload: &draft.encode().unwrap(),
            ..MessageContents::new()
        };
        self.sealed(&signed.sign(by))
    }

    fn sealed(&mut self, signed: &[u8]) -> Vec<u8> {
        let seed = Seed::new(self.random.array());
        encrypt_report(&mut self.store, &self.recipient, signed, &seed).unwrap()
    }

    fn receive(&mut self, report: &[u8]) -> Result<Received, ReportFault> {
        let Self {
            authority,
            store,
            index,
            ..
        } = self;
        let received = authority.receive(store, index, report, now());
        received.unwrap_or_else(|never| match never {})
    }

    /// Sends a report, and returns what its only stream counted.
    fn counted(
        &mut self,
        by: &Holder,
        kind: (TargetId, u8),
        message: &[u8],
    ) -> Result<Counted<VehicleId>, ReportFault> {
        let report = self.report(by, kind, &[message]);
        let received = self.receive(&report)?;
        assert_eq!(received.streams.len(), 1);
        received.streams.into_iter().next().unwrap().counted
    }
}

/// A message of a vehicle; `extra` makes a header that no security profile allows.
fn message(signer: &Holder, seconds_ago: u64, extra: bool) -> Vec<u8> {
    let made = Time64(now().0 - seconds_ago * 1_000_000);
    MessageContents {
        psid: 32,
        made: Some(made),
        expires: extra.then_some(Time64(made.0 + 10_000_000)),
        ..MessageContents::new()
    }
    .sign(signer)
}

const PROFILE: ObservationKind = ObservationKind::HeaderIncWithSecurityProfile;

#[test]
fn reported_vehicle_is_revoked_with_its_next_pseudonyms() {
    let mut world = World::new("reported_vehicle_is_revoked_with_its_next_pseudonyms", 5);
    let bad = [world.pseudonym(0, 0, 0), world.pseudonym(0, 0, 1)];
    let messages = [message(&bad[0], 60, true), message(&bad[1], 30, true)];
    let kind = PROFILE.identifiers();
    let mut decided = None;
    for (vehicle, at) in [(1, 0), (2, 0), (3, 1)] {
        let by = world.pseudonym(vehicle, 0, 2);
        match world.counted(&by, kind, &messages[at]).unwrap() {
            Counted::Open { .. } => assert_ne!(vehicle, 3),
            Counted::Decided(decision) => decided = Some(decision),
        }
    }
    let decision = decided.unwrap();
    assert_eq!(decision.accused, VehicleId(0));
    assert_eq!(decision.reporters, [1, 2, 3].map(VehicleId));
    assert_eq!(decision.messages, 2);
    // A receiver that has the list refuses another pseudonym, this week and in the next.
    let own = world.vehicles[0];
    let list = List::full(world.root.id(), PERIOD, vec![own]).sign(&world.signer);
    let mut receiver = Verifier::default();
    receiver.add_trust_anchor(&world.root.certificate).unwrap();
    let context = ReceptionContext {
        source: waywarden_v2x_security::MessageSource::File,
        ..ReceptionContext::at(now())
    };
    receiver.apply_crl(&list, &context).unwrap();
    for later in [0, 1] {
        let period = IValue(PERIOD + later);
        receiver.revocations_mut().expand(period).unwrap();
        let next = world.pseudonym(0, later, 3);
        let innocent = world.pseudonym(4, later, 3);
        let mut code = |signer: &Holder| {
            let message = message(signer, 0, false);
            let verdict = receiver.verify(&message, &context);
            verdict.map(drop).map_err(|refusal| refusal.code)
        };
        assert_eq!(code(&next), Err(ResultCode::ChainCertificateRevoked));
        assert_eq!(code(&innocent), Ok(()));
    }
    // It reports no more.
    let by = world.pseudonym(0, 0, 2);
    let innocent = world.pseudonym(4, 0, 0);
    let refused = world.counted(&by, UNKNOWN, &message(&innocent, 1, false));
    assert_eq!(refused, Err(NotCounted::RevokedReporter.into()));
}

#[test]
fn two_liars_with_all_their_pseudonyms_revoke_no_vehicle_and_three_do() {
    let mut world = World::new("two_liars_with_all_their_pseudonyms", 4);
    let innocent = world.pseudonym(0, 0, 0);
    let messages: Vec<Vec<u8>> = (1..4).map(|ago| message(&innocent, ago, false)).collect();
    for liar in [1, 2] {
        for j in 0..4 {
            let by = world.pseudonym(liar, 0, j);
            for message in &messages {
                let counted = world.counted(&by, UNKNOWN, message);
                match j {
                    0 => assert!(matches!(counted, Ok(Counted::Open { .. })), "{counted:?}"),
                    _ => assert_eq!(counted, Err(NotCounted::Duplicate.into())),
                }
            }
        }
    }
    assert!(!world.authority.cases().is_revoked(VehicleId(0)));
    let by = world.pseudonym(3, 0, 0);
    let counted = world.counted(&by, UNKNOWN, &messages[0]);
    assert!(matches!(counted, Ok(Counted::Decided(_))));
}

#[test]
fn reports_without_valid_evidence_count_nothing() {
    let mut world = World::new("reports_without_valid_evidence_count_nothing", 3);
    let (by, accused) = (world.pseudonym(1, 0, 0), world.pseudonym(0, 0, 0));
    let honest = message(&accused, 1, false);
    // The message itself shows that nothing is wrong.
    let refused = world.counted(&by, PROFILE.identifiers(), &honest);
    assert_eq!(refused, Err(ReportFault::Contradicted(PROFILE)));
    // Forged, or signed by a key without a certificate.
    let mut forged = honest.clone();
    *forged.last_mut().unwrap() ^= 1;
    assert!(matches!(
        world.counted(&by, UNKNOWN, &forged),
        Err(ReportFault::Evidence(EvidenceFault::Signature(_)))
    ));
    let by_hash = MessageContents {
        psid: 32,
        named: Named::Digest,
        ..MessageContents::new()
    };
    let refused = world.counted(&by, UNKNOWN, &by_hash.sign(&accused));
    assert_eq!(refused, Err(EvidenceFault::NoCertificate.into()));
    // Certificates of no vehicle.
    let nameless = Holder::issue(
        &Spec {
            app: &[(32, None), (38, None)],
            ..Spec::station(200)
        },
        Some(&world.root),
    );
    let refused = world.counted(&by, UNKNOWN, &message(&nameless, 1, false));
    assert_eq!(refused, Err(ReportFault::UnknownAccused));
    let refused = world.counted(&nameless, UNKNOWN, &honest);
    assert_eq!(refused, Err(ReportFault::UnknownReporter));
    // A vehicle about itself, by another pseudonym.
    let own = world.pseudonym(1, 0, 2);
    let refused = world.counted(&by, UNKNOWN, &message(&own, 1, false));
    assert_eq!(refused, Err(NotCounted::Itself.into()));
    assert!(world.authority.cases().is_empty());
    // A replayed report.
    let report = world.report(&by, UNKNOWN, &[&honest]);
    let first = world.receive(&report).unwrap();
    assert!(first.streams[0].counted.is_ok());
    let again = world.receive(&report).unwrap();
    assert_eq!(again.streams[0].counted, Err(NotCounted::Duplicate.into()));
    assert_eq!(world.authority.cases().messages(), 1);
}

#[test]
fn reports_of_the_wrong_kind_are_refused() {
    let mut world = World::new("reports_of_the_wrong_kind_are_refused", 2);
    assert!(matches!(
        world.receive(b"no report"),
        Err(ReportFault::Report(ReportRefusal::Wire(_)))
    ));
    let by = world.pseudonym(1, 0, 0);
    let about_cams = waywarden_v2x_misbehaviour_report::layout::SaeJ3287Mbr {
        generation_time: now(),
        observation_location: ThreeDLocation {
            latitude: Latitude(0),
            longitude: Longitude(0),
            elevation: Elevation(0),
        },
        report: waywarden_v2x_misbehaviour_report::layout::AidSpecificReport::Other {
            aid: waywarden_v2x_wire::ieee1609dot2::Psid(36),
            content: &[],
        },
    };
    let signed = MessageContents {
        psid: 38,
        made: None,
        payload: &waywarden_v2x_signing::written(&about_cams).unwrap(),
        ..MessageContents::new()
    };
    let report = world.sealed(&signed.sign(&by));
    assert_eq!(world.receive(&report), Err(ReportFault::OtherApplication));
}
