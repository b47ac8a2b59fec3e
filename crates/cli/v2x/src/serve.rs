//! `waywarden serve`: the V2X security service.

mod access;
mod check;
mod clock;
mod front;
mod materials;
mod run;
mod running;

use std::path::PathBuf;

use waywarden_v2x_service::access::{Access, AccessRule};
use waywarden_v2x_service::config::Config;
use waywarden_v2x_service::privileges::Target;

use self::front::Front;
use self::materials::Loaded;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files;
use waywarden_v2x_input::time;

const EXAMPLES: &str = "\
Examples:
  waywarden serve examples/service/service.toml --check-config
  waywarden serve /etc/waywarden/service.toml";

/// Sign, verify, encrypt and decrypt V2X messages for other programs, over sockets.
///
/// The configuration has the sockets, the grants of clients, the trust store, the keys and the
/// source of time. docs/service.md explains each section, docs/service-protocol.md the requests of
/// clients.
///
/// SIGHUP loads the trust store, revocation lists, certificates, keys and leap seconds again. If
/// one is broken, the log names it, and nothing changes. SIGTERM and ^C end the
/// service once the requests under way are answered. SIGQUIT does so, too; SIGUSR1,
/// SIGUSR2 and SIGALRM do nothing. The log goes to standard error and has no
/// secrets.
///
/// Exit code 0 after a signal to end, 2 if it could not serve. With --check-config 0 if it could
/// serve, 2 if not.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Serve {
    /// The configuration, a TOML file.
    #[arg(default_value = "/etc/waywarden/service.toml")]
    config: PathBuf,
    /// Read the configuration and every file that it names, try the addresses and folders, print
    /// what would be served, and end. Nothing stays behind.
    #[arg(long)]
    check_config: bool,
}

impl Serve {
    /// Does what was asked.
    ///
    /// # Errors
    /// [`Failure`] for bad input, and for what the operating system refuses.
    pub fn execute(&self) -> Result<Answer, Failure> {
        files::refuse_pipes();
        let config = Config::read(&self.config).map_err(Failure::new)?;
        if self.check_config {
            let (rules, loaded) = self.named(checked(&config))?;
            check::print(&config, &rules, &loaded)?;
            return Ok(Answer::Yes);
        }
        let (front, loaded) = self.named(opened(&config))?;
        run::run(config, front, loaded)
    }

    /// Puts the configuration's name before what is wrong with what it says.
    fn named<T>(&self, outcome: Result<T, Failure>) -> Result<T, Failure> {
        let place = format!("{}: ", self.config.display());
        outcome.map_err(|failure| failure.prefixed(&place))
    }
}

/// Finds what a start would refuse, and what there is to say of the rest.
fn checked(config: &Config) -> Result<(Vec<AccessRule>, Loaded), Failure> {
    let target = Target::of(&config.service).map_err(Failure::new)?;
    let user = target.as_ref().map(Target::uid);
    let (rules, _) = granted(config, user)?;
    let mut loaded = materials::load(config, user, time::now())?;
    check::start(config, target.as_ref())?;
    let table = clock::leap_seconds(&config.time)?;
    let more = clock::expiry_note(&table, time::now()).into_iter();
    let more = more.chain(check::idle_grants(config, &rules, &loaded));
    let more = more.chain(check::open_grants(config));
    loaded.notes.extend(more.collect::<Vec<_>>());
    Ok((rules, loaded))
}

/// Opens sockets and loads keys, and gives up root, which is not needed from then on.
fn opened(config: &Config) -> Result<(Front, Loaded), Failure> {
    let target = Target::of(&config.service).map_err(Failure::new)?;
    let user = target.as_ref().map(Target::uid);
    let (_, access) = granted(config, user)?;
    let loaded = materials::load(config, user, time::now())?;
    let front = Front::open(config, access)?;
    let Some(target) = target else {
        return Ok((front, loaded));
    };
    target.become_it().map_err(Failure::new)?;
    Ok((
        front,
        materials::load_as_user(config, &target, time::now())?,
    ))
}

/// Reads who may do what.
fn granted(config: &Config, user: Option<u32>) -> Result<(Vec<AccessRule>, Access), Failure> {
    let rules = access::rules(config, user)?;
    let access = Access::new(rules.iter().cloned());
    let access = access.map_err(|error| Failure::new(format_args!("[[access]] {error}")))?;
    Ok((rules, access))
}
