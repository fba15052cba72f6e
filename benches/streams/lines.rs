//! Lines over two axes, each named at its end.

use std::ops::Range;

use plotters::chart::ChartBuilder;
use plotters::prelude::{Circle, PathElement, Rectangle, Text};
use plotters::series::LineSeries;
use plotters::style::text_anchor::HPos;
use plotters::style::{Color as _, RGBColor};

use crate::bars::draw_text;
use crate::theme::{Area, GRID, INK, MUTED, RED, text};

/// An axis. Of a logarithmic one, `range` and the points are powers of ten.
pub struct Axis {
    pub name: String,
    pub range: Range<f64>,
    pub labels: usize,
    pub format: fn(f64) -> String,
}

/// A line.
pub struct Line {
    /// Written at its end. Empty: nothing is.
    pub name: String,
    pub colour: RGBColor,
    pub points: Vec<(f64, f64)>,
    pub width: u32,
    /// Mark the points.
    pub dots: bool,
    /// How far the name is moved down, to keep clear of another.
    pub shift: i32,
}

/// A chart.
pub struct Chart {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub lines: Vec<Line>,
    /// Stretches of x that are marked as bad.
    pub bad: Vec<Range<f64>>,
    /// Room for the names of the lines.
    pub margin: u32,
}

impl Chart {
    pub fn draw(&self, area: &Area<'_>) {
        draw_text(area, &self.title, (16, 18), 14, INK, HPos::Left);
        draw_text(area, &self.y.name, (16, 38), 12, MUTED, HPos::Left);
        let top = if self.y.name.is_empty() { 34 } else { 52 };
        let mut chart = ChartBuilder::on(area)
            .margin_top(top)
            .margin_right(self.margin)
            .margin_left(8)
            .margin_bottom(6)
            .x_label_area_size(if self.x.name.is_empty() { 22 } else { 40 })
            .y_label_area_size(54)
            .build_cartesian_2d(self.x.range.clone(), self.y.range.clone())
            .expect("a chart");
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(GRID.mix(0.0))
            .bold_line_style(GRID)
            .axis_style(GRID)
            .x_labels(self.x.labels)
            .y_labels(self.y.labels)
            .x_label_formatter(&|value| (self.x.format)(*value))
            .y_label_formatter(&|value| (self.y.format)(*value))
            .x_desc(self.x.name.clone())
            .label_style(text(12, MUTED, HPos::Center))
            .axis_desc_style(text(12, MUTED, HPos::Center))
            .draw()
            .expect("axes");
        for bad in &self.bad {
            let corners = [(bad.start, self.y.range.start), (bad.end, self.y.range.end)];
            chart.draw_series([Rectangle::new(corners, RED.mix(0.3).filled())]).expect("a band");
        }
        for line in &self.lines {
            let style = line.colour.stroke_width(line.width);
            chart.draw_series(LineSeries::new(line.points.iter().copied(), style)).expect("a line");
            if line.dots {
                let dots = line.points.iter().map(|point| Circle::new(*point, 3, line.colour.filled()));
                chart.draw_series(dots).expect("dots");
            }
            let Some(end) = line.points.last() else { continue };
            let (x, y) = chart.backend_coord(end);
            let origin = area.get_base_pixel();
            let place = (x - origin.0 + 8, y - origin.1 + line.shift);
            area.draw(&Text::new(line.name.clone(), place, text(12, line.colour, HPos::Left))).expect("a name");
        }
    }
}

/// A key: a stroke in a colour, and what it stands for.
pub fn key(area: &Area<'_>, (x, y): (i32, i32), name: &str, colour: RGBColor) {
    let stroke = PathElement::new([(x, y), (x + 20, y)], colour.stroke_width(3));
    area.draw(&stroke).expect("a stroke");
    draw_text(area, name, (x + 28, y), 12, MUTED, HPos::Left);
}
