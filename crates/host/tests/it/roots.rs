//! Folders that servers may see: granted, renamed, revoked, and checked again.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_errors::HostError;
use mooring_host::Host;
use mooring_inbox::{InteractionAnswer, InteractionQuestion, InteractionView, Remember};
use mooring_log::LogQuery;
use mooring_roots::{RootBreadth, RootError};
use mooring_server_state::{HostEvent, StateName};
use serde_json::{Value, json};

use crate::clock::advance;
use crate::support::{LIMIT, call, ignore_events, open, says_what_remembers, scripted, until_state, window};

fn unusable(error: &HostError) -> bool {
    error.code().as_str() == "root_unusable"
}

// Requirements: ROOT-03, ROOT-06.
#[cfg(unix)]
#[tokio::test]
async fn of_forty_paths_only_real_folders_are_granted_and_each_once() {
    let (home, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let real = place.path().canonicalize().unwrap();
    std::fs::create_dir_all(real.join("project/inner")).unwrap();
    std::fs::create_dir(real.join("other # 100%")).unwrap();
    std::fs::write(real.join("file"), "").unwrap();
    std::os::unix::fs::symlink(real.join("project"), real.join("link")).unwrap();
    std::os::unix::fs::symlink("/", real.join("everything")).unwrap();
    std::os::unix::fs::symlink(real.join("loop"), real.join("loop")).unwrap();
    std::os::unix::fs::symlink(real.join("nowhere"), real.join("dangling")).unwrap();
    let host = open(home.path(), false).await;
    let grant = async |path: &str| host.folders().grant(None, path, None, RootBreadth::Narrow).await;
    let below = |path: &str| real.join(path).display().to_string();

    let good = [
        "project",
        "project/",
        "project/.",
        "project//",
        "./project",
        "link",
        "link/",
        "link/.",
        "link/inner/..",
        "project/inner/..",
        "project/inner/../../project",
        "everything/../PLACE/project",
        "other # 100%",
    ];
    let outside = real.strip_prefix("/").unwrap().display().to_string();
    let mut tried = 0;
    for path in good {
        let path = below(path).replace("everything/../PLACE", &format!("everything/{outside}"));
        let root = grant(&path).await.unwrap_or_else(|error| panic!("{path}: {error}"));
        let expected = if path.contains('#') { "other # 100%" } else { "project" };
        assert_eq!(root.path, real.join(expected), "{path}");
        assert_eq!((root.wide, root.problem), (false, None));
        tried += 1;
    }
    let bad = [
        "file",
        "file/",
        "file/..",
        "file/../project",
        "absent",
        "absent/..",
        "project/absent/../absent",
        "loop",
        "loop/x",
        "dangling",
        "dangling/..",
        "pro\0ject",
        "%70roject",
        "project%2f..",
        "..%2f..%2fetc",
        "\u{202e}project",
        "project\u{200b}",
    ];
    for path in bad {
        let refused = grant(&below(path)).await.unwrap_err();
        assert!(unusable(&refused), "{path:?}: {refused}");
        tried += 1;
    }
    for path in
        ["", ".", "..", "project", "file:///etc", "file://host/share", "\\\\host\\share", "smb://host/share"]
    {
        let refused = grant(path).await.unwrap_err();
        assert!(matches!(refused, HostError::Root(RootError::Relative(_))), "{path:?}: {refused}");
        tried += 1;
    }
    for path in ["/", &below("everything"), "//", "/..", "~", "~/"] {
        let refused = grant(path).await.unwrap_err();
        assert_eq!(refused.code().as_str(), "root_too_wide", "{path:?}: {refused}");
        tried += 1;
    }
    assert!(tried >= 40, "{tried}");
    let granted: Vec<PathBuf> =
        host.folders().list().await.unwrap().into_iter().map(|root| root.path).collect();
    assert_eq!(granted, [real.join("project"), real.join("other # 100%")]);
    host.shutdown().await;
}

// Requirements: ROOT-06, ROOT-07.
#[tokio::test]
async fn a_folder_is_granted_named_taken_back_and_granted_again() {
    let (home, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folder = place.path().canonicalize().unwrap().join("one");
    std::fs::create_dir(&folder).unwrap();
    let host = open(home.path(), false).await;
    let server = host.add_server(scripted("server", &["ok"])).await.unwrap().id;
    let other = host.add_server(scripted("other", &["ok"])).await.unwrap().id;
    let path = folder.display().to_string();
    let own = host
        .folders()
        .grant(Some(server), &path, Some(" Mine ".to_owned()), RootBreadth::Narrow)
        .await
        .unwrap();
    assert_eq!((own.server, own.name.as_deref()), (Some(server), Some("Mine")));
    let for_all = host.folders().grant(None, &path, None, RootBreadth::Wide).await.unwrap();
    assert!(!for_all.wide, "a second yes counts only where it was needed");

    // A server only sees its own folders until the person shares the others.
    let told = async |server: ServerId| {
        let granted = host.folders().granted(server).await.unwrap();
        granted.iter().map(|root| root.path().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((told(server).await.len(), told(other).await.len()), (1, 0));
    host.folders().share(other, true).await.unwrap();
    assert_eq!(told(other).await, std::slice::from_ref(&folder));
    assert_eq!(host.folders().of_server(other).await.unwrap().shared, Some(true));
    host.folders().share(other, false).await.unwrap();
    assert!(told(other).await.is_empty());

    assert_eq!(host.folders().rename(own.id, None).await.unwrap().name, None);
    let long = "x".repeat(128);
    assert!(host.folders().rename(own.id, Some(long.clone())).await.is_ok());
    for name in [format!("{long}x"), "a\nb".to_owned()] {
        assert!(unusable(&host.folders().rename(own.id, Some(name)).await.unwrap_err()));
    }
    host.folders().remove(own.id).await.unwrap();
    assert!(told(server).await.is_empty());
    assert_eq!(host.folders().remove(own.id).await.unwrap_err().code().as_str(), "no_such_root");
    assert_eq!(host.folders().restore(own.id).await.unwrap().path, folder);
    assert_eq!(told(server).await, std::slice::from_ref(&folder));

    // A deleted folder remains granted, and is shown with the reason.
    std::fs::remove_dir(&folder).unwrap();
    let roots = host.folders().of_server(server).await.unwrap().roots;
    assert!(roots.iter().all(|root| root.problem.is_some()), "{roots:?}");
    host.shutdown().await;
    let host = open(home.path(), false).await;
    assert_eq!(host.folders().list().await.unwrap().len(), 2);
    host.shutdown().await;
}

// Requirements: ROOT-06.
#[tokio::test]
async fn a_hundred_folders_are_granted_and_no_more() {
    let (home, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let host = open(home.path(), false).await;
    let grant = async |number: usize| {
        let folder: &Path = &place.path().join(number.to_string());
        std::fs::create_dir_all(folder).unwrap();
        host.folders().grant(None, &folder.display().to_string(), None, RootBreadth::Narrow).await
    };
    for number in 0..100 {
        grant(number).await.unwrap();
    }
    assert!(matches!(grant(100).await.unwrap_err(), HostError::Root(RootError::TooMany(100))));
    assert!(grant(7).await.is_ok(), "one that is granted can be granted again");
    host.shutdown().await;
}

/// Makes the server request the folders during a call, and returns those that it received.
pub(crate) async fn asked(host: &Host, server: ServerId) -> Vec<Value> {
    let arguments = json!({ "method": "roots/list", "params": {} });
    let outcome = host.call_tool(server, call("ask", &arguments), ignore_events()).await.unwrap();
    let result: Value = serde_json::from_str(outcome.result.unwrap().get()).unwrap();
    let answer: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    answer["result"]["roots"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
}

/// Waits for the next question.
async fn next(host: &Host) -> InteractionView {
    let mut events = host.events();
    loop {
        if let Some(question) = host.inbox().waiting.first() {
            break question.clone();
        }
        let _lagged = tokio::time::timeout(LIMIT, events.recv()).await.unwrap();
    }
}

/// Answers the next question.
pub(crate) async fn decide(host: &Host, answer: InteractionAnswer) {
    let question = next(host).await;
    assert!(matches!(&question.question, InteractionQuestion::Roots { folders } if folders.len() == 1));
    let opening = host.open_interaction(question.id).unwrap();
    advance(opening.armed_in);
    let reply = host.answer_interaction(question.id, &opening.nonce, answer).await.unwrap();
    says_what_remembers(host, &reply).await;
}

// Requirements: ROOT-01, ROOT-02, ROOT-04, ROOT-07.
#[tokio::test]
async fn running_server_learns_of_granted_roots_and_shared_after_yes() {
    let (home, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let host = window(home.path()).await;
    let server = host.add_server(scripted("server", &["ok"])).await.unwrap().id;
    until_state(&host, server, StateName::Ready).await;
    assert_eq!(host.folders().of_server(server).await.unwrap().sent, None);
    assert!(asked(&host, server).await.is_empty(), "nothing is told by default");
    assert_eq!(host.folders().of_server(server).await.unwrap().sent, Some(0));
    for name in ["own", "common"] {
        std::fs::create_dir(place.path().join(name)).unwrap();
    }
    let path = |name: &str| place.path().join(name).display().to_string();
    host.folders().grant(Some(server), &path("own"), None, RootBreadth::Narrow).await.unwrap();
    assert_eq!(asked(&host, server).await.len(), 1);
    let told = host.folders().of_server(server).await.unwrap();
    assert_eq!((told.asked_ms.is_some(), told.sent), (true, Some(1)));
    host.flush_log().await;
    let query =
        LogQuery { method: Some("notifications/roots/list_changed".to_owned()), ..LogQuery::default() };
    assert_eq!(host.log_count(&query).await.unwrap(), 1);

    let common = host.folders().grant(None, &path("common"), None, RootBreadth::Narrow).await.unwrap();
    let no = InteractionAnswer::Decline { remember: Remember::Once };
    let (told, ()) = tokio::join!(asked(&host, server), decide(&host, no));
    assert_eq!(told.len(), 1, "{told:?}");
    let yes = InteractionAnswer::Accept { content: None, remember: Remember::Always };
    let (told, ()) = tokio::join!(asked(&host, server), decide(&host, yes));
    assert_eq!(told.len(), 2, "{told:?}");
    // The answer is remembered: the person is not asked again until it is revoked.
    assert_eq!(asked(&host, server).await.len(), 2);
    assert_eq!(host.folders().of_server(server).await.unwrap().shared, Some(true));
    host.folders().share(server, false).await.unwrap();
    assert_eq!(asked(&host, server).await.len(), 1);
    host.folders().remove(common.id).await.unwrap();
    host.shutdown().await;
}

// Requirements: ROOT-02, ROOT-07, SEC-02.
#[tokio::test]
async fn temporary_approval_covers_only_the_folders_shown() {
    let (home, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let host = window(home.path()).await;
    let server = host.add_server(scripted("server", &["ok"])).await.unwrap().id;
    until_state(&host, server, StateName::Ready).await;
    let grant = async |name: &str| {
        std::fs::create_dir(place.path().join(name)).unwrap();
        let path = place.path().join(name).display().to_string();
        host.folders().grant(None, &path, None, RootBreadth::Narrow).await.unwrap()
    };
    let names = |told: Vec<Value>| -> Vec<String> {
        told.iter().map(|root| root["name"].as_str().unwrap().to_owned()).collect()
    };
    let shared = async || host.folders().of_server(server).await.unwrap().shared;
    let yes = |remember| InteractionAnswer::Accept { content: None, remember };
    let no = |remember| InteractionAnswer::Decline { remember };
    let mut known = Vec::new();
    for (name, remember) in [("first", Remember::Session), ("second", Remember::Hour)] {
        grant(name).await;
        let (told, ()) = tokio::join!(asked(&host, server), decide(&host, no(Remember::Once)));
        assert_eq!(names(told), known, "nobody has said yes to {name}");
        let (told, ()) = tokio::join!(asked(&host, server), decide(&host, yes(remember)));
        known.push(name.to_owned());
        assert_eq!(names(told), known);
        assert_eq!(names(asked(&host, server).await), known, "remembered");
    }
    // A temporary no also covers future folders, and revokes nothing.
    let third = grant("third").await;
    let (told, ()) = tokio::join!(asked(&host, server), decide(&host, no(Remember::Session)));
    assert_eq!(names(told), known);
    grant("fourth").await;
    assert_eq!(names(asked(&host, server).await), known);
    assert_eq!((third.server, shared().await), (None, Some(true)));
    host.folders().share(server, false).await.unwrap();
    assert!(asked(&host, server).await.is_empty());
    assert_eq!(shared().await, Some(false));
    host.shutdown().await;
}

// Requirements: ROOT-02, ROOT-04, ROOT-06.
#[tokio::test]
async fn folders_changed_during_review_are_shared_only_as_reviewed() {
    let (home, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let host = window(home.path()).await;
    let server = host.add_server(scripted("server", &["ok"])).await.unwrap().id;
    until_state(&host, server, StateName::Ready).await;
    let grant = async |server, name: &str| {
        let folder = place.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        host.folders().grant(server, &folder.display().to_string(), None, RootBreadth::Narrow).await.unwrap()
    };
    let own = grant(Some(server), "own").await;
    let revoked = grant(None, "revoked").await;
    grant(None, "stays").await;
    let gone = grant(None, "gone").await;
    std::fs::remove_dir(&gone.path).unwrap();
    let deciding = async {
        let question = next(&host).await;
        let InteractionQuestion::Roots { folders } = &question.question else { panic!("{question:?}") };
        let shown: Vec<_> = folders
            .iter()
            .map(|folder| {
                let name = Path::new(&folder.path).file_name().unwrap().to_str().unwrap();
                (name, folder.problem.as_ref().is_some_and(|why| why.contains("can’t be used")))
            })
            .collect();
        assert_eq!(shown, [("revoked", false), ("stays", false), ("gone", true)]);
        let opening = host.open_interaction(question.id).unwrap();
        host.folders().remove(own.id).await.unwrap();
        host.folders().remove(revoked.id).await.unwrap();
        grant(None, "later").await;
        grant(Some(server), "own too").await;
        advance(opening.armed_in);
        let yes = InteractionAnswer::Accept { content: None, remember: Remember::Once };
        host.answer_interaction(question.id, &opening.nonce, yes).await.unwrap();
    };
    let (told, ()) = tokio::join!(asked(&host, server), deciding);
    assert_eq!(told.iter().map(|root| &root["name"]).collect::<Vec<_>>(), ["own too", "stays"]);
    host.shutdown().await;
}

// Requirements: ROOT-07.
#[tokio::test]
async fn folders_changed_by_another_process_reach_running_servers() {
    let (home, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let host = window(home.path()).await;
    let ids = [
        host.add_server(scripted("one", &["ok"])).await.unwrap().id,
        host.add_server(scripted("two", &["ok"])).await.unwrap().id,
    ];
    for id in ids {
        until_state(&host, id, StateName::Ready).await;
        assert!(asked(&host, id).await.is_empty());
    }
    let told = async |counts: [i64; 2]| {
        let heard = async {
            loop {
                host.flush_log().await;
                let mut found = [0; 2];
                for (id, found) in ids.iter().zip(&mut found) {
                    let query = LogQuery {
                        server_id: Some(id.0),
                        method: Some("notifications/roots/list_changed".to_owned()),
                        ..LogQuery::default()
                    };
                    *found = host.log_count(&query).await.unwrap();
                }
                if found == counts {
                    return;
                }
                assert!(found.iter().zip(counts).all(|(found, most)| *found <= most), "{found:?} {counts:?}");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(LIMIT, heard).await.unwrap();
    };
    let mut events = host.events();
    let command = open(home.path(), false).await;
    let path = place.path().display().to_string();
    let own = command.folders().grant(Some(ids[0]), &path, None, RootBreadth::Narrow).await.unwrap();
    told([1, 0]).await;
    let is_told = async { while !matches!(events.recv().await, Ok(HostEvent::RootsChanged)) {} };
    tokio::time::timeout(LIMIT, is_told).await.unwrap();
    assert_eq!(asked(&host, ids[0]).await.len(), 1);
    command.folders().grant(None, &path, None, RootBreadth::Narrow).await.unwrap();
    told([2, 1]).await;
    command.folders().share(ids[1], true).await.unwrap();
    told([2, 2]).await;
    assert_eq!(asked(&host, ids[1]).await.len(), 1);
    command.folders().remove(own.id).await.unwrap();
    told([3, 2]).await;
    // A change in the window itself is announced immediately and once.
    host.folders().share(ids[0], false).await.unwrap();
    told([4, 2]).await;
    command.folders().share(ids[1], false).await.unwrap();
    told([4, 3]).await;
    command.shutdown().await;
    host.shutdown().await;
}

// Requirements: ROOT-03.
#[cfg(unix)]
#[tokio::test]
async fn folder_name_ending_with_a_space_is_preserved() {
    let (home, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let real = place.path().canonicalize().unwrap();
    for name in ["project", "project "] {
        std::fs::create_dir(real.join(name)).unwrap();
    }
    let host = open(home.path(), false).await;
    let picked = real.join("project ");
    let root =
        host.folders().grant(None, &picked.display().to_string(), None, RootBreadth::Narrow).await.unwrap();
    assert_eq!(root.path, picked);
    host.shutdown().await;
}

// Requirements: ROOT-06.
#[cfg(target_os = "linux")]
#[test]
fn unreadable_folder_is_rejected_and_later_left_out() {
    use std::os::unix::fs::PermissionsExt as _;

    let may = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let test = async {
        let (home, place) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let host = window(home.path()).await;
        let server = host.add_server(scripted("server", &["ok"])).await.unwrap().id;
        until_state(&host, server, StateName::Ready).await;
        let folder = |name: &str| place.path().join(name);
        for name in ["open", "shut", "within/shut"] {
            std::fs::create_dir_all(folder(name)).unwrap();
        }
        let grant = async |name: &str| {
            host.folders()
                .grant(Some(server), &folder(name).display().to_string(), None, RootBreadth::Narrow)
                .await
        };
        may(&folder("shut"), 0);
        let refused = grant("shut").await.unwrap_err();
        assert!(unusable(&refused) && refused.to_string().contains("permission was denied"), "{refused}");
        may(&folder("shut"), 0o700);
        for name in ["open", "shut", "within/shut"] {
            grant(name).await.unwrap();
        }
        assert_eq!(asked(&host, server).await.len(), 3);

        // One folder can't be listed, another can't be reached.
        may(&folder("shut"), 0o300);
        may(&folder("within"), 0o600);
        let told = asked(&host, server).await;
        assert_eq!(told.iter().map(|root| &root["name"]).collect::<Vec<_>>(), ["open"]);
        let shown = host.folders().of_server(server).await.unwrap().roots;
        let why: Vec<_> = shown
            .iter()
            .map(|root| root.problem.as_ref().map(|problem| problem.sentence().to_string()))
            .collect();
        assert_eq!(why[0], None);
        for why in &why[1..] {
            assert!(why.as_ref().is_some_and(|why| why.contains("permission was denied")), "{why:?}");
        }
        may(&folder("shut"), 0o700);
        may(&folder("within"), 0o700);
        assert_eq!(asked(&host, server).await.len(), 3);
        host.shutdown().await;
    };
    // This thread and the threads that it starts must not bypass permissions as root.
    mooring_testkit::without_dac_override(|| {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
    });
}
