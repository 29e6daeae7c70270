// SPDX-License-Identifier: GPL-3.0-or-later
// The ways to another site: by its host's name, from the ssh configuration, the demo cluster.
#include "app/dialogs/dialogparts.h"
#include "app/pages/sites/hostsdialog.h"
#include "app/pages/sites/sitedialog.h"
#include "app/pages/sites/sitespage.h"
#include "app/shell/democard.h"
#include "app/text/text.h"

#include <QListView>
#include <QPushButton>
#include <QVBoxLayout>

namespace ringside {

namespace {

Result<std::vector<ConfiguredHost>> readHosts(const std::stop_token&)
{
    return configuredHosts();
}

} // namespace

void SitesPage::add()
{
    // Errors of a configuration are reported where it is used.
    runLatest(m_files, m_hostsJob, this, readHosts, [this](const Result<std::vector<ConfiguredHost>>& hosts) {
        describe(hosts.value_or(std::vector<ConfiguredHost>{}));
    });
}

void SitesPage::describe(const std::vector<ConfiguredHost>& hosts)
{
    describeSite(this, context().theme, Site{}, hosts, [this](const Site& site) -> Result<void> {
        TRY(check(site, {}));
        m_wanted = toQt(site.name);
        change([site](const SiteBook& book) { return book.save(site); });
        return {};
    });
}

void SitesPage::addConfigured()
{
    runLatest(m_files, m_hostsJob, this, readHosts, [this](const Result<std::vector<ConfiguredHost>>& hosts) {
        if (!hosts)
            return showError(hosts.error());
        if (hosts->empty())
            return showMessage({Severity::info, tr("~/.ssh/config names no hosts. Add a site by its host's name.")});
        chooseConfigured(*hosts);
    });
}

void SitesPage::chooseConfigured(const std::vector<ConfiguredHost>& hosts)
{
    KnownHosts known;
    for (int row = 0; row < m_model.rowCount(); ++row)
        if (const auto* entry = m_model.siteAt(row)) {
            known.insert_or_assign(entry->name, toQt(entry->name)); // its name is in use, whatever its host
            if (entry->site)
                known.insert_or_assign(entry->site->host, toQt(entry->name));
        }
    chooseHosts(this, context().theme, hosts, known, [this](const std::vector<Site>& sites) { return addAll(sites); });
}

/// All of them or none.
Result<void> SitesPage::addAll(const std::vector<Site>& sites)
{
    for (const Site& site : sites)
        TRY(check(site, {}));
    m_wanted = toQt(sites.front().name);
    change([sites](const SiteBook& book) -> Result<void> {
        for (const Site& site : sites)
            TRY(book.save(site));
        return {};
    });
    return {};
}

/// Where it is a site already, that is chosen.
void SitesPage::showDemo()
{
    if (const int row = m_model.rowOf(QString::fromLatin1(kDemoSite)); row >= 0) {
        m_list->setCurrentIndex(m_model.index(row));
        return m_list->setFocus();
    }
    if (!m_demo) {
        const DialogHead head{tr("Demo cluster"), tr("A cluster on this computer"), QStringLiteral("server")};
        auto* dialog = new QuestionDialog(this, context().theme, head);
        dialog->setAttribute(Qt::WA_DeleteOnClose, false);
        dialog->body()->addWidget(new DemoCard(context()));
        dialog->addButton(tr("Close"), QDialogButtonBox::RejectRole);
        connect(dialog, &QDialog::finished, this, [this] { refresh(); });
        m_demo = dialog;
    }
    m_demo->open();
}

} // namespace ringside
