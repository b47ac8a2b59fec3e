//! The floating car data (FCD) of SUMO: all vehicles, time step by time step \[SUMO\].

mod delimited;
#[cfg(feature = "parquet")]
mod parquet;
mod rows;
mod xml;

use std::collections::HashMap;
use std::io::BufRead;

use crate::error::{Location, ReadError, TrackCause};
use crate::format::{TrackFormat, detect};
use crate::input::decompressed;

/// All vehicles at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeStep {
    /// The time in seconds of the simulation.
    pub time_s: f64,
    /// The vehicles on the road, in the order of the file.
    pub vehicles: Vec<FcdVehicle>,
}

/// A vehicle at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FcdVehicle {
    /// Number of the vehicle, in the order in which vehicles appear; [`TimeSteps::name`] has its
    /// name.
    pub number: usize,
    /// Metres to the east of the network's 0,0; with `--fcd-output.geo`, degrees to the east.
    pub x: f64,
    /// Metres to the north; with `--fcd-output.geo`, degrees to the north.
    pub y: f64,
    /// Metres above the network's zero.
    pub z: Option<f64>,
    /// Metres a second.
    pub speed_m_s: Option<f64>,
    /// Degrees from north to the east, 0 to below 360.
    pub heading_degrees: Option<f64>,
}

/// The names of vehicles, each once.
#[derive(Debug, Default)]
struct Names {
    numbers: HashMap<String, usize>,
    names: Vec<String>,
    /// By number: the last time step that it was in, in s.
    last_s: Vec<f64>,
}

impl Names {
    /// Returns the number of a vehicle in the time step of this time, where it may stand once.
    fn number(&mut self, name: &str, time_s: f64) -> Result<usize, TrackCause> {
        let Some(number) = self.numbers.get(name).copied() else {
            let number = self.names.len();
            self.names.push(name.to_owned());
            self.last_s.push(time_s);
            self.numbers.insert(name.to_owned(), number);
            return Ok(number);
        };
        if self.last_s[number] == time_s {
            Err(TrackCause::twice(name))
        } else {
            self.last_s[number] = time_s;
            Ok(number)
        }
    }
}

/// A vehicle whose attributes are read.
#[derive(Clone, Copy, Debug, Default)]
struct Partial {
    number: Option<usize>,
    x: Option<f64>,
    y: Option<f64>,
    z: Option<f64>,
    speed_m_s: Option<f64>,
    heading_degrees: Option<f64>,
}

impl Partial {
    /// `inside` is the element or the row that should have its attributes.
    fn complete(
        self,
        inside: &'static str,
        names: [&'static str; 3],
    ) -> Result<FcdVehicle, TrackCause> {
        let [id, x, y] = names;
        let missing = |name| move || TrackCause::Missing { inside, name };
        Ok(FcdVehicle {
            number: self.number.ok_or_else(missing(id))?,
            x: self.x.ok_or_else(missing(x))?,
            y: self.y.ok_or_else(missing(y))?,
            z: self.z,
            speed_m_s: self.speed_m_s,
            heading_degrees: self.heading_degrees,
        })
    }
}

/// The time steps of a file, one after the other: in the memory of one of them, beside the names of
/// all vehicles.
///
/// ```
/// use waywarden_vehicle_tracks::fcd::TimeSteps;
///
/// let trace = br#"<fcd-export><timestep time="0.0">
///     <vehicle id="a" x="1" y="2"/><vehicle id="b" x="3" y="4"/>
/// </timestep></fcd-export>"#;
/// let mut most = 0;
/// for step in TimeSteps::new(&trace[..])? {
///     most = most.max(step?.vehicles.len());
/// }
/// assert_eq!(most, 2);
/// # Ok::<(), waywarden_vehicle_tracks::ReadError>(())
/// ```
pub struct TimeSteps<'a> {
    form: Form<Box<dyn BufRead + 'a>>,
    names: Names,
    last_s: Option<f64>,
    is_over: bool,
    location: Location,
}

enum Form<R> {
    Xml(Box<xml::Steps<R>>),
    Delimited(Box<delimited::Steps<R>>),
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet::Steps>),
}

impl<'a> TimeSteps<'a> {
    /// Begins to read FCD as XML or CSV, compressed by gzip or not.
    ///
    /// # Errors
    /// If the input begins like something else, or cannot be read.
    pub fn new(input: impl BufRead + 'a) -> Result<Self, ReadError> {
        let failed = |cause: TrackCause| ReadError::at_line(1, cause);
        let mut input = decompressed(input).map_err(|error| failed(error.into()))?;
        let begin = input.fill_buf().map_err(|error| failed(error.into()))?;
        match detect(begin) {
            Some(format) if format.is_fcd() => Self::of(format, input),
            _ => Err(failed(TrackCause::Unknown)),
        }
    }

    /// Begins to read what is not compressed.
    pub(crate) fn of(format: TrackFormat, input: Box<dyn BufRead + 'a>) -> Result<Self, ReadError> {
        Ok(Self::begin(match format {
            TrackFormat::SumoXml => Form::Xml(Box::new(xml::Steps::new(input))),
            _ => Form::Delimited(Box::new(delimited::Steps::new(input)?)),
        }))
    }

    /// Begins to read FCD as Parquet, in any order of columns; other columns are skipped.
    ///
    /// # Errors
    /// If it is not Parquet, or a column is missing or of another kind.
    #[cfg(feature = "parquet")]
    pub fn parquet(
        input: impl ::parquet::file::reader::ChunkReader + 'static,
    ) -> Result<Self, ReadError> {
        let steps = parquet::Steps::new(input)?;
        Ok(Self::begin(Form::Parquet(Box::new(steps))))
    }

    /// Returns how many rows a Parquet file has, by its description; 0 of another file.
    #[must_use]
    pub fn rows(&self) -> u64 {
        match &self.form {
            #[cfg(feature = "parquet")]
            Form::Parquet(steps) => steps.rows(),
            _ => 0,
        }
    }

    fn begin(form: Form<Box<dyn BufRead + 'a>>) -> Self {
        Self {
            form,
            names: Names::default(),
            last_s: None,
            is_over: false,
            location: Location::Line(1),
        }
    }

    /// Returns a vehicle's name, once it has appeared.
    #[must_use]
    pub fn name(&self, number: usize) -> Option<&str> {
        Some(self.names.names.get(number)?.as_str())
    }

    /// Returns where the last time step ended.
    #[must_use]
    pub fn location(&self) -> Location {
        self.location
    }

    fn step(&mut self) -> Result<Option<TimeStep>, ReadError> {
        let (location, step) = match &mut self.form {
            Form::Xml(steps) => steps.next(&mut self.names)?,
            Form::Delimited(steps) => steps.next(&mut self.names)?,
            #[cfg(feature = "parquet")]
            Form::Parquet(steps) => steps.next(&mut self.names)?,
        };
        self.location = location;
        let Some(step) = step else { return Ok(None) };
        match self.last_s.replace(step.time_s) {
            Some(last_s) if step.time_s <= last_s => Err(ReadError {
                location,
                cause: TrackCause::Order {
                    time_s: step.time_s,
                    last_s,
                },
            }),
            _ => Ok(Some(step)),
        }
    }
}

impl Iterator for TimeSteps<'_> {
    type Item = Result<TimeStep, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let step = self.step().transpose();
        self.is_over = !matches!(step, Some(Ok(_)));
        step
    }
}
