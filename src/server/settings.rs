//! The module's configuration, registered with the server: `CONFIG GET egg.*`.

use std::sync::atomic::{AtomicI32, Ordering};

use redis_module::configuration::{
    ConfigurationContext, ConfigurationFlags, ConfigurationValue, EnumConfigurationValue, register_bool_configuration,
    register_enum_configuration,
};
use redis_module::{Context, RedisError};

use super::api::api;
use crate::config::{DEFAULT_POLICIES, DEFAULT_POLICY, KEEP_LAG, NATIVE_NAMES};

/// A value of `egg.default-policy`: an index into [`DEFAULT_POLICIES`]. (The crate's `enum_configuration!` would show the
/// names of Rust's variants, and Redis configuration is lower case.)
#[derive(Clone)]
struct PolicyChoice(i32);

impl From<PolicyChoice> for i32 {
    fn from(choice: PolicyChoice) -> Self {
        choice.0
    }
}

impl TryFrom<i32> for PolicyChoice {
    type Error = RedisError;

    fn try_from(index: i32) -> Result<Self, RedisError> {
        match usize::try_from(index) {
            Ok(position) if position < DEFAULT_POLICIES.len() => Ok(Self(index)),
            _ => Err(RedisError::Str("no such policy")),
        }
    }
}

impl EnumConfigurationValue for PolicyChoice {
    fn get_options(&self) -> (Vec<String>, Vec<i32>) {
        (
            DEFAULT_POLICIES.iter().map(|(name, _)| (*name).to_owned()).collect(),
            (0..).take(DEFAULT_POLICIES.len()).collect(),
        )
    }
}

impl ConfigurationValue<PolicyChoice> for AtomicI32 {
    fn get(&self, _: &ConfigurationContext) -> PolicyChoice {
        PolicyChoice(self.load(Ordering::Relaxed))
    }

    fn set(&self, _: &ConfigurationContext, choice: PolicyChoice) -> Result<(), RedisError> {
        self.store(choice.0, Ordering::Relaxed);
        Ok(())
    }
}

/// Registers every knob and takes over what the configuration file says. False if a value there is wrong.
pub fn register(context: &Context) -> bool {
    let flags = || ConfigurationFlags::DEFAULT;
    register_enum_configuration(context, "default-policy", &DEFAULT_POLICY, PolicyChoice(0), flags(), None);
    register_bool_configuration(context, "keep-lag", &KEEP_LAG, true, flags(), None);
    register_bool_configuration(context, "native-names", &NATIVE_NAMES, false, ConfigurationFlags::IMMUTABLE, None);
    // SAFETY: the context of the module's load.
    unsafe { api!(RedisModule_LoadConfigs(context.ctx)) == 0 }
}
