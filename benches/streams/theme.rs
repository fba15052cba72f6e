//! Colours of the plots, in light and in dark, and the frame that switches between them.

use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, IntoDrawingArea as _, RGBColor, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{IntoFont as _, TextStyle};

use crate::rival::Rival;

pub const BACKGROUND: RGBColor = RGBColor(0xff, 0xff, 0xff);
pub const INK: RGBColor = RGBColor(0x1f, 0x23, 0x28);
pub const MUTED: RGBColor = RGBColor(0x59, 0x63, 0x6e);
pub const GRID: RGBColor = RGBColor(0xe4, 0xe7, 0xeb);
pub const YOLK: RGBColor = RGBColor(0xe3, 0x6a, 0x09);
pub const GREY: RGBColor = RGBColor(0x8c, 0x95, 0x9f);
pub const PURPLE: RGBColor = RGBColor(0x82, 0x50, 0xdf);
pub const BLUE: RGBColor = RGBColor(0x09, 0x69, 0xda);
pub const RED: RGBColor = RGBColor(0xcf, 0x22, 0x2e);

/// What each colour becomes where the reader prefers dark.
const DARK: [(RGBColor, &str); 9] = [
    (BACKGROUND, "#0d1117"),
    (INK, "#e6edf3"),
    (MUTED, "#9198a1"),
    (GRID, "#2a3038"),
    (YOLK, "#ff9a3c"),
    (GREY, "#6e7681"),
    (PURPLE, "#a371f7"),
    (BLUE, "#4493f8"),
    (RED, "#f85149"),
];

/// A part of a plot, in pixels.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The colour of a way to acknowledge and delete, in every plot.
pub fn colour(rival: Rival) -> RGBColor {
    match rival {
        Rival::Egg => YOLK,
        Rival::Multi => GREY,
        Rival::Lua => PURPLE,
        Rival::Native => BLUE,
    }
}

/// A style of text, anchored at its middle in height.
pub fn text(size: u32, colour: RGBColor, side: HPos) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&colour).pos(Pos::new(side, VPos::Center))
}

/// Draws a plot. It is its own background, so that it can be read on any page, and follows the reader's preference.
pub fn svg(size: (u32, u32), draw: impl FnOnce(&Area<'_>)) -> String {
    let mut plot = String::new();
    {
        let area = SVGBackend::with_string(&mut plot, size).into_drawing_area();
        area.fill(&BACKGROUND).expect("a plot");
        draw(&area);
        area.present().expect("a plot");
    }
    let rule = |(RGBColor(red, green, blue), dark): &(RGBColor, &str)| {
        let light = format!("#{red:02X}{green:02X}{blue:02X}");
        format!("[fill=\"{light}\"]{{fill:{dark}}}[stroke=\"{light}\"]{{stroke:{dark}}}")
    };
    let rules: String = DARK.iter().map(rule).collect();
    let font = "text{font-family:-apple-system,\"Segoe UI\",\"Noto Sans\",Helvetica,Arial,sans-serif}";
    let style = format!("<style>{font}@media (prefers-color-scheme:dark){{{rules}}}</style>\n");
    let end = plot.find(">\n").expect("an svg element") + 2;
    plot.insert_str(end, &style);
    plot
}
