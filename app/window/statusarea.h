// SPDX-License-Identifier: GPL-3.0-or-later
// The entries of the status bar: sites, what runs, the bell.
#pragma once

#include "app/shell/shell.h"
#include "app/widgets/statusentry.h"

#include <map>

class QStatusBar;

namespace ringside {

class MessageLog;
class WorkTracker;

class StatusArea : public QObject
{
    Q_OBJECT
public:
    StatusArea(QStatusBar& bar, const PageContext& context, const WorkTracker& work, const MessageLog& log);

    QWidget* bell() const { return m_bell; }
    QWidget* focusTarget() const { return m_runs; }

private:
    void showSite(const QString& site);
    void showWork();
    void showMessages(const MessageLog& log);
    StatusEntry* entryFor(const QString& site);

    QStatusBar& m_bar;
    const PageContext& m_context;
    const WorkTracker& m_work;
    std::map<QString, StatusEntry*> m_sites;
    StatusEntry* m_runs;
    StatusEntry* m_bell;
};

} // namespace ringside
