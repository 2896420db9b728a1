//! Which rank runs where (P13).

use std::path::{Path, PathBuf};

use crate::error::Error;

/// How ranks are placed on processors.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Mapping {
    /// As the machine's file says: in turn over all processors, unless it has a map.
    #[default]
    Machine,
    /// Rank r on processor r mod n.
    Wrap,
    /// Neighbouring ranks together: the first n-th of them on the first of n processors, and so on.
    Block,
    /// PUPPET's generalised wrap map: rank r on the (r mod n)-th of these n processors.
    List(Vec<u32>),
    /// A file with one processor for each rank.
    File(PathBuf),
}

impl Mapping {
    /// From the words of the command line: `wrap`, `block`, a list such as `0,1,3,2`, or a file.
    pub fn parse(text: &str) -> Result<Self, Error> {
        match text {
            "wrap" => Ok(Self::Wrap),
            "block" => Ok(Self::Block),
            _ if Path::new(text).is_file() => Ok(Self::File(text.into())),
            _ => {
                let number = |word: &str| word.trim().parse().ok();
                let list: Option<Vec<u32>> = text.split(',').map(number).collect();
                list.map(Self::List).ok_or_else(|| {
                    Error::new(format!(
                        "the map `{text}` is neither `wrap`, `block`, a list of processors such as 0,1,3,2, nor a file"
                    ))
                })
            }
        }
    }

    /// The processor of each rank, out of so many; none if the machine decides.
    pub fn places(&self, ranks: usize, processors: usize) -> Result<Option<Vec<u32>>, Error> {
        let places: Vec<u32> = match self {
            Self::Machine => return Ok(None),
            Self::Wrap => (0..ranks).map(|rank| (rank % processors) as u32).collect(),
            Self::Block => (0..ranks).map(|rank| (rank * processors / ranks) as u32).collect(),
            Self::List(list) => (0..ranks).map(|rank| list[rank % list.len()]).collect(),
            Self::File(path) => from_file(path, ranks)?,
        };
        match places.iter().position(|&place| place as usize >= processors) {
            Some(rank) => Err(Error::new(format!(
                "the map places rank {rank} on processor {}, and there are {processors}: 0 to {}",
                places[rank],
                processors - 1
            ))),
            None => Ok(Some(places)),
        }
    }
}

/// One number for each rank; lines that begin with # are notes.
fn from_file(path: &Path, ranks: usize) -> Result<Vec<u32>, Error> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::read(path, &error))?;
    let mut places = Vec::new();
    for (line, words) in (1..).zip(text.lines()).filter(|(_, words)| !words.trim_start().starts_with('#')) {
        for word in words.split([',', ' ', '\t']).filter(|word| !word.is_empty()) {
            let place = word.parse().map_err(|_| {
                Error::new(format!(
                    "{}:{line}: `{word}` is not the number of a processor; a map has one for each rank",
                    path.display()
                ))
            })?;
            places.push(place);
        }
    }
    if places.len() != ranks {
        return Err(Error::new(format!(
            "{} places {} rank{}, and the program has {ranks}: take a map that was made for it",
            path.display(),
            places.len(),
            if places.len() == 1 { "" } else { "s" }
        )));
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str, ranks: usize, processors: usize) -> Vec<u32> {
        Mapping::parse(text).unwrap().places(ranks, processors).unwrap().unwrap()
    }

    #[test]
    fn ranks_are_dealt_or_cut() {
        assert_eq!(places("wrap", 5, 2), [0, 1, 0, 1, 0]);
        assert_eq!(places("block", 5, 2), [0, 0, 0, 1, 1]);
        assert_eq!(places("2,0", 3, 3), [2, 0, 2]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let error = Mapping::parse("0,x").unwrap_err().to_string();
        assert!(error.contains("neither `wrap`"), "{error}");
        let error = Mapping::parse("0,7").unwrap().places(2, 4).unwrap_err().to_string();
        assert_eq!(error, "the map places rank 1 on processor 7, and there are 4: 0 to 3");
    }

    #[test]
    fn a_file_is_for_all_ranks() {
        let path = std::env::temp_dir().join(format!("panto-map-{}", std::process::id()));
        std::fs::write(&path, "# two a line\n0 1\n1,0\n").unwrap();
        let mapping = Mapping::parse(path.to_str().unwrap()).unwrap();
        assert_eq!(mapping.places(4, 2).unwrap().unwrap(), [0, 1, 1, 0]);
        let error = mapping.places(3, 2).unwrap_err().to_string();
        assert!(error.contains("places 4 ranks, and the program has 3"), "{error}");
        std::fs::write(&path, "0\nzwei\n").unwrap();
        let error = mapping.places(2, 2).unwrap_err().to_string();
        std::fs::remove_file(&path).unwrap();
        assert!(error.contains(":2: `zwei` is not the number of a processor"), "{error}");
    }
}
