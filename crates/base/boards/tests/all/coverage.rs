//! Operations that the protocols need, and the boards that lack a figure for them: the gaps are
//! listed here, so that a new one shows.

use std::fmt::Write as _;

use waywarden_boards::{Board, Provenance};
use waywarden_work::{Algorithm, Operation, OperationKind};

use Algorithm as A;
use OperationKind as K;

/// Every (kinds, algorithms) that key exchange, authentication, V2X and the bus need.
const NEEDED: &[(&[K], &[A])] = &[
    (
        &[K::KeyGenerate, K::Share, K::Extract, K::Sign, K::Verify],
        &[
            A::FourQ,
            A::P256,
            A::P384,
            A::BrainpoolP256r1,
            A::BrainpoolP384r1,
        ],
    ),
    (
        &[K::KeyGenerate, K::Sign, K::Verify],
        &[A::P224, A::Ed25519],
    ),
    (&[K::Share, K::Extract], &[A::X25519]),
    (
        &[
            K::CertificateRequest,
            K::CertificateIssue,
            K::CertificateAccept,
        ],
        &[A::P256],
    ),
    (
        &[K::KeyRebuild],
        &[A::P256, A::P384, A::BrainpoolP256r1, A::BrainpoolP384r1],
    ),
    (
        &[K::KemKeyGenerate, K::Encapsulate, K::Decapsulate],
        &[A::MlKem512, A::MlKem768, A::Kyber768Round1],
    ),
    (
        &[K::KeyGenerate, K::Sign, K::Verify],
        &[
            A::MlDsa44,
            A::MlDsa65,
            A::FnDsa512,
            A::FnDsa1024,
            A::DilithiumRound1,
        ],
    ),
    (&[K::Hash], &[A::Sha256, A::Sha384, A::Sha512, A::Sha3_256]),
    (&[K::KeyDerive], &[A::HkdfSha256]),
    (
        &[K::Tag],
        &[
            A::HmacSha256,
            A::Aes128Cmac,
            A::Chaskey,
            A::SipHash,
            A::SpongentMac,
        ],
    ),
    (&[K::Tag], &[A::VaticanSoftwareMac]),
    (
        &[K::Encrypt, K::Decrypt],
        &[A::Aes128Ctr, A::Aes128Ccm, A::Aes256Gcm],
    ),
    (&[K::ModuleCall], &[A::ProtectedModule, A::SecurityModule]),
    (
        &[K::FrameSend, K::FrameReceive],
        &[A::CanStandard, A::CanExtended, A::CanFd],
    ),
];

/// No other board has a hardware security module.
/// SpongentMac is the MAC of the Sancus unit and vatiCAN's own MAC is AVR assembly; no figure for
/// software on other cores was found, and our own SpongentMac is counted on emulated ones.
const GAPS: &str = "\
spongent-mac: tc224 tc277 tc297 sam-v71 tms570 tc3xx-hsm s32k3 rh850-icum stm32h5 stm32u5 \
vatican-avr \
x86-64 a72 a53 arm11 m4 m3 wave-laptop wave-raspberry-pi
vatican-software-mac: tc224 tc277 tc297 sam-v71 tms570 tc3xx-hsm s32k3 rh850-icum stm32h5 stm32u5 \
x86-64 a72 a53 arm11 m4 m3 m4f-emulated m33-emulated r5f-emulated \
wave-laptop wave-raspberry-pi
hardware-security-module: tc224 tc277 tc297 sam-v71 tms570 sancus vatican-avr \
x86-64 a72 a53 arm11 m4 m3 m4f-emulated m33-emulated r5f-emulated \
wave-laptop wave-raspberry-pi
";

fn needed() -> impl Iterator<Item = (K, A)> {
    NEEDED.iter().flat_map(|(kinds, algorithms)| {
        let pairs = kinds.iter();
        pairs.flat_map(move |&kind| algorithms.iter().map(move |&algorithm| (kind, algorithm)))
    })
}

fn boards() -> Vec<Board> {
    Board::builtin_names()
        .map(|name| Board::builtin(name).expect(name))
        .collect()
}

#[test]
fn every_builtin_file_reads() {
    for name in Board::builtin_names() {
        let text = Board::builtin_text(name).unwrap();
        let board = Board::parse(name, text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(board.name(), name);
        assert!(!board.title().is_empty());
    }
    assert_eq!(Board::builtin_names().count(), 24);
    assert!(Board::builtin("no-such-board").is_none());
}

#[test]
fn the_documentation_lists_every_board_and_its_example_reads() {
    let page = include_str!("../../../../../docs/boards.md");
    for name in Board::builtin_names() {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
    let example = page.split("```toml\n").nth(1).expect("an example");
    let example = example.split("```").next().expect("its end");
    let board = Board::parse("example", example).unwrap_or_else(|error| panic!("{error}"));
    let cost = |kind, algorithm, bytes| {
        let operation = Operation::new(kind, algorithm, bytes);
        board.cost(&operation).unwrap().duration.as_nanos()
    };
    assert_eq!(cost(K::Verify, A::P256, 0), 41_700_000);
    assert_eq!(
        cost(K::Tag, A::Aes128Cmac, 17),
        (300 + 2 * 95) * 1_000 / 120
    );
    // One length has its own figure, the others the base table's.
    assert_eq!(cost(K::Hash, A::Sha256, 32), 43_333);
    assert_eq!(cost(K::Hash, A::Sha256, 33), 37_333);
}

#[test]
fn every_algorithm_is_needed_by_something() {
    for &algorithm in Algorithm::ALL {
        assert!(
            needed().any(|(_, used)| used == algorithm),
            "{algorithm} is in no list"
        );
    }
}

#[test]
fn every_needed_operation_has_a_figure_or_is_a_listed_gap() {
    let mut gaps = String::new();
    for (kind, algorithm) in needed() {
        let missing: Vec<String> = boards()
            .iter()
            .filter(|board| board.cost(&Operation::new(kind, algorithm, 16)).is_err())
            .map(|board| board.name().to_owned())
            .collect();
        if !missing.is_empty() {
            writeln!(gaps, "{algorithm}: {}", missing.join(" ")).unwrap();
        }
    }
    assert_eq!(gaps, GAPS);
}

#[test]
fn what_has_no_figure_says_what_to_add() {
    let board = Board::builtin("tc297").unwrap();
    let operation = Operation::new(K::Tag, A::SpongentMac, 14);
    let message = board.cost(&operation).unwrap_err().to_string();
    assert!(
        message.starts_with("board `tc297` has no figure for tag with spongent-mac over 14 bytes;")
    );
    assert!(
        message.contains("operation = \"tag\"") && message.contains("algorithm = \"spongent-mac\"")
    );

    let text = "title = 't'\n[characteristics]\narchitecture = 'a'\ncores = 1\n\
                clock = '1 MHz'\nassumed = 'x'\n[[figure]]\noperation = 'tag'\n\
                algorithm = 'chaskey'\nbytes = 8\ncycles = 5\nassumed = 'x'\n";
    let mine = Board::parse("mine", text).unwrap();
    let other = mine
        .cost(&Operation::new(K::Tag, A::Chaskey, 9))
        .unwrap_err();
    assert_eq!(other.lengths, [8]);
    assert!(other.to_string().contains("(it has one for 8 bytes only)"));
    let fits = mine.cost(&Operation::new(K::Tag, A::Chaskey, 8)).unwrap();
    assert_eq!(fits.duration.as_nanos(), 5_000);
}

#[test]
fn the_ideal_board_is_free_and_says_so() {
    let ideal = Board::builtin("ideal").unwrap();
    for (kind, algorithm) in needed() {
        let cost = ideal.cost(&Operation::new(kind, algorithm, 4096)).unwrap();
        assert_eq!(cost.duration.as_nanos(), 0);
        assert_eq!(cost.provenance.mark(), "assumed");
        assert!(cost.provenance.to_string().contains("ideal"));
    }
}

#[test]
fn only_the_ideal_board_is_free() {
    for board in boards().iter().filter(|board| board.name() != "ideal") {
        for (kind, algorithm) in needed() {
            if let Ok(cost) = board.cost(&Operation::new(kind, algorithm, 16)) {
                assert!(
                    cost.duration.as_nanos() > 0,
                    "{} {kind} {algorithm}",
                    board.name()
                );
            }
        }
    }
}

#[test]
fn each_provenance_prints_itself() {
    let board = Board::builtin("sancus").unwrap();
    let print = |kind, algorithm, bytes| {
        let operation = Operation::new(kind, algorithm, bytes);
        board.cost(&operation).unwrap().provenance.to_string()
    };
    assert_eq!(
        print(K::Tag, A::SpongentMac, 14),
        "paper [VULCAN] MAC Computation"
    );
    let scaled = print(K::Hash, A::Sha256, 64);
    assert!(scaled.starts_with("scaled: 0 + 4480 per 512 bits Cortex-M4 cycles at 1.384 MHz ("));
    assert!(scaled.contains("[MBEDTLS-M4] README SHA-256"), "{scaled}");
    // A guess does not become more than a guess by scaling.
    assert!(print(K::Tag, A::SipHash, 16).starts_with("assumed: "));
    let measured = Provenance::Measured {
        on: "this host".into(),
        how: "median of 15".into(),
    };
    assert_eq!(measured.to_string(), "measured on this host, median of 15");
}

#[test]
fn longer_messages_never_cost_less() {
    for board in boards() {
        for (kind, algorithm, figure) in board.figures() {
            let times = [0u32, 1, 15, 16, 17, 63, 64, 65, 1_000, 65_535];
            let rising = times
                .windows(2)
                .all(|pair| figure.amount().duration(pair[0]) <= figure.amount().duration(pair[1]));
            assert!(rising, "{} {kind} {algorithm}", board.name());
        }
    }
}
