// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/canceldialog.h"

#include "app/dialogs/dialogparts.h"
#include "app/text/text.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"
#include "app/widgets/styled.h"

#include <QCoreApplication>
#include <QPushButton>
#include <QRadioButton>

namespace ringside {

namespace {

class CancelDialog : public QuestionDialog
{
    Q_DECLARE_TR_FUNCTIONS(ringside::CancelDialog)
public:
    CancelDialog(QWidget* parent, const ThemeController& theme, const CancelChoice& choice,
                 std::function<void(const ControlOrder&)> chosen)
        : QuestionDialog(parent, theme, {tr("Cancel runs"), tr("Cancel runs"), QStringLiteral("cross")})
    {
        body()->addWidget(makeParagraph(LabelKind::text,
                                        tr("Samples that are stored stay. What is cancelled can be launched again.")));
        auto* keep = addButton(tr("Keep running"), QDialogButtonBox::RejectRole);
        m_cancel = danger(addButton({}, QDialogButtonBox::ActionRole, [this, chosen = std::move(chosen)] {
            chosen(m_order);
            accept();
        }));
        addChoices(choice);
        m_first->setChecked(true);
        setStandard(keep);
        keep->setFocus();
    }

private:
    void addChoices(const CancelChoice& choice)
    {
        const std::string experiment = toUtf8(choice.experiment);
        if (choice.run)
            add(tr("This run (run %1)").arg(Numbers::count(choice.run->number)),
                tr("Cancel run %1").arg(Numbers::count(choice.run->number)),
                {{Control::Kind::cancelRun, choice.run->id}});
        if (choice.waiting > 0 && choice.waiting < choice.unfinished) // else it is everything
            add(tr("All that are waiting (%n run(s)); what is running continues", "", choice.waiting),
                tr("Cancel %n run(s)", "", choice.waiting), {{Control::Kind::cancelWaiting}, experiment});
        if (choice.unfinished > 0) // else it is a trial, which is counted among no runs
            add(tr("Everything (%n run(s))", "", choice.unfinished), tr("Cancel %n run(s)", "", choice.unfinished),
                {{Control::Kind::cancel}, experiment});
    }

    void add(const QString& text, const QString& verb, const ControlOrder& order)
    {
        auto* button = new QRadioButton(text);
        body()->addWidget(button);
        connect(button, &QRadioButton::toggled, this, [this, verb, order](bool on) {
            if (!on)
                return;
            m_order = order;
            m_cancel->setText(verb);
        });
        if (!m_first)
            m_first = button;
    }

    ControlOrder m_order;
    QRadioButton* m_first = nullptr;
    QPushButton* m_cancel = nullptr;
};

} // namespace

void askWhatToCancel(QWidget* parent, const ThemeController& theme, const CancelChoice& choice,
                     std::function<void(const ControlOrder&)> chosen)
{
    (new CancelDialog(parent, theme, choice, std::move(chosen)))->open();
}

} // namespace ringside
