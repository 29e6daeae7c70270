// SPDX-License-Identifier: GPL-3.0-or-later
// Asks the user at the terminal what a connection wants to know, as ssh does. Without a terminal it asks nothing.
#pragma once

#include "core/remote/interaction.h"

namespace ringside::cli {

/// Speaks with /dev/tty, so that pipes on the standard streams do not matter.
class Terminal final : public Interaction
{
public:
    Result<bool> trustHostKey(const HostKeyQuestion& question) override;
    Result<std::vector<Secret>> answer(const PromptRound& round) override;
    void notice(const std::string& subject, const std::string& text) override;
    void hostKeyAlarm(const HostKeyAlarm& alarm) override;
};

} // namespace ringside::cli
