//! What the checks of `mooring doctor` need to know. They use the same code as a connection does.

use std::sync::Arc;

use mooring_accounts::{DecryptedSecret, SignInInspection, SignInOptions};
use mooring_base::server_id::ServerId;
use mooring_connections::{FoundProgram, LaunchContext, Target, find_program, known_secrets, resolve_target};
use mooring_definitions::NewServer;
use mooring_errors::{Failure, HostError};
use mooring_network::Network;
use mooring_oauth::StepObserver;
use mooring_policy::secret_arguments;
use mooring_process::LoginShellPath;
use mooring_recorder::{KnownSecrets, Recorder};
use url::Url;

use super::Host;

impl Host {
    /// The saved server of a target, its settings, and where it runs.
    pub fn target_settings(
        &self,
        target: Target,
    ) -> Result<(Option<ServerId>, NewServer, LaunchContext), HostError> {
        resolve_target(&self.inner.registry, target)
    }

    /// Finds the program and the working directory of a server, as its start does.
    pub async fn find_program(
        &self,
        config: &NewServer,
        place: &LaunchContext,
    ) -> Result<FoundProgram, Failure> {
        find_program(config, place, &self.inner.login).await
    }

    /// The login shell's search path. Waits for the shell.
    pub async fn login_shell_path(&self) -> Arc<LoginShellPath> {
        self.inner.login.path().await
    }

    /// The network settings in force.
    pub fn network(&self) -> &Network {
        &self.inner.network
    }

    /// A recorder that removes the secrets of these settings, also from arguments, and that logs nothing by
    /// itself.
    pub fn redactor<'a>(&self, configs: impl IntoIterator<Item = &'a NewServer>) -> Recorder {
        let (mut secrets, mut values) = (KnownSecrets::default(), Vec::new());
        for config in configs {
            secrets.add_all(known_secrets(config));
            for argument in secret_arguments(&config.args).into_iter().filter_map(|at| config.args.get(at)) {
                let value = argument.split_once(['=', ' ']).map(|(_, value)| value);
                values.extend([Some(argument.as_str()), value].into_iter().flatten());
            }
        }
        let recorder = self.inner.journal.recorder(None, "doctor".into(), secrets);
        recorder.add_secrets(values);
        recorder
    }

    /// Makes `recorder` remove the encrypted values of a server as well. Only useful once the vault is open.
    pub async fn redact_encrypted(&self, recorder: &Recorder, server: Option<ServerId>, config: &NewServer) {
        match self.inner.secrets.values(server, config.url.as_deref(), &config.secrets).await {
            Ok(values) => recorder.add_secrets(values.iter().flat_map(DecryptedSecret::texts)),
            // The server wasn't started with a value that can't be decrypted.
            Err(error) => tracing::debug!(?error, "a server’s encrypted values are not known"),
        }
    }

    /// Finds out how to sign in to a server, without a browser and without registering anything. Each step is
    /// reported to `trail`.
    pub async fn inspect_sign_in(
        &self,
        server: Option<ServerId>,
        url: &Url,
        trail: StepObserver,
    ) -> SignInInspection {
        let wanted =
            SignInOptions { document: self.settings().client_document(), ..SignInOptions::default() };
        self.inner.sign_ins.inspect(server, url, &wanted, trail).await
    }
}
