// SPDX-License-Identifier: MIT
// The settings of a configuration as its runs have them: thousands of runs share one copy.
#pragma once

#include "core/protocol/settings.h"

#include <memory>
#include <utility>

namespace ringside {

/// Reads as Settings; a copy costs a pointer. The shared part never changes, so that other threads may have a copy.
class SharedSettings
{
public:
    SharedSettings() = default;
    SharedSettings(Settings settings)
        : m_settings(std::make_shared<const Settings>(std::move(settings)))
    {
    }

    const Settings& operator*() const
    {
        static const Settings none;
        return m_settings ? *m_settings : none;
    }
    const Settings* operator->() const { return &**this; }
    operator const Settings&() const { return **this; }

    /// To be assigned to, at once: of a copy that this one has for itself.
    Value& operator[](const std::string& key)
    {
        const auto own = std::make_shared<Settings>(**this);
        m_settings = own;
        return (*own)[key];
    }

    friend bool operator==(const SharedSettings& a, const SharedSettings& b)
    {
        return a.m_settings == b.m_settings || *a == *b;
    }

private:
    std::shared_ptr<const Settings> m_settings; ///< null: none
};

} // namespace ringside
