//! An ECU that was removed from its group, and goes on with everything that it knew. By seed:
//! `WAYWARDEN_SEEDS` says how many, `WAYWARDEN_SEED` repeats one.

use waywarden_testkit::{Random, each_seed};

use super::{PROTOCOLS, SCHEMES, car, check, intruder, report};

/// The tree has a new key this long after the time of a removal at the latest.
const NEW_KEY_MS: u64 = 400;

#[test]
fn a_removed_ecu_gets_no_message_accepted_from_the_next_epoch_on() {
    let accepted = each_seed(8, |seed| {
        let mut random = Random::new(seed);
        let protocol = PROTOCOLS[random.index(PROTOCOLS.len())];
        let scheme = SCHEMES[random.index(SCHEMES.len())];
        let before = ["retained", "withhold"][random.index(2)];
        let removed = 500 + random.index(1_000) as u64;
        let keys = format!(
            "scheme = '{scheme}'\nrenewal = '{}ms'\nremove = [{{ ecu = 'd', at = '{removed}ms' }}]",
            400 + 100 * random.index(6)
        );
        let attack = intruder("d").replace("2005ms", &format!("{}ms", removed + NEW_KEY_MS));
        let table = format!("{protocol}\nbefore_first_key = '{before}'");
        let text = car(&keys, &table, &attack).replace("seed = 5", &format!("seed = {seed}"));
        let report = report(&text);
        let own = check(&report);
        assert_eq!(own.forged, 0, "{text}\n{own:#?}");
        assert!(own.wrong_tag > 40, "{text}\n{own:#?}");
        own.authentic
    });
    assert!(
        accepted.iter().all(|authentic| *authentic > 200),
        "{accepted:?}"
    );
}
