//! The TypeScript side of the commands and their shapes, made from the Rust side.
//!
//! `cargo run -p mooring-desktop --example bindings` writes them to `ui/src/ipc/bindings`; a test
//! keeps the committed files equal to what is made here.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ts_rs::{Config, ExportError, TS, TypeVisitor};

use crate::commands::command_table;
use crate::dto::{
    AccountView, AppInfo, CallEvent, CallOutcome, CommandCheck, Completion, CompletionReference,
    DecisionView, FormMistake, HostEvent, ImportPreview, InboxView, InteractionAnswer, InteractionOpening,
    IpcError, LogBatch, LogEntry, LogFacets, LogFilter, LogPage, ModelsView, PaintPhase, PinApproval,
    PromptList, ProviderCheck, ProviderInput, ProviderView, ResourceList, RootView, RouteRule, RuleInput,
    RuleView, SamplingPolicy, SecretView, Sentence, ServerInput, ServerRoots, ServerView, Settings,
    SignInInput, SignInView, SignOutView, Simulation, SubscriptionView, TaskView, ToolList, TrustView,
    VaultChoice, VaultView,
};

/// Every generated file: its path below `ui/src/ipc/bindings` and its text.
pub fn files() -> Result<BTreeMap<PathBuf, String>, ExportError> {
    // Whole numbers of 64 bits are row ids, times and sizes here, all below 2^53.
    let config = Config::new().with_large_int("number");
    let mut types = Types::new(&config);
    types.visit::<IpcError>();
    let mut map = String::new();

    macro_rules! describe {
        ($($module:ident { $(
            $(#[doc = $doc:literal])*
            $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty $(, streams $stream:ty)?;
        )* })*) => {
            $($(
                let entry = Entry {
                    docs: &[$($doc),*],
                    name: stringify!($name),
                    args: vec![$((stringify!($arg), types.name_of::<$ty>())),*],
                    ret: types.name_of::<$ret>(),
                    stream: [$(types.name_of::<$stream>())?].into_iter().next(),
                };
                entry.write(&mut map);
            )*)*
        };
    }
    command_table!(describe);

    types.finish(&map)
}

/// Writes the files below `directory`, which holds nothing else: what is no longer generated goes.
pub fn write(directory: &Path) -> Result<(), ExportError> {
    let files = files()?;
    if directory.exists() {
        std::fs::remove_dir_all(directory)?;
    }
    for (path, text) in files {
        let path = directory.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(())
}

/// One command on its way into the TypeScript map.
struct Entry<'a> {
    docs: &'a [&'a str],
    name: &'a str,
    args: Vec<(&'a str, String)>,
    ret: String,
    stream: Option<String>,
}

impl Entry<'_> {
    fn write(&self, out: &mut String) {
        let args =
            self.args.iter().map(|(name, ty)| format!("{}: {ty}", camel_case(name))).collect::<Vec<_>>();
        let args = if args.is_empty() {
            "Record<string, never>".to_owned()
        } else {
            format!("{{ {} }}", args.join("; "))
        };
        let stream = self.stream.as_ref().map(|stream| format!("; stream: {stream}")).unwrap_or_default();
        for doc in self.docs {
            out.push_str("  /**");
            out.push_str(doc);
            out.push_str(" */\n");
        }
        // Writing to a String cannot fail.
        let _ = writeln!(out, "  {}: {{ args: {args}; ret: {}{stream} }};", self.name, self.ret);
    }
}

/// Tauri's own rule for the names of arguments.
fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}

/// Collects the files of all types that are reached, and the imports of the map.
struct Types<'a> {
    config: &'a Config,
    seen: HashSet<TypeId>,
    files: BTreeMap<PathBuf, String>,
    imports: BTreeSet<String>,
    failed: Option<ExportError>,
}

impl<'a> Types<'a> {
    fn new(config: &'a Config) -> Self {
        Self { config, seen: HashSet::new(), files: BTreeMap::new(), imports: BTreeSet::new(), failed: None }
    }

    /// A type's name in the map, which then imports it.
    fn name_of<T: TS + 'static>(&mut self) -> String {
        self.visit::<T>();
        let mut named = Named { config: self.config, names: &mut self.imports };
        named.visit::<T>();
        T::name(self.config)
    }

    fn finish(mut self, map: &str) -> Result<BTreeMap<PathBuf, String>, ExportError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let mut text = String::from(
            "// Generated from the command table in src-tauri. Do not edit this file manually.\n",
        );
        for name in &self.imports {
            let _ = writeln!(text, "import type {{ {name} }} from \"./{name}\";");
        }
        let _ =
            write!(text, "\n/** Every command of the window. */\nexport interface Commands {{\n{map}}}\n");
        self.files.insert(PathBuf::from("commands.ts"), text);
        Ok(self.files)
    }
}

impl TypeVisitor for Types<'_> {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        if let Some(path) = T::output_path() {
            match T::export_to_string(self.config) {
                Ok(text) => {
                    self.files.insert(path, text);
                }
                Err(error) => self.failed = Some(error),
            }
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}

/// Finds the types that a type's name mentions: itself, or what a list or an option holds.
struct Named<'a> {
    config: &'a Config,
    names: &'a mut BTreeSet<String>,
}

impl TypeVisitor for Named<'_> {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if T::output_path().is_some() {
            self.names.insert(T::ident(self.config));
        } else {
            T::visit_generics(self);
        }
    }
}
