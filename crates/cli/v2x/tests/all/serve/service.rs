//! `waywarden serve` as a process.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::World;

/// Longest wait of a test for an event that comes soon.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// The command that serves the configuration `s.toml` of a world. It logs into the file `log`.
pub(super) fn command(world: &World) -> Command {
    let mut command = Command::new(crate::support::PROGRAM);
    command
        .current_dir(world.path(""))
        .args(["serve", "s.toml"])
        .stdout(Stdio::piped())
        .stderr(fs::File::create(world.path("log")).unwrap());
    command
}

/// A service that runs. It is killed when it is dropped.
pub(super) struct Service {
    child: Child,
    _out: BufReader<ChildStdout>,
    /// Addresses at which it listens, in the order in which it prints them.
    addresses: Vec<String>,
}

impl Service {
    /// Starts a service that has one address.
    pub(super) fn start(world: &World) -> Self {
        Self::run(world, &mut command(world), 1)
    }

    /// Starts a service that has so many addresses, and waits until it prints them. A log that is
    /// a pipe is closed at once.
    pub(super) fn run(world: &World, command: &mut Command, addresses: usize) -> Self {
        let mut child = command.spawn().unwrap();
        drop(child.stderr.take());
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut listening = || {
            let mut line = String::new();
            out.read_line(&mut line).unwrap();
            let address = line.trim().strip_prefix("listening on ");
            let log = || fs::read_to_string(world.path("log")).unwrap();
            let address = address.unwrap_or_else(|| panic!("no address: {line}{}", log()));
            address.to_owned()
        };
        let addresses = (0..addresses).map(|_| listening()).collect();
        Self {
            child,
            _out: out,
            addresses,
        }
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn addresses(&self) -> &[String] {
        &self.addresses
    }

    pub(super) fn signal(&self, name: &str) {
        let id = self.id().to_string();
        let mut kill = Command::new("kill");
        assert!(kill.args(["-s", name, &id]).status().unwrap().success());
    }

    /// Asks over HTTP.
    pub(super) fn get(&self, path: &str) -> String {
        self.ask(&format!("GET {path} HTTP/1.1"), "")
    }

    /// Sends a JSON object over HTTP.
    pub(super) fn post(&self, path: &str, body: &str) -> String {
        self.ask(&format!("POST {path} HTTP/1.1"), body)
    }

    fn ask(&self, line: &str, body: &str) -> String {
        let mut addresses = self.addresses.iter();
        let address = addresses.find_map(|address| address.strip_prefix("http://"));
        let mut stream = TcpStream::connect(address.expect("HTTP is served")).unwrap();
        let length = body.len();
        let request = format!(
            "{line}\r\nHost: x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Waits until the metrics have a line.
    pub(super) fn until_metric(&self, line: &str) {
        let start = Instant::now();
        loop {
            let metrics = self.get("/metrics");
            if metrics.lines().any(|one| one == line) {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "{line}: {metrics}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Has it end, and returns its exit code.
    pub(super) fn end(&mut self) -> Option<i32> {
        self.signal("TERM");
        self.ended()
    }

    /// Waits until it has ended, and returns its exit code.
    pub(super) fn ended(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
