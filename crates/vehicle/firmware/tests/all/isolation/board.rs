//! A board with both halves, and the requests to the attacker's image.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

use super::{FLASH, FLASH_END, word};
use crate::image::built;

/// A board with both halves.
pub(super) struct Board {
    pub(super) child: Child,
    pub(super) input: ChildStdin,
    pub(super) output: ChildStdout,
}

/// Returns the folder of the images, built once; none, with a message, where they cannot be built.
pub(super) fn folder() -> Option<PathBuf> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let folder = || Some(built(&["trustzone"])?.parent()?.to_owned());
    BUILT.get_or_init(folder).clone()
}

/// The answer to a request: its bytes, or the last words of a board that has ended.
pub(super) type Answer = Result<Vec<u8>, String>;

impl Board {
    /// Starts an image of the normal half; none, with a message, where images cannot be built.
    pub(super) fn start(image: &str) -> Option<Board> {
        let folder = folder()?;
        let loaded = folder.join(format!("{image}.elf"));
        // One that hangs is a failure, not a hang of the tests.
        let mut command = Command::new("timeout");
        command.args(["300", "qemu-system-arm", "-M", "mps2-an505", "-nic", "none"]);
        command.args(["-nographic", "-monitor", "none", "-serial", "none"]);
        command.args(["-icount", "shift=6"]);
        command.args(["-semihosting-config", "enable=on,target=native", "-kernel"]);
        command.arg(folder.join("secure.elf"));
        command.arg("-device");
        command.arg(format!("loader,file={}", loaded.display()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::null());
        let mut child = command.spawn().expect("coreutils and QEMU");
        let input = child.stdin.take().expect("a pipe");
        let output = child.stdout.take().expect("a pipe");
        Some(Board {
            child,
            input,
            output,
        })
    }

    /// Has the attacker do something; returns as many bytes of its answer.
    pub(super) fn ask(
        &mut self,
        letter: u8,
        words: [u32; 4],
        bytes: &[u8],
        length: usize,
    ) -> Answer {
        let mut request = vec![letter];
        request.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        request.extend(bytes);
        self.input.write_all(&request).expect("the board reads");
        let mut mark = [0];
        self.output.read_exact(&mut mark).expect("an answer");
        if mark != [1] {
            let mut text = String::from_utf8_lossy(&mark).into_owned();
            self.output.read_to_string(&mut text).expect("text");
            let status = self.child.wait().expect("an end");
            return Err(format!("{}, {status}", text.trim_end()));
        }
        let mut answer = vec![0; length];
        self.output.read_exact(&mut answer).expect("an answer");
        Ok(answer)
    }

    /// Calls the gateway; returns the word of the status. Registers that a call may change have
    /// nothing of the secure half in them.
    pub(super) fn call(&mut self, letter: u8, words: [u32; 4]) -> u32 {
        let answer = self.ask(letter, words, &[], 20).expect("no fault");
        let left: Vec<u32> = answer.chunks(4).map(word).collect();
        for register in &left[1..] {
            let is_ours = *register == 0 || (FLASH..FLASH_END).contains(register);
            assert!(is_ours, "{register:#010x} is left in a register: {left:x?}");
        }
        left[0]
    }

    pub(super) fn protect(&mut self, stream: u32, payload: u32, length: u32, seal: u32) -> u32 {
        self.call(b'p', [stream, payload, length, seal])
    }

    pub(super) fn check(&mut self, stream: u32, payload: u32, length: u32, seal: u32) -> u32 {
        self.call(b'c', [stream, payload, length, seal])
    }

    pub(super) fn read(&mut self, address: u32, length: usize) -> Answer {
        self.ask(b'r', [address, length as u32, 0, 0], &[], length)
    }

    pub(super) fn write(&mut self, address: u32, bytes: &[u8]) -> Answer {
        self.ask(b'w', [address, bytes.len() as u32, 0, 0], bytes, 0)
    }

    /// Returns the place of the attacker's own memory, 1 KiB.
    pub(super) fn place(&mut self) -> u32 {
        word(&self.ask(b'b', [0; 4], &[], 4).expect("no fault"))
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        // One that has ended cannot be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
