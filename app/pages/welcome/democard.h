// SPDX-License-Identifier: GPL-3.0-or-later
// Welcome's card of the demo cluster: starts it (tests/cluster/up.sh), tells how far it is, leads to its site.
#pragma once

#include "app/shell/page.h"
#include "app/widgets/card.h"

#include <QProcess>
#include <vector>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace ringside {

class IconLabel;

class DemoCard : public Card
{
    Q_OBJECT
public:
    explicit DemoCard(const PageContext& context, QWidget* parent = nullptr);

    /// The script that starts it; empty for a Ringside that came without its source.
    static QString script();

private:
    struct Step
    {
        IconLabel* icon;
        QLabel* text;
    };

    void press();
    void start();
    void readSteps();
    void readErrors();
    void begin(const QString& step);
    void end(bool isUp);
    void clear();

    PageContext m_context;
    QVBoxLayout* m_stepsArea;
    QLabel* m_problem;
    QPushButton* m_button;
    std::vector<Step> m_steps;
    QString m_errorText; ///< what the script said last on its standard error
    bool m_isUp = false;
    QProcess m_process; // last: it calls back
};

} // namespace ringside
