//! One operation under memcheck, its secret marked as uninitialised.
//!
//! Memcheck follows uninitialised bits through all arithmetic and reports each conditional jump
//! and each address that depends on one: precisely what constant-time code must not have. The
//! idea is Langley's ctgrind. Selections (`cmov`) and divisions are not reported.
//!
//! An operation runs twice. With the secret in the open it gives the answer; with the secret
//! marked it must give the same, and the answer must be marked too, or else the marks were lost on
//! the way and silence means nothing. Only then is the answer unmarked and compared.

use std::hint::black_box;

use waywarden_fourq::{EncodedPoint, SigningKey, dh};

use crate::{keys, leaky};

const MESSAGE: &[u8] = b"brake, 37 percent";
const SECRET: [u8; 32] = *b"a secret of the thirty-two bytes";
const PEER: [u8; 32] = *b"the other secret of some 32 byte";

/// Requests to valgrind [valgrind.h, memcheck.h]: none but under valgrind.
pub(crate) mod request {
    const RUNNING_ON_VALGRIND: u64 = 0x1001;
    const MAKE_MEM_UNDEFINED: u64 = 0x4d43_0001;
    const MAKE_MEM_DEFINED: u64 = 0x4d43_0002;
    const GET_VBITS: u64 = 0x4d43_0008;

    /// Asks valgrind; returns `default` where there is none.
    fn ask(default: u64, code: u64, a: u64, b: u64, c: u64) -> u64 {
        let arguments = [code, a, b, c, 0, 0];
        let mut answer = default;
        // SAFETY: the rotations of rdi add up to 128 and the exchange is of a register with
        // itself, so on a bare processor nothing changes. Valgrind knows the sequence, reads the
        // six words at rax and puts its answer into rdx.
        unsafe {
            core::arch::asm!(
                "rol rdi, 3",
                "rol rdi, 13",
                "rol rdi, 61",
                "rol rdi, 51",
                "xchg rbx, rbx",
                in("rax") arguments.as_ptr(),
                inout("rdx") answer,
            );
        }
        answer
    }

    pub(crate) fn is_running_on_valgrind() -> bool {
        ask(0, RUNNING_ON_VALGRIND, 0, 0, 0) > 0
    }

    /// Marks memory as a secret.
    pub(crate) fn classify(bytes: &mut [u8]) {
        classify_at(bytes.as_mut_ptr() as u64, bytes.len() as u64);
    }

    /// Marks memory at an address as a secret.
    pub(crate) fn classify_at(address: u64, length: u64) {
        ask(0, MAKE_MEM_UNDEFINED, address, length, 0);
    }

    /// Marks memory as public.
    pub(crate) fn declassify(bytes: &mut [u8]) {
        let (at, length) = (bytes.as_mut_ptr() as u64, bytes.len() as u64);
        ask(0, MAKE_MEM_DEFINED, at, length, 0);
    }

    /// Returns how many bits of the bytes depend on a secret.
    pub(crate) fn secret_bits(bytes: &[u8]) -> u32 {
        let mut bits = vec![0_u8; bytes.len()];
        let (at, to) = (bytes.as_ptr() as u64, bits.as_mut_ptr() as u64);
        ask(0, GET_VBITS, at, to, bytes.len() as u64);
        bits.iter().map(|byte| byte.count_ones()).sum()
    }
}

/// Returns the operation of this name, from secret bytes to bytes that are public in the end.
fn operation(name: &str) -> Option<Box<dyn Fn(&[u8; 32]) -> Vec<u8>>> {
    Some(match name {
        "share" => Box::new(|secret| dh::Secret::from_bytes(secret).share().0.to_vec()),
        "extract" => {
            let peer: EncodedPoint = dh::Secret::from_bytes(&PEER).share();
            Box::new(move |secret| {
                let shared = dh::Secret::from_bytes(secret).extract(&peer);
                // Whether there is a secret is public; that there is one is known here.
                shared.map_or_else(|_| Vec::new(), |shared| shared.as_bytes().to_vec())
            })
        }
        "public-key" => Box::new(|secret| SigningKey::from_bytes(secret).public().0.to_vec()),
        "sign" => Box::new(|secret| SigningKey::from_bytes(secret).sign(MESSAGE).0.to_vec()),
        "p256-sign" => Box::new(keys::sign),
        "p256-contribute" => Box::new(keys::contribute),
        "p256-reconstruct" => Box::new(keys::reconstruct),
        "p256-agree" => Box::new(keys::agree),
        "p256-expand" => Box::new(keys::expand),
        "p256-cocoon" => Box::new(keys::cocoon),
        "leaky-branch" => Box::new(|secret| leaky::branch(secret).to_vec()),
        "leaky-index" => Box::new(|secret| leaky::index(secret).to_vec()),
        "leaky-early-exit" => Box::new(|secret| leaky::early_exit(secret).to_vec()),
        _ => return None,
    })
}

/// Runs an operation with its secret marked; valgrind reports the leaks.
///
/// # Errors
/// If the run shows nothing: no valgrind, marks lost, a wrong answer.
pub(crate) fn run(name: &str) -> Result<(), String> {
    let operation = operation(name).ok_or_else(|| format!("there is no operation {name}"))?;
    if !request::is_running_on_valgrind() {
        return Err("memcheck shows nothing without valgrind".to_owned());
    }
    let open = operation(&SECRET);
    let mut secret = black_box(SECRET);
    request::classify(&mut secret);
    let mut closed = operation(black_box(&secret));
    let marked = request::secret_bits(&closed);
    request::declassify(&mut closed);
    // What depends on a secret by a branch alone carries no mark.
    if marked == 0 && !name.starts_with("leaky") {
        return Err(format!(
            "{name}: the answer is not marked; the marks were lost"
        ));
    }
    if closed != open {
        return Err(format!("{name}: another answer with the secret marked"));
    }
    println!("{marked}");
    Ok(())
}
