// SPDX-License-Identifier: GPL-3.0-or-later
// What core/ names in English and the window shows in the user's language: settings with their descriptions and units,
// phases, devices. Core knows no Qt, so its words are listed here, where lupdate finds them; a test keeps the list
// complete.
#pragma once

#include <QString>
#include <span>
#include <string_view>

namespace ringside {

/// Translated; as it is where there is no translation.
QString coreText(std::string_view english);

std::span<const char* const> coreWords();

/// "This computer" for the site "local"; others by their name.
QString siteName(std::string_view site);
/// The same within a sentence: "this computer".
QString siteInSentence(std::string_view site);

} // namespace ringside
