//! The digest of a vehicle, by which runs on several machines are known to be of the same one.

use std::io::{self, Read};

use sha2::{Digest as _, Sha256};

/// SHA-256 of a vehicle file and of the boards and logs that it names.
#[derive(Clone, Debug)]
pub struct Fingerprint {
    whole: Sha256,
}

impl Fingerprint {
    /// Begins with the text of the vehicle file.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut whole = Sha256::new();
        whole.update(Sha256::digest(text));
        Fingerprint { whole }
    }

    /// Adds the next file that the vehicle file names, in its order; one that it names twice comes
    /// twice.
    ///
    /// # Errors
    /// As the file has them.
    pub fn add(&mut self, mut file: impl Read) -> io::Result<()> {
        let mut digest = Sha256::new();
        let mut chunk = vec![0; 1 << 16];
        loop {
            match file.read(&mut chunk) {
                Ok(0) => break,
                Ok(read) => digest.update(&chunk[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.whole.update(digest.finalize());
        Ok(())
    }

    /// Returns the digest in hexadecimal.
    #[must_use]
    pub fn finish(self) -> String {
        let bytes = self.whole.finalize();
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
