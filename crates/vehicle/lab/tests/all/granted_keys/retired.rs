//! An ECU that the workshop retired, and that goes on with everything that it knew. By seed:
//! `WAYWARDEN_SEEDS` says how many, `WAYWARDEN_SEED` repeats one.

use waywarden_testkit::{Random, each_seed};

use super::{PROFILES, PROTOCOLS, car, check, report};

/// Time within which the security module notifies the holders of an ECU's keys of its retiring: on
/// these boards what it says takes up to 625 ms while it authenticates others.
const NOTIFIED_WITHIN_MS: u64 = 700;

#[test]
fn a_retired_ecu_gets_no_message_accepted() {
    let accepted = each_seed(8, |seed| {
        let mut random = Random::new(seed);
        let protocol = PROTOCOLS[random.index(PROTOCOLS.len())];
        let profile = PROFILES[random.index(PROFILES.len())];
        let retired = 1_500 + random.index(1_000) as u64;
        let keys = format!(
            "profile = '{profile}'\nrenewal = '{}ms'\n\
             retire = [{{ ecu = 'd', at = '{retired}ms' }}]",
            1_000 + 100 * random.index(20)
        );
        // What it sends from then on is not what its program would send.
        let attack = format!(
            "[[attacker]]\nkind = 'compromise'\necus = ['d']\nperiod = '20ms'\nfrom = '{}ms'\n",
            retired + NOTIFIED_WITHIN_MS
        );
        let text = car(&keys, protocol, &attack).replace("seed = 5", &format!("seed = {seed}"));
        let report = report(&text);
        for (stream, ecu) in [("S", "b"), ("S", "c"), ("T", "b")] {
            let own = check(&report, stream, ecu);
            assert_eq!(own.forged, 0, "{text}\n{own:#?}");
        }
        // It was heard until it was retired, and the others go on.
        let (own, other) = (check(&report, "T", "b"), check(&report, "S", "b"));
        let longest = (retired + NOTIFIED_WITHIN_MS) / 10;
        assert!(
            own.authentic > 20 && own.authentic <= longest,
            "{text}\n{own:#?}"
        );
        assert!(other.longest_gap_ms < 15.0, "{text}\n{other:#?}");
        other.authentic
    });
    assert!(
        accepted.iter().all(|authentic| *authentic > 300),
        "{accepted:?}"
    );
}
