// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/sitedialog.h"

#include "app/dialogs/dialogparts.h"
#include "app/pages/sites/sitefields.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"
#include "app/widgets/text.h"

#include "core/remote/ssh/target.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

namespace ringside {

namespace {

constexpr int kFieldChars = 34; // the longest placeholder fits

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
        , m_place(new QFormLayout)
        , m_jobs(new QFormLayout)
        , m_problem(makeParagraph(LabelKind::error))
    {
        m_name = new QLineEdit(toQt(m_site.name));
        m_name->setPlaceholderText(tr("alder"));
        for (QFormLayout* form : {m_place, m_jobs})
            form->setVerticalSpacing(space::kGap);
        m_place->addRow(tr("Name"), m_name);
        addHost(hosts);
        addFields(*m_place, placeFields());
        addScheduler();
        addFields(*m_jobs, jobFields());
        addJobs();
        auto* columns = new QHBoxLayout;
        columns->setSpacing(24);
        columns->addLayout(m_place, 1);
        columns->addLayout(m_jobs, 1);
        body()->addLayout(columns);
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

    void addFields(QFormLayout& form, const std::vector<SiteField>& fields)
    {
        for (const SiteField& field : fields) {
            auto* line = new QLineEdit(toQt(field.text(m_site)));
            line->setPlaceholderText(field.placeholder);
            line->setMinimumWidth(kFieldChars * fontMetrics().averageCharWidth());
            form.addRow(field.label, line);
            m_fields.emplace_back(field, line);
        }
    }

    void addScheduler()
    {
        m_scheduler = new QComboBox;
        for (const QString& text : {tr("Slurm if it is there"), tr("Slurm"), tr("None: start jobs on the login node")})
            m_scheduler->addItem(text);
        m_scheduler->setCurrentIndex(int(m_site.scheduler));
        m_jobs->addRow(tr("Scheduler"), m_scheduler);
    }

    void addJobs()
    {
        m_jobPerRun = new QCheckBox(tr("Each run as a job of its own"));
        m_jobPerRun->setToolTip(tr("Otherwise all runs share one job, which compares them more fairly"));
        m_jobPerRun->setChecked(m_site.jobPerRun);
        m_exclusive = new QCheckBox(tr("Whole nodes only"));
        m_exclusive->setChecked(m_site.slurm.exclusive);
        m_jobs->addRow(QString(), m_jobPerRun);
        m_jobs->addRow(QString(), m_exclusive);
    }

    /// Any host can be typed; those of the configuration can be chosen, and give the site its name.
    void addHost(const std::vector<ssh::ConfiguredHost>& hosts)
    {
        m_host = new QComboBox;
        m_host->setEditable(true);
        m_host->setInsertPolicy(QComboBox::NoInsert);
        m_host->lineEdit()->setPlaceholderText(tr("kim@alder.example.org, or an alias"));
        for (const ssh::ConfiguredHost& host : hosts) {
            m_host->addItem(toQt(host.alias));
            m_host->setItemData(m_host->count() - 1, wayTo(host), Qt::ToolTipRole);
        }
        m_host->setCurrentIndex(-1);
        m_host->setEditText(toQt(hostText()));
        m_place->addRow(tr("Login node"), m_host);
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
        site.scheduler = Scheduler(m_scheduler->currentIndex());
        site.jobPerRun = m_jobPerRun->isChecked();
        site.slurm.exclusive = m_exclusive->isChecked();
        for (const auto& [field, line] : m_fields)
            if (const std::string text = toUtf8(line->text().trimmed()); text != field.text(m_site))
                TRY(field.take(site, text)); // the rest stays, what a line cannot show whole with it
        return site;
    }

    Site m_site;
    Save m_save;
    QFormLayout *m_place, *m_jobs;
    QLabel* m_problem;
    QLineEdit* m_name = nullptr;
    QComboBox* m_host = nullptr;
    QComboBox* m_scheduler = nullptr;
    QCheckBox *m_jobPerRun = nullptr, *m_exclusive = nullptr;
    std::vector<std::pair<SiteField, QLineEdit*>> m_fields;
};

} // namespace

void describeSite(QWidget* parent, const ThemeController& theme, const Site& site,
                  const std::vector<ssh::ConfiguredHost>& hosts, const std::function<Result<void>(const Site&)>& save)
{
    (new SiteDialog(parent, theme, site, hosts, save))->open();
}

} // namespace ringside
