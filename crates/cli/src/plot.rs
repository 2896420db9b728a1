//! Pictures for papers and slides: where they go, and in which form.

use std::path::{Path, PathBuf};

use panto_report::chart::{Figure, Grid};

use crate::failure::Failure;
use crate::out;

/// What can be drawn.
pub enum Picture {
    Figure(Figure),
    Grid(Grid),
}

/// Where pictures go: a file whose ending says its form, or a directory with an SVG of each.
#[derive(Clone, Debug)]
pub struct Target {
    path: PathBuf,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Directory,
    Svg,
    Png,
    Gnuplot,
}

/// Pixels of a PNG for each of the drawing: 300 a printed inch where the figure is as wide as a page.
const PIXELS: f32 = 3.0;

impl Target {
    /// What the ending of a name says.
    pub fn new(path: &Path) -> Self {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let form = match extension {
            _ if path.is_dir() => Form::Directory,
            "svg" => Form::Svg,
            "png" => Form::Png,
            "dat" => Form::Gnuplot,
            _ => Form::Directory,
        };
        Self { path: path.to_owned(), form }
    }

    /// Makes sure, before anything is measured, that there is a place for pictures.
    pub fn prepare(&self) -> std::io::Result<()> {
        match (self.form, self.path.parent()) {
            (Form::Directory, _) => std::fs::create_dir_all(&self.path),
            (_, Some(parent)) if !parent.as_os_str().is_empty() => std::fs::create_dir_all(parent),
            _ => Ok(()),
        }
    }

    /// Writes pictures that have names. One alone has the name of the target, of several each its own.
    pub fn write(&self, pictures: &[(String, Picture)]) -> Result<(), Failure> {
        self.prepare().map_err(|error| Failure::write(&self.path, &error))?;
        if pictures.is_empty() {
            out::note("panto: there is nothing to draw");
        }
        for (name, picture) in pictures {
            self.one(&self.place(name, pictures.len()), picture)?;
        }
        Ok(())
    }

    /// Writes graphs that belong together: all into one file, or into a directory with a file for each.
    pub fn write_together(&self, figures: Vec<(String, Figure)>) -> Result<(), Failure> {
        let figures = if self.form == Form::Directory {
            figures
        } else {
            let all = figures.into_iter().flat_map(|(_, figure)| figure.charts);
            vec![("all".to_owned(), Figure::new(all))]
        };
        let pictures: Vec<(String, Picture)> =
            figures.into_iter().map(|(name, figure)| (name, Picture::Figure(figure))).collect();
        self.write(&pictures)
    }

    fn place(&self, name: &str, pictures: usize) -> PathBuf {
        let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
        let name: String = name.chars().map(safe).collect();
        match self.form {
            Form::Directory => self.path.join(format!("{name}.svg")),
            _ if pictures == 1 => self.path.clone(),
            _ => {
                let part =
                    |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
                let (stem, extension) = (part(self.path.file_stem()), part(self.path.extension()));
                self.path.with_file_name(format!("{stem}-{name}.{extension}"))
            }
        }
    }

    fn one(&self, path: &Path, picture: &Picture) -> Result<(), Failure> {
        match (self.form, picture) {
            (Form::Directory | Form::Svg, picture) => save(path, picture.svg().as_bytes()),
            (Form::Png, picture) => {
                let png = panto_report::raster::png(&picture.svg(), PIXELS);
                save(path, &png.map_err(|error| Failure::Usage(error.to_string()))?)
            }
            (Form::Gnuplot, Picture::Figure(figure)) => gnuplot(path, figure),
            (Form::Gnuplot, Picture::Grid(grid)) => {
                out::note(format_args!("panto: `{}` is no curve for gnuplot; use .svg or .png", grid.title));
                Ok(())
            }
        }
    }
}

impl Picture {
    fn svg(&self) -> String {
        match self {
            Self::Figure(figure) => figure.to_svg(),
            Self::Grid(grid) => grid.to_svg(),
        }
    }
}

/// The data, and the script that draws it beside.
fn gnuplot(path: &Path, figure: &Figure) -> Result<(), Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let drawn = figure.to_gnuplot(&name);
    save(path, drawn.data.as_bytes())?;
    save(&path.with_extension("gp"), drawn.script.as_bytes())
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(|error| Failure::write(path, &error))?;
    out::note(format_args!("wrote {}", path.display()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_say_the_form() {
        for (name, form) in [
            ("plots", Form::Directory),
            ("a.svg", Form::Svg),
            ("b/a.png", Form::Png),
            ("a.dat", Form::Gnuplot),
            ("a.jpg", Form::Directory),
        ] {
            assert_eq!(Target::new(Path::new(name)).form, form, "{name}");
        }
    }

    #[test]
    fn one_picture_has_the_name_of_the_target_and_several_their_own() {
        let target = Target::new(Path::new("out/fig.svg"));
        assert_eq!(target.place("comet/echo", 1), Path::new("out/fig.svg"));
        assert_eq!(target.place("comet/echo", 2), Path::new("out/fig-comet-echo.svg"));
        assert_eq!(Target::new(Path::new("plots")).place("comet/echo", 1), Path::new("plots/comet-echo.svg"));
    }
}
