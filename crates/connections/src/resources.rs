//! Expansion of URI templates.

use std::collections::BTreeMap;

use mooring_base::uri_template::UriTemplate;
use mooring_errors::HostError;

/// Expands a URI template with these values. Variables without a value are omitted. Fails if the template is
/// invalid.
pub fn expand_template(uri_template: &str, values: &BTreeMap<String, String>) -> Result<String, HostError> {
    let template =
        UriTemplate::parse(uri_template).map_err(|error| HostError::InvalidTemplate(error.sentence()))?;
    Ok(template.expand(values))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Requirements: RES-04.
    #[test]
    fn a_template_names_its_variables_and_is_filled_in() {
        let variables = |text: &str| UriTemplate::parse(text).map(|template| template.variables()).ok();
        let named = ["city", "from", "to"].map(str::to_owned).to_vec();
        assert_eq!(variables("harbour://{city}/berths{?from,to}"), Some(named));
        assert_eq!(variables("harbour://{city"), None);
        let values = BTreeMap::from([("city".to_owned(), "青岛 1".to_owned())]);
        let expanded = expand_template("harbour://{city}/berths{?from,to}", &values).unwrap();
        assert_eq!(expanded, "harbour://%E9%9D%92%E5%B2%9B%201/berths");
        assert_eq!(
            expand_template("harbour://{city", &values).unwrap_err().code().as_str(),
            "invalid_template"
        );
    }
}
