//! What `--help` prints.

use crate::Chore;

/// Is this a cry for help?
pub fn asked(argument: &str) -> bool {
    matches!(argument, "--help" | "-h" | "help")
}

/// All chores, each in full.
pub fn all(chores: &[Chore]) -> String {
    let mut text =
        String::from("The chores of the project.\n\nUsage: cargo xtask CHORE [OPTIONS]\n\nChores:\n");
    text += &list(chores.iter().map(|chore| (chore.name, chore.line)));
    for chore in chores {
        text += "\n";
        text += &(chore.help)();
    }
    text + "\nExit codes: 0 all is well, 1 something failed, 2 the command line is wrong.\n"
}

/// Names and what they stand for, in two columns.
pub fn list<'a>(entries: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let lines: Vec<String> = entries.map(|(name, line)| format!("  {name:<12} {line}\n")).collect();
    lines.concat()
}
