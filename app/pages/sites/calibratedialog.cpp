// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/calibratedialog.h"

#include "app/dialogs/dialogparts.h"
#include "app/text/text.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"

#include "core/planning/calibrationrun.h"
#include "core/spec/schema.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QFormLayout>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

namespace ringside {

namespace {

constexpr int kMostNodes = 1024, kMostRanks = 256, kMostCores = 256;

class CalibrateDialog : public QuestionDialog
{
    Q_DECLARE_TR_FUNCTIONS(ringside::CalibrateDialog)
public:
    using Measure = std::function<void(const spec::CalibrationShape&)>;

    CalibrateDialog(QWidget* parent, const ThemeController& theme, const CalibrateQuestion& question, Measure measure)
        : QuestionDialog(parent, theme,
                         {tr("Calibrate"), tr("Measure what %1 can do").arg(question.site), QStringLiteral("ruler")})
        , m_form(new QFormLayout)
        , m_cost(makeParagraph(LabelKind::strong))
        , m_means(new QComboBox)
    {
        body()->addWidget(makeParagraph(
            LabelKind::text, tr("Its cores, memory, disk, links and GPUs are measured by a run of their own. "
                                "Other work there at that time makes the figures worse than they are.")));
        m_form->setHorizontalSpacing(16);
        m_form->setVerticalSpacing(8);
        m_nodes = addField(tr("Nodes"), question.shape.nodes, kMostNodes);
        m_ranks = addField(tr("Ranks per node"), question.shape.ranksPerNode, kMostRanks);
        m_cores = addField(tr("Cores per rank"), question.shape.coresPerRank, kMostCores);
        addMeans(question.shape.means);
        m_form->setRowVisible(m_nodes, !question.oneNode);
        body()->addLayout(m_form);
        body()->addWidget(m_cost);
        addButton(tr("Do not measure"), QDialogButtonBox::RejectRole);
        setStandard(addButton(tr("Measure"), QDialogButtonBox::AcceptRole,
                              [this, measure = std::move(measure)] { measure(shape()), accept(); }));
        showCost();
    }

private:
    QSpinBox* addField(const QString& name, int value, int most)
    {
        auto* field = new QSpinBox;
        field->setRange(1, most);
        field->setValue(value);
        field->setAccessibleName(name);
        field->setMinimumWidth(96);
        connect(field, &QSpinBox::valueChanged, this, [this] { showCost(); });
        auto* label = makeLabel(LabelKind::text, name);
        label->setBuddy(field);
        m_form->addRow(label, field);
        return field;
    }

    /// Adds the command line's other choices where they were measured before. The network stays as it was.
    void addMeans(const CalibrationMeans& before)
    {
        const auto add = [&](const QString& text, const std::string& device, const std::string& backend) {
            m_means->addItem(text);
            m_choices.push_back({device, backend, before.interface});
            if (m_choices.back() == before)
                m_means->setCurrentIndex(m_means->count() - 1);
        };
        add(tr("CPU"), "cpu", "launcher");
        add(tr("GPU, gradients summed by NCCL"), "cuda", "nccl");
        add(tr("GPU, gradients summed in the host's memory"), "cuda", "launcher");
        if (std::ranges::find(m_choices, before) == m_choices.end())
            add(toQt(before.device + ", " + before.backend), before.device, before.backend);
        m_means->setAccessibleName(tr("Device"));
        m_coresFollow = m_cores->value() == spec::standardCores(before.device);
        connect(m_cores, &QSpinBox::valueChanged, this,
                [this](int cores) { m_coresFollow &= cores == spec::standardCores(shape().means.device); });
        connect(m_means, &QComboBox::currentIndexChanged, this, &CalibrateDialog::followDevice);
        auto* label = makeLabel(LabelKind::text, tr("Device"));
        label->setBuddy(m_means);
        m_form->addRow(label, m_means);
    }

    spec::CalibrationShape shape() const
    {
        return {m_nodes->value(), m_ranks->value(), m_cores->value(),
                m_choices.at(std::size_t(m_means->currentIndex()))};
    }

    /// As runs there have by default, until the user has chosen.
    void followDevice()
    {
        if (m_coresFollow)
            m_cores->setValue(spec::standardCores(shape().means.device));
    }

    /// Fields are made one after the other; the last one completes the answer.
    void showCost()
    {
        if (!m_cores)
            return;
        const double seconds = double(std::chrono::seconds(kCalibrationTime).count());
        m_cost->setText(tr("About %1 on %n node(s), once it has begun.", nullptr, m_nodes->value())
                            .arg(Numbers::duration(seconds)));
    }

    QFormLayout* m_form;
    QLabel* m_cost;
    QComboBox* m_means;
    std::vector<CalibrationMeans> m_choices; ///< by index
    bool m_coresFollow = true;               ///< the device
    QSpinBox *m_nodes = nullptr, *m_ranks = nullptr, *m_cores = nullptr;
};

} // namespace

void askCalibration(QWidget* parent, const ThemeController& theme, const CalibrateQuestion& question,
                    std::function<void(const spec::CalibrationShape&)> measure)
{
    (new CalibrateDialog(parent, theme, question, std::move(measure)))->open();
}

} // namespace ringside
