//! Parses a template (RFC 6570 §2).

use super::expand::escape;
use super::{Modifier, Operator, TemplateError, TemplatePart, TemplateProblem, UriTemplate, Variable};

pub(super) fn parts(text: &str) -> Result<Vec<TemplatePart>, TemplateError> {
    let at = |rest: &str, problem| TemplateError {
        problem,
        position: text.chars().count() - rest.chars().count(),
    };
    if text.len() > UriTemplate::MAX_BYTES {
        return Err(TemplateError { problem: TemplateProblem::TooLong, position: 0 });
    }
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let literal = rest.split(['{', '}']).next().unwrap_or(rest);
        if !literal.is_empty() {
            parts.push(TemplatePart::Literal(escape(literal, true)));
        }
        rest = rest.strip_prefix(literal).unwrap_or_default();
        if let Some(inside) = rest.strip_prefix('{') {
            let (expression, after) =
                inside.split_once('}').ok_or_else(|| at(rest, TemplateProblem::Unclosed))?;
            // An expression that begins inside another one is not closed.
            if expression.contains('{') {
                return Err(at(rest, TemplateProblem::Unclosed));
            }
            let expression = self::expression(expression).map_err(|(problem, before)| {
                let begin = at(inside, problem);
                TemplateError { position: begin.position + before, ..begin }
            })?;
            parts.push(expression);
            rest = after;
        } else if !rest.is_empty() {
            return Err(at(rest, TemplateProblem::Unopened));
        }
    }
    Ok(parts)
}

/// Parses the text between braces. Fails with the problem and the number of characters before it.
fn expression(text: &str) -> Result<TemplatePart, (TemplateProblem, usize)> {
    let mut characters = text.chars();
    let operator = match characters.next() {
        Some('+') => Operator::Reserved,
        Some('#') => Operator::Fragment,
        Some('.') => Operator::Label,
        Some('/') => Operator::Path,
        Some(';') => Operator::Parameter,
        Some('?') => Operator::Query,
        Some('&') => Operator::Continuation,
        Some('=' | ',' | '!' | '@' | '|') => return Err((TemplateProblem::Operator, 0)),
        _ => {
            characters = text.chars();
            Operator::Simple
        }
    };
    let names = characters.as_str();
    let mut before = text.len() - names.len();
    let mut variables = Vec::new();
    for written in names.split(',') {
        variables.push(variable(written).map_err(|problem| (problem, before))?);
        before += written.chars().count() + 1;
    }
    Ok(TemplatePart::Expression { operator, variables })
}

fn variable(text: &str) -> Result<Variable, TemplateProblem> {
    let (name, modifier) = if let Some(name) = text.strip_suffix('*') {
        (name, Modifier::Explode)
    } else if let Some((name, length)) = text.split_once(':') {
        let digits = (1..=4).contains(&length.len()) && length.bytes().all(|byte| byte.is_ascii_digit());
        let length = length.parse().ok().filter(|_| digits && !length.starts_with('0'));
        (name, Modifier::Prefix(length.ok_or(TemplateProblem::Modifier)?))
    } else {
        (text, Modifier::None)
    };
    if !is_name(name) {
        return Err(TemplateProblem::Name);
    }
    Ok(Variable { name: name.to_owned(), modifier })
}

/// Groups of letters, digits, underscores and escapes, with single dots between them; and hyphens, but not first.
fn is_name(name: &str) -> bool {
    !name.starts_with('-')
        && name.split('.').all(|group| {
            let mut bytes = group.bytes();
            let mut escaped = || {
                bytes.next().map(|byte| match byte {
                    b'%' => [bytes.next(), bytes.next()]
                        .iter()
                        .all(|digit| digit.is_some_and(|digit| digit.is_ascii_hexdigit())),
                    byte => byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-',
                })
            };
            !group.is_empty() && std::iter::from_fn(&mut escaped).all(|valid| valid)
        })
}
