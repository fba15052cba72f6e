#!lua name=egg

-- EGG as a Redis Function library, for servers that load no modules: EGG.ACKDEL, EGG.GROUPGUARD, EGG.DELEX and EGG.ACKMOVE
-- with the replies, the error texts, the order of checks and the effects of the module. See README.md beside this file.
--
-- Everything is parsed and checked before the first write: a script is not rolled back, and an error is to mean that nothing
-- has changed. After the first write only commands run that the caller is known to be allowed to run.

-- Ends the call with this error reply: `register` hands it out.
local function fail(text) error({ refusal = text }) end

local SYNTAX = 'ERR syntax error'
local IDS_FORM = 'ERR syntax error, ids are given as IDS numids id [id ...]'
local INVALID_ID = 'ERR Invalid stream ID specified as stream command argument'
local NAMED_BYTES = { ['"'] = '\\"', ['\\'] = '\\\\', ['\n'] = '\\n', ['\r'] = '\\r', ['\t'] = '\\t', ['\a'] = '\\a', ['\b'] = '\\b' }

-- A name as redis-cli prints it, cut at 64 bytes: it can forge no second error.
local function escaped(name)
    local text = name:sub(1, 64):gsub('[%c"\\\128-\255]', function(byte)
        return NAMED_BYTES[byte] or string.format('\\x%02x', byte:byte())
    end)
    return #name > 64 and text .. '...' or text
end

local function filter(list, keep)
    local kept = {}
    for _, item in ipairs(list) do
        if keep(item) then kept[#kept + 1] = item end
    end
    return kept
end

-- Ids ---------------------------------------------------------------------------------------------------------------

-- An id is 40 digits here, both halves padded with zeros: so ids compare, sort and index tables as strings. As Lua numbers
-- they would lose digits: a double holds integers up to 2^53, and a half goes up to 2^64 - 1.
local ZEROS, LARGEST = ('0'):rep(20), '18446744073709551615'
local LOWEST_ID, HIGHEST_ID = ZEROS .. ZEROS, LARGEST .. LARGEST
-- Above every id, where "there is none" is to sort last.
local BEYOND = ('9'):rep(40)

local function lower(a, b) return a < b and a or b end

-- a - b, both of 20 digits, b not above a.
local function minus(a, b)
    local high = tonumber(a:sub(1, 10)) - tonumber(b:sub(1, 10))
    local low = tonumber(a:sub(11)) - tonumber(b:sub(11))
    if low < 0 then high, low = high - 1, low + 1e10 end
    return string.format('%010.0f%010.0f', high, low)
end

-- One half of an id as the core reads it: a plain decimal, or whatever strtoull takes, which wraps negative numbers around.
local function parse_half(text)
    local blanks, sign, zeros, digits = text:match('^(%s*)([+-]?)(0*)(%d*)$')
    if not digits or zeros .. digits == '' or #digits > 20 then return nil end
    local value = (ZEROS .. digits):sub(-20)
    if value > LARGEST then return nil end
    if sign ~= '-' then return value end
    -- A bare negative number is refused before strtoull is tried.
    if blanks .. zeros == '' and value <= '09223372036854775808' then return nil end
    return value == ZEROS and value or minus('18446744073709551616', value)
end

-- An id as XACK and XDEL take it: "5" is 5-0, a NUL byte ends the text, and 128 bytes are too many.
local function parse_id(text)
    local stop = text:find('\0', 1, true)
    local ms, seq = (stop and text:sub(1, stop - 1) or text):match('^([^-]*)(.*)$')
    ms, seq = parse_half(ms), seq == '' and ZEROS or parse_half(seq:sub(2))
    return #text <= 127 and ms and seq and ms .. seq or nil
end

local function text_of(id) return id:sub(1, 20):match('^0*(%d+)$') .. '-' .. id:sub(21):match('^0*(%d+)$') end

-- The id before this one, which is not 0-0.
local function previous(id)
    local ms, seq, one = id:sub(1, 20), id:sub(21), ZEROS:sub(2) .. '1'
    return seq == ZEROS and minus(ms, one) .. LARGEST or ms .. minus(seq, one)
end

-- A copy without repetitions, ascending; and the same as a set.
local function distinct(ids)
    local set = {}
    local sorted = filter(ids, function(id)
        local is_new = not set[id]
        set[id] = true
        return is_new
    end)
    table.sort(sorted)
    return sorted, set
end

-- Arguments ---------------------------------------------------------------------------------------------------------

-- An integer as strictly as the core reads one: no blanks, plus sign or leading zeros, and 64 bits at most.
local function integer(text)
    local sign, digits = text:match('^(%-?)(%d+)$')
    if not digits or (digits:sub(1, 1) == '0' and text ~= '0') then return nil end
    local bound = sign == '-' and '9223372036854775808' or '9223372036854775807'
    return (#digits < #bound or (#digits == #bound and digits <= bound)) and tonumber(text) or nil
end

local function positive(text, otherwise)
    local value = integer(text or fail(SYNTAX))
    return value and value > 0 and value or fail(otherwise)
end

local function natural(text, negative)
    local value = integer(text or fail(SYNTAX)) or fail('ERR value is not an integer or out of range')
    return value >= 0 and value or fail(negative)
end

-- Every option may be given once.
local function set_once(request, name, value)
    if request[name] ~= nil or value == nil then fail(SYNTAX) end
    request[name] = value
end

local DELETE_POLICIES = { ACKED = true, KEEPREF = true, DELREF = true }
local ACK_POLICIES = { REJECT = true, ACKONLY = true, ACKED = true, KEEPREF = true, DELREF = true }

-- Goes through the arguments from left to right, by the grammar of XACKDEL in Redis 8.2: options in any order and case,
-- before the block of ids and after it. An option is a function that answers the index behind itself.
local function parse(args, first, policies, options)
    local request, index = {}, first
    while args[index] do
        local token = args[index]:upper()
        if token == 'IDS' then
            local count = positive(args[index + 1], 'ERR Number of IDs must be a positive integer')
            local last = index + 1 + count
            if last > #args then fail('ERR The `numids` parameter must match the number of arguments') end
            set_once(request, 'block', { index + 2, last })
            index = last + 1
        elseif policies[token] then
            set_once(request, 'policy', token)
            index = index + 1
        else
            local is_bare_id = not request.block and parse_id(args[index])
            index = (options[token] or fail(is_bare_id and IDS_FORM or SYNTAX))(request, args, index, token)
        end
    end
    return request.block and request or fail(SYNTAX)
end

local function parse_ids(args, block)
    local ids = {}
    for index = block[1], block[2] do ids[#ids + 1] = parse_id(args[index]) or fail(INVALID_ID) end
    return ids
end

local function owner_option(request, args, index)
    set_once(request, 'owner', args[index + 1])
    return index + 2
end

local function threshold_option(request, args, index, strategy)
    local sign = args[index + 1] or fail(SYNTAX)
    if request.strategy then
        fail('ERR syntax error, MAXLEN and MINID options at the same time are not compatible')
    end
    local has_sign = (sign == '~' or sign == '=') and args[index + 2]
    local at = has_sign and index + 2 or index + 1
    request.strategy, request.sign = strategy, has_sign and sign or '='
    if strategy == 'MINID' then
        request.threshold = parse_id(args[at]) or fail(INVALID_ID)
    else
        request.threshold = natural(args[at], 'ERR The MAXLEN argument must be >= 0.')
    end
    return at + 1
end

local MOVE_OPTIONS = {
    OWNER = owner_option,
    MAXLEN = threshold_option,
    MINID = threshold_option,
    LIMIT = function(request, args, index)
        set_once(request, 'limit', natural(args[index + 1], 'ERR The LIMIT argument must be >= 0.'))
        return index + 2
    end,
    META = function(request, _, index)
        set_once(request, 'meta', true)
        return index + 1
    end,
    MINDELIVERIES = function(request, args, index)
        set_once(request, 'deliveries', positive(args[index + 1], 'ERR MINDELIVERIES must be a positive integer'))
        return index + 2
    end,
    SET = function(request, args, index)
        local last = index + 1 + 2 * positive(args[index + 1], 'ERR Number of pairs must be a positive integer')
        if last > #args then fail('ERR The `numpairs` parameter must match the number of arguments') end
        local fields = {}
        for at = index + 2, last, 2 do fields[#fields + 1] = { args[at], args[at + 1] } end
        set_once(request, 'set', fields)
        return last + 1
    end,
}

-- The stream --------------------------------------------------------------------------------------------------------

-- What unpack takes is bounded by Lua's C stack: about 8,000 values.
local AT_ONCE, MOST_ARGUMENTS = 1000, 7000

-- Names and values in turn, as a table.
local function map_of(row)
    local map = {}
    for at = 1, #row, 2 do map[row[at]] = row[at + 1] end
    return map
end

-- Ends the call with a refusal of the server's.
local function fail_as(reply)
    fail((reply.err:gsub('^ERR ACL failure in script: ', 'NOPERM ')))
end

-- The consumer groups of a stream; nil if there is no key. Asked for in every call, and never remembered.
local function groups_of(key)
    local rows = redis.pcall('XINFO', 'GROUPS', key)
    if rows.err and rows.err:find('^ERR no such key') then return nil end
    if rows.err then fail_as(rows) end
    for at, row in ipairs(rows) do
        local group = map_of(row)
        rows[at] = { name = group.name, pending = group.pending, delivered = parse_id(group['last-delivered-id']) }
    end
    return rows
end

-- Refuses unless the caller may run all of these commands: a refusal half way would leave half of the work done.
local function require_permissions(commands)
    for _, command in ipairs(commands) do
        -- What is not permitted is refused before it runs, with the server's own words.
        if not redis.acl_check_cmd(unpack(command)) then fail_as(redis.pcall(unpack(command))) end
    end
end

-- All that a deletion runs, by whatever policy.
local function deletion_on(key)
    return { { 'XPENDING', key, 'g', '-', '+', '1' }, { 'XRANGE', key, '-', '+', 'COUNT', '1' }, { 'XACK', key, 'g', '0-1' },
        { 'XDEL', key, '0-1' }, { 'XINFO', 'STREAM', key }, { 'XSETID', key, '0-1' } }
end

-- Runs a command on ids, so many at a time that Lua can pass them.
local function run_on(ids, ...)
    for first = 1, #ids, AT_ONCE do
        local command = { ... }
        for at = first, math.min(first + AT_ONCE - 1, #ids) do command[#command + 1] = text_of(ids[at]) end
        redis.call(unpack(command))
    end
end

-- Shows the ids of the entries from `from` on until `each` answers false. The server copies whole entries into Lua: the first
-- pages are small, since most walks end at once.
local function visit(key, from, each)
    local start, page = text_of(from), 1
    repeat
        local entries = redis.call('XRANGE', key, start, '+', 'COUNT', page)
        for _, entry in ipairs(entries) do
            if not each(parse_id(entry[1])) then return end
            start = '(' .. entry[1]
        end
        local is_last = #entries < page
        page = math.min(page * 4, 256)
    until is_last
end

-- The id of the first entry from `start` on (an id's text, or "(" and one), or BEYOND; and its fields.
local function first_entry(key, start)
    local entry = redis.call('XRANGE', key, start, '+', 'COUNT', 1)[1]
    if entry then return parse_id(entry[1]), entry[2] end
    return BEYOND
end

local function pending_rows(key, group, from, to, count)
    if group.pending == 0 or from == BEYOND then return {} end
    return redis.call('XPENDING', key, group.name, text_of(from), text_of(to), count)
end

-- Which of these ids (ascending) are pending in a group: the consumer and the number of deliveries of each. One bounded
-- question answers it for a run of them, unless the group has more pending in between: then each is asked for by itself.
local function pending_among(key, group, ids)
    local found, wanted = {}, {}
    local function ask(from, to, count)
        local rows = pending_rows(key, group, from, to, count + 1)
        for _, row in ipairs(#rows <= count and rows or {}) do
            local id = parse_id(row[1])
            if wanted[id] then found[id] = { consumer = row[2], deliveries = row[4] } end
        end
        return #rows <= count
    end
    for _, id in ipairs(ids) do wanted[id] = true end
    for first = 1, #ids, AT_ONCE do
        local last = math.min(first + AT_ONCE - 1, #ids)
        if not ask(ids[first], ids[last], last - first + 1) then
            for at = first, last do ask(ids[at], ids[at], 1) end
        end
    end
    return found
end

-- Groups ------------------------------------------------------------------------------------------------------------

local function others_than(own, groups)
    return filter(groups, function(group) return group ~= own end)
end

-- The group of this name. Under REJECT, and for a worker that starts (no policy), there may be no other: three are named at most.
local function admit(groups, key, name, policy)
    local own = filter(groups or {}, function(group) return group.name == name end)[1]
    if not own then
        fail("NOGROUP No such key '" .. escaped(key) .. "' or consumer group '" .. escaped(name) .. "'")
    end
    local others, names = others_than(own, groups), {}
    if policy and policy ~= 'REJECT' or #others == 0 then return own end
    for at = 1, math.min(3, #others) do names[at] = '"' .. escaped(others[at].name) .. '"' end
    local refusal = 'FOREIGNGROUP the stream has other consumer groups: ' .. table.concat(names, ', ')
        .. (#others > 3 and ' and ' .. #others - 3 .. ' more' or '')
    if not policy then
        fail(refusal .. '; EGG.ACKDEL would refuse the workers of "' .. escaped(name) .. '". If ' .. names[1]
            .. ' is what a renamed handler left behind, let it finish (EGG.PINS shows what it needs), then XGROUP DESTROY "'
            .. escaped(key) .. '" ' .. names[1]
            .. '. If all are to stay, the workers name ACKED or ACKONLY, or egg.default-policy does')
    end
    fail(refusal .. '; nothing was acknowledged or deleted. Repeat the call with ACKONLY (acknowledge, keep the entry) or ACKED '
        .. '(delete it once no group needs it). EGG.PINS shows what each group needs, EGG.GROUPREAP destroys groups that '
        .. 'nobody uses. Last, XGROUP DESTROY a group that you know to be left over')
end

-- Up to here every group has been delivered.
local function lowest_delivered(groups)
    local lowest = HIGHEST_ID
    for _, group in ipairs(groups) do lowest = lower(lowest, group.delivered) end
    return lowest
end

-- Which of these ids (ascending) some group needs, be there an entry or not: a group needs what it has not been delivered,
-- and what it has pending. `holders` are the groups to ask for the latter.
local function referenced(key, groups, holders, ids)
    local delivered, needed = lowest_delivered(groups), {}
    local open = filter(ids, function(id)
        needed[id] = id > delivered or nil
        return not needed[id]
    end)
    for _, group in ipairs(holders) do
        for id in pairs(group.pending > 0 and pending_among(key, group, open) or {}) do needed[id] = true end
    end
    return needed
end

-- Deletion ----------------------------------------------------------------------------------------------------------

-- What XSETID needs to keep lag a number when these ids are deleted; nil if lag is not at stake. The core calls the lag of a
-- group unknown unless max-deleted-entry-id is below what the group has read last. The deletion of exactly that entry turns
-- it unknown if an older one remains, although the group is past the hole. Then the mark goes to the id just below the hole.
local function lag_to_mend(key, groups, ids)
    local top = ids[#ids]
    local readers = filter(groups, function(group) return group.delivered == top end)
    if #readers == 0 or first_entry(key, text_of(top)) ~= top then return nil end
    local _, deleted = distinct(ids)
    local oldest_left = BEYOND
    visit(key, LOWEST_ID, function(entry)
        if not deleted[entry] then oldest_left = entry end
        return deleted[entry] and entry < top
    end)
    local info = oldest_left < top and map_of(redis.call('XINFO', 'STREAM', key))
    -- A number of added entries beyond 2^53 would be handed back changed.
    return info and parse_id(info['max-deleted-entry-id']) < top and info['entries-added'] < 2 ^ 53 and info or nil
end

-- Deletes entries (ascending).
local function delete(key, groups, ids, keep_lag)
    local info = ids[1] and keep_lag and lag_to_mend(key, groups, ids)
    run_on(ids, 'XDEL', key)
    if info then
        redis.call('XSETID', key, info['last-generated-id'], 'ENTRIESADDED', string.format('%.0f', info['entries-added']),
            'MAXDELETEDID', text_of(previous(ids[#ids])))
    end
end

local function acknowledge_in(key, groups, ids)
    for _, group in ipairs(groups) do
        if group.pending > 0 then run_on(ids, 'XACK', key, group.name) end
    end
end

-- Acknowledges ids that are pending in the group (ascending), and deletes what the policy lets go. Answers which ids stay.
local function ack_delete(key, groups, own, policy, ids)
    local others, kept, is_safe = others_than(own, groups), {}, not (policy == 'KEEPREF' or policy == 'DELREF')
    if is_safe and policy ~= 'ACKED' and #others > 0 then
        for _, id in ipairs(ids) do kept[id] = true end
    elseif is_safe then
        -- The calling group itself may need an entry again: when it was rewound.
        kept = referenced(key, groups, others, ids)
    end
    acknowledge_in(key, policy == 'DELREF' and groups or { own }, ids)
    delete(key, groups, filter(ids, function(id) return not kept[id] end), is_safe)
    return kept
end

-- Trimming a destination, under ACKED: only what no group needs goes --------------------------------------------------

-- The first entry that a group needs. References without an entry are passed over, a hundred runs of them at most.
local function lowest_needed(key, group)
    local function first_pending(from)
        local row = pending_rows(key, group, from, HIGHEST_ID, 1)[1]
        return row and parse_id(row[1]) or BEYOND
    end
    local id = first_pending(LOWEST_ID)
    for _ = 1, 100 do
        local entry = id == BEYOND and id or first_entry(key, text_of(id))
        if entry == id then break end
        id = first_pending(entry)
    end
    return lower(id, (first_entry(key, '(' .. text_of(group.delivered))))
end

-- Tells whether ids are pending in a group; to be asked with ascending ones.
local function pending_cursor(key, group)
    local rows, at, current = {}, 0, LOWEST_ID
    return function(id)
        while current < id do
            at = at + 1
            if at > #rows then rows, at = pending_rows(key, group, id, HIGHEST_ID, AT_ONCE), 1 end
            current = rows[at] and parse_id(rows[at][1]) or BEYOND
        end
        return current == id
    end
end

-- The entries below `bound`, at most `longest` of them: how many, the first one behind them, and whether more are below `bound`.
local function run_below(key, bound, longest)
    local length, stop, is_full = 0, BEYOND, false
    visit(key, LOWEST_ID, function(entry)
        if entry < bound and length < longest then
            length = length + 1
            return true
        end
        stop, is_full = entry, entry < bound
        return false
    end)
    return length, stop, is_full
end

-- Removes entries from `from` on that no group needs, up to what `ends` says. After a thousand needed ones it ends, too, and
-- the rest is left to a later call.
local function sweep_holes(key, groups, from, ends)
    local cursors, holes, needed, delivered = {}, {}, 0, lowest_delivered(groups)
    for at, group in ipairs(groups) do cursors[at] = pending_cursor(key, group) end
    visit(key, from, function(entry)
        if entry > delivered or ends(entry, #holes) or needed == 1000 then return false end
        for _, is_pending in ipairs(cursors) do
            if is_pending(entry) then
                needed = needed + 1
                return true
            end
        end
        holes[#holes + 1] = entry
        return true
    end)
    delete(key, groups, holes, true)
end

-- ~ is as exact as =, and has a limit. Where a LIMIT ends the front, whole nodes go.
local function trim(key, request)
    local groups, threshold, limit = groups_of(key), request.threshold, request.limit
    local most = (request.sign == '=' or limit == 0) and math.huge or limit or 10000
    local frontier, removed = BEYOND, 0
    local function cut(...) removed = removed + redis.call('XTRIM', key, ...) end
    -- Up to the first entry that stays: a node whose only records at or above the threshold are deleted ones would be left
    -- behind empty.
    local function cut_below(id)
        local stays = id == BEYOND and id or first_entry(key, text_of(id))
        if stays == BEYOND then return cut('MAXLEN', '=', '0') end
        return cut('MINID', '=', text_of(stays))
    end
    local function cut_run(length, stop, is_limited)
        if is_limited and limit then
            cut('MINID', '~', text_of(stop), 'LIMIT', '0')
        elseif length > 0 then
            cut_below(stop)
        end
        return is_limited
    end

    for _, group in ipairs(groups) do frontier = lower(frontier, lowest_needed(key, group)) end
    if request.strategy == 'MINID' then
        local front = lower(frontier, threshold)
        if most == math.huge then
            cut_below(front)
        elseif cut_run(run_below(key, front, most)) then
            return
        end
        local left = most - removed
        return front < threshold and sweep_holes(key, groups, front, function(entry, holes)
            return entry >= threshold or holes == left
        end)
    end
    local surplus = redis.call('XLEN', key) - threshold
    if surplus <= 0 then return end
    local length, stop, is_full = run_below(key, frontier, math.min(surplus, most))
    if cut_run(length, stop, is_full and most < surplus) then return end
    local left = math.min(surplus, most) - removed
    if left > 0 then sweep_holes(key, groups, LOWEST_ID, function(_, holes) return holes == left end) end
end

-- The commands ------------------------------------------------------------------------------------------------------

local function require_arity(command, is_enough)
    if not is_enough then fail("ERR wrong number of arguments for '" .. command .. "' command") end
end

-- So long a call must be to have a block of ids; one with bare ids, as XACK takes them, is shown the form.
local function require_length(command, has_keys, args, shortest, first)
    require_arity(command, has_keys and #args >= first)
    if #args >= shortest then return end
    local has_id, has_block = false, false
    for at = first, #args do
        has_id, has_block = has_id or parse_id(args[at]), has_block or args[at]:upper() == 'IDS'
    end
    require_arity(command, has_id and not has_block)
    fail(IDS_FORM)
end

-- key | group [policy] [OWNER consumer] IDS numids id [id ...]
local function ackdel(keys, args)
    require_length('egg.ackdel', #keys == 1, args, 4, 2)
    local key, groups = keys[1], groups_of(keys[1])
    local request = parse(args, 2, ACK_POLICIES, { OWNER = owner_option })
    local ids, policy, owner = parse_ids(args, request.block), request.policy or 'REJECT', request.owner
    local own = admit(groups, key, args[1], policy)
    require_permissions(deletion_on(key))

    local sorted = distinct(ids)
    local pending, replies, done = pending_among(key, own, sorted), {}, {}
    local function is_mine(id) return pending[id] and (not owner or pending[id].consumer == owner) end
    local kept = ack_delete(key, groups, own, policy, filter(sorted, is_mine))
    for at, id in ipairs(ids) do
        replies[at] = (not pending[id] or done[id]) and -1 or not is_mine(id) and 0 or kept[id] and 2 or 1
        done[id] = is_mine(id)
    end
    return replies
end

-- key | group
local function groupguard(keys, args)
    require_arity('egg.groupguard', #keys == 1 and #args == 1)
    admit(groups_of(keys[1]), keys[1], args[1])
    return redis.status_reply('OK')
end

-- key | [ACKED | KEEPREF | DELREF] IDS numids id [id ...]
local function delex(keys, args)
    require_length('egg.delex', #keys == 1, args, 3, 1)
    local key, groups = keys[1], groups_of(keys[1])
    local request = parse(args, 1, DELETE_POLICIES, {})
    local ids, policy = parse_ids(args, request.block), request.policy or 'ACKED'
    if groups then require_permissions(deletion_on(key)) end

    local sorted, replies, done = distinct(ids), {}, {}
    local kept = policy == 'ACKED' and referenced(key, groups or {}, groups or {}, sorted) or {}
    local deletable, is_deletable = distinct(filter(groups and sorted or {}, function(id)
        return not kept[id] and first_entry(key, text_of(id)) == id
    end))
    if policy == 'DELREF' then acknowledge_in(key, groups or {}, sorted) end
    delete(key, groups or {}, deletable, policy == 'ACKED')
    for at, id in ipairs(ids) do
        replies[at] = kept[id] and 2 or is_deletable[id] and not done[id] and 1 or -1
        done[id] = true
    end
    return replies
end

-- The fields and values of a moved entry, in turn. SET replaces every occurrence of a field, and appends new ones; META, whose
-- fields are `origin`, drops what an earlier META left.
local function moved_fields(fields, set, origin)
    local values, present, moved = {}, {}, {}
    local function add(field, value) moved[#moved + 1], moved[#moved + 2] = field, value end
    for _, pair in ipairs(set) do values[pair[1]] = pair[2] end
    for at = 1, #fields, 2 do
        local field = fields[at]
        if not origin or field:sub(1, 4) ~= 'egg-' then
            add(field, values[field] or fields[at + 1])
            present[field] = true
        end
    end
    for _, pair in ipairs(set) do
        if not present[pair[1]] then add(pair[1], values[pair[1]]) end
        present[pair[1]] = true
    end
    for _, pair in ipairs(origin or {}) do add(pair[1], pair[2]) end
    return moved
end

-- key destination | group [policy] [OWNER consumer] [MINDELIVERIES n] [MAXLEN | MINID [= | ~] threshold [LIMIT n]] [META]
-- [SET numpairs field value ...] IDS numids id [id ...]
local function ackmove(keys, args)
    require_length('egg.ackmove', #keys == 2, args, 4, 2)
    local key, destination, name = keys[1], keys[2], args[1]
    local groups, exists = groups_of(key), groups_of(destination)
    local request = parse(args, 2, ACK_POLICIES, MOVE_OPTIONS)
    local has_limit = request.limit and (request.strategy or request.limit > 0)
    if has_limit and not request.strategy then
        fail('ERR syntax error, LIMIT cannot be used without specifying a trimming strategy')
    elseif has_limit and request.sign ~= '~' then
        fail('ERR syntax error, LIMIT cannot be used without the special ~ option')
    end
    local ids, policy = parse_ids(args, request.block), request.policy or 'REJECT'
    local own = admit(groups, key, name, policy)
    require_permissions({ { 'XADD', destination, '*', 'field', 'value' }, { 'XINFO', 'STREAM', destination } })
    require_permissions(deletion_on(key))
    require_permissions(request.meta and { { 'TIME' } } or {})
    require_permissions(request.strategy and deletion_on(destination) or {})
    require_permissions(request.strategy and { { 'XTRIM', destination, 'MAXLEN', '0' }, { 'XLEN', destination } } or {})

    local sorted = distinct(ids)
    local pending = pending_among(key, own, sorted)
    local moving, is_moving = distinct(filter(sorted, function(id)
        local row = pending[id]
        return row and (not request.owner or row.consumer == request.owner) and row.deliveries >= (request.deliveries or 0)
    end))
    local last = exists and parse_id(map_of(redis.call('XINFO', 'STREAM', destination))['last-generated-id']) or LOWEST_ID
    if last:sub(1, 20) == LARGEST and tonumber(minus(LARGEST, last:sub(21))) < #moving then
        fail('ERR The destination stream has exhausted the last possible ID, unable to add more items')
    end
    local now = request.meta and redis.call('TIME')
    local function copy_of(id)
        local entry, fields = first_entry(key, text_of(id))
        return entry == id and moved_fields(fields, request.set or {}, request.meta and {
            { 'egg-source-stream', key }, { 'egg-source-id', text_of(id) }, { 'egg-source-group', name },
            { 'egg-deliveries', string.format('%.0f', pending[id].deliveries) },
            { 'egg-moved-at', string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000)) },
        }) or nil
    end
    -- Entries are read once more when they are copied: all of them at once could be more than fits into memory.
    for _, id in ipairs(moving) do
        local copy, size = copy_of(id) or {}, 0
        for _, text in ipairs(copy) do size = size + #text end
        if size > 2 ^ 30 or #copy > MOST_ARGUMENTS then fail('ERR Elements are too large to be stored') end
    end

    local replies, has_moved = {}, false
    for at, id in ipairs(ids) do
        local copy = is_moving[id] and copy_of(id)
        replies[at] = copy and redis.call('XADD', destination, '*', unpack(copy)) or false
        has_moved, is_moving[id] = has_moved or copy, nil
    end
    ack_delete(key, groups, own, policy, moving)
    if has_moved and request.strategy then trim(destination, request) end
    return replies
end

-- What ends a call by `fail` is its reply, with a code of the server's in front; anything else is raised again.
local function register(name, flags, description, run)
    redis.register_function({ function_name = name, flags = flags, description = description, callback = function(keys, args)
        local succeeded, reply = pcall(run, keys, args)
        if succeeded then return reply end
        return type(reply) == 'table' and { err = reply.refusal } or error(reply, 0)
    end })
end

-- What frees memory runs when memory is short; egg_ackmove, which adds entries first, does not.
register('egg_ackdel', { 'allow-oom' }, 'EGG.ACKDEL: acknowledge and delete entries', ackdel)
register('egg_groupguard', { 'no-writes' }, 'EGG.GROUPGUARD: check that a group is the only one of its stream', groupguard)
register('egg_delex', { 'allow-oom' }, 'EGG.DELEX: delete entries that no group needs', delex)
register('egg_ackmove', {}, 'EGG.ACKMOVE: move pending entries to another stream', ackmove)
