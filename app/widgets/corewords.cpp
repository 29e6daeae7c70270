// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/corewords.h"

#include "app/widgets/text.h"

#include "core/base/words.h"
#include "core/spec/experiment.h"

#include <QCoreApplication>

namespace ringside {

namespace {

class SiteWords
{
    Q_DECLARE_TR_FUNCTIONS(ringside::SiteWords)
public:
    static QString title() { return tr("This computer"); }
    static QString inSentence() { return tr("this computer", "within a sentence"); }
};

} // namespace

QString coreText(std::string_view english)
{
    return toQt(Words::translated(english));
}

QString siteName(std::string_view site)
{
    return site == spec::kLocalSite ? SiteWords::title() : toQt(site);
}

QString siteInSentence(std::string_view site)
{
    return site == spec::kLocalSite ? SiteWords::inSentence() : toQt(site);
}

} // namespace ringside
