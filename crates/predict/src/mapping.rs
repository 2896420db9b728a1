//! Mappings of ranks to processors (P13), and their files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::error::{Error, MappingError};

/// A mapping of ranks to processors.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Mapping {
    /// That of the machine model: round robin unless it has a map.
    #[default]
    Machine,
    /// Rank r on processor r mod n.
    Wrap,
    /// Blocks of consecutive ranks: the first n-th of them on the first of n processors, and so on.
    Block,
    /// PUPPET's generalised wrap map: rank r on the (r mod n)-th of these n processors.
    List(Vec<u32>),
    /// A file with one processor for each rank.
    File(PathBuf),
}

impl Mapping {
    /// Parses `wrap`, `block`, a list of processors such as `0,1,3,2`, or the name of a file.
    pub fn parse(text: &str) -> Result<Self, Error> {
        match text {
            "wrap" => Ok(Self::Wrap),
            "block" => Ok(Self::Block),
            _ if Path::new(text).is_file() => Ok(Self::File(text.into())),
            _ => {
                let number = |word: &str| word.trim().parse().ok();
                let list: Option<Vec<u32>> = text.split(',').map(number).collect();
                list.map(Self::List).ok_or_else(|| MappingError::Unknown(text.to_owned()).into())
            }
        }
    }

    /// Returns the processor of each rank; `None` if the machine model decides.
    pub fn places(&self, ranks: usize, processors: usize) -> Result<Option<Vec<u32>>, Error> {
        let places: Vec<u32> = match self {
            Self::Machine => return Ok(None),
            Self::Wrap => (0..ranks).map(|rank| (rank % processors) as u32).collect(),
            Self::Block => (0..ranks).map(|rank| (rank * processors / ranks) as u32).collect(),
            Self::List(list) => (0..ranks).map(|rank| list[rank % list.len()]).collect(),
            Self::File(path) => from_file(path, ranks)?,
        };
        match places.iter().position(|&place| place as usize >= processors) {
            Some(rank) => Err(MappingError::OutOfRange { rank, processor: places[rank], processors }.into()),
            None => Ok(Some(places)),
        }
    }
}

/// Reads one processor number per rank; lines that start with `#` are comments.
fn from_file(path: &Path, ranks: usize) -> Result<Vec<u32>, Error> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::read(path, &error))?;
    let mut places = Vec::new();
    for (line, words) in (1..).zip(text.lines()).filter(|(_, words)| !words.trim_start().starts_with('#')) {
        for word in words.split([',', ' ', '\t']).filter(|word| !word.is_empty()) {
            let place = word.parse::<u32>().map_err(|_| MappingError::Word {
                path: path.to_owned(),
                line,
                word: word.to_owned(),
            })?;
            places.push(place);
        }
    }
    if places.len() != ranks {
        return Err(MappingError::Length { path: path.to_owned(), mapped: places.len(), ranks }.into());
    }
    Ok(places)
}

/// Ranks per line of a map file.
const RANKS_PER_LINE: usize = 16;

/// Returns the text of a map file: comments, then one processor number per rank.
pub fn map_file(places: &[u32], comments: &[String]) -> String {
    let mut text = String::new();
    for line in comments {
        let _ = writeln!(text, "# {line}");
    }
    for line in places.chunks(RANKS_PER_LINE) {
        let words: Vec<String> = line.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "{}", words.join(" "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str, ranks: usize, processors: usize) -> Vec<u32> {
        Mapping::parse(text).unwrap().places(ranks, processors).unwrap().unwrap()
    }

    #[test]
    fn wrap_block_and_list() {
        assert_eq!(places("wrap", 5, 2), [0, 1, 0, 1, 0]);
        assert_eq!(places("block", 5, 2), [0, 0, 0, 1, 1]);
        assert_eq!(places("2,0", 3, 3), [2, 0, 2]);
    }

    #[test]
    fn errors_name_the_problem() {
        let error = Mapping::parse("0,x").unwrap_err().to_string();
        assert!(error.contains("expected `wrap`"), "{error}");
        let error = Mapping::parse("0,7").unwrap().places(2, 4).unwrap_err().to_string();
        assert_eq!(error, "the map puts rank 1 on processor 7, but there are only 4 (0 to 3)");
    }

    #[test]
    fn a_file_maps_every_rank() {
        let path = std::env::temp_dir().join(format!("panto-map-{}", std::process::id()));
        std::fs::write(&path, "# two a line\n0 1\n1,0\n").unwrap();
        let mapping = Mapping::parse(path.to_str().unwrap()).unwrap();
        assert_eq!(mapping.places(4, 2).unwrap().unwrap(), [0, 1, 1, 0]);
        let error = mapping.places(3, 2).unwrap_err().to_string();
        assert!(error.contains("maps 4 ranks, but the program has 3"), "{error}");
        std::fs::write(&path, "0\nzwei\n").unwrap();
        let error = mapping.places(2, 2).unwrap_err().to_string();
        std::fs::remove_file(&path).unwrap();
        assert!(error.contains(":2: `zwei` is not a processor number"), "{error}");
    }
    #[test]
    fn a_map_file_is_read_back() {
        let places: Vec<u32> = (0..40).map(|rank| rank % 7).collect();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("best.map");
        std::fs::write(&path, map_file(&places, &["for app.panto".into(), "3.5s".into()])).unwrap();
        let mapping = Mapping::parse(path.to_str().unwrap()).unwrap();
        assert_eq!(mapping.places(40, 7).unwrap().unwrap(), places);
    }
}
