// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/translations.h"

#include "core/base/words.h"

#include <QCoreApplication>
#include <QDir>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

// Outside any namespace, as Qt asks; needed because the files live in a static library.
static void initTranslations()
{
    Q_INIT_RESOURCE(ringside_translations);
}

namespace ringside {

namespace {

const QString kFolder = QStringLiteral(":/i18n");
const QString kOurs = QStringLiteral("ringside-language");

void install(QCoreApplication& application, const QLocale& locale, const QString& name, const QString& folder)
{
    auto* translator = new QTranslator(&application);
    translator->setObjectName(kOurs);
    if (translator->load(locale, name, QStringLiteral("_"), folder))
        QCoreApplication::installTranslator(translator);
    else
        delete translator;
}

/// For core's texts, on any thread: QCoreApplication::translate() may be called on all of them.
std::string translated(std::string_view text, std::string_view singular, int count)
{
    const std::string source(text), comment(singular);
    return QCoreApplication::translate("Words", source.c_str(), comment.c_str(), count).toStdString();
}

} // namespace

QStringList bundledLanguages()
{
    initTranslations();
    QStringList languages;
    for (const QString& file : QDir(kFolder).entryList({QStringLiteral("ringside_*.qm")}))
        languages << file.section(QLatin1Char('_'), 1).section(QLatin1Char('.'), 0, 0);
    return languages;
}

void installLanguage(QCoreApplication& application, const QString& language)
{
    initTranslations();
    Words::setTranslator(translated);
    qDeleteAll(application.findChildren<QTranslator*>(kOurs, Qt::FindDirectChildrenOnly));
    const QLocale locale = language.isEmpty() ? QLocale::system() : QLocale(language);
    install(application, QLocale(QLocale::English), QStringLiteral("ringside"), kFolder);
    if (locale.language() != QLocale::English) {
        install(application, locale, QStringLiteral("qtbase"), QLibraryInfo::path(QLibraryInfo::TranslationsPath));
        install(application, locale, QStringLiteral("ringside"), kFolder);
    }
}

} // namespace ringside
