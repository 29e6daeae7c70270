// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/sitedialog.h"

#include "app/dialogs/dialogparts.h"
#include "app/pages/sites/sitefields.h"
#include "app/style/themecontroller.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/columnscroll.h"
#include "app/widgets/corewords.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"

#include "core/jobs/launchers/table.h"
#include "core/jobs/schedulers/table.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QFormLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <utility>

namespace ringside {

namespace {

constexpr int kFieldChars = 34; // the longest placeholder fits
constexpr int kExtraLines = 4;

class SiteDialog : public QuestionDialog
{
    Q_DECLARE_TR_FUNCTIONS(ringside::SiteDialog)
public:
    using Save = std::function<Result<void>(const Site&)>;

    SiteDialog(QWidget* parent, const ThemeController& theme, Site site, const std::vector<ConfiguredHost>& hosts,
               Save save)
        : QuestionDialog(parent, theme, headOf(site))
        , m_theme(theme)
        , m_site(std::move(site))
        , m_save(std::move(save))
        , m_place(new QFormLayout)
        , m_jobs(new QFormLayout)
        , m_advanced(new QWidget)
        , m_problem(makeParagraph(LabelKind::error))
    {
        m_name = new QLineEdit(toQt(m_site.name));
        m_name->setPlaceholderText(tr("alder"));
        for (QFormLayout* form : {m_place, m_jobs})
            form->setVerticalSpacing(space::kGap);
        m_place->addRow(tr("Name"), m_name);
        addHost(hosts);
        addFields(*m_place, placeFields());
        addTorch();
        addScheduler();
        addFields(*m_jobs, jobFields());
        addJobs();
        auto* columns = makeRow({{m_place, 1}, {m_jobs, 1}}, 24);
        auto* form = new QWidget;
        m_form = new QVBoxLayout(form);
        m_form->setContentsMargins({});
        m_form->setSpacing(space::kGap);
        m_form->addLayout(columns);
        addAdvanced();
        m_form->addStretch();
        body()->addWidget(m_scroll = new FormScroll(form), 1);
        body()->addWidget(m_problem);
        m_problem->hide();
        addButton(tr("Cancel"), QDialogButtonBox::RejectRole);
        const QString keep = m_site.name.empty() ? tr("Add site") : tr("Save");
        setStandard(addButton(keep, QDialogButtonBox::AcceptRole, [this] { trySave(); }));
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

    void addTorch()
    {
        m_installTorch = new QCheckBox(tr("Install torch there if there is none"));
        m_installTorch->setToolTip(tr("For Ringside alone, below its folder: 545 MB to download, 3 GB"));
        m_installTorch->setChecked(m_site.installTorch);
        m_place->addRow(QString(), m_installTorch);
    }

    void addScheduler()
    {
        m_scheduler = new QComboBox;
        QStringList titles;
        for (const jobs::Scheduler* scheduler : jobs::schedulers())
            titles << toQt(scheduler->title());
        const QStringList texts = QStringList(tr("%1 if it is there").arg(titles.join(tr(" or ")))) + titles +
                                  QStringList(tr("None: start jobs on the login node"));
        const std::vector<std::string> names = schedulerNames();
        for (std::size_t i = 0; i < names.size(); ++i)
            m_scheduler->addItem(texts[qsizetype(i)], toQt(names[i]));
        m_scheduler->setCurrentIndex(m_scheduler->findData(toQt(m_site.scheduler)));
        m_jobs->addRow(tr("Scheduler"), m_scheduler);
    }

    void addJobs()
    {
        m_jobPerRun = new QCheckBox(tr("Each run as a job of its own"));
        m_jobPerRun->setToolTip(tr("Otherwise all runs share one job, which compares them more fairly"));
        m_jobPerRun->setChecked(m_site.jobPerRun);
        m_exclusive = new QCheckBox(tr("Whole nodes only"));
        m_exclusive->setChecked(m_site.job.exclusive);
        m_jobs->addRow(QString(), m_jobPerRun);
        m_jobs->addRow(QString(), m_exclusive);
    }

    /// Folded while none of it is set.
    void addAdvanced()
    {
        auto* form = new QFormLayout(m_advanced);
        form->setContentsMargins({});
        form->setVerticalSpacing(space::kGap);
        m_launcher = new QComboBox;
        m_launcher->addItem(tr("The scheduler's, else mpirun"), toQt(kAutomaticLauncher));
        m_launcher->addItem(tr("mpirun of the MPI there"), toQt(jobs::kLauncherOfMpi));
        for (const jobs::Launcher* launcher : jobs::launchers())
            m_launcher->addItem(coreText(launcher->title()), toQt(launcher->name()));
        m_launcher->setCurrentIndex(m_launcher->findData(toQt(m_site.launcher)));
        form->addRow(tr("Ranks are started by"), m_launcher);
        addFields(*form, advancedFields());
        m_extraLines = new QPlainTextEdit(extraText(m_site));
        m_extraLines->setPlaceholderText(tr("one to a line, as in a job script: --reservation=course"));
        m_extraLines->setTabChangesFocus(true);
        m_extraLines->setFixedHeight(kExtraLines * fontMetrics().lineSpacing());
        form->addRow(tr("Further job options"), m_extraLines);
        m_fold = link(new QPushButton(tr("Advanced")));
        connect(m_fold, &QPushButton::clicked, this, [this] { unfold(m_advanced->isHidden()); });
        m_form->addLayout(makeRow({m_fold, stretch()}));
        m_form->addWidget(m_advanced);
        const Site plain;
        unfold(m_site.launcher != plain.launcher || m_site.sshConfig != plain.sshConfig ||
               m_site.worker != plain.worker || m_site.agent != plain.agent ||
               m_site.job.extraLines != plain.job.extraLines);
    }

    void unfold(bool open)
    {
        m_fold->setIcon(m_theme.icon(QString::fromLatin1(open ? "chevron-down" : "chevron-right"), Ink::accent));
        m_fold->setAccessibleDescription(open ? tr("unfolded") : tr("folded"));
        m_advanced->setVisible(open);
        if (!isVisible())
            return;
        fitHeightSoon([this] { // a low screen has too little
            m_scroll->ensureWidgetVisible(m_advanced->isHidden() ? m_fold : m_advanced);
        });
    }

    static QString extraText(const Site& site)
    {
        QStringList lines;
        for (const std::string& line : site.job.extraLines)
            lines << toQt(line);
        return lines.join(QLatin1Char('\n'));
    }

    std::vector<std::string> extraLines() const
    {
        std::vector<std::string> lines;
        for (const QString& line : m_extraLines->toPlainText().split(QLatin1Char('\n')))
            if (!line.trimmed().isEmpty())
                lines.push_back(toUtf8(line.trimmed()));
        return lines;
    }

    /// Any host can be typed; those of the configuration can be chosen, and set the site's name.
    void addHost(const std::vector<ConfiguredHost>& hosts)
    {
        m_host = new QComboBox;
        m_host->setEditable(true);
        m_host->setInsertPolicy(QComboBox::NoInsert);
        m_host->setCompleter(nullptr); // it would make a host's name into an alias which begins like it
        m_host->lineEdit()->setPlaceholderText(tr("kim@alder.example.org, or an alias"));
        for (const ConfiguredHost& host : hosts) {
            m_host->addItem(toQt(host.alias));
            m_host->setItemData(m_host->count() - 1, plainToolTip(wayTo(host)), Qt::ToolTipRole);
        }
        m_host->setCurrentIndex(-1);
        m_host->setEditText(toQt(hostText(m_site)));
        m_place->addRow(tr("Login node"), m_host);
        connect(m_host, &QComboBox::activated, this, [this] {
            if (m_name->text().isEmpty())
                m_name->setText(m_host->currentText());
        });
    }

    static QString wayTo(const ConfiguredHost& host)
    {
        const QString place = toQt(fmt::format("{}@{}:{}", host.user, host.hostName, host.port));
        return host.jump.empty() ? place : tr("%1 through %2").arg(place, toQt(host.jump));
    }

    void trySave()
    {
        markInvalid(nullptr);
        const auto saved = described().and_then(m_save);
        if (saved)
            return accept();
        m_problem->setText(toQt(saved.error().text()));
        m_problem->show();
        fitHeightSoon([this] { m_scroll->ensureWidgetVisible(m_invalid); });
    }

    /// The one whose text cannot be understood; null: none.
    void markInvalid(QWidget* field)
    {
        if (m_invalid)
            setStyled(*m_invalid, "invalid", false);
        m_invalid = field;
        if (!field)
            return;
        setStyled(*field, "invalid", true);
        if (m_advanced->isAncestorOf(field))
            unfold(true);
        field->setFocus();
    }

    Result<Site> described()
    {
        const auto orMark = [this](QWidget& field, const Result<void>& taken) {
            if (!taken)
                markInvalid(&field);
            return taken;
        };
        Site site = m_site;
        TRY(orMark(*m_host, takeHost(site, toUtf8(m_host->currentText().trimmed()))));
        site.name = toUtf8(m_name->text().trimmed());
        site.scheduler = toUtf8(m_scheduler->currentData().toString());
        site.installTorch = m_installTorch->isChecked();
        site.jobPerRun = m_jobPerRun->isChecked();
        site.job.exclusive = m_exclusive->isChecked();
        site.launcher = toUtf8(m_launcher->currentData().toString());
        if (m_extraLines->toPlainText() != extraText(m_site))
            site.job.extraLines = extraLines();
        for (const auto& [field, line] : m_fields)
            if (const std::string text = toUtf8(line->text().trimmed()); text != field.text(m_site))
                TRY(orMark(*line, field.take(site, text))); // the rest stays, what a line cannot show whole with it
        return site;
    }

    const ThemeController& m_theme;
    Site m_site;
    Save m_save;
    QFormLayout *m_place, *m_jobs;
    QVBoxLayout* m_form = nullptr;
    FormScroll* m_scroll = nullptr; ///< moves where the screen is too low for it
    QWidget* m_advanced;
    QLabel* m_problem;
    QWidget* m_invalid = nullptr;
    QLineEdit* m_name = nullptr;
    QComboBox* m_host = nullptr;
    QComboBox *m_scheduler = nullptr, *m_launcher = nullptr;
    QPlainTextEdit* m_extraLines = nullptr;
    QPushButton* m_fold = nullptr;
    QCheckBox *m_installTorch = nullptr, *m_jobPerRun = nullptr, *m_exclusive = nullptr;
    std::vector<std::pair<SiteField, QLineEdit*>> m_fields;
};

} // namespace

void describeSite(QWidget* parent, const ThemeController& theme, const Site& site,
                  const std::vector<ConfiguredHost>& hosts, const std::function<Result<void>(const Site&)>& save)
{
    (new SiteDialog(parent, theme, site, hosts, save))->open();
}

} // namespace ringside
