// SPDX-License-Identifier: MIT
// Identities. Two ids of different kinds cannot be swapped by accident.
#pragma once

#include "core/base/error.h"

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ringside {

/// A UUID in its canonical form of 36 lower-case characters; empty when default-constructed.
template <class Tag> class Id
{
public:
    Id() = default;

    static Id random();
    /// Accepts only the canonical form, so an id can become part of a path without further checks.
    static Result<Id> parse(std::string_view text);

    const std::string& str() const { return m_text; }
    bool empty() const { return m_text.empty(); }
    auto operator<=>(const Id&) const = default;

private:
    explicit Id(std::string text)
        : m_text(std::move(text))
    {
    }
    std::string m_text;
};

using RunId = Id<struct RunTag>;
using CampaignId = Id<struct CampaignTag>;
using StoreId = Id<struct StoreTag>;
using FileId = Id<struct FileTag>;

/// A random (version 4) UUID, and whether a text is a UUID in canonical form.
std::string randomUuid();
bool isUuid(std::string_view text);
/// The error that parse() returns for another text.
Error noId(std::string_view text);

template <class Tag> Id<Tag> Id<Tag>::random()
{
    return Id(randomUuid());
}

template <class Tag> Result<Id<Tag>> Id<Tag>::parse(std::string_view text)
{
    if (!isUuid(text))
        return tl::unexpected(noId(text));
    return Id(std::string(text));
}

} // namespace ringside

template <class Tag> struct std::hash<ringside::Id<Tag>>
{
    std::size_t operator()(const ringside::Id<Tag>& id) const { return std::hash<std::string>{}(id.str()); }
};
