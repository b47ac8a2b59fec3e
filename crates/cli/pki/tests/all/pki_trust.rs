//! `waywarden pki trust`: documents imported, shown, refused, and used by `verify`.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use waywarden_testkit::{Random, hex_of};
use waywarden_testkit_v2x::trust_lists::{List, at, authority, crl, manager, root};
use waywarden_testkit_v2x::world::{Holder, MessageContents, Named, Spec, now};

use crate::support::corpus;
use crate::support::{World, snapshot};

/// Number of times that an update is killed.
#[cfg(unix)]
const KILLS: u32 = 200;

/// The time of the test's world, as an option.
fn at_now() -> String {
    format!("--at {}", now().0)
}

fn id(holder: &Holder) -> String {
    hex_of(&holder.id().0)
}

/// Returns the state and the reason that `show` reports of each certificate.
fn shown(world: &World, after: i64) -> Vec<(String, String)> {
    let words = format!("pki trust show t --format json --at {}", at(after).0);
    let report: Value = serde_json::from_str(&world.works(&words)).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = report["certificates"].as_array().unwrap().iter();
    all.map(|one| {
        let state = format!("{} {}", text(&one["state"]), text(&one["reason"]));
        (text(&one["id"]), state.trim().to_owned())
    })
    .collect()
}

fn state(world: &World, holder: &Holder, after: i64) -> String {
    let own = id(holder);
    let found = shown(world, after).into_iter().find(|(id, _)| *id == own);
    found.map_or_else(|| "unknown".to_owned(), |(_, state)| state)
}

/// A manager's list with one root, whose list has two authorities: as files, and in the trust store
/// `t` if the owner has approved the manager.
struct Imported {
    world: World,
    tlm: Holder,
    root: Holder,
    authorities: [Holder; 2],
}

/// Imports all documents, the last one first.
fn import_all() -> String {
    format!("pki trust import t lists.hex ectl.ctl tlm.oer {}", at_now())
}

impl Imported {
    fn files() -> Self {
        let world = World::new();
        let (tlm, root) = (manager(1), root(2));
        let authorities = [authority(4, &root), authority(5, &root)];
        let [aa, other] = &authorities;
        world.write("tlm.oer", &tlm.certificate);
        world.write("ectl.ctl", List::full(7, 0).with_roots(&[&root]).ectl(&tlm));
        let both = List::full(1, 0).with_authorities(&[aa, other]).ctl(&root);
        // Lines of hexadecimal digits are as good.
        world.write("lists.hex", format!("{}\n", hex_of(&both)));
        Self {
            world,
            tlm,
            root,
            authorities,
        }
    }

    fn approved() -> Self {
        let own = Self::files();
        let approval = format!("--trust-anchor {}", id(&own.tlm));
        own.world.works(&format!("{} {approval}", import_all()));
        own
    }

    /// Writes a message of a station below the first authority.
    fn write_message(&self) {
        let station = Holder::issue(&Spec::station(9), Some(&self.authorities[0]));
        let message = MessageContents {
            named: Named::Certificates(&[]),
            ..MessageContents::new()
        };
        self.world.write("message.oer", message.sign(&station));
    }

    /// Imports the next lists: the first authority is revoked, the second one left out.
    fn import_next_lists(&self) {
        let (aa, root) = (&self.authorities[0], &self.root);
        let less = List::full(2, 0).with_authorities(&[aa]).ctl(root);
        self.world.write("less.ctl", less);
        self.world.write("a.crl", crl(0, &[aa], root));
        let next = format!("pki trust import t a.crl less.ctl {}", at_now());
        self.world.works(&next);
    }

    /// Returns the words for the revocation of the first authority.
    fn revoked(&self) -> String {
        format!("revoked by root CRL of {}", id(&self.root))
    }
}

#[test]
fn the_documents_of_a_pki_are_imported_in_any_order() {
    let Imported {
        world,
        tlm,
        root,
        authorities: [aa, other],
    } = Imported::files();
    let all = import_all();
    // Without the owner's approval nothing follows, and nothing is written.
    let remedy = format!("with --trust-anchor {}", id(&tlm));
    world.refused(&all, &[&remedy, "tlm.oer: TLM", "as it was"]);
    world.refused(
        "pki trust show t",
        &["no trust store", "pki trust import t"],
    );
    world.refused(
        &format!("{all} --trust-anchor 12"),
        &["16 hexadecimal digits"],
    );
    let out = world.works(&format!("{all} --trust-anchor {}", id(&tlm)));
    assert!(out.contains("ctlSequence 7: 1 certificates added"), "{out}");
    assert!(world.works(&all).contains("known"));
    for one in [&tlm, &root, &aa, &other] {
        assert_eq!(state(&world, one, 0), "trusted");
    }
}

#[test]
fn the_next_lists_withdraw_and_revoke_authorities() {
    let own = Imported::approved();
    let (world, [aa, other]) = (&own.world, &own.authorities);
    own.write_message();
    let verify = format!("verify @message.oer --trust @t {}", at_now());
    world.works(&verify);
    own.import_next_lists();
    assert_eq!(state(world, aa, 0), own.revoked());
    let of_root = id(&own.root);
    let withdrawn = format!("withdrawn by root CTL of {of_root}, ctlSequence 2");
    assert_eq!(state(world, other, 0), withdrawn);
    let refused = world.run(&verify);
    assert_eq!(refused.code, Some(1));
    let code = "spduCertificateChainCertificateRevoked";
    assert!(refused.out.contains(code), "{}", refused.out);
}

#[test]
fn an_older_list_is_refused_and_changes_nothing() {
    let own = Imported::approved();
    own.import_next_lists();
    let before = snapshot(&own.world.path("t"));
    let again = format!("pki trust import t lists.hex {}", at_now());
    own.world
        .refused(&again, &["older (ctlSequence 1)", "(ctlSequence 2)"]);
    assert_eq!(snapshot(&own.world.path("t")), before);
}

#[test]
fn show_has_a_table_for_people() {
    let own = Imported::approved();
    own.import_next_lists();
    let table = own.world.works(&format!("pki trust show t {}", at_now()));
    for text in [
        "root CRL of",
        "ECTL of",
        "your approval",
        &own.revoked().replace("revoked ", "revoked: "),
    ] {
        assert!(table.contains(text), "{text}: {table}");
    }
}

#[test]
fn a_root_is_not_trusted_once_its_list_is_overdue() {
    let own = Imported::approved();
    own.write_message();
    let overdue = format!("not trusted ECTL of {} is overdue", id(&own.tlm));
    assert_eq!(state(&own.world, &own.root, 1_001), overdue);
    let later = format!("verify @message.oer --trust @t --at {}", at(1_001).0);
    let late = own.world.run(&later);
    assert_eq!(late.code, Some(1));
    let remedy = "import the next one";
    assert!(late.complaint.contains(remedy), "{}", late.complaint);
}

#[test]
fn the_trust_list_of_the_eu_is_imported() {
    let Some(folder) = corpus("v2x/eu_trust") else {
        return;
    };
    let world = World::new();
    for (from, to) in [("E7A4B2B045E7ACF9", "tlm"), ("CE4CF6C19BFED720", "ectl")] {
        fs::copy(folder.join(format!("{from}.oer")), world.path(to)).unwrap();
    }
    // Today its next list is long due.
    let approved = "pki trust import t tlm ectl --trust-anchor e7a4b2b045e7acf9";
    world.refused(approved, &["nextUpdate", "ectl: "]);
    let inspected = world.works("inspect @ectl");
    let made = inspected
        .lines()
        .find(|line| line.contains("generationTime"))
        .unwrap();
    let words = made.split_whitespace().chain(inspected.split_whitespace());
    let mut words = words.map(|word| word.trim_matches(|c: char| !c.is_ascii_alphanumeric()));
    let time = words.find(|word| word.len() >= 20 && word.ends_with('Z') && word.starts_with("20"));
    let time = time.unwrap_or_else(|| panic!("no time: {made}"));
    world.works(&format!("{approved} --at {time}"));
    assert!(world.path("t/documents/ce4cf6c19bfed720.ctl").exists());
    assert!(world.path("t/documents/e7a4b2b045e7acf9.tlm").exists());
    let table = world.works(&format!("pki trust show t --at {time}"));
    println!("{table}");
    assert!(table.matches("┆ trusted").count() >= 3, "{table}");
    assert!(world.works("pki trust show t").contains("overdue"));
}

#[test]
fn damaged_stores_and_foreign_folders_are_refused() {
    let world = World::new();
    let tlm = manager(1);
    world.write("tlm.oer", &tlm.certificate);
    fs::create_dir(world.path("other")).unwrap();
    world.write("other/letter", "dear");
    let import = |dir: &str| {
        let (own, at) = (id(&tlm), at_now());
        format!("pki trust import {dir} tlm.oer --trust-anchor {own} {at}")
    };
    world.refused(
        &import("other"),
        &["other: is not empty and no trust store"],
    );
    assert_eq!(snapshot(&world.path("other")).len(), 1);
    world.works(&import("t"));
    let file = format!("t/documents/{}.tlm", id(&tlm));
    let mut bytes = fs::read(world.path(&file)).unwrap();
    bytes[40] ^= 1;
    world.write(&file, &bytes);
    let reasons = ["its hash is not its name", "import its documents again"];
    world.refused("pki trust show t", &reasons);
    fs::remove_file(world.path(&file)).unwrap();
    world.refused("pki trust show t", &[&file]);
    world.write("t/trust.toml", "version = 2");
    world.refused("pki trust show t", &["version 2"]);
    world.write(
        "t/trust.toml",
        "version = 1\n[[document]]\nkind = \"tlm\"\nid = \"../../x\"\n",
    );
    world.refused("pki trust show t", &["not a HashedId8"]);
    world.write("t/trust.toml", "version = 1\n");
    assert!(shown(&world, 0).is_empty());
    let message = MessageContents::new().sign(&tlm);
    world.write("message.oer", message);
    world.refused(
        "pki trust import t message.oer",
        &["no certificate, trust list"],
    );
}

/// The process is killed at random points of an update: the store opens, with the list before or
/// the new one.
#[cfg(unix)]
#[test]
fn a_killed_update_leaves_the_list_before_or_the_new_one() {
    let mut random = Random::of_test("a_killed_update_leaves_the_list_before_or_the_new_one");
    let world = World::new();
    let (tlm, roots) = (manager(1), [root(2), root(3), root(4)]);
    world.write("tlm.oer", &tlm.certificate);
    let approved = format!("--trust-anchor {} {}", id(&tlm), at_now());
    world.works(&format!("pki trust import t tlm.oer {approved}"));
    let list = |number: u32| {
        let named: Vec<&Holder> = roots.iter().skip(number as usize % 3).collect();
        let list = List::full((number % 250) as u8, -1_000 + i64::from(number));
        List {
            next: 2_000,
            ..list.with_roots(&named)
        }
        .ectl(&tlm)
    };
    let command = |number: u32| {
        world.write("next.ctl", list(number));
        let mut command = Command::new(crate::support::PROGRAM);
        let at = now().0.to_string();
        command.current_dir(world.path(""));
        command.args(["pki", "trust", "import", "t", "next.ctl", "--at", &at]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let before = Instant::now();
    assert!(command(0).status().unwrap().success());
    let takes = before.elapsed() + Duration::from_millis(2);
    let sequence = || {
        let out = world.works(&format!("pki trust show t --format json {}", at_now()));
        let report: Value = serde_json::from_str(&out).unwrap();
        report["lists"][0]["sequence"].as_u64().unwrap()
    };
    let (mut known, mut done) = (0_u32, 0);
    for _ in 0..KILLS {
        let mut child = command(known + 1).spawn().unwrap();
        let part = random.below(1_000) as f64 / 900.0;
        std::thread::sleep(takes.mul_f64(part));
        // It may have ended by itself.
        let _ = child.kill();
        child.wait().unwrap();
        let found = sequence();
        let next = u64::from((known + 1) % 250);
        assert!(
            found == u64::from(known % 250) || found == next,
            "{known}: {found}"
        );
        if found == next {
            known += 1;
            done += 1;
        }
    }
    println!("{done} of {KILLS} done");
    // What was left over is gone after the next update.
    assert!(command(known + 1).status().unwrap().success());
    let documents = fs::read_dir(world.path("t/documents")).unwrap().count();
    assert_eq!(documents, 2);
    assert!(!world.path("t/.trust.toml.partial").exists());
}

/// Readers beside updates see one state or the next, and never a part.
#[test]
fn readers_during_updates_see_one_whole_state() {
    let world = World::new();
    let (tlm, roots) = (manager(1), [root(2), root(3)]);
    world.write("tlm.oer", &tlm.certificate);
    world.write(
        "1.ctl",
        List::full(1, 0).with_roots(&[&roots[0]]).ectl(&tlm),
    );
    let approved = format!("--trust-anchor {} {}", id(&tlm), at_now());
    world.works(&format!("pki trust import t tlm.oer 1.ctl {approved}"));
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut reads = 0;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) || reads == 0 {
                let states = shown(&world, 0);
                let trusted = states
                    .iter()
                    .filter(|(_, state)| state == "trusted")
                    .count();
                assert_eq!(trusted, 2, "{states:?}");
                reads += 1;
            }
            reads
        });
        for number in 2..12 {
            let named = &roots[number % 2];
            let list = List::full(number as u8, 0).with_roots(&[named]);
            world.write("next.ctl", list.ectl(&tlm));
            world.works(&format!("pki trust import t next.ctl {}", at_now()));
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        println!("{} reads", reader.join().unwrap());
    });
}
