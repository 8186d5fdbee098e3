//! `retrysim policy lint`

use anyhow::Result;
use retrysim::{checks, lint::Finding};

use crate::{
    Answer,
    cli::{Format, LintArgs},
    load, show,
};

pub fn lint(args: &LintArgs) -> Result<Answer> {
    let mut by_policy = Vec::new();
    for name in &args.policies {
        let found = load::policies(name)?;
        let findings =
            found.policies.iter().map(|(name, policy)| (name.clone(), retrysim::lint::lint(policy)));
        by_policy.extend(findings);
        if let Some(scenario) = &found.scenario {
            by_policy.extend(of_layers(scenario));
        }
    }
    for (_, findings) in &mut by_policy {
        findings.retain(|finding| !args.allow.contains(&finding.lint));
    }
    let count: usize = by_policy.iter().map(|(_, findings)| findings.len()).sum();
    let text = match args.format {
        Format::Table => text(&by_policy, count),
        format => show::print(&checks::findings(&by_policy)?, format)?,
    };
    Ok(Answer { text, passed: count == 0 || !args.deny })
}

/// What the hops of a chain do together, for each policy that may be simulated.
fn of_layers(scenario: &retrysim::Scenario) -> Vec<(String, Vec<Finding>)> {
    let retrysim::service::Service::Layers(layers) = &scenario.service else { return Vec::new() };
    let chain = |(name, policy): (&String, &retrysim::Policy)| {
        let hops: Vec<(&str, &retrysim::Policy)> = layers
            .tiers
            .iter()
            .map(|tier| (tier.as_str(), layers.own_policy(tier, scenario).unwrap_or(policy)))
            .collect();
        (name.clone(), retrysim::lint::lint_layers(&hops))
    };
    scenario.policy.iter().map(chain).collect()
}

fn text(by_policy: &[(String, Vec<Finding>)], count: usize) -> String {
    let mut text = String::new();
    for (name, findings) in by_policy {
        for Finding { lint, field, message, cure, .. } in findings {
            text += &format!("{name}: {field}: {lint}\n  {message}\n  cure: {cure}\n");
        }
    }
    let plural = |n: usize, one: &str, more: &str| format!("{n} {}", if n == 1 { one } else { more });
    text + &format!(
        "{} in {}\n",
        plural(count, "finding", "findings"),
        plural(by_policy.len(), "policy", "policies")
    )
}
