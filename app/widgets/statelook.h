// SPDX-License-Identifier: GPL-3.0-or-later
// The look of a state everywhere: icon, colour and word (UX.md section 4).
#pragma once

#include "app/style/theme.h"

#include "core/protocol/states.h"

#include <QCoreApplication>
#include <QMetaType>
#include <cstdint>
#include <optional>
#include <string>

namespace ringside {

struct StateLook
{
    QString icon;
    Ink ink = Ink::text2;
    QString word;
    bool operator==(const StateLook&) const = default;
};

class StateWords
{
    Q_DECLARE_TR_FUNCTIONS(ringside::StateWords)
public:
    /// Word of a state; a failed run is called by its reason, an unknown one says since when (wall-clock ns).
    static StateLook look(RunState state, std::int64_t since = 0, const std::optional<std::string>& reason = {});
    /// The look of a run that waits until its campaign is continued.
    static StateLook held();
};

} // namespace ringside

Q_DECLARE_METATYPE(ringside::StateLook)
