//! `mooring set`, `set-secret`, `edit`, `rename`, `enable` and `disable`: changing a saved server.

use mooring_connect::{instance_rule, open_host, server_named};
use mooring_definitions::{NewServer, Transport};
use mooring_host::Host;
use mooring_models::SamplingPolicy;
use mooring_server_state::ServerView;

use crate::CommandContext;
use crate::args;
use crate::command::servers::{
    SavedServerJson, missing_program, say_missing, secrets, warnings, with_fields, written_command,
    written_place,
};
use crate::fault::{Exit, Fault};
use crate::output::escape_line;

/// Changes the given settings of a saved server.
pub(crate) async fn set(session: &CommandContext, args: args::Set) -> Result<Exit, Fault> {
    let args::Set { name, settings } = args;
    apply_change(session, "Saved", async |host: &Host| {
        Ok((change(session, host, &name, settings).await?, Vec::new()))
    })
    .await
}

/// Stores one encrypted value: a command's variable or a URL's header.
pub(crate) async fn set_secret(session: &CommandContext, args: args::SetSecret) -> Result<Exit, Fault> {
    let args::SetSecret { name, secret } = args;
    apply_change(session, "Saved", async |host: &Host| {
        let is_local = host.server(server_named(host, &name)?)?.config.transport == Transport::Stdio;
        let (secret_env, secret_header) =
            if is_local { (vec![secret], vec![]) } else { (vec![], vec![secret]) };
        let settings = args::ServerSettings { secret_env, secret_header, ..args::ServerSettings::default() };
        Ok((change(session, host, &name, settings).await?, Vec::new()))
    })
    .await
}

/// Changes how a saved server is started or reached. Its approved tools stay approved.
pub(crate) async fn edit(session: &CommandContext, args: args::Edit) -> Result<Exit, Fault> {
    let args::Edit { name, place, fields } = args;
    let (url, command) = written_place("edit", place)?;
    if url.is_none() && command.is_empty() && fields == args::ServerFields::default() {
        return Err(Fault::usage("nothing to change").next("See mooring edit --help"));
    }
    apply_change(session, "Saved", async |host: &Host| {
        let id = server_named(host, &name)?;
        let mut config = host.server(id)?.config;
        let to_url = url.is_some();
        // Settings that couldn't be read have neither. Encrypted values tell which of the two they had.
        if config.command.is_none() && config.url.is_none() && config.secrets.is_empty() && to_url {
            config.transport = Transport::Http;
        }
        if (to_url || !command.is_empty()) && to_url != (config.transport == Transport::Http) {
            let (is, becomes) = if to_url { ("a command", "a URL") } else { ("a URL", "a command") };
            return Err(Fault::usage(format!("{name} has {is}, and can’t become {becomes}"))
                .next("Add it under another name: mooring add NAME …"));
        }
        if fields.cwd.is_some() && config.transport == Transport::Http {
            return Err(Fault::usage("--cwd is for a command"));
        }
        if let Some(url) = url {
            config.url = Some(url);
        }
        let written = written_command(command)?;
        let is_split = written.is_split;
        if let Some(program) = written.program {
            (config.command, config.args) = (Some(program), written.args);
        }
        config = with_fields(config, fields)?;
        let mut said = warnings(&config, is_split, &written.folder);
        said.extend(missing_program(host, &config).await);
        Ok((host.update_server(id, config).await?, said))
    })
    .await
}

pub(crate) async fn rename(session: &CommandContext, args: args::Rename) -> Result<Exit, Fault> {
    let args::Rename { name, new_name } = args;
    apply_change(session, "Renamed", async |host: &Host| {
        let id = server_named(host, &name)?;
        let config = NewServer { name: new_name, ..host.server(id)?.config };
        Ok((host.update_server(id, config).await?, Vec::new()))
    })
    .await
}

pub(crate) async fn enable(session: &CommandContext, args: args::Named, on: bool) -> Result<Exit, Fault> {
    apply_change(session, if on { "Enabled" } else { "Disabled" }, async |host: &Host| {
        let id = server_named(host, &args.name)?;
        if on {
            host.start(id).await?;
        } else {
            host.stop(id).await?;
        }
        Ok((host.server(id)?, Vec::new()))
    })
    .await
}

/// Makes a change and prints the result with its warnings.
async fn apply_change(
    session: &CommandContext,
    done: &str,
    change: impl AsyncFnOnce(&Host) -> Result<(ServerView, Vec<String>), Fault>,
) -> Result<Exit, Fault> {
    let host = open_host(session, false).await?;
    let changed = session.interrupt.guard(Box::pin(change(&host))).await;
    session.interrupt.clean_up(host.shutdown()).await;
    let (view, warnings) = changed??;
    if session.output.json {
        session.output.result(&SavedServerJson::from(&view).with_warnings(warnings))?;
        return Ok(Exit::Ok);
    }
    session.output.line(&format!("{done} {}.", escape_line(&view.config.name)))?;
    for warning in warnings {
        session.output.note(&format!("warning: {}", escape_line(&warning)));
    }
    say_missing(session.output, &view.config);
    Ok(Exit::Ok)
}

async fn change(
    session: &CommandContext,
    host: &Host,
    name: &str,
    args: args::ServerSettings,
) -> Result<ServerView, Fault> {
    let id = server_named(host, name)?;
    let mut config = host.server(id)?.config;
    let is_local = config.transport == Transport::Stdio;
    let (plain, wrong) = if is_local {
        (args.env, !args.header.is_empty() || !args.secret_header.is_empty())
    } else {
        (args.header, !args.env.is_empty() || !args.secret_env.is_empty())
    };
    if wrong {
        let (takes, others) = if is_local { ("variables", "headers") } else { ("headers", "variables") };
        return Err(Fault::usage(format!("{name} takes {takes}, not {others}")));
    }
    let secrets = secrets(session, &args.secret_env, &args.secret_header).await?;
    let is_same =
        |one: &str, other: &str| if is_local { one == other } else { one.eq_ignore_ascii_case(other) };
    let is_secret = |name: &String| secrets.iter().any(|secret| is_same(&secret.name, name));
    if let Some((both, _)) = plain.iter().find(|(name, _)| is_secret(name)) {
        return Err(Fault::usage(format!("{both} is given both encrypted and unencrypted")));
    }
    let changes_definition = !(secrets.is_empty() && plain.is_empty());
    let kept = if is_local { &mut config.env } else { &mut config.headers };
    for changed in secrets.iter().map(|secret| &secret.name).chain(plain.iter().map(|(name, _)| name)) {
        kept.retain(|known, _| !is_same(known, changed));
        config.secrets.retain(|known| !is_same(&known.name, changed));
    }
    kept.extend(plain);
    config.secrets.extend(secrets);
    if changes_definition {
        host.update_server(id, config).await?;
    }
    if let Some(instances) = args.instances {
        host.set_instance_rule(id, instance_rule(instances)).await?;
    }
    if let Some(sampling) = args.sampling {
        let known = host.models().await?.servers.into_iter().find(|server| server.server == id);
        let policy = known.map(|known| known.policy).unwrap_or_default();
        host.set_sampling(id, SamplingPolicy { enabled: sampling == args::Switch::On, ..policy }).await?;
    }
    Ok(host.server(id)?)
}
