//! Mistakes in each section, and what the refusal says of them.

use super::parse;

/// A text that is refused, and what the refusal says of it.
pub(super) type Mistake = (&'static str, &'static str);

const SOCKETS: [Mistake; 15] = [
    ("", "nothing is served; give stream"),
    ("[sockets\n", ":1:"),
    ("[sokets]\n", ":1: unknown field `sokets`"),
    ("[sockets]\nstraem = \"a\"\n", ":2: unknown field `straem`"),
    (
        "[sockets]\nmode = \"rw\"\n",
        ":2: mode: \"rw\": write permissions in octal",
    ),
    (
        "[sockets]\nmode = \"+660\"\n",
        ":2: mode: \"+660\": write permissions in octal",
    ),
    (
        "[sockets]\nmode = \"1777\"\n",
        ":2: mode: \"1777\": write permissions in octal",
    ),
    (
        "[sockets]\nconnections = 0\n",
        ":2: connections: 0 is out of range; 1 to 65536",
    ),
    (
        "[sockets]\nconnections = -1\n",
        ":2: connections: -1 is out of range",
    ),
    (
        "[sockets]\nwrite_timeout = \"9\"\n",
        ":2: write_timeout: \"9\" is no duration; write one such as",
    ),
    (
        "[sockets]\nwrite_timeout = \"1.5s\"\n",
        ":2: write_timeout: \"1.5s\" is no duration",
    ),
    (
        "[sockets]\nrequest_memory = \"64 MiB\"\n",
        ":2: request_memory: \"64 MiB\" is no size",
    ),
    (
        "[sockets]\nwrite_timeout = \"1ms\"\n",
        ":2: write_timeout: 1ms is out of range; 10ms to 3600s",
    ),
    (
        "[sockets]\nstream = \"a\"\ndatagram = \"a\"\n",
        "are the same path",
    ),
    (
        "[sockets]\ntcp = \"here\"\n",
        ":2: tcp: invalid socket address",
    ),
];

const RIGHTS: [Mistake; 8] = [
    (
        "access = [[1, 1]]\n",
        ":1: access: expected tables [[access]]",
    ),
    ("[[access]]\nsign = [36]\n", "exactly one of uid, gid"),
    (
        "[[access]]\nuid = 1\ngid = 1\nsign = [36]\n",
        "exactly one of uid, gid",
    ),
    ("[[access]]\nuid = 1\n", "grants nothing; give sign"),
    (
        "[[access]]\nuid = 1\nsign = [\"CAMEL\"]\n",
        ":3: sign: \"CAMEL\" is no application; give its",
    ),
    (
        "[[access]]\nuid = 1\nsign = [\"+36\"]\n",
        ":3: sign: \"+36\" is no application; give its",
    ),
    (
        "[[access]]\nuid = 1\nsign = [-1]\n",
        ":3: sign: an application: its number, or a name",
    ),
    (
        "[[access]]\nuid = 1\nsign = [1.5]\n",
        ":3: sign: an application: its number, or a name",
    ),
];

const IDENTITIES: [Mistake; 7] = [
    (
        "[[signer]]\nname = \"a\"\n",
        ":1: \"a\": give pki = FOLDER and as = NAME, or",
    ),
    (
        "[[signer]]\nname = \"a\"\npki = \"p\"\nas = \"b\"\nkey = \"k\"\n",
        "not both",
    ),
    (
        "[[signer]]\nname = \"\"\npki = \"p\"\nas = \"b\"\n",
        "1 to 64 characters",
    ),
    (
        "[[decryption]]\nname = \"a\"\npki = \"p\"\nas = \"b\"\npsids = [36]\n",
        "psids belongs to [[signer]]",
    ),
    (
        "[[decryption]]\nname = \"a\"\npki = \"p\"\nas = \"b\"\npseudonyms = false\n",
        "pseudonyms belongs to [[signer]]",
    ),
    (
        "[[signer]]\nname = \"a\"\npki = \"p\"\nas = \"b\"\nindex = 1\npseudonyms = true\n",
        "without index",
    ),
    (
        "[[signer]]\nname = \"a\\u0007\"\npki = \"p\"\nas = \"b\"\n",
        "1 to 64 characters",
    ),
];

const TIME: [Mistake; 17] = [
    (
        "[time]\nmax_backward_step = \"2s\"\n",
        ":2: max_backward_step: 2s is out of range; 0ns to 1s",
    ),
    (
        "[time]\nmax_system_step = \"0ms\"\n",
        ":2: max_system_step: 0ms is out of range; 1ms to 3600s",
    ),
    (
        "[time]\nmax_silence = \"500ms\"\n",
        ":2: max_silence: 500ms is out of range; 1s to 600s",
    ),
    (
        "[sockets]\nstream = \"a\"\n[time]\ndevice = \"\"\n",
        "[time] device: is empty; give the name that gpsd has",
    ),
    (
        "[time]\nsource = \"sun\"\n",
        ":2: source: unknown variant `sun`, expected `system` or `gpsd`",
    ),
    ("[time]\ngpsd = \"localhost\"\n", "is no HOST:PORT"),
    ("[time]\ngpsd = \":2947\"\n", "is no HOST:PORT"),
    ("[time]\ngpsd = \"localhost:+2947\"\n", "is no HOST:PORT"),
    ("[time]\ngpsd = \"localhost :2947\"\n", "is no HOST:PORT"),
    ("[time]\ngpsd = \"localhost:0\"\n", "is no HOST:PORT"),
    ("[time]\ngpsd = \"localhost:65536\"\n", "is no HOST:PORT"),
    ("[[time]]\n", ":1: time: expected one table [time]"),
    (
        "[time]\nposition = [48.1, 11.6]\n",
        ":2: position: expected a table such as",
    ),
    (
        "[time]\nposition = { latitude = 91.0, longitude = 0.0 }\n",
        "latitude: 91 is out of",
    ),
    (
        "[time]\nposition = { latitude = nan, longitude = 0.0 }\n",
        "latitude: NaN is out of",
    ),
    (
        "[time]\nsource = \"gpsd\"\nposition = { latitude = 1.0, longitude = 0.0 }\n",
        "gpsd gives the position",
    ),
    (
        "[time]\nposition = { latitude = 1.0, longitude = \"east\" }\n",
        ":2: longitude: invalid type",
    ),
];

const OTHERS: [Mistake; 12] = [
    ("[http]\n", ":1: missing field `address`"),
    (
        "[verification]\npolicy = \"best\"\n",
        ":2: policy: unknown policy \"best\"; policies: fifo",
    ),
    (
        "[verification]\npolicy = \"class,exclusive\"\n",
        ":2: policy: exclusive needs an area",
    ),
    (
        "[verification]\npolicy = \"class,class,class,class,class\"\n",
        ":2: policy: more than 4 criteria",
    ),
    (
        "[[recording]]\nprefix = \"a/b\"\n",
        "1 to 64 letters, digits, hyphens and underscores",
    ),
    (
        "[verification]\nreserved = 500\n",
        "more than a ninth of messages; give at most 113",
    ),
    (
        "[verification]\ntable_memory = \"1\"\n",
        ":2: table_memory: \"1\" is no size; write one such as",
    ),
    (
        "[[recording]]\nfile_size = \"1B\"\n",
        ":2: file_size: 1B is out of range",
    ),
    (
        "[[recording]]\nfile_size = \"2MiB\"\ntotal_size = \"1MiB\"\n",
        "[[recording]] total_size: expected at least file_size",
    ),
    (
        "[service]\ngroup = \"v2x\"\n",
        "[service] group: \"v2x\" has no effect without user",
    ),
    (
        "[log]\nlevel = \"loud\"\n",
        ":2: level: unknown variant `loud`",
    ),
    (
        "[service]\nshutdown = \"1d\"\n",
        ":2: shutdown: 1d is out of range",
    ),
];

/// Returns all mistakes.
pub(super) fn all() -> impl Iterator<Item = Mistake> {
    let all = [&SOCKETS[..], &RIGHTS, &IDENTITIES, &TIME, &OTHERS];
    all.into_iter().flatten().copied()
}

/// Puts a socket beside a text, unless it is about sockets.
pub(super) fn beside_socket(text: &str) -> String {
    let socket = match text {
        "" | "[sockets\n" | "[sokets]\n" => "",
        _ if text.contains("[sockets]") => "",
        _ => "\n[sockets]\nstream = \"s\"\n",
    };
    format!("{text}{socket}")
}

fn assert_refused(mistakes: &[Mistake]) {
    for (text, expected) in mistakes {
        let error = parse(&beside_socket(text)).expect_err(text);
        assert!(error.starts_with("/etc/waywarden/service.toml:"), "{error}");
        assert!(error.contains(expected), "{text:?}: {error}");
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn mistakes_in_sockets_are_named_with_their_line_and_remedy() {
    assert_refused(&SOCKETS);
}

#[test]
fn mistakes_in_access_are_named_with_their_line_and_remedy() {
    assert_refused(&RIGHTS);
}

#[test]
fn mistakes_in_signers_and_decryption_are_named_with_their_line_and_remedy() {
    assert_refused(&IDENTITIES);
}

#[test]
fn mistakes_in_time_are_named_with_their_line_and_remedy() {
    assert_refused(&TIME);
}

#[test]
fn mistakes_in_other_sections_are_named_with_their_line_and_remedy() {
    assert_refused(&OTHERS);
}
