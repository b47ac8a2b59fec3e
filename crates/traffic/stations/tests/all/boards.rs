//! Boards that verify the messages of stacks: each at the cost of its kind.

use std::collections::BTreeSet;

use waywarden_traffic_lab::{
    BoardProfile, MessageDecision, MessageVerdict, PolicyComparison, RunLog, Transmitter,
};
use waywarden_traffic_stations::{StackFigures, StackSettings};
use waywarden_v2x_neighbourhood::CertificateForm;
use waywarden_v2x_station::MessageService;
use waywarden_v2x_station::pseudonym::ChangeRules;

use crate::support::{Car, Certificates, drive_logged, settings};

/// Times of a message with a new certificate, and of one whose key is known, in ns.
const NEW_NS: u64 = 300_000;
const KNOWN_NS: u64 = 100_000;

/// Verifications by their time, and messages of unknown signers.
#[derive(Default)]
struct Costs {
    new: u64,
    known: u64,
    unknown: u64,
    /// Pairs of a receiver and a sender of which it verified a message.
    pairs: BTreeSet<(usize, usize)>,
}

impl RunLog for Costs {
    fn decided(&mut self, decision: &MessageDecision) {
        let message = &decision.message;
        let cost = decision.decided_ns - message.time_ns;
        match (decision.verdict, cost) {
            (MessageVerdict::UnknownSigner, 0) => self.unknown += 1,
            (_, NEW_NS) => self.new += 1,
            (_, KNOWN_NS) => self.known += 1,
            other => panic!("{other:?}: {decision:?}"),
        }
        if let (Transmitter::Vehicle(sender), true) = (message.sender, cost > 0) {
            self.pairs.insert((message.receiver, sender));
        }
    }
}

/// Vehicles that come one after the other, far enough apart that messages are lost, before a board
/// whose cores are always free.
fn costs(change: ChangeRules, seed: u64) -> (Costs, StackFigures, u64) {
    let cars: Vec<Car> = (0..6_u32)
        .map(|car| Car {
            begin_m: f64::from(car) * 180.0,
            speed_m_s: 18.0 + f64::from(car),
            from: u64::from(car * 5),
            brakes: None,
        })
        .collect();
    let own = StackSettings {
        change,
        ..settings(MessageService::CamOverGeoNetworking, seed)
    };
    let board = BoardProfile {
        name: "free".to_owned(),
        message_ns: NEW_NS,
        known_sender_ns: KNOWN_NS,
        cores: 64,
    };
    let comparison = PolicyComparison {
        boards: vec![board],
        policies: vec!["fifo".parse().unwrap()],
        receivers: cars.len(),
    };
    let certificates = Certificates::new(seed, CertificateForm::Explicit);
    let log = Costs::default();
    let (report, costs, stations) = drive_logged(&cars, 60, own, certificates, comparison, log);
    let unknown = report.scores[0].messages_unknown;
    (costs, stations.finish().unwrap(), unknown)
}

/// A certificate is verified once for each receiver, and each message once; what is of an unknown
/// signer costs nothing.
#[test]
fn each_message_is_verified_at_the_cost_of_its_kind() {
    let seed = waywarden_testkit::first_seed(11);
    println!("WAYWARDEN_SEED={seed}");
    let (costs, figures, relevant) = costs(ChangeRules::default(), seed);
    assert_eq!(costs.new, costs.pairs.len() as u64);
    // The station of a vehicle begins up to 10 ms after it, and hears nothing before.
    let early = costs.unknown - figures.unknown_signer;
    assert!(early <= 6, "{early}");
    assert_eq!(
        costs.new + costs.known + costs.unknown,
        figures.received + early
    );
    assert!(costs.new > 5 && costs.known > 100 && figures.unknown_signer > 0);
    assert!(relevant <= costs.unknown, "{relevant}");
}

/// A new pseudonym is a new certificate to verify.
#[test]
fn a_change_of_pseudonym_costs_a_certificate() {
    let seed = waywarden_testkit::first_seed(11);
    println!("WAYWARDEN_SEED={seed}");
    let change = ChangeRules {
        period_us: Some(2_000_000),
        silence_us: 200_000,
        ..ChangeRules::default()
    };
    let (costs, figures, _) = costs(change, seed);
    assert!(figures.changes > 5, "{figures:?}");
    assert!(costs.new > costs.pairs.len() as u64, "{}", costs.new);
    assert!(costs.unknown >= figures.unknown_signer, "{figures:?}");
}
