//! The van under attack, without protection and with SecOC under granted keys.

use waywarden_vehicle_report::report::Report;

use super::protected_car::report;
use super::{parse, part, text};

/// The van with SecOC is the one under attack, with keys and message authentication; no ECU is
/// deceived in it, and in the other three receivers are.
#[test]
fn the_van_with_secoc_is_the_same_van_and_refuses_what_deceived_it() {
    let (attacked, secoc) = ("electric-van-attack.toml", "electric-van-secoc.toml");
    for (from, until) in [
        ("# ---- Buses", "# ---- Keys"),
        ("# ---- Attackers", "# ---- Requirements"),
        ("[require.bus_load]", "the end"),
    ] {
        let until_attacked = until.replace("Keys", "Attackers");
        let before = part(attacked, from, &until_attacked);
        assert!(before == part(secoc, from, until), "{from}");
    }
    let file = parse(secoc);
    let streams = file.authentications[0].streams.len();
    assert!(text(secoc).contains(&format!("#   - {streams} messages that command")));
    let before = report(attacked);
    let deceived = |report: &Report| {
        let verdicts = report.requirements.iter();
        let missed = verdicts.filter(|one| one.title.starts_with("undeceived") && !one.met);
        missed.count()
    };
    assert_eq!(deceived(&before), 3);
    let after = report(secoc);
    assert_eq!(deceived(&after), 0);
    let missed: Vec<&str> = after
        .requirements
        .iter()
        .filter(|one| !one.met)
        .map(|one| one.title.as_str())
        .collect();
    assert_eq!(missed, ["latency WheelSpeeds"]);
    let keys = &after.security_modules[0].streams;
    // Each message has had a new key while the van drove, and the announcements of freshness too.
    assert_eq!(keys.len(), streams + 1);
    assert!(keys.iter().all(|key| key.keys >= 3), "{keys:#?}");
}
