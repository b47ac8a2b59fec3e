//! The security service under load: the service in a process of its own, vehicles in this one.
//!
//! ```text
//! cargo bench -p waywarden-v2x-service --bench load -- steady 200 60
//! cargo bench -p waywarden-v2x-service --bench load -- rise
//! cargo bench -p waywarden-v2x-service --bench load -- signing
//! cargo bench -p waywarden-v2x-service --bench load -- overhead
//! cargo bench -p waywarden-v2x-service --bench load -- flood
//! cargo bench -p waywarden-v2x-service --bench load -- all
//! ```
//!
//! `steady` sends the messages of so many vehicles, ten a second each, for so many seconds. `rise`
//! raises their number until deadlines fail. `signing` has messages signed beside a flood, and
//! `overhead` compares the service with the library at 1, 8 and 64 messages in flight. `flood` has
//! a second client send 600 forged messages a second, a fresh forged certificate of an authority in
//! each, to a service with 1, 40, 200 and 1,000 certificates. Each honest message has 460 bytes
//! [ECQV-CITS §V-D]. Latencies count from when a message was due, so that a slow service is not
//! asked less. Processor times of the service are those of its process (Linux).

#[path = "load/client.rs"]
mod client;
#[path = "load/figures.rs"]
mod figures;
#[path = "load/flood.rs"]
mod flood;
#[path = "load/forged.rs"]
mod forged;
#[path = "load/process.rs"]
mod process;
#[path = "load/runs.rs"]
mod runs;
#[path = "load/traffic.rs"]
mod traffic;

#[path = "../tests/all/support.rs"]
#[allow(dead_code, reason = "a part of it is needed")]
mod support;

fn main() {
    let words = std::env::args().skip(1).filter(|word| word != "--bench");
    let words: Vec<String> = words.collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["serve", socket, own] => {
            process::serve(std::path::Path::new(socket), own.parse().unwrap());
        }
        ["steady", vehicles, seconds] => {
            runs::steady(vehicles.parse().unwrap(), seconds.parse().unwrap());
        }
        ["rise"] => runs::rise(),
        ["signing"] => runs::signing(),
        ["overhead"] => runs::overhead(),
        ["flood"] => flood::flood(10),
        ["flood", seconds] => flood::flood(seconds.parse().unwrap()),
        ["all"] => {
            runs::steady(200, 60);
            runs::rise();
            runs::signing();
            runs::overhead();
            flood::flood(10);
        }
        _ => println!("steady VEHICLES SECONDS, rise, signing, overhead, flood [SECONDS] or all"),
    }
}
