//! Times of messages, and certificates that vehicles lack.

use waywarden_traffic_lab::radio::{FrameTiming, RadioSettings};
use waywarden_traffic_stations::{CongestionControl, NoCertificate, StackSettings};
use waywarden_v2x_congestion::Algorithm;
use waywarden_v2x_neighbourhood::CertificateForm;
use waywarden_v2x_station::MessageService;

use crate::support::{Car, Certificates, drive, settings};

const EXPLICIT: CertificateForm = CertificateForm::Explicit;

fn alone(speed_m_s: f64) -> [Car; 1] {
    [Car {
        begin_m: 0.0,
        speed_m_s,
        from: 0,
        brakes: None,
    }]
}

/// A message each 4 m, within 100 ms and 1 s \[EN 302 637-2 §6.1.3\]. The station looks each 10 ms.
#[test]
fn a_vehicle_sends_each_four_metres() {
    for (speed, least_ms, most_ms) in [
        (0.0, 1_000.0, 1_010.0),
        (2.0, 1_000.0, 1_010.0),
        (10.0, 400.0, 410.0),
        (20.0, 200.0, 210.0),
        (35.0, 114.0, 125.0),
        (60.0, 100.0, 110.0),
    ] {
        let own = settings(MessageService::CamOverGeoNetworking, 1);
        let certificates = Certificates::new(1, EXPLICIT);
        let (_, figures, _) = drive(&alone(speed), 300, own, certificates);
        let interval = figures.unwrap().mean_interval_ms().unwrap();
        assert!(
            (least_ms..=most_ms).contains(&interval),
            "{speed}: {interval}"
        );
    }
}

/// Alone, a vehicle shows its certificate once a second: a fifth of messages at 20 m/s.
#[test]
fn a_certificate_is_shown_once_a_second() {
    let own = settings(MessageService::CamOverGeoNetworking, 1);
    let (_, figures, _) = drive(&alone(20.0), 600, own, Certificates::new(1, EXPLICIT));
    let share = figures.unwrap().certificate_share().unwrap();
    assert!((0.19..=0.21).contains(&share), "{share}");
}

/// A newcomer lacks the certificate of the vehicle that was there, until that one shows it: soon,
/// for the first message of the newcomer is of an unknown station.
#[test]
fn a_newcomer_is_shown_what_it_lacks() {
    let cars = [0, 103].map(|from| Car {
        begin_m: 0.0,
        speed_m_s: 20.0,
        from,
        brakes: None,
    });
    let own = settings(MessageService::CamOverGeoNetworking, 3);
    let (_, figures, in_flight) = drive(&cars, 300, own, Certificates::new(3, EXPLICIT));
    let figures = figures.unwrap();
    assert_eq!(figures.lacked, figures.came);
    assert!(figures.lacked_ns.1 <= 500_000_000, "{figures:?}");
    assert_eq!((figures.requests_unanswerable, figures.refused), (0, 0));
    assert!(figures.received > 100, "{figures:?}");
    assert!(in_flight <= 2, "{in_flight}");
}

/// Messages that are received by no one any more are forgotten, however long a run is.
#[test]
fn memory_does_not_grow_with_messages() {
    let cars: Vec<Car> = (0..30)
        .map(|car| Car {
            begin_m: f64::from(car) * 20.0,
            speed_m_s: 25.0,
            from: (car % 7) as u64,
            brakes: None,
        })
        .collect();
    let own = settings(MessageService::BsmOverWsmp, 5);
    let (report, figures, in_flight) = drive(&cars, 100, own, Certificates::new(5, EXPLICIT));
    assert!(report.sent > 2_000, "{}", report.sent);
    assert!(in_flight <= 60, "{in_flight}");
    assert!(figures.unwrap().messages >= report.sent);
}

/// 50 vehicles that all hear each other, with frames of 2 to 4 ms: more than the channel holds.
fn crowd(control: CongestionControl, service: MessageService) -> (f64, f64) {
    let cars: Vec<Car> = (0..50)
        .map(|car| Car {
            begin_m: f64::from(car) * 2.5,
            speed_m_s: 40.0,
            from: 0,
            brakes: None,
        })
        .collect();
    let own = StackSettings {
        control,
        radio: RadioSettings {
            timing: FrameTiming::Subframes { bytes: 120 },
            ..RadioSettings::DEFAULT
        },
        ..settings(service, 9)
    };
    let (_, figures, _) = drive(&cars, 150, own, Certificates::new(9, EXPLICIT));
    let figures = figures.unwrap();
    let interval = figures.mean_interval_ms().unwrap();
    println!("{control:?}: {interval} ms, {:?}", figures.mean_busy());
    (figures.mean_busy().unwrap(), interval)
}

#[test]
fn congestion_control_keeps_the_channel_from_being_full() {
    let cam = MessageService::CamOverGeoNetworking;
    let etsi = |algorithm| crowd(CongestionControl::Etsi(algorithm), cam);
    let (full, often) = etsi(Algorithm::Off);
    assert!(full > 0.8 && often < 130.0, "{full} {often}");
    for algorithm in [
        Algorithm::Reactive,
        Algorithm::Adaptive,
        Algorithm::DualAlpha,
    ] {
        let (busy, interval) = etsi(algorithm);
        assert!(busy < full - 0.1, "{algorithm:?}: {busy} of {full}");
        assert!(interval > often, "{algorithm:?}: {interval}");
    }
    let bsm = MessageService::BsmOverWsmp;
    let (full, _) = crowd(CongestionControl::Etsi(Algorithm::Off), bsm);
    let (busy, interval) = crowd(CongestionControl::Sae, bsm);
    // The density of 50 vehicles asks for 200 ms.
    assert!(
        busy < full - 0.1 && interval > 130.0,
        "{busy} of {full}, {interval}"
    );
}

#[test]
fn a_run_without_certificates_says_so() {
    let own = settings(MessageService::CamOverGeoNetworking, 1);
    let certificates = Certificates::new(1, EXPLICIT).at_most(1);
    let cars = [alone(10.0)[0]; 3];
    let (_, figures, _) = drive(&cars, 50, own, certificates);
    assert_eq!(figures, Err(NoCertificate("no more".to_owned())));
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let cars: Vec<Car> = (0..10)
        .map(|car| Car {
            begin_m: f64::from(car) * 30.0,
            speed_m_s: 15.0,
            from: 0,
            brakes: None,
        })
        .collect();
    let run = |seed| {
        let own = settings(MessageService::CamOverGeoNetworking, seed);
        let (report, figures, _) = drive(&cars, 50, own, Certificates::new(1, EXPLICIT));
        (report.sent, report.received, figures)
    };
    assert_eq!(run(4), run(4));
    assert_ne!(run(4), run(5));
}

/// A vehicle that brakes hard warns those behind: ten times a second for two seconds, and at once.
#[test]
fn hard_braking_is_warned_of() {
    let cars = [0, 1].map(|car| Car {
        begin_m: f64::from(car) * 60.0,
        speed_m_s: 25.0,
        from: 0,
        brakes: (car == 1).then_some(50),
    });
    let of = |service, has_warnings| {
        let own = StackSettings {
            has_warnings,
            ..settings(service, 5)
        };
        let (_, figures, _) = drive(&cars, 100, own, Certificates::new(5, EXPLICIT));
        figures.unwrap()
    };
    let figures = of(MessageService::CamOverGeoNetworking, true);
    let warnings = figures.warnings;
    // Each two seconds a new one: it brakes for five.
    assert_eq!(
        (warnings.warnings, warnings.received),
        (3, 3),
        "{warnings:?}"
    );
    assert!((45..=60).contains(&warnings.messages), "{warnings:?}");
    assert!(warnings.delay_ns.1 < 5_000_000, "{warnings:?}");
    assert_eq!((figures.refused, figures.unknown_signer), (0, 0));
    let none = of(MessageService::CamOverGeoNetworking, false);
    assert_eq!(none.warnings.messages, 0);
    assert!(figures.messages > none.messages + 40);
}
