// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/preferences.h"

#include "app/text/text.h"

#include <utility>

namespace ringside {

namespace {

const QString kLastContacts = QStringLiteral("sites/lastContacts"); // below "window/"

/// An experiment's name may contain any character, and "/" makes groups.
QString keyOfEnd(const QString& experiment)
{
    return QStringLiteral("tellEnd/") + QString::fromLatin1(experiment.toUtf8().toHex());
}

} // namespace

Preferences::Preferences(const QString& file)
    : m_settings(file.isEmpty() ? QSettings().fileName() : file, QSettings::IniFormat)
{
}

int Preferences::number(const char* key, int fallback, int low, int high) const
{
    bool ok = false;
    const int number = value(key, fallback).toInt(&ok);
    return ok ? qBound(low, number, high) : fallback;
}

bool Preferences::announcesEndOf(const QString& experiment) const
{
    return m_settings.value(keyOfEnd(experiment), desktopNotifications()).toBool();
}

/// A choice that is the same as for all is not stored: the list holds exceptions only.
void Preferences::setAnnouncesEndOf(const QString& experiment, bool wanted)
{
    if (wanted == desktopNotifications())
        m_settings.remove(keyOfEnd(experiment));
    else
        m_settings.setValue(keyOfEnd(experiment), wanted);
}

Result<fs::path> Preferences::databaseFile() const
{
    const QString folder = databaseFolder();
    if (!folder.isEmpty())
        return toPath(folder) / "ringside.db";
    TRY_ASSIGN(const auto data, dataFolder());
    return data / "ringside.db";
}

QStringList Preferences::windowKeys(const QString& group)
{
    m_settings.beginGroup(QStringLiteral("window/") + group);
    const QStringList keys = m_settings.childKeys();
    m_settings.endGroup();
    return keys;
}

std::int64_t Preferences::lastContact(const QString& site) const
{
    return windowValue(kLastContacts).toMap().value(site).toLongLong();
}

void Preferences::setLastContact(const QString& site, std::int64_t wallNs)
{
    QVariantMap contacts = windowValue(kLastContacts).toMap();
    if (std::exchange(contacts[site], QVariant::fromValue<qlonglong>(wallNs)) != QVariant::fromValue<qlonglong>(wallNs))
        setWindowValue(kLastContacts, contacts);
}

void Preferences::forgetLastContact(const QString& site)
{
    QVariantMap contacts = windowValue(kLastContacts).toMap();
    if (contacts.remove(site) > 0)
        setWindowValue(kLastContacts, contacts);
}

} // namespace ringside
