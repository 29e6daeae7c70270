// SPDX-License-Identifier: MIT
#include "core/wire/codec.h"
#include "core/wire/fields.h"
#include "core/wire/messages.capnp.h"

#include <capnp/dynamic.h>
#include <capnp/message.h>
#include <capnp/serialize.h>
#include <cstring>
#include <kj/exception.h>

namespace ringside::wire {

namespace {

using capnp::Data;
using capnp::DynamicEnum;
using capnp::DynamicList;
using capnp::DynamicStruct;
using capnp::DynamicValue;
using capnp::Text;
using schema::Frame;

/// An element of a list that says anything needs at least a quarter in the frame of what its value needs here.
constexpr std::size_t kMostGrowth = 4;
constexpr int kMaxNesting = 8;

// Messages and enumerators have the same numbers in the schema and here.
static_assert(static_cast<std::size_t>(Frame::ENGINE_REPLY) + 2 == std::variant_size_v<Message>);
static_assert(static_cast<int>(schema::CampaignState::LOST) == static_cast<int>(CampaignState::lost));
static_assert(static_cast<int>(schema::FileKind::LOG) == static_cast<int>(FileKind::log));
static_assert(static_cast<int>(schema::ControlAction::CANCEL_RUN) == static_cast<int>(Control::Kind::cancelRun));
static_assert(static_cast<int>(schema::ItemKind::ENGINE) == static_cast<int>(ItemKind::engine));
static_assert(static_cast<int>(schema::EngineAction::CANCEL) == static_cast<int>(EngineAction::cancel));
static_assert(static_cast<int>(schema::JobState::BOOT_FAIL) == static_cast<int>(JobState::bootFail));
static_assert(static_cast<int>(schema::ErrorCode::INTERNAL) == static_cast<int>(ErrorCode::internal));

/// Value for an enumerator that only a later version knows; without a value, it is refused.
template <class E> constexpr std::optional<E> kUnknown = {};
template <> constexpr std::optional<JobState> kUnknown<JobState> = JobState::unknown;
template <> constexpr std::optional<ErrorCode> kUnknown<ErrorCode> = ErrorCode::internal;

template <class T> constexpr bool kIsId = requires(const T& value)
{
    T::parse(value.str());
};

DynamicValue::Reader valueOf(const std::string& text)
{
    return Text::Reader(text.c_str(), text.size());
}
template <class T> DynamicValue::Reader valueOf(const T& value)
{
    if constexpr (kIsId<T>)
        return valueOf(value.str());
    else if constexpr (std::is_enum_v<T>)
        return static_cast<std::uint16_t>(value);
    else
        return value;
}

std::string stringOf(DynamicValue::Reader in)
{
    const auto bytes = in.as<Data>();
    return {reinterpret_cast<const char*>(bytes.begin()), bytes.size()};
}

/// Writes the members of one struct.
class MembersWriter
{
public:
    explicit MembersWriter(DynamicStruct::Builder out)
        : m_out(out)
    {
    }

    template <class T> void value(const char* field, const T& value) { m_out.set(field, valueOf(value)); }
    void plain(const char* field, const std::string& text) { value(field, text); }
    template <class T> void id(const char* field, const T& id) { value(field, id); }
    template <class T> void optionalId(const char* field, const T& id) { value(field, id); }
    void path(const char* field, const std::string& path) { value(field, path); }
    void count(const char* field, int count, int) { value(field, count); }
    void reason(const char* field, const Reason& reason) { value(field, toText(reason)); }
    void check(const char*, bool, const std::string&) {}

    template <class T> void part(const char* field, const T& part)
    {
        MembersWriter members(m_out.init(field).as<DynamicStruct>());
        membersOf(members, part);
    }

    template <class T> void list(const char* field, const std::vector<T>& values)
    {
        auto out = m_out.init(field, static_cast<unsigned>(values.size())).template as<DynamicList>();
        for (unsigned i = 0; i < values.size(); ++i) {
            if constexpr (kIsId<T> || std::is_same_v<T, std::string>)
                out.set(i, valueOf(values[i]));
            else {
                MembersWriter members(out[i].template as<DynamicStruct>());
                membersOf(members, values[i]);
            }
        }
    }

    void pairs(const char* field, const std::map<std::string, std::string>& values)
    {
        auto out = m_out.init(field, static_cast<unsigned>(values.size())).as<DynamicList>();
        for (unsigned i = 0; const auto& [name, value] : values) {
            auto pair = out[i++].as<DynamicStruct>();
            pair.set("name", valueOf(name));
            pair.set("value", valueOf(value));
        }
    }

private:
    DynamicStruct::Builder m_out;
};

/// Reads the members of one struct and checks what may be wrong although it is well-formed. The first error of a frame
/// is stored; later ones do not count.
class MembersReader
{
public:
    struct Whole
    {
        std::size_t bytes; ///< of the frame
        std::optional<Error> error = {};
    };

    MembersReader(DynamicStruct::Reader in, Whole& frame)
        : m_in(in)
        , m_frame(frame)
    {
    }

    template <class T> void value(const char* field, T& value)
    {
        const auto in = m_in.get(field);
        if constexpr (std::is_same_v<T, std::string>)
            value = stringOf(in);
        else if constexpr (std::is_enum_v<T>)
            takeEnumerator(field, in.as<DynamicEnum>(), value);
        else
            value = in.as<T>();
    }

    /// A text for people, who may read it in a terminal.
    void plain(const char* field, std::string& text) { text = plainText(stringOf(m_in.get(field))); }

    template <class T> void id(const char* field, T& id) { takeId(field, stringOf(m_in.get(field)), id); }

    template <class T> void optionalId(const char* field, T& id)
    {
        if (const std::string text = stringOf(m_in.get(field)); !text.empty())
            takeId(field, text, id);
    }

    void path(const char* field, std::string& path)
    {
        value(field, path);
        check(field, isPathInside(path), Words::tr("not a path below the site's root"));
    }

    void count(const char* field, int& count, int low)
    {
        value(field, count);
        check(field, count >= low, Words::tr("{} is below {}", count, low));
    }

    /// Relays of versions that knew no codes say a sentence. Content that a reason cannot hold, as bytes that are no
    /// UTF-8, is left out here, so that it can be sent on unchanged.
    void reason(const char* field, Reason& reason)
    {
        const std::string why = stringOf(m_in.get(field));
        const Reason told = why.empty() ? Reason{{}, {}, sentence()} : reasonFromText(why);
        reason = reasonFromText(toText(told));
    }

    template <class T> void part(const char* field, T& part) { takeMembers(m_in.get(field), part); }

    template <class T> void list(const char* field, std::vector<T>& values)
    {
        each<T>(field, [&](DynamicValue::Reader in) {
            T& value = values.emplace_back();
            if constexpr (kIsId<T>)
                takeId(field, stringOf(in), value);
            else if constexpr (std::is_same_v<T, std::string>)
                value = stringOf(in);
            else
                takeMembers(in, value);
        });
    }

    void pairs(const char* field, std::map<std::string, std::string>& values)
    {
        each<std::pair<std::string, std::string>>(field, [&](DynamicValue::Reader in) {
            const auto pair = in.as<DynamicStruct>();
            values.insert_or_assign(stringOf(pair.get("name")), stringOf(pair.get("value")));
        });
    }

    void check(const char* field, bool isRight, std::string_view why)
    {
        if (!isRight && !m_frame.error)
            m_frame.error = Error{ErrorCode::damaged, Words::tr("field {}: {}", field, plainText(why)), {}};
    }

private:
    /// Text in place of a reason, in structs that are older than reasons.
    std::string sentence() const
    {
        constexpr const char* kField = "reason";
        const bool hasOne = m_in.getSchema().findFieldByName(kField) != nullptr;
        return hasOne ? stringOf(m_in.get(kField)) : std::string();
    }

    template <class T> void takeMembers(DynamicValue::Reader in, T& value)
    {
        MembersReader members(in.as<DynamicStruct>(), m_frame);
        membersOf(members, value);
    }

    template <class T> void takeId(const char* field, const std::string& text, T& id)
    {
        if (auto parsed = T::parse(text))
            id = std::move(*parsed);
        else
            check(field, false, parsed.error().message);
    }

    template <class T> void takeEnumerator(const char* field, DynamicEnum in, T& value)
    {
        const bool isKnown = in.getRaw() < in.getSchema().getEnumerants().size();
        check(field, isKnown || kUnknown<T>, Words::tr("value {} is not known here", in.getRaw()));
        value = isKnown ? static_cast<T>(in.getRaw()) : kUnknown<T>.value_or(T());
    }

    /// Calls `take` with each element, unless the frame cannot hold so many values: elements of no size cost their
    /// sender nothing.
    template <class Value, class Take> void each(const char* field, const Take& take)
    {
        const auto list = m_in.get(field).as<DynamicList>();
        const std::size_t most = kMostGrowth * m_frame.bytes / sizeof(Value);
        if (list.size() > most)
            return check(field, false, Words::tr("{} entries, more than {}", list.size(), most));
        for (unsigned i = 0; i < list.size() && !m_frame.error; ++i)
            take(list[i]);
    }

    DynamicStruct::Reader m_in;
    Whole& m_frame;
};

template <std::size_t... index> Message messageOf(std::size_t number, std::index_sequence<index...>)
{
    Message message = UnknownMessage{0, static_cast<int>(number)};
    (void)((number == index && (message.emplace<index>(), true)) || ...);
    return message;
}

Message take(Frame::Reader frame, MembersReader::Whole& whole)
{
    const auto number = static_cast<unsigned>(frame.which());
    Message message = messageOf(number, std::make_index_sequence<std::variant_size_v<Message> - 1>());
    std::visit(
        [&]<class T>(T& content) {
            if constexpr (requires { content.requestId; })
                content.requestId = frame.getRequestId();
            if constexpr (!std::is_same_v<T, UnknownMessage>) {
                const DynamicStruct::Reader members(frame);
                const auto part = members.get(members.getSchema().getUnionFields()[number]);
                MembersReader reader(part.getType() == DynamicValue::STRUCT ? part.as<DynamicStruct>() : members,
                                     whole);
                membersOf(reader, content);
            }
        },
        message);
    return message;
}

} // namespace

Result<std::string> encodeMessage(const Message& message)
{
    if (std::holds_alternative<UnknownMessage>(message))
        return fail(ErrorCode::usage, Words::tr("A message of an unknown type cannot be sent."));
    capnp::MallocMessageBuilder builder;
    auto frame = builder.initRoot<Frame>();
    frame.setRequestId(requestIdOf(message));
    DynamicStruct::Builder whole(frame);
    const auto field = whole.getSchema().getUnionFields()[static_cast<unsigned>(message.index())];
    whole.clear(field); // says which message it is
    MembersWriter writer(field.getType().isStruct() ? whole.init(field).as<DynamicStruct>() : whole);
    std::visit([&](const auto& content) { membersOf(writer, content); }, message);
    const auto words = capnp::messageToFlatArray(builder);
    const auto bytes = words.asBytes();
    return std::string(reinterpret_cast<const char*>(bytes.begin()), bytes.size());
}

Result<Message> decodeMessage(std::string_view bytes)
{
    const std::size_t wordCount = bytes.size() / sizeof(capnp::word);
    if (wordCount == 0 || bytes.size() % sizeof(capnp::word) != 0)
        return fail(ErrorCode::damaged, Words::tr("a message of {} bytes is no whole number of words", bytes.size()));
    auto words = kj::heapArray<capnp::word>(wordCount); // aligned, as Cap'n Proto needs it
    std::memcpy(words.asBytes().begin(), bytes.data(), bytes.size());
    capnp::ReaderOptions options;
    options.traversalLimitInWords =
        2 * wordCount + 1024; // every field is read once; pointers to shared bytes are hostile
    options.nestingLimit = kMaxNesting;
    std::optional<Result<Message>> message;
    const auto exception = kj::runCatchingExceptions([&] {
        capnp::FlatArrayMessageReader reader(words, options);
        MembersReader::Whole frame{bytes.size()};
        message = take(reader.getRoot<Frame>(), frame);
        if (frame.error)
            message = tl::unexpected(std::move(*frame.error));
    });
    KJ_IF_MAYBE (thrown, exception) {
        return fail(ErrorCode::damaged, plainText(thrown->getDescription().cStr()));
    }
    return std::move(*message);
}

} // namespace ringside::wire
