//! Hardware security modules: their costs, recomputed from the sources of the figures; and the
//! errors of a module in a board's file.

use waywarden_boards::{Board, BoardSecurityModule};
use waywarden_work::{Algorithm, Operation, OperationKind};

use Algorithm as A;
use OperationKind as K;

const MODULES: [&str; 5] = ["tc3xx-hsm", "s32k3", "rh850-icum", "stm32h5", "stm32u5"];

fn in_use(name: &str) -> Board {
    let board = Board::builtin(name).expect("a built-in board");
    board.with_module_in_use().expect("a module")
}

fn nanos(board: &str, kind: K, algorithm: A, bytes: u32) -> f64 {
    let operation = Operation::new(kind, algorithm, bytes);
    let board = in_use(board);
    let cost = board.module_cost(&operation).expect("a figure");
    cost.duration.as_nanos() as f64
}

fn assert_near(found: f64, expected: f64, what: &str) {
    let off = (found - expected).abs() / expected;
    assert!(off < 1e-3, "{what}: {found} ns against {expected} ns");
}

#[test]
fn figures_of_modules_follow_from_their_sources() {
    // [ELE200]: cycles a byte over 1,024 bytes, and operations a second, at 96 MHz. One block of a
    // code over 16 bytes and one for the subkey.
    let cmac = 2.0 * 16.0 * 60.13;
    for (board, mhz) in [("tc3xx-hsm", 100.0), ("s32k3", 120.0), ("rh850-icum", 80.0)] {
        assert_near(
            nanos(board, K::Tag, A::Aes128Cmac, 16),
            cmac * 1e3 / mhz,
            board,
        );
    }
    let (sign, verify) = (96e6 / 82.33, 96e6 / 71.67);
    assert_near(
        nanos("s32k3", K::Sign, A::P256, 0),
        sign * 1e3 / 120.0,
        "HSE_B signs",
    );
    assert_near(
        nanos("s32k3", K::Verify, A::P256, 0),
        verify * 1e3 / 120.0,
        "HSE_B verifies",
    );
    let ccm = 2.0 * 16.0 * 70.70;
    assert_near(
        nanos("s32k3", K::Encrypt, A::Aes128Ccm, 16),
        ccm * 1e3 / 120.0,
        "HSE_B seals",
    );

    // [RM0481] Table 330 and [RM0456] Table 478: cycles of a block.
    assert_near(
        nanos("stm32h5", K::Tag, A::Aes128Cmac, 16),
        2.0 * 480.0 * 4.0,
        "SAES of the H5",
    );
    assert_near(
        nanos("stm32u5", K::Tag, A::Aes128Cmac, 16),
        2.0 * 528.0 * 6.25,
        "SAES of the U5",
    );
    // [WOLFSSL-STM32] STM32U585, in cycles of its 160 MHz at 250 MHz.
    assert_near(
        nanos("stm32u5", K::Sign, A::P256, 0),
        17.857e6,
        "PKA of the U5 signs",
    );
    assert_near(
        nanos("stm32h5", K::Sign, A::P256, 0),
        17.857e6 * 160.0 / 250.0,
        "PKA signs",
    );
    assert_near(
        nanos("stm32h5", K::Verify, A::P256, 0),
        18e6 * 160.0 / 250.0,
        "PKA verifies",
    );
    // [ECQV-CITS] Table I, the Cortex-M4 at 80 MHz.
    assert_near(
        nanos("rh850-icum", K::Sign, A::P256, 0),
        118.0e6,
        "ICU-M signs",
    );
    assert_near(
        nanos("rh850-icum", K::Verify, A::P256, 0),
        133.47e6,
        "ICU-M verifies",
    );
}

#[test]
fn figures_of_the_stm32h5_core_are_the_h563s_at_its_clock() {
    let board = Board::builtin("stm32h5").unwrap();
    for (kind, ms) in [
        (K::KeyGenerate, 4.902),
        (K::Extract, 10.713),
        (K::Sign, 7.441),
        (K::Verify, 15.333),
    ] {
        let cost = board.cost(&Operation::new(kind, A::P256, 0)).unwrap();
        let expected = ms * 1e6 * 150.0 / 250.0;
        assert_near(cost.duration.as_nanos() as f64, expected, kind.name());
    }
}

#[test]
fn a_figure_without_a_source_is_marked_as_a_guess() {
    // Not one time of HSE_B or of ICU-M is public, and of the HSM one.
    for (name, known) in [("s32k3", 0), ("rh850-icum", 0), ("tc3xx-hsm", 1)] {
        let board = Board::builtin(name).unwrap();
        let module = board.security_module().unwrap();
        let marks = module
            .figures()
            .map(|(_, _, figure)| figure.provenance().mark());
        assert_eq!(
            marks.filter(|mark| *mark != "assumed").count(),
            known,
            "{name}"
        );
    }
}

#[test]
fn a_module_answers_only_where_it_is_in_use_and_offers_the_operation() {
    let (tag, hash) = (
        Operation::new(K::Tag, A::Aes128Cmac, 20),
        Operation::new(K::Hash, A::Sha256, 20),
    );
    for name in MODULES {
        let (idle, used) = (Board::builtin(name).unwrap(), in_use(name));
        assert!(
            idle.module_in_use().is_none() && idle.module_cost(&tag).is_none(),
            "{name}"
        );
        let computing = used.module_cost(&tag).expect(name).duration;
        let call = used
            .cost(&BoardSecurityModule::call(&tag))
            .expect(name)
            .duration;
        assert_eq!(used.response(&tag), Ok(call + computing), "{name}");
        assert!(used.module_cost(&hash).is_none(), "{name}");
        assert_eq!(used.response(&hash), idle.response(&hash), "{name}");
    }
    let missing = Board::builtin("tc297").unwrap().with_module_in_use();
    let message = missing.unwrap_err().to_string();
    assert!(
        message.contains("`tc297` has no security module"),
        "{message}"
    );
    assert!(
        MODULES.iter().all(|name| message.contains(name)),
        "{message}"
    );
}

const BOARD: &str = "title = 't'\n[characteristics]\narchitecture = 'a'\ncores = 1\n\
     clock = '1 MHz'\nassumed = 'x'\n[security_module]\nname = 'M'\narchitecture = 'b'\n";

fn fault(rest: &str) -> String {
    match Board::parse("mine", &format!("{BOARD}{rest}")) {
        Ok(_) => panic!("was read:\n{rest}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn faults_of_a_module_have_their_place_and_remedy() {
    let figure = "[[security_module.figure]]\noperation = 'tag'\nalgorithm = 'chaskey'\n";
    let call = "[security_module.call]\ncycles = 1\nassumed = 'x'\n";
    let clock = "clock = '2 MHz'\nassumed = 'x'\n";
    for (rest, start, remedy) in [
        (
            format!("{clock}{call}{figure}cycles = 1\nbytes = 8\nassumed = 'x'\n"),
            "mine.toml:15:1: a figure of a security module is for all lengths",
            "leave `bytes` out",
        ),
        (
            format!("{clock}{figure}cycles = 1\nassumed = 'x'\n"),
            "mine.toml:7:1: missing field `call`",
            "docs/boards.md",
        ),
        (
            format!(
                "{clock}[security_module.call]\nassumed = 'x'\n{figure}cycles = 1\nassumed = 'x'\n"
            ),
            "mine.toml:12:1: ",
            "this one has neither",
        ),
        (
            format!("clock = 'fast'\nassumed = 'x'\n{call}{figure}cycles = 1\nassumed = 'x'\n"),
            "mine.toml:10:9: `clock = \"fast\"` cannot be read",
            "MHz",
        ),
        (
            format!(
                "{clock}engines = [{{ name = 'AES', algorithms = ['sha-256'] }}]\n{call}{figure}\
                 cycles = 1\nassumed = 'x'\n"
            ),
            "mine.toml:18:13: chaskey is in 0 of the `engines`",
            "name it in exactly one",
        ),
        (
            format!("clock = '2 MHz'\n{call}{figure}cycles = 1\nassumed = 'x'\n"),
            "mine.toml:7:1: ",
            "exactly one of `paper`, `measured`, `scaled`, `assumed`",
        ),
    ] {
        let message = fault(&rest);
        assert!(
            message.starts_with(start),
            "{message}\nshould start with\n{start}"
        );
        assert!(
            message.contains(remedy),
            "{message}\nshould contain\n{remedy}"
        );
    }
}

#[test]
fn the_modules_of_the_documentation_read() {
    let page = include_str!("../../../../../docs/boards.md");
    let blocks = page.split("```toml\n").skip(1);
    let mut modules = blocks.filter(|block| block.starts_with("[security_module]"));
    let module = modules.next().and_then(|block| block.split("```").next());
    let (head, _) = BOARD.split_once("[security_module]").unwrap();
    let text = format!("{head}{}", module.expect("an example"));
    let board = Board::parse("mine", &text).unwrap_or_else(|error| panic!("{error}"));
    let board = board.with_module_in_use().unwrap();
    let tag = Operation::new(K::Tag, A::Aes128Cmac, 17);
    let cost = board.module_cost(&tag).unwrap().duration;
    assert_eq!(cost.as_nanos(), 3 * 900 * 10);
}
