// SPDX-License-Identifier: GPL-3.0-or-later
// The user's choices, stored between starts. Every setter saves at once and emits a signal. GUI thread.
#pragma once

#include "app/style/themecontroller.h"

#include "core/base/files.h"

#include <QObject>
#include <QSettings>

namespace ringside {

class Preferences : public QObject
{
    Q_OBJECT
public:
    /// `file` empty: the desktop's place for settings.
    explicit Preferences(const QString& file = {});

    Appearance appearance() const { return Appearance(number("look/appearance", 0, 0, 2)); }
    void setAppearance(Appearance appearance) { set("look/appearance", int(appearance)), Q_EMIT appearanceChanged(); }
    FontChoice font() const { return FontChoice(number("look/font", 0, 0, 1)); }
    void setFont(FontChoice font) { set("look/font", int(font)), Q_EMIT appearanceChanged(); }
    int textPercent() const { return number("look/textPercent", 100, 90, 130); }
    void setTextPercent(int percent) { set("look/textPercent", percent), Q_EMIT appearanceChanged(); }
    /// "en", "de"; empty: the system's.
    QString language() const { return value("language").toString(); }
    void setLanguage(const QString& language) { set("language", language), Q_EMIT languageChanged(); }
    bool desktopNotifications() const { return value("notifications").toBool(); }
    void setDesktopNotifications(bool wanted) { set("notifications", wanted); }
    /// True if the end of this experiment is announced: as chosen at its launch, else as for all.
    bool announcesEndOf(const QString& experiment) const;
    void setAnnouncesEndOf(const QString& experiment, bool wanted);

    /// The database file: in the chosen folder, else in Ringside's data folder.
    Result<fs::path> databaseFile() const;
    QString databaseFolder() const { return value("database/folder").toString(); } ///< empty: the data folder
    void setDatabaseFolder(const QString& folder) { set("database/folder", folder), Q_EMIT databaseFolderChanged(); }

    // Defaults of new experiments and figures.
    int repeats() const { return number("defaults/repeats", 6, 1, 100); }
    void setRepeats(int repeats) { set("defaults/repeats", repeats); }
    int warmup() const { return number("defaults/warmup", 5, 0, 10'000); }
    void setWarmup(int iterations) { set("defaults/warmup", iterations); }
    double figureWidthMm() const { return value("defaults/figureWidthMm", 88.9).toDouble(); } ///< 88.9 or 182
    void setFigureWidthMm(double width) { set("defaults/figureWidthMm", width); }

    /// Returns when a site was connected last, wall clock, ns; 0: never.
    std::int64_t lastContact(const QString& site) const;
    void setLastContact(const QString& site, std::int64_t wallNs);
    void forgetLastContact(const QString& site);

    /// For window geometry, splitters and columns: any key below "window/".
    QVariant windowValue(const QString& key) const { return m_settings.value(QStringLiteral("window/") + key); }
    void setWindowValue(const QString& key, const QVariant& value)
    {
        m_settings.setValue(QStringLiteral("window/") + key, value);
    }
    void removeWindowValue(const QString& key) { m_settings.remove(QStringLiteral("window/") + key); }
    /// The names below "window/" and this group.
    QStringList windowKeys(const QString& group);
    /// Writes what was set, and reads what other programs have set: for values that several write.
    void exchange() { m_settings.sync(); }

Q_SIGNALS:
    void appearanceChanged(); ///< appearance, font or text size
    void languageChanged();
    void databaseFolderChanged();

private:
    QVariant value(const char* key, const QVariant& fallback = {}) const
    {
        return m_settings.value(QLatin1String(key), fallback);
    }
    void set(const char* key, const QVariant& value) { m_settings.setValue(QLatin1String(key), value); }
    int number(const char* key, int fallback, int low, int high) const;

    QSettings m_settings;
};

} // namespace ringside
