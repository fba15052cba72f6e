//! Groups of horizontal bars, each with its name and its value beside it.

use plotters::prelude::{Rectangle, Text};
use plotters::style::text_anchor::HPos;
use plotters::style::{Color as _, RGBColor};

use crate::statistics::Summary;
use crate::theme::{self, Area, GRID, INK, MUTED, text};

const WIDTH: i32 = 760;
const LEFT: i32 = 190;
const RIGHT: i32 = 690;
const BAR: i32 = 22;
const HEAD: i32 = 34;
const TOP: i32 = 64;

/// Bars that belong together.
pub struct Group {
    pub title: String,
    pub bars: Vec<Bar>,
}

/// A bar: the median, with the quartiles as a whisker.
pub struct Bar {
    pub name: String,
    pub colour: RGBColor,
    pub value: Summary,
}

/// The plot.
pub fn plot(title: &str, note: &str, groups: &[Group]) -> String {
    let height: i32 = TOP + 12 + groups.iter().map(|group| HEAD + BAR * group.bars.len() as i32).sum::<i32>();
    let all = || groups.iter().flat_map(|group| &group.bars);
    let top = all().map(|bar| bar.value.high).fold(0.0, f64::max);
    let place = move |value: f64| LEFT + (f64::from(RIGHT - LEFT) * value / top) as i32;
    theme::svg((WIDTH as u32, height as u32), |area| {
        draw_text(area, title, (20, 24), 17, INK, HPos::Left);
        draw_text(area, note, (20, 46), 13, MUTED, HPos::Left);
        let mut y = TOP;
        for group in groups {
            draw_text(area, &group.title, (20, y + HEAD / 2 + 3), 14, INK, HPos::Left);
            area.draw(&Rectangle::new([(20, y), (WIDTH - 20, y + 1)], GRID.filled())).expect("a line");
            y += HEAD;
            for bar in &group.bars {
                let Summary { low, median, high } = bar.value;
                let middle = y + BAR / 2 - 2;
                draw_text(area, &bar.name, (LEFT - 10, middle), 13, MUTED, HPos::Right);
                let body = Rectangle::new([(LEFT, y), (place(median), y + BAR - 5)], bar.colour.filled());
                area.draw(&body).expect("a bar");
                let whisker = Rectangle::new([(place(low), middle), (place(high), middle + 1)], INK.filled());
                area.draw(&whisker).expect("a whisker");
                let value = (place(high.max(median)) + 8, middle);
                draw_text(area, &crate::report::number(median), value, 13, INK, HPos::Left);
                y += BAR;
            }
        }
    })
}

/// A text at a place.
pub fn draw_text(area: &Area<'_>, words: &str, place: (i32, i32), size: u32, colour: RGBColor, side: HPos) {
    area.draw(&Text::new(words.to_owned(), place, text(size, colour, side))).expect("a text");
}
