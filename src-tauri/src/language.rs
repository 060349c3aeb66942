//! The language of texts outside the window: notifications and the tray.

use mooring_settings::Language;
use mooring_words::Sentence;

/// Whether texts outside the window are in Chinese.
pub(crate) fn is_chinese(language: Language) -> bool {
    match language {
        Language::SimplifiedChinese => true,
        Language::English => false,
        Language::System => {
            let asked =
                ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().filter_map(|name| std::env::var(name).ok());
            asked.into_iter().find(|value| !value.is_empty()).is_some_and(|value| value.starts_with("zh"))
        }
    }
}

/// Picks the text in the right language.
pub(crate) fn in_language(language: Language, chinese: String, english: &Sentence) -> String {
    if is_chinese(language) { chinese } else { english.to_string() }
}
