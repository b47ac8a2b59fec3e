//! Authentication in whole cars: without attack nothing is lost, one master announces, a
//! requirement is missed by what never came, and a key in software is the intruder's.

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::VehicleEvent;

/// A sender, a receiver and a third ECU on one bus.
fn car(duration: &str, period: &str, table: &str, more: &str) -> String {
    format!(
        "[vehicle]\nname = 'car'\nseed = 1\nduration = '{duration}'\n\
         [[bus]]\nname = 'a'\nbitrate = '500k'\n\
         [[ecu]]\nname = 'tx'\nports = ['a']\n\
         sends = [{{ name = 'S', id = 0x060, length = 4, period = '{period}', \
         receivers = ['rx', 'third'] }}]\n\
         [[ecu]]\nname = 'rx'\nports = ['a']\n[[ecu]]\nname = 'third'\nports = ['a']\n\
         [[authentication]]\nname = 'tags'\nprotect = ['S']\n{table}\n{more}\n"
    )
}

fn report(text: &str) -> Report {
    let file = VehicleFile::parse("car.toml", text).unwrap();
    let lowered = lower(&file, &Resources::default(), None).unwrap();
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    Report::new(&file, file.seed, &outcome)
}

#[test]
fn in_peace_an_announcement_costs_no_message() {
    for profile in ["production", "jaspar", "autosar-2"] {
        for (period, announce, least) in [
            ("10ms", "10ms", 298),
            ("20ms", "10ms", 148),
            ("100ms", "10ms", 28),
            ("100ms", "100ms", 28),
            ("20ms", "100ms", 148),
        ] {
            let table = format!(
                "scheme = 'secoc'\nprofile = '{profile}'\nmaster = 'third'\nannounce = '{announce}'"
            );
            let report = report(&car("3s", period, &table, ""));
            for check in &report.authentication[0].checks {
                let case = format!("{profile} {period} {announce} at {}", check.ecu);
                assert_eq!(check.refused(), 0, "{case}");
                assert!(check.authentic >= least, "{case}: {}", check.authentic);
            }
        }
    }
}

#[test]
fn a_master_that_verifies_for_other_buses_announces_once() {
    let car = "[vehicle]\nname = 'car'\nduration = '2s'\n\
        [[bus]]\nname = 'a'\nbitrate = '500k'\n[[bus]]\nname = 'b'\nbitrate = '500k'\n\
        [[bus]]\nname = 'c'\nbitrate = '500k'\n\
        [[ecu]]\nname = 'tx'\nports = ['a']\nsends = [\
        { name = 'S', id = 0x060, length = 1, period = '50ms', receivers = ['b1', 'gw'] },\
        { name = 'T', id = 0x062, length = 1, period = '50ms', receivers = ['c1'] }]\n\
        [[ecu]]\nname = 'b1'\nports = ['b']\n[[ecu]]\nname = 'c1'\nports = ['c']\n\
        [[ecu]]\nname = 'gw'\nports = ['a', 'b', 'c']\n\
        [[route]]\ngateway = 'gw'\nfrom = 'a'\nto = 'b'\nstreams = ['S']\nverify = true\n\
        [[route]]\ngateway = 'gw'\nfrom = 'a'\nto = 'c'\nstreams = ['T']\nverify = true\n\
        [[authentication]]\nscheme = 'secoc'\nmaster = 'gw'\nprotect = ['S', 'T']\n";
    let reset = "[[fault]]\nkind = 'reset'\necu = 'gw'\nfrom = '1s'\nuntil = '1050ms'\n";
    for (text, taken) in [(car.to_owned(), 38), (format!("{car}{reset}"), 34)] {
        let file = VehicleFile::parse("car.toml", &text).unwrap();
        let lowered = lower(&file, &Resources::default(), None).unwrap();
        let mut announced: Vec<Vec<u8>> = Vec::new();
        let mut sink = |_: Time, event: &VehicleEvent<'_>| {
            if let VehicleEvent::Sent { bus, frame, .. } = event
                && bus.0 == 0
                && frame.id().raw() == 0x00F
            {
                announced.push(frame.data()[..5].to_vec());
            }
        };
        let outcome = run(lowered, &mut sink, &mut |_| {}).unwrap();
        assert!(announced.len() >= 18, "{}", announced.len());
        let newer = announced.windows(2).all(|two| two[0] < two[1]);
        assert!(newer, "each once, and each newer: {announced:02X?}");
        let report = Report::new(&file, file.seed, &outcome);
        for check in &report.authentication[0].checks {
            let (ecu, stream) = (&check.ecu, &check.stream);
            assert!(
                check.authentic >= taken,
                "{stream} at {ecu}: {}",
                check.authentic
            );
        }
        for stream in &report.streams {
            assert!(
                stream.delivered >= taken,
                "{}: {}",
                stream.stream,
                stream.delivered
            );
        }
    }
}

#[test]
fn what_never_leaves_or_is_refused_misses_a_required_latency() {
    let strict = "[require]\nloss_allowed = ['faults']\nlatency = { default = 'deadline' }\n";
    let require = &strict.replace("['faults']", "['startup', 'faults']");
    let secoc =
        |announce: &str| format!("scheme = 'secoc'\nmaster = 'third'\nannounce = '{announce}'");
    let cut =
        |ecu: &str| format!("{require}[[fault]]\nkind = 'bus-open'\necu = '{ecu}'\nfrom = '1s'\n");
    let key = "[[fault]]\nkind = 'reset'\necu = 'rx'\nfrom = '1s'\nuntil = '1010ms'\n";
    for (announce, more, word) in [
        // 256 messages an epoch, and no more.
        ("10s", require.to_owned(), "could not protect"),
        // The master announces no more: in time counters come to their end.
        ("100ms", cut("third"), "could not protect"),
        // A receiver that was reset waits for an announcement.
        ("400ms", format!("{strict}{key}"), "out of step"),
        ("100ms", require.to_owned(), ""),
    ] {
        let report = report(&car("8s", "10ms", &secoc(announce), &more));
        let verdict = &report.requirements[0];
        assert_eq!(verdict.met, word.is_empty(), "{verdict:?}");
        let cause = verdict.cause.as_deref().unwrap_or_default();
        assert!(cause.contains(word), "{verdict:?}");
        assert_eq!(verdict.cause.is_some(), !word.is_empty(), "{verdict:?}");
    }
    // Forgeries that are refused are not instances of the sender.
    let forged = format!(
        "{require}[[attacker]]\nkind = 'spoof'\nbus = 'a'\nid = 0x060\nlength = 8\nperiod = '7ms'\n"
    );
    let report = report(&car("2s", "10ms", &secoc("100ms"), &forged));
    assert!(report.authentication[0].checks[0].refused() > 100);
    assert!(report.requirements[0].met, "{:?}", report.requirements[0]);
}

#[test]
fn an_intruder_forges_with_the_keys_of_a_receiver_unless_a_module_has_them() {
    let intruder = "[[attacker]]\nkind = 'compromise'\necus = ['rx']\nperiod = '20ms'\n\
                    from = '505ms'\nuntil = '700ms'\n[require]\nundeceived = ['third']\n";
    for protocol in [
        "scheme = 'vatican'",
        "scheme = 'leia'",
        "scheme = 'vatican'\nprofile = 'as-published'",
        "scheme = 'leia'\nprofile = 'as-published'",
        "scheme = 'secoc'\nmaster = 'tx'",
        "scheme = 'secoc'\nmaster = 'tx'\nprofile = 'jaspar'",
        "scheme = 'secoc'\nmaster = 'tx'\nprofile = 'autosar-2'",
        "scheme = 'secoc'\nprofile = 'autosar-1'",
    ] {
        for (key_store, is_met) in [("software", false), ("module", true)] {
            let table = format!("{protocol}\nkey_store = '{key_store}'");
            let report = report(&car("1s", "10ms", &table, intruder));
            let verdict = &report.requirements[0];
            assert_eq!(verdict.met, is_met, "{protocol} {key_store}: {verdict:?}");
        }
    }
}

#[test]
fn tags_are_no_key_frames() {
    let keys = |id: &str| {
        let keys = "[[keys]]\nscheme = 'symmetric-distribution'\norchestrator = 'third'\n\
                    members = ['tx', 'rx']\nbuses = ['a']\n";
        car("1s", "10ms", "scheme = 'leia'", keys).replace("0x060", id)
    };
    let frames = |text: &str| report(text).groups[0].frames;
    for id in ["0x07E", "0x040"] {
        let tagged = keys(id);
        let plain = tagged.replace("scheme = 'leia'", "scheme = 'vatican'");
        assert_eq!(frames(&tagged), frames(&plain), "{id}");
    }
}

#[test]
fn streams_with_one_identifier_on_two_buses_have_findings_of_their_own() {
    let car = |table: &str| {
        let sends = |name: &str, receivers: &str| {
            format!(
                "sends = [{{ name = '{name}', id = 0x060, length = 4, period = '10ms', \
                 receivers = [{receivers}] }}]\n"
            )
        };
        let ecu =
            |name: &str, ports: &str| format!("[[ecu]]\nname = '{name}'\nports = [{ports}]\n");
        format!(
            "[vehicle]\nname = 'car'\nduration = '1s'\n\
             [[bus]]\nname = 'a'\nbitrate = '500k'\n[[bus]]\nname = 'b'\nbitrate = '500k'\n\
             {}{}{}{}{}[[authentication]]\nname = 'tags'\nprotect = ['S', 'T']\n{table}\n",
            ecu("both", "'a', 'b'"),
            ecu("tx", "'a'"),
            sends("S", "'both'"),
            ecu("ty", "'b'"),
            sends("T", "'both'"),
        )
    };
    for table in [
        "scheme = 'vatican'",
        "scheme = 'leia'",
        "scheme = 'vatican'\nprofile = 'as-published'",
        "scheme = 'secoc'\nmaster = 'both'",
        "scheme = 'secoc'\nprofile = 'autosar-1'",
        "scheme = 'secoc'\nprofile = 'autosar-1'\nkey_store = 'module'",
        "scheme = 'secoc'\nprofile = 'autosar-1'\ncryptographic_pdus = [{ stream = 'S', id = 0x61 \
         }, { stream = 'T', id = 0x62 }]",
    ] {
        let report = report(&car(table));
        let row = &report.authentication[0];
        assert_eq!(row.forged, 0, "{table}");
        for check in &row.checks {
            assert_eq!(
                check.wrong_tag + check.replay + check.missing,
                0,
                "{table}: {check:#?}"
            );
            assert!(check.authentic >= 95, "{table}: {check:#?}");
        }
        assert_eq!(row.checks.len(), 2);
    }
}
