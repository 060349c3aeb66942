//! Answers servers' requests: with preset answers, through an app, or through the person in the Inbox.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use mooring_answers::PresetAnswers;
use mooring_approvals::ListedIn;
use mooring_base::server_id::ServerId;
use mooring_connections::{ConnectionSpec, Responder};
use mooring_definitions::{NewServer, Transport};
use mooring_folders::RootGrants;
use mooring_inbox::{
    AppResponders, Interactions, RequestingServer, ResponseToServer, ServerPrompter, elicit,
};
use mooring_mcp::{
    CallerAdditions, ClientCapabilities, Question, QuestionContext, QuestionKind, QuestionOrigin, Refusal,
    RequestCaller,
};
use mooring_recorder::Recorder;
use mooring_roots::AppRoots;
use mooring_sampling::SamplingService;
use mooring_server_state::{HostEvent, send_event};
use mooring_store::Servers;
use tokio::sync::broadcast;
use url::Url;

/// What all connections of a host share to answer servers' requests.
pub(crate) struct ResponderFactory {
    /// Preset answers for when no person is present.
    pub(crate) answers: OnceLock<Arc<PresetAnswers>>,
    /// Asks the person.
    pub(crate) interactions: Arc<Interactions>,
    pub(crate) models: Arc<SamplingService>,
    pub(crate) folders: Arc<RootGrants>,
    pub(crate) servers: Servers,
    pub(crate) events: broadcast::Sender<HostEvent>,
    /// Apps that answer questions which servers ask during the apps' requests.
    pub(crate) apps: AppResponders,
    /// Whether saved servers are kept running, so that they may ask. Without a person, only questions that
    /// need no person are answered.
    pub(crate) supervise: bool,
    /// Whether there is a person to ask. True only for the window.
    pub(crate) has_person: bool,
    /// Whether to declare the capabilities that a gateway declares, because what servers offer may depend on
    /// them.
    pub(crate) declares_as_gateway: AtomicBool,
}

impl fmt::Debug for ResponderFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponderFactory").field("has_person", &self.has_person).finish_non_exhaustive()
    }
}

impl ResponderFactory {
    /// Creates the responder for a connection to this server.
    pub(crate) fn make(self: &Arc<Self>, spec: &ConnectionSpec) -> Arc<dyn Responder> {
        let server = spec.server;
        let prompter = server
            .filter(|_| self.supervise || self.declares_as_gateway.load(Ordering::Relaxed))
            .map(|server| ServerPrompter::new(Arc::clone(&self.interactions), asker(server, &spec.config)));
        let is_for_apps = spec.role.listed_in == ListedIn::Session;
        let roots = spec.roots.clone();
        Arc::new(ServerResponder { factory: Arc::clone(self), server, prompter, roots, is_for_apps })
    }
}

/// Describes the asking server for the person.
fn asker(server: ServerId, config: &NewServer) -> RequestingServer {
    let place = match config.transport {
        Transport::Stdio => config.command.clone(),
        Transport::Http => config.url.as_deref().and_then(|url| Url::parse(url).ok()).map(|url| {
            // A URL with a host has an origin.
            url.origin().ascii_serialization()
        }),
    };
    let name = config.name.clone();
    RequestingServer { server, name, transport: config.transport, place: place.unwrap_or_default() }
}

struct ServerResponder {
    factory: Arc<ResponderFactory>,
    server: Option<ServerId>,
    prompter: Option<ServerPrompter>,
    /// The folders of the apps that use this instance.
    roots: Option<AppRoots>,
    /// Whether this is a session that only apps use. It declares everything that an app could answer, and
    /// refuses the request if the calling app can't.
    is_for_apps: bool,
}

impl Responder for ServerResponder {
    fn capabilities(&self) -> ClientCapabilities {
        match (self.factory.answers.get(), &self.prompter) {
            (Some(answers), _) => answers.capabilities(),
            (None, Some(prompter)) => {
                let offered = mooring_sampling::create_message::sampling_capability(
                    &self.factory.models,
                    prompter.asker().server,
                );
                ClientCapabilities {
                    forms: true,
                    urls: true,
                    roots: true,
                    sampling: offered.sampling || self.is_for_apps,
                    sampling_tools: offered.tools || self.is_for_apps,
                    tasks: false,
                }
            }
            (None, None) => ClientCapabilities::default(),
        }
    }

    fn capabilities_of(&self, caller: &RequestCaller) -> ClientCapabilities {
        self.factory.apps.capabilities(caller)
    }

    fn additions_of(&self, caller: &RequestCaller) -> CallerAdditions {
        self.factory.apps.additions(caller)
    }

    fn answer(
        &self,
        question: Question,
        name: &str,
        recorder: &Arc<Recorder>,
    ) -> BoxFuture<'static, ResponseToServer> {
        let is_apps = question.kind != QuestionKind::Roots && self.factory.apps.are_calling(&question.origin);
        let is_named = !matches!(
            question.origin,
            QuestionOrigin::Request {
                occasion: QuestionContext::OnlyPending(_) | QuestionContext::AnyPending(_),
                ..
            }
        );
        let answered = self.dispatch_question(question, name, recorder, is_apps);
        // The question names no request, so the attribution relies on a single app calling. Note this for the
        // server.
        let Some(server) = self.server.filter(|_| is_apps && !is_named) else { return answered };
        let servers = self.factory.servers.clone();
        async move {
            if let Err(error) = servers.set_asks_apps(server.0).await {
                tracing::warn!(%error, "that a server asks apps could not be saved");
            }
            answered.await
        }
        .boxed()
    }

    fn prompter(&self, name: &str) -> Option<ServerPrompter> {
        self.prompter.as_ref().filter(|_| self.factory.has_person).map(|prompter| prompter.with_name(name))
    }

    fn is_waiting(&self) -> bool {
        self.prompter
            .as_ref()
            .is_some_and(|prompter| prompter.interactions().has_waiting(prompter.asker().server))
    }

    fn complete_elicitation(&self, elicitation: &str) {
        if let Some(prompter) = &self.prompter {
            prompter.interactions().complete_elicitation(prompter.asker().server, elicitation);
        }
    }

    fn forget_opened_urls(&self) {
        if let Some(prompter) = &self.prompter {
            prompter.interactions().forget_opened(prompter.asker().server);
        }
    }

    fn person_started(&self) {
        self.factory.models.rounds.reset(self.server);
    }
}

impl ServerResponder {
    /// Sends the question to the app, the person, or the preset answers. `is_apps` means that it belongs to
    /// an app's current call.
    fn dispatch_question(
        &self,
        question: Question,
        name: &str,
        recorder: &Arc<Recorder>,
        is_apps: bool,
    ) -> BoxFuture<'static, ResponseToServer> {
        if let Some(answered) = self.ask_app(&question, name, recorder) {
            return answered;
        }
        if let (QuestionKind::Roots, Some(roots)) = (question.kind, &self.roots) {
            return std::future::ready(Ok(roots.result())).boxed();
        }
        let models = Arc::clone(&self.factory.models);
        let prompter = self.prompter.as_ref().map(|prompter| prompter.with_name(name));
        match (self.factory.answers.get(), prompter) {
            (Some(answers), _) => Arc::clone(answers).answer(question, self.server, models, recorder),
            (None, Some(prompter)) => match question.kind {
                // Dismissing it would look like a decision of the person.
                QuestionKind::Elicitation if is_apps && !self.factory.has_person => {
                    let message = match self.factory.apps.of(&question.origin) {
                        Some(_) => {
                            "this can't be asked at the app that called, and nobody is at Mooring to answer"
                        }
                        None => {
                            "several apps are calling, it is unknown which of them this is for, and nobody is at Mooring to answer"
                        }
                    };
                    std::future::ready(Err(Refusal { code: -32603, message: message.to_owned() })).boxed()
                }
                QuestionKind::Elicitation => {
                    let recorder = Arc::clone(recorder);
                    elicit::answer(prompter, question, is_apps, move |secrets| {
                        recorder.add_field_secrets(secrets);
                    })
                    .boxed()
                }
                QuestionKind::Sampling => {
                    mooring_sampling::create_message::answer(prompter, question, models)
                }
                QuestionKind::Roots => {
                    let (folders, events) = (Arc::clone(&self.factory.folders), self.factory.events.clone());
                    let changed = move || send_event(&events, HostEvent::RootsChanged);
                    mooring_folders::answer(prompter, question, folders, changed).boxed()
                }
            },
            // No capability was declared, so the engine has already refused the request.
            (None, None) => {
                std::future::ready(Err(Refusal { code: -32601, message: "Method not found".to_owned() }))
                    .boxed()
            }
        }
    }

    /// Asks the app whose request caused the question, if it can answer.
    fn ask_app(
        &self,
        question: &Question,
        name: &str,
        recorder: &Arc<Recorder>,
    ) -> Option<BoxFuture<'static, ResponseToServer>> {
        // All apps share one process, so its folders are the person's choice. Stateless requests share
        // nothing, so the app may answer for them.
        let key = match &question.origin {
            QuestionOrigin::InputRequired { key, .. } | QuestionOrigin::Task { key, .. } => {
                Some(key.as_str())
            }
            QuestionOrigin::Request { .. } | QuestionOrigin::UrlRequired { .. } => None,
        };
        if question.kind == QuestionKind::Roots && key.is_none() {
            return None;
        }
        let app = self.factory.apps.of(&question.origin)?;
        if question.kind != QuestionKind::Elicitation {
            return app.answer(question.kind, &question.params, key);
        }
        let params = elicit::for_app(&question.params, (!app.sees_one_server()).then_some(name))?;
        let answered = app.answer(question.kind, &params, key)?;
        let (params, recorder) = (question.params.clone(), Arc::clone(recorder));
        let answered = async move {
            let result = answered.await?;
            elicit::keep_out_secrets(&params, &result, |secrets| recorder.add_field_secrets(secrets));
            Ok(result)
        };
        Some(answered.boxed())
    }
}
