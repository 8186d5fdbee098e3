//! Stages and where they stand.

use crate::policy::{
    Policy,
    stage::{OnlyN, Stage},
};

/// A stage and its path, such as `delay[3].only_n.stages[1]`.
pub(super) struct Place<'a> {
    pub path: String,
    pub stage: &'a Stage,
}

/// The stages of a delay in the order in which they are applied; [`Stage::OnlyN`] stands for its stages.
pub(super) fn places(policy: &Policy) -> Vec<Place<'_>> {
    let mut places = Vec::new();
    collect(&policy.delay, "delay", &mut places);
    places
}

fn collect<'a>(stages: &'a [Stage], field: &str, places: &mut Vec<Place<'a>>) {
    for (index, stage) in stages.iter().enumerate() {
        let path = format!("{field}[{index}]");
        match stage {
            Stage::OnlyN(only) => collect(&only.stages, &format!("{path}.only_n.stages"), places),
            stage => places.push(Place { path, stage }),
        }
    }
}

/// The policy without some of its own stages.
pub(super) fn without(policy: &Policy, dropped: &[&Stage]) -> Policy {
    Policy { delay: kept(&policy.delay, dropped), ..policy.clone() }
}

fn kept(stages: &[Stage], dropped: &[&Stage]) -> Vec<Stage> {
    let is_kept = |stage: &&Stage| !dropped.iter().any(|gone| std::ptr::eq(*gone, *stage));
    let copy = |stage: &Stage| match stage {
        Stage::OnlyN(only) => Stage::OnlyN(OnlyN { from: only.from, stages: kept(&only.stages, dropped) }),
        stage => stage.clone(),
    };
    stages.iter().filter(is_kept).map(copy).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::tests::delay;

    #[test]
    fn stages_inside_only_n_have_paths_and_can_be_dropped() {
        let policy = delay(
            r#"[{ const = "1s" }, { cap = "2s" }, { only_n = { from = 2, stages = [{ scale = 2 }, { cap = "2s" }] } }]"#,
        );
        let places = places(&policy);
        let paths: Vec<&str> = places.iter().map(|place| place.path.as_str()).collect();
        assert_eq!(paths, ["delay[0]", "delay[1]", "delay[2].only_n.stages[0]", "delay[2].only_n.stages[1]"]);
        let rest = without(&policy, &[places[3].stage]);
        let same = delay(
            r#"[{ const = "1s" }, { cap = "2s" }, { only_n = { from = 2, stages = [{ scale = 2 }] } }]"#,
        );
        assert_eq!(rest, same);
    }
}
