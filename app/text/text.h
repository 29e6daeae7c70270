// SPDX-License-Identifier: GPL-3.0-or-later
// Between core's UTF-8 strings and Qt's. Names are foreign text: show them in labels with Qt::PlainText.
#pragma once

#include "core/base/error.h"

#include <QString>
#include <concepts>
#include <filesystem>
#include <string>
#include <string_view>

namespace ringside {

inline QString toQt(std::string_view text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}
/// A template, so that a std::string does not convert to a path.
template <std::same_as<std::filesystem::path> Path> QString toQt(const Path& path)
{
    return toQt(std::string_view(path.native()));
}
inline std::string toUtf8(const QString& text)
{
    return text.toStdString();
}
inline std::filesystem::path toPath(const QString& text)
{
    return {text.toStdString()};
}

/// The error and its remedy, as one paragraph. A message that quotes a program at length is shortened to its beginning.
QString messageOf(const Error& error);

/// The whole message where messageOf() leaves something out; else empty.
QString detailsOf(const Error& error);

/// "~/data/lab.db" for a path below the home folder, else the path.
QString shortPath(const QString& path);

/// The path that a user typed, without blanks around it: "~/data" is below the home folder.
std::filesystem::path typedPath(const QString& text);

/// Every path below the home folder in `text` as shortPath() writes it.
QString withoutHome(QString text);

} // namespace ringside
