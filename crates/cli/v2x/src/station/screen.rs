//! A screen for people: the stations in reach, what is refused, and a line for commands.

mod view;

use std::collections::VecDeque;
use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use waywarden_v2x_neighbourhood::virtual_time::StationEvent;

use self::view::View;
use super::commands::{self, Order};

/// Shortest interval between two drawings.
const PERIOD: Duration = Duration::from_millis(100);
/// The longest command that can be typed.
const INPUT_MAX: usize = 200;

/// The terminal while it shows the stations.
pub(super) struct Screen {
    terminal: DefaultTerminal,
    view: View,
    drawn: Option<Instant>,
    /// Typed commands, ready for execution.
    orders: VecDeque<Order>,
}

impl Screen {
    /// Returns true if a screen makes sense: people read and type.
    pub(super) fn is_possible() -> bool {
        let is_dumb = std::env::var_os("TERM").is_none_or(|name| name.is_empty() || name == "dumb");
        io::stdout().is_terminal() && io::stdin().is_terminal() && !is_dumb
    }

    /// Takes the terminal, until it is dropped.
    pub(super) fn open() -> io::Result<Self> {
        Ok(Self {
            terminal: ratatui::try_init()?,
            view: View::default(),
            drawn: None,
            orders: VecDeque::new(),
        })
    }

    /// Takes note of an event.
    pub(super) fn take(&mut self, happened: &StationEvent) {
        self.view.take(happened);
    }

    /// Adds a line below the tables.
    pub(super) fn log(&mut self, line: String) {
        self.view.log(line);
    }

    /// Reads what was typed, and draws now and then.
    pub(super) fn tick(&mut self) -> io::Result<()> {
        while event::poll(Duration::ZERO)? {
            match event::read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => self.press(key),
                // After a change of size everything is drawn again.
                Event::Resize(..) => self.drawn = None,
                _ => {}
            }
        }
        if self.drawn.is_none_or(|drawn| drawn.elapsed() >= PERIOD) {
            self.drawn = Some(Instant::now());
            let view = &self.view;
            self.terminal.draw(|frame| view.draw(frame))?;
        }
        Ok(())
    }

    /// Returns the next command that was typed.
    pub(super) fn order(&mut self) -> Option<Order> {
        self.orders.pop_front()
    }

    fn press(&mut self, key: KeyEvent) {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c' | 'd') if is_control => self.orders.push_back(Order::Quit),
            KeyCode::Char('l') if is_control => {
                // Other programs may have written to the terminal.
                let _ = self.terminal.clear();
                self.drawn = None;
            }
            KeyCode::Char(letter) if !is_control && self.view.input.len() < INPUT_MAX => {
                self.view.input.push(letter);
            }
            KeyCode::Backspace => drop(self.view.input.pop()),
            KeyCode::Esc => self.view.input.clear(),
            KeyCode::Tab | KeyCode::Right => self.view.select(true),
            KeyCode::BackTab | KeyCode::Left => self.view.select(false),
            KeyCode::Enter => self.enter(),
            _ => {}
        }
    }

    /// Reads the line. Without a number, a command is for the station that is shown.
    fn enter(&mut self) {
        let line = std::mem::take(&mut self.view.input);
        if line.trim().is_empty() {
            return;
        }
        match commands::parse(&line, self.view.selected) {
            Ok(order) => self.orders.push_back(order),
            Err(refused) => self.view.log(refused),
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        ratatui::restore();
    }
}
