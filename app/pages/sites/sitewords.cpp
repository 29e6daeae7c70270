// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/sitewords.h"

#include "app/pages/sites/sitespage.h"
#include "app/text/text.h"
#include "app/widgets/corewords.h"
#include "app/widgets/numbers.h"

namespace ringside {

namespace {

QString unendedRuns(const std::string& site, const std::set<std::string>& experiments)
{
    QStringList names;
    for (const std::string& experiment : experiments)
        names.append(SitesPage::tr("“%1”").arg(toQt(experiment)));
    return names.isEmpty() ? SitesPage::tr("Runs on %1 have not ended.").arg(toQt(site))
                           : SitesPage::tr("Runs of %1 on %2 have not ended.").arg(names.join(u", "), toQt(site));
}

} // namespace

QString descriptionOf(const SiteBook::Entry* entry, bool isOnly)
{
    if (!entry && isOnly)
        return SitesPage::tr("Only this computer so far. Add a cluster when you need one.");
    if (!entry)
        return SitesPage::tr("Experiments run here without anything to set up.");
    if (!entry->site)
        return toQt(entry->site.error().text());
    const Site& site = *entry->site;
    const QString host = toQt(site.user.empty() ? site.host : site.user + "@" + site.host);
    return SitesPage::tr("%1 · files in %2").arg(host, toQt(site.root));
}

Error busyError(const std::string& site, const std::set<std::string>& experiments)
{
    return {ErrorCode::busy, toUtf8(unendedRuns(site, experiments)),
            toUtf8(SitesPage::tr("Rename or forget it once they have, or cancel them."))};
}

Question moveQuestion(const Site& site, const std::set<std::string>& experiments)
{
    const QString there =
        SitesPage::tr("From now on they are looked for in the folder %1 on %2. If that is another than "
                      "before, they go on unseen and may count as lost.")
            .arg(toQt(site.root), toQt(site.host));
    return {.title = SitesPage::tr("Is %1 still the same place?").arg(toQt(site.name)),
            .text = unendedRuns(site.name, experiments) + QLatin1Char(' ') + there,
            .answers = {},
            .harmless = SitesPage::tr("Leave it as it was")};
}

Error testingError(const std::string& site)
{
    return {ErrorCode::busy, toUtf8(SitesPage::tr("The test of %1 has not ended.").arg(toQt(site))),
            toUtf8(SitesPage::tr("Wait for its end, or stop it."))};
}

Message removalMessage(const QString& site, const wire::DeleteReply& reply)
{
    const QString freed = SitesPage::tr("%1 freed on %2.").arg(Numbers::bytes(reply.freedBytes), site);
    if (reply.refused.empty())
        return {Severity::done, freed};
    const QString first = reasonText(reply.refused.front().reason);
    return {Severity::warning,
            freed + QLatin1Char(' ') + SitesPage::tr("%n stayed: %1", nullptr, int(reply.refused.size())).arg(first)};
}

} // namespace ringside
