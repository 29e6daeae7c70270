// SPDX-License-Identifier: GPL-3.0-or-later
// What the user chose, kept between starts. Every setter saves at once and tells whoever follows. GUI thread.
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
    explicit Preferences(const QString& file = {}, QObject* parent = nullptr);

    Appearance appearance() const;
    void setAppearance(Appearance appearance);
    FontChoice font() const;
    void setFont(FontChoice font);
    int textPercent() const; ///< 90 to 130
    void setTextPercent(int percent);
    /// "en", "de"; empty: the system's.
    QString language() const;
    void setLanguage(const QString& language);
    bool desktopNotifications() const;
    void setDesktopNotifications(bool wanted);
    /// Whether the end of this experiment is told: as it was chosen at its launch, else as for all.
    bool tellsEndOf(const QString& experiment) const;
    void setTellsEndOf(const QString& experiment, bool wanted);

    /// The database file: in the chosen folder, else in Ringside's data folder.
    Result<fs::path> databaseFile() const;
    QString databaseFolder() const; ///< empty: the data folder
    void setDatabaseFolder(const QString& folder);

    // Defaults of new experiments and figures.
    int repeats() const;
    void setRepeats(int repeats);
    int warmup() const;
    void setWarmup(int iterations);
    double figureWidthMm() const; ///< 88.9 or 182
    void setFigureWidthMm(double width);

    /// When a site was connected last, wall clock, ns; 0: never.
    std::int64_t lastContact(const QString& site) const;
    void setLastContact(const QString& site, std::int64_t wallNs);
    void forgetLastContact(const QString& site);

    /// For window geometry, splitters and columns: any key below "window/".
    QVariant windowValue(const QString& key) const { return m_settings.value(QStringLiteral("window/") + key); }
    void setWindowValue(const QString& key, const QVariant& value)
    {
        m_settings.setValue(QStringLiteral("window/") + key, value);
    }

Q_SIGNALS:
    void appearanceChanged(); ///< appearance, font or text size
    void languageChanged();
    void databaseFolderChanged();

private:
    int number(const QString& key, int fallback, int low, int high) const;

    QSettings m_settings;
};

} // namespace ringside
