//! Registrations of stations: who is refused, and by which name.

use super::{Server, enrol, log_of, registered};

#[test]
fn stations_are_refused_by_name() {
    let world = registered();
    let server = Server::start(&world, "p");
    let refused = |words: &str, code: &str, logged: &str| {
        let before = log_of(&world).len();
        world.refused(words, &[code]);
        let log = log_of(&world);
        assert!(
            log[before..].contains(logged),
            "{logged}: {}",
            &log[before..]
        );
    };
    let stranger = enrol(&server, "new", "").replace("CAR-1", "CAR-2");
    refused(&stranger, "UnknownIts", "not registered");
    world.works("pki keygen other.p8 --public other.der --no-passphrase");
    let other_key = enrol(&server, "new", "").replace("car.p8", "other.p8");
    refused(&other_key, "InvalidSignature", "refused");
    let long = enrol(&server, "new", "--validity 4y");
    refused(&long, "DeniedPermissions", "validityPeriod");
    assert!(!world.path("new").exists());
    world.works(&enrol(&server, "car", ""));
    let foreign = enrol(&server, "car", "--tickets 1 --psid SPATEM");
    refused(&foreign, "DeniedPermissions", "appPermissions");
    let blocked = "pki register p --id CAR-1";
    world.works(&format!("{blocked} --block"));
    refused(&enrol(&server, "car", "--renew"), "BadItsStatus", "refused");
    refused(
        &enrol(&server, "car", "--tickets 1"),
        "responseCode",
        "refused",
    );
    world.works(&format!("{blocked} --unblock"));
    world.works(&enrol(&server, "car", "--tickets 1"));
    // A root that the station does not trust.
    world.works("pki init q --no-passphrase");
    let other_root = enrol(&server, "new", "").replace("p/trust", "q/trust");
    world.refused(
        &other_root,
        &["no enrolment authority below a root of q/trust"],
    );
}

#[test]
fn registrations_are_checked() {
    let world = registered();
    let register = "pki register p --public-key car.der --id";
    world.refused(
        &format!("{register} CAR-1"),
        &["\"CAR-1\" is registered already"],
    );
    world.refused(
        "pki register p --id CAR-9 --block",
        &["no station \"CAR-9\"", "pki register"],
    );
    world.write("profile", "permissions = ['CAMM']");
    world.refused(
        &format!("{register} B --profile profile"),
        &["profile", "CAMM"],
    );
    world.refused(&format!("{register} B --profile missing"), &["missing"]);
    world.refused(
        "pki register p --id B --public-key p/pki.toml",
        &["no public key"],
    );
    world.refused(
        &format!("{register} {}", "x".repeat(65)),
        &["1 to 64 bytes"],
    );
    world.write(
        "profile",
        "permissions = ['CAM']\ntickets = 1\nvalidity = '1h'",
    );
    // The signature would not show whose request it is.
    world.refused(
        &format!("{register} B --profile profile"),
        &[
            "the station \"CAR-1\" is registered with this public key",
            "pki keygen",
        ],
    );
    world.works("pki keygen b.p8 --public b.der --no-passphrase");
    world.works("pki register p --public-key b.der --id B --profile profile");
    let server = Server::start(&world, "p");
    let enrol = |more: &str| {
        let words = enrol(&server, "b", more).replace("CAR-1", "B");
        words.replace("car.p8", "b.p8")
    };
    world.refused(&enrol("--tickets 1 --psid CAM"), &["authorization"]);
    let hour = "--tickets 1 --psid CAM --ticket-validity 1h";
    world.works(&enrol(hour));
    world.refused(&enrol(hour), &["authorization"]);
    assert!(log_of(&world).contains("tickets"), "{}", log_of(&world));
}
