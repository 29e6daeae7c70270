// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/corewords.h"

#include "app/text/text.h"

#include "core/base/words.h"
#include "core/jobs/reasons/reasonsentence.h"
#include "core/spec/experiment.h"

#include <QCoreApplication>

namespace ringside {

namespace {

struct UnitWords
{
    Q_DECLARE_TR_FUNCTIONS(ringside::UnitWords)
};

class SiteWords
{
    Q_DECLARE_TR_FUNCTIONS(ringside::SiteWords)
public:
    static QString title() { return tr("This computer"); }
    static QString imported() { return tr("Imported"); }
    static QString inSentence() { return tr("this computer", "within a sentence"); }
};

} // namespace

QString coreText(std::string_view english)
{
    return toQt(Words::translated(english));
}

QString reasonText(const Reason& reason)
{
    return toQt(jobs::sentenceOf(reason));
}

QString unitBeside(const spec::Setting& setting, report::Items items)
{
    const QString unit = coreText(report::unitOf(setting, items));
    return coreText(setting.label).contains(unit, Qt::CaseInsensitive) ? QString() : unit;
}

QString labelWithUnit(const spec::Setting& setting)
{
    const QString label = coreText(setting.label), unit = unitBeside(setting);
    return unit.isEmpty() ? label : UnitWords::tr("%1 (%2)", "setting, unit").arg(label, unit);
}

QString siteName(std::string_view site)
{
    if (site == spec::kImportedSite)
        return SiteWords::imported();
    return site == spec::kLocalSite ? SiteWords::title() : toQt(site);
}

QString siteNames(const std::set<std::string>& ofRuns, std::string_view planned)
{
    if (ofRuns.empty())
        return siteName(planned);
    QStringList names;
    for (const std::string& site : ofRuns)
        names << siteName(site);
    names.sort();
    return names.join(QStringLiteral(", "));
}

QString siteInSentence(std::string_view site)
{
    return site == spec::kLocalSite ? SiteWords::inSentence() : toQt(site);
}

} // namespace ringside
