// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/editor/launchdialog.h"

#include "app/pages/editor/checkscard.h"
#include "app/pages/editor/summarycard.h"
#include "app/style/fonts.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"
#include "app/widgets/text.h"

#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace ringside {

namespace {

class LaunchDialog : public QDialog
{
    Q_DECLARE_TR_FUNCTIONS(ringside::LaunchDialog)
public:
    LaunchDialog(const ThemeController& theme, QWidget* parent, const Evaluation& evaluation,
                 std::function<void()> launch)
        : QDialog(parent)
        , m_launch(std::move(launch))
    {
        setAttribute(Qt::WA_DeleteOnClose);
        setWindowTitle(tr("Launch on this computer"));
        resize(640, 560);
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(20, 16, 20, 16);
        layout->setSpacing(space::kGap);
        const int runs = int(evaluation.missing.size());
        layout->addWidget(makeParagraph(LabelKind::cardTitle, tr("%n run(s), one after the other", "", runs)));
        layout->addWidget(makeParagraph(LabelKind::text, timeText(evaluation)));
        layout->addWidget(
            makeParagraph(LabelKind::text,
                          tr("Runs that are done already are not repeated. You can close Ringside; the runs go on.")));
        if (!evaluation.checks.empty()) {
            auto* checks = new ChecksList(theme, 3);
            checks->show(evaluation.checks);
            layout->addWidget(checks);
        }
        auto* title = makeLabel(LabelKind::strong, tr("What is run"));
        layout->addWidget(title);
        auto* script = new QPlainTextEdit(toQt(evaluation.script));
        script->setReadOnly(true);
        script->setFont(monospaceFont(font()));
        script->setLineWrapMode(QPlainTextEdit::NoWrap);
        script->setTabChangesFocus(true);
        title->setBuddy(script);
        layout->addWidget(script, 1);
        auto* buttons = new QDialogButtonBox;
        buttons->addButton(tr("Cancel"), QDialogButtonBox::RejectRole);
        auto* start = primary(buttons->addButton(tr("Launch %n run(s)", "", runs), QDialogButtonBox::AcceptRole));
        start->setDefault(true);
        layout->addWidget(buttons);
        connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
        connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
        start->setFocus();
    }

    void accept() override
    {
        m_launch();
        QDialog::accept();
    }

private:
    std::function<void()> m_launch;
};

} // namespace

void askToLaunch(const ThemeController& theme, QWidget* parent, const Evaluation& evaluation,
                 std::function<void()> launch)
{
    (new LaunchDialog(theme, parent, evaluation, std::move(launch)))->open();
}

} // namespace ringside
