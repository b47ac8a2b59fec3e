//! Limits of what a station asks for and answers \[1609.2 §8\].

/// Limits of what a station asks for and answers. Durations are in microseconds.
///
/// `Choice:` the standard gives these times names and leaves most values to the application; these
/// are a quarter of a second, some three messages of a vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Throttle {
    /// Upper bound of the random pause before an answer (`p2pcd_maxResponseBackoff`).
    pub max_response_backoff: u64,
    /// Least time between two answers with one certificate (`p2pcd_responseActiveTimeout`).
    pub response_active_timeout: u64,
    /// Least time between two requests for one certificate (`p2pcd_requestActiveTimeout`).
    pub request_active_timeout: u64,
    /// Answers of others that replace one's own (`p2pcd_responseCountThreshold`).
    pub response_count_threshold: u8,
    /// Most certificates that are asked for, or given, at one time. A station ignores what others
    /// ask beyond that; what is missing beyond that takes the place of what was asked for longest
    /// ago.
    pub requests_max: usize,
    /// Time after which a request without an answer is given up.
    pub request_lifetime: u64,
}

impl Default for Throttle {
    fn default() -> Self {
        Self {
            max_response_backoff: 250_000,
            response_active_timeout: 250_000,
            request_active_timeout: 250_000,
            response_count_threshold: 1,
            requests_max: 8,
            request_lifetime: 5_000_000,
        }
    }
}
