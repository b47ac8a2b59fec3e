//! `waywarden pki --token`: authorities' keys in SoftHSM2. Where it is not installed, the tests say
//! that they were skipped.

use std::fs;
use std::path::Path;

use waywarden_testkit::SoftHsm;

use crate::support::waywarden;
use crate::support::{Ended, World, snapshot};

/// Tokens, a PIN in a file, and PKIs.
struct TokenWorld {
    world: World,
    hsm: SoftHsm,
}

impl TokenWorld {
    fn new() -> Option<Self> {
        let hsm = SoftHsm::new()?;
        hsm.initialize("pki", "user-1234");
        let world = World::new();
        world.write("pin", "user-1234\n");
        world.write("wrong", "user-4321\n");
        Some(Self { world, hsm })
    }

    /// Runs a command; `TOKEN` in it stands for the module and the PIN.
    fn run_with(&self, module: &Path, words: &str, variables: &[(&str, &Path)]) -> Ended {
        let (name, value) = self.hsm.variable();
        let options = format!("--token {} --pin-file pin", module.display());
        let words = words.replace("MODULE", &module.display().to_string());
        let words = words.replace("TOKEN", &options);
        let mut command = waywarden();
        command.current_dir(self.world.path("")).env(name, value);
        command.envs(variables.iter().copied());
        let output = command.args(words.split_whitespace()).output().unwrap();
        Ended {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            complaint: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn works(&self, words: &str) -> String {
        let ended = self.run_with(self.hsm.module(), words, &[]);
        assert_eq!(ended.code, Some(0), "{words}: {}", ended.complaint);
        ended.out
    }

    fn refused(&self, words: &str, reasons: &[&str]) {
        let ended = self.run_with(self.hsm.module(), words, &[]);
        assert_eq!(ended.code, Some(2), "{words}: {}", ended.complaint);
        println!("{}", ended.complaint);
        for reason in reasons {
            let complaint = &ended.complaint;
            assert!(complaint.contains(reason), "{reason}: {complaint}");
        }
    }

    /// Returns the number of logins that a command makes, as a module that logs each call counts
    /// them.
    fn logins(&self, spy: &Path, words: &str) -> (usize, Option<i32>) {
        let log = self.world.path("calls");
        let _ = fs::remove_file(&log);
        let variables = [("PKCS11SPY", self.hsm.module()), ("PKCS11SPY_OUTPUT", &log)];
        let ended = self.run_with(spy, words, &variables);
        println!("{words}: {}", ended.complaint);
        let calls = fs::read_to_string(log).unwrap_or_default();
        (calls.matches(": C_Login\n").count(), ended.code)
    }
}

#[test]
fn a_chain_is_issued_under_keys_that_never_leave_the_token() {
    let Some(own) = TokenWorld::new() else {
        return;
    };
    let world = &own.world;
    let made = own.works("pki init p --no-passphrase TOKEN --token-label pki");
    assert_eq!(
        made.matches("key in a token: pkcs11:token=pki;").count(),
        3,
        "{made}"
    );
    // The encryption keys of the two authorities below the root are in files.
    let mut keys: Vec<String> = snapshot(&world.path("p/keys"))
        .into_keys()
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(keys.len(), 2, "{keys:?}");
    keys.retain(|name| !name.ends_with(".encryption.p8"));
    assert_eq!(keys, [""; 0]);
    let index = fs::read_to_string(world.path("p/pki.toml")).unwrap();
    assert!(
        !index.contains("user-1234") && !index.contains(".so"),
        "{index}"
    );
    let shown = own.works("pki show p --format json");
    assert_eq!(shown.matches("\"pkcs11:token=pki;").count(), 3, "{shown}");
    own.works("pki issue p --name car --count 2 TOKEN");
    own.works("pki enrol p --name credential TOKEN");
    own.works("pki issue p --name aa2 --issuer root --authority TOKEN");
    own.works("pki issue p --name van --issuer aa2 TOKEN");
    own.works("pki renew p aa TOKEN");
    own.works("pki issue p --name bus TOKEN");
    for name in ["ea", "aa", "aa2", "car", "credential", "van", "bus"] {
        let file = world.newest("p", name, "certificate");
        own.works(&format!("verify {file} --trust p/trust"));
    }
    // Stations sign with their keys in files, without the token.
    world.write("payload", "00ff");
    own.works("sign payload --lines --pki p --as car --psid CAM -o signed.hex");
    own.works("verify signed.hex --trust p/trust --at generation");
    let before = snapshot(&world.path("p"));
    own.refused(
        "pki issue p --name chip --implicit TOKEN",
        &["r = e k + d mod n", "no mechanism of PKCS#11", "--explicit"],
    );
    own.refused(
        "pki issue p --name chip",
        &["give its PKCS#11 module with --token"],
    );
    own.refused(
        "sign payload --lines --pki p --as aa --psid CAM",
        &["not in a file"],
    );
    assert_eq!(snapshot(&world.path("p")), before);
    // Keys in files need no token, and say so.
    own.works("pki init files --no-passphrase");
    own.refused(
        "pki issue files --name car TOKEN",
        &["in a file of the PKI"],
    );
}

#[test]
fn a_passphrase_for_files_and_a_pin_for_the_token() {
    let Some(own) = TokenWorld::new() else {
        return;
    };
    own.world.write("secret", "a passphrase\n");
    own.world.write("other", "another one\n");
    own.works("pki init p --passphrase-file secret TOKEN");
    own.works("pki issue p --name car --passphrase-file secret TOKEN");
    let wrong = "pki issue p --name car --passphrase-file other TOKEN";
    own.refused(wrong, &["the passphrase is wrong"]);
}

#[test]
fn american_authorities_issue_implicit_certificates_from_files_alone() {
    let Some(own) = TokenWorld::new() else {
        return;
    };
    let init = "pki init u --us --no-passphrase TOKEN";
    own.refused(
        init,
        &["pca", "r = e k + d mod n", "--implicit-issuers-in-files"],
    );
    assert!(!own.world.path("u").exists());
    let made = own.works(&format!("{init} --implicit-issuers-in-files"));
    // The root, the CRL generator, the intermediate and the enrolment CA.
    assert_eq!(made.matches("key in a token").count(), 4, "{made}");
    own.works("pki issue u --name car");
    own.works("pki issue u --name van --explicit");
    own.works("pki enrol u --name credential TOKEN");
    let file = own.world.newest("u", "van", "certificate");
    own.works(&format!("verify {file} --trust u/trust"));
    own.refused(
        "pki pseudonyms u --for taxi",
        &["the key of eca is in a token", "without --token"],
    );
}

#[test]
fn a_revocation_list_is_signed_in_the_token() {
    let (Some(own), Some(spy)) = (TokenWorld::new(), SoftHsm::spy()) else {
        return;
    };
    own.works("pki init u --us --no-passphrase TOKEN --implicit-issuers-in-files");
    own.works("pki issue u --name van");
    own.world.write("payload", "00ff");
    own.works("sign payload --lines --pki u --as van --psid BSM -o signed.hex");
    own.works("pki revoke u van");
    own.refused(
        "pki crl u -o list.oer",
        &["give its PKCS#11 module with --token"],
    );
    let crl = "pki crl u -o list.oer --token MODULE --pin-file pin";
    assert_eq!(own.logins(&spy, crl), (1, Some(0)));
    let verify = "verify signed.hex --trust u/trust --at generation";
    own.works(verify);
    let refused = own.run_with(own.hsm.module(), &format!("{verify} --crl list.oer"), &[]);
    assert_eq!(
        refused.code,
        Some(1),
        "{}{}",
        refused.out,
        refused.complaint
    );
    own.works("pki init files --us --no-passphrase");
    own.refused(
        "pki crl files -o other.oer TOKEN",
        &["the key of crlg is in a file"],
    );
}

#[test]
fn what_does_not_go_with_a_token_is_refused_before_a_login() {
    let (Some(own), Some(spy)) = (TokenWorld::new(), SoftHsm::spy()) else {
        return;
    };
    own.works("pki init p --no-passphrase TOKEN");
    let token = "--token MODULE --pin-file pin";
    for words in [
        format!("pki issue p --name car --key-store software {token}"),
        format!("pki enrol s --name s --from http://127.0.0.1:1 --id s --key k --trust t {token}"),
        "pki serve p".to_owned(),
        "pki serve p --role ea".to_owned(),
    ] {
        assert_eq!(own.logins(&spy, &words), (0, Some(2)), "{words}");
    }
    own.refused(
        "pki serve p",
        &["the key of ea is in a token", "from files"],
    );
}

#[test]
fn removed_tokens_wrong_pins_and_missing_modules_are_clear_errors() {
    let Some(own) = TokenWorld::new() else {
        return;
    };
    own.works("pki init p --no-passphrase TOKEN");
    let before = snapshot(&own.world.path("p"));
    let issue = "pki issue p --name car TOKEN";
    own.refused(
        &issue.replace("TOKEN", "--token MODULE --pin-file wrong"),
        &["the PIN is wrong; it was tried once"],
    );
    own.world.write("empty", "\n");
    own.refused(
        &issue.replace("TOKEN", "--token MODULE --pin-file empty"),
        &["empty: the PIN is empty; give that of the token"],
    );
    own.refused(
        &issue.replace("TOKEN", "--token no/such.so --pin-file pin"),
        &[
            "no/such.so: not loaded as a PKCS#11 module",
            "give the module",
        ],
    );
    own.refused(
        &issue.replace("TOKEN", "--token p/pki.toml --pin-file pin"),
        &["not loaded as a PKCS#11 module"],
    );
    own.hsm.unplug();
    own.refused(
        issue,
        &["the token \"pki\" with the serial number", "insert it"],
    );
    // Another token of the same name is not the one.
    own.hsm.initialize("pki", "user-1234");
    own.refused(
        issue,
        &["the token \"pki\" with the serial number", "is not present"],
    );
    assert_eq!(snapshot(&own.world.path("p")), before);
    fs::remove_dir_all(own.hsm.variable().1.with_file_name("tokens")).unwrap();
    fs::create_dir(own.hsm.variable().1.with_file_name("tokens")).unwrap();
    own.hsm.plug_in();
    own.works(issue);
    let index = fs::read_to_string(own.world.path("p/pki.toml")).unwrap();
    for uri in [
        "pkcs11:id=%01?module-path=/tmp/x.so",
        "pkcs11:token=pki",
        "x",
    ] {
        let (start, rest) = index.split_once("token = \"").unwrap();
        let (_, end) = rest.split_once('"').unwrap();
        let changed = format!("{start}token = \"{uri}\"{end}");
        own.world.write("p/pki.toml", changed);
        own.refused(issue, &["p/pki.toml: no pkcs11: URI"]);
    }
}

#[test]
fn a_command_logs_in_exactly_once() {
    let (Some(own), Some(spy)) = (TokenWorld::new(), SoftHsm::spy()) else {
        return;
    };
    let right = "--token MODULE --pin-file pin";
    let wrong = "--token MODULE --pin-file wrong";
    let init = "pki init p --no-passphrase";
    assert_eq!(own.logins(&spy, &format!("{init} {wrong}")), (1, Some(2)));
    assert_eq!(own.logins(&spy, &format!("{init} {right}")), (1, Some(0)));
    for (command, code) in [
        ("pki issue p --name car --count 20", 0),
        ("pki enrol p --name credential", 0),
        ("pki issue p --name aa2 --issuer root --authority", 0),
        ("pki renew p aa", 0),
    ] {
        let logins = own.logins(&spy, &format!("{command} {right}"));
        assert_eq!(logins, (1, Some(code)), "{command}");
        let logins = own.logins(&spy, &format!("{command} {wrong}"));
        assert_eq!(logins, (1, Some(2)), "{command}");
    }
    // What needs no key of an authority does not log in at all.
    assert_eq!(own.logins(&spy, "pki show p"), (0, Some(0)));
    let implicit = format!("pki issue p --name chip --implicit {right}");
    assert_eq!(own.logins(&spy, &implicit), (0, Some(2)));
}

/// A command that fails after it made keys in the token leaves none there.
#[test]
fn a_failed_command_leaves_no_key_in_the_token() {
    let Some(own) = TokenWorld::new() else {
        return;
    };
    let objects = || {
        let (name, value) = own.hsm.variable();
        let tokens = value.with_file_name("tokens");
        assert_eq!(name, "SOFTHSM2_CONF");
        let files = snapshot(&tokens).into_keys();
        files
            .filter(|path| path.extension().is_some_and(|end| end == "object"))
            .filter(|path| !path.ends_with("token.object"))
            .count()
    };
    own.works("pki init p --no-passphrase TOKEN");
    let before = objects();
    assert_eq!(before, 6, "a pair of objects for each of three keys");
    own.refused(
        "pki issue p --name far --issuer root --authority --validity 60y TOKEN",
        &["spduCertificateChain", "nothing was written"],
    );
    assert_eq!(objects(), before);
}
