//! PUPPET's network file: the adjacency lists of a directed graph.

use std::str::FromStr;

use super::{Graph, GraphError};

/// Parses one list per line: the i-th list has the processors, from 0, that processor i has links
/// to, separated by blanks or commas.
///
/// A list may begin with its processor, as in `3: 0 1`; then all do, in any order. Blank lines are
/// skipped: an empty list is invalid, since its processor could reach no other. `#` begins a
/// comment.
impl FromStr for Graph {
    type Err = GraphError;

    fn from_str(text: &str) -> Result<Self, GraphError> {
        let mut reader = Reader::default();
        for (number, line) in (1..).zip(text.lines()) {
            let content = line.split('#').next().unwrap_or("").trim();
            if !content.is_empty() {
                reader.read(number, content)?;
            }
        }
        reader.finish()
    }
}

#[derive(Default)]
struct Reader {
    labelled: Option<bool>,
    lists: Vec<List>,
    links: usize,
}

struct List {
    line: usize,
    processor: u32,
    targets: Vec<u32>,
}

impl Reader {
    fn read(&mut self, line: usize, content: &str) -> Result<(), GraphError> {
        if self.lists.len() == Graph::MAX_PROCESSORS {
            return Err(GraphError::TooMany { what: "processors", line, most: Graph::MAX_PROCESSORS });
        }
        let (label, targets) = match content.split_once(':') {
            Some((label, targets)) => (Some(label.trim()), targets),
            None => (None, content),
        };
        if *self.labelled.get_or_insert(label.is_some()) != label.is_some() {
            return Err(GraphError::Mixed { line });
        }
        let processor = label.map_or(Ok(self.lists.len() as u32), |label| processor(line, label))?;
        let targets = self.targets(line, processor, targets)?;
        self.lists.push(List { line, processor, targets });
        Ok(())
    }

    fn targets(&mut self, line: usize, from: u32, text: &str) -> Result<Vec<u32>, GraphError> {
        let mut targets = Vec::new();
        for word in text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()) {
            self.links += 1;
            if self.links > Graph::MAX_LINKS {
                return Err(GraphError::TooMany { what: "links", line, most: Graph::MAX_LINKS });
            }
            targets.push(processor(line, word)?);
        }
        targets.sort_unstable();
        if targets.contains(&from) {
            return Err(GraphError::ToItself { line, processor: from });
        }
        match targets.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(GraphError::Twice { line, processor: pair[0] }),
            None => Ok(targets),
        }
    }

    fn finish(mut self) -> Result<Graph, GraphError> {
        let processors = self.lists.len();
        if processors == 0 {
            return Err(GraphError::Empty);
        }
        for list in &self.lists {
            let own = std::iter::once(&list.processor);
            if let Some(&number) = own.chain(&list.targets).find(|number| **number as usize >= processors) {
                let number = u64::from(number);
                return Err(GraphError::NoSuchProcessor { line: list.line, number, processors });
            }
        }
        self.lists.sort_by_key(|list| list.processor);
        if let Some(pair) = self.lists.windows(2).find(|pair| pair[0].processor == pair[1].processor) {
            return Err(GraphError::Twice { line: pair[1].line, processor: pair[1].processor });
        }
        let lists: Vec<Vec<u32>> = self.lists.into_iter().map(|list| list.targets).collect();
        Graph::from_lists(&lists)
    }
}

fn processor(line: usize, word: &str) -> Result<u32, GraphError> {
    word.parse().map_err(|_| GraphError::NotANumber { line, found: word.chars().take(40).collect() })
}
