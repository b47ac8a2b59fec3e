//! Numbers and identifiers of key frames.

use super::*;

fn vehicle(keys: &str) -> VehicleFile {
    let ecus: String = (0..5)
        .map(|ecu| format!("[[ecu]]\nname = \"E{ecu}\"\nports = [\"b\"]\n"))
        .collect();
    let text = format!(
        "[vehicle]\nname = \"keys\"\n[[bus]]\nname = \"b\"\nbitrate = \"500k\"\n{ecus}\n\
         [[keys]]\nname = \"k\"\n{keys}\n"
    );
    VehicleFile::parse("keys.toml", &text).unwrap()
}

/// Of one agreement without repetitions, as docs/protocols/gke.md counts them for n ECUs.
#[test]
fn one_agreement_has_no_fewer_frames_than_the_exact_number() {
    let n = 4;
    let exact = [
        ("tree-with-orchestrator", 33 * (2 * n - 1) + 11 + n),
        ("tree-without-orchestrator", 33 * n + 11 + n),
        ("symmetric-distribution", 45 * n + 12 + n),
    ];
    for (scheme, exact) in exact {
        let file = vehicle(&format!("scheme = \"{scheme}\"\norchestrator = \"E0\""));
        let traffic = key_traffic(&file);
        let once = traffic.iter().filter(|one| one.pace == KeyPace::Once);
        let frames: u64 = once.map(|one| one.frames).sum::<u64>() / KEY_ATTEMPTS;
        // A start of the whole tree counts besides the orders.
        assert!(
            (exact..exact + 12).contains(&frames),
            "{scheme}: {frames} for {exact}"
        );
    }
}

#[test]
fn renewals_give_way_whatever_the_first_exchange_does() {
    let keys = "orchestrator = \"E0\"\nrenewal = \"2s\"";
    let traffic = key_traffic(&vehicle(keys));
    let renewal = KeyPace::Each(Duration::from_millis(2_000));
    assert!(traffic.iter().any(|one| one.pace == renewal));
    assert!(
        traffic
            .iter()
            .all(|one| one.pace != renewal || one.gives_way())
    );
    let first = |one: &&KeyTraffic| one.pace == KeyPace::Once;
    assert!(traffic.iter().filter(first).all(|one| !one.gives_way()));
    let polite = key_traffic(&vehicle("orchestrator = \"E0\"\ngives_way = true"));
    assert!(polite.iter().filter(first).all(KeyTraffic::gives_way));
}

#[test]
fn a_security_module_has_one_range_of_identifiers() {
    let keys = "scheme = \"lasan\"\nsecurity_module = \"E0\"";
    let traffic = key_traffic(&vehicle(keys));
    assert!(!traffic.is_empty());
    for one in traffic {
        assert_eq!(
            (one.first, one.last, one.bytes),
            (0x0B00_0000, 0x0BFF_FFFF, 8)
        );
    }
}
