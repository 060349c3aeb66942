//! Entries of an MCP registry.

use super::*;

/// A package of a registry entry, in JSON.
fn entry(package: &str) -> String {
    format!(r#"{{"name": "io.github.acme/tide", "version": "1.0.2", "packages": [{package}]}}"#)
}

#[test]
fn packages_become_the_commands_that_run_them() {
    for (package, server) in [
        (
            r#"{"registryType": "npm", "registryBaseUrl": "https://registry.npmjs.org", "identifier": "@acme/tide", "version": "1.0.2", "transport": {"type": "stdio"}, "environmentVariables": [{"name": "KEY", "isRequired": true, "isSecret": true}, {"name": "UNITS", "default": "m"}, {"name": "DEBUG"}]}"#,
            r#"tide: npx ["-y", "@acme/tide@1.0.2"] env {"UNITS": "m"} cwd None; KEY to be entered"#,
        ),
        (
            r#"{"registry_type": "pypi", "identifier": "tide-mcp", "version": "2.0", "runtime_hint": "uvx", "package_arguments": [{"type": "positional", "value": "serve"}, {"type": "named", "name": "--port", "default": "80"}, {"type": "named", "name": "--fast", "isRequired": true}, {"type": "named", "name": "--slow"}, {"type": "named", "name": "--unit", "valueHint": "unit"}]}"#,
            r#"tide: uvx ["tide-mcp==2.0", "serve", "--port", "80", "--fast"] env {} cwd None"#,
        ),
        (
            r#"{"registryType": "oci", "identifier": "ghcr.io/acme/tide:1.0.2", "runtimeArguments": [{"type": "named", "name": "-i"}, {"type": "named", "name": "--network", "value": "{net}", "variables": {"net": {"default": "slow"}}}], "environmentVariables": [{"name": "KEY", "isSecret": true}]}"#,
            r#"tide: docker ["run", "-i", "--rm", "--network", "slow", "-e", "KEY", "ghcr.io/acme/tide:1.0.2"] env {} cwd None; KEY to be entered"#,
        ),
        (
            r#"{"registryType": "oci", "registryBaseUrl": "https://ghcr.io", "identifier": "acme/tide", "version": "1", "transport": {"type": "stdio"}}"#,
            r#"tide: docker ["run", "-i", "--rm", "ghcr.io/acme/tide:1"] env {} cwd None"#,
        ),
        (
            r#"{"registryType": "nuget", "identifier": "Acme.Tide", "version": "1.0", "packageArguments": [{"type": "positional", "value": "mcp"}]}"#,
            r#"tide: dnx ["Acme.Tide@1.0", "--yes", "--", "mcp"] env {} cwd None"#,
        ),
        (
            r#"{"registryType": "npm", "identifier": "tide", "packageArguments": [{"type": "positional", "valueHint": "folder", "isRequired": true}, {"type": "positional", "valueHint": "more"}]}"#,
            r#"tide: npx ["-y", "tide", "${input:folder}"] env {} cwd None"#,
        ),
    ] {
        assert_eq!(check(&entry(package)), [server], "{package}");
    }
}

#[test]
fn other_ways_to_run_a_server_are_not_taken_with_the_first() {
    let text = r#"{"servers": [
        {"server": {"name": "acme/tide",
            "packages": [{"registryType": "npm", "identifier": "tide"}, {"registryType": "npm", "identifier": "tide-lite"}],
            "remotes": [{"type": "streamable-http", "url": "https://{region}.tide.example/mcp", "variables": {"region": {"default": "eu"}}, "headers": [{"name": "Authorization", "isRequired": true, "value": "Bearer {token}", "variables": {"token": {"isSecret": true}}}]}]}, "_meta": {}},
        {"server": {"name": "acme/moon", "remotes": [{"type": "sse", "url": "https://moon.example/sse"}]}}
    ], "metadata": {"count": 2}}"#;
    let report = read_config(text, |_| false);
    let alternative: Vec<_> = report.entries.iter().map(|it| (it.name.as_str(), it.alternative)).collect();
    assert_eq!(
        alternative,
        [("tide (npm)", false), ("tide (npm 2)", true), ("tide (remote)", true), ("moon", false)]
    );
    assert_eq!(report.read_as.unwrap().to_string(), "entries of an MCP registry");
    says(
        text,
        &[
            "tide (remote): https://eu.tide.example/mcp headers {}; Authorization to be entered",
            "moon: https://moon.example/sse headers {}",
        ],
    );
}

#[test]
fn the_latest_version_counts_and_publishers_are_told_apart() {
    let listed = |name: &str, version: &str, latest: bool| {
        format!(
            r#"{{"server": {{"name": "{name}", "packages": [{{"registryType": "npm", "identifier": "tide", "version": "{version}"}}]}}, "_meta": {{"io.modelcontextprotocol.registry/official": {{"isLatest": {latest}}}}}}}"#
        )
    };
    let versions = [listed("acme/tide", "1.0", false), listed("acme/tide", "2.0", true)].join(",");
    assert_eq!(
        check(&format!(r#"{{"servers": [{versions}]}}"#)),
        [r#"tide: npx ["-y", "tide@2.0"] env {} cwd None"#]
    );
    let publishers = [listed("acme/tide", "1.0", true), listed("io.github.x/tide", "1.1", true)].join(",");
    assert_eq!(
        check(&format!("[{publishers}]")),
        [
            r#"tide (acme): npx ["-y", "tide@1.0"] env {} cwd None"#,
            r#"tide (io.github.x): npx ["-y", "tide@1.1"] env {} cwd None"#
        ]
    );
    let read_as = read_config(&format!("[{}]", listed("acme/tide", "1.0", true)), |_| false).read_as.unwrap();
    assert_eq!(read_as.to_string(), "the entry acme/tide of an MCP registry");
    // A project's file with packages of its own, and a member with the name of a mark.
    assert_eq!(
        check(
            r#"{"name": "root", "packages": ["a/*"], "mcpServers": {"a": {"command": "x", "alternative": true}}}"#
        ),
        ["a: x [] env {} cwd None; alternative isn’t imported"]
    );
}

#[test]
fn values_that_the_person_has_to_enter_are_asked_for() {
    let secret = r#"{"registryType": "oci", "identifier": "tide:1", "runtimeArguments": [{"type": "named", "name": "-e", "value": "KEY={api_key}", "isRequired": true}]}"#;
    assert_eq!(
        check(&entry(secret)),
        [r#"tide: docker ["run", "-i", "--rm", "-e", "KEY", "tide:1"] env {} cwd None; KEY to be entered"#]
    );
    let header = r#"{"name": "x/tide", "remotes": [{"type": "sse", "url": "https://tide.example/sse", "headers": [{"name": "Authorization", "value": "Bearer {smithery_api_key}", "isRequired": true, "isSecret": true}]}]}"#;
    assert_eq!(check(header), ["tide: https://tide.example/sse headers {}; Authorization to be entered"]);
    let from = r#"{"registryType": "pypi", "identifier": "people", "version": "1.0", "runtimeArguments": [{"type": "named", "name": "--from", "value": "people"}], "packageArguments": [{"value": "people-mcp"}]}"#;
    assert_eq!(check(&entry(from)), [r#"tide: uvx ["--from", "people", "people-mcp"] env {} cwd None"#]);
}

#[test]
fn entries_that_cannot_run_here_say_so() {
    for package in [
        r#"{"registryType": "mcpb", "identifier": "https://x.example/tide.mcpb"}"#,
        r#"{"registryType": "npm", "identifier": "tide", "transport": {"type": "streamable-http", "url": "http://localhost:80"}}"#,
        r#"{"identifier": "tide"}"#,
        r#"{"registryType": "npm", "registryBaseUrl": "https://npm.acme.example/", "identifier": "tide"}"#,
    ] {
        let lines = check(&entry(package));
        let why = "ERROR 1:1 no package or remote of this registry entry can be used here";
        assert_eq!(lines, [why], "{package}");
    }
}

#[test]
fn a_value_that_grows_with_its_variables_is_bounded() {
    let template = "{a}".repeat(100_000);
    let value = "x".repeat(10_000);
    let text = entry(&format!(
        r#"{{"registryType": "npm", "identifier": "tide", "packageArguments": [{{"value": "{template}", "variables": {{"a": {{"value": "{value}"}}}}}}]}}"#
    ));
    assert!(check(&text)[0].len() < 400_000);
}
