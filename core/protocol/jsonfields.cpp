// SPDX-License-Identifier: MIT
#include "core/protocol/jsonfields.h"

#include <algorithm>
#include <cmath>

namespace ringside {

namespace {

constexpr int kMaxDepth = 16;
constexpr std::size_t kMaxMapEntries = 1000;

} // namespace

Result<nlohmann::json> parseJsonObject(std::string_view text, std::size_t limit, std::string_view where)
{
    if (text.size() > limit)
        return fail(ErrorCode::damaged, Words::tr("{} is longer than {} bytes.", where, limit));
    bool tooDeep = false;
    const auto withinDepth = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
        tooDeep = tooDeep || depth > kMaxDepth;
        return !tooDeep;
    };
    nlohmann::json json = nlohmann::json::parse(text, withinDepth, false);
    if (tooDeep || !json.is_object())
        return fail(ErrorCode::damaged, Words::tr("{} is not a JSON object of at most {} levels.", where, kMaxDepth));
    return json;
}

std::string dumpJson(const nlohmann::json& json)
{
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

JsonFields::JsonFields(const nlohmann::json& object, std::string where)
    : m_object(object)
    , m_where(std::move(where))
{
    if (!object.is_object())
        m_error = Error{ErrorCode::damaged, Words::tr("{}: expected an object.", m_where), {}};
}

const nlohmann::json* JsonFields::find(const char* key)
{
    if (m_error)
        return nullptr;
    const auto it = m_object.find(key);
    if (it != m_object.end())
        return &*it;
    refuse(key, Words::tr("missing"));
    return nullptr;
}

void JsonFields::format(int known)
{
    int format = 0;
    integer("format", format, 1, INT32_MAX);
    if (format <= known)
        return;
    refuse("format", Words::tr("{} is newer than {}, the newest that this version of Ringside reads", format, known),
           ErrorCode::newerVersion);
    m_error->hint = Words::tr("Use the version of Ringside that wrote it, or a later one.");
}

void JsonFields::bit(const char* key, bool& out)
{
    int bit = out;
    integer(key, bit, 0, 1);
    out = bit != 0;
}

void JsonFields::flag(const char* key, bool& out)
{
    const nlohmann::json* member = find(key);
    if (!member)
        return;
    if (member->is_boolean())
        out = member->get<bool>();
    else
        refuse(key, Words::tr("expected true or false"));
}

void JsonFields::word(const char* key, std::string_view word, bool& out)
{
    std::string content;
    if (has(key))
        text(key, content);
    out = content == word;
    if (has(key) && !out)
        refuseWord(key, content);
}

void JsonFields::refuseWord(const char* key, const std::string& word)
{
    refuse(key, Words::tr("“{}” is not known here", word.substr(0, 40)));
}

void JsonFields::number(const char* key, double& out, double low, double high)
{
    const nlohmann::json* member = find(key);
    if (!member)
        return;
    const double value = member->is_number() ? member->get<double>() : NAN;
    if (value >= low && value <= high)
        out = value;
    else
        refuse(key, Words::tr("expected a number from {} to {}", low, high));
}

void JsonFields::text(const char* key, std::string& out, std::size_t limit)
{
    const nlohmann::json* member = find(key);
    if (!member)
        return;
    const auto* content = member->get_ptr<const std::string*>();
    if (content && content->size() <= limit)
        out = *content;
    else
        refuse(key, Words::tr("expected a text of at most {} bytes", limit));
}

void JsonFields::textMap(const char* key, std::map<std::string, std::string>& out)
{
    const nlohmann::json* member = find(key);
    if (!member)
        return;
    if (!member->is_object() || member->size() > kMaxMapEntries)
        return refuse(key, Words::tr("expected an object of at most {} texts", kMaxMapEntries));
    JsonFields entries(*member, fmt::format("{}: {}", m_where, key));
    for (const auto& [name, value] : member->items())
        entries.text(name.c_str(), out[name]);
    m_error = entries.m_error;
}

void JsonFields::texts(const char* key, std::size_t limit, std::vector<std::string>& out)
{
    const nlohmann::json* array = find(key);
    if (!array)
        return;
    const auto isText = [](const nlohmann::json& entry) {
        return entry.is_string() && entry.get_ref<const std::string&>().size() <= kMaxJsonText;
    };
    if (!array->is_array() || array->size() > limit || !std::all_of(array->begin(), array->end(), isText))
        return refuse(key, Words::tr("expected a list of at most {} texts of at most {} bytes", limit, kMaxJsonText));
    out = array->get<std::vector<std::string>>();
}

void JsonFields::each(const char* key, std::size_t limit, const std::function<void(JsonFields&)>& read)
{
    const nlohmann::json* array = find(key);
    if (!array)
        return;
    if (!array->is_array() || array->size() > limit)
        return refuse(key, Words::tr("expected a list of at most {} objects", limit));
    for (std::size_t i = 0; i < array->size() && !m_error; ++i) {
        JsonFields fields((*array)[i], fmt::format("{}: {}[{}]", m_where, key, i));
        if (!fields.m_error)
            read(fields);
        m_error = fields.m_error;
    }
}

void JsonFields::refuse(std::string_view key, std::string_view why, ErrorCode code)
{
    if (!m_error)
        m_error = Error{code, fmt::format("{}: {}: {}.", m_where, key.substr(0, 80), why), {}};
}

Result<void> JsonFields::result() const
{
    if (m_error)
        return tl::unexpected(*m_error);
    return {};
}

} // namespace ringside
