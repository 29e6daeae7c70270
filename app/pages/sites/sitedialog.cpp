// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/sitedialog.h"

#include "app/dialogs/dialogparts.h"
#include "app/widgets/labels.h"
#include "app/widgets/text.h"

#include "core/remote/ssh/target.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QFormLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace ringside {

namespace {

class SiteDialog : public QuestionDialog
{
    Q_DECLARE_TR_FUNCTIONS(ringside::SiteDialog)
public:
    using Save = std::function<Result<void>(const Site&)>;

    SiteDialog(QWidget* parent, const ThemeController& theme, Site site, const std::vector<ssh::ConfiguredHost>& hosts,
               Save save)
        : QuestionDialog(parent, theme, headOf(site))
        , m_site(std::move(site))
        , m_save(std::move(save))
        , m_form(new QFormLayout)
        , m_problem(makeParagraph(LabelKind::error))
    {
        m_name = addField(tr("Name"), m_site.name, tr("alder"));
        addHost(hosts);
        m_root = addField(tr("Folder there"), m_site.root, tr("seen by login and compute nodes"));
        m_scheduler = new QComboBox;
        for (const QString& text : {tr("Slurm if it is there"), tr("Slurm"), tr("None: start jobs on the login node")})
            m_scheduler->addItem(text);
        m_scheduler->setCurrentIndex(int(m_site.scheduler));
        m_form->addRow(tr("Scheduler"), m_scheduler);
        m_partition = addField(tr("Partition"), m_site.slurm.partition, tr("the cluster's default"));
        m_account = addField(tr("Account"), m_site.slurm.account, tr("your default"));
        m_torch = addField(tr("Torch there"), m_site.torch, tr("looked for"));
        body()->addLayout(m_form);
        body()->addWidget(m_problem);
        m_problem->hide();
        auto* cancel = addButton(tr("Cancel"), QDialogButtonBox::RejectRole);
        auto* keep = addButton(m_site.name.empty() ? tr("Add site") : tr("Save"), QDialogButtonBox::AcceptRole);
        connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
        connect(keep, &QPushButton::clicked, this, [this] { trySave(); });
        setStandard(keep);
        m_name->setFocus();
    }

private:
    static DialogHead headOf(const Site& site)
    {
        const bool isNew = site.name.empty();
        return {isNew ? tr("Add site") : tr("Edit site"),
                isNew ? tr("Where can experiments run?") : tr("Describe %1").arg(toQt(site.name)),
                QStringLiteral("server")};
    }

    QLineEdit* addField(const QString& label, const std::string& text, const QString& placeholder)
    {
        auto* field = new QLineEdit(toQt(text));
        field->setPlaceholderText(placeholder);
        m_form->addRow(label, field);
        return field;
    }

    /// Any host can be typed; those of the configuration can be chosen, and give the site its name.
    void addHost(const std::vector<ssh::ConfiguredHost>& hosts)
    {
        m_host = new QComboBox;
        m_host->setEditable(true);
        m_host->setInsertPolicy(QComboBox::NoInsert);
        m_host->lineEdit()->setPlaceholderText(tr("kim@alder.example.org, or a host of your ssh configuration"));
        for (const ssh::ConfiguredHost& host : hosts) {
            m_host->addItem(toQt(host.alias));
            m_host->setItemData(m_host->count() - 1, wayTo(host), Qt::ToolTipRole);
        }
        m_host->setCurrentIndex(-1);
        m_host->setEditText(toQt(hostText()));
        m_form->addRow(tr("Login node"), m_host);
        connect(m_host, &QComboBox::activated, this, [this] {
            if (m_name->text().isEmpty())
                m_name->setText(m_host->currentText());
        });
    }

    static QString wayTo(const ssh::ConfiguredHost& host)
    {
        const QString place = toQt(fmt::format("{}@{}:{}", host.user, host.hostName, host.port));
        return host.jump.empty() ? place : tr("%1 through %2").arg(place, toQt(host.jump));
    }

    std::string hostText() const
    {
        const std::string text = m_site.user.empty() ? m_site.host : fmt::format("{}@{}", m_site.user, m_site.host);
        return m_site.port == 0 ? text : fmt::format("{}:{}", text, m_site.port);
    }

    void trySave()
    {
        const auto saved = described().and_then(m_save);
        if (saved)
            return accept();
        m_problem->setText(toQt(saved.error().text()));
        m_problem->show();
    }

    Result<Site> described() const
    {
        Site site = m_site;
        TRY_ASSIGN(const ssh::Target target, ssh::parseTarget(toUtf8(m_host->currentText().trimmed())));
        site.name = toUtf8(m_name->text().trimmed());
        site.host = target.host;
        site.user = target.user;
        site.port = target.port;
        site.root = toUtf8(m_root->text().trimmed());
        site.scheduler = Scheduler(m_scheduler->currentIndex());
        site.slurm.partition = toUtf8(m_partition->text().trimmed());
        site.slurm.account = toUtf8(m_account->text().trimmed());
        site.torch = toUtf8(m_torch->text().trimmed());
        return site;
    }

    Site m_site;
    Save m_save;
    QFormLayout* m_form;
    QLabel* m_problem;
    QComboBox* m_host = nullptr;
    QComboBox* m_scheduler = nullptr;
    QLineEdit *m_name, *m_root, *m_partition, *m_account, *m_torch;
};

} // namespace

void describeSite(QWidget* parent, const ThemeController& theme, const Site& site,
                  const std::vector<ssh::ConfiguredHost>& hosts, const std::function<Result<void>(const Site&)>& save)
{
    (new SiteDialog(parent, theme, site, hosts, save))->open();
}

} // namespace ringside
