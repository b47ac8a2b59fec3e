//! Commands that print documents, by the names of their schemas.

/// A command that measures for seconds.
pub(super) const MEASURED_HERE: &str = "bench verify";

/// Commands that print a document, and its schema.
pub(super) const DOCUMENTS: &[(&str, &str)] = &[
    ("run", "run examples/minimal.toml"),
    (
        "message-path",
        "run examples/minimal.toml --explain EngineSpeed:3",
    ),
    ("run", "run examples/vulcan-bench.toml"),
    (
        "run",
        "run examples/compact-car-protected.toml --duration 2s",
    ),
    ("run", "run examples/electric-van-secoc.toml --duration 8s"),
    ("run", "run examples/compact-car-attack.toml --duration 2s"),
    ("run", "run examples/trailer.toml"),
    ("run", "run examples/hardware-security-module.toml"),
    (
        "check",
        "check examples/compact-car.toml examples/auth.toml",
    ),
    ("runs", "run examples/minimal.toml --seeds 2 --phases 2"),
    ("check", "check examples/matrix.dbc"),
    ("compare", "compare examples/minimal.toml --keys none"),
    ("fit", "fit examples/matrix.dbc --assume 100ms"),
    (
        "start-up",
        "start-up crates/cli/waywarden/src/init/vehicle.toml",
    ),
    ("keys", "keys --ecus 4"),
    ("keys", "keys --scheme lasan --profile compact"),
    ("keys", "keys --ecus 3 --transport classic"),
    ("demo", "demo"),
    (
        "bus-load",
        "bus load examples/drive.log --bitrate 500k --data-bitrate 2M",
    ),
    ("bus-bound", "bus bound examples/minimal.toml"),
    ("bus-bits", "bus bits 18DAF110##1AABB"),
    ("auth-attacks", "auth attacks --only leia-as-published"),
    (
        "auth-check",
        "auth check examples/drive.log --config examples/auth.toml",
    ),
    ("boards", "boards"),
    ("board", "boards tc3xx-hsm"),
    ("board-comparison", "boards --compare"),
    ("board-memory", "boards --memory"),
    ("papers", "papers"),
    ("paper", "papers gke"),
    ("paper-run", "papers ecqv-cits --show-run RoadLINK"),
    ("bench-verify", MEASURED_HERE),
    (
        "verify",
        "verify examples/v2x/messages.hex --trust examples/v2x/trust --at generation",
    ),
    (
        "inspect",
        "inspect examples/v2x/implicit.oer examples/v2x/messages.hex",
    ),
    (
        "inspect",
        "inspect examples/v2x/scms/ccf.oer examples/v2x/scms/composite-crl.oer",
    ),
    (
        "road",
        "road examples/road/car.toml --fcd examples/traffic/roundabout.csv.gz",
    ),
    (
        "misbehaviour",
        "misbehaviour examples/v2x/misbehaviour/zero-speed.json",
    ),
    (
        "pki-check-list",
        "pki check-list examples/v2x/scms/ccf.oer examples/v2x/scms/composite-crl.oer \
         --elector examples/v2x/scms/elector1.oer --elector examples/v2x/scms/elector2.oer \
         --quorum 2 --at 2026-03-08T12:00:00Z",
    ),
];
