//! A storm of forged registrations that walks over all addresses: what it costs the processor of
//! the security module, and whom it keeps out.

use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::{AuthenticatedRow, EcuRow, NetworkRow, Report};
use waywarden_vehicle_resources::Resources;

/// Number of ECUs in whose names the attacker registers, the late one among them.
const ECUS: usize = 6;

/// Duration of a run, in seconds; the storm begins with it, the late ECU boots in the middle.
const SECONDS: u64 = 40;

fn car(board: &str) -> String {
    let mut car = format!(
        "[vehicle]\nname = \"car\"\nduration = \"{SECONDS}s\"\n\
         [[bus]]\nname = \"one\"\nbitrate = \"500k\"\ndata_bitrate = \"2M\"\n\
         [[ecu]]\nname = \"safe\"\nboard = \"{board}\"\nports = [\"one\"]\n"
    );
    for at in 1..ECUS {
        car += &format!("[[ecu]]\nname = \"e{at}\"\nboard = \"{board}\"\nports = [\"one\"]\n");
    }
    car + &format!(
        "[[ecu]]\nname = \"late\"\nboard = \"{board}\"\nports = [\"one\"]\nstart = \"{}s\"\n",
        SECONDS / 2
    )
}

const STORM: &str = "[[attacker]]\nname = \"storm\"\nkind = \"register\"\nbus = \"one\"\n\
                     period = \"1ms\"\n";

fn parse(text: &str) -> VehicleFile {
    VehicleFile::parse("car.toml", text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn report(text: &str) -> Report {
    let file = parse(text);
    let lowered = lower(&file, &Resources::default(), None).unwrap_or_else(|e| panic!("{e}"));
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    Report::new(&file, 0, &outcome)
}

fn module(report: &Report) -> &EcuRow {
    &report.ecus[0]
}

/// Returns the time at which the last of the others was authenticated, and the late ECU's time from
/// boot to authentication, in milliseconds.
fn authenticated(network: &NetworkRow) -> (f64, f64) {
    let at = |row: &AuthenticatedRow| {
        let at = row.authenticated_ms;
        at.unwrap_or_else(|| panic!("{} was kept out: {:#?}", row.ecu, network.ecus))
    };
    let (late, others) = network.ecus[1..].split_last().unwrap();
    let last = others.iter().map(at).fold(0.0, f64::max);
    (last, at(late) - SECONDS as f64 * 500.0)
}

#[test]
fn a_storm_over_all_addresses_costs_the_module_a_bounded_share_of_its_processor() {
    for (suite, profile, credentials, board) in [
        ("p256", "hardened", "certificates", "tc297"),
        ("p256", "hardened", "keys", "tc297"),
        ("p256", "hardened", "keys", "m4"),
        ("ml-kem-512+fn-dsa-512", "compact", "certificates", "m4"),
        ("ml-kem-512+fn-dsa-512", "compact", "keys", "m4"),
    ] {
        let keys = format!(
            "[[keys]]\nscheme = \"lasan\"\nsecurity_module = \"safe\"\nsuite = \"{suite}\"\n\
             profile = \"{profile}\"\ncredentials = \"{credentials}\"\nstart = \"50ms\"\n"
        );
        let [calm, storm] = ["", STORM].map(|storm| report(&(car(board) + &keys + storm)));
        let (before, after) = (&calm.security_modules[0], &storm.security_modules[0]);
        let [usual, load] = [&calm, &storm].map(|report| module(report).crypto_load);
        let computed = (load - usual) * SECONDS as f64 * 1_000.0;
        let (last, late) = authenticated(after);
        let (calm_last, calm_late) = authenticated(before);
        println!(
            "{suite} {profile} {credentials} {board}: {} forged registrations looked at, {:.1} ms \
             each, {:.1} % of the processor; the first ECUs after {last:.0} ms and the late one \
             after {late:.0} ms, in calm after {calm_last:.0} and {calm_late:.0} ms",
            after.failed,
            computed / after.failed.max(1) as f64,
            (load - usual) * 100.0,
        );
        assert_eq!(before.failed, 0);
        // In each name once in each pause, of which the first are shorter.
        let pauses = 4 + SECONDS * 1_000 / 800 + 1;
        assert!(after.failed > 20, "{after:#?}");
        assert!(after.failed <= ECUS as u64 * pauses, "{}", after.failed);
        assert!(last < 10.0 * calm_last, "{last} {calm_last}");
        assert!(late < 4.0 * calm_late, "{late} {calm_late}");
    }
}

#[test]
fn what_cannot_be_registered_with_is_reported_with_a_remedy() {
    let keys = "[[keys]]\nscheme = \"lasan\"\nsecurity_module = \"safe\"\n";
    let published = format!("{keys}profile = \"as-published\"\n");
    let ecus = |list: &str| format!("{STORM}ecus = {list}\n");
    for (keys, attack, expected) in [
        (
            "",
            STORM,
            "no security module has messages on this bus; name one of the `buses`",
        ),
        (
            &published,
            STORM,
            "as published no ECU is given a turn; write `kind = \"replay\"`",
        ),
        (
            keys,
            &ecus("[\"safe\"]"),
            "this ECU is no member; name some",
        ),
        (keys, &ecus("[\"e9\"]"), "there is no ECU \"e9\""),
        (keys, &ecus("[]"), "this names no ECU; name some `members`"),
        (
            keys,
            &STORM.replace("period = \"1ms\"\n", ""),
            "needs the key `period`",
        ),
    ] {
        let text = car("ideal") + keys + attack;
        let found = VehicleFile::parse("car.toml", &text).unwrap_err();
        let found = found.to_string();
        assert!(found.contains(expected), "{attack}\n{found}");
    }
}
