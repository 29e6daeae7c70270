// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/newsites.h"

#include "app/dialogs/dialogparts.h"
#include "app/pages/sites/hostsdialog.h"
#include "app/pages/sites/sitedialog.h"
#include "app/pages/sites/sitemodel.h"
#include "app/session/background.h"
#include "app/shell/democard.h"
#include "app/text/text.h"

#include <QPushButton>
#include <QVBoxLayout>

namespace ringside {

namespace {

using Hosts = std::vector<ConfiguredHost>;

Result<Hosts> readHosts(const std::stop_token&)
{
    return configuredHosts();
}

KnownHosts knownHosts(const SiteModel& sites)
{
    KnownHosts known;
    for (int row = 0; row < sites.rowCount(); ++row)
        if (const auto* entry = sites.siteAt(row)) {
            known.insert_or_assign(entry->name, toQt(entry->name)); // its name is in use, whatever its host
            if (entry->site)
                known.insert_or_assign(entry->site->host, toQt(entry->name));
        }
    return known;
}

} // namespace

NewSites::NewSites(const PageContext& context, QWidget* page, const SiteModel& sites, TaskThread& files, Add add)
    : QObject(page)
    , m_context(context)
    , m_page(page)
    , m_sites(sites)
    , m_files(files)
    , m_addAll(std::move(add))
{
}

void NewSites::describe()
{
    // Errors of a configuration are reported where it is used.
    runLatest(m_files, m_hostsJob, this, readHosts, [this](const Result<Hosts>& hosts) {
        describeSite(m_page, m_context.theme, Site{}, hosts.value_or(Hosts{}),
                     [this](const Site& site) { return m_addAll({site}); });
    });
}

void NewSites::chooseConfigured()
{
    runLatest(m_files, m_hostsJob, this, readHosts, [this](const Result<Hosts>& hosts) {
        if (!hosts)
            Q_EMIT failed(hosts.error());
        else if (hosts->empty())
            Q_EMIT remarked(
                {.text = tr("~/.ssh/config names no hosts. Add a site by its host's name."), .topic = kNoHostsTopic});
        else
            chooseHosts(m_page, m_context.theme, *hosts, knownHosts(m_sites), m_addAll);
    });
}

void NewSites::showDemo()
{
    if (!m_demo) {
        const DialogHead head{tr("Demo cluster"), tr("A cluster on this computer"), QStringLiteral("server")};
        auto* dialog = new QuestionDialog(m_page, m_context.theme, head);
        dialog->setAttribute(Qt::WA_DeleteOnClose, false);
        dialog->body()->addWidget(new DemoCard(m_context));
        dialog->addButton(tr("Close"), QDialogButtonBox::RejectRole);
        connect(dialog, &QDialog::finished, this, &NewSites::demoClosed);
        m_demo = dialog;
    }
    m_demo->open();
}

void NewSites::hideDemo()
{
    if (m_demo)
        m_demo->hide();
}

} // namespace ringside
