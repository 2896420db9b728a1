//! Writes charts as SVG, PNG or gnuplot files.

use std::path::{Path, PathBuf};

use panto_report::chart::{Figure, Grid};

use crate::failure::Failure;
use crate::{files, print};

/// A drawing.
pub enum Picture {
    Figure(Figure),
    Grid(Grid),
}

/// Where pictures are written: a file whose extension names its form, or a directory of SVG files.
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

/// PNG pixels per unit of the drawing: 300 dpi if the figure is printed as wide as a page.
const PIXELS: f32 = 3.0;

/// Extensions of pictures and pages that are not written.
const UNSUPPORTED: [&str; 7] = ["pdf", "eps", "ps", "jpg", "jpeg", "gif", "html"];

impl Target {
    /// Chooses the form by the extension of a path.
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

    /// Creates the directory, before anything is measured. A name with the extension of a picture
    /// that cannot be written is a mistake, not a directory.
    pub fn prepare(&self) -> std::io::Result<()> {
        let extension = self.path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if self.form == Form::Directory && !self.path.is_dir() && UNSUPPORTED.contains(&extension) {
            return Err(std::io::Error::other("unsupported format; use .svg, .png or .dat, or a directory"));
        }
        match (self.form, self.path.parent()) {
            (Form::Directory, _) => std::fs::create_dir_all(&self.path),
            (_, Some(parent)) if !parent.as_os_str().is_empty() => std::fs::create_dir_all(parent),
            _ => Ok(()),
        }
    }

    /// Writes named pictures. A single one gets the path of the target, several get names derived
    /// from it.
    pub fn write(&self, pictures: &[(String, Picture)]) -> Result<(), Failure> {
        self.prepare().map_err(|error| Failure::write(&self.path, &error))?;
        if pictures.is_empty() {
            print::note("panto: nothing to draw");
        }
        for (name, picture) in pictures {
            self.write_one(&self.path_of(name, pictures.len()), picture)?;
        }
        Ok(())
    }

    /// Writes figures that belong together: all into one file, or one file each into a directory.
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

    fn path_of(&self, name: &str, pictures: usize) -> PathBuf {
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

    fn write_one(&self, path: &Path, picture: &Picture) -> Result<(), Failure> {
        match (self.form, picture) {
            (Form::Directory | Form::Svg, picture) => save(path, picture.svg().as_bytes()),
            (Form::Png, picture) => {
                let png = panto_report::raster::png(&picture.svg(), PIXELS);
                save(path, &png.map_err(|error| Failure::Usage(error.to_string()))?)
            }
            (Form::Gnuplot, Picture::Figure(figure)) => gnuplot(path, figure),
            (Form::Gnuplot, Picture::Grid(grid)) => {
                print::note(format_args!(
                    "panto: `{}` cannot be written for gnuplot; use .svg or .png",
                    grid.title
                ));
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

/// Writes the data, and beside it the script that draws it.
fn gnuplot(path: &Path, figure: &Figure) -> Result<(), Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let drawn = figure.to_gnuplot(&name);
    save(path, drawn.data.as_bytes())?;
    save(&path.with_extension("gp"), drawn.script.as_bytes())
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    files::replace(path, bytes)?;
    print::note(format_args!("wrote {}", path.display()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_selects_the_form() {
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
    fn several_pictures_get_names_of_their_own() {
        let target = Target::new(Path::new("out/fig.svg"));
        assert_eq!(target.path_of("comet/echo", 1), Path::new("out/fig.svg"));
        assert_eq!(target.path_of("comet/echo", 2), Path::new("out/fig-comet-echo.svg"));
        assert_eq!(
            Target::new(Path::new("plots")).path_of("comet/echo", 1),
            Path::new("plots/comet-echo.svg")
        );
    }
}
