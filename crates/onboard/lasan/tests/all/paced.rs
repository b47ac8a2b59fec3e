//! The testbed's sending task puts a frame on the bus every 0.5 ms: what \[LASAN\] reports as
//! communication times are frames counted at that pace.

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::TraceEvent as Traced;
use waywarden_key_suites::{
    AgreementError, FourQ, KeyAgreement, Meter, Secret, SignatureScheme, VerifyError,
};
use waywarden_lasan::Transport;
use waywarden_lasan::{
    AuthenticationSuite, Credentials, EcdheEcdsa, LasanHeader, LasanKind, LasanProfile, Lengths,
    Sizes,
};
use waywarden_work::Duration;

use crate::network::{Fleet, NetworkConfig};

const PACE_NANOS: u64 = 500_000;

/// Kyber768 and Dilithium "recommended" as first submitted, in size alone: FourQ and SchnorrQ,
/// filled up with zeros. \[LASAN, Communication Bandwidth\]
#[derive(Clone, Copy, Default)]
struct Round1;

/// Bytes of a fixed length.
#[derive(Clone, PartialEq, Eq)]
struct Filled<const N: usize>([u8; N]);

impl<const N: usize> Filled<N> {
    fn new(bytes: &[u8]) -> Self {
        let mut filled = [0; N];
        filled[..bytes.len()].copy_from_slice(bytes);
        Filled(filled)
    }
}

impl<const N: usize> AsRef<[u8]> for Filled<N> {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl<const N: usize> TryFrom<&[u8]> for Filled<N> {
    type Error = core::array::TryFromSliceError;

    fn try_from(bytes: &[u8]) -> Result<Self, Self::Error> {
        bytes.try_into().map(Filled)
    }
}

impl KeyAgreement for Round1 {
    const OFFER_LENGTH: usize = 1088;
    const ANSWER_LENGTH: usize = 1152;

    type Offer = Filled<1088>;
    type Answer = Filled<1152>;
    type Pending = <FourQ as KeyAgreement>::Pending;

    fn offer(meter: &mut impl Meter, random: &Secret) -> (Self::Pending, Self::Offer) {
        let (pending, offer) = <FourQ as KeyAgreement>::offer(meter, random);
        (pending, Filled::new(offer.as_ref()))
    }

    fn answer(
        meter: &mut impl Meter,
        offer: &[u8],
        random: &Secret,
    ) -> Result<(Self::Answer, Secret), AgreementError> {
        let (answer, secret) = <FourQ as KeyAgreement>::answer(meter, &offer[..32], random)?;
        Ok((Filled::new(answer.as_ref()), secret))
    }

    fn finish(
        meter: &mut impl Meter,
        pending: &Self::Pending,
        answer: &[u8],
    ) -> Result<Secret, AgreementError> {
        <FourQ as KeyAgreement>::finish(meter, pending, &answer[..32])
    }
}

impl SignatureScheme for Round1 {
    const PUBLIC_KEY_LENGTH: usize = 1472;
    const SIGNATURE_LENGTH: usize = 2701;

    type SigningKey = <FourQ as SignatureScheme>::SigningKey;
    type PublicKey = Filled<1472>;
    type Signature = Filled<2701>;

    fn signing_key(secret: &Secret) -> Self::SigningKey {
        FourQ::signing_key(secret)
    }

    fn public_key(key: &Self::SigningKey) -> Self::PublicKey {
        Filled::new(FourQ::public_key(key).as_ref())
    }

    fn sign(meter: &mut impl Meter, key: &Self::SigningKey, message: &[u8]) -> Self::Signature {
        Filled::new(&FourQ::sign(meter, key, message))
    }

    fn verify(
        meter: &mut impl Meter,
        public: &Self::PublicKey,
        message: &[u8],
        signature: &Self::Signature,
    ) -> Result<(), VerifyError> {
        let public = public.0[..32]
            .try_into()
            .map_err(|_| VerifyError::PublicKey)?;
        let signature = signature.0[..64]
            .try_into()
            .map_err(|_| VerifyError::Malformed)?;
        FourQ::verify(meter, &public, message, &signature)
    }
}

impl AuthenticationSuite for Round1 {
    type Agreement = Round1;
    type Signature = Round1;
    const NAME: &'static str = "sizes of round 1";
    const IDENTIFIER: u8 = 0xFF;
    const CATEGORY: u8 = 0;
    const CONTRIBUTORY: bool = false;
}

/// Returns the kind, start and end, in nanoseconds, of each frame of one authentication.
fn paced<S: AuthenticationSuite>() -> Vec<(LasanKind, u64, u64)> {
    let mut network_config =
        NetworkConfig::new(LasanProfile::AsPublished, Credentials::Certificates, 1);
    network_config.transport = Transport::Classic;
    network_config.pacing = Some(Duration::from_nanos(PACE_NANOS));
    network_config.timing.authentication = Duration::from_millis(4_000);
    let mut fleet = Fleet::<S>::new(&network_config);
    let mut frames = Vec::new();
    let nanos = |at: Time| (at.as_seconds() * 1e9).round() as u64;
    let mut sink = |at: Time, event: &Traced<'_>| {
        if let Traced::Sent { frame, started, .. } = event {
            let (header, _) = LasanHeader::of(frame).expect("there is nothing else on the bus");
            frames.push((header.kind, nanos(*started), nanos(at)));
        }
    };
    let end = Time::from_nanos(2_000_000_000);
    fleet.simulation.run_until(end, &mut sink).unwrap();
    fleet.assert_authorized();
    frames
}

/// Asserts that the frames which are sent once for all ECUs take their number times 0.5 ms, to
/// within the pause after the last; returns how many there were.
fn assert_paced(frames: &[(LasanKind, u64, u64)]) -> usize {
    let once: Vec<_> = frames
        .iter()
        .filter(|(kind, ..)| kind.is_broadcast())
        .collect();
    for pair in once.windows(2) {
        assert_eq!(pair[1].1 - pair[0].1, PACE_NANOS);
    }
    let (first, last) = (once[0], once[once.len() - 1]);
    let took = last.2 - first.1;
    let expected = once.len() as u64 * PACE_NANOS;
    println!(
        "{} frames: {took} ns, at the pace {expected} ns",
        once.len()
    );
    assert!(expected.abs_diff(took) < PACE_NANOS);
    once.len()
}

#[test]
fn the_classical_broadcast_takes_eleven_and_a_half_milliseconds() {
    let frames = paced::<EcdheEcdsa>();
    assert_eq!(assert_paced(&frames), 23);
    assert_eq!(23 * PACE_NANOS, 11_500_000);
    assert_eq!(frames.len(), 59);
}

#[test]
fn the_broadcast_of_round_1_takes_0_4315_seconds() {
    let frames = paced::<Round1>();
    assert_eq!(assert_paced(&frames), 863);
    assert_eq!(863 * PACE_NANOS, 431_500_000);
    assert_eq!(frames.len(), 1_959);
}

/// The same by arithmetic over the lengths: frames of each message, and of all.
#[test]
fn frames_follow_from_the_sizes() {
    let published = |sizes: Sizes| {
        let lengths = Lengths::new(LasanProfile::AsPublished, Credentials::Certificates, sizes);
        let frames = |kind| lengths.of(kind).unwrap_or(0).div_ceil(8);
        let all: usize = lengths.authentication().map(|(kind, _)| frames(kind)).sum();
        (
            frames(LasanKind::ModuleCertificate),
            frames(LasanKind::Startup),
            all,
        )
    };
    assert_eq!(published(Round1::SIZES), (524, 339, 1_959));
    assert_eq!(published(EcdheEcdsa::SIZES), (14, 9, 59));
}
