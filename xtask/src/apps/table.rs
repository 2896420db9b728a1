//! The table of programs built for each MPI, and why others were not.

use super::programs::Language;

/// The row of an MPI.
pub struct Row {
    pub mpi: &'static str,
    pub built: usize,
    /// Number of programs that were up to date.
    pub fresh: usize,
    /// The languages whose programs were not built, and why.
    pub notes: Vec<(Language, String)>,
}

/// Returns the table as text.
pub fn text(rows: &[Row]) -> String {
    let head = format!("{:<11} {:>6} {:>11}  {}\n", "MPI", "built", "up to date", "not built");
    rows.iter().fold(head, |text, row| text + &line(row))
}

fn line(row: &Row) -> String {
    format!("{:<11} {:>6} {:>11}  {}\n", row.mpi, row.built, row.fresh, notes(&row.notes))
}

fn notes(notes: &[(Language, String)]) -> String {
    match notes {
        [] => "-".to_owned(),
        [(_, reason), rest @ ..]
            if rest.len() + 1 == Language::ALL.len() && rest.iter().all(|(_, other)| other == reason) =>
        {
            format!("nothing: {reason}")
        }
        _ => {
            let each = |(language, reason): &(Language, String)| format!("{}: {reason}", language.name());
            notes.iter().map(each).collect::<Vec<_>>().join("; ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mpi_has_its_line() {
        let because = "there is none".to_owned();
        let rows = [
            Row { mpi: "mpich", built: 2, fresh: 28, notes: Vec::new() },
            Row { mpi: "mpich5", built: 0, fresh: 27, notes: vec![(Language::Fortran, because.clone())] },
            Row {
                mpi: "intel",
                built: 0,
                fresh: 0,
                notes: vec![(Language::C, because.clone()), (Language::Fortran, because)],
            },
        ];
        assert_eq!(
            text(&rows),
            "MPI          built  up to date  not built\n\
             mpich            2          28  -\n\
             mpich5           0          27  Fortran: there is none\n\
             intel            0           0  nothing: there is none\n"
        );
    }
}
