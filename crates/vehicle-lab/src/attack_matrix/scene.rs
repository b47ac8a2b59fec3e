//! The vehicle file of a cell: a small car under one protocol, and one attack on it.

use super::{END_MS, FROM_MS, MatrixAttack, Protocol};

/// The identifier of the stream under attack; with [`MatrixAttack::Complaint`] another.
const ID: u16 = 0x060;

/// One of those that do not fit the byte that an AUTH_FAIL has room for as published.
const ID_ABOVE_A_BYTE: u16 = 0x120;

/// Returns the whole vehicle file of a cell; without an `attack` that of the same car in peace.
pub(super) fn text(protocol: Protocol, attack: MatrixAttack, seed: u64, is_peace: bool) -> String {
    let mut text = format!(
        "[vehicle]\nname = \"{}-{}\"\nseed = {seed}\nduration = \"{}ms\"\n",
        protocol.word(),
        attack.word(),
        super::DURATION_MS,
    );
    car(&mut text, protocol, attack);
    if attack == MatrixAttack::Rollback {
        text += &format!(
            "\n[[fault]]\nname = \"reset\"\nkind = \"reset\"\necu = \"receiver\"\nfrom = \
             \"{FROM_MS}ms\"\n"
        );
    }
    if !is_peace {
        text += &attacker_text(protocol, attack);
    }
    text
}

/// Buses, ECUs and who authenticates.
fn car(text: &mut String, protocol: Protocol, attack: MatrixAttack) {
    let id = match attack {
        MatrixAttack::Complaint => ID_ABOVE_A_BYTE,
        _ => ID,
    };
    let gateway = attack == MatrixAttack::BareTag;
    let strangers = attack == MatrixAttack::ForeignKey;
    *text += &bus("public");
    let mut receivers = "\"receiver\"".to_owned();
    if gateway {
        *text += &bus("private");
        receivers += ", \"display\"";
    }
    *text += &ecu("sender", "public");
    *text += &format!(
        "sends = [{{ name = \"Message\", id = 0x{id:03X}, length = 4, period = \"10ms\", offset = \
         \"1ms\", receivers = [{receivers}] }}]\n"
    );
    *text += &ecu("receiver", "public");
    if protocol.has_master() {
        *text += &ecu("master", "public");
    }
    if gateway {
        *text += &ecu("gateway", "public\", \"private");
        *text += &ecu("display", "private");
        *text += "\n[[route]]\ngateway = \"gateway\"\nfrom = \"public\"\nto = \"private\"\nstreams \
                  = [\"Message\"]\n";
        if protocol != Protocol::Plain {
            *text += "verify = true\n";
        }
    }
    *text += &authentication(protocol, "group", "Message", "master");
    if strangers {
        *text += &bus("other");
        *text += &ecu("stranger", "other");
        *text += &format!(
            "sends = [{{ name = \"Foreign\", id = 0x{id:03X}, length = 4, period = \"10ms\", \
             offset = \"6ms\", receivers = [\"strange-receiver\"] }}]\n"
        );
        *text += &ecu("strange-receiver", "other");
        if protocol.has_master() {
            *text += &ecu("strange-master", "other");
            *text += "start = \"3ms\"\n";
        }
        *text += &authentication(protocol, "strangers", "Foreign", "strange-master");
    }
}

fn bus(name: &str) -> String {
    format!("\n[[bus]]\nname = \"{name}\"\nbitrate = \"500k\"\n")
}

fn ecu(name: &str, ports: &str) -> String {
    format!("\n[[ecu]]\nname = \"{name}\"\nports = [\"{ports}\"]\n")
}

fn authentication(protocol: Protocol, name: &str, stream: &str, master: &str) -> String {
    let Some((scheme, profile)) = protocol.scheme() else {
        return String::new();
    };
    let mut text = format!(
        "\n[[authentication]]\nname = \"{name}\"\nscheme = \"{scheme}\"\nprofile = \
         \"{profile}\"\nprotect = [\"{stream}\"]\n"
    );
    if protocol.has_master() {
        text += &format!("master = \"{master}\"\nannounce = \"20ms\"\n");
    }
    text
}

/// What the attacker brings along.
fn attacker_text(protocol: Protocol, attack: MatrixAttack) -> String {
    let forge = |trick: &str, burst: usize| {
        attacker(
            (FROM_MS, END_MS),
            &format!(
                "kind = \"forge\"\nstream = \"Message\"\ntrick = \"{trick}\"\nburst = {burst}\n"
            ),
        )
    };
    // The receiver's wire is cut while the messages to be kept are sent; then there are some 4 ms
    // until the next one.
    let cut = |trick: &str, burst: usize| {
        let until = attack.end_ms() - 4;
        let kept = format!(
            "kind = \"forge\"\nstream = \"Message\"\ntrick = \"{trick}\"\nburst = {burst}\nhold = \
             \"{}ms\"\n",
            until - FROM_MS + 1
        );
        format!(
            "\n[[fault]]\nname = \"cut\"\nkind = \"bus-open\"\necu = \"receiver\"\nfrom = \
             \"{FROM_MS}ms\"\nuntil = \"{until}ms\"\n{}",
            attacker((FROM_MS, attack.end_ms()), &kept)
        )
    };
    match attack {
        MatrixAttack::Spoof => forge("messages", 1),
        // What fits between two messages, in two frames each or in one.
        MatrixAttack::Flood => forge("messages", if protocol.is_paired() { 12 } else { 24 }),
        MatrixAttack::Replay => attacker(
            (FROM_MS, END_MS),
            "kind = \"replay\"\nbus = \"public\"\ndelay = \"35ms\"\n",
        ),
        MatrixAttack::Rollback => {
            // A receiver of LeiA as published begins at counter 1, takes the sender's next message
            // whatever its counter, and is at 2 then: what is played must be above that.
            let from = match protocol {
                Protocol::LeiaPublished => 105,
                _ => 0,
            };
            let delay = FROM_MS + 4 - from + from % 10;
            attacker(
                (from, END_MS),
                &format!("kind = \"replay\"\nbus = \"public\"\ndelay = \"{delay}ms\"\n"),
            )
        }
        MatrixAttack::Reorder => cut("reorder", 1),
        MatrixAttack::CounterJump => cut("counter-jump", 5),
        MatrixAttack::OtherCounter => cut("other-counter", 1),
        MatrixAttack::EpochJump => forge("epoch-jump", 1),
        MatrixAttack::Complaint => forge("complaint", 1),
        MatrixAttack::InjectedData => forge("data-before-tag", 1),
        MatrixAttack::BareTag => forge("bare-tag", 2),
        MatrixAttack::BusOff => bus_off(protocol),
        MatrixAttack::ForeignKey => attacker(
            (FROM_MS, END_MS),
            "kind = \"relay\"\nsource = \"other\"\nbus = \"public\"\n",
        ),
    }
}

fn attacker((from, until): (u64, u64), does: &str) -> String {
    format!(
        "\n[[attacker]]\nname = \"attacker\"\nfrom = \"{from}ms\"\nuntil = \"{until}ms\"\n{does}"
    )
}

/// Destroys frames with tags until their sender is off the bus, message after message; without
/// tags, those that have the code in them, or the messages.
fn bus_off(protocol: Protocol) -> String {
    let interferer = (0..(END_MS - FROM_MS) / 10).map(|at| {
        let from = FROM_MS + 10 * at;
        let id = match protocol {
            // A tag has the counter of its message in its identifier.
            Protocol::LeiaPublished | Protocol::Leia => {
                let id = u64::from(ID | 1) << 18 | 1 << 16 | (from / 10 + 1);
                format!("id = 0x{id:08X}\nextended = true\n")
            }
            _ if protocol.is_paired() => format!("id = 0x{:03X}\n", ID | 1),
            _ => format!("id = 0x{ID:03X}\n"),
        };
        // Counters begin at 0 or at 1, and restart: that window is no narrower than need be.
        let until = match protocol {
            Protocol::LeiaPublished | Protocol::Leia => END_MS,
            _ => from + 10,
        };
        format!(
            "\n[[interferer]]\nname = \"bus-off-{at}\"\nkind = \"bus-off\"\nbus = \"public\"\n{id}\
             from = \"{from}ms\"\nuntil = \"{until}ms\"\n"
        )
    });
    interferer.collect()
}
