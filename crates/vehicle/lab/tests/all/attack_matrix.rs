//! The attack matrix: what is published falls where it is known to, and nothing else falls. The
//! pages about the protocols have the matrix as it comes out here.

use std::path::PathBuf;
use std::sync::LazyLock;

use waywarden_vehicle_lab::attack_matrix::{
    AttackMatrix, AttackVerdict, AttackedProtocol, MatrixAttack, MatrixCell, matrix, vehicle,
};

/// The one that the command takes unless told otherwise; the pages are made with it.
const SEED: u64 = 7;

/// Every protocol under every attack, which several tests look at.
static CELLS: LazyLock<Vec<MatrixCell>> = LazyLock::new(|| {
    let mut runner = AttackMatrix::new(SEED);
    let pairs = AttackedProtocol::ALL
        .into_iter()
        .flat_map(|protocol| MatrixAttack::ALL.map(|attack| (protocol, attack)));
    let cells = pairs.map(|(protocol, attack)| {
        let cell = runner.cell(protocol, attack);
        cell.unwrap_or_else(|error| panic!("seed {SEED}, {protocol:?} {attack:?}: {error}"))
    });
    cells.collect()
});

fn cell(protocol: AttackedProtocol, attack: MatrixAttack) -> &'static MatrixCell {
    let mut row = row(protocol);
    row.find(|cell| cell.attack == attack).unwrap()
}

fn row(protocol: AttackedProtocol) -> impl Iterator<Item = &'static MatrixCell> {
    CELLS.iter().filter(move |cell| cell.protocol == protocol)
}

fn works(verdict: AttackVerdict) -> bool {
    matches!(verdict, AttackVerdict::Works { .. })
}

fn is_for_ever(verdict: AttackVerdict) -> bool {
    let AttackVerdict::Availability { whole_after_ms, .. } = verdict else {
        return false;
    };
    whole_after_ms.is_none()
}

/// Each cell that is to hold does, within the time its page states, and shows by what.
#[test]
fn what_is_hardened_loses_availability_at_the_most() {
    let promised = AttackedProtocol::ALL.into_iter();
    for protocol in promised.filter(|protocol| protocol.bound_ms().is_some()) {
        for cell in row(protocol) {
            assert!(cell.is_as_promised(), "seed {SEED}: {cell:?}");
            assert!(cell.evidence.frame.contains('#'), "{cell:?}");
            assert!(!cell.evidence.answer.is_empty(), "{cell:?}");
            // Nothing is refused only because nothing was sent.
            let least = match cell.attack {
                // A receiver that counts takes nothing for up to 34 periods after a reset.
                MatrixAttack::Rollback => 75,
                _ => 105,
            };
            assert!(cell.in_peace >= least, "{cell:?}");
        }
    }
}

#[test]
fn plain_can_takes_everything() {
    for attack in [
        MatrixAttack::Spoof,
        MatrixAttack::Replay,
        MatrixAttack::Reorder,
        MatrixAttack::CounterJump,
        MatrixAttack::InjectedData,
        MatrixAttack::Flood,
        MatrixAttack::ForeignKey,
        MatrixAttack::Rollback,
    ] {
        let cell = cell(AttackedProtocol::Plain, attack);
        assert!(works(cell.verdict), "{cell:?}");
    }
}

/// The defects (a) to (f) of the published code, in this order, and the lack of freshness.
#[test]
fn each_known_defect_shows() {
    // A receiver's counter moves on by one where it should jump to what it saw.
    let again = cell(AttackedProtocol::LeiaPublished, MatrixAttack::CounterJump);
    assert_eq!(
        again.verdict,
        AttackVerdict::Works { taken: 4 },
        "{again:?}"
    );
    assert!(works(
        cell(AttackedProtocol::LeiaPublished, MatrixAttack::Reorder).verdict
    ));
    // An AUTH_FAIL names one byte of the identifier.
    let unheard = cell(AttackedProtocol::LeiaPublished, MatrixAttack::Complaint);
    assert!(is_for_ever(unheard.verdict), "{unheard:?}");
    // An epoch is taken over before its tag is looked at.
    let parted = cell(AttackedProtocol::LeiaPublished, MatrixAttack::EpochJump);
    assert!(is_for_ever(parted.verdict), "{parted:?}");
    // The tag's frame may show any counter.
    let relabelled = cell(AttackedProtocol::LeiaPublished, MatrixAttack::OtherCounter);
    assert!(works(relabelled.verdict), "{relabelled:?}");
    assert!(
        relabelled
            .evidence
            .answer
            .contains("its sender did not send it")
    );
    // A receiver takes whatever frame comes next for the tag.
    let swallowed = cell(
        AttackedProtocol::VaticanPublished,
        MatrixAttack::InjectedData,
    );
    assert!(is_for_ever(swallowed.verdict), "{swallowed:?}");
    // The gateway forwards what it does not know.
    for protocol in [
        AttackedProtocol::VaticanPublished,
        AttackedProtocol::LeiaPublished,
    ] {
        let passed = cell(protocol, MatrixAttack::BareTag);
        let through = matches!(passed.verdict, AttackVerdict::Passes { .. });
        assert!(through, "{passed:?}");
    }
    // Besides: nonces and epochs restart at each boot, and without freshness all is new.
    for (protocol, attack) in [
        (AttackedProtocol::VaticanPublished, MatrixAttack::Rollback),
        (AttackedProtocol::LeiaPublished, MatrixAttack::Rollback),
        (AttackedProtocol::Autosar2Published, MatrixAttack::Replay),
        (AttackedProtocol::Autosar2Published, MatrixAttack::Rollback),
    ] {
        let cell = cell(protocol, attack);
        assert!(works(cell.verdict), "{cell:?}");
    }
}

/// It is the identifier that an AUTH_FAIL has no room for, not the attack: the same one against an
/// identifier of one byte is over when it ends.
#[test]
fn a_failure_of_a_low_identifier_is_answered() {
    let mut runner = AttackMatrix::new(SEED);
    let of = (AttackedProtocol::LeiaPublished, MatrixAttack::Complaint);
    let low = |is_peace| {
        let mut car = vehicle(of.0, of.1, SEED, is_peace);
        let id = &mut car["ecu"][0]["sends"][0]["id"];
        assert_eq!(*id, 0x120.into());
        *id = 0x060.into();
        car
    };
    let cell = runner.judge(of, &low(false), &low(true)).unwrap();
    assert!(cell.verdict.holds(100.0), "{cell:?}");
}

/// The pages have the rows of their protocols, word for word.
#[test]
fn the_pages_have_the_matrix() {
    let (first, second) = AttackedProtocol::ALL.split_at(5);
    let second: Vec<AttackedProtocol> = [AttackedProtocol::Plain]
        .iter()
        .chain(second)
        .copied()
        .collect();
    let mut lacking = String::new();
    for (page, protocols) in [("vatican-leia.md", first), ("secoc.md", second.as_slice())] {
        let rows = protocols.iter().flat_map(|own| row(*own).cloned());
        let (head, rows) = matrix(&rows.collect::<Vec<_>>());
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let head: Vec<String> = head.into_iter().map(str::to_owned).collect();
        let mut table = line(&head) + &"|---".repeat(head.len()) + "|\n";
        table.extend(rows.iter().map(|row| line(row)));
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../docs/protocols");
        let text = std::fs::read_to_string(folder.join(page)).unwrap();
        if !text.contains(&table) {
            lacking += &format!("docs/protocols/{page} lacks\n{table}");
        }
    }
    assert!(lacking.is_empty(), "{lacking}");
}
