//! What makes a package manager download from elsewhere. A package with a well-known name is then somebody
//! else's program.
//!
//! Sources: <https://docs.npmjs.com/cli/v11/using-npm/config>, <https://docs.astral.sh/uv/reference/environment>,
//! <https://pip.pypa.io/en/stable/topics/configuration>, <https://go.dev/ref/mod#environment-variables>,
//! <https://docs.deno.com/runtime/reference/env_variables>, <https://bun.sh/docs/install/registries>.

/// The variables in upper case. npm reads its own in any case.
const VARIABLES: [&str; 26] = [
    "BUN_CONFIG_REGISTRY",
    "CONTAINERS_REGISTRIES_CONF",
    "COREPACK_NPM_REGISTRY",
    "GONOSUMDB",
    "GOPROXY",
    "GOSUMDB",
    "JSR_URL",
    "NPM_CONFIG_GLOBALCONFIG",
    "NPM_CONFIG_REGISTRY",
    "NPM_CONFIG_USERCONFIG",
    "PIP_CONFIG_FILE",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "PIP_INDEX_URL",
    "PIP_TRUSTED_HOST",
    "UV_CONFIG_FILE",
    "UV_DEFAULT_INDEX",
    "UV_EXTRA_INDEX_URL",
    "UV_FIND_LINKS",
    "UV_INDEX",
    "UV_INDEX_URL",
    "UV_INSECURE_HOST",
    "UV_OVERRIDE",
    "UV_PYTHON_INSTALL_MIRROR",
    "YARN_NPM_REGISTRY_SERVER",
    "YARN_REGISTRY",
];

/// The options of npx, pnpm, yarn, uvx, pipx and dnx. Each has a value.
const OPTIONS: [&str; 16] = [
    "--add-source",
    "--config-file",
    "--configfile",
    "--default-index",
    "--extra-index-url",
    "--find-links",
    "--globalconfig",
    "--index",
    "--index-url",
    "--overrides",
    "--pip-args",
    "--python-install-mirror",
    "--registry",
    "--source",
    "--trusted-host",
    "--userconfig",
];

/// Whether a variable changes where package managers download from.
pub(crate) fn is_source_variable(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    // A scope of npm has its own registry: `npm_config_@scope:registry`.
    VARIABLES.contains(&upper.as_str())
        || (upper.starts_with("NPM_CONFIG_") && upper.ends_with(":REGISTRY"))
        || (upper.starts_with("UV_INDEX_") && upper.ends_with("_URL"))
}

/// The option that an argument sets, if it changes where package managers download from.
fn source_option(argument: &str) -> Option<&str> {
    let name = argument.split_once('=').map_or(argument, |(name, _)| name);
    (OPTIONS.contains(&name) || (name.starts_with("--@") && name.ends_with(":registry"))).then_some(name)
}

/// The options before the package `package` that change where it is downloaded from. What comes after it is for
/// the package's own program.
pub(crate) fn source_options<'a>(args: &'a [String], package: &str) -> impl Iterator<Item = &'a str> {
    let own = args.iter().take_while(move |argument| *argument != package);
    own.filter_map(|argument| source_option(argument))
}

/// The arguments without such options and their values.
pub(crate) fn without_source_options(args: &[String]) -> Vec<&str> {
    let mut is_value = false;
    let mut kept = Vec::new();
    for argument in args {
        let has_option = source_option(argument).is_some();
        if !has_option && !is_value {
            kept.push(argument.as_str());
        }
        is_value = has_option && !argument.contains('=');
    }
    kept
}
