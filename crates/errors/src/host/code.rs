//! Error codes for front ends.

use mooring_base::codes;

codes! {
    /// The kinds of errors that front ends distinguish.
    pub enum ErrorCode {
        /// No saved server has this id or name.
        ServerNotFound = "server_not_found",
        /// The name is already taken.
        NameTaken = "name_taken",
        /// A server's settings are invalid.
        InvalidServer = "invalid_server",
        /// A setting's value is invalid.
        InvalidSetting = "invalid_setting",
        /// A pasted configuration cannot be read.
        ImportSyntax = "import_syntax",
        /// A bundle could not be read, unpacked or set up.
        Bundle = "bundle",
        /// The server has no earlier version of a bundle.
        NoEarlierBundle = "no_earlier_bundle",
        /// The registry or its copy could not be used.
        Catalog = "catalog",
        /// A call's arguments are invalid.
        InvalidArguments = "invalid_arguments",
        /// A URI template cannot be expanded.
        InvalidTemplate = "invalid_template",
        /// The server does not offer what was asked for.
        NotOffered = "not_offered",
        /// No task has this id.
        NoSuchTask = "no_such_task",
        /// A limit is reached.
        TooMany = "too_many",
        /// The server is not connected.
        NotConnected = "not_connected",
        /// The server could not be connected.
        Connect = "connect",
        /// The server answered a request with an error, or not at all.
        Request = "request",
        /// A sign-in failed.
        SignIn = "sign_in",
        /// No account has this id.
        NoSuchLogin = "no_such_login",
        /// The account is still signed in.
        LoginInForce = "login_in_force",
        /// The folder is too broad to be granted without another confirmation.
        RootTooWide = "root_too_wide",
        /// The folder cannot be granted as a root.
        RootUnusable = "root_unusable",
        /// No granted folder has this id.
        NoSuchRoot = "no_such_root",
        /// A rule refused the call.
        Denied = "denied",
        /// A definition changed since it was approved.
        DefinitionChanged = "definition_changed",
        /// No rule has this id.
        NoSuchRule = "no_such_rule",
        /// No app has this id.
        NoSuchApp = "no_such_app",
        /// No profile has this name or id.
        NoSuchProfile = "no_such_profile",
        /// A profile is invalid.
        InvalidProfile = "invalid_profile",
        /// The file of an app could not be read or changed.
        AppFile = "app_file",
        /// An app's file changed since the person saw it.
        AppFileChanged = "app_file_changed",
        /// Mooring has no record that it connected this app.
        AppNotConnected = "app_not_connected",
        /// The backup does not exist.
        NoSuchBackup = "no_such_backup",
        /// A rule is invalid.
        InvalidRule = "invalid_rule",
        /// The demo server's program is missing.
        DemoMissing = "demo_missing",
        /// Another window has opened the data folder.
        AlreadyOpen = "already_open",
        /// The disk is full.
        DiskFull = "disk_full",
        /// No location for the data folder is known.
        NoHome = "no_home",
        /// This host does not write the log.
        JournalOff = "journal_off",
        /// The file manager could not show the data folder.
        Reveal = "reveal",
        /// A link was not opened.
        Link = "link",
        /// Something inside Mooring failed.
        Internal = "internal",
        /// A newer version of Mooring wrote the database.
        DatabaseNewer = "database_newer",
        /// The data folder is read-only.
        ReadOnly = "read_only",
        /// Other users can write to the data folder.
        FolderOfOthers = "folder_of_others",
        /// The file is not a Mooring database.
        NotADatabase = "not_a_database",
        /// The database is damaged.
        DatabaseDamaged = "database_damaged",
        /// The database is missing.
        DatabaseMissing = "database_missing",
        /// A different database has replaced the original one.
        DatabaseReplaced = "database_replaced",
        /// Another program has the database locked.
        DatabaseLocked = "database_locked",
        /// The database failed.
        Store = "store",
        /// The passphrase is wrong.
        WrongPassphrase = "wrong_passphrase",
        /// The passphrase is too short or too long.
        UnfitPassphrase = "unfit_passphrase",
        /// The vault is not empty.
        NotEmpty = "not_empty",
        /// The vault is waiting for the system's answer.
        VaultWaiting = "vault_waiting",
        /// The vault is locked.
        VaultLocked = "vault_locked",
        /// No keychain is available.
        VaultUnavailable = "vault_unavailable",
        /// The encrypted values cannot be encrypted again with another key.
        CannotReseal = "cannot_reseal",
        /// Another process is changing the key.
        VaultBusy = "vault_busy",
        /// The vault failed.
        Vault = "vault",
        /// The question is not waiting for an answer.
        NotWaiting = "not_waiting",
        /// The person answered the question too soon after it was opened.
        TooEarly = "too_early",
        /// The answer does not come from the window that opened the question.
        WrongNonce = "wrong_nonce",
        /// The answer does not match the question.
        InvalidAnswer = "invalid_answer",
    }
}
