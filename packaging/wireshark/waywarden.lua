-- The verdict of Waywarden beside each packet, as fields that filters and columns can use.
--
-- A verdict comes from one of three places, the first that has one:
--   1. the packet's comment, which the interfaces of waywarden-extcap write;
--   2. a file of `waywarden verify --format jsonl CAPTURE`, named by the preference `verdicts`;
--   3. a run of `waywarden verify` when the file is opened, if the preference `capture` names it:
--      Lua cannot ask Wireshark for the file's name.
-- docs/wireshark.md has the set-up. Works with Wireshark 4.0 and later.

local waywarden = Proto("waywarden", "Waywarden")

local field = {
    accepted = ProtoField.bool("waywarden.accepted", "Accepted"),
    verdict = ProtoField.string("waywarden.verdict", "Verdict"),
    signer = ProtoField.string("waywarden.signer", "Signer"),
    psid = ProtoField.uint64("waywarden.psid", "PSID", base.DEC),
    reason = ProtoField.string("waywarden.reason", "Reason"),
    failure = ProtoField.string("waywarden.failure", "No verdicts"),
}
waywarden.fields = {
    field.accepted, field.verdict, field.signer, field.psid, field.reason, field.failure,
}

local refused = ProtoExpert.new(
    "waywarden.refused", "Refused", expert.group.SECURITY, expert.severity.WARN)
waywarden.experts = { refused }

waywarden.prefs.verdicts = Pref.string("Verdicts", "",
    "A file of `waywarden verify --format jsonl CAPTURE`")
waywarden.prefs.capture = Pref.string("Capture", "",
    "The capture that is opened: `waywarden verify` runs over it; empty: it does not run")
waywarden.prefs.trust = Pref.string("Trust", "",
    "A trust store or a folder with certificates, for that run; empty: none")
waywarden.prefs.at = Pref.string("Time", "capture",
    "The time at which messages are judged in that run: capture, generation, now, or a UTC time")
waywarden.prefs.command = Pref.string("Command", "waywarden",
    "The command waywarden, with its folder where it is not on the path")

-- The comment goes through the display filter's engine: there is no other way to it.
local comments = Field.new("frame.comment")

-- Verdicts by number of packet, and the reason why there are none.
local by_number = {}
local failure = nil

-- Undoes the escapes of a JSON string. Beyond ASCII it is UTF-8 already, and controls become dots.
local function unescape(text)
    return (text:gsub("\\(.)(%x?%x?%x?%x?)", function(letter, digits)
        if letter == "u" and #digits == 4 then
            local code = tonumber(digits, 16)
            return (code >= 32 and code < 127) and string.char(code) or "."
        end
        local plain = { n = " ", t = " ", r = " ", b = ".", f = "." }
        return (plain[letter] or letter) .. digits
    end))
end

-- Returns a string of an object in compact JSON. A name never occurs within a string: there each
-- quotation mark has a backslash before it.
local function json_string(line, name)
    local _, from = line:find('"' .. name .. '":"', 1, true)
    if not from then return nil end
    local at = from + 1
    while true do
        local stop = line:find('["\\]', at)
        if not stop then return nil end
        if line:sub(stop, stop) == '"' then return unescape(line:sub(from + 1, stop - 1)) end
        at = stop + 2
    end
end

-- Takes the verdicts of lines in JSON; returns how many.
local function take(lines)
    local count = 0
    for line in lines do
        local input = json_string(line, "input")
        local number = input and input:match(", packet (%d+)$")
        local verdict = json_string(line, "verdict")
        if number and verdict then
            by_number[tonumber(number)] = {
                accepted = line:find('"accepted":true', 1, true) ~= nil,
                verdict = verdict,
                signer = json_string(line, "signer"),
                psid = line:match('"psid":(%d+)'),
                reason = json_string(line, "reason") or json_string(line, "failure_cause"),
            }
            count = count + 1
        end
    end
    return count
end

local function quoted(text)
    if package.config:sub(1, 1) == "\\" then
        -- A command line of Windows has no escape for it.
        return '"' .. text:gsub('"', "") .. '"'
    end
    return "'" .. text:gsub("'", "'\\''") .. "'"
end

local function verify(prefs)
    local command = quoted(prefs.command) .. " --quiet verify --format jsonl --at " .. quoted(prefs.at)
    if prefs.trust ~= "" then
        command = command .. " --trust " .. quoted(prefs.trust)
    end
    -- A capture whose name begins with a hyphen is none of the options.
    local pipe = io.popen(command .. " -- " .. quoted(prefs.capture), "r")
    if not pipe then
        failure = "cannot run " .. prefs.command
        return
    end
    local count = take(pipe:lines())
    pipe:close()
    if count == 0 then
        failure = prefs.command .. " verify gave no verdict; run it in a terminal to see why: " .. command
    end
end

-- Wireshark calls it for each file that is opened, and before a capture.
function waywarden.init()
    by_number, failure = {}, nil
    local prefs = waywarden.prefs
    if prefs.verdicts ~= "" then
        local file, why = io.open(prefs.verdicts, "r")
        if not file then
            failure = why
            return
        end
        if take(file:lines()) == 0 then
            failure = prefs.verdicts .. ": no verdict; make it by `waywarden verify --format jsonl CAPTURE`"
        end
        file:close()
    elseif prefs.capture ~= "" then
        verify(prefs)
    end
end

-- Reads the comment of waywarden-extcap; nil for another one.
local function from_comment(text)
    local word, rest = text:match("^waywarden (%l+) (.*)$")
    if word ~= "accepted" and word ~= "refused" then return nil end
    -- The reason is the end, and may have any words.
    local before, reason = rest:match("^(.-) reason=(.*)$")
    before = " " .. (before or rest)
    return {
        accepted = word == "accepted",
        verdict = before:match(" verdict=(%S+)"),
        signer = before:match(" signer=(%S+)"),
        psid = before:match(" psid=(%S+)"),
        reason = reason,
    }
end

local function verdict_of(pinfo)
    for _, comment in ipairs({ comments() }) do
        local verdict = from_comment(comment.value)
        if verdict then return verdict end
    end
    return by_number[pinfo.number]
end

function waywarden.dissector(buffer, pinfo, tree)
    local verdict = verdict_of(pinfo)
    if not verdict then
        if failure then
            tree:add(waywarden, buffer(0, 0)):add(field.failure, failure):set_generated()
        end
        return
    end
    local word = verdict.accepted and "accepted" or "refused"
    local own = tree:add(waywarden, buffer(0, 0), "Waywarden: " .. word)
    own:set_generated()
    own:add(field.accepted, verdict.accepted):set_generated()
    for _, name in ipairs({ "verdict", "signer", "reason" }) do
        if verdict[name] then
            own:add(field[name], verdict[name]):set_generated()
        end
    end
    -- Wireshark's Lua has no integers above 2^53 of its own.
    local psid = tonumber(verdict.psid)
    if psid then
        own:add(field.psid, UInt64(psid)):set_generated()
    end
    if not verdict.accepted then
        own:add_proto_expert_info(refused, "Refused: " .. (verdict.verdict or "no result"))
    end
    pinfo.cols.info:prepend("[" .. word .. "] ")
end

-- With all fields, or the comment is not there to be read.
register_postdissector(waywarden, true)
