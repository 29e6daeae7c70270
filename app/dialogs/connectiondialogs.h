// SPDX-License-Identifier: GPL-3.0-or-later
// Questions and notices of a connection. Each returns at once, is window-modal and deletes itself; closing it without
// an answer means no.
#pragma once

#include "app/session/questions.h"

class QWidget;

namespace ringside {

class ThemeController;

/// The default is Cancel. A published fingerprint can be pasted: it is compared in words.
void askHostKey(QWidget* parent, const ThemeController& theme, const HostKeyQuestion& question,
                const HostKeyReply& reply);
/// Another key than the one on record: nothing here leads on.
void showHostKeyRefused(QWidget* parent, const ThemeController& theme, const HostKeyAlarm& alarm);
/// All prompts of a round; typed text is shown where the server says so. With `canBeKept`, answers may be stored in the
/// desktop's keychain.
void askToSignIn(QWidget* parent, const ThemeController& theme, const PromptRound& round, bool canBeKept,
                 const PromptReply& reply);

} // namespace ringside
