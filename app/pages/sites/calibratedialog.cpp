// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/calibratedialog.h"

#include "app/dialogs/dialogparts.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"

#include "core/conductor/calibrationrun.h"

#include <QCoreApplication>
#include <QFormLayout>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

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
    {
        body()->addWidget(
            makeParagraph(LabelKind::text, tr("Its cores, memory, disk and links are measured by a run of their own. "
                                              "Other work there at that time makes the figures worse than they are.")));
        m_form->setHorizontalSpacing(16);
        m_form->setVerticalSpacing(8);
        m_nodes = addField(tr("Nodes"), question.shape.nodes, kMostNodes);
        m_ranks = addField(tr("Ranks per node"), question.shape.ranksPerNode, kMostRanks);
        m_cores = addField(tr("Cores per rank"), question.shape.coresPerRank, kMostCores);
        m_form->setRowVisible(m_nodes, !question.oneNode);
        body()->addLayout(m_form);
        body()->addWidget(m_cost);
        auto* no = addButton(tr("Do not measure"), QDialogButtonBox::RejectRole);
        auto* yes = addButton(tr("Measure"), QDialogButtonBox::AcceptRole);
        connect(no, &QPushButton::clicked, this, &QDialog::reject);
        connect(yes, &QPushButton::clicked, this, [this, measure = std::move(measure)] { measure(shape()), accept(); });
        setStandard(yes);
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

    spec::CalibrationShape shape() const { return {m_nodes->value(), m_ranks->value(), m_cores->value()}; }

    /// Fields are made one after the other; the last one completes what is said.
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
    QSpinBox *m_nodes = nullptr, *m_ranks = nullptr, *m_cores = nullptr;
};

} // namespace

void askCalibration(QWidget* parent, const ThemeController& theme, const CalibrateQuestion& question,
                    std::function<void(const spec::CalibrationShape&)> measure)
{
    (new CalibrateDialog(parent, theme, question, std::move(measure)))->open();
}

} // namespace ringside
