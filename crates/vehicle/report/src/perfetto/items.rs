//! The items of the Trace Event Format, written one by one into one JSON object: those that are in
//! the window that is shown.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;
use waywarden_can_sim::clock::Time;

/// A track of the viewer. Process 0 is left out, for it means the idle process to some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Track {
    pub(super) pid: usize,
    pub(super) tid: usize,
}

/// Writes items. The first fault of the writer ends it; it is kept for [`Items::finish`].
pub(super) struct Items<W: Write> {
    /// `None` once given back.
    out: Option<W>,
    fault: Option<io::Error>,
    /// Time window of the written items.
    window: (Time, Time),
    /// The latest time of any item, written or not.
    reached: Time,
    /// The names of tracks on which nothing has been written.
    unnamed: BTreeMap<Track, String>,
    /// Values that counters had before the window, by process and name.
    before: BTreeMap<(usize, String), Value>,
    /// The memory for one of them.
    item: Vec<u8>,
    written: u64,
    arrows: u64,
    closed: bool,
}

/// A point on a track, for an arrow: it belongs to the slice that the track has there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) track: Track,
    pub(super) at: Time,
}

/// The type of the arguments of items that have none.
#[derive(Serialize)]
pub(super) struct Nothing {}

/// No arguments.
pub(super) const NOTHING: Option<Nothing> = None;

/// An item; absent fields are left out.
struct Item<'a, A> {
    name: &'a str,
    cat: Option<&'static str>,
    ph: &'static str,
    ts: Option<f64>,
    dur: Option<f64>,
    track: Track,
    id: Option<u64>,
    /// Extent of an instant's line: thread or process.
    s: Option<&'static str>,
    /// An arrow ends at the slice around its point, not at the next one.
    bp: Option<&'static str>,
    args: Option<A>,
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
}

#[derive(Serialize)]
struct Sorted {
    sort_index: usize,
}

impl<A: Serialize> Item<'_, A> {
    /// Appends it as a JSON object. A trace has millions of items: what needs no escapes is copied.
    fn append(&self, text: &mut Vec<u8>) -> serde_json::Result<()> {
        let words = |text: &mut Vec<u8>, key: &str, word: Option<&str>| {
            let parts = word.map(|word| [",\"", key, "\":\"", word, "\""]);
            parts
                .iter()
                .flatten()
                .for_each(|part| text.extend_from_slice(part.as_bytes()));
        };
        text.extend_from_slice(b"{\"name\":");
        serde_json::to_writer(&mut *text, self.name)?;
        words(text, "cat", self.cat);
        words(text, "ph", Some(self.ph));
        value(text, b",\"ts\":", self.ts)?;
        value(text, b",\"dur\":", self.dur)?;
        value(text, b",\"pid\":", Some(self.track.pid))?;
        value(text, b",\"tid\":", Some(self.track.tid))?;
        value(text, b",\"id\":", self.id)?;
        words(text, "s", self.s);
        words(text, "bp", self.bp);
        value(text, b",\"args\":", self.args.as_ref())?;
        text.push(b'}');
        Ok(())
    }
}

/// Appends a key and its value, if there is one.
fn value(text: &mut Vec<u8>, key: &[u8], value: Option<impl Serialize>) -> serde_json::Result<()> {
    let Some(value) = value else {
        return Ok(());
    };
    text.extend_from_slice(key);
    serde_json::to_writer(text, &value)
}

impl Point {
    /// The middle of a slice, which no rounding moves out of it.
    pub(super) fn within(track: Track, from: Time, to: Time) -> Self {
        let half = to.since(from).get() / 2;
        Point {
            track,
            at: Time::from_picos(from.as_picos() + half),
        }
    }
}

impl<W: Write> Items<W> {
    pub(super) fn begin(out: W, window: (Time, Time)) -> Self {
        let mut items = Items {
            out: Some(out),
            fault: None,
            window,
            reached: Time::ZERO,
            unnamed: BTreeMap::new(),
            before: BTreeMap::new(),
            item: Vec::new(),
            written: 0,
            arrows: 0,
            closed: false,
        };
        items.put(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
        items
    }

    pub(super) fn process(&mut self, pid: usize, name: &str, sort_index: usize) {
        let track = Track { pid, tid: 0 };
        self.metadata(track, "process_name", Named { name });
        self.metadata(track, "process_sort_index", Sorted { sort_index });
    }

    /// Names a track; it is written before the first item on the track, if there is one.
    pub(super) fn thread(&mut self, track: Track, name: String) {
        self.unnamed.insert(track, name);
    }

    pub(super) fn slice<A: Serialize>(
        &mut self,
        track: Track,
        (name, category): (&str, &'static str),
        (from, to): (Time, Time),
        arguments: A,
    ) {
        self.reached = self.reached.max(to);
        if to < self.window.0 || from >= self.window.1 {
            return;
        }
        self.introduce(track);
        let dur = Some(to.since(from).get() as f64 / 1e6);
        let cat = Some(category);
        self.write(&Item {
            dur,
            cat,
            ts: stamp(from),
            ..item(name, "X", track, Some(arguments))
        });
    }

    pub(super) fn instant<A: Serialize>(
        &mut self,
        track: Track,
        (name, category): (&str, &'static str),
        at: Time,
        arguments: Option<A>,
    ) {
        if !self.shows(at) {
            return;
        }
        self.introduce(track);
        let (cat, s) = (Some(category), Some("t"));
        self.write(&Item {
            cat,
            s,
            ts: stamp(at),
            ..item(name, "i", track, arguments)
        });
    }

    pub(super) fn counter<A: Serialize>(&mut self, pid: usize, name: &str, at: Time, values: A) {
        let shown = self.shows(at);
        let key = (pid, name.to_owned());
        if at < self.window.0 {
            match serde_json::to_value(values) {
                Ok(value) => drop(self.before.insert(key, value)),
                Err(error) => self.fault = self.fault.take().or(Some(error.into())),
            }
        } else if shown {
            if let Some(value) = self.before.remove(&key).filter(|_| at > self.window.0) {
                self.step(pid, name, self.window.0, value);
            }
            self.step(pid, name, at, values);
        }
    }

    /// Draws an arrow from one slice to another, both already written.
    pub(super) fn arrow(&mut self, name: &'static str, from: Point, to: Point) {
        if !(self.shows(from.at) && self.shows(to.at)) {
            return;
        }
        self.introduce(from.track);
        self.introduce(to.track);
        self.arrows += 1;
        let (cat, id) = (Some("way"), Some(self.arrows));
        let start = item(name, "s", from.track, NOTHING);
        self.write(&Item {
            cat,
            id,
            ts: stamp(from.at),
            ..start
        });
        let end = item(name, "f", to.track, NOTHING);
        self.write(&Item {
            cat,
            id,
            ts: stamp(to.at),
            bp: Some("e"),
            ..end
        });
    }

    /// Completes the JSON text; nothing can be written after that.
    pub(super) fn close(&mut self) {
        if !self.closed {
            // Counters that stayed as they were before the window.
            if self.window.0 < self.window.1 && self.reached >= self.window.0 {
                for ((pid, name), value) in std::mem::take(&mut self.before) {
                    self.step(pid, &name, self.window.0, value);
                }
            }
            self.put(b"\n]}\n");
            self.closed = true;
        }
    }

    pub(super) fn finish(mut self) -> io::Result<W> {
        self.close();
        if let Some(error) = self.fault.take() {
            return Err(error);
        }
        // Nothing else takes the writer.
        let mut out = self.out.take().ok_or(io::ErrorKind::BrokenPipe)?;
        out.flush()?;
        Ok(out)
    }

    /// Returns true if a moment is in the window.
    fn shows(&mut self, at: Time) -> bool {
        self.reached = self.reached.max(at);
        self.window.0 <= at && at < self.window.1
    }

    /// Names a track, unless that has been done.
    fn introduce(&mut self, track: Track) {
        if let Some(name) = self.unnamed.remove(&track) {
            self.metadata(track, "thread_name", Named { name: &name });
            let sort_index = track.tid;
            self.metadata(track, "thread_sort_index", Sorted { sort_index });
        }
    }

    /// Writes a value of a counter.
    fn step<A: Serialize>(&mut self, pid: usize, name: &str, at: Time, values: A) {
        let track = Track { pid, tid: 0 };
        self.write(&Item {
            ts: stamp(at),
            ..item(name, "C", track, Some(values))
        });
    }

    fn metadata<A: Serialize>(&mut self, track: Track, name: &str, arguments: A) {
        self.write(&item(name, "M", track, Some(arguments)));
    }

    fn write<A: Serialize>(&mut self, item: &Item<'_, A>) {
        if self.fault.is_some() || self.closed {
            return;
        }
        // Into memory first, so that a fault leaves no item half written.
        let mut text = std::mem::take(&mut self.item);
        text.clear();
        text.extend_from_slice(if self.written == 0 { b"\n" } else { b",\n" });
        match item.append(&mut text) {
            Ok(()) => {
                self.put(&text);
                self.written += 1;
            }
            Err(error) => self.fault = Some(error.into()),
        }
        self.item = text;
    }

    fn put(&mut self, text: &[u8]) {
        if let Some(out) = self.out.as_mut().filter(|_| self.fault.is_none()) {
            self.fault = out.write_all(text).err();
        }
    }
}

impl<W: Write> Drop for Items<W> {
    fn drop(&mut self) {
        self.close();
    }
}

fn item<'a, A>(name: &'a str, ph: &'static str, track: Track, args: Option<A>) -> Item<'a, A> {
    Item {
        name,
        cat: None,
        ph,
        ts: None,
        dur: None,
        track,
        id: None,
        s: None,
        bp: None,
        args,
    }
}

/// Returns microseconds with their fraction, exact to the picosecond in the first two hours.
fn stamp(at: Time) -> Option<f64> {
    Some(at.as_picos() as f64 / 1e6)
}
