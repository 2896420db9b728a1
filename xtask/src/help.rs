//! The text of `--help`.

use crate::Chore;

/// Returns whether the argument asks for help.
pub fn is_requested(argument: &str) -> bool {
    matches!(argument, "--help" | "-h" | "help")
}

/// Returns the help of all chores.
pub fn all(chores: &[Chore]) -> String {
    let mut text =
        String::from("The chores of the project.\n\nUsage: cargo xtask CHORE [OPTIONS]\n\nChores:\n");
    text += &list(chores.iter().map(|chore| (chore.name, chore.line)));
    for chore in chores {
        text += "\n";
        text += &(chore.help)();
    }
    text + "\nExit codes: 0 success, 1 failure, 2 invalid command line.\n"
}

/// Returns names and descriptions in two columns.
pub fn list<'a>(entries: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let lines: Vec<String> = entries.map(|(name, line)| format!("  {name:<12} {line}\n")).collect();
    lines.concat()
}
