//! Messages to the importer.

use std::ffi::{CString, c_char, c_void};

use crate::status::Status;

/// The importer's function for messages, of `fmi3LogMessageCallback`.
pub type LogMessage = unsafe extern "C" fn(*mut c_void, Status, *const c_char, *const c_char);

/// The way messages take.
pub(crate) struct Log {
    pub(crate) environment: *mut c_void,
    pub(crate) callback: Option<LogMessage>,
    /// True if warnings are wanted; errors always are.
    pub(crate) is_on: bool,
}

impl Log {
    pub(crate) fn error(&self, message: &str) {
        self.send(Status::Error, c"logStatusError".as_ptr(), message);
    }

    pub(crate) fn warning(&self, message: &str) {
        if self.is_on {
            self.send(Status::Warning, c"logStatusWarning".as_ptr(), message);
        }
    }

    fn send(&self, status: Status, category: *const c_char, message: &str) {
        let Some(callback) = self.callback else {
            return;
        };
        let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
        // SAFETY: the importer gave this function with this environment; both texts end with a zero
        // byte and outlive the call.
        unsafe { callback(self.environment, status, category, message.as_ptr()) }
    }
}
