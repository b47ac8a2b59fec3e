//! Refusals of `waywarden pki` before anything is written, with the option or place that is wrong.

use std::fs;

use crate::support::{World, snapshot};

#[test]
fn pseudonyms_beyond_the_issuer_are_refused_and_take_no_name() {
    let world = World::new();
    // The pseudonym CA is valid for five years from here.
    world.works("pki init p --us --no-passphrase --start 2026-02-01T00:00:00Z");
    let before = snapshot(&world.path("p"));
    let words = "pki pseudonyms p --for car --per-week 1 --start 2031-01-01T00:00:00Z";
    let late = format!("{words} --weeks 9");
    let reasons = [
        "--start, --weeks 9: p/trust/",
        "validityPeriod",
        "--weeks 5 at most",
    ];
    world.refused(&late, &reasons);
    world.refused(&late, &["issues until 2031-02", "pki renew p pca"]);
    let none = words.replace("2031-01", "2032-01");
    world.refused(&none, &["give an earlier --start"]);
    let early = words.replace("2031-01", "2026-01");
    world.refused(&early, &["--start: p/trust/", "give a later --start"]);
    assert_eq!(snapshot(&world.path("p")), before);
    world.refused("pki revoke p car", &["no certificate of \"car\""]);
    world.works(&format!("{words} --weeks 5"));
}

#[test]
fn keygen_leaves_both_files_or_none() {
    let world = World::new();
    let keygen = "pki keygen car.p8 --no-passphrase --public";
    world.refused(&format!("{keygen} missing/car.der"), &["missing/car.der"]);
    world.write("there.der", "of the user");
    world.refused(
        &format!("{keygen} there.der"),
        &["there.der: is there already", "another name"],
    );
    for same in ["car.p8", "./car.p8"] {
        let reason = "is the place of the output car.p8 too";
        world.refused(&format!("{keygen} {same}"), &[reason]);
    }
    assert!(!world.path("car.p8").exists());
    assert_eq!(fs::read(world.path("there.der")).unwrap(), b"of the user");
    world.works(&format!("{keygen} car.der"));
    let key = fs::read(world.path("car.p8")).unwrap();
    world.refused(
        &format!("{keygen} other.der"),
        &["car.p8: is there already"],
    );
    assert_eq!(fs::read(world.path("car.p8")).unwrap(), key);
    assert!(!world.path("other.der").exists());
}

#[test]
fn seeds_that_revoke_nothing_are_refused_by_their_table() {
    const ONE: &str = "{ la = \"8e09\", seed = \"4840ed221502d9ab6786bf68fba9f210\" }";
    const OTHER: &str = "{ la = \"59ce\", seed = \"6b71a7eb5755f16e89981d2189a6daea\" }";
    let world = World::new();
    world.works("pki init p --us --no-passphrase");
    let index = fs::read(world.path("p/pki.toml")).unwrap();
    let table = |kind: &str, seeds: &[&str], rest: &str| {
        format!("[[{kind}]]\nseeds = [{}]\n{rest}\n", seeds.join(", "))
    };
    let holder =
        |seeds: &[&str], i_max: u16| table("holder", seeds, &format!("j_max = 1\ni_max = {i_max}"));
    let group = |i_max: u16| table("group", &[ONE], &format!("i_max = {i_max}"));
    let pair = holder(&[ONE, OTHER], 200);
    for (tables, reasons) in [
        (
            String::new(),
            ["no holder and no group", "add a table [[holder]]"],
        ),
        (
            format!("{pair}{}", holder(&[ONE], 129)),
            ["[[holder]] number 2: i_max = 129", "before i_rev = 130"],
        ),
        (
            group(129),
            ["[[group]] number 1: i_max", "give the last period"],
        ),
        (
            format!("{pair}{}", holder(&[OTHER, ONE], 210)),
            ["[[holder]] number 2", "has the seeds of number 1"],
        ),
        (
            group(200) + &group(201),
            ["[[group]] number 2", "has the seeds of number 1"],
        ),
        (
            holder(&[ONE, ONE], 200),
            [
                "[[holder]] number 1: seeds: both are the same",
                "one of each",
            ],
        ),
    ] {
        world.write("seeds.toml", format!("i_rev = 130\n{tables}"));
        let words = "pki crl p --seeds seeds.toml -o list.oer";
        world.refused(words, &["seeds.toml: "]);
        world.refused(words, &reasons);
    }
    assert!(!world.path("list.oer").exists());
    assert_eq!(fs::read(world.path("p/pki.toml")).unwrap(), index);
    world.write("seeds.toml", format!("i_rev = 130\n{pair}{}", group(130)));
    world.works("pki crl p --seeds seeds.toml -o list.oer");
}

#[test]
fn next_list_has_bounds_of_its_own() {
    let world = World::new();
    world.works("pki init p --us --no-passphrase");
    for (next, reason) in [
        ("0s", "the next list is due after 1 to 65535 of a unit"),
        ("101y", "the next list is due after at most 100 years"),
    ] {
        world.refused(&format!("pki crl p -o list --next {next}"), &[reason]);
    }
}

#[cfg(unix)]
#[test]
fn outputs_replace_files_and_follow_no_links() {
    use std::os::unix::fs::symlink;
    let world = World::new();
    world.works("pki init p --us --no-passphrase");
    world.works("pki issue p --name car");
    world.write("bsm.hex", "0011\n");
    world.write("key", "000102030405060708090a0b0c0d0e0f");
    let target = world.path("target");
    for words in [
        "pki crl p -o",
        "pki backup p -o",
        "sign @bsm.hex --lines --pki @p --as car --psid BSM -o",
        "encrypt @bsm.hex --payload --pre-shared-key @key -o",
    ] {
        symlink("target", world.path("link")).unwrap();
        world.refused(&format!("{words} @link"), &["link: is a symbolic link"]);
        assert!(!target.exists(), "{words}");
        fs::write(&target, "of the user").unwrap();
        world.refused(&format!("{words} @link"), &["remove the link"]);
        assert_eq!(fs::read(&target).unwrap(), b"of the user", "{words}");
        fs::remove_file(world.path("link")).unwrap();
        world.works(&format!("{words} @target"));
        assert_ne!(fs::read(&target).unwrap(), b"of the user", "{words}");
        fs::remove_file(&target).unwrap();
    }
}

#[test]
fn controls_in_arguments_are_printed_as_text() {
    let world = World::new();
    for argument in [
        "--id=a\u{1b}[31m",
        "\u{1b}]0;title\u{7}",
        "--\u{202e}x",
        "--id=a\nerror:b",
    ] {
        let output = crate::support::waywarden()
            .current_dir(world.path(""))
            .args(["pki", "register", "p", "--block", argument])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        let complaint = String::from_utf8(output.stderr).unwrap();
        let acts = |letter: char| letter.is_control() && letter != '\n';
        assert!(!complaint.contains(acts), "{complaint:?}");
        assert!(!complaint.contains(['\u{202e}']), "{complaint:?}");
        let lines = complaint.lines().filter(|line| line.starts_with("error:"));
        assert_eq!(lines.count(), 1, "{complaint:?}");
    }
}

#[test]
fn help_states_the_bounds_of_numbers() {
    let world = World::new();
    for (words, bounds) in [
        (
            "pki pseudonyms --help",
            &["1 to 1000", "1 to 100", "1 to 100000"][..],
        ),
        ("pki enrol --help", &["0 to 1000", "1 to 3600"]),
        ("sign --help", &["0 to 255"]),
    ] {
        let help = world.works(words);
        for bound in bounds {
            assert!(help.contains(bound), "{words}: {bound}: {help}");
        }
    }
}

#[test]
fn numbers_beyond_the_bounds_in_help_are_refused() {
    let world = World::new();
    let enrol = "pki enrol car --name car --from http://localhost:1 --id A --key k --trust t";
    world.refused(
        &format!("{enrol} --tickets 1001"),
        &["--tickets", "0..=1000"],
    );
    world.refused(
        "sign @x --pki @p --as car --psid BSM --index 256",
        &["--index", "0..=255"],
    );
    let help = |words: &str| world.works(&format!("{words} --help"));
    assert!(help("pki enrol").contains("0 to 1000"));
    assert!(help("sign").contains("0 to 255"));
}
