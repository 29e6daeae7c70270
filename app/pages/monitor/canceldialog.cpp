// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/monitor/canceldialog.h"

#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"
#include "app/widgets/styled.h"

#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QPushButton>
#include <QRadioButton>

namespace ringside {

namespace {

class CancelDialog : public QDialog
{
    Q_DECLARE_TR_FUNCTIONS(ringside::CancelDialog)
public:
    CancelDialog(QWidget* parent, const CancelChoice& choice, std::function<void(const ControlRequest&)> chosen)
        : QDialog(parent)
        , m_chosen(std::move(chosen))
        , m_layout(fillColumn(this, {}, space::kGap, {20, 16, 20, 16}))
        , m_buttons(new QDialogButtonBox(this))
    {
        setAttribute(Qt::WA_DeleteOnClose);
        setWindowTitle(tr("Cancel runs"));
        setMinimumWidth(520);
        m_layout->addWidget(makeParagraph(
            LabelKind::text, tr("Samples that are stored stay. What is cancelled can be launched again.")));
        addChoices(choice);
        m_keep = m_buttons->addButton(tr("Keep running"), QDialogButtonBox::RejectRole);
        m_cancel = danger(m_buttons->addButton(QString(), QDialogButtonBox::ActionRole));
        m_layout->addWidget(m_buttons);
        connect(m_cancel, &QPushButton::clicked, this, &QDialog::accept);
        connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
        m_first->setChecked(true);
        m_keep->setDefault(true);
        m_keep->setFocus();
    }

    void accept() override
    {
        m_chosen(m_request);
        QDialog::accept();
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
            add(tr("All that wait (%n run(s)); what runs goes on", "", choice.waiting),
                tr("Cancel %n run(s)", "", choice.waiting), {{Control::Kind::cancelWaiting}, experiment});
        if (choice.unfinished > 0) // else it is a trial, which is counted among no runs
            add(tr("Everything (%n run(s))", "", choice.unfinished), tr("Cancel %n run(s)", "", choice.unfinished),
                {{Control::Kind::cancel}, experiment});
    }

    void add(const QString& text, const QString& verb, const ControlRequest& request)
    {
        auto* button = new QRadioButton(text);
        m_layout->addWidget(button);
        connect(button, &QRadioButton::toggled, this, [this, verb, request](bool on) {
            if (!on)
                return;
            m_request = request;
            m_cancel->setText(verb);
        });
        if (!m_first)
            m_first = button;
    }

    std::function<void(const ControlRequest&)> m_chosen;
    ControlRequest m_request;
    QVBoxLayout* m_layout;
    QDialogButtonBox* m_buttons;
    QRadioButton* m_first = nullptr;
    QPushButton* m_keep = nullptr;
    QPushButton* m_cancel = nullptr;
};

} // namespace

void askWhatToCancel(QWidget* parent, const CancelChoice& choice, std::function<void(const ControlRequest&)> chosen)
{
    (new CancelDialog(parent, choice, std::move(chosen)))->open();
}

} // namespace ringside
