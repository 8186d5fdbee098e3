//! From a figure to a page: layout first, then back to front.

use super::error::Error;
use super::font::{self, Weight};
use super::frame;
use super::layer::Layer;
use super::layers::{self, Plot};
use super::layout::Layout;
use super::legend;
use super::model::Figure;
use super::page::Page;
use super::scale::range;
use super::style::Styles;
use super::theme::Theme;
use super::{check::Way, heat, rows};

/// Checks the figure and draws it on a page.
pub(super) fn compose(figure: &Figure, theme: Theme) -> Result<Page, Error> {
    figure.check()?;
    font::glyphs("x", 1.0, Weight::Regular)?;
    let figure = &Figure { columns: figure.columns.clamp(1, figure.panels.len()), ..figure.clone() };
    let layout = Layout::of(figure, range(figure, Way::X)?, range(figure, Way::Y)?)?;
    if layout.height > 8192.0 {
        return Err(Error::Size { width: figure.width, height: layout.height as u32 });
    }
    let mut page = Page::new(f64::from(figure.width), layout.height, theme);
    let styles = Styles::of(names(figure));
    frame::draw_title(&mut page, &layout);
    for index in 0..figure.panels.len() {
        draw_panel(&mut page, figure, &layout, &styles, index);
    }
    frame::draw_axis_titles(&mut page, figure, &layout);
    for entry in &layout.legend {
        legend::draw(&mut page, figure, &styles, entry);
    }
    frame::draw_note(&mut page, &layout);
    Ok(page)
}

/// Bands lie under the grid, data on the grid and the axes: a line at zero stays visible.
fn draw_panel(page: &mut Page, figure: &Figure, layout: &Layout, styles: &Styles, index: usize) {
    let rect = layout.plots[index];
    let plot = Plot { rect, x: layout.x(figure, rect), y: layout.y(figure, rect) };
    let (bands, others): (Vec<_>, Vec<_>) =
        figure.panels[index].layers.iter().partition(|layer| matches!(layer, Layer::Band { .. }));
    for band in bands {
        layers::draw(page, figure, styles, &plot, band);
    }
    frame::draw_grid(page, figure, layout, rect);
    frame::draw_axes(page, figure, layout, index);
    rows::draw_floors(page, &plot, &figure.panels[index].layers);
    for layer in others {
        layers::draw(page, figure, styles, &plot, layer);
        if let (Layer::Heat(heat), 0) = (layer, index) {
            heat::draw_bar(page, rect, heat);
        }
    }
    frame::draw_heading(page, figure, layout, index);
}

/// Series in the order of the legend, then of the layers.
fn names(figure: &Figure) -> Vec<&str> {
    let layers = figure.panels.iter().flat_map(|panel| &panel.layers);
    layers.filter_map(Layer::series).collect()
}
