//! Symbols in place of signatures give the verdicts of real ones.

use waywarden_traffic_stations::{CongestionControl, StackSettings};
use waywarden_v2x_congestion::Algorithm;
use waywarden_v2x_neighbourhood::CertificateForm;
use waywarden_v2x_station::MessageService;
use waywarden_v2x_station::pseudonym::ChangeRules;

use crate::support::{Car, Certificates, drive, settings};

/// Vehicles that come one after the other, far enough apart that messages are lost, and change
/// their pseudonyms.
fn figures(
    service: MessageService,
    form: CertificateForm,
    has_real_signatures: bool,
    seed: u64,
) -> (u64, waywarden_traffic_stations::StackFigures) {
    let cars: Vec<Car> = (0..6)
        .map(|car| Car {
            begin_m: f64::from(car) * 180.0,
            speed_m_s: 18.0 + f64::from(car),
            from: (car * 5) as u64,
        })
        .collect();
    let own = StackSettings {
        has_real_signatures,
        control: CongestionControl::Etsi(Algorithm::Adaptive),
        change: ChangeRules {
            period_us: Some(2_000_000),
            silence_us: 200_000,
            ..ChangeRules::default()
        },
        ..settings(service, seed)
    };
    let (report, figures, _) = drive(&cars, 60, own, Certificates::new(seed, form));
    (report.received, figures.unwrap())
}

/// Every figure is the same: lengths, receptions, which signers were unknown, what was asked.
#[test]
fn symbols_and_signatures_give_the_same_run() {
    let seed = waywarden_testkit::first_seed(11);
    println!("WAYWARDEN_SEED={seed}");
    for (service, form) in [
        (
            MessageService::CamOverGeoNetworking,
            CertificateForm::Explicit,
        ),
        (MessageService::BsmOverWsmp, CertificateForm::Implicit),
    ] {
        let symbols = figures(service, form, false, seed);
        assert_eq!(symbols, figures(service, form, true, seed), "{service:?}");
        let (received, figures) = symbols;
        assert!(received > 300 && figures.unknown_signer > 5, "{figures:?}");
        assert!(figures.changes > 5 && figures.requests > 0, "{figures:?}");
        assert_eq!(figures.refused, 0);
    }
}
