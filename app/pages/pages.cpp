// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/pages.h"

#include "app/pages/compare/comparepage.h"
#include "app/pages/editor/editorpage.h"
#include "app/pages/experiments/experimentspage.h"
#include "app/pages/monitor/monitorpage.h"
#include "app/pages/settings/settingspage.h"
#include "app/pages/sites/sitespage.h"
#include "app/pages/welcome/welcomepage.h"

#include <QCoreApplication>

namespace ringside {

namespace {

class PageNames
{
    Q_DECLARE_TR_FUNCTIONS(ringside::PageNames)
public:
    static QString experiments() { return tr("Experiments"); }
    static QString monitor() { return tr("Monitor"); }
    static QString compare() { return tr("Compare"); }
    static QString sites() { return tr("Sites"); }
    static QString settings() { return tr("Settings"); }
};

template <class SomePage> Page* make(const PageContext& context)
{
    return new SomePage(context);
}

} // namespace

std::vector<PageEntry> allPages()
{
    return {
        {PageId::welcome, {}, {}, false, PageId::experiments, make<WelcomePage>},
        {PageId::experiments, QStringLiteral("flask"), PageNames::experiments(), false, PageId::experiments,
         make<ExperimentsPage>},
        {PageId::editor, {}, {}, false, PageId::experiments, make<EditorPage>},
        {PageId::monitor, QStringLiteral("pulse"), PageNames::monitor(), false, PageId::monitor, make<MonitorPage>},
        {PageId::compare, QStringLiteral("bars"), PageNames::compare(), false, PageId::compare, make<ComparePage>},
        {PageId::sites, QStringLiteral("server"), PageNames::sites(), false, PageId::sites, make<SitesPage>},
        {PageId::settings, QStringLiteral("sliders"), PageNames::settings(), true, PageId::settings,
         make<SettingsPage>},
    };
}

} // namespace ringside
