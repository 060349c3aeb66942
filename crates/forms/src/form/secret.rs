//! Finds fields that seem to ask for a secret. No server may ask for secrets in a form (ELIC-20).

use mooring_base::credentials::looks_secret;
use serde_json::Number;

use super::{Field, FieldKind};

/// Words of several languages for secrets that do not belong in a form. They also match inside longer words.
const SECRET_PARTS: [&str; 44] = [
    "password",
    "passwd",
    "passphrase",
    "passwort",
    "kennwort",
    "contraseña",
    "contrasena",
    "motdepasse",
    "mot de passe",
    "senha",
    "parola",
    "пароль",
    "密码",
    "密碼",
    "口令",
    "暗証",
    "パスワード",
    "비밀번호",
    "secret",
    "geheim",
    "密钥",
    "密鑰",
    "apikey",
    "accesskey",
    "privatekey",
    "token",
    "令牌",
    "credential",
    "seedphrase",
    "mnemonic",
    "recoverycode",
    "backupcode",
    "verificationcode",
    "securitycode",
    "验证码",
    "驗證碼",
    "creditcard",
    "cardnumber",
    "kreditkarte",
    "kartennummer",
    "信用卡",
    "银行卡",
    "iban",
    "socialsecurity",
];
/// Words for secrets that only match as whole words.
const SECRET_WORDS: [&str; 15] = [
    "pin", "tan", "otp", "totp", "mfa", "2fa", "cvv", "cvc", "cvv2", "ssn", "pwd", "pass", "bearer", "jwt",
    "key",
];

/// The largest number with three digits. The shortest numeric secrets have three digits, so a range that ends
/// below this number contains no secrets.
const MAX_THREE_DIGITS: f64 = 999.0;

/// Whether a field asks for something that looks like a secret.
///
/// A boolean, choices or a number from 1 to 100 can't be a secret. The texts of such a field, such as "do not
/// tell us your PIN", are no reason for a warning.
pub fn asks_for_secret(field: &Field) -> bool {
    if !can_hold_secret(&field.kind) {
        return false;
    }
    let texts = [Some(&field.name), field.title.as_ref(), field.description.as_ref()];
    looks_secret(&field.name) || texts.into_iter().flatten().any(|text| names_secret(text))
}

/// Whether the answers to a field can be secrets.
fn can_hold_secret(kind: &FieldKind) -> bool {
    let below = |bound: &Option<Number>, sign: f64| {
        bound.as_ref().and_then(Number::as_f64).is_some_and(|bound| sign * bound < MAX_THREE_DIGITS)
    };
    match kind {
        FieldKind::Text { .. } => true,
        FieldKind::Number { whole, min, max, .. } => !whole || !below(max, 1.0) || !below(min, -1.0),
        FieldKind::List { of, .. } => can_hold_secret(of),
        FieldKind::Either { kinds } => kinds.iter().any(can_hold_secret),
        FieldKind::Any => true,
        FieldKind::Boolean | FieldKind::One { .. } | FieldKind::Several { .. } => false,
    }
}

fn names_secret(text: &str) -> bool {
    let lower = text.to_lowercase();
    let joined: String = lower.chars().filter(|character| character.is_alphanumeric()).collect();
    let broken = split_words(text);
    SECRET_PARTS.iter().any(|inside| lower.contains(inside) || joined.contains(inside))
        || SECRET_WORDS.iter().any(|whole| broken.iter().any(|word| word == whole))
}

/// Splits a text into words, also where only a capital letter separates them, as in `oneTimePin`.
fn split_words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for character in text.chars() {
        let breaks = !character.is_alphanumeric() || (character.is_uppercase() && before.is_lowercase());
        if breaks && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
        before = character;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::super::Choice;
    use super::*;

    fn text() -> FieldKind {
        FieldKind::Text { min: None, max: None, pattern: None, format: None }
    }

    fn field(name: &str, title: Option<&str>) -> Field {
        Field {
            name: name.to_owned(),
            title: title.map(str::to_owned),
            description: None,
            required: false,
            nullable: false,
            kind: text(),
            default: None,
        }
    }

    // Requirements: ELIC-20.
    #[test]
    fn a_field_that_asks_for_a_secret_is_known_by_its_words() {
        for name in [
            "api_key",
            "apiKey",
            "API-KEY",
            "token",
            "access_token",
            "passwort",
            "Kennwort",
            "password",
            "new_password",
            "otp",
            "oneTimePin",
            "pin",
            "PIN code",
            "密码",
            "信用卡号",
            "cvv",
            "card_number",
            "secret",
            "seed phrase",
            "2fa_code",
            "ssn",
            "contraseña",
        ] {
            assert!(asks_for_secret(&field(name, None)), "{name}");
            assert!(asks_for_secret(&field("value", Some(name))), "{name}");
        }
        for name in [
            "name",
            "email",
            "city",
            "shipping",
            "spinner",
            "opinion",
            "color",
            "count",
            "zip",
            "company",
            "keyboard layout",
            "monkey",
            "compass",
            "字段",
        ] {
            assert!(!asks_for_secret(&field(name, None)), "{name}");
        }
    }
    // Requirements: ELIC-20.
    #[test]
    fn what_the_server_itself_lists_is_no_secret() {
        let number = |whole, min: Option<i64>, max: Option<i64>| FieldKind::Number {
            whole,
            min: min.map(Into::into),
            max: max.map(Into::into),
            above: None,
            below: None,
            step: None,
        };
        let asks = |kind| asks_for_secret(&Field { kind, ..field("pin", Some("PIN")) });
        let choices = vec![Choice { value: "1234".into(), title: None }];
        for kind in [
            FieldKind::Boolean,
            FieldKind::One { choices: choices.clone() },
            FieldKind::Several { choices, min: None, max: None },
            number(true, Some(1), Some(100)),
            number(true, Some(-998), Some(998)),
        ] {
            assert!(!asks(kind.clone()), "{kind:?}");
        }
        for kind in [
            text(),
            number(true, None, None),
            number(true, Some(0), None),
            number(true, None, Some(100)),
            number(true, Some(0), Some(999)),
            number(true, Some(-999), Some(0)),
            number(false, Some(0), Some(1)),
            number(true, Some(1000), Some(9999)),
        ] {
            assert!(asks(kind.clone()), "{kind:?}");
        }
    }
}
