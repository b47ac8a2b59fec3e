//! File objects of Python, read and written in binary.

use std::io::{self, Read, Seek, SeekFrom, Write};

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arguments::refused;

/// An object with the methods of a binary file: `read`, `write`, `seek`, as each is needed. The
/// interpreter's lock is taken for each call, so that a buffer should stand in front of it.
pub(crate) struct FileObject(Py<PyAny>);

impl FileObject {
    /// Takes an object that is written.
    pub(crate) fn new(object: &Bound<'_, PyAny>) -> Self {
        FileObject(object.clone().unbind())
    }

    /// Takes an object that is read: one of text, which gives no bytes, is refused.
    pub(crate) fn readable(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        match object
            .call_method1("read", (0,))?
            .is_instance_of::<PyBytes>()
        {
            true => Ok(Self::new(object)),
            false => Err(refused(
                "file: its read() gives no bytes",
                "open it in binary, \"rb\"",
            )),
        }
    }
}

impl Read for FileObject {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let read = self.0.bind(py).call_method1("read", (buffer.len(),))?;
            if read.is_none() {
                // Of a file that does not block, and has nothing at present.
                return Err(io::ErrorKind::WouldBlock.into());
            }
            let read = read.cast::<PyBytes>().map_err(|_| {
                let why = "read() of the file object gives no bytes; open it in binary, \"rb\"";
                io::Error::new(io::ErrorKind::InvalidInput, why)
            })?;
            let bytes = read.as_bytes();
            let room = buffer.get_mut(..bytes.len()).ok_or_else(|| {
                let why = "read() of the file object gives more than was asked for";
                io::Error::new(io::ErrorKind::InvalidData, why)
            })?;
            room.copy_from_slice(bytes);
            Ok(bytes.len())
        })
    }
}

impl Write for FileObject {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let data = PyBytes::new(py, bytes);
            let written: usize = self.0.bind(py).call_method1("write", (data,))?.extract()?;
            match written <= bytes.len() {
                true => Ok(written),
                false => {
                    let why = "write() of the file object says that it wrote more than it got";
                    Err(io::Error::new(io::ErrorKind::InvalidData, why))
                }
            }
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Python::attach(|py| {
            self.0.bind(py).call_method0("flush")?;
            Ok(())
        })
    }
}

impl Seek for FileObject {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        Python::attach(|py| {
            let object = self.0.bind(py);
            let at = match to {
                SeekFrom::Start(at) => object.call_method1("seek", (at, 0))?,
                SeekFrom::Current(by) => object.call_method1("seek", (by, 1))?,
                SeekFrom::End(by) => object.call_method1("seek", (by, 2))?,
            };
            Ok(at.extract()?)
        })
    }
}
