// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/hostsdialog.h"

#include "app/dialogs/dialogparts.h"
#include "app/text/text.h"
#include "app/widgets/labels.h"
#include "app/widgets/tables.h"

#include <QCoreApplication>
#include <QHeaderView>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace ringside {

namespace {

class HostsDialog : public QuestionDialog
{
    Q_DECLARE_TR_FUNCTIONS(ringside::HostsDialog)
public:
    using Add = std::function<Result<void>(const std::vector<Site>&)>;

    HostsDialog(QWidget* parent, const ThemeController& theme, std::vector<ConfiguredHost> hosts,
                const KnownHosts& known, Add add)
        : QuestionDialog(parent, theme,
                         {tr("Add sites"), tr("Hosts in your SSH configuration"), QStringLiteral("server")})
        , m_hosts(std::move(hosts))
        , m_add(std::move(add))
        , m_list(new QTreeWidget)
        , m_problem(makeParagraph(LabelKind::error))
    {
        setUpList(*m_list, theme);
        setMinimumSize(640, 400);
        fillList(known);
        body()->addWidget(m_list, 1);
        body()->addWidget(makeParagraph(LabelKind::caption, tr("Nothing is connected to before you test a site.")));
        body()->addWidget(m_problem);
        m_problem->hide();
        addButton(tr("Cancel"), QDialogButtonBox::RejectRole);
        m_keep = addButton({}, QDialogButtonBox::AcceptRole, [this] { tryAdd(); });
        connect(m_list, &QTreeWidget::itemChanged, this, [this] { showCount(); });
        connect(m_list, &QTreeWidget::currentItemChanged, this, [this] { showCount(); });
        setStandard(m_keep);
        m_list->setFocus();
        showCount();
    }

private:
    void fillList(const KnownHosts& known)
    {
        m_list->setAccessibleName(tr("Hosts"));
        m_list->setHeaderLabels({tr("Host"), tr("User"), tr("Port"), tr("Jump host"), tr("Note")});
        for (const ConfiguredHost& host : m_hosts)
            addRow(host, known);
        for (const int column : {1, 2, 3})
            m_list->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
        for (const int column : {0, 4})
            m_list->header()->setSectionResizeMode(column, QHeaderView::Stretch);
        m_list->header()->setStretchLastSection(false);
    }

    void addRow(const ConfiguredHost& host, const KnownHosts& known)
    {
        auto* row = new QTreeWidgetItem(m_list);
        row->setText(0, toQt(host.alias));
        row->setToolTip(0, plainToolTip(toQt(host.hostName)));
        row->setText(1, toQt(host.user));
        row->setText(2, QString::number(host.port));
        row->setTextAlignment(2, Qt::AlignRight | Qt::AlignVCenter);
        row->setText(3, toQt(host.jump));
        row->setCheckState(0, Qt::Unchecked);
        const auto site = known.find(host.alias);
        if (site == known.end())
            return;
        row->setText(4, tr("is the site “%1”").arg(site->second));
        row->setDisabled(true);
    }

    /// The ticked ones; without any, the one that is chosen.
    std::vector<Site> chosen() const
    {
        std::vector<Site> ticked, current;
        for (int line = 0; line < m_list->topLevelItemCount(); ++line) {
            const QTreeWidgetItem* row = m_list->topLevelItem(line);
            Site site;
            site.name = site.host = m_hosts[std::size_t(line)].alias; // the rest is in the configuration
            if (row->isDisabled())
                continue;
            if (row->checkState(0) == Qt::Checked)
                ticked.push_back(site);
            if (row == m_list->currentItem())
                current.push_back(site);
        }
        return ticked.empty() ? current : ticked;
    }

    void showCount()
    {
        const int count = int(chosen().size());
        m_keep->setText(count == 0 ? tr("Add sites") : tr("Add %n site(s)", nullptr, count));
        m_keep->setEnabled(count > 0);
    }

    void tryAdd()
    {
        const auto added = m_add(chosen());
        if (added)
            return accept();
        m_problem->setText(toQt(added.error().text()));
        m_problem->show();
    }

    std::vector<ConfiguredHost> m_hosts;
    Add m_add;
    QTreeWidget* m_list;
    QLabel* m_problem;
    QPushButton* m_keep = nullptr;
};

} // namespace

void chooseHosts(QWidget* parent, const ThemeController& theme, const std::vector<ConfiguredHost>& hosts,
                 const KnownHosts& known, const std::function<Result<void>(const std::vector<Site>&)>& add)
{
    (new HostsDialog(parent, theme, hosts, known, add))->open();
}

} // namespace ringside
