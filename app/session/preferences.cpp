// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/preferences.h"

#include "app/text/text.h"

#include <utility>

namespace ringside {

namespace {

const QString kAppearance = QStringLiteral("look/appearance");
const QString kFont = QStringLiteral("look/font");
const QString kTextPercent = QStringLiteral("look/textPercent");
const QString kLanguage = QStringLiteral("language");
const QString kNotifications = QStringLiteral("notifications");
const QString kFolder = QStringLiteral("database/folder");
const QString kRepeats = QStringLiteral("defaults/repeats");
const QString kWarmup = QStringLiteral("defaults/warmup");
const QString kLastContacts = QStringLiteral("sites/lastContacts"); // below "window/"
const QString kFigureWidth = QStringLiteral("defaults/figureWidthMm");

/// Of an experiment's name any character may be, and "/" makes groups.
QString keyOfEnd(const QString& experiment)
{
    return QStringLiteral("tellEnd/") + QString::fromLatin1(experiment.toUtf8().toHex());
}

} // namespace

Preferences::Preferences(const QString& file, QObject* parent)
    : QObject(parent)
    , m_settings(file.isEmpty() ? QSettings().fileName() : file, QSettings::IniFormat)
{
}

int Preferences::number(const QString& key, int fallback, int low, int high) const
{
    bool ok = false;
    const int value = m_settings.value(key, fallback).toInt(&ok);
    return ok ? qBound(low, value, high) : fallback;
}

Appearance Preferences::appearance() const
{
    return Appearance(number(kAppearance, 0, 0, 2));
}

void Preferences::setAppearance(Appearance appearance)
{
    m_settings.setValue(kAppearance, int(appearance));
    Q_EMIT appearanceChanged();
}

FontChoice Preferences::font() const
{
    return FontChoice(number(kFont, 0, 0, 1));
}

void Preferences::setFont(FontChoice font)
{
    m_settings.setValue(kFont, int(font));
    Q_EMIT appearanceChanged();
}

int Preferences::textPercent() const
{
    return number(kTextPercent, 100, 90, 130);
}

void Preferences::setTextPercent(int percent)
{
    m_settings.setValue(kTextPercent, percent);
    Q_EMIT appearanceChanged();
}

QString Preferences::language() const
{
    return m_settings.value(kLanguage).toString();
}

void Preferences::setLanguage(const QString& language)
{
    m_settings.setValue(kLanguage, language);
    Q_EMIT languageChanged();
}

bool Preferences::desktopNotifications() const
{
    return m_settings.value(kNotifications, false).toBool();
}

void Preferences::setDesktopNotifications(bool wanted)
{
    m_settings.setValue(kNotifications, wanted);
}

bool Preferences::tellsEndOf(const QString& experiment) const
{
    return m_settings.value(keyOfEnd(experiment), desktopNotifications()).toBool();
}

/// What is as for all is not kept: the list holds exceptions only.
void Preferences::setTellsEndOf(const QString& experiment, bool wanted)
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

QString Preferences::databaseFolder() const
{
    return m_settings.value(kFolder).toString();
}

void Preferences::setDatabaseFolder(const QString& folder)
{
    m_settings.setValue(kFolder, folder);
    Q_EMIT databaseFolderChanged();
}

int Preferences::repeats() const
{
    return number(kRepeats, 6, 1, 100);
}

void Preferences::setRepeats(int repeats)
{
    m_settings.setValue(kRepeats, repeats);
}

int Preferences::warmup() const
{
    return number(kWarmup, 5, 0, 10'000);
}

void Preferences::setWarmup(int iterations)
{
    m_settings.setValue(kWarmup, iterations);
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

double Preferences::figureWidthMm() const
{
    return m_settings.value(kFigureWidth, 88.9).toDouble();
}

void Preferences::setFigureWidthMm(double width)
{
    m_settings.setValue(kFigureWidth, width);
}

} // namespace ringside
