//! Pages of commands as Markdown, from the definitions of the command line.

use clap::{Arg, Command};

/// Returns the name and the page of a command that was built, and of each command below it.
pub fn pages(command: &Command) -> Vec<(String, String)> {
    let own = (name(command), page(command));
    let below = command.get_subcommands().filter(|each| !each.is_hide_set());
    std::iter::once(own).chain(below.flat_map(pages)).collect()
}

/// Returns the name of a page, as those of man pages: `panto-trace-merge`.
fn name(command: &Command) -> String {
    typed(command).replace(' ', "-")
}

/// Returns what a user types: `panto trace merge`.
fn typed(command: &Command) -> &str {
    command.get_bin_name().unwrap_or(command.get_name())
}

fn page(command: &Command) -> String {
    let about = command.get_long_about().or(command.get_about());
    let about = about.map(|text| prose(&text.to_string())).unwrap_or_default();
    let mut page = format!("# {}\n\n{about}\n\n```text\n{}\n```\n", typed(command), usage(command));
    page += &commands(command);
    for (title, arguments) in sections(command) {
        page.extend(["\n## ", &title, "\n\n"]);
        page.extend(arguments.into_iter().map(definition));
    }
    let after = command.get_after_long_help().or(command.get_after_help());
    if let Some(text) = after {
        page.extend(["\n", &examples(&text.to_string())]);
    }
    page
}

fn usage(command: &Command) -> String {
    let text = command.clone().render_usage().to_string();
    text.trim_start_matches("Usage: ").trim().to_owned()
}

/// Returns the list of the commands below a command.
fn commands(command: &Command) -> String {
    let visible = command.get_subcommands().filter(|each| !each.is_hide_set());
    let line = |each: &Command| {
        let about = each.get_about().map(ToString::to_string).unwrap_or_default();
        format!("- [{}]({}.md): {}\n", typed(each), name(each), prose(&about))
    };
    let lines: String = visible.map(line).collect();
    if lines.is_empty() { lines } else { format!("\n## Commands\n\n{lines}") }
}

/// Returns the visible arguments below their headings, in the order of definition.
fn sections(command: &Command) -> Vec<(String, Vec<&Arg>)> {
    let mut sections: Vec<(String, Vec<&Arg>)> = Vec::new();
    for argument in command.get_arguments().filter(|each| !each.is_hide_set()) {
        let usual = if argument.is_positional() { "Arguments" } else { "Options" };
        let title = argument.get_help_heading().unwrap_or(usual);
        match sections.iter_mut().find(|(known, _)| known == title) {
            Some((_, arguments)) => arguments.push(argument),
            None => sections.push((title.to_owned(), vec![argument])),
        }
    }
    sections
}

/// Returns an argument with its description, its values and its default.
fn definition(argument: &Arg) -> String {
    let short = argument.get_short().filter(|_| argument.get_long().is_some());
    let short = short.map(|letter| format!("-{letter}, ")).unwrap_or_default();
    let help = argument.get_long_help().or(argument.get_help());
    let mut text = help.map(|text| prose(&text.to_string())).unwrap_or_default();
    let values =
        if argument.is_hide_possible_values_set() { Vec::new() } else { argument.get_possible_values() };
    let values: Vec<String> = values.iter().map(|value| format!("`{}`", value.get_name())).collect();
    if !values.is_empty() && argument.get_action().takes_values() {
        text.extend([" Values: ", &values.join(", "), "."]);
    }
    let defaults = argument.get_default_values();
    if !defaults.is_empty() && argument.get_action().takes_values() && !argument.is_hide_default_value_set() {
        let shown: Vec<_> = defaults.iter().map(|value| value.to_string_lossy()).collect();
        text.extend([" Default: `", &shown.join(","), "`."]);
    }
    // A paragraph inside an item of a list is indented.
    let text = text.trim().replace('\n', "\n  ");
    format!("- `{short}{argument}`\n\n  {text}\n\n")
}

/// Returns what follows the options: indented lines are as a terminal shows them, others are prose.
fn examples(text: &str) -> String {
    let mut page = String::new();
    let mut is_block = false;
    for line in text.lines() {
        let belongs = line.starts_with(' ') || (is_block && line.is_empty());
        if belongs != is_block {
            page += if belongs { "\n```text\n" } else { "```\n\n" };
            is_block = belongs;
        }
        page += &if belongs { line.to_owned() } else { prose(line) };
        page.push('\n');
    }
    if is_block {
        page += "```\n";
    }
    page
}

/// Returns help text with what Markdown would interpret escaped; code in backticks remains.
fn prose(text: &str) -> String {
    let is_paired = text.matches('`').count().is_multiple_of(2);
    let parts = text.split('`').enumerate().map(|(at, part)| {
        let is_code = is_paired && at % 2 == 1;
        if is_code { part.to_owned() } else { escaped(part) }
    });
    parts.collect::<Vec<_>>().join("`")
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        if "<*_[]|".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    fn all() -> Vec<(String, String)> {
        let mut command = super::super::without_help(Cli::command());
        command.build();
        pages(&command)
    }

    #[test]
    fn every_command_has_a_page_that_its_parent_links() {
        let all = all();
        let (first, root) = &all[0];
        assert_eq!(first, "panto");
        assert!(all.len() > 25, "{}", all.len());
        for (name, page) in &all[1..] {
            let parent = &name[..name.rfind('-').unwrap()];
            let parent = all.iter().find(|(name, _)| name == parent).map_or(root, |(_, page)| page);
            assert!(parent.contains(&format!("]({name}.md): ")), "{name}");
            assert!(page.contains("```text\npanto "), "{name}: {page}");
        }
    }

    #[test]
    fn arguments_have_their_values_and_defaults() {
        let all = all();
        let (_, page) = all.iter().find(|(name, _)| name == "panto-bench").unwrap();
        assert!(page.contains("- `-o, --output <"), "{page}");
        assert!(page.contains("## Arguments") && page.contains(" Values: `"), "{page}");
        assert!(!page.contains("--help` for"), "{page}");
    }

    #[test]
    fn blocks_end() {
        for (name, page) in all() {
            assert_eq!(page.lines().filter(|line| line.starts_with("```")).count() % 2, 0, "{name}:\n{page}");
        }
    }

    #[test]
    fn what_markdown_would_interpret_is_escaped() {
        assert_eq!(prose("a*b `c*d` <e>"), "a\\*b `c*d` \\<e>");
        assert_eq!(prose("one ` alone_"), "one ` alone\\_");
        assert_eq!(
            examples("Examples:\n  a *\n\nMore *"),
            "Examples:\n\n```text\n  a *\n\n```\n\nMore \\*\n"
        );
    }
}
