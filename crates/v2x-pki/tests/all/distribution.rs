//! Two stations whose authorities do not know each other come to verify each other; strangers buy
//! nothing by asking and by giving.

mod bounds;

use waywarden_ecverify::Curve;
use waywarden_testkit::Random;
use waywarden_v2x_keys::{KeyStore, Nonce, NonceForm, SoftwareStore, Uses};
use waywarden_v2x_pki::{Authority, Contents, Seeds};
use waywarden_v2x_security::{Profiles, ReceptionContext, Verifier};
use waywarden_v2x_signing::{
    Credential, Message, Payload, Seed, Sender, SendingProfile, SignerForm, SigningOptions,
    Statement, Throttle, sign,
};
use waywarden_v2x_wire::coer::{SequenceOf, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    Duration, HashedId3, HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data, Psid, SignerIdentifier,
    Time32, Time64,
};

const START: Time32 = Time32(700_000_000);
const PERIOD: u64 = 100_000;

type Store = SoftwareStore<16>;

/// What each test begins with.
struct Setup {
    random: Random,
    store: Store,
    seeds: Seeds,
}

impl Setup {
    fn new(test: &str) -> Self {
        Self::of(Random::of_test(test))
    }

    fn of(mut random: Random) -> Self {
        let seeds = Seeds::new(random.array());
        Self {
            random,
            store: Store::new(),
            seeds,
        }
    }
}

/// Who sends and receives.
struct Station {
    sender: Sender,
    verifier: Verifier,
}

/// A root authority.
fn root_of(store: &mut Store, seeds: &mut Seeds) -> Authority {
    let key = store
        .generate(Curve::P256, Uses::SIGN, &seeds.next())
        .unwrap();
    let contents = Contents::new(START, Duration::Years(10))
        .named("root")
        .issuing_all();
    Authority::root(store, key, &contents, seeds).unwrap()
}

fn issued_by(store: &mut Store, seeds: &mut Seeds, root: &Authority, name: &str) -> Authority {
    let key = store
        .generate(Curve::P256, Uses::SIGN, &seeds.next())
        .unwrap();
    let contents = Contents::new(START, Duration::Years(3))
        .named(name)
        .issuing_all();
    let public = store.public_key(key).unwrap();
    let certificate = root.issue(store, &contents, &public, seeds).unwrap();
    let chain = [&certificate[..], root.credential().certificate().bytes()];
    Authority::new(store, key, &chain).unwrap()
}

fn station(
    store: &mut Store,
    seeds: &mut Seeds,
    root: &Authority,
    authority: &Authority,
) -> Station {
    let key = store
        .generate(Curve::P256, Uses::SIGN, &seeds.next())
        .unwrap();
    let contents = Contents::new(START, Duration::Hours(24)).permitting(Psid(36), &[1, 0, 0]);
    let public = store.public_key(key).unwrap();
    let certificate = authority.issue(store, &contents, &public, seeds).unwrap();
    let certificate = authority
        .verifier()
        .verify_certificate(&certificate)
        .unwrap();
    let mut verifier = Verifier::default();
    verifier
        .add_trust_anchor(root.credential().certificate().bytes())
        .unwrap();
    verifier
        .add_certificate(authority.credential().certificate().bytes())
        .unwrap();
    Station {
        sender: Sender::new(Credential::new(store, key, certificate).unwrap()),
        verifier,
    }
}

fn time(step: u64) -> Time64 {
    Time64(u64::from(START.0) * 1_000_000 + 1_000_000_000 + step * PERIOD)
}

/// Sends a CAM.
fn cam(store: &mut Store, seeds: &mut Seeds, station: &mut Station, now: Time64) -> Vec<u8> {
    let statement = Statement {
        psid: Psid(36),
        payload: b"where a vehicle is",
        location: None,
    };
    let seed = Seed::new(*seeds.next());
    station.sender.send(store, &statement, now, &seed).unwrap()
}

/// Receives a message; returns whether it was accepted.
fn receive(seeds: &mut Seeds, station: &mut Station, message: &[u8], now: Time64) -> bool {
    let context = ReceptionContext::at(now);
    let refusal = station.verifier.verify(message, &context).err();
    let seed = Seed::new(*seeds.next());
    let Station { sender, verifier } = station;
    sender.observe(verifier, message, refusal.as_ref(), (now, &seed));
    refusal.is_none()
}

#[test]
fn stations_of_two_authorities_come_to_verify_each_other() {
    let mut random = Random::of_test("stations_of_two_authorities_come_to_verify_each_other");
    for _ in 0..5 {
        let mut setup = Setup::of(Random::new(random.u64()));
        let Setup { store, seeds, .. } = &mut setup;
        let root = root_of(store, seeds);
        let one = issued_by(store, seeds, &root, "authority 1");
        let two = issued_by(store, seeds, &root, "authority 2");
        let mut stations = [&one, &two].map(|authority| station(store, seeds, &root, authority));
        let mut accepted = [0; 2];
        for step in 0..30 {
            let now = time(step);
            for from in 0..2 {
                let message = cam(store, seeds, &mut stations[from], now);
                let was_accepted = receive(seeds, &mut stations[1 - from], &message, now);
                accepted[from] += u32::from(was_accepted);
            }
        }
        // Unknown at first; known after a request, a pause of at most 250 ms, and one's certificate
        // within a second.
        assert!(
            accepted
                .iter()
                .all(|&accepted| (18..30).contains(&accepted)),
            "{accepted:?}"
        );
        assert!(
            stations
                .iter()
                .all(|station| station.verifier.store().held() >= 2)
        );
    }
}

#[test]
fn a_certificate_goes_out_once_a_second_and_when_it_is_needed() {
    let mut setup = Setup::new("a_certificate_goes_out_once_a_second_and_when_it_is_needed");
    let Setup { store, seeds, .. } = &mut setup;
    let root = root_of(store, seeds);
    let authority = issued_by(store, seeds, &root, "authority");
    let mut one = station(store, seeds, &root, &authority);
    let mut two = station(store, seeds, &root, &authority);
    let has_certificate = |message: &[u8]| {
        let message: Ieee1609Dot2Data<'_> = parse(message).unwrap();
        let Ieee1609Dot2Content::Signed(data) = message.content else {
            panic!("not signed");
        };
        matches!(data.signer, SignerIdentifier::Certificate(_))
    };
    let sent: Vec<bool> = (0..21)
        .map(|step| has_certificate(&cam(store, seeds, &mut one, time(step))))
        .collect();
    let with: Vec<usize> = (0..21).filter(|&step| sent[step]).collect();
    assert_eq!(with, [0, 10, 20]);
    // One that names its signer by a hash that is not known makes the receiver send its own.
    let _ = cam(store, seeds, &mut two, time(21));
    let unknown = cam(store, seeds, &mut two, time(22));
    assert!(!has_certificate(&unknown));
    assert!(!receive(seeds, &mut one, &unknown, time(22)));
    let asking = cam(store, seeds, &mut one, time(23));
    assert!(has_certificate(&asking));
    // Its request makes the other one send its own, too.
    assert!(receive(seeds, &mut two, &asking, time(23)));
    let answer = cam(store, seeds, &mut two, time(24));
    assert!(has_certificate(&answer));
    assert!(receive(seeds, &mut one, &answer, time(24)));
}

#[test]
fn a_flood_of_unknown_signers_fills_no_memory() {
    let mut setup = Setup::new("a_flood_of_unknown_signers_fills_no_memory");
    let Setup {
        random,
        store,
        seeds,
    } = &mut setup;
    let root = root_of(store, seeds);
    let authority = issued_by(store, seeds, &root, "authority");
    let mut one = station(store, seeds, &root, &authority);
    let mut two = station(store, seeds, &root, &authority);
    let _ = cam(store, seeds, &mut two, time(0));
    let mut message = cam(store, seeds, &mut two, time(1));
    let id = two.sender.credential().id().0;
    let at = message.windows(8).position(|window| window == id).unwrap();
    for _ in 0..1_000 {
        message[at..at + 8].copy_from_slice(&random.bytes(8));
        assert!(!receive(seeds, &mut one, &message, time(1)));
    }
    let asking = cam(store, seeds, &mut one, time(2));
    let parsed: Ieee1609Dot2Data<'_> = parse(&asking).unwrap();
    let Ieee1609Dot2Content::Signed(data) = parsed.content else {
        panic!("not signed");
    };
    let requests = data.tbs_data.header_info.inline_p2pcd_request.unwrap();
    assert_eq!(requests.len(), Throttle::default().requests_max);
    assert_eq!(one.verifier.store().held(), 0);
}

#[test]
fn an_answer_that_is_a_message_of_its_own_is_learnt_once_it_verifies() {
    let mut setup = Setup::new("an_answer_that_is_a_message_of_its_own");
    let Setup { store, seeds, .. } = &mut setup;
    let root = root_of(store, seeds);
    let authorities = ["1", "2"].map(|name| issued_by(store, seeds, &root, name));
    let mut one = american(station(store, seeds, &root, &authorities[0]));
    let mut two = american(station(store, seeds, &root, &authorities[1]));
    // Its authority is not known: the next message asks for it.
    let unknown = cam(store, seeds, &mut two, time(0));
    assert!(!receive(seeds, &mut one, &unknown, time(0)));
    let asking = cam(store, seeds, &mut one, time(1));
    receive(seeds, &mut two, &asking, time(1));
    let response = two.sender.distribution().take_response(time(4)).unwrap();
    assert!(two.sender.distribution().take_response(time(4)).is_none());
    let mut forged = response.clone();
    *forged.last_mut().unwrap() ^= 1;
    let Station { sender, verifier } = &mut one;
    assert!(
        sender
            .distribution()
            .observe_response(verifier, &forged)
            .is_empty()
    );
    let learnt = sender.distribution().observe_response(verifier, &response);
    assert_eq!(learnt.len(), 1);
    assert_eq!(learnt[0].id(), authorities[1].credential().id());
    // A station does not learn an unsolicited certificate.
    assert!(
        sender
            .distribution()
            .observe_response(verifier, &response)
            .is_empty()
    );
    let known = cam(store, seeds, &mut two, time(10));
    assert!(receive(seeds, &mut one, &known, time(10)));
}

/// The same station, which sends by the profile of basic safety messages.
fn american(station: Station) -> Station {
    let profile = SendingProfile::BASIC_SAFETY_MESSAGE;
    let Station { sender, verifier } = station;
    Station {
        sender: sender.with_profile(Psid(36), profile),
        verifier: verifier.with_profiles(Profiles::default().lenient()),
    }
}

/// Two authorities under one root, and a station of each.
fn strangers(store: &mut Store, seeds: &mut Seeds) -> (Authority, [Authority; 2], [Station; 2]) {
    let root = root_of(store, seeds);
    let authorities = ["1", "2"].map(|name| issued_by(store, seeds, &root, name));
    let stations = [0, 1].map(|at: usize| station(store, seeds, &root, &authorities[at]));
    (root, authorities, stations)
}

/// The header of a message.
fn header(message: &[u8]) -> HeaderInfo<'_> {
    let message: Ieee1609Dot2Data<'_> = parse(message).unwrap();
    let Ieee1609Dot2Content::Signed(data) = message.content else {
        panic!("not signed");
    };
    data.tbs_data.header_info
}

/// A message that asks for these certificates.
fn request(store: &mut Store, station: &Station, ids: &[HashedId3], now: Time64) -> Vec<u8> {
    let header = HeaderInfo {
        generation_time: Some(now),
        inline_p2pcd_request: SequenceOf::new(ids),
        ..HeaderInfo::new(Psid(36))
    };
    let message = Message {
        payload: Payload::Data(b"where a vehicle is"),
        header,
    };
    let options = SigningOptions {
        signer: SignerForm::Digest,
        form: NonceForm::Point,
        nonce: Nonce::Deterministic,
    };
    sign(store, station.sender.credential(), &message, &options).unwrap()
}

#[test]
fn hashes_of_no_certificate_do_not_keep_stations_from_learning() {
    let mut setup = Setup::new("hashes_of_no_certificate_do_not_keep_stations_from_learning");
    let Setup {
        random,
        store,
        seeds,
    } = &mut setup;
    let (_, _, mut stations) = strangers(store, seeds);
    // The second message names its signer by a hash.
    cam(store, seeds, &mut stations[0], time(0));
    let mut flood = cam(store, seeds, &mut stations[0], time(1));
    let id = stations[0].sender.credential().id().0;
    let at = flood.windows(8).position(|window| window == id).unwrap();
    let mut accepted = [0; 2];
    for step in 2..102 {
        let now = time(step);
        if step % 5 == 0 {
            for _ in 0..8 {
                flood[at..at + 8].copy_from_slice(&random.bytes(8));
                for station in &mut stations {
                    receive(seeds, station, &flood, now);
                }
            }
        }
        for from in 0..2 {
            let message = cam(store, seeds, &mut stations[from], now);
            let was_accepted = receive(seeds, &mut stations[1 - from], &message, now);
            accepted[from] += u32::from(was_accepted);
        }
    }
    assert!(accepted.iter().all(|&one| one > 70), "{accepted:?}");
}

#[test]
fn stations_that_send_once_a_second_learn_too() {
    let mut setup = Setup::new("stations_that_send_once_a_second_learn_too");
    let Setup { store, seeds, .. } = &mut setup;
    let (_, _, mut stations) = strangers(store, seeds);
    let mut accepted = [0; 2];
    for step in 0..20 {
        for from in 0..2 {
            let now = time(10 * step + from as u64);
            let message = cam(store, seeds, &mut stations[from], now);
            let was_accepted = receive(seeds, &mut stations[1 - from], &message, now);
            accepted[from] += u32::from(was_accepted);
        }
    }
    assert!(accepted.iter().all(|&one| one >= 12), "{accepted:?}");
}

#[test]
fn answers_are_given_once_in_a_while_after_a_pause_and_not_if_others_gave_them() {
    let mut setup = Setup::new("answers_are_given_once_in_a_while_after_a_pause");
    let Setup { store, seeds, .. } = &mut setup;
    let (root, authorities, [_, mut giving]) = strangers(store, seeds);
    let mut helping = station(store, seeds, &root, &authorities[1]);
    let mut pauses = Vec::new();
    for round in 0..8_u64 {
        // All give their own certificates first, so that no answer has to yield.
        let begin = Time64(time(100 * round).0);
        let at = |milliseconds: u64| Time64(begin.0 + milliseconds * 1_000);
        let lacking = cam(store, seeds, &mut giving, at(0));
        cam(store, seeds, &mut helping, at(0));
        let mut asking = station(store, seeds, &root, &authorities[0]);
        assert!(!receive(seeds, &mut asking, &lacking, at(1)));
        let request = cam(store, seeds, &mut asking, at(2));
        assert_eq!(header(&request).inline_p2pcd_request.unwrap().len(), 1);
        receive(seeds, &mut giving, &request, at(3));
        receive(seeds, &mut helping, &request, at(3));
        let mut given = Vec::new();
        for step in 0..100 {
            receive(seeds, &mut giving, &request, at(4 + 10 * step));
            let message = cam(store, seeds, &mut giving, at(5 + 10 * step));
            if header(&message).requested_certificate.is_some() {
                given.push((5 + 10 * step, message));
            }
        }
        let times: Vec<u64> = given.iter().map(|(at, _)| *at).collect();
        assert!((2..=4).contains(&given.len()), "{times:?}");
        assert!(
            times.windows(2).all(|pair| pair[1] - pair[0] >= 250),
            "{times:?}"
        );
        pauses.push(times[0]);
        // Another station was asked, too, and hears the answer in time: it gives none.
        receive(seeds, &mut helping, &given[0].1, at(3));
        let silent = (0..20).all(|step| {
            let message = cam(store, seeds, &mut helping, at(1_100 + 10 * step));
            header(&message).requested_certificate.is_none()
        });
        assert!(silent);
    }
    pauses.sort_unstable();
    pauses.dedup();
    assert!(pauses.len() >= 3, "random pauses: {pauses:?}");
}

#[test]
fn trust_anchors_are_not_given_and_old_wants_are_forgotten() {
    let mut setup = Setup::new("trust_anchors_are_not_given_and_old_wants_are_forgotten");
    let Setup { store, seeds, .. } = &mut setup;
    let (root, _, [one, mut two]) = strangers(store, seeds);
    let root_id = root.credential().id().0;
    let requests = [HashedId3([root_id[5], root_id[6], root_id[7]])];
    let now = time(0);
    let asking = request(store, &one, &requests, now);
    receive(seeds, &mut two, &asking, now);
    for step in 0..20 {
        let message = cam(store, seeds, &mut two, time(step));
        assert!(header(&message).requested_certificate.is_none());
    }
    // The signer of that message is missing; no station gives it, and after 5 s none asks for it.
    assert_eq!(two.sender.distribution().wanted().count(), 1);
    let late = cam(store, seeds, &mut two, time(60));
    assert!(header(&late).inline_p2pcd_request.is_none());
    assert_eq!(two.sender.distribution().wanted().count(), 0);
}
