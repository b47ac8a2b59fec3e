//! Notes of `--check-config` on settings that are valid but without the effect that they seem to
//! have, and the files that errors name.

use super::{change, configured};

const CHECK: &str = "serve s.toml --check-config";

#[test]
fn signers_and_grants_without_effect_are_noted() {
    let world = configured(
        "psids = []\n[[signer]]\nname = \"authority\"\npki = \"p\"\nas = \"aa\"\n\
         [[access]]\nuid = 7\nsign = [\"CAM\", 141]\n",
    );
    change(
        &world,
        "127.0.0.1:0\"\n",
        "127.0.0.1:0\"\nsign_psid = \"BSM\"\n",
    );
    let printed = world.works(CHECK);
    for note in [
        "note: signer car: psids is empty: it signs nothing",
        "note: signer authority: its certificate is that of an authority",
        "note: [[access]] of user 7: sign CAM: no certificate of [[signer]] permits it",
        "note: [[access]] of user 7: sign GN-MGMT: no certificate",
        "note: [http] sign_psid BSM: no certificate",
    ] {
        assert!(printed.contains(note), "{note}: {printed}");
    }
    change(&world, "psids = []\n", "");
    let printed = world.works(CHECK);
    assert!(!printed.contains("sign CAM: no"), "{printed}");
}

#[test]
fn errors_of_files_and_sockets_name_the_configuration() {
    let world = configured("[sockets]\ntcp = \"192.0.2.1:1\"\n[[access]]\nuser = \"none\"\n");
    change(&world, "user = \"none\"", "user = \"none\"\ndecrypt = true");
    for command in [CHECK, "serve s.toml"] {
        world.refused(command, &["error: s.toml: [[access]] user \"none\""]);
        change(&world, "user = \"none\"", "uid = 1");
        let reason = "error: s.toml: [sockets] TCP address 192.0.2.1:1: other machines";
        world.refused(command, &[reason, "tcp_remote = true"]);
        change(&world, "uid = 1", "user = \"none\"");
    }
}
