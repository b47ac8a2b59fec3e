//! The ranking of a car's variants: security first among those that meet the requirements, the car
//! without protection last.

use waywarden_vehicle_lab::compare::{
    Attacks, AuthenticationChoice, Comparison, KeyChoice, KeyLocation, RankBy, Variant, VariantRow,
    VariantTrial,
};

use super::{CAR, NONE, figures_of, original, setting, trial, with};

const TREE: KeyChoice = KeyChoice::Group("tree-with-orchestrator", "fourq");
const SECOC: AuthenticationChoice = AuthenticationChoice::Secoc("production");

/// The choices of the rows, in their order.
fn ranked(comparison: &Comparison) -> Vec<Variant> {
    let rows = comparison.variants.iter();
    rows.map(VariantRow::variant).collect()
}

#[test]
fn the_car_without_protection_is_the_baseline_and_never_the_winner() {
    let (car, setting) = (original(CAR), setting(Attacks::Standard));
    let variants = [NONE, with(SECOC), with(AuthenticationChoice::Vatican)];
    let trials = || variants.map(|one| trial(&car, one, &setting)).to_vec();
    let all = trials();
    for by in [
        RankBy::Security,
        RankBy::Requirements,
        RankBy::Attacks,
        RankBy::Latency,
        RankBy::Load,
        RankBy::StartUp,
    ] {
        let comparison = Comparison::new(&car, &setting, by, all.clone());
        let ranks = comparison.variants.iter().map(|row| row.rank);
        assert_eq!(
            ranks.collect::<Vec<_>>(),
            [Some(1), Some(2), None],
            "{by:?}"
        );
        assert_eq!(ranked(&comparison)[2], NONE, "{by:?}");
        let text = &comparison.conclusion;
        let begins = text.starts_with("Fits best: keys none with authentication ");
        assert!(
            begins && text.contains(" Without protection: 7 of 7 attacks"),
            "{text}"
        );
    }
    // Four streams of five, against three.
    let comparison = Comparison::new(&car, &setting, RankBy::Security, all);
    assert_eq!(
        ranked(&comparison),
        [with(SECOC), with(AuthenticationChoice::Vatican), NONE]
    );
    // The same again, to the last digit.
    let again = Comparison::new(&car, &setting, RankBy::Security, trials());
    let text = |one: &Comparison| serde_json::to_string(one).unwrap();
    assert_eq!(text(&comparison), text(&again));
}

#[test]
fn a_variant_that_misses_a_requirement_ranks_below_all_that_meet_them() {
    // Session keys are more secure; their key frames are load.
    let keyed = Variant {
        keys: TREE,
        authentication: SECOC,
    };
    let (car, setting) = (original(CAR), setting(Attacks::Standard));
    let load = |variant| {
        let figures = figures_of(&car, variant, &setting);
        assert_eq!(figures.busiest_bus, "body");
        figures.load
    };
    let (without, with_keys) = (load(with(SECOC)), load(keyed));
    assert!(without + 0.002 < with_keys, "{without} {with_keys}");
    let bound = format!(
        "startup = \"200ms\"\nbus_load = {{ body = {} }}",
        f64::midpoint(without, with_keys)
    );
    let car = original(&CAR.replace("startup = \"200ms\"", &bound));
    let trials = [keyed, with(SECOC)].map(|one| trial(&car, one, &setting));
    let comparison = Comparison::new(&car, &setting, RankBy::Security, trials.to_vec());
    assert_eq!(ranked(&comparison), [with(SECOC), keyed]);
    let says = " Next: keys tree-with-orchestrator/fourq with authentication secoc-production: it \
                misses 1 of 2 requirements (bus load body).";
    assert!(
        comparison.conclusion.contains(says),
        "{}",
        comparison.conclusion
    );
    assert!(comparison.is_met());
    // What misses a requirement is no choice, and so not on the front.
    assert!(comparison.variants[0].pareto && !comparison.variants[1].pareto);
    let only = Comparison::new(&car, &setting, RankBy::Security, vec![trials[0].clone()]);
    assert!(!only.is_met());
    let begins = "No variant that protects streams meets all requirements. Comes nearest: ";
    assert!(only.conclusion.starts_with(begins), "{}", only.conclusion);
}

/// Without a variant that meets all requirements, the nearest one is not the one that ruins the
/// car.
#[test]
fn variants_that_miss_requirements_rank_by_how_many_they_miss() {
    let text = CAR.replace("200ms", "1us").replace(
        "[require]",
        "[require]\nlatency = { Window = \"1us\", Mirror = \"1us\", Lock = \"1us\" }",
    );
    let (car, setting) = (original(&text), setting(Attacks::File));
    let [mut more, fewer] =
        [SECOC, AuthenticationChoice::Vatican].map(|one| trial(&car, with(one), &setting));
    let missed = &mut more.result.as_mut().unwrap().missed;
    missed.push("one more".to_owned());
    let comparison = Comparison::new(&car, &setting, RankBy::Security, vec![more, fewer]);
    let first = with(AuthenticationChoice::Vatican);
    assert_eq!(ranked(&comparison), [first, with(SECOC)]);
}

#[test]
fn keys_that_ecus_agree_on_rank_above_keys_that_stay() {
    let (car, setting) = (original(CAR), setting(Attacks::Standard));
    let variants = [
        with(SECOC),
        Variant {
            keys: TREE,
            authentication: SECOC,
        },
    ];
    let trials = variants.map(|one| trial(&car, one, &setting));
    let session = trials[1].result.as_ref().unwrap().coverage;
    // None of the streams leaves its bus, and the group on a bus has all its ECUs.
    assert_eq!((session.covered, session.session_keys), (4, 4));
    assert_eq!(trials[0].result.as_ref().unwrap().coverage.session_keys, 0);
    let comparison = Comparison::new(&car, &setting, RankBy::Security, trials.to_vec());
    let first = &comparison.variants[0];
    if first.is_met() {
        assert_eq!(first.keys, TREE);
    }
    // The keys of protected modules are in place when the car starts.
    let module = super::ComparisonSetting {
        key_store: KeyLocation::Module,
        ..setting
    };
    let own = figures_of(&car, variants[1], &module).coverage;
    assert_eq!((own.covered, own.session_keys), (4, 0));
}

#[test]
fn only_the_streams_that_are_named_are_protected_and_attacked() {
    let setting = setting(Attacks::Standard);
    let mut car = original(CAR);
    car.protect(&["Lock".to_owned(), "Speed".to_owned()])
        .unwrap();
    let own = figures_of(&car, with(SECOC), &setting);
    assert_eq!((own.coverage.covered, own.coverage.streams), (2, 2));
    // An intruder, and three on each bus.
    assert_eq!((own.attacks, own.stopped), (7, 6), "{own:?}");
    car.protect(&["Mirror".to_owned()]).unwrap();
    let own = figures_of(&car, with(SECOC), &setting);
    assert_eq!((own.coverage.covered, own.attacks), (1, 4));
    // vatiCAN has no place for its tags.
    let reason = trial(&car, with(AuthenticationChoice::Vatican), &setting);
    let reason = reason.result.unwrap_err();
    assert_eq!(
        reason,
        "vatican cannot carry the stream to protect: stream \"Mirror\" has the odd identifier \
         0x121; an even one leaves the next to its tags"
    );
    let error = car.protect(&["Mirrow".to_owned()]).unwrap_err();
    assert!(error.contains("did you mean \"Mirror\"?"), "{error}");
    let error = car.protect(&["Unheard".to_owned()]).unwrap_err();
    assert!(error.contains("no ECU receives \"Unheard\""), "{error}");
    // What was chosen before stays.
    assert_eq!(car.streams().len(), 1);
}

/// Streams that must arrive soon are those that matter, if there are any.
#[test]
fn the_streams_whose_required_latency_is_short_are_protected_by_default() {
    assert_eq!(original(CAR).streams().len(), 5);
    let bound = "startup = \"200ms\"\n\
                 latency = { Lock = \"100ms\", Mirror = \"101ms\" }";
    let car = original(&CAR.replace("startup = \"200ms\"", bound));
    let named = car
        .streams()
        .iter()
        .map(|at| car.file().stream(*at).name.value.as_str());
    assert_eq!(named.collect::<Vec<_>>(), ["Lock"]);
}

#[test]
fn what_cannot_be_made_is_listed_once_with_its_reason() {
    // An identifier that a key frame of a group on this bus may have.
    let text = CAR.replace("id = 0x110,", "id = 0x00020104, extended = true,");
    let suites = ["fourq", "p256"];
    let keyed = suites.map(|suite| Variant {
        keys: KeyChoice::Group("tree-with-orchestrator", suite),
        authentication: SECOC,
    });
    let (car, setting) = (original(&text), setting(Attacks::File));
    let variants = [keyed[0], NONE, keyed[1]];
    let trials: Vec<VariantTrial> = variants.map(|one| trial(&car, one, &setting)).to_vec();
    let comparison = Comparison::new(&car, &setting, RankBy::Security, trials);
    assert_eq!(ranked(&comparison), [NONE]);
    let [one] = comparison.impossible.as_slice() else {
        panic!("{:?}", comparison.impossible);
    };
    assert!(one.reason.contains("key frame"), "{}", one.reason);
    assert_eq!(one.variants, keyed);
    assert!(!comparison.is_met());
    let says = "No variant protects a stream. Without protection: ";
    assert!(
        comparison.conclusion.starts_with(says),
        "{}",
        comparison.conclusion
    );
}

#[test]
fn variants_with_the_same_figures_have_one_row() {
    let (car, setting) = (original(CAR), setting(Attacks::File));
    let own = trial(&car, with(SECOC), &setting);
    let other = VariantTrial {
        variant: Variant {
            keys: TREE,
            authentication: SECOC,
        },
        ..own.clone()
    };
    let apart = VariantTrial {
        variant: with(AuthenticationChoice::Vatican),
        ..own.clone()
    };
    let folded = other.variant;
    let comparison = Comparison::new(&car, &setting, RankBy::Security, vec![own, other, apart]);
    let same: Vec<usize> = comparison
        .variants
        .iter()
        .map(|row| row.same.len())
        .collect();
    assert_eq!(same, [1, 0]);
    assert_eq!(comparison.variants[0].same, [folded]);
    assert!(comparison.ideal_boards);
    let board = "name = \"light\"\nboard = \"tc297\"";
    let car = original(&CAR.replace("name = \"light\"", board));
    let mixed = Comparison::new(&car, &setting, RankBy::Security, Vec::new());
    assert!(!mixed.ideal_boards);
    assert_eq!(mixed.on_ideal_boards(), None);
}

#[test]
fn a_comparison_of_simulated_images_says_which_ecus_compute_in_no_time() {
    let sentence = |image: &str| {
        let light = format!("name = \"light\"\nboard = \"tc297\"{image}");
        let car = original(&CAR.replace("name = \"light\"", &light));
        let setting = setting(Attacks::File);
        let comparison = Comparison::new(&car, &setting, RankBy::Security, Vec::new());
        assert!(!comparison.ideal_boards);
        comparison.on_ideal_boards().map(str::to_owned)
    };
    let said = sentence("\nfirmware = \"light.elf\"\nclock = \"80MHz\"").unwrap();
    assert!(said.contains("computing takes no time on "), "{said}");
    assert_eq!(sentence(""), None);
}
