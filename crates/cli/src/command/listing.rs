//! `mooring tools`, `resources`, `templates`, `prompts` and `skills`: what a server offers.

use std::time::{Duration, Instant};

use mooring_host::{Diagnostic, Prompt, RawJson, Resource, ResourceTemplate, Skill, SkillFiles, Tool};
use serde_json::Value;

use crate::CommandContext;
use crate::args;
use crate::connect::{ConnectedServer, with_connection};
use crate::content::size;
use crate::fault::{Exit, Fault};
use crate::output::{ExchangeJson, TextStyle, escape_line};
use crate::table::Table;

/// What is listed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ListKind {
    Tools,
    Resources,
    Templates,
    Prompts,
    Skills,
}

/// A list, ready to be printed.
struct ListOutput<'a> {
    /// The server's result.
    raw: &'a RawJson,
    diagnostics: Vec<&'a Diagnostic>,
    /// Name, what belongs to it, what it is about.
    rows: Vec<[String; 3]>,
}

pub(crate) async fn run(session: &CommandContext, args: args::List, offer: ListKind) -> Result<Exit, Fault> {
    with_connection(session, args.target, true, false, async |visit: ConnectedServer<'_>| {
        let started = Instant::now();
        match offer {
            ListKind::Tools => match visit.connection.tools(true).await {
                Ok(list) => {
                    let each = list.tools.iter().map(|tool| &tool.diagnostics);
                    let rows = list.tools.iter().map(tool_row).collect();
                    let diagnostics = collect_diagnostics(&list.diagnostics, each);
                    show(&visit, offer, &ListOutput { raw: &list.raw, diagnostics, rows }, started.elapsed())
                }
                Err(error) => report_failure(&visit, error, started),
            },
            ListKind::Resources | ListKind::Templates | ListKind::Skills => {
                match visit.connection.resources(true).await {
                    Ok(list) => {
                        let resources = list.resources.iter().map(|resource| &resource.diagnostics);
                        let templates = list.templates.iter().map(|template| &template.diagnostics);
                        let skills = list.skills.iter().map(|skill| &skill.diagnostics);
                        let listed = match offer {
                            ListKind::Skills => {
                                let rows = list.skills.iter().map(skill_row).collect();
                                let diagnostics = collect_diagnostics(&list.diagnostics, skills);
                                ListOutput { raw: &list.raw_skills, diagnostics, rows }
                            }
                            ListKind::Templates => {
                                let rows = list.templates.iter().map(template_row).collect();
                                let diagnostics = collect_diagnostics(&list.diagnostics, templates);
                                ListOutput { raw: &list.raw_templates, diagnostics, rows }
                            }
                            _ => {
                                let rows = list.resources.iter().map(resource_row).collect();
                                ListOutput {
                                    raw: &list.raw,
                                    diagnostics: collect_diagnostics(&list.diagnostics, resources),
                                    rows,
                                }
                            }
                        };
                        show(&visit, offer, &listed, started.elapsed())
                    }
                    Err(error) => report_failure(&visit, error, started),
                }
            }
            ListKind::Prompts => match visit.connection.prompts(true).await {
                Ok(list) => {
                    let each = list.prompts.iter().map(|prompt| &prompt.diagnostics);
                    let rows = list.prompts.iter().map(prompt_row).collect();
                    let diagnostics = collect_diagnostics(&list.diagnostics, each);
                    show(&visit, offer, &ListOutput { raw: &list.raw, diagnostics, rows }, started.elapsed())
                }
                Err(error) => report_failure(&visit, error, started),
            },
        }
    })
    .await
}

fn report_failure(
    visit: &ConnectedServer<'_>,
    error: mooring_host::HostError,
    started: Instant,
) -> Result<Exit, Fault> {
    visit.report_failure(&error.into(), None, &visit.connection.view(), started.elapsed())
}

/// The diagnostics of a list and of its items.
fn collect_diagnostics<'a>(
    list: &'a [Diagnostic],
    each: impl Iterator<Item = &'a Vec<Diagnostic>>,
) -> Vec<&'a Diagnostic> {
    list.iter().chain(each.flatten()).collect()
}

fn show(
    visit: &ConnectedServer<'_>,
    offer: ListKind,
    listed: &ListOutput<'_>,
    elapsed: Duration,
) -> Result<Exit, Fault> {
    let output = visit.session.output;
    if output.json {
        let view = visit.connection.view();
        let diagnostics = listed.diagnostics.iter().copied();
        output.answer(listed.raw, ExchangeJson::new(&view, visit.transport, diagnostics, elapsed))?;
        return Ok(Exit::Ok);
    }
    if listed.rows.is_empty() {
        output.line(match offer {
            ListKind::Tools => "The server offers no tools.",
            ListKind::Resources => "The server offers no resources.",
            ListKind::Templates => "The server offers no resource templates.",
            ListKind::Prompts => "The server offers no prompts.",
            ListKind::Skills => "The server offers no skills.",
        })?;
    }
    let mut table = Table::default();
    for row in &listed.rows {
        table.row(row.iter().map(String::as_str));
    }
    table.print(output, &[(0, TextStyle::Strong), (1, TextStyle::Quiet)])?;
    for diagnostic in &listed.diagnostics {
        output.note(&format!("remark: {}", escape_line(&diagnostic.to_string())));
    }
    Ok(Exit::Ok)
}

fn tool_row(tool: &Tool) -> [String; 3] {
    [
        escape_line(&tool.name).into_owned(),
        parameters(tool),
        summary(tool.description.as_deref(), tool.title.as_deref(), None),
    ]
}

/// The names of a tool's parameters; optional ones carry a question mark.
fn parameters(tool: &Tool) -> String {
    let schema: Value =
        tool.input_schema.as_ref().and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let required = |name: &str| {
        let names = schema.get("required").and_then(Value::as_array);
        names.is_some_and(|names| names.iter().any(|required| required == name))
    };
    let names = schema.get("properties").and_then(Value::as_object).into_iter().flat_map(|all| all.keys());
    join_words(names.map(|name| parameter(name, required(name))))
}

fn prompt_row(prompt: &Prompt) -> [String; 3] {
    let arguments = prompt.arguments.iter().map(|argument| parameter(&argument.name, argument.required));
    [
        escape_line(&prompt.name).into_owned(),
        join_words(arguments),
        summary(prompt.description.as_deref(), prompt.title.as_deref(), None),
    ]
}

fn resource_row(resource: &Resource) -> [String; 3] {
    let kind = resource.mime_type.as_deref().map(|kind| escape_line(kind).into_owned());
    // One without a name goes by its address, which stands in the first column.
    let name = Some(resource.name.as_str()).filter(|name| *name != resource.uri);
    [
        escape_line(&resource.uri).into_owned(),
        join_words(kind.into_iter().chain(resource.size.map(size))),
        summary(resource.description.as_deref(), resource.title.as_deref(), name),
    ]
}

fn template_row(template: &ResourceTemplate) -> [String; 3] {
    let name = Some(template.name.as_str()).filter(|name| *name != template.uri_template);
    [
        escape_line(&template.uri_template).into_owned(),
        template.mime_type.as_deref().map(|kind| escape_line(kind).into_owned()).unwrap_or_default(),
        summary(template.description.as_deref(), template.title.as_deref(), name),
    ]
}

fn skill_row(skill: &Skill) -> [String; 3] {
    let files = match &skill.files {
        SkillFiles::Listed(files) if files.len() == 1 => "1 file".to_owned(),
        SkillFiles::Listed(files) => format!("{} files", files.len()),
        SkillFiles::Dynamic => "dynamic".to_owned(),
    };
    [escape_line(&skill.uri).into_owned(), files, summary(Some(&skill.description), None, Some(&skill.name))]
}

fn parameter(name: &str, required: bool) -> String {
    format!("{}{}", escape_line(name), if required { "" } else { "?" })
}

fn join_words(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

/// The first line of the first of these texts that there is.
fn summary(description: Option<&str>, title: Option<&str>, name: Option<&str>) -> String {
    let text = description.or(title).or(name).unwrap_or_default();
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    escape_line(line).into_owned()
}
