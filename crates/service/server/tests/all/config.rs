//! The configuration: each mistake is refused by file, line and name.

mod mistakes;
mod schema;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use waywarden_host::secret_file;
use waywarden_v2x_service::config::{
    Config, Grantee, IdentityFiles, ServiceLogFormat, TimeSourceName, secret,
};
use waywarden_v2x_wire::ieee1609dot2::Psid;

const SOCKET: &str = "[sockets]\nstream = \"s.sock\"\n";

fn parse(text: &str) -> Result<Config, String> {
    let path = Path::new("/etc/waywarden/service.toml");
    Config::parse(text, path).map_err(|error| error.to_string())
}

#[test]
fn a_socket_alone_is_a_configuration_with_the_documented_defaults() {
    let config = parse(SOCKET).unwrap();
    let path = PathBuf::from("/etc/waywarden/s.sock");
    assert_eq!(config.sockets.stream, Some(path));
    assert_eq!(config.sockets.mode.0, 0o660);
    assert_eq!(config.time.source, TimeSourceName::System);
    assert_eq!(config.verification.policy.to_string(), "class");
    assert_eq!(config.log.format, ServiceLogFormat::Text);
    let engine = config.engine();
    assert_eq!(engine.deadline, Duration::from_secs(1));
    assert_eq!(engine.verification.batch, 64);
    assert_eq!(engine.verification.bounds.messages, 1_024);
}

const EVERY_SECTION: &str = r#"
[sockets]
stream = "/run/w/s"
mode = "0666"
tcp = "127.0.0.1:4000"
write_timeout = "500ms"
[http]
address = "[::1]:8080"
sign_psid = "BSM"
[[access]]
uid = 0
sign = ["cam", 37]
[[access]]
token_file = "t"
decrypt = true
[trust]
folder = "trust"
crl = ["a.crl", "/b.crl"]
[[signer]]
name = "car"
pki = "pki"
as = "car1"
psids = [36]
[[signer]]
name = "rsu"
certificate = "c.oer"
chain = ["aa.oer"]
key = "k.p8"
passphrase_file = "p"
[[decryption]]
name = "own"
certificate = "c.oer"
key = "k.p8"
[verification]
policy = "class,circle:150m"
workers = 2
nonce_form = "x-only"
[time]
source = "gpsd"
max_age = "3s"
max_extrapolation = "1s"
[[recording]]
directory = "verdicts"
format = "mcap"
file_size = "1MiB"
[log]
level = "debug"
format = "json"
[service]
user = "v2x"
shutdown = "2s"
"#;

#[test]
fn every_section_is_read() {
    let config = parse(EVERY_SECTION).unwrap();
    assert_eq!(config.http.unwrap().sign_psid, Some(Psid(32)));
    let [first, second] = &config.access[..] else {
        panic!("{:?}", config.access)
    };
    assert_eq!(first.client(), Some(Grantee::Uid(0)));
    let signed: Vec<Psid> = first.grant().sign.into_iter().collect();
    assert_eq!(signed, [Psid(36), Psid(37)]);
    let token = Grantee::TokenFile(Path::new("/etc/waywarden/t"));
    assert_eq!(second.client(), Some(token));
    assert!(second.grant().decrypt);
    assert_eq!(config.trust.crl[0], Path::new("/etc/waywarden/a.crl"));
    assert_eq!(config.trust.crl[1], Path::new("/b.crl"));
    let passphrase = PathBuf::from("/etc/waywarden/p");
    let files = IdentityFiles::Files {
        certificate: PathBuf::from("/etc/waywarden/c.oer"),
        chain: vec![PathBuf::from("/etc/waywarden/aa.oer")],
        key: PathBuf::from("/etc/waywarden/k.p8"),
        passphrase_file: Some(passphrase),
    };
    assert_eq!(config.signer[1].identity, files);
    assert_eq!(config.recording[0].file_size, 1 << 20);
    let directory = Path::new("/etc/waywarden/verdicts");
    assert_eq!(config.recording[0].directory, directory);
}

#[test]
fn names_of_signers_are_unique() {
    let one = "[[signer]]\nname = \"a\"\npki = \"p\"\nas = \"b\"\n";
    let error = parse(&format!("{one}{one}{SOCKET}")).unwrap_err();
    assert!(error.contains("two entries have the name \"a\""), "{error}");
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("service.toml");
    let error = Config::read(&path).unwrap_err().to_string();
    assert!(error.contains("service.toml: "), "{error}");
    fs::write(&path, b"\xff").unwrap();
    let error = Config::read(&path).unwrap_err().to_string();
    assert!(error.contains("UTF-8"), "{error}");
    fs::write(&path, vec![b'#'; (1 << 20) + 1]).unwrap();
    let error = Config::read(&path).unwrap_err().to_string();
    assert!(error.contains("longer than 1048576 bytes"), "{error}");
}

#[test]
fn secrets_are_read_from_files_that_others_cannot_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    fs::write(&path, "0123456789abcdef\r\nmore").unwrap();
    for mode in [0o400, 0o600, 0o640] {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let token = secret::token(&path, None).unwrap();
        assert_eq!(token[..], *b"0123456789abcdef");
    }
    for mode in [0o644, 0o604, 0o660, 0o601] {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let error = secret_file::read(&path, None).unwrap_err().to_string();
        let named = error.contains("token: has a secret") && error.contains("chmod 0600");
        assert!(named && error.contains(&format!("{mode:04o}")), "{error}");
    }
}

#[test]
fn secrets_that_are_empty_short_or_long_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    let write = |text: &str| {
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        secret::token(&path, None).map_err(|error| error.to_string())
    };
    assert!(write("\nabc").unwrap_err().contains("first line is empty"));
    assert!(write("short\n").unwrap_err().contains("can be guessed"));
    assert_eq!(write(&"x".repeat(256)).unwrap().len(), 256);
    assert!(write(&"x".repeat(257)).unwrap_err().contains("at most 256"));
    for unusable in [
        "0123456789 abcdef",
        "0123456789abcdef ",
        "0123456789abcdef\t",
        "0123456789abcdéf",
    ] {
        assert!(
            write(unusable).unwrap_err().contains("has a space"),
            "{unusable}"
        );
    }
    assert!(
        write(&"x".repeat(1_025))
            .unwrap_err()
            .contains("longer than 1024")
    );
    let folder = secret_file::read(folder.path(), None)
        .unwrap_err()
        .to_string();
    assert!(folder.contains("is no regular file"), "{folder}");
}
