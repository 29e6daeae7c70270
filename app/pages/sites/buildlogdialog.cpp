// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pages/sites/buildlogdialog.h"

#include "app/dialogs/dialogparts.h"
#include "app/session/sitestates.h"
#include "app/style/themecontroller.h"
#include "app/text/text.h"
#include "app/widgets/corewords.h"
#include "app/widgets/logview.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QPushButton>
#include <QVBoxLayout>

namespace ringside {

namespace {

class BuildLogDialog : public QuestionDialog
{
    Q_DECLARE_TR_FUNCTIONS(ringside::BuildLogDialog)
public:
    BuildLogDialog(QWidget* parent, const ThemeController& theme, SiteStates& states, const QString& site)
        : QuestionDialog(parent, theme,
                         {tr("Worker build"), tr("Build of the worker on %1").arg(siteInSentence(toUtf8(site))),
                          QStringLiteral("terminal")})
        , m_view(new LogView)
    {
        setMinimumSize(720, 480);
        m_view->setAccessibleName(tr("Log of the build"));
        m_view->showLines(states.buildLogOf(site));
        body()->addWidget(m_view, 1);
        addButton(tr("Copy"), QDialogButtonBox::ActionRole,
                  [this] { QGuiApplication::clipboard()->setText(m_view->toPlainText()); });
        addButton(tr("Close"), QDialogButtonBox::RejectRole);
        connect(&states, &SiteStates::buildLogGrew, this, [this, site](const QString& where, const QStringList& lines) {
            if (where == site)
                grow(lines);
        });
        m_view->setFocus();
    }

private:
    void grow(const QStringList& lines)
    {
        if (lines.isEmpty())
            m_view->clear();
        for (const QString& line : lines)
            m_view->append(line);
    }

    LogView* m_view;
};

} // namespace

void showBuildLog(QWidget* parent, const ThemeController& theme, SiteStates& states, const QString& site)
{
    auto* dialog = new BuildLogDialog(parent, theme, states, site);
    dialog->setWindowModality(Qt::NonModal);
    dialog->show();
}

} // namespace ringside
