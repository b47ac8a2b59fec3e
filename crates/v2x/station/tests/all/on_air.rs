//! Messages signed, framed, received and verified.

use waywarden_ecverify::Curve;
use waywarden_testkit::Random;
use waywarden_v2x_keys::{KeyStore, SoftwareStore, Uses};
use waywarden_v2x_pki::{Authority, Contents, Seeds};
use waywarden_v2x_security::{IncomingMessage, ReceptionContext, Verifier};
use waywarden_v2x_signing::{Credential, MessageSigner, Seed, Statement};
use waywarden_v2x_station::denm::DenmEvent;
use waywarden_v2x_station::pseudonym::ChangeRules;
use waywarden_v2x_station::{
    MessageService, Station, StationMessage, StationSettings, StationTask, VehicleType,
};
use waywarden_v2x_wire::bsm::MessageFrame;
use waywarden_v2x_wire::btp::{Btp, port};
use waywarden_v2x_wire::cam::Cam;
use waywarden_v2x_wire::denm::Denm;
use waywarden_v2x_wire::detect::{Envelope, detect};
use waywarden_v2x_wire::geonet::{ExtendedHeader, NetworkPacket};
use waywarden_v2x_wire::ieee1609dot2::{Duration, Ieee1609Dot2Content, Psid, Time32, Time64};
use waywarden_v2x_wire::{coer, uper};

use crate::drive::{Drive, START};

const CAM: Psid = Psid(36);
const DENM: Psid = Psid(37);
const BSM: Psid = Psid(32);

/// A station with a certificate, and a receiver that trusts its authority.
struct World {
    seeds: Seeds,
    store: SoftwareStore<2>,
    sender: MessageSigner,
    receiver: Verifier,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut seeds = Seeds::new(random.bytes(32).try_into().unwrap());
        let mut store = SoftwareStore::<2>::new();
        let start = Time32((START.0 / 1_000_000) as u32 - 3_600);
        let root_key = store
            .generate(Curve::P256, Uses::SIGN, &seeds.next())
            .unwrap();
        let contents = Contents::new(start, Duration::Years(10))
            .named("root")
            .issuing_all();
        let root = Authority::root(&mut store, root_key, &contents, &mut seeds).unwrap();
        let key = store
            .generate(Curve::P256, Uses::SIGN, &seeds.next())
            .unwrap();
        let contents = Contents::new(start, Duration::Years(1))
            .permitting(CAM, &[1, 0xff, 0xf0])
            .permitting(DENM, &[1, 0xff, 0xff, 0xff])
            .permitting(BSM, &[]);
        let public = store.public_key(key).unwrap();
        let issued = root
            .issue(&mut store, &contents, &public, &mut seeds)
            .unwrap();
        let verified = root.verifier().verify_certificate(&issued).unwrap();
        let credential = Credential::new(&store, key, verified).unwrap();
        let mut receiver = Verifier::default();
        let anchor = root.credential().certificate().bytes();
        receiver.add_trust_anchor(anchor).unwrap();
        Self {
            sender: MessageSigner::new(credential),
            seeds,
            store,
            receiver,
        }
    }

    /// Signs and frames a message.
    fn frame(&mut self, message: &StationMessage, now: Time64) -> Vec<u8> {
        let statement = Statement {
            psid: message.psid,
            payload: &message.payload,
            location: Some(message.location),
        };
        let seed = self.seeds.next();
        let seed = Seed::new(*seed);
        let signed = self.sender.send(&mut self.store, &statement, now, &seed);
        message.envelope.frame(&signed.unwrap()).unwrap()
    }

    /// Verifies a frame; returns what was signed in it.
    fn payload(&mut self, frame: &[u8], now: Time64) -> Vec<u8> {
        let found = detect(frame).unwrap();
        let received = IncomingMessage {
            message: found.spdu,
            context: ReceptionContext::at(now),
        };
        let verdicts = self.receiver.verify_many(&[received]);
        let accepted = verdicts.into_iter().next().unwrap().unwrap();
        let data = accepted.data.tbs_data.payload.data.unwrap().view().unwrap();
        match data.content {
            Ieee1609Dot2Content::Unsecured(payload) => payload.to_vec(),
            other => panic!("{other:?}"),
        }
    }
}

/// Drives a station for ten seconds; shows each frame, what was signed in it, and the station.
fn drive(service: MessageService, mut show: impl FnMut(&[u8], &[u8], &Station)) -> usize {
    let mut world = World::new(91);
    let settings = StationSettings {
        vehicle: VehicleType::CAR,
        service,
        change: ChangeRules::ON_DEMAND,
    };
    let seed = Seed::new(*world.seeds.next());
    let mut station = Station::new(settings, START, &seed);
    let mut drive = Drive::new(17);
    let mut count = 0;
    for step in 0..1_000 {
        let motion = drive.step();
        if step == 300 {
            station
                .trigger(DenmEvent::new(94, 0), &motion, motion.time)
                .unwrap();
        }
        while let Some(due) = station.poll(&motion, motion.time).unwrap() {
            let StationTask::Message(message) = due else {
                panic!("no change was asked for");
            };
            let frame = world.frame(&message, motion.time);
            let payload = world.payload(&frame, motion.time);
            assert_eq!(payload, message.payload);
            show(&frame, &payload, &station);
            count += 1;
        }
    }
    count
}

#[test]
fn awareness_and_events_over_geonetworking_are_verified_and_read() {
    let (mut cams, mut denms, mut numbers) = (0, 0, Vec::new());
    let count = drive(
        MessageService::CamOverGeoNetworking,
        |frame, payload, station| {
            let found = detect(frame).unwrap();
            let Envelope::GeoNetworking(packet) = found.envelope else {
                panic!("no GeoNetworking packet");
            };
            let network: NetworkPacket<'_> = coer::parse(payload).unwrap();
            let source = network.extended.source();
            assert_eq!(source.position.address.mac, station.identifiers().mac);
            assert_eq!(frame[6..12], station.identifiers().mac);
            assert_eq!(packet.remaining_hop_limit, network.maximum_hop_limit);
            let Some(Ok(Btp::B(transport))) = Btp::parse(network.upper, network.payload) else {
                panic!("no BTP-B");
            };
            let station_id = i64::from(station.identifiers().station_id);
            match transport.destination_port {
                port::CAM => {
                    let cam: Cam<'_> = uper::parse(transport.payload).unwrap();
                    assert_eq!(cam.header.station_id.value(), station_id);
                    let header = ExtendedHeader::SingleHopBroadcast {
                        source: *source,
                        media_dependent: [0; 4],
                    };
                    assert_eq!(
                        (network.extended, packet.lifetime.milliseconds()),
                        (header, 1_000)
                    );
                    cams += 1;
                }
                port::DENM => {
                    let denm: Denm<'_> = uper::parse(transport.payload).unwrap();
                    assert_eq!(denm.station_id.value(), station_id);
                    let ExtendedHeader::GeoBroadcast {
                        sequence_number,
                        area,
                        ..
                    } = network.extended
                    else {
                        panic!("an event goes to an area");
                    };
                    assert_eq!(
                        (area.distance_a_m, packet.lifetime.milliseconds()),
                        (1_000, 60_000)
                    );
                    numbers.push(sequence_number);
                    denms += 1;
                }
                other => panic!("port {other}"),
            }
        },
    );
    assert_eq!(cams + denms, count);
    assert!(cams >= 10 && denms == 7, "{cams} {denms}");
    assert!(
        numbers
            .windows(2)
            .all(|two| two[1] == two[0].wrapping_add(1))
    );
}

#[test]
fn basic_safety_messages_over_wsmp_come_ten_times_a_second() {
    let mut counts = Vec::new();
    let count = drive(MessageService::BsmOverWsmp, |frame, payload, station| {
        let Envelope::Wsm(wsm) = detect(frame).unwrap().envelope else {
            panic!("no WAVE short message");
        };
        if wsm.psid == BSM {
            let MessageFrame::BasicSafety(message) = uper::parse(payload).unwrap() else {
                panic!("no basic safety message");
            };
            let id = i64::from(station.identifiers().temporary_id);
            assert_eq!(message.core.temporary_id.value(), id);
            counts.push(message.core.message_count.value());
        } else {
            assert_eq!(wsm.psid, DENM);
        }
    });
    assert!((99..=100).contains(&counts.len()), "{}", counts.len());
    assert_eq!(count, counts.len() + 7);
    assert!(counts.windows(2).all(|two| two[1] == (two[0] + 1) % 128));
}

#[test]
fn awareness_over_wsmp_is_the_message_alone() {
    let mut cams = 0;
    drive(MessageService::CamOverWsmp, |frame, payload, _| {
        let Envelope::Wsm(wsm) = detect(frame).unwrap().envelope else {
            panic!("no WAVE short message");
        };
        if wsm.psid == CAM {
            let _: Cam<'_> = uper::parse(payload).unwrap();
            cams += 1;
        }
    });
    assert!(cams >= 10);
}

/// tshark reads each frame to its last layer, and the same numbers in it.
#[test]
fn tshark_reads_what_stations_send() {
    if !waywarden_testkit::has_tshark() {
        return;
    }
    let (mut frames, mut expected) = (Vec::new(), Vec::new());
    drive(
        MessageService::CamOverGeoNetworking,
        |frame, payload, station| {
            let network: NetworkPacket<'_> = coer::parse(payload).unwrap();
            let Some(Ok(transport)) = Btp::parse(network.upper, network.payload) else {
                panic!("no BTP");
            };
            let (kind, psid, number, event) = match network.extended {
                ExtendedHeader::GeoBroadcast {
                    sequence_number, ..
                } => ("denm", "37", format!("0x{sequence_number:04x}"), "94"),
                _ => ("cam", "36", String::new(), ""),
            };
            let speed = network.extended.source().speed_cm_s;
            let id = station.identifiers().station_id;
            assert!(transport.destination_port() == port::CAM || kind == "denm");
            frames.push(frame[14..].to_vec());
            expected.push((psid, format!(",{number},{id},{event},{speed},")));
        },
    );
    let packets = frames.iter().map(|frame| (0x8947, &frame[..]));
    let fields = [
        "ieee1609dot2.psid",
        "geonw.seq_num",
        "its.stationID",
        "its.causeCode",
        "geonw.src_pos.speed",
        "frame.protocols",
    ];
    let lines = waywarden_testkit::dissect("station.pcap", &packets.collect::<Vec<_>>(), &fields);
    assert!(lines.len() > 10);
    for (line, (psid, expected)) in lines.iter().zip(&expected) {
        // The certificate names further applications.
        assert!(line.starts_with(psid), "{line}");
        assert!(line.contains(expected), "{line} and {expected}");
        assert!(line.contains("gnw:ieee1609dot2:btpb:its"), "{line}");
    }
}
