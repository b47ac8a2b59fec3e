//! The cost of `compact` on the bus, counted from the frames of the simulation, beside that of the
//! published protocol.

use std::collections::BTreeMap;
use std::sync::Arc;

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::TraceEvent as Traced;
use waywarden_lasan::{Address, Transport};
use waywarden_lasan::{
    AuthenticationSuite, Credentials, EcdheEcdsa, LasanHeader, LasanKind, LasanProfile,
    MlKem512FnDsa512, MlKem768FnDsa1024, MlKem768MlDsa65,
};

use crate::network::{Fleet, NetworkConfig};

/// After each frame the bus is idle for three bits of 2 µs, in which no node may begin.
const INTERMISSION_NANOS: u64 = 3 * 2_000;

/// The frames that the protocol put on the bus.
#[derive(Clone, Debug, Default)]
struct OnTheBus {
    /// Frames of each kind.
    frames: BTreeMap<LasanKind, usize>,
    /// The data of all frames, filled up to lengths that frames can have.
    padded: usize,
    /// Bus time of all frames with their stuff bits and intermissions, in nanoseconds.
    nanos: u64,
}

impl OnTheBus {
    fn frame_count(&self) -> usize {
        self.frames.values().sum()
    }

    /// The bytes of the messages, as many as the frames make.
    fn payload<S: AuthenticationSuite>(&self, network_config: &NetworkConfig) -> usize {
        let lengths = network_config.settings().lengths(S::SIZES);
        let capacity = match network_config.transport {
            Transport::Fd => 64,
            Transport::Classic => 8,
        };
        let of_kind = |(kind, frames): (&LasanKind, &usize)| {
            let length = lengths.of(*kind).expect("the profile has no such message");
            let each = length.div_ceil(capacity);
            assert_eq!(frames % each, 0, "{kind:?}");
            frames / each * length
        };
        self.frames.iter().map(of_kind).sum()
    }
}

/// Runs until every ECU is authenticated, and a little longer.
fn measured<S: AuthenticationSuite, const H: usize>(
    network_config: &NetworkConfig,
    millis: u64,
) -> OnTheBus {
    let unwatched = |_| -> crate::network::Watch<_> { Arc::new(|_, _| {}) };
    let mut fleet = Fleet::<S, H>::watched(network_config, |_| {}, unwatched, Arc::new(|_, _| {}));
    let mut counted = OnTheBus::default();
    let mut sink = |at: Time, event: &Traced<'_>| {
        if let Traced::Sent { frame, started, .. } = event {
            let (header, _) = LasanHeader::of(frame).expect("there is nothing else on the bus");
            *counted.frames.entry(header.kind).or_default() += 1;
            counted.padded += frame.data().len();
            let frame = (at.as_seconds() - started.as_seconds()) * 1e9;
            counted.nanos += frame.round() as u64 + INTERMISSION_NANOS;
        }
    };
    let end = Time::from_nanos(millis * 1_000_000);
    fleet.simulation.run_until(end, &mut sink).unwrap();
    let module = fleet.module.borrow();
    let module = module.as_ref().unwrap();
    for ecu in 1..=network_config.ecus {
        assert!(
            module.is_authenticated(Address(ecu)),
            "{ecu} of {}",
            network_config.ecus
        );
    }
    counted
}

/// Prints and returns what one authentication costs, in bytes with all padding.
fn one<S: AuthenticationSuite>(credentials: Credentials) -> usize {
    let mut bytes = 0;
    for transport in [Transport::Fd, Transport::Classic] {
        let mut network_config = NetworkConfig::new(LasanProfile::Compact, credentials, 1);
        network_config.transport = transport;
        network_config.timing.authentication = waywarden_work::Duration::from_millis(4_000);
        let counted = measured::<S, 4>(&network_config, 1_500);
        println!(
            "{} (category {}) {credentials:?} {transport:?}: {} bytes of messages, {} padded, \
             {} frames, {:.2} ms of bus time",
            S::NAME,
            S::CATEGORY,
            counted.payload::<S>(&network_config),
            counted.padded,
            counted.frame_count(),
            counted.nanos as f64 / 1e6,
        );
        // The lengths of the messages, and the acknowledgement that comes after them.
        let lengths = network_config.settings().lengths(S::SIZES);
        let (once, each) = lengths.authentication_bytes();
        let acknowledged = lengths.of(LasanKind::Acknowledge).unwrap();
        assert_eq!(
            counted.payload::<S>(&network_config),
            once + each + acknowledged
        );
        bytes = bytes.max(counted.padded);
    }
    bytes
}

/// The bounds that the protocol was given, at category 1 and with all padding; the published code
/// takes 15,645 bytes.
#[test]
fn an_authentication_stays_within_its_bytes() {
    let enrolled = one::<MlKem512FnDsa512>(Credentials::Keys);
    assert!(enrolled <= 3_300, "{enrolled}");
    let cold = one::<MlKem512FnDsa512>(Credentials::Certificates);
    assert!(cold <= 6_500, "{cold}");
    let by_digest = one::<MlKem512FnDsa512>(Credentials::Digests);
    assert!(enrolled < by_digest && by_digest < cold);
    // And at category 3.
    for credentials in [
        Credentials::Keys,
        Credentials::Digests,
        Credentials::Certificates,
    ] {
        let short = one::<MlKem768FnDsa1024>(credentials);
        let standard = one::<MlKem768MlDsa65>(credentials);
        assert!(short < standard);
    }
}

/// Twenty ECUs after a quantum computer on CAN FD, against twenty of the published classical
/// protocol on classic CAN.
#[test]
fn twenty_ecus_start_within_one_and_a_half_times_the_classical_bus_time() {
    let published = NetworkConfig {
        transport: Transport::Classic,
        ..NetworkConfig::new(LasanProfile::AsPublished, Credentials::Certificates, 20)
    };
    let classical = measured::<EcdheEcdsa, 20>(&published, 4_000);
    let lengths = published.settings().lengths(EcdheEcdsa::SIZES);
    let (once, each) = lengths.authentication_bytes();
    assert_eq!(
        classical.payload::<EcdheEcdsa>(&published),
        once + 20 * each
    );
    let compact = NetworkConfig::new(LasanProfile::Compact, Credentials::Keys, 20);
    let quantum = measured::<MlKem512FnDsa512, 4>(&compact, 4_000);
    let ratio = quantum.nanos as f64 / classical.nanos as f64;
    let tell = |name: &str, counted: &OnTheBus| {
        let (frames, millis) = (counted.frame_count(), counted.nanos as f64 / 1e6);
        println!(
            "{name}: {frames} frames, {} bytes padded, {millis:.1} ms",
            counted.padded
        );
        println!("  {:?}", counted.frames);
    };
    tell("as-published, p256, classic CAN 500k", &classical);
    tell("compact, ml-kem-512+fn-dsa-512, CAN FD 500k/2M", &quantum);
    println!("ratio {ratio:.3}");
    assert!(ratio <= 1.5, "{ratio}");
}
