//! A map of one moment: roads, vehicles, and whom one of them heard.

use waywarden_report_page::{put, text};

use crate::picture::RunPicture;
use crate::radio::PlanePoint;

/// Width and height at most, in user units, and the free border.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 560.0;
const BORDER: f64 = 18.0;
/// The height of the legend.
const LEGEND: f64 = 30.0;

const HEARD: &str = "#3c9a5f";
const UNHEARD: &str = "#d0781a";
const LISTENER: &str = "#c4527a";

/// From metres to user units.
struct Scale {
    west_m: f64,
    north_m: f64,
    factor: f64,
    height: f64,
}

impl Scale {
    fn of(picture: &RunPicture) -> Self {
        let all = || picture.cells.iter();
        let least = |of: fn(&(i32, i32)) -> i32| all().map(of).min().unwrap_or(0);
        let most = |of: fn(&(i32, i32)) -> i32| all().map(of).max().unwrap_or(0);
        let (west, east) = (least(|cell| cell.0), most(|cell| cell.0) + 1);
        let (south, north) = (least(|cell| cell.1), most(|cell| cell.1) + 1);
        let metres = |cells: i32| f64::from(cells) * picture.cell_m;
        let (wide, high) = (metres(east - west), metres(north - south));
        let factor = ((WIDTH - 2.0 * BORDER) / wide.max(1.0))
            .min((HEIGHT - LEGEND - 2.0 * BORDER) / high.max(1.0));
        Self {
            west_m: metres(west),
            north_m: metres(north),
            factor,
            height: LEGEND + 2.0 * BORDER + high * factor,
        }
    }

    fn at(&self, place: &PlanePoint) -> (f64, f64) {
        (
            BORDER + (place.x_m - self.west_m) * self.factor,
            LEGEND + BORDER + (self.north_m - place.y_m) * self.factor,
        )
    }
}

/// Draws the map.
pub(super) fn svg(picture: &RunPicture) -> String {
    let scale = Scale::of(picture);
    let mut svg = String::new();
    put(
        &mut svg,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {:.0}\" role=\"img\" \
             font-family=\"system-ui, sans-serif\" font-size=\"11.5\" fill=\"currentColor\">\n\
             <title>Who was heard at one moment</title>\n",
            scale.height
        ),
    );
    roads(&mut svg, picture, &scale);
    let moment = &picture.moment;
    let heard = |number: usize| moment.heard.iter().find(|(known, _)| *known == number);
    for (number, place) in &moment.vehicles {
        let (x, y) = scale.at(place);
        let (colour, radius, words) = match heard(*number) {
            _ if *number == moment.listener => (LISTENER, 6.0, "listens".to_owned()),
            Some((_, power)) => (
                HEARD,
                3.0,
                format!("heard with {:.0} dBm", 10.0 * power.log10()),
            ),
            None => (UNHEARD, 3.0, "not heard".to_owned()),
        };
        put(
            &mut svg,
            format_args!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\">\
                 <title>vehicle {number}: {words}</title></circle>\n"
            ),
        );
    }
    legend(&mut svg, picture, &scale);
    svg.push_str("</svg>\n");
    svg
}

/// Draws the cells in which vehicles were at any time, as squares.
fn roads(svg: &mut String, picture: &RunPicture, scale: &Scale) {
    let side = (picture.cell_m * scale.factor).max(0.6);
    svg.push_str("<path fill=\"currentColor\" fill-opacity=\"0.22\" d=\"");
    for (x, y) in &picture.cells {
        // The upper left corner.
        let place = PlanePoint {
            x_m: f64::from(*x) * picture.cell_m,
            y_m: f64::from(*y + 1) * picture.cell_m,
        };
        let (x, y) = scale.at(&place);
        put(
            svg,
            format_args!("M{x:.1} {y:.1}h{side:.1}v{side:.1}h-{side:.1}z"),
        );
    }
    svg.push_str("\" />\n");
}

fn legend(svg: &mut String, picture: &RunPicture, scale: &Scale) {
    let moment = &picture.moment;
    let heard = moment.heard.len();
    let others = moment
        .vehicles
        .len()
        .saturating_sub(1 + heard.min(moment.vehicles.len()));
    let names = [
        (
            LISTENER,
            format!("listens, at {:.1} s", moment.time_ns as f64 / 1e9),
        ),
        (HEARD, format!("{heard} heard within 100 ms")),
        (UNHEARD, format!("{others} not heard")),
    ];
    for (at, (colour, words)) in names.iter().enumerate() {
        let x = BORDER + 165.0 * at as f64;
        put(
            svg,
            format_args!("<circle cx=\"{x:.1}\" cy=\"14\" r=\"4\" fill=\"{colour}\" />\n"),
        );
        text(svg, (x + 9.0, 18.0), "start", words);
    }
    // A scale of a round length.
    let metres = [50.0, 100.0, 200.0, 500.0, 1_000.0, 2_000.0, 5_000.0];
    let fitting = metres
        .into_iter()
        .rev()
        .find(|metres| metres * scale.factor <= 110.0);
    let Some(metres) = fitting else { return };
    let (from, to) = (WIDTH - BORDER - metres * scale.factor, WIDTH - BORDER);
    put(
        svg,
        format_args!(
            "<path d=\"M{from:.1} 8v6H{to:.1}v-6\" fill=\"none\" stroke=\"currentColor\" />\n"
        ),
    );
    text(
        svg,
        ((from + to) / 2.0, 27.0),
        "middle",
        &format!("{metres} m"),
    );
}
