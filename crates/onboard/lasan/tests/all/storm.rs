//! A storm of forged registrations: what each costs the security module, and that it keeps no other
//! ECU out.
//!
//! The forger repeats a genuine ECU's messages, of which everything is right but that they are for
//! an earlier turn: no forgery gets farther without a secret.

use waywarden_can::Frame;
use waywarden_lasan::{Address, Transport};
use waywarden_lasan::{
    AuthenticationSuite, Credentials, FourQSchnorrQ, LasanHeader, LasanKind, LasanProfile,
    MlKem512FnDsa512, ModuleEvent,
};
use waywarden_work::{Operation, OperationKind};

use crate::lab::{Lab, frame_of};
use crate::network::NetworkConfig;

/// Duration of the storm, in milliseconds; there is a forged registration in each.
const STORM_MS: u64 = 4_000;

/// Maximum number of forged registrations that the security module processes in that time: one for
/// each pause. The first pauses are 50, 100, 200 and 400 ms, all others 800 ms.
const TAKEN_MAX: u64 = 4 + STORM_MS / 800 + 1;

/// The cost of a list of operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cost {
    verifications: usize,
    /// Scalar multiplications, encapsulations and decapsulations.
    agreements: usize,
    /// Bytes hashed, authenticated or encrypted.
    bytes: u32,
}

fn cost(operations: &[Operation]) -> Cost {
    let mut cost = Cost::default();
    for operation in operations {
        match operation.kind {
            OperationKind::Verify => cost.verifications += 1,
            OperationKind::Share
            | OperationKind::Extract
            | OperationKind::KemKeyGenerate
            | OperationKind::Encapsulate
            | OperationKind::Decapsulate => cost.agreements += 1,
            OperationKind::Sign => panic!("a signature for a forger"),
            _ => cost.bytes += operation.bytes,
        }
    }
    cost
}

struct Forger {
    /// Frames that ECU 1 once sent, in order.
    messages: Vec<Frame>,
    hello: Frame,
}

impl Forger {
    fn listen<S: AuthenticationSuite>(lab: &Lab<S>) -> Self {
        let said = |kind| {
            let heard = lab.heard_of(kind, 0).into_iter();
            heard.filter(|(from, _)| *from == 1).map(|(_, frame)| frame)
        };
        let hello = LasanHeader {
            gives_way: false,
            kind: LasanKind::Hello,
            source: Address(1),
            target: lab.network_config.module(),
        };
        Forger {
            messages: said(LasanKind::Certificate)
                .chain(said(LasanKind::Register))
                .collect(),
            // It lacks its turn.
            hello: frame_of(hello, 0, &[2], Transport::Fd),
        }
    }

    /// Sends its registration; returns what that costs.
    fn register<S: AuthenticationSuite>(&self, lab: &mut Lab<S>) -> Cost {
        let mark = lab.worked.len();
        for frame in &self.messages {
            lab.deliver(0, frame);
        }
        cost(&lab.worked[mark..])
    }
}

fn storm<S: AuthenticationSuite>(profile: LasanProfile, credentials: Credentials) {
    let mut lab = Lab::<S>::new(&NetworkConfig::new(profile, credentials, 2));
    lab.run(1_500);
    lab.assert_authorized(&[1, 2]);
    let forger = Forger::listen(&lab);
    lab.unplugged.insert(1);
    // ECU 2 has to come through while it storms.
    lab.module.borrow_mut().start();
    lab.module_events();
    let (mut taken, mut dearest, mut epoch) = (0, Cost::default(), lab.heard.len());
    let mut through = None;
    for at in 0..STORM_MS {
        lab.deliver(0, &forger.hello);
        let cost = forger.register(&mut lab);
        if cost != Cost::default() {
            taken += 1;
            dearest.verifications = dearest.verifications.max(cost.verifications);
            dearest.agreements = dearest.agreements.max(cost.agreements);
            dearest.bytes = dearest.bytes.max(cost.bytes);
        }
        lab.run(1);
        let deceived = lab.module_events();
        assert!(!deceived.contains(&ModuleEvent::Authenticated(Address(1))));
        if !lab.heard_of(LasanKind::EcuConfirmation, epoch).is_empty() && lab.is_authenticated(2) {
            through = through.or(Some(at));
            epoch = lab.heard.len();
        }
    }
    println!(
        "{} {profile:?} {credentials:?}: {taken} of {STORM_MS} forged registrations looked at, \
         each at most {dearest:?}; ECU 2 authenticated after {through:?} ms",
        S::NAME
    );
    assert!(taken > 3 && taken <= TAKEN_MAX, "{taken}");
    let certificates = usize::from(credentials == Credentials::Certificates);
    let (verifications, agreements) = match profile {
        // The signature is what is checked first.
        LasanProfile::Hardened => (certificates + 1, 0),
        // There is nothing to check before the answer: the module opens one, and makes one.
        _ => (certificates, if S::CONTRIBUTORY { 3 } else { 2 }),
    };
    assert_eq!(dearest.verifications, verifications);
    assert!(dearest.agreements <= agreements, "{dearest:?}");
    assert!(dearest.bytes <= 8_192, "{dearest:?}");
    assert!(through.is_some_and(|at| at < 1_000), "ECU 2 was kept out");
}

#[test]
fn each_forged_registration_costs_a_bounded_amount_of_work() {
    for profile in [LasanProfile::Hardened, LasanProfile::Compact] {
        for credentials in [Credentials::Certificates, Credentials::Keys] {
            storm::<FourQSchnorrQ>(profile, credentials);
            storm::<MlKem512FnDsa512>(profile, credentials);
        }
    }
}
