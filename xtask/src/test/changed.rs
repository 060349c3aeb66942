//! `--changed`: decides which checks a change can affect, from the changed paths, the package graph, and
//! rules for other files. A file without a rule affects everything.
//!
//! A package's sources affect its tests and those of every package that depends on it. A file of a test
//! affects that test.

use std::collections::BTreeSet;

use anyhow::{Context, Result};

use super::steps::{GATEWAY_CONFORMANCE, JOURNEYS};
use crate::command::Command;
use crate::workspace::{Package, Workspace};

/// The package of the journeys, of [`TIDY`], and of the programs for the conformance suite.
const TESTS: &str = "mooring-tests";
/// The test that reads every file of the repository.
const TIDY: &str = "tidy";
/// The packages whose programs the journeys and the window tests start.
const STARTED: [&str; 4] = ["mooring-desktop", "mooring-cli", "mooring-demo-server", "mooring-testkit"];

/// Steps that any file can affect. Of the Rust tests, only [`TIDY`].
const ALWAYS: &[&str] = &["spelling", "requirements", "files-to-add", "rust-tests"];
/// Steps that any Rust code can affect, and those that only code outside tests can.
const RUST: &[&str] = &["format", "build", "unused"];
const RUST_SOURCES: &[&str] = &["docs", "doc-tests"];
/// Steps that any TypeScript can affect, and those that the window's pages can.
const TYPESCRIPT: &[&str] = &["ui-format", "ui-types", "ui-lint", "ui-unused", "ui-tests"];
const PAGES: &[&str] =
    &["ui-format", "ui-types", "ui-lint", "ui-unused", "ui-tests", "ui-build", "bindings", "window"];

/// What paths outside of package sources affect, in addition to [`ALWAYS`].
struct Rule {
    /// A folder with a trailing slash, a file, or `*` with the end of a name.
    paths: &'static [&'static str],
    steps: &'static [&'static str],
    /// Packages that are compiled from these files.
    sources: &'static [&'static str],
    /// Packages whose tests read these files.
    tests: &'static [&'static str],
}

/// The first matching rule applies.
const RULES: &[Rule] = &[
    rule(&["docs/", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.md"], &[]),
    rule(&["typos.toml", "tests/requirements/"], &[]),
    rule(&["rustfmt.toml"], &["format"]),
    rule(&["clippy.toml"], &["build"]),
    rule(&["deny.toml"], &["dependencies"]),
    rule(&[".github/workflows/"], &["workflows"]),
    rule(&["migrations/"], &[]).compiled_into(&["mooring-store"]),
    rule(&["icons/", "src-tauri/tauri.conf.json", "src-tauri/capabilities/", "src-tauri/linux/"], &[])
        .compiled_into(&["mooring-desktop"])
        .read_by(&["mooring-xtask"]),
    rule(&["ui/dev/mock/checks.json"], TYPESCRIPT).read_by(&["mooring-forms"]),
    rule(&["ui/dev/mock/recordings/", "ui/dev/mock/servers/"], TYPESCRIPT).read_by(&["mooring-desktop"]),
    rule(&["ui/dev/", "*.test.ts", "*.test.tsx"], TYPESCRIPT),
    rule(&["ui/src/lib/untrusted.cases.json"], TYPESCRIPT).read_by(&["mooring-policy"]),
    rule(&["ui/src/", "ui/index.html"], PAGES).read_by(&["mooring-desktop"]),
    rule(&["tests/e2e/bus.conf"], &["window"]).read_by(&["mooring-cli", TESTS]),
    rule(&["tests/apps/"], &["ui-format"]),
    rule(&["tests/e2e/"], &["ui-format", "window"]),
    rule(&["tests/servers/"], &["ui-format", "servers", GATEWAY_CONFORMANCE, JOURNEYS, "window"])
        .read_by(&["mooring-gateway", TESTS]),
    rule(&["tests/conformance/"], &["ui-format", "conformance", GATEWAY_CONFORMANCE]),
];

const fn rule(paths: &'static [&'static str], steps: &'static [&'static str]) -> Rule {
    Rule { paths, steps, sources: &[], tests: &[] }
}

impl Rule {
    const fn compiled_into(mut self, packages: &'static [&'static str]) -> Self {
        self.sources = packages;
        self
    }

    const fn read_by(mut self, packages: &'static [&'static str]) -> Self {
        self.tests = packages;
        self
    }

    fn fits(&self, path: &str) -> bool {
        self.paths.iter().any(|known| match known.strip_prefix('*') {
            Some(end) => path.ends_with(end),
            None if known.ends_with('/') => path.starts_with(known),
            None => path == *known,
        })
    }
}

/// What a change can affect.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Reached {
    /// The steps, without their dependencies.
    pub(super) steps: BTreeSet<&'static str>,
    /// Packages of which all tests are affected.
    packages: BTreeSet<String>,
    /// Single affected tests: the package and the target.
    targets: BTreeSet<(String, String)>,
    /// Packages that have unaffected tests. Shown in the table.
    pub(super) left_out: Vec<String>,
}

impl Reached {
    /// Whether this test of the package is affected.
    pub(super) fn has(&self, package: &str, target: &str) -> bool {
        self.packages.contains(package)
            || self.targets.iter().any(|(of, name)| of == package && name == target)
    }

    fn left_out_of(&self, packages: &[Package]) -> Vec<String> {
        let others = packages.iter().filter(|package| !self.packages.contains(&package.name));
        let described = others.map(|package| {
            let single = self.targets.iter().filter(|(of, _)| *of == package.name);
            let single: Vec<&str> = single.map(|(_, target)| target.as_str()).collect();
            if single.is_empty() {
                package.name.clone()
            } else {
                format!("{} but {}", package.name, single.join(" and "))
            }
        });
        described.collect()
    }
}

/// What these paths affect. The error is a path without a rule.
pub(super) fn reachable<'a>(paths: &'a [String], packages: &[Package]) -> Result<Reached, &'a str> {
    let mut reached = Reached { steps: ALWAYS.iter().copied().collect(), ..Reached::default() };
    reached.targets.insert((TESTS.to_owned(), TIDY.to_owned()));
    let mut compiled: BTreeSet<&str> = BTreeSet::new();
    for path in paths {
        if let Some(rule) = RULES.iter().find(|rule| rule.fits(path)) {
            reached.steps.extend(rule.steps);
            compiled.extend(rule.sources);
            reached.packages.extend(rule.tests.iter().map(|&name| name.to_owned()));
            continue;
        }
        let (package, inside) =
            packages.iter().find_map(|package| inside(package, path)).ok_or(path.as_str())?;
        reached.steps.extend(RUST);
        if let Some(test) = inside.strip_prefix("tests/") {
            let stem = test.split_once('/').map_or(test.trim_end_matches(".rs"), |(folder, _)| folder);
            let target = package.tests.iter().find(|name| *name == stem);
            match target {
                Some(target) => drop(reached.targets.insert((package.name.clone(), target.clone()))),
                // Several tests may use the file.
                None => drop(reached.packages.insert(package.name.clone())),
            }
        } else {
            compiled.insert(&package.name);
        }
    }
    while let Some(next) = packages.iter().find(|package| {
        !compiled.contains(&*package.name) && package.needs.iter().any(|name| compiled.contains(&**name))
    }) {
        compiled.insert(&next.name);
    }
    let tested = packages.iter().filter(|package| {
        compiled.contains(&*package.name) || package.tests_need.iter().any(|name| compiled.contains(&**name))
    });
    reached.packages.extend(tested.map(|package| package.name.clone()));
    let started = STARTED.iter().any(|name| compiled.contains(name));
    let journeys = started || reached.has(TESTS, JOURNEYS);
    if !compiled.is_empty() {
        reached.steps.extend(RUST.iter().chain(RUST_SOURCES));
    }
    reached.steps.extend(compiled.contains("mooring-desktop").then_some("bindings"));
    reached.steps.extend(compiled.contains(TESTS).then_some("conformance"));
    let serves = [TESTS, "mooring-cli"].iter().any(|name| compiled.contains(name));
    reached.steps.extend(serves.then_some(GATEWAY_CONFORMANCE));
    reached.steps.extend(started.then_some("window"));
    reached.steps.extend(journeys.then_some(JOURNEYS));
    reached.left_out = reached.left_out_of(packages);
    Ok(reached)
}

/// The path inside the package's folder, if it is one of its sources and doesn't affect other checks.
fn inside<'p, 'a>(package: &'p Package, path: &'a str) -> Option<(&'p Package, &'a str)> {
    let inside = path.strip_prefix(&*package.folder)?.strip_prefix('/')?;
    let is_source = ["src/", "tests/", "examples/", "build.rs"].iter().any(|known| inside.starts_with(known));
    // `xtask` itself decides how the checks run.
    let decides = package.name == "mooring-xtask" && !inside.starts_with("tests/");
    (is_source && !decides).then_some((package, inside))
}

/// All paths that differ from where this branch left `reference`: committed, uncommitted, and new.
pub(super) fn paths(workspace: &Workspace, reference: &str) -> Result<Vec<String>> {
    let git = |arguments: &[&str]| Command::new("git").args(arguments).directory(&workspace.root).capture();
    let base = git(&["merge-base", "HEAD", reference]).with_context(|| {
        format!("cannot compare with {reference}; name another branch or commit: --changed main")
    })?;
    let mut listed = git(&["diff", "--name-only", "--no-renames", "--relative", "-z", base.trim()])?;
    listed.push_str(&git(&["ls-files", "--others", "--exclude-standard", "-z"])?);
    Ok(listed.split_terminator('\0').map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::sync::LazyLock;

    use super::super::steps::STEPS;
    use super::*;

    static WORKSPACE: LazyLock<Workspace> = LazyLock::new(|| Workspace::find().unwrap());
    static PACKAGES: LazyLock<Vec<Package>> = LazyLock::new(|| WORKSPACE.packages().unwrap());

    fn reach(paths: &[&str]) -> Result<Reached, String> {
        let paths: Vec<String> = paths.iter().map(|&path| path.to_owned()).collect();
        reachable(&paths, &PACKAGES).map_err(str::to_owned)
    }

    /// The steps and packages that a path affects, without those that every change affects.
    fn of(path: &str) -> (Vec<&'static str>, Vec<String>) {
        let reached = reach(&[path]).unwrap();
        for step in ALWAYS {
            assert!(reached.steps.contains(step), "{path}: {step}");
        }
        assert!(reached.has(TESTS, TIDY), "{path}");
        let steps = reached.steps.iter().copied().filter(|step| !ALWAYS.contains(step)).collect();
        (steps, reached.packages.into_iter().collect())
    }

    #[test]
    fn a_source_reaches_the_tests_of_all_that_is_built_with_it() {
        let (steps, packages) = of("crates/host/src/host/inbox.rs");
        assert_eq!(
            packages,
            [
                "mooring-catalogue",
                "mooring-cli",
                "mooring-connect",
                "mooring-desktop",
                "mooring-doctor",
                "mooring-gateway",
                "mooring-host",
                "mooring-server-commands",
                "mooring-terminal",
                "mooring-tests",
                "mooring-visits"
            ]
        );
        for step in ["format", "build", "docs", "bindings", "conformance", JOURNEYS, "window"] {
            assert!(steps.contains(&step), "{step}");
        }
        assert!(steps.contains(&GATEWAY_CONFORMANCE));
        assert!(!steps.iter().any(|step| step.starts_with("ui-")), "{steps:?}");
        // The vault's tests need the store, but packages that use the vault don't need it because of that.
        let (_, packages) = of("crates/store/src/open.rs");
        assert!(packages.iter().any(|name| name == "mooring-vault"), "{packages:?}");
        assert!(
            !packages.iter().any(|name| ["mooring-oauth", "mooring-mcp"].contains(&&**name)),
            "{packages:?}"
        );
        let (steps, packages) = of("crates/demo-server/src/main.rs");
        assert_eq!(packages, ["mooring-demo-server"]);
        assert!(steps.contains(&JOURNEYS) && steps.contains(&"window") && !steps.contains(&"conformance"));
        let (steps, _) = of("crates/cli/src/main.rs");
        assert!(steps.contains(&GATEWAY_CONFORMANCE) && !steps.contains(&"conformance"));
        let (_, of_build) = of("crates/store/build.rs");
        let (_, of_migrations) = of("migrations/0001_start.sql");
        assert_eq!(of_build, of_migrations);
    }

    #[test]
    fn a_test_reaches_itself() {
        let steps = ["build", "format", "unused"];
        for path in ["crates/mcp/tests/it/era.rs", "tests/tests/oracle/main.rs", "tests/tests/reliability.rs"]
        {
            let (reached, packages) = of(path);
            assert_eq!((reached.as_slice(), packages.as_slice()), (&steps[..], &[][..]), "{path}");
        }
        let oracle = reach(&["tests/tests/oracle/main.rs"]).unwrap();
        assert!(oracle.has(TESTS, "oracle") && !oracle.has(TESTS, "corpus"));
        assert!(oracle.left_out.iter().any(|left_out| left_out == "mooring-tests but oracle and tidy"));
        let (reached, _) = of("tests/tests/journeys/main.rs");
        assert!(reached.contains(&JOURNEYS) && !reached.contains(&"window"));
        // The file belongs to no single test.
        let (_, packages) = of("crates/host/tests/fixtures/sampling/README.md");
        assert_eq!(packages, ["mooring-host"]);
    }

    #[test]
    fn a_page_reaches_the_window_and_a_document_nearly_nothing() {
        let (steps, packages) = of("ui/src/features/inbox/inbox-screen.tsx");
        assert!(steps.contains(&"ui-tests") && steps.contains(&"window") && !steps.contains(&"build"));
        assert_eq!(packages, ["mooring-desktop"]);
        let (steps, packages) = of("ui/src/features/inbox/two-voices.test.tsx");
        assert!(steps.contains(&"ui-tests") && !steps.contains(&"window") && packages.is_empty());
        for document in ["docs/adr/0000-template.md", "README.md", "docs/images/workbench-dark.png"] {
            assert_eq!(of(document), (vec![], vec![]), "{document}");
        }
        let (steps, _) = of("tests/conformance/package.json");
        assert_eq!(steps, ["conformance", GATEWAY_CONFORMANCE, "ui-format"]);
    }

    #[test]
    fn what_no_rule_knows_reaches_everything() {
        for path in [
            "Cargo.toml",
            "Cargo.lock",
            "crates/host/Cargo.toml",
            "rust-toolchain.toml",
            ".cargo/config.toml",
            "ui/package-lock.json",
            "ui/vite.config.ts",
            "xtask/src/test/steps.rs",
            "tests/login-shell.sh",
            "new/folder.rs",
            "docs",
        ] {
            assert_eq!(reach(&["README.md", path]), Err(path.to_owned()));
        }
    }

    #[test]
    fn rules_name_steps_packages_and_files_that_exist() {
        let steps = RULES.iter().flat_map(|rule| rule.steps).chain(ALWAYS).chain(RUST).chain(RUST_SOURCES);
        for step in steps.chain(&["bindings", "conformance", GATEWAY_CONFORMANCE, JOURNEYS, "window"]) {
            assert!(STEPS.iter().any(|known| known.name == *step), "{step}");
        }
        for name in RULES
            .iter()
            .flat_map(|rule| rule.sources.iter().chain(rule.tests))
            .chain(&STARTED)
            .chain(&[TESTS])
        {
            assert!(PACKAGES.iter().any(|package| package.name == *name), "{name}");
        }
        for path in RULES.iter().flat_map(|rule| rule.paths).filter(|path| !path.starts_with('*')) {
            assert!(WORKSPACE.root.join(path).exists(), "{path}");
        }
    }

    /// Otherwise a change of the file would skip tests that it can break.
    #[test]
    fn what_a_source_includes_reaches_the_same_tests() {
        let from_root =
            |path: &Path| path.strip_prefix(&WORKSPACE.root).unwrap().to_string_lossy().replace('\\', "/");
        let mut included = 0;
        for package in PACKAGES.iter() {
            let mut sources = Vec::new();
            for folder in ["src", "tests", "examples"] {
                rust_sources(&WORKSPACE.root.join(&package.folder).join(folder), &mut sources);
            }
            for source in sources {
                let text = fs::read_to_string(&source).unwrap();
                for file in
                    included_by(&text).filter_map(|file| source.parent()?.join(file).canonicalize().ok())
                {
                    included += 1;
                    let (source, file) = (from_root(&source), from_root(&file));
                    let (Ok(of_source), Ok(of_file)) = (reach(&[&source]), reach(&[&file])) else { continue };
                    let own = of_source.packages.contains(&package.name);
                    assert!(!own || of_file.packages.contains(&package.name), "{source}: {file}");
                    for (of, target) in &of_source.targets {
                        assert!(of_file.has(of, target), "{source}: {file}");
                    }
                }
            }
        }
        assert!(included > 5, "{included}");
    }

    fn included_by(text: &str) -> impl Iterator<Item = &str> {
        let calls = text.split("include_str!(\"").skip(1).chain(text.split("include_bytes!(\"").skip(1));
        calls.filter_map(|call| Some(call.split_once("\")")?.0))
    }

    fn rust_sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                rust_sources(&path, found);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                found.push(path);
            }
        }
    }
}
