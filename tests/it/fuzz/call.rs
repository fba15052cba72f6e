//! What one of 8.2's commands asks for. Reads only calls that a server has accepted: of the others nothing is needed.

use crate::vectors::Words;
use egg_testkit::ids::Id;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    AckDel,
    DelEx,
    Add,
    Trim,
}

impl Verb {
    /// None for a command that takes no policy anywhere.
    pub fn of(words: &Words) -> Option<Self> {
        match words.first()?.as_str() {
            "XACKDEL" => Some(Self::AckDel),
            "XDELEX" => Some(Self::DelEx),
            "XADD" => Some(Self::Add),
            "XTRIM" => Some(Self::Trim),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    KeepRef,
    DelRef,
    Acked,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    MaxLen(i64),
    MinId(Id),
}

/// A call of XACKDEL or XDELEX, or one of XADD or XTRIM that names a policy.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    pub verb: Verb,
    pub key: &'a str,
    pub policy: Policy,
    /// XACKDEL: the group.
    pub group: &'a str,
    pub ids: Vec<Id>,
    pub threshold: Option<Threshold>,
    pub approx: bool,
    pub limit: Option<&'a str>,
    /// XADD: the fields and values.
    pub fields: &'a [String],
    /// XADD and XTRIM: the call without the policy, as every server understands it.
    pub stripped: Words,
}

impl<'a> Call<'a> {
    /// None for a command that every server has.
    pub fn read(words: &'a Words) -> Option<Self> {
        let verb = Verb::of(words)?;
        let mut call = Self {
            verb,
            key: words.get(1)?,
            policy: Policy::KeepRef,
            group: "",
            ids: Vec::new(),
            threshold: None,
            approx: false,
            limit: None,
            fields: &[],
            stripped: words.clone(),
        };
        match verb {
            Verb::AckDel | Verb::DelEx => call.read_ids(words)?,
            Verb::Add | Verb::Trim => call.read_options(words)?,
        }
        Some(call)
    }

    fn read_ids(&mut self, words: &'a Words) -> Option<()> {
        let mut at = 2;
        if self.verb == Verb::AckDel {
            self.group = words.get(2)?;
            at = 3;
        }
        while let Some(word) = words.get(at) {
            at += 1;
            if let Some(policy) = policy(word) {
                self.policy = policy;
            } else if word.eq_ignore_ascii_case("IDS") {
                let count: usize = words.get(at)?.parse().ok()?;
                let block = words.get(at + 1..at + 1 + count)?;
                // The last block counts. One that is not read (no such key or group) may hold anything.
                self.ids = block.iter().filter_map(|id| Id::parse(id)).collect();
                at += 1 + count;
            }
        }
        Some(())
    }

    fn read_options(&mut self, words: &'a Words) -> Option<()> {
        let mut at = 2;
        let mut policy_at = None;
        while let Some(word) = words.get(at) {
            let is = |name: &str| word.eq_ignore_ascii_case(name);
            if is("MAXLEN") || is("MINID") {
                let sign = words.get(at + 1)?;
                self.approx = sign == "~";
                at += if sign == "~" || sign == "=" { 2 } else { 1 };
                let value = words.get(at)?;
                self.threshold = Some(match is("MAXLEN") {
                    true => Threshold::MaxLen(value.parse().ok()?),
                    false => Threshold::MinId(Id::parse(value)?),
                });
            } else if is("LIMIT") {
                at += 1;
                self.limit = Some(words.get(at)?);
            } else if let Some(policy) = policy(word) {
                self.policy = policy;
                policy_at = Some(at);
            } else if !is("NOMKSTREAM") {
                break;
            }
            at += 1;
        }
        self.fields = words.get(at + 1..).unwrap_or_default();
        self.stripped.remove(policy_at?);
        Some(())
    }
}

fn policy(word: &str) -> Option<Policy> {
    match word.to_ascii_uppercase().as_str() {
        "KEEPREF" => Some(Policy::KeepRef),
        "DELREF" => Some(Policy::DelRef),
        "ACKED" => Some(Policy::Acked),
        _ => None,
    }
}
