//! The vehicle of a cell: a small car under one protocol, and one attack on it.

use toml::{Table, Value};

use super::{AttackedProtocol, END_MS, FROM_MS, MatrixAttack};
use crate::composing::{self, add, millis, names, set, table};

/// The identifier of the stream under attack; with [`MatrixAttack::Complaint`] another.
const ID: u16 = 0x060;

/// One of those that do not fit the byte that an AUTH_FAIL has room for as published.
const ID_ABOVE_A_BYTE: u16 = 0x120;

/// Composes the whole vehicle of a cell; with `is_peace` the same car without the attack.
pub(super) fn compose(
    protocol: AttackedProtocol,
    attack: MatrixAttack,
    seed: u64,
    is_peace: bool,
) -> Table {
    let vehicle = table([
        (
            "name",
            format!("{}-{}", protocol.word(), attack.word()).into(),
        ),
        ("seed", composing::seed(seed)),
        ("duration", millis(super::DURATION_MS)),
    ]);
    let mut car = table([("vehicle", Value::Table(vehicle))]);
    add_car(&mut car, protocol, attack);
    if attack == MatrixAttack::Rollback {
        let fault = table([
            ("name", "reset".into()),
            ("kind", "reset".into()),
            ("ecu", "receiver".into()),
            ("from", millis(FROM_MS)),
        ]);
        add(&mut car, "fault", fault);
    }
    if !is_peace {
        add_attack(&mut car, protocol, attack);
    }
    car
}

/// Buses, ECUs and who authenticates.
fn add_car(car: &mut Table, protocol: AttackedProtocol, attack: MatrixAttack) {
    let id = match attack {
        MatrixAttack::Complaint => ID_ABOVE_A_BYTE,
        _ => ID,
    };
    let has_gateway = attack == MatrixAttack::BareTag;
    add_bus(car, "public");
    let mut receivers = vec!["receiver"];
    if has_gateway {
        add_bus(car, "private");
        receivers.push("display");
    }
    add_sender(
        car,
        ("sender", "public"),
        stream("Message", id, 1, &receivers),
    );
    add(car, "ecu", ecu("receiver", &["public"]));
    if protocol.has_master() {
        add(car, "ecu", ecu("master", &["public"]));
    }
    if has_gateway {
        add_gateway(car, protocol);
    }
    add_authentication(car, protocol, ("group", "Message", "master"));
    if attack == MatrixAttack::ForeignKey {
        add_strangers(car, protocol, id);
    }
}

fn add_gateway(car: &mut Table, protocol: AttackedProtocol) {
    add(car, "ecu", ecu("gateway", &["public", "private"]));
    add(car, "ecu", ecu("display", &["private"]));
    let mut route = table([
        ("gateway", "gateway".into()),
        ("from", "public".into()),
        ("to", "private".into()),
        ("streams", names(["Message"])),
    ]);
    if protocol != AttackedProtocol::Plain {
        set(&mut route, "verify", true);
    }
    add(car, "route", route);
}

/// Another group of the same protocol, under a key of its own.
fn add_strangers(car: &mut Table, protocol: AttackedProtocol, id: u16) {
    add_bus(car, "other");
    let foreign = stream("Foreign", id, 6, &["strange-receiver"]);
    add_sender(car, ("stranger", "other"), foreign);
    add(car, "ecu", ecu("strange-receiver", &["other"]));
    if protocol.has_master() {
        let mut master = ecu("strange-master", &["other"]);
        set(&mut master, "start", millis(3));
        add(car, "ecu", master);
    }
    add_authentication(car, protocol, ("strangers", "Foreign", "strange-master"));
}

fn add_bus(car: &mut Table, name: &str) {
    let bus = table([("name", name.into()), ("bitrate", "500k".into())]);
    add(car, "bus", bus);
}

fn ecu(name: &str, ports: &[&str]) -> Table {
    table([
        ("name", name.into()),
        ("ports", names(ports.iter().copied())),
    ])
}

fn add_sender(car: &mut Table, (name, bus): (&str, &str), stream: Table) {
    let mut sender = ecu(name, &[bus]);
    set(&mut sender, "sends", vec![stream]);
    add(car, "ecu", sender);
}

fn stream(name: &str, id: u16, offset_ms: u64, receivers: &[&str]) -> Table {
    table([
        ("name", name.into()),
        ("id", i64::from(id).into()),
        ("length", 4.into()),
        ("period", millis(10)),
        ("offset", millis(offset_ms)),
        ("receivers", names(receivers.iter().copied())),
    ])
}

fn add_authentication(
    car: &mut Table,
    protocol: AttackedProtocol,
    (name, stream, master): (&str, &str, &str),
) {
    let Some((scheme, profile)) = protocol.scheme() else {
        return;
    };
    let mut authentication = table([
        ("name", name.into()),
        ("scheme", scheme.into()),
        ("profile", profile.into()),
        ("protect", names([stream])),
    ]);
    if protocol.has_master() {
        set(&mut authentication, "master", master);
        set(&mut authentication, "announce", millis(20));
    }
    add(car, "authentication", authentication);
}

/// Adds the attacker with its actions.
fn add_attack(car: &mut Table, protocol: AttackedProtocol, attack: MatrixAttack) {
    let whole = (FROM_MS, END_MS);
    match attack {
        MatrixAttack::Spoof => add_attacker(car, whole, forge("messages", 1)),
        // What fits between two messages, in two frames each or in one.
        MatrixAttack::Flood => {
            let burst = if protocol.is_paired() { 12 } else { 24 };
            add_attacker(car, whole, forge("messages", burst));
        }
        MatrixAttack::Replay => add_attacker(car, whole, replay(35)),
        MatrixAttack::Rollback => {
            // A receiver of LeiA as published begins at counter 1, takes the sender's next message
            // whatever its counter, and is at 2 then: what is played must be above that.
            let from = match protocol {
                AttackedProtocol::LeiaPublished => 105,
                _ => 0,
            };
            let delay = FROM_MS + 4 - from + from % 10;
            add_attacker(car, (from, END_MS), replay(delay));
        }
        MatrixAttack::Reorder => add_cut(car, attack, forge("reorder", 1)),
        MatrixAttack::CounterJump => add_cut(car, attack, forge("counter-jump", 5)),
        MatrixAttack::OtherCounter => add_cut(car, attack, forge("other-counter", 1)),
        MatrixAttack::EpochJump => add_attacker(car, whole, forge("epoch-jump", 1)),
        MatrixAttack::Complaint => add_attacker(car, whole, forge("complaint", 1)),
        MatrixAttack::InjectedData => add_attacker(car, whole, forge("data-before-tag", 1)),
        MatrixAttack::BareTag => add_attacker(car, whole, forge("bare-tag", 2)),
        MatrixAttack::BusOff => add_bus_off(car, protocol),
        MatrixAttack::ForeignKey => {
            let relay = table([
                ("kind", "relay".into()),
                ("source", "other".into()),
                ("bus", "public".into()),
            ]);
            add_attacker(car, whole, relay);
        }
    }
}

fn forge(attack: &str, burst: i64) -> Table {
    table([
        ("kind", "forge".into()),
        ("stream", "Message".into()),
        ("trick", attack.into()),
        ("burst", burst.into()),
    ])
}

fn replay(delay_ms: u64) -> Table {
    table([
        ("kind", "replay".into()),
        ("bus", "public".into()),
        ("delay", millis(delay_ms)),
    ])
}

fn add_attacker(car: &mut Table, (from, until): (u64, u64), mut does: Table) {
    set(&mut does, "name", "attacker");
    set(&mut does, "from", millis(from));
    set(&mut does, "until", millis(until));
    add(car, "attacker", does);
}

/// The receiver's wire is cut while the messages to be kept are sent; then there are some 4 ms
/// until the next one.
fn add_cut(car: &mut Table, attack: MatrixAttack, mut forge: Table) {
    let until = attack.end_ms() - 4;
    let cut = table([
        ("name", "cut".into()),
        ("kind", "bus-open".into()),
        ("ecu", "receiver".into()),
        ("from", millis(FROM_MS)),
        ("until", millis(until)),
    ]);
    add(car, "fault", cut);
    set(&mut forge, "hold", millis(until - FROM_MS + 1));
    add_attacker(car, (FROM_MS, attack.end_ms()), forge);
}

/// Destroys frames with tags until their sender is off the bus, message after message; without
/// tags, those that have the code in them, or the messages.
fn add_bus_off(car: &mut Table, protocol: AttackedProtocol) {
    let is_leia = matches!(
        protocol,
        AttackedProtocol::LeiaPublished | AttackedProtocol::Leia
    );
    for at in 0..(END_MS - FROM_MS) / 10 {
        let from = FROM_MS + 10 * at;
        let id = match protocol {
            // A tag has the counter of its message in its identifier.
            _ if is_leia => u64::from(ID | 1) << 18 | 1 << 16 | (from / 10 + 1),
            _ if protocol.is_paired() => u64::from(ID | 1),
            _ => u64::from(ID),
        };
        // Counters begin at 0 or at 1, and restart: that window is no narrower than need be.
        let until = if is_leia { END_MS } else { from + 10 };
        let mut interferer = table([
            ("name", format!("bus-off-{at}").into()),
            ("kind", "bus-off".into()),
            ("bus", "public".into()),
            ("id", Value::Integer(id.cast_signed())),
            ("from", millis(from)),
            ("until", millis(until)),
        ]);
        if is_leia {
            set(&mut interferer, "extended", true);
        }
        add(car, "interferer", interferer);
    }
}
