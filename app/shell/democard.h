// SPDX-License-Identifier: GPL-3.0-or-later
// The card of the demo cluster, on Welcome and where sites are added: starts it (tests/cluster/up.sh), shows its
// progress, leads to its site; recognises a running one by the files of that script.
#pragma once

#include "app/session/jobtracker.h"
#include "app/session/taskthread.h"
#include "app/shell/page.h"
#include "app/style/themecontroller.h"
#include "app/widgets/card.h"

#include <QProcess>

class QLabel;
class QPushButton;

namespace ringside {

class IconLabel;

inline constexpr const char* kDemoSite = "demo"; ///< as up.sh registers it

class DemoCard : public Card
{
    Q_OBJECT
public:
    explicit DemoCard(const PageContext& context);

    /// The script that starts it; empty for a Ringside that came without its source.
    static QString script();

protected:
    /// It may have come up or gone while another page was in front.
    void showEvent(QShowEvent* event) override;

private:
    void press();
    void start();
    void readSteps();
    void readErrors();
    void begin(const QString& step);
    void end(bool isUp);
    void take(bool isUp);
    void showStep(const QString& icon, Ink ink, const QString& text);

    PageContext m_context;
    QLabel* m_problem;
    QPushButton* m_button;
    IconLabel* m_icon; ///< of the step that is under way, beside its name
    QLabel* m_note;
    QString m_errorText; ///< what the script printed last on its standard error
    bool m_isUp = false;
    QProcess m_process; // it calls back
    JobTracker m_job;
    TaskThread m_files; // last: it calls back, too
};

} // namespace ringside
