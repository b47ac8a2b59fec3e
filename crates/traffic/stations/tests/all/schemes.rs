//! Sizes of other schemes, in frames, fragments and time on the air.

use waywarden_traffic_lab::radio::RadioSettings;
use waywarden_traffic_stations::{
    CertificateInclusion, SentFrames, SignatureScheme, StackFigures, StackSettings,
};
use waywarden_v2x_neighbourhood::CertificateForm;
use waywarden_v2x_station::MessageService;

use crate::support::{Car, Certificates, drive, settings};

#[test]
fn schemes_are_longer_by_their_keys_and_signatures() {
    let more = SignatureScheme::ALL.map(|one| (one.more_in_message(), one.more_in_certificate()));
    assert_eq!(
        more,
        [
            (0, 0),
            (666 - 65, 897 - 33 + 666 - 65),
            (2_420 - 65, 1_312 - 33 + 2_420 - 65),
            (666, 897 + 666),
            (2_420, 1_312 + 2_420),
            (0, 666),
            (0, 2_420),
        ]
    );
}

#[test]
fn long_messages_are_fragments_with_headers_of_their_own() {
    let radio = RadioSettings::DEFAULT;
    let one = SentFrames::new(1_400, 78, &radio);
    assert_eq!((one.frames, one.bytes), (1, 1_478));
    assert_eq!(one.airtime_ns, radio.airtime_ns(1_478));
    let two = SentFrames::new(1_401, 78, &radio);
    assert_eq!((two.frames, two.bytes), (2, 1_401 + 2 * 78));
    assert_eq!(
        two.airtime_ns,
        radio.airtime_ns(1_478) + 32_000 + radio.airtime_ns(79)
    );
    assert_eq!(SentFrames::new(2_800, 78, &radio).frames, 2);
    assert_eq!(SentFrames::new(2_801, 78, &radio).frames, 3);
    assert_eq!(SentFrames::new(0, 78, &radio).frames, 1);
}

/// A vehicle alone at 20 m/s for a minute: 300 messages, by the CAM rules.
fn alone(scheme: SignatureScheme, inclusion: CertificateInclusion) -> StackFigures {
    let own = StackSettings {
        scheme,
        inclusion,
        ..settings(MessageService::CamOverGeoNetworking, 1)
    };
    let car = Car {
        begin_m: 0.0,
        speed_m_s: 20.0,
        from: 0,
        brakes: None,
    };
    let certificates = Certificates::new(1, CertificateForm::Explicit);
    drive(&[car], 600, own, certificates).1.unwrap()
}

/// A run differs from that with ECDSA by the sizes alone, while no congestion control acts on them.
#[test]
fn sizes_of_a_scheme_are_in_each_message_and_each_certificate() {
    let rules = CertificateInclusion::Rules;
    let plain = alone(SignatureScheme::EcdsaP256, rules);
    assert_eq!(plain.frames, plain.messages);
    assert_eq!((plain.fragmented, plain.too_long), (0, 0));
    for scheme in SignatureScheme::ALL {
        let figures = alone(scheme, rules);
        assert_eq!(figures.messages, plain.messages, "{scheme:?}");
        assert_eq!(figures.with_certificate, plain.with_certificate);
        let certificates = plain.with_certificate * u64::from(scheme.more_in_certificate());
        assert_eq!(
            figures.certificate_bytes,
            plain.certificate_bytes + certificates
        );
        let around =
            (plain.bytes + certificates + plain.messages * u64::from(scheme.more_in_message()))
                .abs_diff(figures.bytes);
        // Headers of a further fragment: basic header, LLC, MAC and check sequence.
        assert_eq!(
            around,
            (figures.frames - figures.messages) * 42,
            "{scheme:?}"
        );
    }
}

/// ML-DSA-44: two fragments without and five with the certificate, and only those with it are
/// longer on the air than 4 ms at 6 Mb/s.
#[test]
fn messages_of_long_signatures_are_fragmented() {
    let figures = alone(SignatureScheme::MlDsa44, CertificateInclusion::Rules);
    assert_eq!(figures.fragmented, figures.messages);
    assert_eq!(
        figures.frames,
        2 * figures.messages + 3 * figures.with_certificate
    );
    assert_eq!(figures.too_long, figures.with_certificate);
    let figures = alone(SignatureScheme::FnDsa512, CertificateInclusion::Rules);
    assert_eq!(figures.fragmented, figures.with_certificate);
}

#[test]
fn each_message_carries_its_certificate_where_that_is_asked() {
    let figures = alone(SignatureScheme::EcdsaP256, CertificateInclusion::Always);
    assert_eq!(figures.with_certificate, figures.messages);
    assert!(figures.messages > 290, "{figures:?}");
}
