//! Arguments that several commands document alike.

use crate::server::spec::Argument;

const ACKED: Argument = Argument::token(c"acked", c"ACKED");
const KEEPREF: Argument = Argument::token(c"keepref", c"KEEPREF");
const DELREF: Argument = Argument::token(c"delref", c"DELREF");

/// `[REJECT | ACKONLY | ACKED | KEEPREF | DELREF]`
pub const ACK_POLICY: Argument = Argument::one_of(
    c"policy",
    &[Argument::token(c"reject", c"REJECT"), Argument::token(c"ackonly", c"ACKONLY"), ACKED, KEEPREF, DELREF],
)
.optional();

/// `[ACKED | KEEPREF | DELREF]`
pub const DELETE_POLICY: Argument = Argument::one_of(c"policy", &[ACKED, KEEPREF, DELREF]).optional();

/// `[OWNER consumer]`
pub const OWNER: Argument = Argument::string_option(c"consumer", c"OWNER").optional();

/// `IDS numids id [id ...]`
pub const IDS: Argument =
    Argument::block(c"ids", c"IDS", &[Argument::integer(c"numids"), Argument::string(c"id").multiple()]);

/// `MAXLEN | MINID`
const STRATEGY: Argument =
    Argument::one_of(c"strategy", &[Argument::token(c"maxlen", c"MAXLEN"), Argument::token(c"minid", c"MINID")]);

/// `[= | ~]`
const OPERATOR: Argument =
    Argument::one_of(c"operator", &[Argument::token(c"equal", c"="), Argument::token(c"approximately", c"~")])
        .optional();

/// `[LIMIT n]`
pub const LIMIT: Argument = Argument::integer_option(c"limit", c"LIMIT").optional();

/// `[MAXLEN | MINID [= | ~] threshold [LIMIT n]]`
pub const TRIM: Argument =
    Argument::group(c"trim", &[STRATEGY, OPERATOR, Argument::string(c"threshold"), LIMIT]).optional();

/// `[MAXLEN | MINID [= | ~] threshold]`
pub const THRESHOLD: Argument =
    Argument::group(c"trim", &[STRATEGY, OPERATOR, Argument::string(c"threshold")]).optional();
