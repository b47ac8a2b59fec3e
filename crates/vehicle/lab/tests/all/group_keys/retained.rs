//! ECUs that keep the last key of their group through resets and trips, and go on with it until
//! there is a new one.

use super::{PROTOCOLS, SCHEMES, car, check, intruder, report, wrong};

const RETAINED: &str = "before_first_key = 'retained'";

/// The first agreement begins after a second, so that there is a time before the first key.
fn retained(protocol: &str, keys: &str, more: &str) -> String {
    let keys = format!("start = '1s'\n{keys}");
    car(&keys, &format!("{protocol}\n{RETAINED}"), more)
}

#[test]
fn streams_are_there_before_the_first_key_and_go_over_to_it_without_a_loss() {
    for scheme in SCHEMES {
        for protocol in PROTOCOLS {
            let keys = format!("scheme = '{scheme}'\nrenewal = '600ms'");
            let report = report(&retained(protocol, &keys, ""));
            let own = check(&report);
            let case = format!("{scheme} {protocol}: {own:#?}");
            assert!(report.groups[0].agreements >= 3, "{case}");
            assert!(report.keys_ms.unwrap() > 1_000.0, "{case}");
            // From the first message on, whose freshness a receiver may have to ask for.
            assert!(report.start_up_ms.unwrap() < 200.0, "{case}");
            assert!(own.authentic > 380, "{case}");
            assert_eq!((wrong(own), own.forged), (0, 0), "{case}");
            assert!(own.longest_gap_ms < 25.0, "{case}");
            let row = &report.authentication[0];
            assert_eq!(row.before_first_key, Some("retained"));
        }
    }
}

#[test]
fn an_ecu_that_withholds_waits_for_the_first_key() {
    for protocol in PROTOCOLS {
        let text = retained(protocol, "", "").replace("retained", "withhold");
        let report = report(&text);
        assert!(report.start_up_ms.unwrap() > 1_000.0, "{protocol}");
        assert_eq!(report.authentication[0].before_first_key, None);
    }
}

#[test]
fn an_ecu_goes_on_after_a_reset_with_the_key_that_it_had() {
    let reset = "[[fault]]\nkind = 'reset'\necu = 'b'\nfrom = '2s'\nuntil = '2100ms'\n";
    for protocol in PROTOCOLS {
        // There is no renewal from which it would get a key.
        let own = report(&retained(protocol, "", reset));
        let own = check(&own);
        assert!(own.authentic > 360, "{protocol}: {own:#?}");
        assert_eq!(own.forged, 0, "{protocol}: {own:#?}");
        // Where nothing announces freshness, a receiver whose counter is behind looks for it.
        let most = if protocol.contains("autosar-1") {
            16
        } else {
            0
        };
        assert!(own.wrong_tag <= most, "{protocol}: {own:#?}");
        // A SecOC receiver waits for the next announcement of the time of the car.
        assert!(own.longest_gap_ms < 350.0, "{protocol}: {own:#?}");
    }
}

#[test]
fn the_key_of_the_last_trip_is_no_more_use_to_a_removed_ecu_after_the_next_one() {
    let remove = "remove = [{ ecu = 'd', at = '1500ms' }]";
    for protocol in PROTOCOLS {
        let own = report(&retained(protocol, remove, &intruder("d")));
        let own = check(&own);
        assert_eq!(own.forged, 0, "{protocol}: {own:#?}");
        assert!(own.wrong_tag > 50, "{protocol}: {own:#?}");
        // Before it was removed it had the key.
        let early = intruder("d").replace("2005ms", "505ms");
        let own = report(&retained(protocol, remove, &early));
        assert!(check(&own).forged > 0, "{protocol}: {:#?}", check(&own));
    }
}

/// A hundred change-overs, and each message was accepted.
#[test]
fn no_message_is_lost_over_a_hundred_change_overs() {
    for (protocol, seed) in PROTOCOLS.into_iter().zip(11..) {
        let text = retained(protocol, "renewal = '300ms'", "");
        let text = text.replace("duration = '4s'", "duration = '45s'");
        let text = text.replace("seed = 5", &format!("seed = {seed}"));
        let report = report(&text);
        let own = check(&report);
        let case = format!("seed {seed}, {protocol}: {own:#?}");
        assert!(
            report.groups[0].agreements >= 100,
            "{case}, {}",
            report.groups[0].agreements
        );
        assert_eq!((wrong(own), own.forged), (0, 0), "{case}");
        // A message every 10 ms; at the very end one may be on its way.
        let stream = &report.streams[0];
        let lost = stream.requested - own.authentic - own.out_of_step;
        assert!(lost <= 1, "{case}: {lost} of {}", stream.requested);
    }
}
