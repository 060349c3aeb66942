//! The kinds of errors.

use mooring_base::codes;

codes! {
    /// What front ends tell apart of errors.
    pub enum ErrorCode {
        /// No saved server has this number or name.
        ServerNotFound = "server_not_found",
        /// Another one has this name.
        NameTaken = "name_taken",
        /// A server cannot be as it is entered.
        InvalidServer = "invalid_server",
        /// A setting cannot be as it is entered.
        InvalidSetting = "invalid_setting",
        /// A pasted configuration cannot be read.
        ImportSyntax = "import_syntax",
        /// Arguments cannot be used.
        InvalidArguments = "invalid_arguments",
        /// A template of an address cannot be filled in.
        InvalidTemplate = "invalid_template",
        /// The server does not offer this.
        NotOffered = "not_offered",
        /// No task has this name.
        NoSuchTask = "no_such_task",
        /// There are too many already.
        TooMany = "too_many",
        /// The server is not connected.
        NotConnected = "not_connected",
        /// The server could not be connected.
        Connect = "connect",
        /// The server answered a request with an error, or not at all.
        Request = "request",
        /// A sign-in did not work.
        SignIn = "sign_in",
        /// No login has this number.
        NoSuchLogin = "no_such_login",
        /// The login is not over yet.
        LoginInForce = "login_in_force",
        /// The folder holds more than a server should be told of.
        RootTooWide = "root_too_wide",
        /// The folder cannot be one that servers are told of.
        RootUnusable = "root_unusable",
        /// No granted folder has this number.
        NoSuchRoot = "no_such_root",
        /// A rule refused the call.
        Denied = "denied",
        /// A definition is not what it was.
        DefinitionChanged = "definition_changed",
        /// No rule has this number.
        NoSuchRule = "no_such_rule",
        /// No app has this id.
        NoSuchApp = "no_such_app",
        /// The file of an app could not be read or changed.
        AppFile = "app_file",
        /// The file of an app is not what was shown.
        AppFileChanged = "app_file_changed",
        /// There is no record of having connected an app.
        AppNotConnected = "app_not_connected",
        /// There is no such backup.
        NoSuchBackup = "no_such_backup",
        /// A rule cannot be as it is entered.
        InvalidRule = "invalid_rule",
        /// The demo server's program is not there.
        DemoMissing = "demo_missing",
        /// Another window has the data folder open.
        AlreadyOpen = "already_open",
        /// The disk is full.
        DiskFull = "disk_full",
        /// There is no place for the data folder.
        NoHome = "no_home",
        /// The log is not written here.
        JournalOff = "journal_off",
        /// The data folder could not be shown.
        Reveal = "reveal",
        /// A link was not opened.
        Link = "link",
        /// Something inside Mooring failed.
        Internal = "internal",
        /// The database is of a newer version.
        DatabaseNewer = "database_newer",
        /// The data folder cannot be written.
        ReadOnly = "read_only",
        /// Others can write to the data folder.
        FolderOfOthers = "folder_of_others",
        /// The file is no database of Mooring.
        NotADatabase = "not_a_database",
        /// The database is damaged.
        DatabaseDamaged = "database_damaged",
        /// The database is gone.
        DatabaseMissing = "database_missing",
        /// Another database stands in its place.
        DatabaseReplaced = "database_replaced",
        /// Another program has the database locked.
        DatabaseLocked = "database_locked",
        /// The database failed.
        Store = "store",
        /// The passphrase is another one.
        WrongPassphrase = "wrong_passphrase",
        /// The passphrase is too short or too long.
        UnfitPassphrase = "unfit_passphrase",
        /// The vault holds something.
        NotEmpty = "not_empty",
        /// The vault waits for an answer of the system.
        VaultWaiting = "vault_waiting",
        /// The vault is not open.
        VaultLocked = "vault_locked",
        /// There is no keychain.
        VaultUnavailable = "vault_unavailable",
        /// What is sealed cannot be sealed anew.
        CannotReseal = "cannot_reseal",
        /// Another process changes the key.
        VaultBusy = "vault_busy",
        /// The vault failed.
        Vault = "vault",
        /// The question does not wait for an answer.
        NotWaiting = "not_waiting",
        /// The question was not open for long enough.
        TooEarly = "too_early",
        /// The answer does not come from where the question was opened.
        WrongNonce = "wrong_nonce",
        /// It is no answer to the question.
        InvalidAnswer = "invalid_answer",
    }
}
