//! Files whose message authentication gets no granted keys say so, with place and remedy.

use waywarden_vehicle_file::VehicleFile;

use super::car;

const SECOC: &str = "scheme = 'secoc'\nprofile = 'autosar-1'";

fn complaint(text: &str) -> String {
    match VehicleFile::parse("car.toml", text) {
        Ok(_) => panic!("nothing is wrong with\n{text}"),
        Err(errors) => errors.to_string(),
    }
}

#[test]
fn what_cannot_be_granted_is_refused_with_a_remedy() {
    let members = "members = ['a', 'b', 'd']";
    let group = "[[keys]]\nname = 'all'\norchestrator = 'a'\nmembers = ['b', 'c', 'd']\n";
    let published = "scheme = 'vatican'\nprofile = 'as-published'";
    for (keys, table, more, expected) in [
        (
            members,
            SECOC,
            "",
            "ECU \"c\" receives \"S\", and is no member of \"access\"",
        ),
        (
            "",
            "scheme = 'secoc'\nmaster = 'module'",
            "",
            "is the security module of \"access\"",
        ),
        (
            "profile = 'as-published'",
            SECOC,
            "",
            "grants keys as published",
        ),
        ("", published, "", "as published the keys are in place"),
        (
            "",
            "scheme = 'leia'\nkey_store = 'module'",
            "",
            "leave `granted_by` out",
        ),
        (
            "",
            "scheme = 'secoc'\nprofile = 'autosar-1'\ngroup = 'all'",
            group,
            "keep one of them",
        ),
        (
            "",
            "scheme = 'vatican'\nbefore_first_key = 'retained'",
            "",
            "without a group",
        ),
    ] {
        let text = car(keys, table, more);
        let errors = complaint(&text);
        assert!(errors.contains(expected), "{expected}:\n{errors}\n{text}");
        assert!(errors.starts_with("car.toml:"), "{errors}");
    }
    let unknown = car("", SECOC, "").replace("granted_by = 'access'", "granted_by = 'acces'");
    assert!(
        complaint(&unknown).contains("access"),
        "{}",
        complaint(&unknown)
    );
    let without_module = car("", SECOC, "").replace(
        "name = 'access'\nscheme = 'lasan'\nsecurity_module",
        "name = 'access'\norchestrator",
    );
    let errors = complaint(&without_module);
    assert!(
        errors.contains("no security module grants keys"),
        "{errors}"
    );
}

/// 65 streams from one ECU to another are one more than each has room for.
#[test]
fn more_keys_than_an_ecu_holds_are_refused() {
    let mut text = car("", SECOC, "");
    let mut names = Vec::new();
    for at in 0..65 {
        let name = format!("X{at}");
        text += &format!(
            "[[stream]]\nname = '{name}'\nid = {}\nsender = 'a'\nreceivers = ['b']\nlength = 2\n\
             period = '100ms'\nformat = 'classic'\n",
            0x200 + 2 * at
        );
        names.push(format!("'{name}'"));
    }
    let text = text.replace(
        "protect = ['S', 'T']",
        &format!("protect = [{}]", names.join(", ")),
    );
    let errors = complaint(&text);
    assert!(errors.contains("would hold 65 granted keys"), "{errors}");
    // Message authentication shares the room with streams that are encrypted.
    let fewer = text.replace(", 'X64']", "]");
    assert!(VehicleFile::parse("car.toml", &fewer).is_ok());
}
